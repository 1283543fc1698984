// lab start, lab hint: a lab's first step, and help on the way.
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>

#include "harness/classes/study/progress.h"
#include "harness/classes/study/study.h"
#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/labs/registry.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/commands/learning.h"
#include "tools/cli/json/json_study.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

// The first thing to type that is not done yet is marked.
std::string steps_text(const study::Level& level, const Terminal& terminal) {
  Table table{{{""}, {"", Align::kRight}, {""}, {"", Align::kLeft, true}}};
  for (std::size_t i = 0; i < level.steps.size(); ++i) {
    const study::Level::State& one = level.steps[i];
    const bool next = level.next == i;
    const bool over = one.done || !level.next;
    const Tone tone = next ? Tone::kStrong : Tone::kDim;
    table.rows.push_back({{over   ? "done"
                           : next ? "-->"
                                  : "",
                           over ? Tone::kGood : Tone::kStrong},
                          {std::to_string(i + 1), tone},
                          {one.command, tone},
                          {one.step.says, tone}});
  }
  return table_text(table, terminal, kTableIndent);
}

bool is_there(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::symlink_status(file, ignored));
}

// The lab that is named, or the one to go on with.
const Lab& lab_to_start(const Arguments& arguments, const study::Records& records) {
  if (!arguments.positionals().empty()) return find_lab(arguments.positionals().front());
  const std::vector<study::LabProgress> all = study::progress_of(records);
  const Lab* lab = study::lab_to_go_on_with(all);
  if (lab == nullptr) {
    throw input_error(fmt::format("all {} labs are solved", all.size()),
                      "lab start N begins one again; lab progress shows them");
  }
  return *lab;
}

// Whoever names a lab or a file begins, and nothing that is there is replaced. Else the file that
// has run or was copied is gone on with.
Part part_to_start(const Arguments& arguments, const Lab& lab, const study::Records& records) {
  if (arguments.positionals().empty() && !arguments.has("output")) return part_of(lab, records);
  const std::string file = arguments.value("output").value_or(study::usual_file(lab));
  if (is_there(file)) {
    throw input_error(
        fmt::format("'{}' is there already: nothing was copied", file),
        fmt::format("go on with it: lab watch {} {}; or --output another.cu", lab.called(), file));
  }
  return {file, false};
}

int run_start(const Arguments& arguments, const Console& console) {
  std::optional<db::Store> store = store_of_records(arguments);
  const study::Records records =
      study::records_of(store ? &*store : nullptr, arguments.value("student").value_or(""));
  const Lab& lab = lab_to_start(arguments, records);
  const study::Study study = study::read_study(lab);
  const Part part = part_to_start(arguments, lab, records);
  const study::Level level = study::level_of(lab, study, records, part.file);
  if (!part.begun) {
    write_file(part.file, study::starter_text(lab, study, part.file), "the starter",
               files_read(arguments));
  }
  if (arguments.has("json")) {
    fmt::print("{}\n", start_json(lab, study, part.file, level));
    return 0;
  }
  fmt::print("{}\n",
             toned(fmt::format("Lab {}: {}", lab.called(), lab.title), Tone::kStrong, console.out));
  if (!part.begun) {
    fmt::print("Yours to edit: {} ({})\n\n{}", safe_line(part.file), study.variant,
               paragraph(study.step, console.out.width));
  }
  fmt::print("\n{}\n", steps_text(level, console.out));
  fmt::print("After each: lab start.   Stuck? lab hint {0}   Theory: lab show {0} --handout\n",
             lab.called());
  return 0;
}

int run_hint(const Arguments& arguments, const Console& console) {
  const Lab& lab = find_lab(arguments.positionals().front());
  const study::Study study = study::read_study(lab);
  const auto count = std::ssize(study.hints);
  const auto number = arguments.number("number", 1, count).value_or(1);
  const bool answer = arguments.has("answer");
  const std::string& text =
      answer ? study.answer : study.hints[static_cast<std::size_t>(number - 1)];
  if (answer && text.empty()) {
    throw input_error(fmt::format("this copy of lab {} has no answer", lab.called()),
                      "it is a course's for its students: ask there");
  }
  if (arguments.has("json")) {
    fmt::print("{}\n", hint_json(lab, answer ? 0 : number, count, text));
    return 0;
  }
  if (answer) {  // lines of code stay as they are
    fmt::print("The lines of {} that do it:\n\n{}", study.variant, text);
    return 0;
  }
  fmt::print("{}",
             paragraph(fmt::format("Hint {} of {}. {}", number, count, text), console.out.width));
  fmt::print("\n{}\n",
             number < count
                 ? fmt::format("The next: lab hint {} --number {}", lab.called(), number + 1)
                 : fmt::format("The code: lab hint {} --answer", lab.called()));
  return 0;
}

}  // namespace

Command start_command() {
  return {"start",
          "Begin a lab with its starter; without a number, go on where you are",
          {"LAB", "A lab's number or name: 3, bank_conflicts", 0, 1},
          {{"output", "FILE", "Where to copy the starter (default labN.cu)"},
           {"student", "NAME", "Whose steps (default: of runs that name nobody)"},
           database_option()},
          "  lab start 3\n  lab start",
          run_start};
}

Command hint_command() {
  return {"hint",
          "Show one of a lab's hints, or its answer",
          {"LAB", "A lab's number or name: 3, bank_conflicts", 1, 1},
          {{"number", "N", "Which hint (default: the first; they get plainer)"},
           {"answer", "", "Show the lines of code that solve it"}},
          "  lab hint 3\n  lab hint 3 --number 2",
          run_hint};
}

}  // namespace lab::cli
