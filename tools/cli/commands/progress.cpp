// lab progress: what of the labs a student has done.
#include <fmt/format.h>

#include "harness/classes/study/progress.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/commands/learning.h"
#include "tools/cli/json/json_study.h"
#include "tools/cli/text/page_text.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

using study::LabProgress;

Cell kernel_cell(const LabProgress& one) {
  if (one.on_target) return {"on target", Tone::kGood};
  if (one.own_kernels > 0) return {"not yet on target", Tone::kNote};
  return {"-", Tone::kDim};
}

std::string progress_text(const std::vector<LabProgress>& all, const Terminal& terminal) {
  const auto share = [](std::size_t right, std::size_t of) {
    return of == 0 ? Cell{"-", Tone::kDim} : Cell{fmt::format("{} of {}", right, of)};
  };
  Table table{{{"lab", Align::kRight},
               {"", Align::kLeft, true},
               {"runs", Align::kRight},
               {"guessed right", Align::kRight},
               {"quiz", Align::kRight},
               {"own kernel"}}};
  for (const LabProgress& one : all) {
    table.rows.push_back(
        {{one.called},
         {one.title},
         one.runs == 0 ? Cell{"-", Tone::kDim} : Cell{std::to_string(one.runs)},
         share(one.guessed_right, one.guessed),
         one.answered == 0 ? Cell{"-", Tone::kDim} : share(one.answered_right, one.questions),
         kernel_cell(one)});
  }
  std::string out = table_text(table, terminal, 0);
  return out + "\n" + solved_text(all) + "\n";
}

int run_progress(const Arguments& arguments, const Console& console) {
  const std::string student = arguments.value("student").value_or("");
  std::optional<db::Store> store = store_of_records(arguments);
  const study::Records records = study::records_of(store ? &*store : nullptr, student);
  const std::vector<LabProgress> all = study::progress_of(records);
  if (arguments.has("json")) {
    fmt::print("{}\n", progress_json(student, all));
  } else {
    fmt::print("{}{}", progress_text(all, console.out),
               page_text(next_page(next_command(records)), console.out));
  }
  return 0;
}

}  // namespace

Command progress_command() {
  return {"progress",
          "Show what of the labs is done: runs, guesses, quizzes, kernels on target",
          {},
          {{"student", "NAME", "Whose (default: of runs that name nobody)"}, database_option()},
          "  lab progress",
          run_progress};
}

}  // namespace lab::cli
