// Lab 9: the access patterns of old figures, and any other, on the GPU of today.
#include <cstring>

#include "harness/core/lab.h"
#include "harness/generations/generations.h"
#include "harness/generations/pattern.h"
#include "harness/generations/tables.h"
#include "labs/build.h"
#include "labs/labs.h"

namespace lab::labs {
namespace {

const char* const kEverySecondWord = "0..248+8";

std::vector<ParamSpec> parameters() {
  ParamSpec addresses = {"addresses",
                         "a byte address for each of 32 lanes: 128, - (off) or 0..124+4 for "
                         "several; --pattern FILE reads them from a file",
                         std::string(kEverySecondWord)};
  addresses.accepts = [](std::string_view text) { (void)read_pattern(text, "addresses"); };
  return {
      {"figure",
       "1: in order, one lane off; 2: neighbours swapped; 3: one element too far; 4: any "
       "order; 5: across 128 bytes; 6: one lane in the upper half",
       std::int64_t{1}, 1, 6},
      {"bytes", "bytes of an element", std::int64_t{4}, 4, 16, {}, {4, 8, 16}},
      {"blocks", "blocks of one warp", std::int64_t{4}, 1, 4096},
      addresses,
  };
}

// ---- figures ----------------------------------------------------------------------------------
// A half-warp uses elements `first` to `last` without a gap; in figure 6 of elements wider than
// floats element 20 comes on top.

FormulaNames extent(const Params& p) {
  const auto figure = p.number("figure");
  const bool floats = p.number("bytes") == 4;
  const bool lone = figure == 6 && !floats;
  double first = figure == 3 || (figure == 6 && floats) ? 1 : 0;
  if (figure == 5) first = floats ? 22 : 25;
  return {{"first", first}, {"last", first + (lone ? 14 : 15)}, {"lone", lone}};
}

Expr blocks() { return "blocks"; }
Expr bytes() { return "bytes"; }

Expr touched_by_half(int unit) {
  const auto end = term("end", floor(((Expr("last") + 1) * bytes() - 1) / unit),
                        "where the half-warp's last byte lies");
  const auto begin = term("begin", floor("first" * bytes() / unit), "where its first byte lies");
  const auto apart = floor(20 * bytes() / unit) > end;  // of element 20
  return end - begin + 1 + Expr("lone") * apart;
}

Expr asked_by_figure() { return blocks() * bytes() * choose(equal("figure", 1), 30, 32); }

GlobalCost figure_store() {
  return {blocks(), blocks() * bytes(), asked_by_figure(), blocks() * bytes() / 4,
          "Results are written in order."};
}

// No two blocks read or write the same sector. A lane that idles leaves a sector partly written.
std::vector<TheoryRow> moved(const Expr& read, const Expr& read_blocks, const Expr& written,
                             const Expr& filled) {
  return traffic_rows({read, read, read_blocks, written, written, filled,
                       "Blocks share no sector: each is read once and written once.", true});
}
Expr idle_lane() { return choose(equal("figure", 1), ceil(blocks() * bytes() / 2), 0); }

std::vector<TheoryRow> figure_theory() {
  const GlobalCost load = {
      blocks(), blocks() * 2 * touched_by_half(32), asked_by_figure(),
      blocks() * 2 * touched_by_half(128),
      "Both half-warps touch the sectors from their first element to their last; the lone element "
      "of the sixth figure, of wide elements, comes on top where its sector is another."};
  return rows({global_rows(Op::kLoad, load), global_rows(Op::kStore, figure_store()),
               moved(load.sectors, load.sectors, figure_store().sectors, idle_lane())});
}

// Each block first fills its window of 8 KiB, word by word.
std::vector<TheoryRow> filling(const Expr& stored, const Expr& partly) {
  const auto fills =
      blocks() * constant("fills", Expr(8192) / 128, "of a window of 8 KiB, 32 words at a time");
  return rows({global_rows(Op::kLoad, {fills, fills * 4, fills * 128, fills,
                                       "The window is filled word by word, in order."}),
               shared_rows(Op::kStore, {fills, fills, fills, {}, "Neighbouring words."}),
               moved(fills * 4, fills * 2, stored, partly)});
}

std::vector<TheoryRow> figure_shared_theory() {
  const auto passes = blocks() * choose(equal(bytes(), 4), 2, bytes() / 4 + 2 * Expr("lone"));
  const auto groups = blocks() * bytes() / 4;
  const char* const why =
      "The half-warps are 64 elements apart: with 4 bytes per lane they meet in the same banks; "
      "wider elements go by 128 bytes, and there the lone element shares its banks with another.";
  return rows({filling(figure_store().sectors, idle_lane()),
               shared_rows(Op::kLoad, {blocks(), passes, groups, {}, why}),
               {shared_conflicts(passes - groups, "The loads' alone: the fill has none.")},
               global_rows(Op::kStore, figure_store())});
}

// ---- patterns ---------------------------------------------------------------------------------
// These are not closed formulas: a pattern is a list of addresses, and theory is the published
// rules applied to that list.

std::uint32_t width_of(const Params& p) { return static_cast<std::uint32_t>(p.number("bytes")); }

FormulaNames counted(const Params& p) {
  const auto pattern = pattern_of(p);
  const auto width = width_of(p);
  const auto banks = bank_cost(pattern, width);
  return {{"sectors", static_cast<double>(touched_units(pattern, width, 32))},
          {"lines", static_cast<double>(touched_units(pattern, width, 128))},
          {"asked", static_cast<double>(asked_bytes(pattern, width))},
          {"passes", banks.wavefronts},
          {"passes_sass", banks.wavefronts_sass},
          {"groups", banks.groups}};
}

GlobalCost pattern_store() {
  return {blocks(), blocks() * bytes(), blocks() * bytes() * 32, blocks() * bytes() / 4,
          "Results are written in order, by all lanes."};
}

std::vector<TheoryRow> pattern_theory() {
  return rows({global_rows(Op::kLoad,
                           {blocks(), blocks() * "sectors", blocks() * "asked", blocks() * "lines",
                            "Rules applied to the list of addresses, not a formula: as many as the "
                            "addresses lie in, the rule of 7.x and later."}),
               global_rows(Op::kStore, pattern_store()),
               moved(blocks() * "sectors", blocks() * "sectors", pattern_store().sectors, 0)});
}

std::vector<TheoryRow> pattern_shared_theory() {
  const Expr passes("passes");
  const Expr groups("groups");
  return rows(
      {filling(pattern_store().sectors, 0),
       shared_rows(Op::kLoad,
                   {blocks(), blocks() * passes, blocks() * groups, blocks() * "passes_sass",
                    "Rules applied to the list of addresses, not a formula: as "
                    "many as the busiest bank has words, group by group, the "
                    "rule of 5.x and later."}),
       {shared_conflicts(blocks() * (passes - groups), "The loads' alone: the fill has none.")},
       global_rows(Op::kStore, pattern_store())});
}

// ---- variants -----------------------------------------------------------------------------------

std::string type_name(const Params& p) {
  const auto bytes = p.number("bytes");
  if (bytes == 8) return "double";
  return bytes == 16 ? "float4" : "float";
}

BufferSpec results(const Params& p) {
  const auto bytes = p.number("bytes");
  return output("out", bytes == 8 ? ElementType::kF64 : ElementType::kF32,
                count_of(p.number("blocks") * 32 * (bytes == 16 ? 4 : 1)));
}

// The block's bytes that its lanes choose from, `window` a block.
std::function<void(const Params&, Buffers&)> choosing(std::uint64_t (*window)(const Params&)) {
  return [window](const Params& p, Buffers& buffers) {
    const auto width = width_of(p);
    const auto pattern = pattern_of(p);
    const bool all_store = p.has("addresses");
    const auto in = buffers.raw("in");
    const auto out = buffers.raw("out");
    for (std::uint64_t block = 0; block < count_of(p.number("blocks")); ++block) {
      for (std::uint64_t lane = 0; lane < 32; ++lane) {
        auto* to = &out[(block * 32 + lane) * width];
        if (pattern[lane]) {
          std::memcpy(to, &in[block * window(p) + *pattern[lane]], width);
        } else if (all_store) {
          std::memset(to, 0, width);
        }
      }
    }
  };
}

std::uint64_t whole_window(const Params&) { return kWindow; }
std::uint64_t figure_window(const Params& p) { return 128 * width_of(p); }

Variant base(const std::string& name, const std::string& summary) {
  Variant v;
  v.name = name;
  v.summary = summary;
  v.kernel = [name](const Params& p) { return name + "<" + type_name(p) + ">"; };
  v.launch = [](const Params& p) { return line(p.number("blocks"), 32); };
  v.reference = choosing(whole_window);
  return v;
}

BufferSpec window_input(const Params& p) {
  return input("in", ElementType::kF32, count_of(p.number("blocks")) * kWindow / 4);
}

Variant of_figures(const std::string& name, const std::string& summary) {
  auto v = base(name, summary);
  v.reads = {"figure", "bytes", "blocks"};
  v.points = product({{"bytes", {std::int64_t{4}, std::int64_t{8}, std::int64_t{16}}},
                      {"figure", integers(1, 6)},
                      {"blocks", {std::int64_t{4}}}});
  v.telling = points_with(v, {{"bytes", {4}}});
  v.counts = extent;
  return v;
}

Variant figures() {
  auto v = of_figures("figure", "six patterns of half-warps, as figures drew them for 1.x");
  v.args = [](const Params& p) {
    const auto bytes = p.number("bytes");
    return std::vector<ArgSpec>{input("in", bytes == 8 ? ElementType::kF64 : ElementType::kF32,
                                      count_of(p.number("blocks") * 128 * (bytes == 16 ? 4 : 1))),
                                results(p), scalar_i32(p.number("figure"))};
  };
  v.reference = choosing(figure_window);
  v.theory = figure_theory();
  return v;
}

Variant figures_shared() {
  auto v = of_figures("figure_shared", "the same six, read from shared memory");
  v.args = [](const Params& p) {
    return std::vector<ArgSpec>{window_input(p), results(p), scalar_i32(p.number("figure"))};
  };
  v.theory = figure_shared_theory();
  return v;
}

Variant of_pattern(const std::string& name, const std::string& summary) {
  auto v = base(name, summary);
  v.reads = {"addresses", "bytes", "blocks"};
  v.points = {{{"addresses", std::string(kEverySecondWord)},
               {"bytes", std::int64_t{4}},
               {"blocks", std::int64_t{4}}}};
  v.launch = [](const Params& p) {
    require_aligned(pattern_of(p), width_of(p));
    return line(p.number("blocks"), 32);
  };
  v.args = [](const Params& p) {
    std::vector<ArgSpec> args = {window_input(p), results(p)};
    for (const auto& address : pattern_of(p)) {
      args.emplace_back(scalar_i32(address ? static_cast<std::int64_t>(*address) : -1));
    }
    return args;
  };
  v.counts = counted;
  return v;
}

Variant patterns() {
  auto v = of_pattern("pattern", "any pattern: `--pattern FILE` with 32 byte addresses");
  v.theory = pattern_theory();
  return v;
}

Variant patterns_shared() {
  auto v = of_pattern("pattern_shared", "the same addresses in shared memory");
  v.theory = pattern_shared_theory();
  return v;
}

}  // namespace

Lab capabilities() {
  Lab lab;
  lab.number = 9;
  lab.id = "capabilities";
  lab.folder = "09_capabilities";
  lab.title = "Capabilities";
  lab.summary = "memory access through the generations of GPUs";
  lab.params = parameters();
  lab.variants = {figures(), figures_shared(), patterns(), patterns_shared()};
  lab.headline = {"global_load_sectors_per_request", "global_load_efficiency", "shared_load_ways"};
  lab.tables = generation_tables;
  return lab;
}

}  // namespace lab::labs
