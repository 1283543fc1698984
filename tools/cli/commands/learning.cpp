#include "tools/cli/commands/learning.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

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
  return fmt::format("Solved {} of {}.\n", study::solved_of(all), all.size());
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

std::string next_text(const std::string& command) {
  return command.empty() ? std::string() : fmt::format("Next: {}\n", command);
}

}  // namespace lab::cli
