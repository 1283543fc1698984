#include "tools/cli/text/fix_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "harness/core/text.h"
#include "tools/cli/text/cells.h"
#include "tools/cli/text/source_line.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

using layout::Family;
using layout::Layout;
using run::ArrayFix;

constexpr int kIndent = 2;
constexpr std::uint64_t kMostFields = 32;  // of a structure: longer rows are a matrix's

std::string count(std::uint64_t number) { return grouped_text(static_cast<double>(number)); }

std::string_view cost_unit(const ArrayFix& fix) {
  return fix.problem.global ? "sectors" : "wavefronts";
}

std::string indented_text(const std::string& text, int indent, const Terminal& terminal) {
  return paragraph(text, terminal.width, indent);
}

bool has_rows(const ArrayFix& fix) {
  return fix.declared && fix.declared->extents.size() > 1 && fix.declared->extents.back().value;
}

// Rows may be of another length than they are declared with, where a person says so.
bool as_declared(const ArrayFix& fix, const Layout& layout) {
  return has_rows(fix) && fix.declared->extents.back().value == layout.columns;
}

// `tile[r][c ^ r]` where the array has rows, else `s[i ^ i / 32]`; a padding by its declaration.
std::string layout_text(const ArrayFix& fix, const Layout& layout) {
  const std::string name = safe_line(fix.name);
  if (layout.family == Family::kAsIs) return "as it is";
  if (!as_declared(fix, layout)) return written_flat(layout, name);
  if (layout.family != Family::kPadded) return written(layout, name);
  std::string text = name;
  for (std::size_t i = 0; i + 1 < fix.declared->extents.size(); ++i) {
    text += fmt::format("[{}]", *fix.declared->extents[i].value);
  }
  return text + fmt::format("[{}]", layout.columns + layout.pad);
}

std::string used_lines_table(const ArrayFix& fix, const Terminal& terminal) {
  Table table{{{"line", Align::kRight},
               {"", Align::kLeft},
               {"requests", Align::kRight},
               {std::string(cost_unit(fix)), Align::kRight},
               {"at least", Align::kRight}}};
  for (const run::UsedLine& line : fix.lines) {
    const bool bad = line.cost > line.least;
    table.rows.push_back({{line.line > 0 ? std::to_string(line.line) : ""},
                          {std::string(name_of(line.op))},
                          {count(line.requests)},
                          {count(line.cost), bad ? Tone::kNote : Tone::kPlain},
                          {count(line.least)}});
  }
  return table_text(table, terminal, kIndent);
}

std::string layouts_table(const ArrayFix& fix, const Terminal& terminal) {
  Table table{{{"layout", Align::kLeft},
               {std::string(cost_unit(fix)), Align::kRight},
               {"bytes", Align::kRight},
               {"", Align::kLeft}}};
  const auto add = [&](const layout::Candidate& one, const char* note, Tone tone) {
    table.rows.push_back(
        {{layout_text(fix, one.layout)}, {count(one.cost), tone}, {count(one.bytes)}, {note}});
  };
  layout::Candidate now = fix.solution.now;
  now.layout.family = Family::kAsIs;
  add(now, "", fix.solution.better.empty() ? Tone::kPlain : Tone::kNote);
  for (const layout::Candidate& one : fix.solution.better) {
    const bool best = &one == &fix.solution.better.front();
    add(one, best ? "best" : "", best ? Tone::kGood : Tone::kPlain);
  }
  return table_text(table, terminal, kIndent);
}

std::string head_text(const ArrayFix& fix, const Terminal& terminal) {
  const std::string name = fix.name.empty() ? "dynamic shared memory" : safe_line(fix.name);
  std::string shape;
  if (has_rows(fix)) {
    for (const auto& extent : fix.declared->extents) shape += fmt::format("[{}]", *extent.value);
  }
  return fmt::format("{}{}: {} memory, {} bytes, elements of {}\n",
                     toned(name, Tone::kStrong, terminal), shape, name_of(fix.array.space),
                     count(fix.array.bytes), fix.problem.element);
}

/// A kernel's source, as it is printed beside what changes in it.
struct Source {
  const std::string& name;
  const std::string& text;
};

// The declaration as it is and with another last extent.
std::string declaration_text(const ArrayFix& fix, const std::string& extent, const Source& source) {
  const std::string was = source_line(source.text, fix.declared->line);
  const std::string is = safe_line(source::with_last_extent(source.text, *fix.declared, extent));
  return fmt::format("  {}:{}\n  - {}\n  + {}\n", safe_line(source.name), fix.declared->line, was,
                     is);
}

std::string padded_extent(const ArrayFix& fix, const Layout& layout) {
  const source::Extent& last = fix.declared->extents.back();
  const bool number =
      !last.text.empty() && last.text.find_first_not_of("0123456789") == std::string::npos;
  return number ? std::to_string(layout.columns + layout.pad)
                : fmt::format("{} + {}", last.text, layout.pad);
}

// An array of one dimension that needs more room says so in its declaration.
std::string larger_text(const ArrayFix& fix, const layout::Candidate& best, const Source& source) {
  if (best.bytes <= fix.array.bytes || !fix.declared || fix.declared->is_dynamic) return {};
  if (fix.declared->extents.size() != 1) return {};
  return declaration_text(fix, std::to_string(best.bytes / fix.problem.element), source);
}

// The lines that access it, each as it stands.
std::string accesses_text(const ArrayFix& fix, const Source& source, const Terminal& terminal) {
  std::set<int> numbers;
  for (const run::UsedLine& line : fix.lines) numbers.insert(line.line);
  numbers.erase(0);
  std::string out;
  for (const int number : numbers) {
    const std::string text = source_line(source.text, number);
    if (!text.empty()) out += indented_text(fmt::format("{}: {}", number, text), 4, terminal);
  }
  return out;
}

// Every line that changes: the declaration, and each access where an element is named anew.
std::string change_text(const ArrayFix& fix, const layout::Candidate& best, const Source& source,
                        const Terminal& terminal) {
  const Layout& layout = best.layout;
  if (layout.family == Family::kPadded && as_declared(fix, layout)) {
    return declaration_text(fix, padded_extent(fix, layout), source);
  }
  const std::string element = as_declared(fix, layout) ? "(r, c)" : "i";
  const std::string larger = larger_text(fix, best, source);
  std::string text =
      fmt::format("Write {} wherever element {} is accessed", layout_text(fix, layout), element);
  if (best.bytes > fix.array.bytes) {
    const bool by_launch = fix.name.empty() || (fix.declared && fix.declared->is_dynamic);
    const std::string room =
        by_launch ? fmt::format(" of dynamic shared memory (--shared {})", best.bytes)
                  : std::string(", more than are declared");
    text += fmt::format("; it takes {} bytes{}", count(best.bytes),
                        larger.empty() && !fix.problem.global ? room : "");
  }
  if (fix.problem.global) text += "; whoever fills or reads the array must do so too";
  return larger + indented_text(text + ":", kIndent, terminal) +
         accesses_text(fix, source, terminal);
}

std::string proof_text(const ArrayFix& fix, const FixProof& proof) {
  const layout::Candidate& now = fix.solution.now;
  const layout::Candidate& best = fix.solution.better.front();
  std::string text = fmt::format("Saves {} of {} {}, ", count(now.cost - best.cost),
                                 count(now.cost), cost_unit(fix));
  if (fix.array.untraced > 0) {
    text += fmt::format("counted over part of its accesses: {} were not examined.",
                        count(fix.array.untraced));
  } else if (proof.blocks_run < proof.blocks) {
    text += fmt::format("counted over a sample of {} of {} blocks.", count(proof.blocks_run),
                        count(proof.blocks));
  } else {
    text += proof.blocks == 1
                ? "counted over every access of the one block."
                : fmt::format("counted over every access of all {} blocks.", count(proof.blocks));
  }
  return text;
}

std::string bound_text(const ArrayFix& fix) {
  const bool reached = fix.solution.better.front().cost == fix.solution.least;
  if (reached) {
    return fix.problem.global ? "No layout takes fewer: every byte that is moved was asked for."
                              : "No layout takes fewer: no conflict is left.";
  }
  return fmt::format("Best of {} layouts; what is asked for alone would take {}.",
                     count(fix.solution.tried), count(fix.solution.least));
}

// An array with nothing to do about it, in a sentence.
std::string quiet_text(const ArrayFix& fix, const Terminal& terminal) {
  const std::string name = fix.name.empty() ? "dynamic shared memory" : safe_line(fix.name);
  const layout::Solution& solution = fix.solution;
  std::string text = fmt::format("{}: {} {}", name, count(solution.now.cost), cost_unit(fix));
  if (fix.array.untraced > 0) {
    text += fmt::format(" in part of its accesses ({} not examined)", count(fix.array.untraced));
  }
  if (solution.now.cost == solution.least) {
    text += fix.problem.global ? ", nothing wasted." : ", no conflict.";
  } else if (solution.better.empty()) {
    text +=
        fmt::format(" where what is asked for alone would take {}; none of {} layouts takes fewer.",
                    count(solution.least), count(solution.tried));
  } else {
    text += fmt::format(". No layout helps: the best of {} would take {}.", count(solution.tried),
                        count(solution.better.front().cost));
  }
  return indented_text(text, 0, terminal);
}

std::string words_apart(const layout::Problem& problem, const Layout& best) {
  // Parts as wide as the widest access, of which the banks give 128 bytes at once.
  std::uint64_t part = 4;
  for (const layout::Use& use : problem.uses) {
    const std::uint32_t bytes =
        use.rule == CostRule::kSharedRows ? layout::kMatrixRowBytes : use.unit;
    part = std::max<std::uint64_t>(part, bytes);
  }
  const std::uint64_t apart = (best.columns + best.pad) * problem.element;
  if (apart % part != 0) return fmt::format("Rows then begin {} bytes apart.", apart);
  const std::uint64_t parts = 128 / part;
  const std::uint64_t common = std::gcd(apart / part, parts);
  const std::string what = part == 4 ? "words" : fmt::format("parts of {} bytes", part);
  const std::string into = part == 4 ? "banks" : "parts of the banks' 128 bytes";
  return fmt::format("Rows then begin {} {} apart, and gcd({}, {}) = {}: {} rows begin in {} {}.",
                     apart / part, what, apart / part, parts, common, parts / common,
                     parts / common, into);
}

}  // namespace

std::string reason_text(const layout::Problem& problem, const Layout& best) {
  switch (best.family) {
    case Family::kPadded:
      if (problem.global) return "Each row then begins a sector of 32 bytes.";
      return words_apart(problem, best);
    case Family::kPermuted:
      return fmt::format(
          "{} rows put what was in one bank into {} different ones; it takes no memory.",
          1U << best.bits, 1U << best.bits);
    case Family::kRotated:
      return "Each row begins in another bank than the one before; it takes no memory.";
    case Family::kTransposed:
      if (problem.global && best.columns <= kMostFields) {
        return "Neighbouring lanes then find neighbouring elements: an array for each field (a "
               "structure of arrays).";
      }
      return problem.global ? "Neighbouring lanes then find neighbouring elements. Where the order "
                              "in memory is given, go through a tile in shared memory."
                            : "Neighbouring lanes then find neighbouring elements.";
    case Family::kTiled:
      return "The 32 lanes of a warp then find 32 neighbouring elements, and a row stays near.";
    case Family::kShifted:
      return "What a warp asks for then begins at a sector of 32 bytes.";
    default:
      return {};
  }
}

std::string fixes_text(const std::vector<ArrayFix>& fixes, const std::string& source_name,
                       const std::string& source_text, const FixProof& proof,
                       const Terminal& terminal) {
  std::string out;
  for (const ArrayFix& fix : fixes) {
    if (!fix.solution.helps()) continue;
    if (!out.empty()) out += "\n";
    const layout::Candidate& best = fix.solution.better.front();
    out += head_text(fix, terminal) + used_lines_table(fix, terminal) + "\n" +
           layouts_table(fix, terminal) + "\n";
    out += indented_text(
        fmt::format("{}: {}", toned("Best", Tone::kGood, terminal), layout_text(fix, best.layout)) +
            ". " + reason_text(fix.problem, best.layout),
        kIndent, terminal);
    out += change_text(fix, best, {source_name, source_text}, terminal);
    out += indented_text(proof_text(fix, proof) + " " + bound_text(fix), kIndent, terminal);
  }
  std::string quiet;
  for (const ArrayFix& fix : fixes) {
    if (!fix.solution.helps()) quiet += quiet_text(fix, terminal);
  }
  return out + (out.empty() || quiet.empty() ? "" : "\n") + quiet;
}

std::string tile_text(const ArrayFix& tile, const Terminal& terminal) {
  std::string out = head_text(tile, terminal);
  if (!tile.solution.helps()) return out + quiet_text(tile, terminal);
  const layout::Candidate& best = tile.solution.better.front();
  out += layouts_table(tile, terminal) + "\n";
  out += indented_text(fmt::format("{}: {}. {} {}", toned("Best", Tone::kGood, terminal),
                                   layout_text(tile, best.layout),
                                   reason_text(tile.problem, best.layout), bound_text(tile)),
                       kIndent, terminal);
  return out;
}

}  // namespace lab::cli
