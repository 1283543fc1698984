// Lab 7: what tiles do for a matrix product.
#include <algorithm>
#include <cmath>

#include "harness/core/lab.h"
#include "labs/build.h"
#include "labs/labs.h"
#include "labs/touch.h"

namespace lab::labs {
namespace {

std::vector<ParamSpec> parameters() {
  return {
      {"n", "rows of A and C", std::int64_t{128}, 1, 8192},
      {"m", "columns of A, rows of B", std::int64_t{128}, 1, 8192},
      {"p", "columns of B and C", std::int64_t{128}, 1, 8192},
      {"depth",
       "columns of A, rows of B, that a block takes at once",
       std::int64_t{8},
       8,
       16,
       {},
       {8, 16}},
      {"resident", "blocks that have to fit into an SM's registers", std::int64_t{2}, 1, 2},
  };
}

// ---- formulas -------------------------------------------------------------------------------

// Rows of A and C, columns of A, columns of C.
Expr n() { return "n"; }
Expr m() { return "m"; }
Expr p() { return "p"; }

TheoryRow needed() {
  return {"needed_bytes", (n() * m() + m() * p() + n() * p()) * 4,
          "A and B are read once, C is written once, at best."};
}

// Warps of 32 along the rows of a matrix of `lines` x `length`.
Expr along(const Expr& lines, const Expr& length, Unit unit) {
  return along_rows(lines, length, 4, unit);
}
// Warps of 32 down the columns of a matrix of `height` x `width`.
Expr down(const Expr& height, const Expr& width, Unit unit) {
  return down_columns(height, width, 4, unit);
}

// A and B are read, C is written: requests and what moves for them. Where rows of C end within a
// sector it is written in parts.
std::vector<TheoryRow> moved(const GlobalCost& load, const GlobalCost& store, bool in_columns) {
  const auto both = [](int words) { return ceil(n() * m() / words) + ceil(m() * p() / words); };
  const auto parts = ceil(n() * p() / 16);
  return rows(
      {global_rows(Op::kLoad, load), global_rows(Op::kStore, store),
       traffic_rows({both(8), load.sectors, both(16), ceil(n() * p() / 8), store.sectors,
                     in_columns ? parts : choose(equal(p() % 8, 0), 0, parts),
                     "Each sector of A and B at least once; at most as often as warps ask."})});
}

GlobalCost write_along() {
  return {n() * ceil(p() / 32), along(n(), p(), Unit::kSector), n() * p() * 4,
          along(n(), p(), Unit::kLine), "A warp writes neighbours of a row of C."};
}

std::vector<TheoryRow> naive_theory() {
  const auto cost = [](Unit unit) { return n() * (m() * ceil(p() / 32) + along(m(), p(), unit)); };
  const GlobalCost load = {2 * n() * m() * ceil(p() / 32), cost(Unit::kSector),
                           n() * m() * 4 * (ceil(p() / 32) + p()), cost(Unit::kLine),
                           "A step reads one element of A, which all lanes share, and a row's "
                           "neighbours of B."};
  return rows({moved(load, write_along(), false), {needed()}});
}

std::vector<TheoryRow> swapped_theory() {
  const auto cost = [](Unit unit) { return p() * (down(n(), m(), unit) + m() * ceil(n() / 32)); };
  const GlobalCost load = {2 * p() * m() * ceil(n() / 32), cost(Unit::kSector),
                           p() * m() * 4 * (ceil(n() / 32) + n()), cost(Unit::kLine),
                           "A step reads a column of A, whose elements are a row apart, and one "
                           "element of B, which all lanes share."};
  const GlobalCost store = {p() * ceil(n() / 32), down(n(), p(), Unit::kSector), n() * p() * 4,
                            down(n(), p(), Unit::kLine),
                            "A warp writes a column of C, whose elements are a row apart."};
  return rows({moved(load, store, true), {needed()}});
}

// The accesses to shared memory of a warp's inner product over one tile, and of filling the tile.
struct Inner {
  Expr fills;       // stores
  Expr requests;    // loads
  Expr wavefronts;  // of them; none is a conflict
  std::string why;
};

// Every row of tiles of A is read once for each column of tiles of C, and the other way round.
std::vector<TheoryRow> tile_theory(int size, const Inner& inner, bool pairs) {
  const auto tiles = [&](const Expr& extent) { return ceil(extent / size); };
  const auto requests = [&](const Expr& lines, const Expr& length) {
    return (pairs ? ceil(lines / 2) : lines) * tiles(length);
  };
  const auto touch = [&](const Expr& lines, const Expr& length, Unit unit) {
    return pairs ? by_pairs(lines, length, unit) : along(lines, length, unit);
  };
  const auto both = [&](const Expr& of_a, const Expr& of_b) {
    return tiles(p()) * of_a + tiles(n()) * of_b;
  };
  const auto times = [&](const Expr& each) { return Expr("blocks") * "warps" * tiles(m()) * each; };
  const auto touch_both = [&](Unit unit) {
    return both(touch(n(), m(), unit), touch(m(), p(), unit));
  };
  const auto fills = times(inner.fills);
  const GlobalCost load = {both(requests(n(), m()), requests(m(), p())), touch_both(Unit::kSector),
                           n() * m() * 4 * tiles(p()) + m() * p() * 4 * tiles(n()),
                           touch_both(Unit::kLine), "Tiles are filled along rows, on both sides."};
  const GlobalCost store = {requests(n(), p()), touch(n(), p(), Unit::kSector), n() * p() * 4,
                            touch(n(), p(), Unit::kLine),
                            "A warp writes neighbours of a row of C."};
  return rows({
      moved(load, store, false),
      shared_rows(Op::kStore,
                  {fills, fills, fills, {}, "Tiles are filled along rows: no conflict."}),
      shared_rows(
          Op::kLoad,
          {times(inner.requests), times(inner.wavefronts), times(inner.wavefronts), {}, inner.why}),
      {shared_conflicts(0, "Rows of B, and one element of A that lanes share.")},
      {needed()},
  });
}

// Blocks make 128 x 128 of C. Where tiles are whole lanes take 16 bytes, else a word: 32 / depth
// rows of A, 32 neighbours of a row of B or C. Beyond the matrices are zeros.
std::vector<TheoryRow> best_theory() {
  const Expr depth("depth");
  const auto either = [&](const Expr& whole, const Expr& other) {
    return choose(equal(n() % 128 + p() % 128 + m() % depth, 0), whole, other);
  };
  // Of A, once for each column of tiles of C, and of B, once for each row of them.
  const auto both = [](const Expr& of_a, const Expr& of_b) {
    return ceil(p() / 128) * of_a + ceil(n() / 128) * of_b;
  };
  const auto of_a = [&](int lanes, Unit unit) {
    return by_groups(n(), m(), {lanes / depth, depth, 4}, unit);
  };
  const auto ragged_a = term("a", of_a(32, Unit::kSector), "sectors of A, taken once");
  const auto ragged_b = term("b", along(m(), p(), Unit::kSector), "sectors of B, taken once");
  const GlobalCost load = {
      either(both(n() * m() / 128, m() * p() / 128),
             both(ceil(n() * depth / 32) * ceil(m() / depth), m() * ceil(p() / 32))),
      either(both(n() * m() / 8, m() * p() / 8), both(ragged_a, ragged_b)),
      both(n() * m() * 4, m() * p() * 4),
      both(either(of_a(128, Unit::kLine), of_a(32, Unit::kLine)), along(m(), p(), Unit::kLine)),
      "Whole tiles: 16 bytes per lane, 16 sectors per request: 128 numbers of a row of B, and of A "
      "16 rows of 8 numbers or 8 of 16. Otherwise 32 numbers of a row of B, and of A 4 rows of 8 "
      "or 2 of 16."};
  auto store = write_along();
  store.requests = either(n() * p() / 128, store.requests);
  store.sectors = either(n() * p() / 8, store.sectors);
  store.why =
      "Whole tiles: four rows of 32 neighbours of C per request. Otherwise 32 neighbours of one.";
  // For each of these a block keeps 128 numbers of A and of B, and each of its warps reads some.
  const auto columns = Expr("blocks") * ceil(m() / depth) * depth;
  const auto times = [&](const Expr& each) { return columns * each; };
  const auto waves = times(either(64, 96));
  return rows({
      moved(load, store, false),
      shared_rows(Op::kStore,
                  {times(either(5, 8)),
                   times(depth / 2 + 4),
                   times(8),
                   {},
                   "Of A single words, turned: rows of 132 words put neighbouring columns 4 banks "
                   "apart, and of 16 columns two in each. Of B rows, which need all banks."}),
      shared_rows(Op::kLoad,
                  {times(either(32, 64)),
                   waves,
                   waves,
                   {},
                   "Whole tiles: a warp's step reads 8 numbers of A and 8 of B in four loads of 16 "
                   "bytes; neighbouring lanes agree in pairs, so each takes two wavefronts. "
                   "Otherwise 16 numbers of A, shared by all lanes, in four such loads, and four "
                   "rows of 32 words of B."}),
      {shared_conflicts(times(depth / 2 - 4), "The stores' alone: the loads have none.")},
      {needed()},
  });
}

// ---- data -------------------------------------------------------------------------------------

std::vector<ArgSpec> arguments(const Params& params) {
  const auto n = params.number("n");
  const auto m = params.number("m");
  const auto p = params.number("p");
  return {input("a", ElementType::kF32, count_of(n * m)),
          input("b", ElementType::kF32, count_of(m * p)),
          output("c", ElementType::kF32, count_of(n * p)),
          scalar_i32(n),
          scalar_i32(m),
          scalar_i32(p)};
}

// Blocks of rows and columns that stay in the caches of the machine that computes them.
constexpr std::size_t kRowsAtOnce = 8;
constexpr std::size_t kColsAtOnce = 1024;

// sums[i] += element * line[i], each fused.
void add_line_plain(float element, const float* line, float* sums, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) sums[i] = std::fmaf(element, line[i], sums[i]);
}

#if defined(__x86_64__) && !defined(__clang__)
// The same with the processor's own instruction, where it has one: 30 times as fast.
[[gnu::target("avx2,fma"), gnu::optimize("O3")]] void add_line_fused(float element,
                                                                     const float* __restrict line,
                                                                     float* __restrict sums,
                                                                     std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) sums[i] = __builtin_fmaf(element, line[i], sums[i]);
}
#endif

using AddLine = void (*)(float, const float*, float*, std::size_t);
AddLine best_add_line() {
#if defined(__x86_64__) && !defined(__clang__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return add_line_fused;
#endif
  return add_line_plain;
}

// In the kernels' order: k upwards, one fused multiply-add per step.
void multiply(const Params& params, Buffers& buffers) {
  const auto a = buffers.f32("a");
  const auto b = buffers.f32("b");
  const auto c = buffers.f32("c");
  const auto n = count_of(params.number("n"));
  const auto m = count_of(params.number("m"));
  const auto p = count_of(params.number("p"));
  std::fill(c.begin(), c.end(), 0.0F);
  const auto add_line = best_add_line();
  for (std::size_t col = 0; col < p; col += kColsAtOnce) {
    const auto width = std::min(kColsAtOnce, p - col);
    for (std::size_t first = 0; first < n; first += kRowsAtOnce) {
      const auto last = std::min(n, first + kRowsAtOnce);
      for (std::size_t k = 0; k < m; ++k) {
        for (auto row = first; row < last; ++row) {
          add_line(a[row * m + k], &b[k * p + col], &c[row * p + col], width);
        }
      }
    }
  }
}

Launch grid(std::int64_t width, std::int64_t height, std::uint32_t block_x, std::uint32_t block_y,
            std::int64_t tile_y) {
  Launch launch;
  launch.grid.x = static_cast<std::uint32_t>(ceil_div(width, block_x));
  launch.grid.y = static_cast<std::uint32_t>(ceil_div(height, tile_y));
  launch.block.x = block_x;
  launch.block.y = block_y;
  return launch;
}

std::vector<Params> shapes() {
  const auto shape = [](std::int64_t n, std::int64_t m, std::int64_t p) {
    return Params{{"n", n}, {"m", m}, {"p", p}};
  };
  return {shape(128, 128, 128), shape(100, 70, 45)};
}
std::vector<Params> gpu_shapes() {
  return {{{"n", std::int64_t{1024}}, {"m", std::int64_t{1024}}, {"p", std::int64_t{1024}}}};
}

Variant base(const std::string& name, const std::string& summary) {
  Variant v;
  v.name = name;
  v.summary = summary;
  v.kernel = kernel(name);
  v.reads = {"n", "m", "p"};
  v.points = shapes();
  v.gpu_points = gpu_shapes();
  v.args = arguments;
  v.reference = multiply;
  v.terms = [](const Params& q) { return q.number("m") + 1; };  // products round once more
  v.launch = [](const Params& q) { return grid(q.number("p"), q.number("n"), 32, 8, 8); };
  return v;
}

Variant naive() {
  auto v = base("naive", "one thread per element, neighbours along a row of C");
  v.theory = naive_theory();
  return v;
}

Variant swapped() {
  auto v = base("naive_swapped", "one thread per element, neighbours down a column of C");
  v.launch = [](const Params& q) { return grid(q.number("n"), q.number("p"), 32, 8, 8); };
  v.theory = swapped_theory();
  return v;
}

// A warp's reads of its tiles. As written, each step reads one element of A and a row of B.
Inner pinned(int tile, std::string why) {
  const auto loads = constant("loads", Expr(tile) + tile, "of A and of B, one each per step");
  return {2, loads, loads, std::move(why)};
}
// As compiled, four neighbours of A become one load of 16 bytes, which takes two wavefronts.
Inner compiled(int tile, std::string why) {
  return {
      2, constant("loads", Expr(tile) / 4 + tile, "of A, four elements each, and of B"),
      constant("waves", Expr(tile) / 4 * 2 + tile, "two of each load of 16 bytes, one of a row"),
      std::move(why)};
}

// With tiles of 32 a warp is one row, with tiles of 16 it is two.
Inner pinned32() { return pinned(32, "Each step reads one shared element of A and a row of B."); }
Inner compiled32() {
  return compiled(32,
                  "The compiler reads four elements of A at once: 8 loads of 16 bytes, shared by "
                  "all lanes, of two wavefronts each; and 32 rows of B.");
}
Inner pinned16() {
  return pinned(16,
                "A warp is two rows: two shared elements of A, 16 banks apart, and a row of B that "
                "both share.");
}
Inner compiled16() {
  return compiled(16,
                  "The compiler reads four elements of A at once: 4 loads of 16 bytes, two "
                  "wavefronts each; and 16 rows of B.");
}
Inner registers32_written() {
  const auto loads =
      constant("loads", Expr(32) + 4 * Expr(32), "of B, and of A one for each of four rows");
  return {8, loads, loads, "32 rows of B, each used for four rows of C, and of A 128 elements."};
}
Inner registers32() {
  return {8, constant("loads", Expr(32) + 4 * Expr(32) / 4, "of B, and of A four elements each"),
          constant("waves", Expr(32) + 4 * Expr(32) / 4 * 2,
                   "one of each row of B, two of each load of 16 bytes"),
          "32 rows of B, each used for four rows of C, and of A 32 loads of 16 bytes that all "
          "lanes share."};
}

Variant tiled(const std::string& name, const std::string& summary, int size, const Inner& inner) {
  auto v = base(name + "_" + std::to_string(size), summary);
  v.kernel = kernel(name + "<" + std::to_string(size) + ">");
  const auto tile = static_cast<std::uint32_t>(size);
  v.launch = [tile](const Params& q) {
    return grid(q.number("p"), q.number("n"), tile, tile, tile);
  };
  v.theory = tile_theory(size, inner, size == 16);
  return v;
}

// With nothing pinned: what `written` asks for becomes what `made` does.
Variant merged_tiled(const std::string& summary, int size, const Inner& made,
                     const Inner& written) {
  auto v = tiled("tiled", summary, size, made);
  write_beside(v.theory, tile_theory(size, written, size == 16));
  v.merged = true;
  return v;
}

Variant register_tiled() {
  auto v = base("register_tiled", "four elements per thread: what is read of B is used four times");
  v.launch = [](const Params& q) { return grid(q.number("p"), q.number("n"), 32, 8, 32); };
  v.theory = tile_theory(32, registers32(), false);
  write_beside(v.theory, tile_theory(32, registers32_written(), false));
  v.merged = true;
  return v;
}

// The kernel's last template argument: whether its tiles are whole.
std::string whole_tiles(const Params& q) {
  const bool whole = q.number("n") % 128 == 0 && q.number("p") % 128 == 0 &&
                     q.number("m") % q.number("depth") == 0;
  return whole ? "true" : "false";
}

Variant best() {
  auto v = base(
      "best",
      "the fastest here: 8 x 8 elements per thread, 16 bytes per lane, the next tiles under way");
  v.kernel = [](const Params& q) {
    return "best<" + std::to_string(q.number("depth")) + ", " +
           std::to_string(q.number("resident")) + ", " + whole_tiles(q) + ">";
  };
  v.reads = {"n", "m", "p", "depth", "resident"};
  const auto points = [](std::int64_t n, std::int64_t m, std::int64_t p) {
    return product({{"n", {n}},
                    {"m", {m}},
                    {"p", {p}},
                    {"depth", {std::int64_t{8}, std::int64_t{16}}},
                    {"resident", {std::int64_t{2}}}});
  };
  const auto ragged = points(100, 70, 45);
  v.points = points(128, 128, 128);
  v.points.insert(v.points.end(), ragged.begin(), ragged.end());
  v.gpu_points = points(1024, 1024, 1024);
  v.gpu_points.insert(v.gpu_points.end(), ragged.begin(), ragged.end());
  v.telling = points_with(v, {{"n", {128, 1024}}});
  v.launch = [](const Params& q) {
    Launch launch = line(ceil_div(q.number("p"), 128), 256);
    launch.grid.y = static_cast<std::uint32_t>(ceil_div(q.number("n"), 128));
    return launch;
  };
  v.theory = best_theory();
  return v;
}

Variant gemm() {
  auto v = base("gemm", "the library's product, cublasSgemm");
  v.kernel = kernel("");
  v.needs_gpu = true;
  v.library = "cublas_sgemm";
  v.launch = [](const Params&) { return Launch{}; };
  v.tolerance = {0, 1e-4};
  v.theory = {needed()};
  return v;
}

}  // namespace

Lab matmul() {
  const std::string plain = "through tiles in shared memory";
  const std::string pinned = "the same, with each access as it is written";
  Lab lab;
  lab.number = 7;
  lab.id = "matmul";
  lab.folder = "07_matmul";
  lab.title = "Matrix product";
  lab.summary = "naive, tiled, and tiled in registers";
  lab.params = parameters();
  lab.variants = {
      naive(),
      swapped(),
      merged_tiled(plain, 16, compiled16(), pinned16()),
      tiled("tiled_pinned", pinned, 16, pinned16()),
      merged_tiled(plain, 32, compiled32(), pinned32()),
      tiled("tiled_pinned", pinned, 32, pinned32()),
      register_tiled(),
      best(),
      gemm(),
  };
  lab.headline = {"global_load_sectors", "global_load_sectors_per_request",
                  "shared_load_wavefronts_sass"};
  return lab;
}

}  // namespace lab::labs
