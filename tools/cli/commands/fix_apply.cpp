#include "tools/cli/commands/fix_apply.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/page/make.h"
#include "harness/reading/line_costs.h"
#include "harness/run/apply.h"
#include "harness/run/execute.h"
#include "harness/run/fix_text.h"
#include "tools/cli/commands/print_page.h"
#include "tools/cli/commands/single_case.h"

namespace lab::cli {
namespace {

/// A run of a text, with all that its kernel leaves.
struct Ran {
  RunRecord run;
  CaseOutcome outcome;
};

enum class Block : std::uint8_t { kAsTold, kExchanged };

// `text`: in place of the file's own; null: that.
Ran run_text(const std::string& file, const std::string* text, const Arguments& arguments,
             const Console& console, Block block = Block::kAsTold) {
  BatchRequest batch;
  batch.trace = Trace::kShared;
  batch.threads = 1;
  Ran ran;
  ran.run = run_probe_case(
      file, arguments, console, std::move(batch), run::Backends::kModel,
      [&](const CaseOutcome& outcome) { ran.outcome = outcome; },
      [&](Probe& probe) {
        if (text != nullptr) probe.source.text = *text;
        Dim3& shape = probe.spec.launch.block;
        if (block == Block::kExchanged) std::swap(shape.x, shape.y);
        probe.spec.dump.clear();
        for (const auto& [name, spec] : buffers_of(probe.spec)) probe.spec.dump.push_back(name);
      });
  return ran;
}

// Empty: it does not compile.
std::optional<Ran> ran_text(const std::string& file, const std::string& text,
                            const Arguments& arguments, const Console& console) {
  try {
    return run_text(file, &text, arguments, console);
  } catch (const Error&) {
    return {};
  }
}

const run::ArrayFix* best_of(const std::vector<run::ArrayFix>& fixes) {
  const auto found = std::find_if(fixes.begin(), fixes.end(), [](const run::ArrayFix& one) {
    return !one.problem.global && one.solution.helps();
  });
  return found == fixes.end() ? nullptr : &*found;
}

std::uint64_t cost_now(const Ran& ran, const run::ArrayFix& fix) {
  run::FixOptions options;
  options.shared_alone = true;
  for (const run::ArrayFix& one : run::arrays_of(ran.outcome, source_of(ran.run), options)) {
    if (one.name != fix.name || one.array.space != fix.array.space) continue;
    std::uint64_t cost = 0;
    for (const run::UsedLine& line : one.lines) cost += line.cost;
    return cost;
  }
  return 0;
}

bool is_fine(const Ran& before, const Ran& after) {
  return !run::something_wrong(after.run) && before.outcome.dumped == after.outcome.dumped;
}

void require_same(const Ran& before, const Ran& after, const run::ArrayFix& fix) {
  const std::uint64_t promised = fix.solution.better.front().cost;
  const std::uint64_t counted = cost_now(after, fix);
  const auto fail = [&](const std::string& why) {
    return input_error(fmt::format("the changed kernel {}: nothing is written", why),
                       run::layout_text(fix, fix.solution.better.front().layout));
  };
  if (run::something_wrong(after.run)) throw fail("has a finding, or does not end");
  if (before.outcome.dumped != after.outcome.dumped) throw fail("leaves other results");
  if (counted != promised) {
    throw fail(fmt::format("takes {} wavefronts, not {}",
                           grouped_text(static_cast<double>(counted)),
                           grouped_text(static_cast<double>(promised))));
  }
}

// The lines that differ: neither adds nor takes away any.
page::Source difference(const std::string& name, std::string_view was, std::string_view is) {
  page::Source source;
  const auto before = split(was, '\n');
  const auto after = split(is, '\n');
  for (std::size_t i = 0; i < before.size() && i < after.size(); ++i) {
    if (before[i] == after[i]) continue;
    const int line = static_cast<int>(i) + 1;
    source.lines.push_back({name, line, std::string(trim(before[i])), page::Sign::kGoes});
    source.lines.push_back({name, line, std::string(trim(after[i])), page::Sign::kComes});
  }
  return source;
}

}  // namespace

namespace {

/// Runs layouts of arrays, one after the other, until the one that costs least has been run.
class Layouts {
 public:
  Layouts(const std::string& file, const Arguments& arguments, const Console& console)
      : file_(file),
        text_(read_file(file, "a kernel file")),
        arguments_(arguments),
        console_(console) {}

  void run(run::ArrayFix& fix) {
    std::vector<layout::Candidate>& better = fix.solution.better;
    const std::vector<layout::Candidate> known = better;  // of equal ones, the first changes least
    const auto place_of = [&](const layout::Candidate& one) {
      return std::find_if(known.begin(), known.end(),
                          [&](const auto& other) { return other.layout == one.layout; }) -
             known.begin();
    };
    std::vector<layout::Layout> ran;
    const auto is_ran = [&](const layout::Candidate& one) {
      return std::find(ran.begin(), ran.end(), one.layout) != ran.end();
    };
    while (!is_ran(better.front()) && run::names_anew(fix)) {
      const auto cost = cost_of_best(fix);
      if (!cost) return;
      better.front().cost = *cost;
      ran.push_back(better.front().layout);
      std::sort(better.begin(), better.end(), [&](const auto& a, const auto& b) {
        return std::pair(a.cost, place_of(a)) < std::pair(b.cost, place_of(b));
      });
    }
    fix.ran = is_ran(better.front());
  }

 private:
  // Empty: the text cannot be changed so, or the changed kernel leaves something else.
  std::optional<std::uint64_t> cost_of_best(const run::ArrayFix& fix) {
    const auto changed = run::applied(fix, text_);
    if (!changed) return {};
    if (!before_) before_ = run_text(file_, nullptr, arguments_, console_);
    const auto after = ran_text(file_, *changed, arguments_, console_);
    if (!after || !is_fine(*before_, *after)) return {};
    return cost_now(*after, fix);
  }

  const std::string& file_;
  const std::string text_;
  const Arguments& arguments_;
  const Console& console_;
  std::optional<Ran> before_;
};

}  // namespace

void run_layouts(const std::string& file, std::vector<run::ArrayFix>& fixes,
                 const Arguments& arguments, const Console& console) {
  Layouts layouts(file, arguments, console);
  for (run::ArrayFix& fix : fixes) {
    if (!fix.problem.global && fix.solution.helps()) layouts.run(fix);
  }
}

void apply_layout(const std::string& file, const std::vector<run::ArrayFix>& fixes,
                  const Arguments& arguments, const Console& console) {
  const run::ArrayFix* fix = best_of(fixes);
  if (fix == nullptr) throw input_error("no layout of an array in shared memory helps");
  const std::string text = read_file(file, "a kernel file");
  const auto changed = run::applied(*fix, text);
  if (!changed) {
    throw input_error(fmt::format("{} is used in ways that can't be rewritten: change it by hand",
                                  run::array_name(*fix)));
  }
  const Ran before = run_text(file, nullptr, arguments, console);
  const Ran after = run_text(file, &*changed, arguments, console);
  require_same(before, after, *fix);
  write_file(file, *changed, "the kernel file");
  page::Page page;
  page.blocks.push_back({difference(file, text, *changed), page::Rank::kAlways});
  page.blocks.push_back(page::sentence(fmt::format(
      "Written to {}: {} -> {} wavefronts for {}, counted in a run of the changed kernel, which "
      "leaves the same results.",
      file, grouped_text(static_cast<double>(fix->solution.now.cost)),
      grouped_text(static_cast<double>(fix->solution.better.front().cost)),
      run::array_name(*fix))));
  print_page(page, arguments, console);
}

namespace {

std::string sums_text(const reading::LineCost& was, const reading::LineCost& is) {
  std::string text;
  const auto add = [&](const std::optional<double>& from, const std::optional<double>& to,
                       std::string_view unit) {
    if (from.value_or(0) == 0 && to.value_or(0) == 0) return;
    text += fmt::format("{}{} -> {} {}", text.empty() ? "" : ", ", grouped_text(from.value_or(0)),
                        grouped_text(to.value_or(0)), unit);
  };
  add(was.sectors, is.sectors, "sectors");
  add(was.wavefronts, is.wavefronts, "wavefronts");
  return text;
}

}  // namespace

void apply_exchange(const std::string& file, const CaseRecord& now, const CaseRecord& exchanged,
                    const Arguments& arguments, const Console& console) {
  const std::string text = read_file(file, "a kernel file");
  const std::string kernel = now.kernel.substr(0, now.kernel.find('<'));
  const auto changed = run::with_exchanged_threads(text, kernel);
  if (!changed) {
    throw input_error("threadIdx is used in ways that can't be exchanged: change it by hand");
  }
  const Ran before = run_text(file, nullptr, arguments, console);
  const Ran after = run_text(file, &*changed, arguments, console, Block::kExchanged);
  const auto fail = [](const std::string& why) {
    return input_error(fmt::format("the changed kernel {}: nothing is written", why));
  };
  if (run::something_wrong(after.run)) throw fail("has a finding, or does not end");
  if (before.outcome.dumped != after.outcome.dumped) throw fail("leaves other results");
  const reading::LineCost was = reading::modelled_cost(now);
  const reading::LineCost promised = reading::modelled_cost(exchanged);
  const reading::LineCost counted = reading::modelled_cost(after.run.cases.front());
  if (counted.sectors != promised.sectors || counted.wavefronts != promised.wavefronts) {
    throw fail("counts otherwise: " + sums_text(promised, counted));
  }
  write_file(file, *changed, "the kernel file");
  page::Page page;
  page.blocks.push_back({difference(file, text, *changed), page::Rank::kAlways});
  page.blocks.push_back(page::sentence(
      fmt::format("Written to {}: {} in blocks of {} x {}, which the launch has to ask for. "
                  "Counted in a run of "
                  "the changed kernel, which leaves the same results.",
                  file, sums_text(was, counted), now.launch.block.y, now.launch.block.x)));
  print_page(page, arguments, console);
}

}  // namespace lab::cli
