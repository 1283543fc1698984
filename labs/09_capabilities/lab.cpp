// Lab 9: the access patterns of old figures, on the GPU of today.
#include <cstring>

#include "harness/core/lab.h"
#include "labs/09_capabilities/generations.h"
#include "labs/build.h"
#include "labs/labs.h"

namespace lab::labs {
namespace {

std::vector<ParamSpec> parameters() {
  return {
      {"figure",
       "1: in order, one lane off; 2: neighbours swapped; 3: one element too far; 4: any "
       "order; 5: across 128 bytes; 6: one lane far off",
       std::int64_t{1}, 1, 6},
      {"bytes", "bytes of an element", std::int64_t{4}, 4, 16, {}, {4, 8, 16}},
      {"blocks", "blocks of one warp", std::int64_t{4}, 1, 65535},
  };
}

// Units of a half-warp from element `first` to `last`, without a gap.
std::string span_of(const std::string& first, const std::string& last, const std::string& unit) {
  return "floor(((" + last + " + 1) * bytes - 1) / " + unit + ") - floor(" + first + " * bytes / " +
         unit + ") + 1";
}

// Figures 1, 2 and 4 fill 16 elements; 3 and 5 are 16 elements further on; 6 leaves a gap.
std::string half_warp(const std::string& unit, const std::string& last_of_six) {
  return "if(figure == 3, " + span_of("1", "16", unit) + ", if(figure == 5, " +
         span_of("25", "40", unit) + ", if(figure == 6, " + last_of_six + ", " +
         span_of("0", "15", unit) + ")))";
}

std::vector<TheoryRow> theory() {
  const std::string lanes = "if(figure == 1, 30, 32)";
  const GlobalCost load = {
      "blocks", "blocks * 2 * (" + half_warp("32", "ceil(15 * bytes / 32) + 1") + ")",
      "blocks * bytes * " + lanes,
      "blocks * 2 * (" + half_warp("128", "floor(20 * bytes / 128) + 1") + ")",
      "Both half-warps touch the sectors from their first element to their last; the sixth figure "
      "leaves some out between."};
  const GlobalCost store = {"blocks", "blocks * bytes", "blocks * bytes * " + lanes,
                            "blocks * bytes / 4", "Results are written in order."};
  return rows({global_rows(Op::kLoad, load), global_rows(Op::kStore, store)});
}

std::string type_name(std::int64_t bytes) {
  if (bytes == 8) return "double";
  return bytes == 16 ? "float4" : "float";
}

Variant figures() {
  Variant v;
  v.name = "figure";
  v.summary = "six patterns of half-warps, as figures drew them for compute capability 1.x";
  v.kernel = [](const Params& p) { return "figure<" + type_name(p.number("bytes")) + ">"; };
  v.reads = {"figure", "bytes", "blocks"};
  v.points = product({{"bytes", {std::int64_t{4}, std::int64_t{8}, std::int64_t{16}}},
                      {"figure", integers(1, 6)},
                      {"blocks", {std::int64_t{4}}}});
  v.launch = [](const Params& p) { return line(p.number("blocks"), 32); };
  v.args = [](const Params& p) {
    const auto bytes = p.number("bytes");
    const auto type = bytes == 8 ? ElementType::kF64 : ElementType::kF32;
    const auto per_element = bytes == 16 ? 4 : 1;
    return std::vector<ArgSpec>{
        input("in", type, count_of(p.number("blocks") * 128 * per_element)),
        output("out", type, count_of(p.number("blocks") * 32 * per_element)),
        scalar_i32(p.number("figure"))};
  };
  v.reference = [](const Params& p, Buffers& buffers) {
    const auto width = static_cast<std::uint32_t>(p.number("bytes"));
    const auto pattern = figure(static_cast<int>(p.number("figure")), width);
    const auto in = buffers.raw("in");
    const auto out = buffers.raw("out");
    for (std::uint64_t block = 0; block < count_of(p.number("blocks")); ++block) {
      for (std::uint64_t lane = 0; lane < 32; ++lane) {
        if (!pattern[lane]) continue;
        std::memcpy(&out[(block * 32 + lane) * width], &in[block * 128 * width + *pattern[lane]],
                    width);
      }
    }
  };
  v.theory = theory();
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
  lab.variants = {figures()};
  lab.headline = {"global_load_sectors_per_request", "global_load_efficiency"};
  return lab;
}

}  // namespace lab::labs
