#include "harness/run/fix_text.h"

#include <fmt/format.h>

#include "harness/core/numbers.h"
#include "harness/model/layout/reason.h"

namespace lab::run {

using layout::Family;
using layout::Layout;

std::string array_name(const ArrayFix& fix) {
  return fix.name.empty() ? "dynamic shared memory" : fix.name;
}

bool has_rows(const ArrayFix& fix) {
  return fix.declared && fix.declared->extents.size() > 1 && fix.declared->extents.back().value;
}

bool as_declared(const ArrayFix& fix, const Layout& layout) {
  return has_rows(fix) && fix.declared->extents.back().value == layout.columns;
}

std::string layout_text(const ArrayFix& fix, const Layout& layout) {
  if (layout.family == Family::kAsIs) return "as it is";
  if (!as_declared(fix, layout)) return written_flat(layout, fix.name);
  if (layout.family != Family::kPadded) return written(layout, fix.name);
  std::string text = fix.name;
  for (std::size_t i = 0; i + 1 < fix.declared->extents.size(); ++i) {
    text += fmt::format("[{}]", *fix.declared->extents[i].value);
  }
  return text + fmt::format("[{}]", layout.columns + layout.pad);
}

std::string padded_extent(const ArrayFix& fix, const Layout& layout) {
  const source::Extent& last = fix.declared->extents.back();
  const bool number =
      !last.text.empty() && last.text.find_first_not_of("0123456789") == std::string::npos;
  return number ? std::to_string(layout.columns + layout.pad)
                : fmt::format("{} + {}", last.text, layout.pad);
}

bool grows_by_declaration(const ArrayFix& fix, const layout::Candidate& best) {
  return best.bytes > fix.array.bytes && fix.declared && !fix.declared->is_dynamic &&
         fix.declared->extents.size() == 1;
}

bool names_anew(const ArrayFix& fix) {
  const Layout& best = fix.solution.better.front().layout;
  return best.family != Family::kPadded || !as_declared(fix, best);
}

std::string rule_text(const ArrayFix& fix, const layout::Candidate& best) {
  std::string text =
      fmt::format("Write {} wherever element {} is accessed", layout_text(fix, best.layout),
                  as_declared(fix, best.layout) ? "(r, c)" : "i");
  if (best.bytes > fix.array.bytes) {
    const bool by_launch = fix.name.empty() || (fix.declared && fix.declared->is_dynamic);
    const std::string room =
        by_launch ? fmt::format(" of dynamic shared memory (--shared {})", best.bytes)
                  : std::string(", more than are declared");
    const bool told = grows_by_declaration(fix, best) || fix.problem.global;
    text += fmt::format("; it takes {} bytes{}", grouped_text(static_cast<double>(best.bytes)),
                        told ? "" : room);
  }
  if (fix.problem.global) text += "; whoever fills or reads the array must do so too";
  return text;
}

std::string change_text(const ArrayFix& fix) {
  const layout::Candidate& best = fix.solution.better.front();
  return fmt::format(
      "{}. {}", names_anew(fix) ? rule_text(fix, best) : "Declare " + layout_text(fix, best.layout),
      layout::reason_text(fix.problem, best.layout));
}

}  // namespace lab::run
