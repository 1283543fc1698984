#include "tools/cli/commands/learning.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "harness/classes/study/study.h"
#include "harness/page/make.h"
#include "harness/reading/run_reading.h"
#include "harness/run/places.h"

namespace lab::cli {

std::optional<db::Store> store_of_records(const Arguments& arguments) {
  if (!arguments.has("db")) return store_of_records();
  return db::Store::open(database_path(arguments), db::Mode::kReadOnly);
}

std::optional<db::Store> store_of_records() {
  const std::string path = usual_database();
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  return db::Store::open(path, db::Mode::kReadOnly);
}

Part part_of(const Lab& lab, const study::Records& records) {
  const std::string ran = study::file_of(lab, records);
  if (!ran.empty()) return {ran, true};
  std::error_code ignored;
  const std::string usual = study::usual_file(lab);
  return {usual, std::filesystem::exists(std::filesystem::symlink_status(usual, ignored))};
}

std::string solved_text(const std::vector<study::LabProgress>& all) {
  return fmt::format("Solved {} of {}.", study::solved_of(all), all.size());
}

std::string next_command(const Lab& lab, const study::Records& records) {
  const Part part = part_of(lab, records);
  const study::Level level = study::level_of(lab, study::read_study(lab), records, part.file);
  if (!level.next) return next_command(records);
  return *level.next > 0 || part.begun ? level.steps[*level.next].command
                                       : "lab start " + lab.called();
}

std::string next_command(const study::Records& records) {
  const Lab* lab = study::lab_to_go_on_with(study::progress_of(records));
  return lab == nullptr ? std::string() : next_command(*lab, records);
}

std::string next_of(const Lab& lab, db::Store* store, const std::string& student) {
  if (store == nullptr || !run::has_lab_file(lab, study::kStudyFile)) return {};
  return next_command(lab, study::records_of(store, student));
}

page::Page solved_page(const RunRecord& run, const Lab& lab, db::Store* store,
                       const std::string& student) {
  if (store == nullptr || !reading::read(run).standing.all_on_target()) return {};
  const study::Records records = study::records_of(store, student);
  page::Page page{{page::paragraph(solved_text(study::progress_of(records)))}};
  const bool has_steps = run::has_lab_file(lab, study::kStudyFile);
  if (has_steps) page::append(page, next_page(next_command(lab, records)));
  return page;
}

page::Page open_part_page(const Lab& lab, const RunRecord& run) {
  const bool wrong = std::any_of(run.cases.begin(), run.cases.end(), [](const CaseRecord& record) {
    return record.status == CaseStatus::kWrong;
  });
  if (!wrong || !run::has_lab_file(lab, study::kStudyFile)) return {};
  const study::OpenPart part = study::open_part_of(study::read_study(lab), run.source_text);
  if (part.line == 0) return {};
  // Lines of a comment are one text.
  std::string text;
  for (std::string_view line : part.lines) {
    const bool goes_on = !text.empty() && line.starts_with("// ");
    if (goes_on) line.remove_prefix(3);
    text += fmt::format("{}{}", text.empty() ? "" : " ", line);
  }
  page::Remark remark;
  remark.kind = page::RemarkKind::kCost;
  remark.key = "open_part";
  remark.at = {run.source_name, part.line};
  remark.says = text;
  return {{page::paragraph("What to change:"), {std::move(remark)}}};
}

page::Page next_page(const std::string& command) {
  if (command.empty()) return {};
  return {{{page::Steps{{{"Next", command}}}, page::Rank::kAlways}}};
}

}  // namespace lab::cli
