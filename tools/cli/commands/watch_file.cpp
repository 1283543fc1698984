// lab watch: runs a student's file each time that it is saved, and shows what changed.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/labs/registry.h"
#include "harness/reading/advice_page.h"
#include "harness/reading/printed_page.h"
#include "harness/reading/run_reading.h"
#include "harness/reading/watch_page.h"
#include "harness/run/machine.h"
#include "harness/run/places.h"
#include "tools/cli/arguments/run_options.h"
#include "tools/cli/commands/advising.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/commands/lab_run.h"
#include "tools/cli/commands/learning.h"
#include "tools/cli/json/json.h"
#include "tools/cli/text/page_text.h"

namespace lab::cli {

namespace {

using namespace std::chrono_literals;

// The file with what it includes, once it is another than `last`. An editor may replace a file, so
// that for a moment there is none. Empty: interrupted.
std::optional<KernelText> next_text(const std::string& path, const std::optional<KernelText>& last,
                                    const Console& console) {
  constexpr auto kLook = 150ms;
  for (bool first = true;; first = false) {
    if (console.interrupted()) return {};
    try {
      KernelText text = run::read_source(path, {});
      if (!last || text.text != last->text || text.included != last->included) return text;
    } catch (const Error&) {
      if (!last && first) throw;  // a name that was never right
    }
    std::this_thread::sleep_for(kLook);
  }
}

std::string first_advice(const run::RunResult& result, const run::EngineSettings& workers,
                         const Terminal& out) {
  const metrics::Machine machine = run::machine_of(result.run, nullptr);
  for (const auto& cases : reading::to_advise(result.run)) {
    for (const CaseRecord* record : cases) {
      if (reading::read(*record).standing == reading::Standing::kOnTarget) continue;
      const auto found = advice_on(*record, result.prepared, machine, workers);
      if (!found || found->advice.empty()) continue;
      return "\n" +
             page_text({reading::advice_blocks({found->advice.front()}, result.run, {})}, out);
    }
  }
  return open_part_text(*result.prepared.lab, result.run, out);
}

class Watcher {
 public:
  Watcher(const Arguments& arguments, const Console& console)
      : arguments_(arguments),
        console_(console),
        lab_(find_lab(arguments.positionals()[0])),
        path_(arguments.positionals()[1]),
        store_(open_store(arguments)),
        workers_(workers_from(arguments, console, backend_from(arguments, run::Backends::kAuto))),
        engines_(workers_) {}

  void run() {
    const auto most = arguments_.number("runs", 1, 1000000);
    std::optional<KernelText> text;
    for (std::int64_t runs = 0; !most || runs < *most; ++runs) {
      auto next = next_text(path_, text, console_);
      if (!next) return;
      text = std::move(next);
      show(*text);
    }
  }

 private:
  void show(const KernelText& text) {
    const bool json = arguments_.has("json");
    if (!json && console_.out.tty) fmt::print("\x1b[2J\x1b[H");
    if (!json) {
      fmt::print("{}\n\n", toned(fmt::format("Lab {}, {}, saved {}", lab_.called(),
                                             safe_line(path_), utc_now().substr(11, 8)),
                                 Tone::kStrong, console_.out));
    }
    try {
      run::Selection selection = selection_from(arguments_);
      run::RunResult result =
          run_lab({&lab_, run::plan_cases(lab_, selection), text,
                   arguments_.value("student").value_or(""), store_ ? &*store_ : nullptr},
                  arguments_, engines_, console_);
      RunRecord& now = result.run;
      if (json) {
        fmt::print("{}\n", runs_json({now}));
      } else {
        const page::Page page = reading::watch_page(before_ ? &*before_ : nullptr, now);
        fmt::print("{}", page_text(page, console_.out));
        // Before a mistake is mended, what the kernel costs is no matter.
        const bool mistaken = std::any_of(now.cases.begin(), now.cases.end(), reading::has_mistake);
        if (!mistaken) fmt::print("{}", first_advice(result, workers_, console_.out));
        const page::Page printed{reading::printed_blocks(now)};
        fmt::print("{}{}", printed.blocks.empty() ? "" : "\n", page_text(printed, console_.out));
        fmt::print("{}", solved_by(now, lab_, store_ ? &*store_ : nullptr, now.student));
      }
      before_ = std::move(now);
    } catch (const Error& error) {
      // A file that does not compile yet is being edited: its error is shown, and watching goes on.
      if (error.fault() != Fault::kInput) throw;
      fmt::print(json ? stderr : stdout, "{}", safe_text(render(error)));
    }
    std::fflush(stdout);
  }

  const Arguments& arguments_;
  const Console& console_;
  const Lab& lab_;
  std::string path_;
  std::optional<db::Store> store_;
  run::EngineSettings workers_;
  run::EngineSet engines_;
  std::optional<RunRecord> before_ = {};  // the last that ran
};

int run_watch(const Arguments& arguments, const Console& console) {
  Watcher(arguments, console).run();
  return 0;
}

}  // namespace

Command watch_command() {
  std::vector<Option> options = {
      {"variant", "NAMES", "Run these variants only (default: those that the file defines)", true},
      {"param", "NAME=VALUES", "Values of a parameter, as lab run takes them", true},
      {"runs", "N", "Stop after N runs (default: at Ctrl-C)"},
      {"student", "NAME", "Whose runs they are"},
      database_option(),
      {"no-store", "", "Don't store the runs"}};
  for (Option& option : lab_run_options()) options.push_back(std::move(option));
  return {"watch",
          "Run a file of yours each time that it is saved, and show what changed",
          {"LAB FILE", "A lab's number or name, and the file", 2, 2},
          std::move(options),
          "  lab watch 3 mine.cu --runs 1",
          run_watch};
}

}  // namespace lab::cli
