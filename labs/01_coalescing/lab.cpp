// Lab 1: what the addresses of a warp cost in sectors.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "harness/core/lab.h"
#include "harness/core/parallel.h"
#include "labs/build.h"
#include "labs/labs.h"
#include "labs/touch.h"

namespace lab::labs {
namespace {

constexpr std::int64_t kThreads = 256;
constexpr std::int64_t kElements = 8192;
constexpr std::int64_t kPlaces = 32768;  // of gather's hash
// On a GPU: 256 MiB, so that DRAM is the point and not the launch.
constexpr std::int64_t kManyElements = std::int64_t{1} << 26;
constexpr std::int64_t kSomeElements = std::int64_t{1} << 24;  // where the order is the point

std::vector<ParamSpec> parameters() {
  return {
      {"n", "elements, one per thread", kElements, 1, kManyElements},
      {"bytes", "bytes of an element", std::int64_t{4}, 1, 16, {}, {1, 2, 4, 8, 16}},
      {"stride", "distance of neighbouring threads' elements", std::int64_t{1}, 0, 33},
      {"offset", "first element, counted from an aligned address", std::int64_t{0}, 0, 33},
      {"elements", "floats of the array that is read from", 8 * kElements, 34 * kThreads,
       kManyElements},
      {"run", "neighbours that stay together", std::int64_t{1}, 1, 32, {}, {1, 2, 4, 8, 16, 32}},
      {"active", "lanes of a warp that take part, the first ones", std::int64_t{32}, 1, 32},
      {"keep", "lanes of every four that take part", std::int64_t{3}, 1, 4},
  };
}

// ---- formulas -------------------------------------------------------------------------------
// floor(n / 32) warps are full, the last has n % 32 lanes.

Expr requests() { return ceil(Expr("n") / 32); }
Expr all_bytes() { return Expr("n") * "bytes"; }

// Neighbouring threads, neighbouring elements, from an aligned address.
Expr in_order_units(int unit) {
  const Expr n("n");
  const Expr bytes("bytes");
  if (unit == 32) return ceil(n * bytes / 32);
  return floor(n / 32) * max(1, bytes / 4) + ceil(n % 32 * bytes / 128);
}

GlobalCost in_order() {
  return {requests(), in_order_units(32), all_bytes(), in_order_units(128),
          "32 neighbouring elements fill every sector they touch."};
}

Expr strided() { return strided_sectors("n", "offset", "stride", "bytes"); }

GlobalCost with_stride() {
  const Expr n("n");
  return {requests(), strided(), choose(equal("stride", 0), ceil(n / 32), n) * "bytes",
          strided_lines("n", "offset", "stride", "bytes"),
          "A warp's lanes span 31 strides. Below a stride of one sector they touch every sector of "
          "that span; from there on each lane touches its own; at stride 0 all share one. Every "
          "full warp begins a multiple of 32 strides further, so all begin alike within a sector."};
}

Expr distinct_elements() { return choose(equal("stride", 0), 1, "n"); }

// Distinct units of the whole array that n elements touch, at a stride from an offset.
Expr distinct(int unit) {
  const Expr n("n");
  const Expr stride("stride");
  const Expr offset("offset");
  const Expr bytes("bytes");
  return choose(
      stride * bytes >= unit, n,
      floor(((n - 1) * stride + offset) * bytes / unit) - floor(offset * bytes / unit) + 1);
}

// The traffic of one side of a copy between L1, L2 and DRAM.
struct Side {
  Expr least, most, blocks;
  Expr partly = 0;  // blocks with sectors that stores leave partly written
  bool blocks_at_most = false;
};

Side side_in_order() {
  return {in_order_units(32), in_order_units(32), ceil(Expr("n") * "bytes" / 64)};
}
Side side_with_stride() { return {distinct(32), strided(), distinct(64), distinct(64)}; }
// Some lanes of each warp, none of which shares a sector with another warp.
Side side_of(const GlobalCost& cost) {
  return {cost.sectors, cost.sectors, cost.sectors, cost.sectors, true};
}

std::vector<TheoryRow> copy_theory(const GlobalCost& load, const Side& read,
                                   const GlobalCost& store, const Side& write, const Expr& needed) {
  const auto lines = term("lines", *load.lines, "of the launch");
  const auto requests_of_all = term("requests", load.requests, "of the launch");
  return rows(
      {global_rows(Op::kLoad, load),
       global_rows(Op::kStore, store),
       traffic_rows({read.least, read.most, read.blocks, write.least, write.most, write.partly,
                     "Each sector at least once; those that several warps touch as often "
                     "as L1 has lost them.",
                     read.blocks_at_most}),
       {{"global_load_lines_per_request", lines / requests_of_all, "Lines over requests."},
        {"needed_bytes", needed, "Each element is read once and written once."}}});
}

std::vector<TheoryRow> reverse_theory() {
  // The full warps read 32 elements each, upwards from n % 32; the incomplete one reads the first.
  const Expr n("n");
  const auto cost = [&](Unit unit, int bytes) {
    return in_runs_of_32(floor(n / 32), n % 32, "bytes", unit) +
           ceil(n % 32 * Expr("bytes") / bytes);
  };
  const auto sectors = cost(Unit::kSector, 32);
  auto all =
      copy_theory({requests(), sectors, all_bytes(), cost(Unit::kLine, 128),
                   "The lanes' order does not matter, only which sectors they touch. The first "
                   "warp's elements end at n - 1: where n elements are not whole sectors, such as "
                   "floats with n not a multiple of 8, every warp begins within a sector and "
                   "touches one more."},
                  {in_order_units(32), sectors, ceil(all_bytes() / 64)}, in_order(),
                  side_in_order(), 2 * all_bytes());
  // Sizes that are not whole sectors make it longer than a headline may be; `global_load_lines` has
  // it.
  all.erase(std::remove_if(
                all.begin(), all.end(),
                [](const TheoryRow& row) { return row.metric == "global_load_lines_per_request"; }),
            all.end());
  return all;
}

std::vector<TheoryRow> gather_theory() {
  const Expr n("n");
  const Expr run("run");
  const auto units = [&](int unit) {
    return floor(n / run) * max(1, run * "bytes" / unit) + ceil(n % run * "bytes" / unit);
  };
  return copy_theory({requests(), units(32), all_bytes(), units(128),
                      "The hash puts the runs of a warp at least 472 places apart: none shares a "
                      "sector or line with another."},
                     {1, units(32), units(32), 0, true}, in_order(), side_in_order(),
                     2 * all_bytes());
}

std::vector<TheoryRow> first_theory() {
  const Expr n("n");
  const Expr active("active");
  const Expr bytes("bytes");
  const auto of_last = min(n % 32, active);
  const auto units = [&](int unit) {
    return floor(n / 32) * ceil(active * bytes / unit) + ceil(of_last * bytes / unit);
  };
  const auto asked = (floor(n / 32) * active + of_last) * bytes;
  const GlobalCost cost = {requests(), units(32), asked, units(128),
                           "Sectors behind the last active lane are not touched."};
  return copy_theory(cost, side_of(cost), cost, side_of(cost), 2 * asked);
}

std::vector<TheoryRow> spread_theory() {
  const Expr n("n");
  const Expr keep("keep");
  const Expr bytes("bytes");
  const auto rest = n % 32;
  const auto last = term("end", 4 * floor((rest - 1) / 4) + min((rest - 1) % 4, keep - 1),
                         "the last active lane of the last warp");
  // Up to 8 bytes per lane four lanes fit into a sector, so each sector has an active lane.
  const auto full = choose(bytes <= 8, bytes, 8 * ceil(keep * bytes / 32));
  const auto wide = floor(rest / 4) * ceil(keep * bytes / 32) + ceil(min(n % 4, keep) * bytes / 32);
  const auto of_rest = [&](const Expr& units) { return choose(equal(rest, 0), 0, units); };
  const auto asked = (floor(n / 4) * keep + min(n % 4, keep)) * bytes;
  const GlobalCost cost = {
      requests(),
      floor(n / 32) * full + of_rest(choose(bytes <= 8, floor(last * bytes / 32) + 1, wide)), asked,
      floor(n / 32) * max(1, bytes / 4) + of_rest(floor(last * bytes / 128) + 1),
      "An idle lane saves a sector only where it leaves one untouched."};
  return copy_theory(cost, side_of(cost), cost, side_of(cost), 2 * asked);
}

// ---- data and references --------------------------------------------------------------------

ElementType element(const Params& params) {
  switch (params.number("bytes")) {
    case 1:
      return ElementType::kU8;
    case 2:
      return ElementType::kU16;
    case 8:
      return ElementType::kF64;
    default:
      return ElementType::kF32;  // 16 bytes are four of them
  }
}

std::function<std::string(const Params&)> kernel_of_type(const std::string& name) {
  return [name](const Params& params) {
    switch (params.number("bytes")) {
      case 1:
        return name + "<char>";
      case 2:
        return name + "<short>";
      case 8:
        return name + "<double>";
      case 16:
        return name + "<float4>";
      default:
        return name + "<float>";
    }
  };
}

std::uint64_t elements(const Params& params, std::int64_t count) {
  return indexed(count) * (params.number("bytes") == 16 ? 4 : 1);
}

std::int64_t span_of(const Params& params) {
  return (params.number("n") - 1) * params.number("stride") + params.number("offset") + 1;
}

std::vector<ArgSpec> arguments(const Params& params, std::int64_t in, std::int64_t out,
                               const std::vector<std::string>& scalars) {
  std::vector<ArgSpec> args = {input("in", element(params), elements(params, in)),
                               output("out", element(params), elements(params, out)),
                               scalar_i32(params.number("n"))};
  for (const auto& name : scalars) args.emplace_back(scalar_i32(params.number(name)));
  return args;
}

Launch launch(const Params& params) {
  return line(ceil_div(params.number("n"), kThreads), kThreads);
}

// Where thread i reads or writes, for one set of parameters.
using Index = std::function<std::int64_t(std::int64_t i)>;
using IndexOf = std::function<Index(const Params&)>;
using TakesPart = std::function<bool(const Params&, std::int64_t i)>;

Index same(const Params&) {
  return [](std::int64_t i) { return i; };
}
Index strided_index(const Params& params) {
  return [stride = params.number("stride"), offset = params.number("offset")](std::int64_t i) {
    return i * stride + offset;
  };
}

// out[to(i)] = in[from(i)] for each i that `takes_part`.
std::function<void(const Params&, Buffers&)> copying(const IndexOf& from, const IndexOf& to,
                                                     const TakesPart& takes_part = {}) {
  return [=](const Params& params, Buffers& buffers) {
    const auto bytes = count_of(params.number("bytes"));
    const auto n = params.number("n");
    const auto in = buffers.raw("in");
    const auto out = buffers.raw("out");
    const auto source = from(params);
    const auto target = to(params);
    const auto copy = [&](std::uint64_t at) {
      const auto i = static_cast<std::int64_t>(at);
      if (takes_part && !takes_part(params, i)) return;
      std::memcpy(&out[count_of(target(i)) * bytes], &in[count_of(source(i)) * bytes], bytes);
    };
    // Where all have one target, threads would meet there: any of them may come last.
    if (n > 1 && target(0) == target(1)) return copy(count_of(n - 1));
    each_index(count_of(n), copy);
  };
}

// ---- variants -------------------------------------------------------------------------------

std::vector<Params> points_of(const std::string& name, const std::vector<ParamValue>& values,
                              const std::vector<ParamValue>& bytes = {std::int64_t{4}}) {
  return product({{"n", {kElements}}, {"bytes", bytes}, {name, values}});
}

// The same with many elements: whole warps alone.
std::vector<Params> on_a_gpu(const std::vector<Params>& points) {
  std::vector<Params> many;
  for (Params point : points) {
    if (point.number("n") != kElements) continue;
    point.set("n", kSomeElements);
    many.push_back(std::move(point));
  }
  return many;
}

// Every stride at offset 0, every offset at stride 1, an offset that is free at stride 2, and
// every width in order.
std::vector<Params> stride_points() {
  std::vector<Params> points;
  const auto add = [&](std::int64_t bytes, std::int64_t stride, std::int64_t offset) {
    points.push_back({{"n", kElements}, {"bytes", bytes}, {"stride", stride}, {"offset", offset}});
  };
  for (std::int64_t stride = 0; stride <= 33; ++stride) add(4, stride, 0);
  for (std::int64_t offset = 1; offset <= 33; ++offset) add(4, 1, offset);
  add(4, 2, 1);
  for (const std::int64_t bytes : {1, 2, 8, 16}) add(bytes, 1, 0);
  return points;
}

// On a GPU the array that is strided over has 2^26 elements of 4 bytes at any stride: larger
// strides meet fewer of them.
Params gpu_point(std::int64_t bytes, std::int64_t stride, std::int64_t offset) {
  const auto elements = kManyElements * std::min<std::int64_t>(4, bytes) / bytes;
  const auto n = elements / std::max<std::int64_t>(1, stride) / kThreads * kThreads;
  return {{"n", n}, {"bytes", bytes}, {"stride", stride}, {"offset", offset}};
}

std::vector<Params> gpu_stride_points(const std::vector<std::int64_t>& offsets) {
  std::vector<Params> points;
  for (std::int64_t stride = 0; stride <= 33; ++stride) points.push_back(gpu_point(4, stride, 0));
  for (const auto offset : offsets) points.push_back(gpu_point(4, 1, offset));
  points.push_back(gpu_point(4, 2, 1));
  for (const std::int64_t bytes : {1, 2, 8, 16}) points.push_back(gpu_point(bytes, 1, 0));
  return points;
}

std::vector<std::int64_t> every_offset() {
  std::vector<std::int64_t> offsets(32);
  std::iota(offsets.begin(), offsets.end(), 1);
  return offsets;
}

// A factor of two for each doubling of the stride, up to a sector for each lane, and up to 64 bytes
// of DRAM for each at 16.
std::vector<Params> telling_strides(const Variant& v) {
  return points_with(v, {{"bytes", {4}}, {"stride", {0, 1, 2, 4, 8, 16, 32}}, {"offset", {0}}});
}

// And an offset that makes each warp straddle a sector more.
std::vector<Params> telling_strides_and_offsets(const Variant& v) {
  return joined(
      {telling_strides(v), points_with(v, {{"bytes", {4}}, {"stride", {1}}, {"offset", {1}}})});
}

Variant base(const std::string& name, const std::string& summary, const std::string& kernel_name) {
  Variant v;
  v.name = name;
  v.summary = summary;
  v.kernel = kernel_of_type(kernel_name);
  v.launch = launch;
  return v;
}

Variant load() {
  auto v = base("load", "out[i] = in[i * stride + offset]", "copy_load");
  v.reads = {"n", "bytes", "stride", "offset"};
  v.points = stride_points();
  v.gpu_points = gpu_stride_points(every_offset());
  v.telling = telling_strides_and_offsets(v);
  v.args = [](const Params& p) {
    return arguments(p, span_of(p), p.number("n"), {"stride", "offset"});
  };
  v.reference = copying(strided_index, same);
  v.theory = copy_theory(with_stride(), side_with_stride(), in_order(), side_in_order(),
                         (distinct_elements() + "n") * "bytes");
  return v;
}

Variant store() {
  auto v = base("store", "out[i * stride + offset] = in[i]", "copy_store");
  v.reads = {"n", "bytes", "stride", "offset"};
  v.points = stride_points();
  v.gpu_points = gpu_stride_points({1, 8, 31});
  v.telling = telling_strides(v);
  v.args = [](const Params& p) {
    return arguments(p, p.number("n"), span_of(p), {"stride", "offset"});
  };
  v.reference = copying(same, strided_index);
  v.theory = copy_theory(in_order(), side_in_order(), with_stride(), side_with_stride(),
                         ("n" + distinct_elements()) * "bytes");
  // At stride 0 all threads write one element: which of them comes last is not defined.
  v.unchecked = [](const Params& p) {
    if (p.number("stride") != 0) return std::vector<Unchecked>{};
    return std::vector<Unchecked>{{"out", elements(p, p.number("offset")), elements(p, 1)}};
  };
  return v;
}

Variant both() {
  auto v = base("both", "out[i * stride + offset] = in[i * stride + offset]", "copy_both");
  v.reads = {"n", "bytes", "stride", "offset"};
  v.points = stride_points();
  v.gpu_points = gpu_stride_points({1, 8, 31});
  v.telling = points_with(v, {{"bytes", {4}}, {"stride", {1, 2, 8}}, {"offset", {0}}});
  v.args = [](const Params& p) {
    return arguments(p, span_of(p), span_of(p), {"stride", "offset"});
  };
  v.reference = copying(strided_index, strided_index);
  v.theory = copy_theory(with_stride(), side_with_stride(), with_stride(), side_with_stride(),
                         2 * distinct_elements() * "bytes");
  return v;
}

// ---- curves of the effective bandwidth: one array, read at each stride or from each offset
// ------- By whole blocks, so that what is left over at the array's end does not blur the formulas.

std::int64_t at(const Params& p, const char* name, std::int64_t otherwise) {
  return p.has(name) ? p.number(name) : otherwise;
}

// The elements and sectors that a warp's load touches, and those of all loads: sectors and blocks
// of 64 bytes.
struct Touched {
  Expr elements;  // distinct ones, of a warp's 32
  Expr sectors, lines;
  Expr all_sectors, all_blocks;
  std::string why;
};

Expr threads_of_all() { return 256 * Expr("blocks"); }

Touched touched_at_stride() {
  const Expr stride("stride");
  const auto all = [&](int floats) {
    return choose(stride >= floats, threads_of_all(),
                  floor((threads_of_all() - 1) * stride / floats) + 1);
  };
  const auto one = equal(stride, 0);
  return {choose(one, 1, 32),
          choose(one, 1, min(32, 4 * stride)),
          choose(one, 1, min(32, stride)),
          all(8),
          all(16),
          "A warp's lanes span 31 strides: every sector of that span, and from a stride of eight "
          "floats on a sector each."};
}

Touched touched_from_offset() {
  const Expr offset("offset");
  const auto all = [&](int floats) {
    return floor((threads_of_all() - 1 + offset) / floats) - floor(offset / floats) + 1;
  };
  return {32,
          choose(equal(offset % 8, 0), 4, 5),
          choose(equal(offset % 32, 0), 1, 2),
          all(8),
          all(16),
          "Where the offset is not a multiple of eight floats, a warp straddles a fifth sector."};
}

std::vector<TheoryRow> curve_theory(const Touched& touched) {
  const auto warps = 8 * Expr("blocks");
  const auto bytes = 4 * threads_of_all();
  const GlobalCost load = {warps, warps * touched.sectors, 4 * warps * touched.elements,
                           warps * touched.lines, touched.why};
  const GlobalCost store = {warps, warps * 4, bytes, warps, "A warp's 32 floats are four sectors."};
  const auto distinct_bytes = choose(equal(touched.elements, 1), 4, bytes);
  return copy_theory(load, {touched.all_sectors, load.sectors, touched.all_blocks}, store,
                     {store.sectors, store.sectors, store.sectors / 2}, bytes + distinct_bytes);
}

Variant curve(const std::string& over, std::int64_t first) {
  Variant v;
  v.name = over + "_curve";
  v.kernel = kernel("copy_load<float>");
  v.reads = {"elements", over};
  v.points = product({{"elements", {8 * kElements}}, {over, integers(first, 32)}});
  v.gpu_points = product({{"elements", {kManyElements}}, {over, integers(first, 32)}});
  v.launch = [](const Params& p) {
    const auto elements = p.number("elements") - at(p, "offset", 0);
    const auto stride = std::max<std::int64_t>(1, at(p, "stride", 1));
    return line(elements / stride / kThreads, kThreads);
  };
  v.args = [launch_of = v.launch](const Params& p) {
    const auto n = launch_of(p).grid.x * kThreads;
    return std::vector<ArgSpec>{input("in", ElementType::kF32, count_of(p.number("elements"))),
                                output("out", ElementType::kF32, count_of(n)), scalar_i32(n),
                                scalar_i32(at(p, "stride", 1)), scalar_i32(at(p, "offset", 0))};
  };
  v.reference = [](const Params& p, Buffers& buffers) {
    const auto in = buffers.f32("in");
    const auto out = buffers.f32("out");
    const auto stride = count_of(at(p, "stride", 1));
    const auto offset = count_of(at(p, "offset", 0));
    each_index(out.size(), [&](std::size_t i) { out[i] = in[i * stride + offset]; });
  };
  return v;
}

Variant stride_curve() {
  auto v = curve("stride", 1);
  v.summary = "one array read at each stride: what share is used";
  v.telling = points_with(v, {{"stride", {1, 2, 4, 8, 16, 24, 32}}});
  v.theory = curve_theory(touched_at_stride());
  return v;
}

Variant offset_curve() {
  auto v = curve("offset", 0);
  v.summary = "out[i] = in[i + offset]: warps share the sectors between them";
  v.telling = points_with(v, {{"offset", {0, 2, 8}}});
  v.theory = curve_theory(touched_from_offset());
  return v;
}

Variant reverse() {
  auto v = base("reverse", "out[i] = in[n - 1 - i]", "copy_reverse");
  v.reads = {"n", "bytes"};
  v.points = product({{"n", {kElements, std::int64_t{8191}}},
                      {"bytes", {std::int64_t{1}, std::int64_t{4}, std::int64_t{16}}}});
  v.gpu_points = on_a_gpu(v.points);
  v.telling = points_with(v, {{"n", {kElements, kSomeElements}}});
  v.args = [](const Params& p) { return arguments(p, p.number("n"), p.number("n"), {}); };
  v.reference = copying(
      [](const Params& p) {
        return [last = p.number("n") - 1](std::int64_t i) { return last - i; };
      },
      same);
  v.theory = reverse_theory();
  return v;
}

Variant permuted() {
  auto v = base("permuted", "each warp reads its 32 elements in another order", "copy_permuted");
  v.reads = {"n", "bytes"};
  v.points = product({{"n", {kElements, std::int64_t{8191}}}, {"bytes", {std::int64_t{4}}}});
  v.gpu_points = on_a_gpu(v.points);
  v.args = [](const Params& p) { return arguments(p, p.number("n"), p.number("n"), {}); };
  v.reference = copying(
      [](const Params& p) {
        return [n = p.number("n")](std::int64_t i) {
          const auto first = i / 32 * 32;
          return first + 32 <= n ? first + (5 * i + 3) % 32 : i;
        };
      },
      same);
  v.theory = copy_theory(in_order(), side_in_order(), in_order(), side_in_order(), 2 * all_bytes());
  return v;
}

Variant gather() {
  auto v = base("gather", "runs of neighbours from hashed places", "gather");
  v.reads = {"n", "bytes", "run"};
  v.points = points_of("run", {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8},
                               std::int64_t{16}, std::int64_t{32}});
  v.gpu_points = on_a_gpu(v.points);
  v.args = [](const Params& p) {
    return arguments(p, kPlaces * p.number("run"), p.number("n"), {"run"});
  };
  v.reference = copying(
      [](const Params& p) {
        return [run = p.number("run")](std::int64_t i) {
          const auto place = static_cast<std::uint32_t>(i / run) * 2654435769U >> 17;
          return std::int64_t{place} * run + i % run;
        };
      },
      same);
  v.theory = gather_theory();
  return v;
}

Variant first() {
  auto v = base("first_lanes", "only the first `active` lanes of a warp copy", "first_lanes");
  v.reads = {"n", "bytes", "active"};
  v.points = points_of("active", integers(1, 32));
  v.gpu_points = on_a_gpu(v.points);
  v.telling = points_with(v, {{"active", {1, 2, 4, 8, 9, 16, 17, 32}}});
  v.args = [](const Params& p) { return arguments(p, p.number("n"), p.number("n"), {"active"}); };
  v.reference = copying(
      same, same, [](const Params& p, std::int64_t i) { return i % 32 < p.number("active"); });
  v.theory = first_theory();
  return v;
}

Variant spread() {
  auto v = base("spread_lanes", "only the first `keep` of every four lanes copy", "spread_lanes");
  v.reads = {"n", "bytes", "keep"};
  v.points = points_of("keep", integers(1, 4), {std::int64_t{4}, std::int64_t{16}});
  v.gpu_points = on_a_gpu(v.points);
  v.telling = points_with(v, {{"bytes", {4}}, {"keep", {1, 3, 4}}});
  v.args = [](const Params& p) { return arguments(p, p.number("n"), p.number("n"), {"keep"}); };
  v.reference =
      copying(same, same, [](const Params& p, std::int64_t i) { return i % 4 < p.number("keep"); });
  v.theory = spread_theory();
  return v;
}

}  // namespace

Lab coalescing() {
  Lab lab;
  lab.number = 1;
  lab.id = "coalescing";
  lab.folder = "01_coalescing";
  lab.title = "Coalescing";
  lab.summary = "what the addresses of a warp cost in 32-byte sectors";
  lab.params = parameters();
  lab.variants = {load(),    store(),    both(),   stride_curve(), offset_curve(),
                  reverse(), permuted(), gather(), first(),        spread()};
  lab.headline = {"global_load_sectors_per_request", "global_load_lines_per_request",
                  "global_load_efficiency", "global_store_sectors_per_request",
                  "effective_bandwidth"};
  return lab;
}

}  // namespace lab::labs
