// Lab 4: transposing through global memory, and through shared memory.
#include <algorithm>
#include <cstring>

#include "harness/core/lab.h"
#include "harness/core/parallel.h"
#include "labs/build.h"
#include "labs/labs.h"
#include "labs/touch.h"

namespace lab::labs {
namespace {

std::vector<ParamSpec> parameters() {
  return {
      {"rows", "rows of the input", std::int64_t{256}, 1, 16384},
      {"cols", "columns of the input", std::int64_t{256}, 1, 16384},
      {"bytes", "bytes of an element", std::int64_t{4}, 1, 8, {}, {1, 4, 8}},
      {"block_rows",
       "rows of a block of 32 columns of threads",
       std::int64_t{8},
       8,
       32,
       {},
       {8, 32}},
      {"pad", "words added to each row of the tile of 16 x 16", std::int64_t{1}, 0, 2},
      {"tile_height", "rows of a tile", std::int64_t{64}, 32, 128, {}, {32, 64, 128}},
      {"tile_width", "columns of a tile", std::int64_t{64}, 32, 128, {}, {32, 64, 128}},
      {"block_threads", "threads of a block", std::int64_t{256}, 128, 512, {}, {128, 256, 512}},
      {"stream", "1: tell the caches that nothing is used twice", std::int64_t{0}, 0, 1},
      {"order", "rows of tiles that blocks go down before the next column", std::int64_t{1}, 1, 64},
  };
}

// ---- formulas -------------------------------------------------------------------------------

const char* const kWhyRows =
    "A warp's lanes are neighbours in a row: no sector is wasted "
    "except where a row begins within one.";
const char* const kWhyColumns =
    "A warp's lanes are neighbours in a column, a whole row apart: each touches its own sector.";

Expr row_count() { return "rows"; }
Expr cols() { return "cols"; }
Expr elements() { return row_count() * cols(); }

// Warps of 32 along the lines of a matrix that has `lines` lines of `length` elements.
GlobalCost by_rows(const Expr& lines, const Expr& length, const Expr& bytes = "bytes") {
  return {lines * ceil(length / 32), along_rows(lines, length, bytes, Unit::kSector),
          elements() * bytes, along_rows(lines, length, bytes, Unit::kLine), kWhyRows};
}

// Warps of 32 down the columns: `height` elements per column, `width` elements apart.
GlobalCost by_columns(const Expr& height, const Expr& width) {
  const Expr bytes("bytes");
  return {width * ceil(height / 32), down_columns(height, width, bytes, Unit::kSector),
          elements() * bytes, down_columns(height, width, bytes, Unit::kLine), kWhyColumns};
}

GlobalCost read_rows() { return by_rows(row_count(), cols()); }
GlobalCost write_rows() { return by_rows(cols(), row_count()); }  // of the output
GlobalCost read_columns() { return by_columns(row_count(), cols()); }
GlobalCost write_columns() { return by_columns(cols(), row_count()); }

TheoryRow needed(const Expr& bytes) {
  return {"needed_bytes", 2 * elements() * bytes, "Each element is read once and written once."};
}

// All elements come and go once at least. Where output rows of `width` elements begin within
// sectors, or columns are written (no width), sectors are written in parts, which DRAM has to fill.
std::vector<TheoryRow> moved(const GlobalCost& load, const GlobalCost& store, const Expr& bytes,
                             const std::optional<Expr>& width) {
  const auto all = elements() * bytes;
  const auto least = ceil(all / 32);
  const auto blocks = ceil(all / 64);
  const auto partly = width ? choose(equal(*width * bytes % 32, 0), 0, blocks) : blocks;
  return traffic_rows({least, load.sectors, blocks, least, store.sectors, partly,
                       "Each sector at least once; at most as often as warps ask for it."});
}

// `width`: elements of an output row, where the output is written along rows.
std::vector<TheoryRow> traffic(const GlobalCost& load, const GlobalCost& store,
                               const std::optional<Expr>& width) {
  return rows({global_rows(Op::kLoad, load),
               global_rows(Op::kStore, store),
               moved(load, store, "bytes", width),
               {needed("bytes")}});
}

// The cost of a tile: its rows are filled along `lines` lines of `length`, then read along columns.
struct TileSide {
  Expr requests, wavefronts, groups;
};

TileSide free_of_conflicts(const Expr& lines, const Expr& length) {
  const Expr bytes("bytes");
  const auto groups =
      lines * (floor(length / 32) * max(1, bytes / 4) + ceil(length % 32 * bytes / 128));
  return {lines * ceil(length / 32), groups, groups};
}

// All lanes in one bank: a wavefront for each. Four neighbouring columns of bytes share a word, so
// rows of 32 bytes step eight banks, and only every fourth row meets.
TileSide one_bank(const Expr& lines, const Expr& length) {
  auto side = free_of_conflicts(lines, length);
  const auto of_bytes = lines * (floor(length / 32) * 8 + ceil(length % 32 / 4));
  side.wavefronts = choose(Expr("bytes") >= 4, elements(), of_bytes);
  return side;
}

std::vector<TheoryRow> tile_rows(const TileSide& store, const TileSide& load,
                                 const std::string& why) {
  const auto conflicts = [](const TileSide& side) { return side.wavefronts - side.groups; };
  return rows({
      shared_rows(Op::kStore, {store.requests, store.wavefronts, store.groups, {}, why}),
      shared_rows(Op::kLoad, {load.requests, load.wavefronts, load.groups, {}, why}),
      {shared_conflicts((conflicts(store) + conflicts(load)).simplified(),
                        "Of stores to the tile and loads from it.")},
  });
}

std::vector<TheoryRow> tile_theory(bool store_conflicts, bool load_conflicts,
                                   const std::string& why) {
  const auto side = [](bool conflicts) { return conflicts ? one_bank : free_of_conflicts; };
  return rows({traffic(read_rows(), write_rows(), row_count()),
               tile_rows(side(store_conflicts)(row_count(), cols()),
                         side(load_conflicts)(cols(), row_count()), why)});
}

// ---- tiles of 16 ------------------------------------------------------------------------------
// A warp is two lines of 16.

GlobalCost by_sixteen(const Expr& lines, const Expr& length) {
  return {ceil(lines / 2) * ceil(length / 16), by_pairs(lines, length, Unit::kSector),
          elements() * 4, by_pairs(lines, length, Unit::kLine),
          "Two lines of 16 floats: two sectors each, where they begin on a sector."};
}

// Sum over the warps of a matrix of `lines` x `length`. A warp covers up to 16 elements of one line
// or of two. `ways(width, two)` is the cost of a warp with `width` elements per line.
Expr over_pairs(const Expr& lines, const Expr& length,
                const std::function<Expr(const Expr&, bool)>& ways) {
  const auto sum = [&](bool two) {
    return floor(length / 16) * ways(16, two) + ways(length % 16, two);
  };
  return floor(lines / 2) * sum(true) + lines % 2 * sum(false);
}

std::vector<TheoryRow> tile16_rows(const TileSide& store, const TileSide& load,
                                   const std::string& why) {
  const auto read = by_sixteen(row_count(), cols());
  const auto written = by_sixteen(cols(), row_count());
  return rows({global_rows(Op::kLoad, read),
               global_rows(Op::kStore, written),
               moved(read, written, 4, row_count()),
               {needed(4)},
               tile_rows(store, load, why)});
}

Expr stores_of_16() { return ceil(row_count() / 2) * ceil(cols() / 16); }
Expr loads_of_16() { return ceil(cols() / 2) * ceil(row_count() / 16); }

std::vector<TheoryRow> tile16_theory() {
  const Expr pad("pad");
  // Stores: words 0..w-1 and 16+pad..16+pad+w-1 meet where the second line reaches word 32.
  const auto store_ways = [&](const Expr& w, bool two) {
    if (!two) return w > 0;
    return choose(pad > 0, (w > 0) + (w > 16 - pad), w > 0);
  };
  // Loads: words t (16 + pad) and, for the second line, one more. Without padding t alternates
  // between two banks; at 17 words lane 0 of the second line meets lane 15 of the first; 18 words
  // put the two lines into even and odd banks.
  const auto load_ways = [&](const Expr& w, bool two) {
    const auto one = two ? (w > 0) + equal(w, 16) : w > 0;
    return choose(equal(pad, 0), ceil(w / 2), choose(equal(pad, 1), one, w > 0));
  };
  const auto stored = term("stored", over_pairs(row_count(), cols(), store_ways),
                           "a warp's two lines of 16 words meet in `pad` banks");
  const auto loaded = term("loaded", over_pairs(cols(), row_count(), load_ways),
                           "down a column: 8 ways without padding, 2 with one word, 1 with two");
  return tile16_rows({stores_of_16(), stored, stores_of_16()},
                     {loads_of_16(), loaded, loads_of_16()},
                     "A warp is two lines of 16: no padding is free on both sides, two words make "
                     "the loads free.");
}

std::vector<TheoryRow> tile16_swizzled_theory() {
  return tile16_rows({stores_of_16(), stores_of_16(), stores_of_16()},
                     {loads_of_16(), loads_of_16(), loads_of_16()},
                     "Two rows of 16 fill all banks in any order; down a column x ^ y runs through "
                     "16 banks in even rows and through the others in odd ones.");
}

// ---- 16 bytes per lane -------------------------------------------------------------------------
// Where tiles are whole, lanes take 16 bytes each and every sector is touched by one request.
// Otherwise they take a word each.

const char* const kWhyWords =
    "Whole tiles: 16 bytes per lane, 16 sectors per request. Otherwise a warp's lanes are 32 "
    "neighbours in a row: no sector is wasted except where a row begins within one.";

std::vector<TheoryRow> words_theory(const Expr& whole, bool wide_loads,
                                    const std::string& why_store, const std::string& why_load) {
  const auto either = [&](int each, const Expr& other) {
    return choose(whole, elements() / each, other);
  };
  const auto side = [&](const Expr& lines, const Expr& length) {
    const auto words = by_rows(lines, length, 4);
    return GlobalCost{either(128, words.requests), either(8, words.sectors), words.bytes,
                      either(32, *words.lines), kWhyWords};
  };
  // A wavefront brings 32 words, as many as a request of single words.
  const auto whole_ways = [&](bool wide) { return wide ? choose(whole, 4, 1) : Expr(1); };
  const auto tile = [&](const Expr& waves, bool wide, const std::string& why) {
    return SharedCost{wide ? either(128, waves) : waves, waves, waves, {}, why, whole_ways(wide)};
  };
  const auto read = side(row_count(), cols());
  const auto written = side(cols(), row_count());
  return rows({global_rows(Op::kLoad, read),
               global_rows(Op::kStore, written),
               moved(read, written, 4, row_count()),
               {needed(4)},
               shared_rows(Op::kStore, tile(row_count() * ceil(cols() / 32), true, why_store)),
               shared_rows(Op::kLoad, tile(cols() * ceil(row_count() / 32), wide_loads, why_load)),
               {shared_conflicts(0, "The places are permuted so that none is needed twice.")}});
}

std::vector<TheoryRow> vectorised_theory() {
  return words_theory(
      equal(row_count() % 64 + cols() % 64, 0), false,
      "Whole tiles: four groups of eight lanes, 128 bytes each, no bank twice. Otherwise 32 words "
      "of a row r, in another order: c ^ r.",
      "Whole tiles: eight rows at eight places of four banks, four columns in each. Otherwise 32 "
      "rows r of a column c, at column c ^ r: all banks.");
}

std::vector<TheoryRow> best_theory() {
  const std::string why =
      "Whole tiles: four groups of eight lanes, 128 bytes each: eight neighbouring places, "
      "permuted by row, are eight different fours of banks. Otherwise a word per lane: 32 columns "
      "c of a row r or 32 rows of a column, at column c ^ r, are all banks.";
  return words_theory(equal(row_count() % "tile_height" + cols() % "tile_width", 0), true, why,
                      why);
}

// A copy knows no rows: 16 bytes per lane, then one request for what is left.
std::vector<TheoryRow> copy_wide_theory() {
  const auto in_units_of = [](int fours) {
    return ceil(floor(elements() / 4) / fours) + (elements() % 4 > 0);
  };
  const GlobalCost cost = {
      in_units_of(32), in_units_of(2), elements() * 4, in_units_of(8),
      "16 bytes per lane and 16 sectors per request, and one more for up to three floats at the "
      "end."};
  const auto least = ceil(elements() / 8);
  return rows({global_rows(Op::kLoad, cost),
               global_rows(Op::kStore, cost),
               {needed(4)},
               traffic_rows({least, cost.sectors, ceil(elements() / 16), least, cost.sectors,
                             elements() % 8 > 0,
                             "Each sector once; the last one twice where floats are left."})});
}

// ---- data -------------------------------------------------------------------------------------

ElementType element(std::int64_t bytes) {
  if (bytes == 1) return ElementType::kI8;
  return bytes == 8 ? ElementType::kF64 : ElementType::kF32;
}

std::string type_name(std::int64_t bytes) {
  if (bytes == 1) return "char";
  return bytes == 8 ? "double" : "float";
}

struct Shape {
  std::int64_t rows, cols, bytes;
};

std::vector<ArgSpec> arguments(const Shape& shape) {
  const auto count = count_of(shape.rows * shape.cols);
  return {input("in", element(shape.bytes), count), output("out", element(shape.bytes), count),
          scalar_i32(shape.rows), scalar_i32(shape.cols)};
}

// Blocks of 32 x 32, so that both sides stay in the caches of the machine that computes it; rows of
// blocks are shared out among its cores.
template <std::size_t kBytes>
void transpose_elements(const Shape& shape, const std::byte* in, std::byte* out) {
  constexpr std::uint64_t kBlock = 32;
  constexpr std::uint64_t kElementsPerThread = std::uint64_t{1} << 20;
  const auto rows = count_of(shape.rows);
  const auto cols = count_of(shape.cols);
  const auto strip = [&](std::uint64_t y0) {
    for (std::uint64_t x0 = 0; x0 < cols; x0 += kBlock) {
      for (auto y = y0; y < std::min(y0 + kBlock, rows); ++y) {
        for (auto x = x0; x < std::min(x0 + kBlock, cols); ++x) {
          std::memcpy(out + (x * rows + y) * kBytes, in + (y * cols + x) * kBytes, kBytes);
        }
      }
    }
  };
  const auto strips = (rows + kBlock - 1) / kBlock;
  const auto least = kElementsPerThread / (kBlock * cols) + 1;
  in_parts(strips, least, [&](std::uint64_t begin, std::uint64_t end) {
    for (auto one = begin; one < end; ++one) strip(one * kBlock);
  });
}

void transpose_bytes(const Shape& shape, Buffers& buffers) {
  const std::byte* in = buffers.raw("in").data();
  std::byte* out = buffers.raw("out").data();
  switch (shape.bytes) {
    case 1:
      return transpose_elements<1>(shape, in, out);
    case 4:
      return transpose_elements<4>(shape, in, out);
    default:
      return transpose_elements<8>(shape, in, out);
  }
}

Shape shape_of(const Params& p) { return {p.number("rows"), p.number("cols"), p.number("bytes")}; }

Launch grid(std::int64_t width, std::int64_t height, std::uint32_t block_x, std::uint32_t block_y,
            std::int64_t tile) {
  Launch launch;
  launch.grid.x = static_cast<std::uint32_t>(ceil_div(width, tile));
  launch.grid.y = static_cast<std::uint32_t>(ceil_div(height, tile));
  launch.block.x = block_x;
  launch.block.y = block_y;
  return launch;
}

// ---- variants -------------------------------------------------------------------------------

std::vector<Params> shapes(std::int64_t n, const std::vector<Params>& more) {
  std::vector<Params> points = {
      {{"rows", n}, {"cols", n}, {"bytes", std::int64_t{4}}, {"block_rows", std::int64_t{8}}}};
  points.insert(points.end(), more.begin(), more.end());
  return points;
}

std::vector<Params> other_shapes() {
  const auto point = [](std::int64_t rows, std::int64_t cols, std::int64_t bytes,
                        std::int64_t block_rows) {
    return Params{{"rows", rows}, {"cols", cols}, {"bytes", bytes}, {"block_rows", block_rows}};
  };
  return {point(256, 256, 4, 32), point(256, 256, 8, 8), point(256, 256, 1, 8),
          point(250, 190, 4, 8), point(97, 331, 4, 8)};
}

// The square of floats: sizes for the model and for a GPU.
std::vector<Params> square_of_floats(const Variant& v) {
  return points_with(
      v, {{"rows", {256, 4096}}, {"cols", {256, 4096}}, {"bytes", {4}}, {"block_rows", {8}}});
}
// The same, and a matrix neither of whose sides is a multiple of a tile's.
std::vector<Params> square_and_ragged(const Variant& v) {
  return joined({square_of_floats(v), points_with(v, {{"rows", {97}}, {"cols", {331}}})});
}

Params of_1024_threads(std::int64_t n) {
  return {{"rows", n}, {"cols", n}, {"bytes", std::int64_t{4}}, {"block_rows", std::int64_t{32}}};
}

Variant base(const std::string& name, const std::string& summary, bool output_side) {
  Variant v;
  v.name = name;
  v.summary = summary;
  v.kernel = [name](const Params& p) {
    return name + "<" + type_name(p.number("bytes")) + ", " +
           std::to_string(p.number("block_rows")) + ">";
  };
  v.reads = {"rows", "cols", "bytes", "block_rows"};
  v.points = shapes(256, other_shapes());
  v.gpu_points = shapes(4096, other_shapes());
  for (const std::int64_t n : {128, 512, 1024}) {
    v.gpu_points.push_back(
        {{"rows", n}, {"cols", n}, {"bytes", std::int64_t{4}}, {"block_rows", std::int64_t{8}}});
  }
  // Blocks of 32 x 32, as the exercises have them.
  for (const std::int64_t n : {128, 512, 1024, 4096}) v.gpu_points.push_back(of_1024_threads(n));
  v.telling = square_of_floats(v);
  v.launch = [output_side](const Params& p) {
    const auto block_rows = static_cast<std::uint32_t>(p.number("block_rows"));
    const auto shape = shape_of(p);
    return output_side ? grid(shape.rows, shape.cols, 32, block_rows, 32)
                       : grid(shape.cols, shape.rows, 32, block_rows, 32);
  };
  v.args = [](const Params& p) { return arguments(shape_of(p)); };
  v.reference = [](const Params& p, Buffers& buffers) { transpose_bytes(shape_of(p), buffers); };
  return v;
}

Variant copy() {
  auto v = base("copy", "no transposition: the same traffic, each load after the store before it",
                false);
  v.telling = square_and_ragged(v);
  v.reference = [](const Params&, Buffers& buffers) {
    const auto in = buffers.raw("in");
    std::copy(in.begin(), in.end(), buffers.raw("out").begin());
  };
  v.theory = traffic(read_rows(), read_rows(), cols());
  return v;
}

Variant read_coalesced() {
  auto v = base("read_coalesced", "a warp reads a row and writes a column", false);
  v.theory = traffic(read_rows(), write_columns(), {});
  return v;
}

Variant write_coalesced() {
  auto v = base("write_coalesced", "a warp reads a column and writes a row", true);
  v.theory = traffic(read_columns(), write_rows(), row_count());
  return v;
}

Variant unoptimised(Variant v) {
  v.name += "_O0";
  v.summary += ", not optimised";
  v.options = {"--ptxas-options=-O0"};
  v.points = shapes(256, {});
  v.gpu_points = shapes(4096, {of_1024_threads(4096)});
  v.telling = square_of_floats(v);
  return v;
}

Variant tile16() {
  Variant v;
  v.name = "tile16";
  v.summary = "tiles of 16 x 16, where one word of padding is not enough";
  v.kernel = [](const Params& p) { return "tile16<" + std::to_string(p.number("pad")) + ">"; };
  v.reads = {"rows", "cols", "pad"};
  for (std::int64_t pad = 0; pad <= 2; ++pad) {
    v.points.push_back({{"rows", std::int64_t{256}}, {"cols", std::int64_t{256}}, {"pad", pad}});
    v.points.push_back({{"rows", std::int64_t{97}}, {"cols", std::int64_t{331}}, {"pad", pad}});
    v.gpu_points.push_back(
        {{"rows", std::int64_t{4096}}, {"cols", std::int64_t{4096}}, {"pad", pad}});
  }
  v.telling = square_of_floats(v);
  v.launch = [](const Params& p) { return grid(p.number("cols"), p.number("rows"), 16, 16, 16); };
  v.args = [](const Params& p) { return arguments({p.number("rows"), p.number("cols"), 4}); };
  v.reference = [](const Params& p, Buffers& buffers) {
    transpose_bytes({p.number("rows"), p.number("cols"), 4}, buffers);
  };
  v.theory = tile16_theory();
  return v;
}

Variant tile16_swizzled() {
  auto v = tile16();
  v.name = "tile16_swizzled";
  v.summary = "tiles of 16 x 16 with no padding: element (y, x) is kept at column x ^ y";
  v.kernel = kernel("tile16_swizzled");
  v.reads = {"rows", "cols"};
  v.points = {{{"rows", std::int64_t{256}}, {"cols", std::int64_t{256}}},
              {{"rows", std::int64_t{97}}, {"cols", std::int64_t{331}}}};
  v.gpu_points = {{{"rows", std::int64_t{4096}}, {"cols", std::int64_t{4096}}}};
  v.telling = square_of_floats(v);
  v.theory = tile16_swizzled_theory();
  return v;
}

// Tiles that need not be whole: the kernel's last template argument says whether all are.
std::string whole_tiles(const Params& p, std::int64_t height, std::int64_t width) {
  return p.number("rows") % height == 0 && p.number("cols") % width == 0 ? "true" : "false";
}

Shape float_shape(const Params& p) { return {p.number("rows"), p.number("cols"), 4}; }

Variant vectorised() {
  Variant v;
  v.name = "vectorised";
  v.summary =
      "tiles of 64 x 64, 16 bytes per lane on both sides, permuted so that no bank conflicts";
  v.kernel = [](const Params& p) { return "vectorised<" + whole_tiles(p, 64, 64) + ">"; };
  v.reads = {"rows", "cols"};
  const auto points = [](std::int64_t n) {
    return std::vector<Params>{{{"rows", n}, {"cols", n}},
                               {{"rows", std::int64_t{128}}, {"cols", std::int64_t{320}}},
                               {{"rows", std::int64_t{250}}, {"cols", std::int64_t{190}}},
                               {{"rows", std::int64_t{97}}, {"cols", std::int64_t{331}}}};
  };
  v.points = points(256);
  v.gpu_points = points(4096);
  v.telling = square_of_floats(v);
  v.launch = [](const Params& p) { return grid(p.number("cols"), p.number("rows"), 256, 1, 64); };
  v.args = [](const Params& p) { return arguments(float_shape(p)); };
  v.reference = [](const Params& p, Buffers& buffers) { transpose_bytes(float_shape(p), buffers); };
  v.theory = vectorised_theory();
  return v;
}

// A block of 256 threads copies 4096 floats.
constexpr std::int64_t kCopiedByBlock = 4096;

Variant copy_wide() {
  Variant v;
  v.name = "copy_wide";
  v.summary = "no transposition, 16 bytes per lane and four loads under way: the yardstick";
  v.kernel = [](const Params& p) {
    const auto count = p.number("rows") * p.number("cols");
    return std::string("copy_wide<") + (p.number("stream") == 1 ? "true, " : "false, ") +
           (count % kCopiedByBlock == 0 ? "true>" : "false>");
  };
  v.reads = {"rows", "cols", "stream"};
  const auto points = [](std::int64_t n) {
    auto all = product({{"rows", {n}}, {"cols", {std::int64_t{n}}}, {"stream", integers(0, 1)}});
    all.push_back(
        {{"rows", std::int64_t{97}}, {"cols", std::int64_t{331}}, {"stream", std::int64_t{0}}});
    return all;
  };
  v.points = points(256);
  v.gpu_points = points(4096);
  v.telling = square_of_floats(v);
  v.launch = [](const Params& p) {
    return line(ceil_div(p.number("rows") * p.number("cols"), kCopiedByBlock), 256);
  };
  v.args = [](const Params& p) {
    auto args = arguments(float_shape(p));
    args.resize(2);
    args.emplace_back(scalar_i32(p.number("rows") * p.number("cols")));
    return args;
  };
  v.reference = [](const Params&, Buffers& buffers) {
    const auto in = buffers.raw("in");
    std::copy(in.begin(), in.end(), buffers.raw("out").begin());
  };
  v.theory = copy_wide_theory();
  return v;
}

std::vector<Params> best_points(std::int64_t n) {
  const auto small = [](std::int64_t rows, std::int64_t cols) {
    return Params{{"rows", rows},
                  {"cols", cols},
                  {"tile_height", std::int64_t{64}},
                  {"tile_width", std::int64_t{64}},
                  {"stream", std::int64_t{0}},
                  {"order", std::int64_t{1}},
                  {"block_threads", std::int64_t{256}}};
  };
  const auto large = [](std::int64_t rows, std::int64_t cols) {
    return Params{{"rows", rows},
                  {"cols", cols},
                  {"tile_height", std::int64_t{128}},
                  {"tile_width", std::int64_t{128}},
                  {"stream", std::int64_t{1}},
                  {"order", std::int64_t{4}},
                  {"block_threads", std::int64_t{512}}};
  };
  return {small(n, n), large(n, n), small(250, 190), large(97, 331)};
}

Variant best() {
  Variant v;
  v.name = "best";
  v.summary = "the fastest here: squares of 4 x 4 turn in registers, 16 bytes per lane everywhere";
  v.kernel = [](const Params& p) {
    const auto height = p.number("tile_height");
    const auto width = p.number("tile_width");
    return "best<" + std::to_string(height) + ", " + std::to_string(width) + ", " +
           std::to_string(p.number("block_threads")) +
           (p.number("stream") == 1 ? ", true, " : ", false, ") + whole_tiles(p, height, width) +
           ">";
  };
  v.reads = {"rows", "cols", "tile_height", "tile_width", "block_threads", "stream", "order"};
  v.points = best_points(256);
  v.gpu_points = best_points(4096);
  v.telling = square_of_floats(v);
  v.launch = [](const Params& p) {
    const auto height = p.number("tile_height");
    const auto width = p.number("tile_width");
    auto launch = line(ceil_div(p.number("rows"), height) * ceil_div(p.number("cols"), width),
                       p.number("block_threads"));
    launch.dynamic_shared_bytes = static_cast<std::uint32_t>(4 * height * width);
    return launch;
  };
  v.args = [](const Params& p) {
    auto args = arguments(float_shape(p));
    args.emplace_back(scalar_i32(p.number("order")));
    return args;
  };
  v.reference = [](const Params& p, Buffers& buffers) { transpose_bytes(float_shape(p), buffers); };
  v.theory = best_theory();
  return v;
}

Variant tiled(const std::string& name, const std::string& summary, bool store_conflicts,
              bool load_conflicts, const std::string& why) {
  auto v = base(name, summary, false);
  if (!store_conflicts && !load_conflicts) v.telling = square_and_ragged(v);
  v.theory = tile_theory(store_conflicts, load_conflicts, why);
  return v;
}

Variant geam() {
  auto v = base("geam", "the library's transposition, cublasSgeam", false);
  v.kernel = kernel("");
  v.needs_gpu = true;
  v.library = "cublas_sgeam";
  v.reads = {"rows", "cols"};
  v.points = {{{"rows", std::int64_t{256}}, {"cols", std::int64_t{256}}}};
  v.gpu_points = {{{"rows", std::int64_t{4096}}, {"cols", std::int64_t{4096}}}};
  v.telling = {};
  v.launch = [](const Params&) { return Launch{}; };
  v.args = [](const Params& p) { return arguments({p.number("rows"), p.number("cols"), 4}); };
  v.reference = [](const Params& p, Buffers& buffers) {
    transpose_bytes({p.number("rows"), p.number("cols"), 4}, buffers);
  };
  v.theory = {needed(4)};
  return v;
}

}  // namespace

Lab transpose() {
  const auto store = tiled("padded_store", "the padded tile, filled by columns", false, false,
                           "With one extra word per row a column runs through all banks.");
  const auto load = tiled("shared_load", "through a tile that is read by columns", false, true,
                          "A column of a tile without padding is one bank.");
  Lab lab;
  lab.number = 4;
  lab.id = "transpose";
  lab.folder = "04_transpose";
  lab.title = "Transpose";
  lab.summary = "coalesced reads and writes, and the tile between them";
  lab.params = parameters();
  lab.variants = {
      copy(),
      read_coalesced(),
      unoptimised(read_coalesced()),
      write_coalesced(),
      unoptimised(write_coalesced()),
      tiled("shared_store", "through a tile that is filled by columns", true, false,
            "A column of a tile without padding is one bank."),
      load,
      unoptimised(load),
      tiled("padded", "one extra word per row: columns run through all banks", false, false,
            "With one extra word per row a column runs through all banks."),
      store,
      unoptimised(store),
      tiled("swizzled", "no padding: element (y, x) is kept at column x ^ y", false, false,
            "x ^ y runs through all banks, along rows and columns."),
      tile16(),
      tile16_swizzled(),
      vectorised(),
      copy_wide(),
      best(),
      geam(),
  };
  lab.headline = {"global_load_sectors_per_request", "global_store_sectors_per_request",
                  "shared_store_ways", "shared_load_ways", "effective_bandwidth"};
  return lab;
}

}  // namespace lab::labs
