// lab record: what any program's kernels took on this machine's GPU.
#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include "harness/box/worker/client.h"
#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/kernel/toolkit/toolkit.h"
#include "harness/record/recording_page.h"
#include "harness/record/run_program.h"
#include "harness/record/summary.h"
#include "harness/run/temporary_folder.h"
#include "tools/cli/commands/later.h"
#include "tools/cli/json/json_record.h"
#include "tools/cli/text/page_text.h"

namespace lab::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRowsShown = 20;

std::vector<fs::path> cupti_folders() {
  const toolkit::ToolkitSearch search = toolkit::find_toolkit();
  return search.found ? search.found->libraries : std::vector<fs::path>();
}

/// The file that the recording is kept in; empty: none was asked for.
class Kept {
 public:
  explicit Kept(const Arguments& arguments) {
    const auto path = arguments.value("output");
    if (!path) return;
    struct stat there {};
    if (!arguments.has("replace") && ::lstat(path->c_str(), &there) == 0) {
      throw input_error(fmt::format("'{}' is there already", *path),
                        "name another file, or add --replace");
    }
    require_output(*path, {});
    file_.emplace(*path, "the recording");
  }
  void write(std::string_view bytes) {
    if (file_) file_->write(bytes);
  }
  void commit() {
    if (file_) file_->commit();
  }

 private:
  std::optional<OutputFile> file_;
};

record::RecordStory story_of(const record::Recording& recording, const Arguments& arguments) {
  record::RecordStory story;
  story.summary = record::summarise(recording);
  story.most_rows = arguments.has("all") ? 0 : kRowsShown;
  return story;
}

int show_files(const Arguments& arguments, const Console& console) {
  record::Recording all;
  for (const std::string& path : arguments.positionals()) {
    record::Recording one =
        record::read_recording(read_file(path, "the recording", 4 * record::kMostBytes), path);
    if (all.damage.empty() && !one.damage.empty()) all.damage = path + ": " + one.damage;
    std::move(one.processes.begin(), one.processes.end(), std::back_inserter(all.processes));
  }
  const record::RecordStory story = story_of(all, arguments);
  if (arguments.has("json")) {
    fmt::print("{}\n", recording_json(story));
  } else {
    fmt::print("---\n{}", page_text(record::recording_page(story), console.out));
  }
  return 0;
}

// These are counted beside the time: they are cheap to read, in one pass.
constexpr const char* kUsualMetrics =
    "dram__bytes_read.sum,dram__bytes_write.sum,lts__t_sectors_srcunit_tex_op_read.sum,"
    "lts__t_sectors_srcunit_tex_op_write.sum";

std::string metrics_from(const Arguments& arguments) {
  if (!arguments.has("counters") && !arguments.has("metrics")) return {};
  std::string all(record::kDurationMetric);
  for (const std::string& name : arguments.names("metrics")) {
    if (name != record::kDurationMetric) all += "," + name;
  }
  return arguments.has("metrics") ? all : all + "," + kUsualMetrics;
}

record::RecordPlan plan_from(const Arguments& arguments, const fs::path& folder) {
  record::RecordPlan plan;
  plan.words = arguments.values(kRest);
  plan.folder = fs::absolute(folder);
  plan.library = fs::absolute(worker::default_worker().parent_path() / "liblab-record.so");
  plan.cupti = cupti_folders();
  plan.metrics = metrics_from(arguments);
  plan.output_to_errors = arguments.has("json");
  return plan;
}

// The program's own: what was recorded does not change it.
int status_of(const CommandEnd& end) {
  constexpr int kSignalled = 128;
  return end.signal != 0 ? kSignalled + end.signal : end.status;
}

}  // namespace

int run_record(const Arguments& arguments, const Console& console) {
  if (arguments.values(kRest).empty()) {
    if (!arguments.positionals().empty()) return show_files(arguments, console);
    throw input_error("no program is named",
                      "lab record -- ./app, or lab record FILE for a recording that was kept");
  }
  if (!arguments.positionals().empty()) {
    throw input_error("a recording is shown, or a program recorded: not both");
  }
  const run::TemporaryFolder folder("lab-record");
  const record::RecordPlan plan = plan_from(arguments, folder.path());
  record::require_recordable(plan);
  Kept kept(arguments);
  std::fflush(stdout);
  const CommandEnd end = record::run_recorded(plan);
  record::RecordStory story = story_of(
      record::gather(folder.path(), [&](std::string_view bytes) { kept.write(bytes); }), arguments);
  kept.commit();
  story.end = end;
  story.ranges = record::records_ranges();
  if (arguments.has("json")) {
    fmt::print("{}\n", recording_json(story));
  } else {
    // Standard output is the program's.
    fmt::print(stderr, "---\n{}", page_text(record::recording_page(story), console.err));
  }
  return status_of(end);
}

}  // namespace lab::cli
