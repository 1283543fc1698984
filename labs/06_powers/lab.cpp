// Lab 6: in which order a table of powers is written, to shared and to global memory.
#include <cstring>

#include "harness/core/lab.h"
#include "harness/core/parallel.h"
#include "labs/build.h"
#include "labs/labs.h"

namespace lab::labs {
namespace {

constexpr std::int64_t kPowers = 32;  // x^2 .. x^33

std::vector<ParamSpec> parameters() {
  return {
      {"threads",
       "numbers of a block, one per thread",
       std::int64_t{32},
       32,
       256,
       {},
       {32, 64, 128, 256}},
      {"blocks", "blocks of the grid", std::int64_t{8}, 1, 65535},
  };
}

Expr all_warps() { return Expr("blocks") * "warps"; }
Expr powers_of_all() { return all_warps() * constant("powers", 32, "each thread's x^2 to x^33"); }

std::vector<TheoryRow> reading() {
  return global_rows(Op::kLoad, {all_warps(), all_warps() * 4, Expr("blocks") * "threads" * 4,
                                 all_warps(), "A warp's 32 floats are four sectors."});
}

std::vector<TheoryRow> writing(int sectors, int lines, const std::string& why) {
  const auto requests = powers_of_all();
  return global_rows(Op::kStore,
                     {requests, requests * sectors, requests * 128, requests * lines, why});
}

// The input is read once, and 32 powers of each number are written: in parts, where each lane
// stores to a sector of its own.
std::vector<TheoryRow> moved(int sectors_per_request) {
  const auto read = all_warps() * 4;
  const auto written = powers_of_all() * 4;
  const bool in_parts = sectors_per_request > 4;
  return traffic_rows({read, read, read / 2, written, powers_of_all() * sectors_per_request,
                       in_parts ? written / 2 : Expr(0),
                       "The input once; the output once, or as often as sectors are written in "
                       "part."});
}

// Each power but the first is made of the one before, read back from global memory.
std::vector<TheoryRow> reload_theory(int sectors, int lines, const std::string& why) {
  const auto back = all_warps() * constant("reloads", 31, "x^3 to x^33 read the power before");
  const auto read = all_warps() * 4;
  const auto written = powers_of_all() * 4;
  const auto load = read + back * sectors;
  auto made = rows({
      {{"shared_bank_conflicts", 0, "Shared memory is not used."}},
      global_rows(Op::kLoad, {all_warps() + back, load, (all_warps() + back) * 128,
                              all_warps() + back * lines, why}),
      writing(sectors, lines, why),
      traffic_rows({read, load, read / 2, written, powers_of_all() * sectors, written / 2,
                    "The input once, and what was stored as often as L1 does not have it."}),
  });
  for (TheoryRow& row : made) {
    // The table is larger than L2, which may have lost a power before it is read back.
    if (row.metric == "dram_read_bytes") row.high = *row.high + 64 * back * sectors;
  }
  return made;
}

// Each thread reads its number again for each power. What L1 has lost by then comes again, too.
std::vector<TheoryRow> printed_theory(int sectors, int lines, const std::string& why) {
  const auto loads = powers_of_all();
  const auto read = all_warps() * 4;
  const auto written = loads * 4;
  return rows({
      {{"shared_bank_conflicts", 0, "Shared memory is not used."}},
      global_rows(Op::kLoad, {loads, loads * 4, loads * 128, loads,
                              "Each power reads x again: a warp's 32 floats are four sectors."}),
      writing(sectors, lines, why),
      traffic_rows({read, loads * 4, loads * 2, written, loads * sectors,
                    sectors > 4 ? written / 2 : Expr(0),
                    "The input at least once, at most as often as it is read; the output once, or "
                    "as often as sectors are written in part.",
                    true}),
  });
}

// The table is collected in shared memory and written out in order.
std::vector<TheoryRow> shared_theory(const SharedCost& store) {
  const auto loads = powers_of_all();
  return rows({
      shared_rows(Op::kStore, store),
      shared_rows(Op::kLoad, {loads, loads, loads, {}, "Read in order: no conflict."}),
      {shared_conflicts(store.wavefronts - store.groups,
                        "The stores' alone: the loads have none.")},
      reading(),
      writing(4, 1, "Written in order: a warp's 32 floats are four sectors."),
      moved(4),
  });
}

// 0.9 to 1.1 in 32 steps, so that no power of them overflows.
BufferSpec near_one(std::uint64_t count) {
  auto spec = input("in", ElementType::kF32, count);
  spec.fill.kind = Fill::Kind::kBytes;
  spec.fill.bytes.resize(4 * count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto x = static_cast<float>(0.9 + 0.2 / 31 * static_cast<double>(i % 32));
    std::memcpy(&spec.fill.bytes[4 * i], &x, 4);
  }
  return spec;
}

Variant base(const std::string& name, const std::string& summary, bool thread_major) {
  Variant v;
  v.name = name;
  v.summary = summary;
  v.kernel = [name](const Params& p) {
    return name + "<" + std::to_string(p.number("threads")) + ">";
  };
  v.reads = {"threads", "blocks"};
  v.points = product({{"threads", {std::int64_t{32}, std::int64_t{64}, std::int64_t{256}}},
                      {"blocks", {std::int64_t{8}}}});
  v.gpu_points = product({{"threads", {std::int64_t{32}, std::int64_t{256}}},
                          {"blocks", {std::int64_t{8}, std::int64_t{4096}}}});
  v.telling = points_with(v, {{"blocks", {4096}}});  // on a GPU, where time is the point
  v.launch = [](const Params& p) { return line(p.number("blocks"), p.number("threads")); };
  v.args = [](const Params& p) {
    const auto numbers = count_of(p.number("threads") * p.number("blocks"));
    return std::vector<ArgSpec>{near_one(numbers),
                                output("out", ElementType::kF32, numbers * kPowers)};
  };
  v.reference = [thread_major](const Params& p, Buffers& buffers) {
    const auto in = buffers.f32("in");
    const auto out = buffers.f32("out");
    const auto threads = count_of(p.number("threads"));
    each_index(in.size(), [&](std::size_t i) {
      float power = in[i];
      for (std::uint64_t k = 0; k < kPowers; ++k) {
        power *= in[i];
        const auto place = thread_major ? i % threads * kPowers + k : k * threads + i % threads;
        out[i / threads * threads * kPowers + place] = power;
      }
    });
  };
  return v;
}

// Lanes store 32 words apart: all in one bank.
SharedCost scattered_words() {
  const auto stores = powers_of_all();
  return {stores, stores * 32, stores, {}, "Lanes store 32 words apart: all in one bank, 32-way."};
}

Variant thread_major() {
  auto v = base("thread_major", "a thread's powers side by side, in shared memory", true);
  v.theory = shared_theory(scattered_words());
  return v;
}

Variant thread_major_plain() {
  auto v = base("thread_major_plain", "the same with nothing pinned: stores of 16 bytes", true);
  const auto stores =
      all_warps() * constant("stores", Expr(32) / 4, "a thread's 32 powers, 16 bytes at a time");
  v.theory = shared_theory({stores,
                            stores * 32,
                            stores * 4,
                            {},
                            "The compiler makes 8 stores of 16 bytes of a thread's 32: four groups "
                            "of 8 lanes, all of a group in the same four banks, 8-way."});
  write_beside(v.theory, shared_theory(scattered_words()));
  v.merged = true;
  return v;
}

Variant power_major() {
  auto v = base("power_major", "one power of all threads side by side, in shared memory", false);
  const auto stores = powers_of_all();
  v.theory = shared_theory({stores, stores, stores, {}, "Lanes store neighbouring words."});
  return v;
}

std::vector<TheoryRow> no_shared_memory() {
  return {{"shared_bank_conflicts", 0, "Shared memory is not used."}};
}

Variant thread_major_global() {
  auto v = base("thread_major_global", "a thread's powers side by side, straight to global", true);
  v.theory = rows({reading(), no_shared_memory(),
                   writing(32, 32, "Lanes store 128 bytes apart: a sector each."), moved(32)});
  return v;
}

Variant power_major_global() {
  auto v = base("power_major_global", "one power of all threads side by side, straight to global",
                false);
  v.theory = rows({reading(), no_shared_memory(),
                   writing(4, 1, "Lanes store neighbouring words: four sectors."), moved(4)});
  return v;
}

Variant thread_major_printed() {
  auto v = base("thread_major_printed",
                "the exercise as printed, thread-major: b[i] = in[i] * b[i - 1]", true);
  v.theory = printed_theory(32, 32, "Lanes store 128 bytes apart: a sector each.");
  return v;
}

Variant power_major_printed() {
  auto v = base("power_major_printed", "the exercise as printed, power-major", false);
  v.theory = printed_theory(4, 1, "Lanes store neighbouring words: four sectors.");
  v.merged = true;  // the power before is loaded in PTX, from the register in machine code
  return v;
}

Variant thread_major_reload() {
  auto v =
      base("thread_major_reload",
           "thread-major in global memory, each power read back from where it was stored", true);
  v.theory = reload_theory(32, 32, "Lanes load and store 128 bytes apart: a sector each.");
  return v;
}

Variant power_major_reload() {
  auto v =
      base("power_major_reload",
           "power-major in global memory, each power read back from where it was stored", false);
  v.theory = reload_theory(4, 1, "Lanes load and store neighbouring words: four sectors.");
  return v;
}

}  // namespace

Lab powers() {
  Lab lab;
  lab.number = 6;
  lab.id = "powers";
  lab.folder = "06_powers";
  lab.title = "Powers";
  lab.summary = "thread-major or power-major: the order of output";
  lab.params = parameters();
  lab.variants = {thread_major(),        thread_major_plain(),  power_major(),
                  thread_major_global(), power_major_global(),  thread_major_printed(),
                  power_major_printed(), thread_major_reload(), power_major_reload()};
  lab.headline = {"shared_store_ways", "shared_bank_conflicts", "global_store_sectors_per_request"};
  return lab;
}

}  // namespace lab::labs
