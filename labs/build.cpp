#include "labs/build.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "harness/core/error.h"

namespace lab::labs {

BufferSpec input(std::string name, ElementType type, std::uint64_t count) {
  Fill fill;
  fill.kind = Fill::Kind::kRandom;
  return {std::move(name), type, count, Direction::kIn, std::move(fill)};
}

BufferSpec output(std::string name, ElementType type, std::uint64_t count) {
  return {std::move(name), type, count, Direction::kOut, {}};
}

BufferSpec zeroed(std::string name, ElementType type, std::uint64_t count) {
  Fill fill;
  fill.kind = Fill::Kind::kZero;
  return {std::move(name), type, count, Direction::kInOut, std::move(fill)};
}

Launch line(std::int64_t blocks, std::int64_t threads) {
  Launch launch;
  launch.grid.x = static_cast<std::uint32_t>(count_of(blocks));
  launch.block.x = static_cast<std::uint32_t>(count_of(threads));
  return launch;
}

std::uint64_t count_of(std::int64_t value) {
  if (value < 0) throw internal_error("a count is negative: " + std::to_string(value));
  return static_cast<std::uint64_t>(value);
}

std::uint64_t indexed(std::int64_t elements) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (elements > kMost) {
    throw input_error("an array of " + std::to_string(elements) + " elements is too large",
                      "the kernel's indices are 32 bits wide: " + std::to_string(kMost) +
                          " elements at most; take fewer, or a smaller stride");
  }
  return count_of(elements);
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::function<std::string(const Params&)> kernel(std::string name) {
  return [name = std::move(name)](const Params&) { return name; };
}

std::vector<TheoryRow> global_rows(Op op, const GlobalCost& cost) {
  const std::string key = op == Op::kLoad ? "global_load_" : "global_store_";
  std::vector<TheoryRow> rows;
  rows.push_back({key + "requests", cost.requests, "One request for each warp's instruction."});
  rows.push_back({key + "sectors", cost.sectors, cost.why});
  const auto sectors = term("sectors", cost.sectors, "of the launch");
  const auto requests = term("requests", cost.requests, "of the launch");
  rows.push_back({key + "sectors_per_request", sectors / requests, "Sectors over requests."});
  if (cost.lines) {
    rows.push_back({key + "lines", *cost.lines, "Distinct 128-byte lines of each instruction."});
  }
  rows.push_back({key + "efficiency", cost.bytes / (32 * sectors),
                  "Distinct bytes asked for over bytes moved, 32 per sector."});
  return rows;
}

std::vector<TheoryRow> shared_rows(Op op, const SharedCost& cost) {
  const std::string key = op == Op::kLoad ? "shared_load_" : "shared_store_";
  const auto sass = cost.wavefronts_sass.value_or(cost.wavefronts);
  return {
      {key + "requests", cost.requests, "One request for each warp's instruction."},
      {key + "wavefronts", cost.wavefronts, cost.why},
      {key + "wavefronts_sass", sass, cost.why},
      {key + "bank_conflicts", cost.wavefronts - cost.groups,
       "Wavefronts beyond those that the width of the access needs anyway."},
      {key + "ways", cost.ways.value_or(sass / cost.requests),
       cost.ways ? cost.why : "Wavefronts over requests."},
  };
}

TheoryRow shared_conflicts(Expr formula, std::string why) {
  return {"shared_bank_conflicts", std::move(formula), std::move(why)};
}

Expr dram_reads(const Expr& sectors, const Expr& blocks) {
  return choose(equal("fetch", 64), 64 * blocks, 32 * sectors);
}

std::vector<TheoryRow> traffic_rows(const Traffic& traffic) {
  const auto row = [&](const char* metric, const Expr& low, const Expr& high) {
    TheoryRow made{metric, low, traffic.why};
    if (!same(low, high)) made.high = high;
    return made;
  };
  return {row("l2_read_sectors", traffic.read_least, traffic.read_most),
          row("l2_write_sectors", traffic.write_least, traffic.write_most),
          row("dram_read_bytes",
              traffic.blocks_at_most ? 32 * traffic.read_least
                                     : dram_reads(traffic.read_least, traffic.read_blocks),
              64 * traffic.read_blocks + 64 * traffic.filled),
          {"dram_write_bytes", 0,
           "L2 writes back late: nothing while the kernel runs, or every sector that was stored.",
           Level::kAsCompiled, 32 * traffic.write_most}};
}

void write_beside(std::vector<TheoryRow>& compiled, const std::vector<TheoryRow>& written) {
  for (auto& row : compiled) {
    const auto beside = std::find_if(written.begin(), written.end(), [&](const TheoryRow& other) {
      return other.metric == row.metric;
    });
    if (beside == written.end() || same(beside->formula, row.formula)) continue;
    row.as_written = beside->formula;
  }
}

std::vector<Params> points_with(const Variant& variant, const std::vector<Values>& chosen) {
  const auto fits = [&](const Params& point) {
    return std::all_of(chosen.begin(), chosen.end(), [&](const Values& one) {
      const auto& values = one.values;
      return !point.has(one.name) ||
             std::find(values.begin(), values.end(), point.number(one.name)) != values.end();
    });
  };
  std::vector<Params> points;
  for (const auto* list : {&variant.points, &variant.gpu_points}) {
    for (const Params& point : *list) {
      const bool known = std::find(points.begin(), points.end(), point) != points.end();
      if (fits(point) && !known) points.push_back(point);
    }
  }
  return points;
}

std::vector<Params> joined(std::initializer_list<std::vector<Params>> lists) {
  std::vector<Params> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

std::vector<TheoryRow> rows(std::initializer_list<std::vector<TheoryRow>> parts) {
  std::vector<TheoryRow> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace lab::labs
