#include "harness/run/layout_cures.h"

#include "harness/run/apply.h"
#include "harness/run/fix.h"
#include "harness/run/fix_text.h"

namespace lab::run {

std::vector<metrics::LayoutCure> layout_cures(const CaseOutcome& outcome, const KernelText& source,
                                              Forbidden forbidden) {
  FixOptions options;
  options.forbidden = forbidden;
  options.shared_alone = true;
  std::vector<metrics::LayoutCure> cures;
  for (const ArrayFix& fix : fixes_of(outcome, source, options)) {
    metrics::LayoutCure cure;
    for (const UsedLine& line : fix.lines) {
      if (line.cost > line.least && line.line > 0) cure.lines.push_back(line.line);
    }
    if (cure.lines.empty()) continue;
    const layout::Solution& solution = fix.solution;
    cure.complete = fix.array.untraced == 0;
    cure.before = static_cast<double>(solution.now.cost);
    cure.after = cure.before;
    if (solution.helps()) {
      cure.after = static_cast<double>(solution.better.front().cost);
      cure.change = change_text(fix);
      if (names_anew(fix)) cure.text = applied(fix, source.text).value_or("");
    }
    cures.push_back(std::move(cure));
  }
  return cures;
}

}  // namespace lab::run
