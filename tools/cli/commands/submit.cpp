// lab submit: what a student hands in: the kernel as one file, and a record of what it is.
#include <fmt/format.h>

#include <filesystem>

#include "harness/classes/grade/feedback.h"
#include "harness/classes/grade/file_names.h"
#include "harness/classes/grade/grade.h"
#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/text.h"
#include "harness/labs/registry.h"
#include "harness/run/places.h"
#include "harness/run/version.h"
#include "tools/cli/commands/later.h"
#include "tools/cli/json/json_grade.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

namespace fs = std::filesystem;

std::string required_value(const Arguments& arguments, const char* name, const char* what) {
  const auto value = arguments.value(name);
  if (!value) throw input_error(fmt::format("lab submit needs --{} {}", name, what));
  return *value;
}

// Text and name as they will be handed in.
grade::Submission submission_of(const std::string& student, const std::string& path) {
  const KernelText text = run::read_source(path, {});
  if (!text.included.empty()) {
    throw input_error(fmt::format("'{}' includes '{}', and one file is handed in", path,
                                  text.included.front().name),
                      "put its text in place of the #include line");
  }
  grade::Submission submission;
  submission.student = student;
  submission.path = path;
  submission.text = text;
  submission.sha256 = sha256_hex(text.text);
  submission.text->name = fs::path(path).filename().string();
  return submission;
}

// What this command wrote itself may be replaced: its record has the sum of its text.
bool handed_in_before(const std::string& file, const std::string& record) {
  std::error_code failed;
  if (!fs::is_regular_file(fs::symlink_status(file, failed)) ||
      !fs::is_regular_file(fs::symlink_status(record, failed))) {
    return false;
  }
  return run::read_text(record, "the record").find(sha256_hex(run::read_text(file, "the file"))) !=
         std::string::npos;
}

// Points at the sizes that students are told, and no others.
grade::Rubric open_part(grade::Rubric rubric) {
  std::erase_if(rubric.requests,
                [&](const CaseRequest& request) { return rubric.hidden.count(request.index) > 0; });
  return rubric;
}

Table criteria_table(const db::GradeRow& grade) {
  Table table{{{"criterion", Align::kLeft, true},
               {"points", Align::kRight},
               {"of", Align::kRight},
               {"reason", Align::kLeft, true}}};
  for (const db::CriterionRow& row : grade.criteria) {
    table.rows.push_back({{safe_line(row.name)},
                          {row.points ? number_text(*row.points) : std::string("open")},
                          {number_text(row.of)},
                          {safe_line(row.reason.substr(0, row.reason.find('\n'))), Tone::kDim}});
  }
  return table;
}

}  // namespace

int run_submit(const Arguments& arguments, const Console& console) {
  const Lab& lab = find_lab(arguments.positionals().front());
  const std::string kernel = required_value(arguments, "kernel", "FILE");
  const std::string student = required_value(arguments, "student", "NAME");
  const fs::path folder(arguments.value("out").value_or("."));
  const std::string name = grade::file_name_of(student);
  const std::string file = (folder / (name + ".cu")).string();
  const std::string record = (folder / (name + ".json")).string();
  const std::vector<std::string> inputs = files_read(arguments);
  for (const std::string& path : {file, record}) require_output(path, inputs);
  if (!handed_in_before(file, record)) require_free(arguments, file);
  const std::string rubric_file = run::lab_file(lab, "rubric.toml");
  const grade::Rubric rubric =
      open_part(grade::read_rubric(rubric_file, run::read_text(rubric_file, "the rubric"), lab));
  const grade::Submission submission = submission_of(student, kernel);
  grade::GradeOptions options;
  options.cancelled = console.interrupted;
  const grade::Graded graded = grade::grade_one(rubric, submission, options);
  if (console.interrupted()) return 1;
  // Who hands in what cannot be run should know it now, not from the grade.
  if (graded.row.status == db::GradeStatus::kNotCompiled ||
      graded.row.status == db::GradeStatus::kNoKernel) {
    throw input_error(graded.row.reason, "nothing was written: hand in what compiles");
  }
  const std::string document = submitted_json({lab.number, student, name + ".cu", submission.sha256,
                                               run::program_version(), utc_now(), graded.row});
  write_file(file, submission.text->text, "the submission", inputs);
  write_file(record, document + "\n", "the record", inputs);
  if (arguments.has("json")) {
    fmt::print("{}\n", document);
    return 0;
  }
  fmt::print("{}\nAt the sizes that are told: {}. The grader may run others.\n",
             table_text(criteria_table(graded.row), console.out, kTableIndent),
             grade::points_text(graded.row.points, graded.row.of));
  fmt::print("Hand in {} and {}.\n", safe_line(file), safe_line(record));
  return 0;
}

}  // namespace lab::cli
