#include "harness/model/case/endless.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "harness/core/text.h"
#include "harness/model/case/loop_text.h"
#include "harness/model/case/source_words.h"

namespace lab::model {
namespace {

/// The blocks of the innermost loops that instruction `where` is in: a path leads from it to them,
/// and one back. All blocks of an endless loop are such.
struct LoopCode {
  std::set<int> lines;     ///< in the instruction's own file
  bool may_wait = false;   ///< it reads memory or meets other threads
  std::uint32_t file = 0;  ///< of the module
};

using Flags = std::vector<bool>;

// All blocks that `from` leads to over `edges`, itself only if a path comes back to it.
Flags reached(const std::vector<std::vector<std::uint32_t>>& edges, std::uint32_t from) {
  Flags seen(edges.size());
  std::vector<std::uint32_t> open = {from};
  while (!open.empty()) {
    const std::uint32_t block = open.back();
    open.pop_back();
    for (const std::uint32_t next : edges[block]) {
      if (!seen[next]) open.push_back(next);
      seen[next] = true;
    }
  }
  return seen;
}

// Arithmetic alone comes to the same state again for good; all else may see what other threads do.
bool is_arithmetic(const ptx::Instruction& ins) {
  if (ins.op == ptx::Op::kLd) {
    return ins.space == ptx::Space::kParam || ins.space == ptx::Space::kConst ||
           ins.space == ptx::Space::kLocal;
  }
  return ins.op < ptx::Op::kLd || ins.op == ptx::Op::kSt || ins.op == ptx::Op::kBra ||
         ins.op == ptx::Op::kBrx;
}

LoopCode loop_of(const Program& program, std::uint32_t where) {
  const Origin& origin = program.origins.at(where);
  const ptx::Function& function = program.module->functions[origin.function];
  const auto own =
      std::find_if(function.blocks.begin(), function.blocks.end(),
                   [&](const ptx::Block& block) { return origin.instruction <= block.last; });
  const auto start = static_cast<std::uint32_t>(own - function.blocks.begin());
  std::vector<std::vector<std::uint32_t>> forth(function.blocks.size());
  std::vector<std::vector<std::uint32_t>> back(function.blocks.size());
  for (std::uint32_t i = 0; i < function.blocks.size(); ++i) {
    forth[i] = function.blocks[i].successors;
    for (const std::uint32_t next : forth[i]) back[next].push_back(i);
  }
  const Flags behind = reached(forth, start);
  const Flags before = reached(back, start);
  LoopCode loop;
  loop.file = instruction_of(program, where).where.file;
  for (std::uint32_t i = 0; i < function.blocks.size(); ++i) {
    if (!behind[i] || !before[i]) continue;
    const ptx::Block& block = function.blocks[i];
    for (std::uint32_t at = block.first; at <= block.last; ++at) {
      const ptx::Instruction& ins = function.instructions[at];
      loop.may_wait = loop.may_wait || !is_arithmetic(ins);
      if (ins.where.line != 0 && ins.where.file == loop.file) {
        loop.lines.insert(static_cast<int>(ins.where.line));
      }
    }
  }
  return loop;
}

std::optional<LoopText> written_loop(const std::set<int>& lines, std::string_view text) {
  if (lines.empty() || text.empty()) return {};
  auto loop = loop_at_lines(text, *lines.begin(), *lines.rbegin());
  // The lines of an inlined function lie elsewhere.
  for (auto line = lines.begin(); !loop && line != lines.end(); ++line) {
    loop = loop_at_lines(text, *line, *line);
  }
  return loop;
}

std::string why_endless(const LoopText& loop) {
  switch (loop.why) {
    case LoopText::Why::kUnconditional:
      return "nothing in it leaves it";
    case LoopText::Why::kUnchanged:
      return fmt::format("nothing in it changes its condition '{}': {} stays {}", loop.condition,
                         loop.variable, loop.value ? std::to_string(*loop.value) : "as it is");
    case LoopText::Why::kAlwaysTrue:
      break;
  }
  return fmt::format("its condition '{}' always holds{}", loop.condition,
                     loop.is_unsigned ? ", since an unsigned number is never below 0" : "");
}

// The program was executed: after some rounds a further one leaves all as it was.
std::string why_stuck(const LoopText& loop) {
  if (loop.why != LoopText::Why::kAlwaysTrue) return why_endless(loop);
  return fmt::format("a round changes nothing any more, and '{}' holds", loop.condition);
}

}  // namespace

void tell_endless(const Fault& fault, const Program& program, const KernelText& source,
                  Finding& finding) {
  const LoopCode loop = loop_of(program, fault.where);
  const bool stuck = fault.loop == LoopFault::kSpins;
  if (stuck && loop.may_wait) return;
  finding.cause = FindingCause::kNeverEnds;
  finding.message = stuck ? "this loop never ends: a round changes nothing any more"
                          : "this loop never ends: no path leads out of it";
  const std::string_view text = text_of(finding.file, source);
  const std::optional<LoopText> written = written_loop(loop.lines, text);
  if (!written) return;
  finding.line = written->line;
  finding.source = std::string(trim(line_of(text, written->line)));
  finding.message =
      "this loop never ends: " + (stuck ? why_stuck(*written) : why_endless(*written));
}

std::string loop_around(const Program& program, std::uint32_t where, const KernelText& source) {
  if (program.origins.at(where).function == kNone) return {};
  const ptx::Where& at = instruction_of(program, where).where;
  if (at.line == 0) return {};
  const LoopCode loop = loop_of(program, where);
  const auto written = written_loop(loop.lines, text_of(program.module->files[loop.file], source));
  if (!written) return fmt::format("at line {}", at.line);
  return fmt::format("in the loop of line {}, '{}'", written->line, written->condition);
}

}  // namespace lab::model
