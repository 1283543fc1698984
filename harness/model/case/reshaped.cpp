#include "harness/model/case/reshaped.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

namespace lab::model {
namespace {

using cubin::Fate;

// An access of 4 bytes per lane is merged into one of 16 at most.
constexpr double kMostMerged = 4;
// A lane's record in the buffer of printf: a header and 8 bytes for each argument, of which there
// are 32 at most. Each word may be a store of its own.
constexpr double kPrintfStores = 64;

std::string_view op_word(const Site& site) {
  switch (site.op) {
    case AccessOp::kLoad:
      return "load";
    case AccessOp::kStore:
      return "store";
    case AccessOp::kAtomic:
      return "atomic";
    default:
      return site.space == ptx::Space::kShared ? "atomic" : "reduction";
  }
}

std::string_view space_of(ptx::Space space) {
  switch (space) {
    case ptx::Space::kShared:
      return "shared";
    case ptx::Space::kLocal:
      return "local";
    default:
      return "global";
  }
}

// Some executions had more lanes than others.
bool has_other_lanes_each_time(const SiteCounts& counts) {
  return counts.requests > 0 && counts.lanes % counts.requests != 0;
}

class ReshapedLines {
 public:
  explicit ReshapedLines(const ptx::Module& module) : module_(&module) {}

  void add(std::string_view what, const ptx::Where& where, const std::string& why) {
    const std::string file =
        where.line > 0 ? std::filesystem::path(module_->files[where.file]).filename().string() : "";
    const std::string place = where.line > 0 ? fmt::format("{}:{}", file, where.line)
                                             : fmt::format("PTX line {}", where.ptx_line);
    lines_.insert(fmt::format("{}: {}: {}", what, place, why));
  }
  [[nodiscard]] std::string text() const { return fmt::format("{}", fmt::join(lines_, "\n")); }

 private:
  const ptx::Module* module_;
  std::set<std::string> lines_;
};

// `PTX line 20: several accesses stand on one line`, without its beginning.
std::string doubt_at(const cubin::SassMap& map, std::uint32_t ptx_line) {
  const std::string begin = fmt::format("PTX line {}: ", ptx_line);
  for (const std::string& doubt : map.doubts) {
    if (doubt.starts_with(begin)) return doubt.substr(begin.size());
  }
  return "it could not be matched";
}

bool calls_printf(const ptx::Module& module, const ptx::Instruction& ins) {
  return ins.op == ptx::Op::kCall &&
         std::any_of(ins.operands.begin(), ins.operands.end(), [&](const ptx::Operand& operand) {
           return operand.kind == ptx::Operand::Kind::kFunction &&
                  module.functions[operand.target].name == "vprintf";
         });
}

const ptx::Instruction& instruction_at(const Program& program, const Origin& origin) {
  return program.module->functions[origin.function].instructions[origin.instruction];
}

double from_printf(const Program& program, const GridResult& result, ReshapedLines& places) {
  double most = 0;
  for (const InstructionOrigin& one : program.instructions) {
    const ptx::Instruction& ins = instruction_at(program, one.origin);
    const std::uint64_t calls = result.entered[one.block];
    if (calls == 0 || !calls_printf(*program.module, ins)) continue;
    most += static_cast<double>(calls) * kLanes * kPrintfStores;
    const std::string why = fmt::format(
        "printf, called {} times by a warp, loads and stores in the machine code of its own",
        calls);
    for (const char* what : {"global_load", "global_store", "global_atomic", "global_reduction"}) {
      places.add(what, ins.where, why);
    }
  }
  return most;
}

}  // namespace

Reshaped reshaped(const Program& program, const cubin::SassMap& map, const GridResult& result) {
  Reshaped made;
  made.sites.resize(program.sites.size());
  ReshapedLines places(*program.module);
  for (std::size_t i = 0; map.absent.empty() && i < program.sites.size(); ++i) {
    const Site& site = program.sites[i];
    const Origin& origin = program.origins[site.where];
    const Fate& fate = map.functions[origin.function][origin.instruction];
    const SiteCounts& counts = result.sites[i];
    if (counts.requests == 0 || !site.counted) continue;
    const ptx::Where& where = instruction_at(program, origin).where;
    const std::string what = fmt::format("{}_{}", space_of(site.space), op_word(site));
    if (fate.kind == Fate::Kind::kUnknown) {
      made.sites[i].low = 1 / kMostMerged;
      places.add(what, where, "machine code and PTX differ: " + doubt_at(map, where.ptx_line));
    }
    if (fate.copies > 1 && has_other_lanes_each_time(counts)) {
      made.sites[i].high = static_cast<double>(counts.lanes) / static_cast<double>(counts.requests);
      places.add(what, where,
                 fmt::format("the machine code has {} copies of it in a loop that it unrolled, and "
                             "lanes that leave the loop in different rounds execute different ones",
                             fate.copies));
    }
  }
  made.printed = from_printf(program, result, places);
  made.text = places.text();
  return made;
}

}  // namespace lab::model
