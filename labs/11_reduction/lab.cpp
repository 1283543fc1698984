// Lab 11: adding up, in shared memory, in registers and with atomics.
#include <array>
#include <numeric>
#include <span>

#include "harness/core/lab.h"
#include "labs/build.h"
#include "labs/labs.h"

namespace lab::labs {
namespace {

constexpr std::int64_t kThreads = 256;
constexpr std::size_t kBlock = 256;

std::vector<ParamSpec> parameters() {
  return {
      {"n", "numbers to add up", std::int64_t{65536}, 1, std::int64_t{1} << 24},
      {"stride", "histograms: difference of neighbouring grey values", std::int64_t{1}, 0, 255}};
}

// ---- formulas -------------------------------------------------------------------------------

Expr n() { return "n"; }
Expr blocks() { return "blocks"; }

GlobalCost reading() {
  return {ceil(n() / 32), ceil(n() / 8), n() * 4, ceil(n() / 32),
          "Neighbouring threads read neighbouring numbers."};
}

GlobalCost one_sum_per_block() {
  return {blocks(), blocks(), blocks() * 4, blocks(), "One thread writes the sum."};
}

// The numbers are read once; sums are written one at a time, eight to a sector.
std::vector<TheoryRow> moved() {
  const auto read = reading().sectors;
  return traffic_rows({read, read, ceil(n() / 16), ceil(blocks() / 8), blocks(),
                       ceil(blocks() / 16),
                       "Each number once; a sector of sums once, or once for each of them."});
}

TheoryRow needed() { return {"needed_bytes", n() * 4, "Each number is read once."}; }

// The accesses to shared memory of a block's tree: `additions` of warps in all, whose accesses take
// `waves` wavefronts. An addition reads two words and writes one; beside the tree 8 warps fill the
// words and one thread reads the sum.
std::vector<TheoryRow> tree_theory(const Expr& additions, const Expr& waves,
                                   const std::string& why) {
  const auto loads = blocks() * (2 * additions + 1);
  const auto stores = blocks() * (additions + 8);
  return rows({
      shared_rows(Op::kLoad, {loads, blocks() * (2 * waves + 1), loads, {}, why}),
      shared_rows(Op::kStore, {stores, blocks() * (waves + 8), stores, {}, why}),
      {shared_conflicts(blocks() * 3 * (waves - additions), "Two loads and a store per addition.")},
      global_rows(Op::kLoad, reading()),
      global_rows(Op::kStore, one_sum_per_block()),
      moved(),
      {needed()},
  });
}

// Of a tree of 256 in eight steps. Threads that drop out one by one keep all 8 warps busy for five
// steps; where whole warps drop out, no more are left than have work.
Expr additions_of_all() {
  return constant("additions", Expr(5) * 8 + 4 + 2 + 1,
                  "warps that add: all 8 in steps 1 to 16, then 4, 2 and 1");
}
Expr additions_of_few() {
  return constant("additions", Expr(4) + 2 + 6,
                  "warps that add: 4, 2, and one in each of six steps");
}
Expr waves_of_strides() {
  return constant("waves", Expr(4) * 2 + 2 * Expr(4) + 8 + 8 + 8 + 4 + 2 + 1,
                  "warps times ways: 4 at 2, 2 at 4, then one at 8, 8, 8, 4, 2 and 1");
}

// Eight warps hand over one word each, one warp reads them.
std::vector<TheoryRow> hand_over() {
  const std::string why = "One lane of each warp writes, one warp reads eight neighbours.";
  const auto stores = blocks() * 8;
  return rows({
      shared_rows(Op::kLoad, {blocks(), blocks(), blocks(), {}, why}),
      shared_rows(Op::kStore, {stores, stores, stores, {}, why}),
      {shared_conflicts(0, "Neighbouring words.")},
  });
}

std::vector<TheoryRow> atomics(const Expr& sectors, const std::string& why) {
  return {{"global_reduction_sectors", sectors, why},
          {"global_store_requests", 0, "An atomic is not a store."}};
}

// ---- references, in the kernels' order of additions -------------------------------------------

using Block = std::array<float, kBlock>;

Block block_of(std::span<const float> in, std::size_t first) {
  Block block{};
  for (std::size_t t = 0; t < kBlock && first + t < in.size(); ++t) block[t] = in[first + t];
  return block;
}

float upward(Block s) {
  for (std::size_t step = 1; step < kBlock; step *= 2) {
    for (std::size_t i = 0; i + step < kBlock; i += 2 * step) s[i] += s[i + step];
  }
  return s[0];
}

float downward(Block s) {
  for (std::size_t step = kBlock / 2; step > 0; step /= 2) {
    for (std::size_t i = 0; i < step; ++i) s[i] += s[i + step];
  }
  return s[0];
}

// Lane 0 of a shuffle tree: the lanes that count for it fold in halves.
float warp_sum(std::array<float, 32> lanes) {
  for (std::size_t step = 16; step > 0; step /= 2) {
    for (std::size_t i = 0; i < step; ++i) lanes[i] += lanes[i + step];
  }
  return lanes[0];
}

float by_warps(Block s) {
  std::array<float, 32> sums{};
  for (std::size_t warp = 0; warp < kBlock / 32; ++warp) {
    std::array<float, 32> lanes{};
    for (std::size_t lane = 0; lane < 32; ++lane) lanes[lane] = s[32 * warp + lane];
    sums[warp] = warp_sum(lanes);
  }
  return warp_sum(sums);
}

std::function<void(const Params&, Buffers&)> block_sums(float (*sum)(Block)) {
  return [sum](const Params&, Buffers& buffers) {
    const auto in = buffers.f32("in");
    const auto sums = buffers.f32("sums");
    for (std::size_t b = 0; b < sums.size(); ++b) sums[b] = sum(block_of(in, kBlock * b));
  };
}

// ---- variants -------------------------------------------------------------------------------

Variant base(const std::string& name, const std::string& summary) {
  Variant v;
  v.name = name;
  v.summary = summary;
  v.kernel = kernel(name);
  v.reads = {"n"};
  v.points = {{{"n", std::int64_t{65536}}}, {{"n", std::int64_t{10007}}}};
  v.gpu_points = {{{"n", std::int64_t{1} << 24}}};
  v.launch = [](const Params& p) { return line(ceil_div(p.number("n"), kThreads), kThreads); };
  return v;
}

Variant tree(const std::string& name, const std::string& summary, float (*sum)(Block),
             std::vector<TheoryRow> theory) {
  auto v = base(name, summary);
  v.args = [](const Params& p) {
    const auto n = p.number("n");
    return std::vector<ArgSpec>{input("in", ElementType::kF32, count_of(n)),
                                output("sums", ElementType::kF32, count_of(ceil_div(n, kThreads))),
                                scalar_i32(n)};
  };
  v.reference = block_sums(sum);
  v.terms = [](const Params&) { return kThreads; };
  v.theory = std::move(theory);
  return v;
}

Variant atomic(const std::string& name, const std::string& summary, std::vector<TheoryRow> theory) {
  auto v = base(name, summary);
  v.args = [](const Params& p) {
    return std::vector<ArgSpec>{input("in", ElementType::kF32, count_of(p.number("n"))),
                                zeroed("total", ElementType::kF32, 1), scalar_i32(p.number("n"))};
  };
  v.reference = [](const Params&, Buffers& buffers) {
    const auto in = buffers.f32("in");
    buffers.f32("total")[0] = static_cast<float>(std::accumulate(in.begin(), in.end(), 0.0));
  };
  // The order of the additions is not defined, and each one rounds.
  v.tolerance = {0, 1e-3};
  v.theory = std::move(theory);
  return v;
}

Variant count() {
  auto v = base("atomic_count", "every thread adds the integer 1 to one address");
  v.args = [](const Params& p) {
    return std::vector<ArgSpec>{zeroed("total", ElementType::kU32, 1), scalar_i32(p.number("n"))};
  };
  v.reference = [](const Params& p, Buffers& buffers) {
    buffers.u32("total")[0] = static_cast<std::uint32_t>(p.number("n"));
  };
  v.theory = atomics(ceil(n() / 32),
                     "The compiler adds up the lanes of a warp first: one lane makes the access.");
  v.merged = true;
  return v;
}

// ---- histograms -----------------------------------------------------------------------------

constexpr std::int64_t kValues = 16;  // per thread

// Lane l has the grey value l * stride, modulo 256, beside that of lane 0: values are this far
// apart.
Expr step() { return gcd("stride", 256); }

// The distinct words in the fullest bank among the values of `lanes` lanes: there are
// min(lanes, 256 / step), over 32 / gcd(step, 32) banks.
Expr words_per_bank(const Expr& lanes) {
  return ceil(min(lanes, Expr(256) / step()) * min(step(), Expr(32)) / 32);
}

// Whole warps, and the one that has the rest.
Expr counting_wavefronts() {
  return floor(n() / 32) * words_per_bank(32) + words_per_bank(n() % 32);
}

struct HistogramCost {
  Expr wavefronts;  // of all atomics
  Expr passes;      // of a block over shared memory: to clear the bins, and to add them up
  std::string why;
};

std::vector<TheoryRow> histogram_theory(const HistogramCost& cost) {
  const auto requests = ceil(n() / 32);
  const std::string clear = "Neighbouring words, cleared and read once.";
  const auto passes = blocks() * cost.passes;
  return rows({
      {{"shared_atomic_requests", requests, "One instruction per warp and 32 values."},
       {"shared_atomic_wavefronts", cost.wavefronts, cost.why},
       {"shared_atomic_bank_conflicts", cost.wavefronts - requests, cost.why}},
      shared_rows(Op::kStore, {passes, passes, passes, {}, clear}),
      shared_rows(Op::kLoad, {passes, passes, passes, {}, clear}),
      {shared_conflicts(cost.wavefronts - requests,
                        "The atomics' alone: loads and stores are of neighbouring words.")},
      global_rows(Op::kLoad,
                  {requests, requests, n(), requests, "32 neighbouring bytes: a sector."}),
      atomics(blocks() * 32, "Each block adds 256 neighbouring bins to the total."),
      {{"needed_bytes", n(), "Each grey value is read once."}},
  });
}

Variant histogram(const std::string& name, const std::string& summary, const HistogramCost& cost) {
  auto v = base(name, summary);
  v.reads = {"n", "stride"};
  v.points.clear();
  for (const std::int64_t stride : {1, 0, 2, 4, 8, 16, 32, 33, 64, 128}) {
    v.points.push_back({{"n", std::int64_t{65536}}, {"stride", stride}});
  }
  v.gpu_points.clear();
  for (const std::int64_t stride : {1, 0, 8, 32, 33}) {
    v.gpu_points.push_back({{"n", std::int64_t{1} << 24}, {"stride", stride}});
  }
  v.launch = [](const Params& p) {
    return line(ceil_div(p.number("n"), kThreads * kValues), kThreads);
  };
  v.args = [](const Params& p) {
    auto grey = input("in", ElementType::kU8, count_of(p.number("n")));
    grey.fill = {Fill::Kind::kIota, 1, {}};
    return std::vector<ArgSpec>{grey, zeroed("total", ElementType::kU32, 256),
                                scalar_i32(p.number("n")), scalar_i32(p.number("stride"))};
  };
  v.reference = [](const Params& p, Buffers& buffers) {
    const auto total = buffers.u32("total");
    const auto stride = static_cast<std::size_t>(p.number("stride"));
    for (const std::byte grey : buffers.raw("in")) {
      ++total[std::to_integer<std::size_t>(grey) * stride % 256];
    }
  };
  v.theory = histogram_theory(cost);
  v.merged = true;  // the additions become counts, which have an instruction of their own
  return v;
}

std::vector<Variant> histograms() {
  const std::string counted =
      "The compiler makes an add of 1 a count: lanes at one word take one wavefront together, and "
      "each distinct word of a bank takes one.";
  return {
      histogram("histogram_block", "grey values, one histogram per block",
                {counting_wavefronts(), 8, counted}),
      histogram("histogram_warp", "grey values, one histogram per warp, added up at the end",
                {counting_wavefronts(), 64, counted}),
      histogram("histogram_private", "grey values, one histogram per lane: each has a bank",
                {ceil(n() / 32), 256, "Bin v of lane l is word 32 v + l: lane l has bank l."}),
  };
}

}  // namespace

Lab reduction() {
  const auto reading_rows = global_rows(Op::kLoad, reading());
  Lab lab;
  lab.number = 11;
  lab.id = "reduction";
  lab.folder = "11_reduction";
  lab.title = "Reduction";
  lab.summary = "adding up in shared memory, in registers and with atomics";
  lab.params = parameters();
  lab.variants = {
      tree("modulo", "threads drop out one by one: divergent, free of conflicts", upward,
           tree_theory(additions_of_all(), additions_of_all(),
                       "Steps 1 to 16 keep all 8 warps busy, steps 32, 64 and 128 keep 4, 2 and 1: "
                       "47 additions, of words of different banks.")),
      tree("strided", "whole warps drop out, and strides grow: conflicts", upward,
           tree_theory(
               additions_of_few(), waves_of_strides(),
               "4, 2, 1, 1, 1, 1, 1 and 1 warps, at 2, 4, 8, 8, 8, 4, 2 and 1 ways: the same "
               "47 wavefronts in 12 additions.")),
      tree("sequential", "the upper half is added to the lower one", downward,
           tree_theory(additions_of_few(), additions_of_few(),
                       "4, 2, 1, 1, 1, 1, 1 and 1 warps, of neighbouring words.")),
      tree("shuffle", "warps add up in registers and hand over one word each", by_warps,
           rows({hand_over(),
                 reading_rows,
                 global_rows(Op::kStore, one_sum_per_block()),
                 moved(),
                 {needed()}})),
      atomic("atomic_thread", "every thread adds to one address",
             rows({reading_rows,
                   atomics(n(), "The lanes of a warp hit one address, one after the other."),
                   {needed()}})),
      atomic(
          "atomic_warp", "every warp adds up first, then one lane adds to the address",
          rows({reading_rows, atomics(blocks() * "warps", "One lane of each warp."), {needed()}})),
      atomic("atomic_block", "every block adds up first, then one thread adds to the address",
             rows({hand_over(),
                   reading_rows,
                   atomics(blocks(), "One thread of each block."),
                   {needed()}})),
      count(),
  };
  for (Variant& variant : histograms()) lab.variants.push_back(std::move(variant));
  lab.headline = {"shared_load_requests", "shared_load_wavefronts_sass", "shared_bank_conflicts",
                  "shared_atomic_ways", "global_reduction_sectors"};
  return lab;
}

}  // namespace lab::labs
