// lab watch: runs a student's file each time that it is saved, and shows what changed.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/labs/registry.h"
#include "harness/page/make.h"
#include "harness/reading/case_reading.h"
#include "harness/run/places.h"
#include "tools/cli/arguments/run_options.h"
#include "tools/cli/commands/advising.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/commands/lab_run.h"
#include "tools/cli/commands/learning.h"
#include "tools/cli/commands/shown_run.h"
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

// Leaves room on the screen for the shell's line.
int most_lines(const Terminal& terminal) {
  constexpr int kUsual = 24;
  constexpr int kOthers = 2;
  return (terminal.lines > 0 ? terminal.lines : kUsual) - kOthers;
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
        tell(result);
      }
      before_ = std::move(now);
    } catch (const Error& error) {
      // A file that does not compile yet is being edited: its error is shown, and watching goes on.
      if (error.fault() != Fault::kInput) throw;
      fmt::print(json ? stderr : stdout, "{}", safe_text(render(error)));
    }
    std::fflush(stdout);
  }

  // The run's page, as far as the screen has room for it. Before a mistake is mended, what the
  // kernel costs is no matter.
  void tell(const run::RunResult& result) {
    const RunRecord& now = result.run;
    db::Store* const store = store_ ? &*store_ : nullptr;
    reading::RunView view;
    view.saved = utc_now().substr(11, 8);
    view.before = before_ ? &*before_ : nullptr;
    page::Page page = shown_run(now, &lab_, view, store);
    const bool mistaken = std::any_of(now.cases.begin(), now.cases.end(), reading::has_mistake);
    if (!mistaken) {
      const auto advised = advised_in(result, store, workers_, AdviceFor::kFirst);
      page::append(page, advised_page(result, advised, AdviceFor::kFirst));
    }
    page::append(page, solved_page(now, lab_, store, now.student));
    fmt::print("{}", page_text(page, console_.out, most_lines(console_.out)));
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
