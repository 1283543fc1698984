// Lab 10: bursts, strides and latency.
#include <algorithm>
#include <array>
#include <span>

#include "harness/core/lab.h"
#include "harness/core/parallel.h"
#include "labs/build.h"
#include "labs/labs.h"
#include "labs/touch.h"

namespace lab::labs {
namespace {

constexpr std::int64_t kThreads = 256;
constexpr std::int64_t kElements = std::int64_t{1} << 20;
constexpr std::int64_t kScatter = 249525;  // odd; keeps neighbouring runs eight places apart
// On a GPU strides are taken over up to 512 MiB, far beyond L2, by up to 2^22 floats.
constexpr std::int64_t kStridedOver = std::int64_t{1} << 27;
constexpr std::int64_t kMostStrided = std::int64_t{1} << 22;
constexpr std::int64_t kLineWords = 32;
constexpr std::int64_t kHopLines = 389;  // odd: a walk over a power of two of lines meets them all

std::vector<ParamSpec> parameters() {
  return {
      {"elements",
       "floats to read, a power of two",
       kElements,
       32768,
       std::int64_t{1} << 26,
       {},
       {32768, std::int64_t{1} << 20, std::int64_t{1} << 22, std::int64_t{1} << 24,
        std::int64_t{1} << 26}},
      {"run",
       "floats that stay together",
       std::int64_t{8},
       8,
       1024,
       {},
       {8, 16, 32, 64, 128, 256, 512, 1024}},
      {"scatter", "0: runs in order, 1: scattered", std::int64_t{1}, 0, 1},
      {"n", "floats to read", std::int64_t{4096}, 1, kMostStrided},
      {"stride", "floats from one to the next", std::int64_t{32}, 1, 4097},
      {"lines",
       "lines of 128 bytes that the walk visits, a power of two",
       std::int64_t{128},
       64,
       std::int64_t{1} << 22,
       {},
       {64, 128, 1024, 8192, 65536, std::int64_t{1} << 19, std::int64_t{1} << 22}},
      {"hops", "steps of the walk", std::int64_t{4096}, 1, std::int64_t{1} << 24},
  };
}

// ---- formulas -------------------------------------------------------------------------------

GlobalCost sums() {
  const auto warps = Expr("blocks") * "warps";
  return {warps, warps, warps * 4, warps, "One lane of each warp stores a sum."};
}

TheoryRow needed(const Expr& bytes) {
  return {"needed_bytes", bytes, "What is read, each element once; the sums are few."};
}

TheoryRow between(const char* metric, const Expr& low, const Expr& high, std::string why) {
  return {metric, low, std::move(why), Level::kAsCompiled, high};
}

TheoryRow written(const Expr& sectors) {
  return between("dram_write_bytes", 0, 32 * sectors,
                 "L2 writes back late: nothing while the kernel runs, or what was stored.");
}

// Eight or more neighbours fill their sectors, wherever they are.
std::vector<TheoryRow> bursts_theory() {
  const Expr elements("elements");
  const Expr run("run");
  const auto scattered = equal("scatter", 1);
  const GlobalCost load = {elements / 32, elements / 8, elements * 4,
                           elements / 32 * choose(scattered, max(1, 32 / run), 1),
                           "Runs of eight floats or more fill the sectors that they touch."};
  return rows({
      global_rows(Op::kLoad, load),
      global_rows(Op::kStore, sums()),
      {{"l2_read_sectors", elements / 8, "Each sector is read once, by one warp."},
       between("dram_read_bytes", elements * 4,
               elements * choose(equal(run, 8), choose(scattered, 8, 4), 4),
               "HBM reads 64 bytes at a time: half of them are wasted where a run is 32 bytes "
               "and L2 loses the other half before its turn."),
       written(sums().sectors)},
      {needed(elements * 4)},
  });
}

// 16 bytes per lane: 128 floats a request, and one sum for each 512.
std::vector<TheoryRow> bursts_wide_theory() {
  const Expr elements("elements");
  const Expr run("run");
  const GlobalCost load = {
      elements / 128, elements / 8, elements * 4,
      elements / 128 * choose(equal("scatter", 1), max(4, 128 / run), 4),
      "128 floats in runs of eight or more fill the 16 sectors that they touch."};
  return rows({
      global_rows(Op::kLoad, load),
      global_rows(Op::kStore, sums()),
      {{"l2_read_sectors", elements / 8, "Each sector is read once, by one warp."},
       between("dram_read_bytes", elements * 4,
               elements * choose(equal(run, 8), choose(equal("scatter", 1), 8, 4), 4),
               "HBM reads 64 bytes at a time: half of them are wasted where a run is 32 bytes "
               "and L2 loses the other half before its turn."),
       written(sums().sectors)},
      {needed(elements * 4)},
  });
}

std::vector<TheoryRow> strides_theory() {
  const Expr n("n");
  const Expr stride("stride");
  const auto sectors = strided_sectors(n, 0, stride, 4);
  const GlobalCost load = {ceil(n / 32), sectors, n * 4, strided_lines(n, 0, stride, 4),
                           "From a stride of eight floats on each has a sector of its own."};
  const auto blocks = choose(stride >= 16, n, floor((n - 1) * stride / 16) + 1);
  return rows({
      global_rows(Op::kLoad, load),
      global_rows(Op::kStore, sums()),
      {{"l2_read_sectors", sectors, "Warps share no sector."},
       between("dram_read_bytes", dram_reads(sectors, blocks), 64 * blocks,
               "From a stride of 16 floats on HBM reads 64 bytes for each."),
       written(sums().sectors)},
      {needed(n * 4)},
  });
}

std::vector<TheoryRow> chase_theory() {
  const Expr hops("hops");
  return rows({
      global_rows(Op::kLoad, {hops, hops, hops * 4, hops, "One lane, one line per step."}),
      global_rows(Op::kStore, {1, 1, 4, 1, "The last place is stored."}),
      {between("l2_read_sectors", min(hops, "lines"), hops,
               "Each line at least once; each step anew where L1 has lost it."),
       between("dram_read_bytes", 32 * min(hops, "lines"), 64 * hops,
               "A sector of each line at least once; HBM reads 64 bytes, at most for each step."),
       written(1)},
  });
}

std::vector<TheoryRow> chase_shared_theory() {
  const Expr hops("hops");
  const auto fills = constant("fills", Expr(1024) / 32, "of 1024 words, 32 at a time");
  return rows({
      shared_rows(Op::kLoad, {hops, hops, hops, {}, "One lane, one word per step."}),
      shared_rows(Op::kStore, {fills, fills, fills, {}, "1024 words in order, by 32 lanes."}),
      {shared_conflicts(0, "One lane alone has nobody to conflict with.")},
      global_rows(Op::kStore, {1, 1, 4, 1, "The last place is stored."}),
  });
}

// ---- references -------------------------------------------------------------------------------

// Lane 0 of a tree of shuffles.
float warp_sum(std::array<float, 32> lanes) {
  for (std::size_t step = 16; step > 0; step /= 2) {
    for (std::size_t i = 0; i < step; ++i) lanes[i] += lanes[i + step];
  }
  return lanes[0];
}

template <typename Read>
void sum_by_warps(Buffers& buffers, Read read) {
  const auto out = buffers.f32("sums");
  constexpr std::uint64_t kWarpsPerThread = 65536;
  in_parts(out.size(), kWarpsPerThread, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t warp = begin; warp < end; ++warp) {
      std::array<float, 32> lanes{};
      for (std::size_t lane = 0; lane < 32; ++lane) lanes[lane] = read(32 * warp + lane);
      out[warp] = warp_sum(lanes);
    }
  });
}

std::int64_t of_a_warp(const Params&) { return 32; }

std::int64_t factor(const Params& p) { return p.number("scatter") == 1 ? kScatter : 1; }

// ---- variants -------------------------------------------------------------------------------

Variant bursts() {
  Variant v;
  v.name = "bursts";
  v.summary = "runs of 32 bytes to 4 KiB, in order and scattered";
  v.kernel = kernel("bursts");
  v.reads = {"elements", "run", "scatter"};
  const std::vector<ParamValue> runs = {std::int64_t{8}, std::int64_t{16}, std::int64_t{32},
                                        std::int64_t{128}, std::int64_t{1024}};
  v.points = product({{"elements", {kElements}}, {"run", runs}, {"scatter", integers(0, 1)}});
  v.gpu_points =
      product({{"elements", {std::int64_t{1} << 26}}, {"run", runs}, {"scatter", integers(0, 1)}});
  v.telling = points_with(v, {{"run", {8, 16, 128, 1024}}});
  v.launch = [](const Params& p) { return line(p.number("elements") / kThreads, kThreads); };
  v.args = [](const Params& p) {
    const auto elements = p.number("elements");
    return std::vector<ArgSpec>{input("in", ElementType::kF32, count_of(elements)),
                                output("sums", ElementType::kF32, count_of(elements / 32)),
                                scalar_i32(elements / p.number("run")), scalar_i32(p.number("run")),
                                scalar_i32(factor(p))};
  };
  v.reference = [](const Params& p, Buffers& buffers) {
    const auto in = buffers.f32("in");
    const auto run = count_of(p.number("run"));
    const auto runs_in_all = in.size() / run;
    const auto scatter = static_cast<std::uint32_t>(factor(p));
    sum_by_warps(buffers, [&](std::size_t i) {
      const auto place = static_cast<std::uint32_t>(i / run) * scatter & (runs_in_all - 1);
      return in[place * run + i % run];
    });
  };
  v.terms = of_a_warp;
  v.theory = bursts_theory();
  return v;
}

constexpr std::int64_t kFloatsPerThread = 16;

Variant bursts_wide() {
  auto v = bursts();
  v.name = "bursts_wide";
  v.summary = "the same with 16 bytes per lane and four loads under way: DRAM sets the time";
  v.kernel = kernel("bursts_wide");
  v.launch = [](const Params& p) {
    return line(p.number("elements") / kFloatsPerThread / kThreads, kThreads);
  };
  v.args = [](const Params& p) {
    const auto elements = p.number("elements");
    const auto stored = count_of(elements / kFloatsPerThread / 32);
    return std::vector<ArgSpec>{input("in", ElementType::kF32, count_of(elements)),
                                output("sums", ElementType::kF32, stored),
                                scalar_i32(elements / p.number("run")),
                                scalar_i32(p.number("run") / 4), scalar_i32(factor(p))};
  };
  v.reference = [](const Params& p, Buffers& buffers) {
    const auto in = buffers.f32("in");
    const auto run = count_of(p.number("run"));
    const auto runs_in_all = in.size() / run;
    const auto scatter = static_cast<std::uint32_t>(factor(p));
    constexpr std::size_t kBlockFours = 4 * kThreads;
    sum_by_warps(buffers, [&](std::size_t thread) {
      float sum = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        const auto four = thread / kThreads * kBlockFours + k * kThreads + thread % kThreads;
        const auto place = static_cast<std::uint32_t>(4 * four / run) * scatter & (runs_in_all - 1);
        const auto* v4 = &in[place * run + 4 * four % run];
        sum += v4[0] + v4[1] + v4[2] + v4[3];
      }
      return sum;
    });
  };
  v.terms = [](const Params&) { return 32 * kFloatsPerThread; };
  v.theory = bursts_wide_theory();
  return v;
}

Variant strides() {
  Variant v;
  v.name = "strides";
  v.summary = "one float every `stride`: powers of two against one more";
  v.kernel = kernel("strides");
  v.reads = {"n", "stride"};
  std::vector<ParamValue> values;
  for (std::int64_t s = 1; s <= 4096; s *= 4) {
    values.emplace_back(s);
    values.emplace_back(s + 1);
  }
  v.points = product({{"n", {std::int64_t{4096}}}, {"stride", values}});
  for (std::int64_t s = 1; s <= 4096; s *= 4) {
    const auto n = std::min(kMostStrided, kStridedOver / s);
    for (const auto stride : {s, s + 1}) v.gpu_points.push_back({{"n", n}, {"stride", stride}});
  }
  v.telling = points_with(v, {{"stride", {1, 2, 4, 16, 64, 65, 256, 257, 4096, 4097}}});
  v.launch = [](const Params& p) { return line(ceil_div(p.number("n"), kThreads), kThreads); };
  v.args = [](const Params& p) {
    const auto n = p.number("n");
    const auto stored = ceil_div(n, kThreads) * kThreads / 32;
    return std::vector<ArgSpec>{
        input("in", ElementType::kF32, indexed((n - 1) * p.number("stride") + 1)),
        output("sums", ElementType::kF32, count_of(stored)), scalar_i32(n),
        scalar_i32(p.number("stride"))};
  };
  v.reference = [](const Params& p, Buffers& buffers) {
    const auto in = buffers.f32("in");
    const auto n = count_of(p.number("n"));
    const auto stride = count_of(p.number("stride"));
    sum_by_warps(buffers, [&](std::size_t i) { return i < n ? in[i * stride] : 0.0F; });
  };
  v.terms = of_a_warp;
  v.theory = strides_theory();
  return v;
}

Variant chase() {
  Variant v;
  v.name = "chase";
  v.summary = "one thread walks from line to line: latency of L1, L2 or DRAM, as `lines` decides";
  v.kernel = kernel("chase");
  v.reads = {"lines", "hops"};
  // One more than a whole number of rounds, or the walk would end where it began, and a kernel that
  // does nothing would be right.
  const std::vector<ParamValue> hops = {std::int64_t{4097}};
  v.points = product({{"lines", {std::int64_t{64}, std::int64_t{8192}}}, {"hops", hops}});
  v.gpu_points = product(
      {{"lines", {std::int64_t{64}, std::int64_t{65536}, std::int64_t{1} << 22}}, {"hops", hops}});
  v.launch = [](const Params&) { return line(1, 1); };
  v.args = [](const Params& p) {
    BufferSpec next = input("next", ElementType::kU32, count_of(p.number("lines") * kLineWords));
    next.fill.kind = Fill::Kind::kRing;
    next.fill.seed = count_of(kHopLines * kLineWords);
    return std::vector<ArgSpec>{next, output("last", ElementType::kU32, 1),
                                scalar_i32(p.number("hops"))};
  };
  v.reference = [](const Params& p, Buffers& buffers) {
    const auto steps = p.number("hops") % p.number("lines");
    buffers.u32("last")[0] =
        static_cast<std::uint32_t>(steps * kHopLines % p.number("lines") * kLineWords);
  };
  v.theory = chase_theory();
  return v;
}

Variant chase_shared() {
  Variant v;
  v.name = "chase_shared";
  v.summary = "the same walk through 1024 words of shared memory";
  v.kernel = kernel("chase_shared");
  v.reads = {"hops"};
  v.points = {{{"hops", std::int64_t{4097}}}};
  v.launch = [](const Params&) { return line(1, 32); };
  v.args = [](const Params& p) {
    return std::vector<ArgSpec>{output("last", ElementType::kU32, 1), scalar_i32(p.number("hops"))};
  };
  v.reference = [](const Params& p, Buffers& buffers) {
    buffers.u32("last")[0] = static_cast<std::uint32_t>(p.number("hops") % 1024 * 389 % 1024);
  };
  v.theory = chase_shared_theory();
  return v;
}

}  // namespace

Lab dram() {
  Lab lab;
  lab.number = 10;
  lab.id = "dram";
  lab.folder = "10_dram";
  lab.title = "DRAM";
  lab.summary = "bursts, strides, channels and latency";
  lab.params = parameters();
  lab.variants = {bursts(), bursts_wide(), strides(), chase(), chase_shared()};
  lab.headline = {"global_load_sectors", "l2_read_sectors", "dram_read_bytes", "moved_bandwidth"};
  return lab;
}

}  // namespace lab::labs
