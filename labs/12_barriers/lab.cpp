// Lab 12: what goes wrong without the right barrier.
#include <cmath>

#include "harness/core/lab.h"
#include "labs/build.h"
#include "labs/labs.h"

namespace lab::labs {
namespace {

constexpr std::int64_t kThreads = 128;
constexpr std::int64_t kTile = 16;

std::vector<ParamSpec> parameters() {
  return {
      {"blocks", "blocks of 128 threads", std::int64_t{4}, 1, 65535},
      {"size",
       "rows and columns of the matrices",
       std::int64_t{64},
       32,
       128,
       {},
       {32, 48, 64, 80, 96, 112, 128}},  // a single tile has no second step to race with
  };
}

// ---- exchanges within a block -----------------------------------------------------------------

// Each thread writes one word and reads one, of a warp whose lanes use 32 different banks.
std::vector<TheoryRow> exchange_theory() {
  const auto warps = Expr("blocks") * "warps";
  const GlobalCost cost = {warps, warps * 4, Expr("blocks") * "threads" * 4, warps,
                           "A warp's 32 floats are four sectors."};
  const SharedCost once = {
      warps, warps, warps, {}, "32 neighbouring words, in whatever order: no conflict."};
  return rows({global_rows(Op::kLoad, cost),
               global_rows(Op::kStore, cost),
               shared_rows(Op::kLoad, once),
               shared_rows(Op::kStore, once),
               {shared_conflicts(0, "Neighbouring words.")},
               traffic_rows({cost.sectors, cost.sectors, cost.sectors / 2, cost.sectors,
                             cost.sectors, 0, "Each sector is read once and written once."})});
}

// out[i] = in[from(i)], with indices within a block.
std::function<void(const Params&, Buffers&)> moving(std::size_t (*from)(std::size_t)) {
  return [from](const Params&, Buffers& buffers) {
    const auto in = buffers.f32("in");
    const auto out = buffers.f32("out");
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto t = i % kThreads;
      out[i] = in[i - t + from(t)];
    }
  };
}

std::size_t reversed(std::size_t t) { return kThreads - 1 - t; }
std::size_t neighbour(std::size_t t) { return t ^ 1U; }

Variant exchange(const std::string& name, const std::string& summary) {
  Variant v;
  v.name = name;
  v.summary = summary;
  v.kernel = kernel(name);
  v.reads = {"blocks"};
  v.points = {{{"blocks", std::int64_t{4}}}};
  v.launch = [](const Params& p) { return line(p.number("blocks"), kThreads); };
  v.args = [](const Params& p) {
    const auto count = count_of(p.number("blocks") * kThreads);
    return std::vector<ArgSpec>{input("in", ElementType::kF32, count),
                                output("out", ElementType::kF32, count)};
  };
  return v;
}

Variant sound(Variant v, std::function<void(const Params&, Buffers&)> reference,
              std::vector<TheoryRow> theory) {
  v.reference = std::move(reference);
  v.theory = std::move(theory);
  return v;
}

// Broken on purpose: no result is right or wrong, what counts is what is found.
Variant broken(Variant v, std::vector<ExpectedFinding> findings) {
  v.model_only = true;
  v.expected_findings = std::move(findings);
  return v;
}

// ---- products ---------------------------------------------------------------------------------

void multiply(const Params& params, Buffers& buffers) {
  const auto a = buffers.f32("a");
  const auto b = buffers.f32("b");
  const auto c = buffers.f32("c");
  const auto n = count_of(params.number("size"));
  for (std::uint64_t row = 0; row < n; ++row) {
    for (std::uint64_t col = 0; col < n; ++col) {
      float sum = 0;
      for (std::uint64_t k = 0; k < n; ++k) sum = std::fmaf(a[row * n + k], b[k * n + col], sum);
      c[row * n + col] = sum;
    }
  }
}

// Each of the size / 16 steps of a warp fills two rows of both tiles, then reads 16 rows of B and,
// four at a time, its two rows of A. `size` is at least 32: two rows of a tile never share a line.
// The accesses to shared memory of a warp's step over one tile.
struct Inner {
  Expr requests;
  Expr wavefronts;  // none is a conflict
  std::string why;
};

// Each of the size / 16 steps of a warp fills two rows of both tiles, then reads its two rows of A
// and 16 rows of B. `size` is at least 32: two rows of a tile never share a line.
std::vector<TheoryRow> product_theory(const Inner& inner) {
  const auto times = [](const Expr& each) { return Expr("blocks") * "warps" * "size" / 16 * each; };
  const auto square = Expr("size") * "size";
  return rows({
      global_rows(Op::kLoad, {times(2), times(8), times(256), times(4),
                              "Two rows of 16 floats per request, of each matrix: two sectors per "
                              "row."}),
      global_rows(Op::kStore, {square / 32, square / 8, square * 4, square / 16,
                               "Two rows of 16 floats per request."}),
      shared_rows(Op::kStore, {times(2), times(2), times(2), {}, "32 neighbouring words."}),
      shared_rows(
          Op::kLoad,
          {times(inner.requests), times(inner.wavefronts), times(inner.wavefronts), {}, inner.why}),
      {shared_conflicts(0, "Rows of B, and two elements of A that lanes share.")},
      traffic_rows({square / 4, times(8), square / 8, square / 8, square / 8, 0,
                    "Both matrices at least once, at most as often as warps ask; C once."}),
  });
}

Inner written() {
  const auto loads = constant("loads", Expr(16) + 16, "of A and of B, one each per step");
  return {loads, loads, "Each step reads an element of A for either row, and a row of B."};
}
Inner compiled() {
  return {constant("loads", Expr(16) / 4 + 16, "of A, four elements each, and of B"),
          constant("waves", Expr(16) / 4 * 2 + 16, "two of each load of 16 bytes, one of a row"),
          "The compiler reads four elements of A at once: 4 loads of 16 bytes, two wavefronts "
          "each; and 16 rows of B."};
}

std::vector<TheoryRow> product_rows() {
  auto made = product_theory(compiled());
  write_beside(made, product_theory(written()));
  return made;
}

Variant product(const std::string& name, const std::string& summary) {
  Variant v;
  v.name = name;
  v.summary = summary;
  v.kernel = kernel(name);
  v.reads = {"size"};
  v.points = {{{"size", std::int64_t{64}}}};
  v.launch = [](const Params& p) {
    Launch launch = line(p.number("size") / kTile, kTile);
    launch.grid.y = launch.grid.x;
    launch.block.y = launch.block.x;
    return launch;
  };
  v.args = [](const Params& p) {
    const auto n = p.number("size");
    const auto count = count_of(n * n);
    return std::vector<ArgSpec>{input("a", ElementType::kF32, count),
                                input("b", ElementType::kF32, count),
                                output("c", ElementType::kF32, count), scalar_i32(n)};
  };
  v.terms = [](const Params& p) { return p.number("size") + 1; };  // products round once more
  v.merged = true;
  return v;
}

}  // namespace

Lab barriers() {
  Lab lab;
  lab.number = 12;
  lab.id = "barriers";
  lab.folder = "12_barriers";
  lab.title = "Barriers";
  lab.summary = "what goes wrong without the right barrier, found without luck";
  lab.params = parameters();
  lab.variants = {
      sound(exchange("correct", "a block turns its numbers around"), moving(reversed),
            exchange_theory()),
      broken(exchange("missing_barrier", "the same with no barrier: a race"),
             {{"shared_race", "s["}, {"uninitialised", "s[kThreads"}}),
      broken(exchange("divergent_barrier", "a barrier that a part of a warp does not reach"),
             {{"divergent_barrier", "__syncthreads"}, {"barrier_deadlock", "__syncthreads"}}),
      broken(exchange("half_warp_barrier", "the exercise as printed: if (threadIdx.x < 16)"),
             {{"divergent_barrier", "__syncthreads"}, {"barrier_deadlock", "__syncthreads"}}),
      sound(exchange("with_syncwarp", "neighbouring lanes exchange numbers"), moving(neighbour),
            exchange_theory()),
      broken(exchange("missing_syncwarp", "the same without __syncwarp: a race within the warp"),
             {{"shared_race", "s["}}),
      sound(product("product", "a tiled product with both barriers"), multiply, product_rows()),
      broken(product("product_one_barrier", "a tiled product that lacks its second barrier"),
             {{"shared_race", "tile_"}}),
  };
  lab.headline = {"shared_load_requests", "shared_store_requests", "shared_bank_conflicts"};
  return lab;
}

}  // namespace lab::labs
