// Lab 3: what a stride costs in shared memory, and the cures.
#include <cmath>

#include "harness/core/lab.h"
#include "labs/build.h"
#include "labs/labs.h"

namespace lab::labs {
namespace {

constexpr std::int64_t kThreads = 256;  // as in kernels.cu
constexpr std::int64_t kTile = 32;      // rows and columns of the column variants' tile
constexpr std::int64_t kBlocks = 16;
// On a GPU: enough reads that they, not the launch or the filling of the tile, decide the time.
constexpr std::int64_t kGpuBlocks = 512;
constexpr std::int64_t kGpuLoads = 256;
// Of kernels that read each word once.
constexpr std::int64_t kGpuManyBlocks = 32768;

std::vector<ParamSpec> parameters() {
  return {
      {"stride", "distance of neighbouring threads' elements", std::int64_t{1}, 0, 33},
      {"base", "word of thread 0", std::int64_t{0}, 0, 33},
      {"distinct", "different words that a warp's lanes read, all in one bank", std::int64_t{1}, 1,
       32},
      {"bytes", "bytes of an element", std::int64_t{4}, 1, 16, {}, {1, 2, 4, 8, 16}},
      {"fields", "fields of a structure", std::int64_t{2}, 1, 8},
      {"width", "bytes of a field", std::int64_t{4}, 4, 8, {}, {4, 8}},
      {"pad", "words added to each row of the tile", std::int64_t{0}, 0, 33},
      {"passes", "how often each column is read", std::int64_t{1}, 1, 4096},
      {"loads", "how often each thread reads its element", std::int64_t{32}, 1, 65536},
      {"blocks", "blocks of the grid", kBlocks, 1, 65535},
  };
}

Launch launch(const Params& params) { return line(params.number("blocks"), kThreads); }

std::uint64_t outputs(const Params& params, std::int64_t per_block) {
  return count_of(params.number("blocks") * per_block);
}

// Buffers `in` and `out` of one type, then the named scalars.
std::vector<ArgSpec> arguments(const Params& params, ElementType type, std::int64_t in,
                               std::int64_t out_per_block,
                               const std::vector<std::string>& scalars) {
  std::vector<ArgSpec> args = {input("in", type, count_of(in)),
                               output("out", type, outputs(params, out_per_block))};
  for (const auto& name : scalars) args.emplace_back(scalar_i32(params.number(name)));
  return args;
}

// `value` added to zero `count` times, as the kernels do.
float added(float value, std::int64_t count) {
  float sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += value;
  return sum;
}

Expr blocks() { return "blocks"; }
Expr all_warps() { return blocks() * "warps"; }

// Every block reads the same `bytes` of input, and writes `sectors` of its own.
std::vector<TheoryRow> moved(const Expr& bytes, const Expr& sectors) {
  const auto once = ceil(bytes / 32);
  return traffic_rows({once, blocks() * once, ceil(bytes / 64), blocks() * sectors,
                       blocks() * sectors, 0,
                       "The input at least once, at most once per block; the output once."});
}

// Every thread writes a float.
GlobalCost floats_out() {
  return {all_warps(), all_warps() * 4, blocks() * "threads" * 4, all_warps(),
          "A warp's 32 floats are four sectors."};
}

// ---- strides --------------------------------------------------------------------------------

Expr stride_words() { return (Expr("threads") - 1) * "stride" + 1; }
Expr stride_ways() { return choose(equal("stride", 0), 1, gcd("stride", 32)); }
const char* const kStrideWhy =
    "32 words at stride s fall into 32 / gcd(s, 32) banks, gcd(s, 32) in each; at stride 0 all "
    "lanes read one word.";

// Every block copies `words` words from `in` to its tile, one after the other, then makes `reads`
// requests of `ways` wavefronts each, and every thread writes one result.
std::vector<TheoryRow> theory(const Expr& words, const Expr& reads, const Expr& ways,
                              const std::string& why) {
  const auto fills = blocks() * ceil(words / 32);
  return rows({
      shared_rows(Op::kLoad, {reads, reads * ways, reads, {}, why, ways}),
      shared_rows(Op::kStore, {fills, fills, fills, {}, "Neighbouring words: no conflict."}),
      {shared_conflicts(reads * (ways - 1), "The loads' alone: the fill has none.")},
      global_rows(Op::kLoad, {fills, blocks() * ceil(words / 8), blocks() * 4 * words, fills,
                              "Eight neighbouring words per sector."}),
      global_rows(Op::kStore, floats_out()),
      moved(4 * words, Expr("warps") * 4),
  });
}

std::vector<Params> loads_points(const std::string& name, const std::vector<ParamValue>& values) {
  return product({{name, values}, {"loads", {std::int64_t{32}}}, {"blocks", {kBlocks}}});
}
std::vector<Params> gpu_loads_points(const std::string& name,
                                     const std::vector<ParamValue>& values) {
  return product({{name, values}, {"loads", {kGpuLoads}}, {"blocks", {kGpuBlocks}}});
}

std::vector<Params> with_many_blocks(std::vector<Params> points) {
  for (Params& point : points) point.set("blocks", kGpuManyBlocks);
  return points;
}

// out[i] is the word `word_of(thread)`, added up `loads` times.
std::function<void(const Params&, Buffers&)> reading(
    const std::function<std::int64_t(const Params&, std::int64_t thread)>& word_of) {
  return [word_of](const Params& params, Buffers& buffers) {
    const auto in = buffers.f32("in");
    const auto out = buffers.f32("out");
    std::vector<float> of_block;  // all blocks do the same
    for (std::int64_t thread = 0; thread < kThreads; ++thread) {
      of_block.push_back(added(in[count_of(word_of(params, thread))], params.number("loads")));
    }
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = of_block[i % of_block.size()];
  };
}

Variant stride() {
  Variant v;
  v.name = "stride";
  v.summary = "thread t reads word t * stride: gcd(stride, 32)-way conflicts";
  v.kernel = kernel("stride");
  v.reads = {"stride", "loads", "blocks"};
  v.points = loads_points("stride", integers(0, 33));
  v.gpu_points = gpu_loads_points("stride", integers(0, 33));
  v.telling = points_with(v, {{"stride", {0, 1, 2, 3, 4, 8, 16, 31, 32, 33}}});
  v.launch = launch;
  v.args = [](const Params& p) {
    const auto words = (kThreads - 1) * p.number("stride") + 1;
    return arguments(p, ElementType::kF32, words, kThreads, {"stride", "loads"});
  };
  v.reference = reading([](const Params& p, std::int64_t t) { return t * p.number("stride"); });
  v.theory = theory(stride_words(), all_warps() * "loads", stride_ways(), kStrideWhy);
  return v;
}

Variant stride_plain() {
  auto v = stride();
  v.name = "stride_plain";
  v.summary = "not pinned: the compiler moves the load out of the loop";
  v.kernel = kernel("stride_plain");
  const std::vector<ParamValue> strides = {std::int64_t{1}, std::int64_t{2}, std::int64_t{32}};
  v.points = loads_points("stride", strides);
  v.gpu_points = gpu_loads_points("stride", strides);
  v.telling = points_with(v, {{"stride", {32}}});
  v.theory = theory(stride_words(), all_warps(), stride_ways(), kStrideWhy);
  return v;
}

Variant base_index() {
  Variant v;
  v.name = "base_index";
  v.summary = "word base + t * stride: the base does not matter";
  v.kernel = kernel("base_index");
  v.reads = {"stride", "base", "loads", "blocks"};
  const auto points = [](std::int64_t loads, std::int64_t blocks) {
    return product({{"stride", {std::int64_t{2}, std::int64_t{3}, std::int64_t{32}}},
                    {"base", {std::int64_t{1}, std::int64_t{5}}},
                    {"loads", {loads}},
                    {"blocks", {blocks}}});
  };
  v.points = points(32, kBlocks);
  v.gpu_points = points(kGpuLoads, kGpuBlocks);
  v.telling = points_with(v, {{"stride", {32}}, {"base", {5}}});
  v.launch = launch;
  v.args = [](const Params& p) {
    const auto words = p.number("base") + (kThreads - 1) * p.number("stride") + 1;
    return arguments(p, ElementType::kF32, words, kThreads, {"stride", "base", "loads"});
  };
  v.reference = reading(
      [](const Params& p, std::int64_t t) { return p.number("base") + t * p.number("stride"); });
  v.theory = theory(stride_words() + "base", all_warps() * "loads", stride_ways(),
                    "The base adds the same to every lane's bank. " + std::string(kStrideWhy));
  return v;
}

Variant registers() {
  Variant v;
  v.name = "registers";
  v.summary = "lanes read each other's words by shuffle, with no banks";
  v.kernel = kernel("registers");
  v.reads = {"stride", "loads", "blocks"};
  const std::vector<ParamValue> strides = {std::int64_t{0}, std::int64_t{1}, std::int64_t{2},
                                           std::int64_t{32}};
  v.points = loads_points("stride", strides);
  v.gpu_points = gpu_loads_points("stride", strides);
  v.telling = points_with(v, {{"stride", {32}}});
  v.launch = launch;
  v.args = [](const Params& p) {
    return arguments(p, ElementType::kF32, kThreads, kThreads, {"stride", "loads"});
  };
  v.reference = reading([](const Params& p, std::int64_t t) {
    return t / 32 * 32 + t % 32 * p.number("stride") % 32;
  });
  const std::string none = "A shuffle passes words between registers.";
  v.theory = rows({
      {{"shared_load_requests", 0, none},
       {"shared_store_requests", 0, none},
       {"shared_bank_conflicts", 0, none}},
      global_rows(Op::kLoad, floats_out()),
      global_rows(Op::kStore, floats_out()),
      moved(Expr("threads") * 4, Expr("warps") * 4),
  });
  return v;
}

Variant broadcast() {
  Variant v;
  v.name = "broadcast";
  v.summary = "a warp reads `distinct` words of one bank; lanes may share a word";
  v.kernel = kernel("broadcast");
  v.reads = {"distinct", "loads", "blocks"};
  v.points = loads_points("distinct", integers(1, 32));
  v.gpu_points = gpu_loads_points("distinct", integers(1, 32));
  v.telling = points_with(v, {{"distinct", {1, 2, 3, 4, 8, 16, 31, 32}}});
  v.launch = launch;
  v.args = [](const Params& p) {
    return arguments(p, ElementType::kF32, 32 * 32, kThreads, {"distinct", "loads"});
  };
  v.reference =
      reading([](const Params& p, std::int64_t t) { return t % p.number("distinct") * 32; });
  // Thread t of the block reads word t % distinct, so every warp meets all of them.
  v.theory =
      theory(1024, all_warps() * "loads", "distinct",
             "One bank gives its words one after the other, each to all lanes that want it.");
  return v;
}

// ---- other widths: one warp a block -----------------------------------------------------------

struct TypeOfWidth {
  std::int64_t bytes;
  const char* name;
  ElementType element;
  std::int64_t elements;  // of the buffer, for one of the kernel
};

const TypeOfWidth& type_of_width(std::int64_t bytes) {
  static constexpr TypeOfWidth kTypes[] = {{1, "char", ElementType::kI8, 1},
                                           {2, "short", ElementType::kI16, 1},
                                           {4, "float", ElementType::kF32, 1},
                                           {8, "double", ElementType::kF64, 1},
                                           {16, "float4", ElementType::kF32, 4}};
  for (const auto& type : kTypes) {
    if (type.bytes == bytes) return type;
  }
  return kTypes[2];
}

// Element `index` as the kernel's number(): a float.
float element_number(Buffers& buffers, const TypeOfWidth& type, std::uint64_t index) {
  switch (type.bytes) {
    case 1:
      return static_cast<float>(buffers.as<std::int8_t>("in")[index]);
    case 2:
      return static_cast<float>(buffers.as<std::int16_t>("in")[index]);
    case 8:
      return static_cast<float>(buffers.f64("in")[index]);
    case 16: {
      const auto in = buffers.f32("in").subspan(4 * index, 4);
      return in[0] + in[1] + in[2] + in[3];
    }
    default:
      return buffers.f32("in")[index];
  }
}

// Found by hand for strides up to 33. Bytes: up to stride 4 the lanes' words have no gap; above,
// four lanes step whole words together where 4 divides the stride, else two collide, but for 33.
Expr ways_of_bytes(const Expr& stride) {
  const auto above = choose(equal(stride % 4, 0), gcd(floor(stride / 4), 32), 2);
  return choose(stride <= 4, 1, choose(equal(stride, 33), 1, above));
}
Expr ways_of_shorts(const Expr& stride) {
  return choose(equal(stride % 2, 0), gcd(floor(stride / 2), 32),
                choose(equal(stride % 32, 1), 1, 2));
}

std::vector<TheoryRow> typed_theory() {
  const Expr stride("stride");
  const Expr bytes("bytes");
  const auto narrow =
      term("narrow", choose(equal(bytes, 1), ways_of_bytes(stride), ways_of_shorts(stride)),
           "ways of 1 and 2 bytes, of which lanes share words");
  const auto wide = bytes / 4 * gcd(stride, 128 / bytes);
  const auto ways =
      term("ways", choose(equal(stride, 0), max(1, bytes / 8), choose(bytes < 4, narrow, wide)),
           "wavefronts per request");
  const auto groups = term("groups", max(1, choose(equal(stride, 0), bytes / 8, bytes / 4)),
                           "wavefronts that the width needs anyway");
  const auto used = 31 * stride + 1;
  const auto fills = blocks() * ceil(used / 32);
  // 32 neighbouring elements fill lines and wavefronts of 128 bytes alike.
  const auto wavefronts =
      blocks() * (floor(used / 32) * max(1, bytes / 4) + ceil(used % 32 * bytes / 128));
  const auto reads = blocks() * "loads";
  const std::string why =
      "8 and 16 bytes per lane go in groups of 16 and 8 lanes, 128 bytes each; within a group the "
      "stride's common divisor with the group counts. At stride 0 neighbouring groups merge.";
  return rows({
      shared_rows(Op::kLoad, {reads, reads * ways, reads * groups, {}, why, ways}),
      shared_rows(Op::kStore, {fills, wavefronts, wavefronts, {}, "Neighbours: no conflict."}),
      {shared_conflicts(reads * (ways - groups), "The loads' alone: the fill has none.")},
      global_rows(Op::kLoad, {fills, blocks() * ceil(used * bytes / 32), blocks() * bytes * used,
                              wavefronts, "Neighbours fill sectors."}),
      global_rows(Op::kStore, {blocks(), blocks() * 4, blocks() * 128, blocks(),
                               "A warp's 32 floats are four sectors."}),
      moved(used * bytes, 4),
  });
}

Variant typed() {
  Variant v;
  v.name = "typed";
  v.summary = "lane l reads element l * stride of 1, 2, 4, 8 or 16 bytes";
  v.kernel = [](const Params& p) {
    return std::string("typed<") + type_of_width(p.number("bytes")).name + ">";
  };
  v.reads = {"bytes", "stride", "loads", "blocks"};
  v.points =
      product({{"bytes", {std::int64_t{1}, std::int64_t{2}, std::int64_t{8}, std::int64_t{16}}},
               {"stride", integers(0, 8)},
               {"loads", {std::int64_t{8}}},
               {"blocks", {kBlocks}}});
  // A block is a warp here.
  v.gpu_points = v.points;
  for (Params& point : v.gpu_points) {
    point.set("loads", kGpuLoads / 2);
    point.set("blocks", 8 * kGpuBlocks);
  }
  v.telling = points_with(v, {{"bytes", {1, 8, 16}}, {"stride", {1, 2, 8}}});
  v.launch = [](const Params& p) { return line(p.number("blocks"), 32); };
  v.args = [](const Params& p) {
    const auto& type = type_of_width(p.number("bytes"));
    const auto used = (31 * p.number("stride") + 1) * type.elements;
    return std::vector<ArgSpec>{input("in", type.element, count_of(used)),
                                output("out", ElementType::kF32, outputs(p, 32)),
                                scalar_i32(p.number("stride")), scalar_i32(p.number("loads"))};
  };
  v.reference = [](const Params& p, Buffers& buffers) {
    const auto& type = type_of_width(p.number("bytes"));
    const auto out = buffers.f32("out");
    std::vector<float> of_warp;  // all warps do the same
    for (std::uint64_t lane = 0; lane < 32; ++lane) {
      const auto element = lane * count_of(p.number("stride"));
      of_warp.push_back(added(element_number(buffers, type, element), p.number("loads")));
    }
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = of_warp[i % 32];
  };
  v.theory = typed_theory();
  return v;
}

// ---- structures -------------------------------------------------------------------------------

// out[thread] is the sum of the fields that field_of names, in the kernel's order.
template <typename T>
void sum_fields(const Params& p, Buffers& buffers, bool split) {
  const auto in = buffers.as<T>("in");
  const auto out = buffers.as<T>("out");
  const auto fields = count_of(p.number("fields"));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto thread = i % kThreads;
    T sum = 0;
    for (std::uint64_t f = 0; f < fields; ++f) {
      sum += in[split ? f * kThreads + thread : thread * fields + f];
    }
    out[i] = sum;
  }
}

std::vector<TheoryRow> records_theory(const Expr& ways, const std::string& why) {
  const Expr width("width");
  const auto reads = all_warps() * "fields";
  const auto groups = reads * width / 4;
  return rows({
      shared_rows(Op::kLoad, {reads, reads * ways, groups, {}, why, ways}),
      shared_rows(Op::kStore, {reads, groups, groups, {}, "Neighbouring words: no conflict."}),
      {shared_conflicts(reads * (ways - width / 4), "The loads' alone: the fill has none.")},
      global_rows(Op::kLoad,
                  {reads, reads * width, reads * 32 * width, groups, "Neighbours fill sectors."}),
      global_rows(Op::kStore, {all_warps(), all_warps() * width, blocks() * "threads" * width,
                               all_warps() * width / 4, "Neighbours fill sectors."}),
      moved(Expr("threads") * "fields" * width, Expr("warps") * width),
  });
}

Variant records(bool split) {
  const std::string name = split ? "records_split" : "records";
  Variant v;
  v.name = name;
  v.summary = split ? "an array for each field: no conflicts"
                    : "an array of structures, read field by field: a stride of `fields`";
  v.kernel = [name](const Params& p) {
    const std::string type = p.number("width") == 8 ? "double" : "float";
    return name + "<" + type + ", " + std::to_string(p.number("fields")) + ">";
  };
  v.reads = {"fields", "width", "blocks"};
  v.points = product({{"fields", integers(1, split ? 4 : 8)},
                      {"width", {std::int64_t{4}, std::int64_t{8}}},
                      {"blocks", {kBlocks}}});
  v.gpu_points = with_many_blocks(v.points);
  v.telling = points_with(v, {{"width", {4}}, {"fields", {4}}});
  if (!split) {
    v.telling = joined({points_with(v, {{"width", {4}}, {"fields", {1, 2, 3, 4, 7, 8}}}),
                        points_with(v, {{"width", {8}}, {"fields", {1, 2}}})});
  }
  v.launch = launch;
  v.args = [](const Params& p) {
    const auto type = p.number("width") == 8 ? ElementType::kF64 : ElementType::kF32;
    return arguments(p, type, kThreads * p.number("fields"), kThreads, {});
  };
  v.reference = [split](const Params& p, Buffers& buffers) {
    if (p.number("width") == 8) return sum_fields<double>(p, buffers, split);
    sum_fields<float>(p, buffers, split);
  };
  v.theory = split ? records_theory(Expr("width") / 4, "Neighbouring threads, neighbouring words.")
                   : records_theory(Expr("width") / 4 * gcd("fields", 128 / Expr("width")),
                                    "The stride is the number of fields: free where it is odd.");
  return v;
}

// Words 2 t and 2 t + 1 of thread t: `even` + scale * `odd`.
std::function<void(const Params&, Buffers&)> pair_reference(float scale) {
  return [scale](const Params&, Buffers& buffers) {
    const auto in = buffers.f32("in");
    const auto out = buffers.f32("out");
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto thread = i % kThreads;
      // One rounding for scale * odd + even, as the compiler's fma has.
      out[i] = std::fmaf(scale, in[2 * thread + 1], in[2 * thread]);
    }
  };
}

std::vector<TheoryRow> pair_theory(const Expr& reads, const Expr& groups, const Expr& conflicts,
                                   const std::string& why) {
  const auto fills = all_warps() * 2;
  return rows({
      shared_rows(Op::kLoad, {reads, groups + conflicts, groups, {}, why}),
      shared_rows(Op::kStore, {fills, fills, fills, {}, "Neighbouring words: no conflict."}),
      {shared_conflicts(conflicts, "The loads' alone: the fill has none.")},
      global_rows(Op::kLoad,
                  {fills, fills * 4, fills * 128, fills, "A warp's 32 floats are four sectors."}),
      global_rows(Op::kStore, floats_out()),
      moved(Expr("threads") * 8, Expr("warps") * 4),
  });
}

Variant two_words(const std::string& name, const std::string& summary, float scale, bool merged) {
  Variant v;
  v.name = name;
  v.summary = summary;
  v.kernel = kernel(name);
  v.reads = {"blocks"};
  v.points = {{{"blocks", kBlocks}}};
  v.gpu_points = with_many_blocks(v.points);
  v.launch = launch;
  v.args = [](const Params& p) {
    return arguments(p, ElementType::kF32, 2 * kThreads, kThreads, {});
  };
  v.reference = pair_reference(scale);
  v.theory = merged ? pair_theory(all_warps(), all_warps() * 2, 0,
                                  "The compiler makes one 8-byte load of the two words: two groups "
                                  "of 16 lanes, each of which fills the banks.")
                    : pair_theory(all_warps() * 2, all_warps() * 2, all_warps() * 2,
                                  "Two loads at stride 2, each a 2-way conflict.");
  v.merged = merged;
  return v;
}

// Each thread brings two elements to shared memory, and every block writes them out in order.
Variant bring(bool neighbours) {
  Variant v;
  v.name = neighbours ? "bring_neighbours" : "bring_halves";
  v.summary = neighbours ? "thread t stores words 2 t and 2 t + 1: 2-way conflicts"
                         : "thread t stores words t and t + 256: no conflict";
  v.kernel = kernel(v.name);
  v.reads = {"blocks"};
  v.points = {{{"blocks", kBlocks}}};
  v.gpu_points = with_many_blocks(v.points);
  v.launch = launch;
  v.args = [](const Params& p) {
    return arguments(p, ElementType::kF32, 2 * kThreads, 2 * kThreads, {});
  };
  v.reference = [](const Params&, Buffers& buffers) {
    const auto in = buffers.f32("in");
    const auto out = buffers.f32("out");
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = in[i % in.size()];
  };
  const auto twice = all_warps() * 2;
  const int ways = neighbours ? 2 : 1;
  const std::string why = neighbours ? "Every second of 64 neighbouring floats: eight sectors."
                                     : "A warp's 32 floats are four sectors.";
  const auto once = term("once", Expr("threads") * 8 / 32, "sectors of a block's floats");
  v.theory = rows({
      shared_rows(Op::kStore, {twice,
                               twice * ways,
                               twice,
                               {},
                               neighbours ? "Stores at stride 2: a 2-way conflict each."
                                          : "Neighbouring words: no conflict."}),
      shared_rows(Op::kLoad, {twice, twice, twice, {}, "Neighbouring words: no conflict."}),
      {shared_conflicts(twice * (ways - 1), "The stores' alone: the loads have none.")},
      global_rows(Op::kLoad, {twice, twice * 4 * ways, twice * 128, twice * ways, why}),
      global_rows(Op::kStore,
                  {twice, twice * 4, twice * 128, twice, "A warp's 32 floats are four sectors."}),
      traffic_rows({once, twice * 4 * ways, once / 2, twice * 4, twice * 4, 0,
                    "The input at least once, at most as often as warps ask; the output once."}),
  });
  return v;
}

// ---- columns of a tile ------------------------------------------------------------------------

std::vector<TheoryRow> column_theory(const Expr& load_ways, const Expr& store_ways,
                                     const std::string& why) {
  const auto fills = blocks() * 32;
  const auto reads = blocks() * 32 * "passes";
  const auto global = [&](const std::string& global_why) {
    return GlobalCost{fills, fills * 4, fills * 128, fills, global_why};
  };
  return rows({
      shared_rows(Op::kLoad, {reads, reads * load_ways, reads, {}, why, load_ways}),
      shared_rows(Op::kStore, {fills, fills * store_ways, fills, {}, why, store_ways}),
      {shared_conflicts(reads * (load_ways - 1) + fills * (store_ways - 1),
                        "Of loads and stores together.")},
      global_rows(Op::kLoad, global("A row of 32 floats is four sectors.")),
      global_rows(Op::kStore, global("A column of 32 floats is written as a row.")),
      moved(4096, 128),
  });
}

Variant column_base(const std::string& name, const std::string& summary) {
  Variant v;
  v.name = name;
  v.summary = summary;
  v.kernel = kernel(name);
  v.reads = {"passes", "blocks"};
  v.points = product(
      {{"passes", {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}}}, {"blocks", {kBlocks}}});
  v.gpu_points =
      product({{"passes", {std::int64_t{1}, std::int64_t{64}}}, {"blocks", {2 * kGpuBlocks}}});
  v.telling = points_with(v, {{"passes", {4, 64}}});
  v.launch = launch;
  v.args = [](const Params& p) {
    return arguments(p, ElementType::kF32, kTile * kTile, kTile * kTile, {"passes"});
  };
  v.reference = [](const Params& p, Buffers& buffers) {
    const auto in = buffers.f32("in");
    const auto out = buffers.f32("out");
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto x = i / kTile % kTile;
      out[i] = added(in[i % kTile * kTile + x], p.number("passes"));
    }
  };
  return v;
}

Variant column() {
  auto v =
      column_base("column", "a warp reads a column of a tile whose rows have `pad` extra words");
  v.reads = {"pad", "passes", "blocks"};
  v.points = product({{"pad", {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{4}}},
                      {"passes", {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}}},
                      {"blocks", {kBlocks}}});
  v.gpu_points =
      product({{"pad", {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{4}}},
               {"passes", {std::int64_t{1}, std::int64_t{64}}},
               {"blocks", {2 * kGpuBlocks}}});
  v.telling = joined({points_with(v, {{"passes", {1}}, {"blocks", {kBlocks}}}),
                      points_with(v, {{"passes", {64}}})});
  v.args = [](const Params& p) {
    return arguments(p, ElementType::kF32, kTile * kTile, kTile * kTile, {"pad", "passes"});
  };
  v.theory = column_theory(gcd(32 + Expr("pad"), 32), 1,
                           "A column is a stride of 32 + pad words: without padding 32 ways, and "
                           "with one word of it one.");
  return v;
}

Variant column_swizzled() {
  auto v = column_base("column_swizzled", "element (y, x) is kept at column x ^ y: no padding");
  v.theory = column_theory(1, 1, "x ^ y runs through all banks, along rows and columns.");
  return v;
}

Variant column_transposed() {
  auto v = column_base("column_transposed", "transposed on the way in: conflicts are paid once");
  v.theory =
      column_theory(1, 32, "The stores go down a column, 32-way; the loads along a row, free.");
  return v;
}

}  // namespace

Lab bank_conflicts() {
  Lab lab;
  lab.number = 3;
  lab.id = "bank_conflicts";
  lab.folder = "03_bank_conflicts";
  lab.title = "Bank conflicts";
  lab.summary = "N-way conflicts in shared memory and their cures";
  lab.params = parameters();
  lab.variants = {
      stride(),
      stride_plain(),
      base_index(),
      registers(),
      column(),
      broadcast(),
      typed(),
      records(false),
      records(true),
      two_words("pair_plain", "a structure of two words read whole: one 8-byte load", 1, true),
      two_words("interleaved", "words 2 t and 2 t + 1, each read at stride 2", 3, false),
      two_words("interleaved_plain", "the same with nothing pinned: one 8-byte load", 3, true),
      bring(true),
      bring(false),
      column_swizzled(),
      column_transposed(),
  };
  lab.headline = {"shared_load_ways", "shared_load_wavefronts_sass", "shared_bank_conflicts"};
  return lab;
}

}  // namespace lab::labs
