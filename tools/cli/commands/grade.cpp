// lab grade: a class's submissions, their points, and what comes of them.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <thread>

#include "harness/box/worker/client.h"
#include "harness/classes/grade/assignment.h"
#include "harness/classes/grade/class.h"
#include "harness/classes/grade/feedback.h"
#include "harness/classes/grade/file_names.h"
#include "harness/classes/grade/outputs.h"
#include "harness/classes/grade/platforms.h"
#include "harness/classes/grade/points.h"
#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/core/text.h"
#include "harness/labs/registry.h"
#include "harness/run/engines.h"
#include "harness/run/places.h"
#include "harness/run/session.h"
#include "tools/cli/arguments/measures.h"
#include "tools/cli/arguments/run_options.h"
#include "tools/cli/commands/grade_slurm.h"
#include "tools/cli/commands/later.h"
#include "tools/cli/json/json_grade.h"
#include "tools/cli/terminal/progress.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

namespace fs = std::filesystem;

double budget_of(const Arguments& arguments) {
  return seconds_of("budget", arguments.value("budget").value_or("60s"));
}

double memory_of(const Arguments& arguments) {
  return bytes_of("memory", arguments.value("memory").value_or("2G"));
}

// A whole program's: the folder that its rubric lies in, or the rubric itself.
std::optional<grade::Rubric> assignment_of(const std::string& word) {
  std::error_code failed;
  fs::path path = word;
  if (fs::is_directory(path, failed)) path /= "rubric.toml";
  if (path.extension() != ".toml" || !fs::is_regular_file(path, failed)) return std::nullopt;
  const std::string name = path.string();
  std::optional<grade::Rubric> rubric =
      grade::read_assignment(name, run::read_text(name, "the rubric"));
  if (!rubric) return rubric;
  for (const grade::ProgramRun& one : rubric->runs) {
    const fs::path script = path.parent_path() / one.script;
    if (one.script.empty() || ::access(script.c_str(), X_OK) == 0) continue;
    throw input_error(fmt::format("{} cannot be run", script.string()),
                      "the rubric names it: is it there, and executable?");
  }
  return rubric;
}

grade::Rubric rubric_of(const Arguments& arguments, const std::string& word) {
  if (auto assignment = assignment_of(word)) return *std::move(assignment);
  const Lab& lab = find_lab(word);
  const std::string path = arguments.value("rubric").value_or(run::lab_file(lab, "rubric.toml"));
  return grade::read_rubric(path, run::read_text(path, "the rubric"), lab);
}

std::uint64_t fresh_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 31U) ^ device();
}

// The seed with which the rubric is graded from its first time on.
std::uint64_t keep_rubric(db::Store& store, const grade::Rubric& rubric) {
  return db::keep_rubric(store, {rubric.sha256, rubric.lab->number, rubric.text,
                                 rubric.seed.value_or(fresh_seed()), rubric.pass, rubric.of})
      .seed;
}

// Those of part i of n: by the name, so that parts do not depend on who else handed in.
void keep_shard(const Arguments& arguments, std::vector<grade::Submission>& submissions) {
  const auto text = arguments.value("shard");
  if (!text) return;
  const std::size_t slash = text->find('/');
  std::uint64_t part = 0;
  std::uint64_t parts = 0;
  const char* end = text->data() + text->size();
  if (slash != std::string::npos) {
    std::from_chars(text->data(), text->data() + slash, part);
    std::from_chars(text->data() + slash + 1, end, parts);
  }
  if (part < 1 || part > parts) {
    throw input_error(fmt::format("--shard does not take '{}'", *text), "write --shard 1/4");
  }
  constexpr std::size_t kDigits = 8;
  std::erase_if(submissions, [&](const grade::Submission& one) {
    const std::uint64_t hash =
        std::strtoull(sha256_hex(one.student).substr(0, kDigits).c_str(), nullptr, 16);
    return hash % parts != part - 1;
  });
}

// Tells whose a file was taken for, where the names leave it open.
void tell_whose(const grade::Submission& one, const grade::Roster& roster) {
  for (const std::string& path : one.older) {
    fmt::print(stderr, "note: of {}, {} counts, which is newer than {}\n", safe_line(one.student),
               safe_line(one.path), safe_line(path));
  }
  if (one.off_roster) {
    const std::string near = grade::did_you_mean(roster, one.student);
    fmt::print(stderr, "note: {} is not on the roster: {}{}\n", safe_line(one.student),
               safe_line(one.path), near.empty() ? "" : "; " + safe_line(near));
  }
  if (!one.may_be_folders) return;
  fmt::print(stderr,
             "note: {} is taken as the student {}'s; where its folder is the student's, grade the "
             "folder above, or name a roster\n",
             safe_line(one.path), safe_line(one.student));
}

// Without a roster of this call, what the database knows of the students.
grade::Roster known_roster(db::Store& store, const grade::Roster& roster) {
  if (!roster.empty()) return roster;
  grade::Roster known;
  for (const db::Student& one : db::students(store)) known.push_back({one});
  return known;
}

struct Outputs {
  const grade::Rubric& rubric;
  const grade::Gradebook& book;
  const grade::Roster& roster;
};

void write_outputs(const std::string& folder, const Outputs& outputs,
                   const std::vector<std::string>& inputs) {
  const auto& [rubric, book, roster] = outputs;
  const fs::path out(folder);
  for (const char* part : {"feedback", "gradescope"}) {
    std::error_code error;
    fs::create_directories(out / part, error);
    if (error)
      throw machine_error(
          fmt::format("cannot make {}: {}", (out / part).string(), error.message()));
  }
  const auto write = [&](const fs::path& name, const std::string& text) {
    write_file((out / name).string(), text, "the grades", inputs);
  };
  write("gradebook.csv", grade::gradebook_csv(rubric, book));
  write("gradebook.html", grade::gradebook_html(rubric, book));
  write("junit.xml", grade::gradebook_junit(rubric, book));
  write("canvas.csv", grade::canvas_csv(rubric, book, roster));
  write("moodle.csv", grade::moodle_csv(rubric, book, roster));
  write("brightspace.csv", grade::brightspace_csv(rubric, book, roster));
  for (const db::GradebookRow& one : book) {
    const std::string name = grade::file_name_of(one.grade.student);
    write(fs::path("feedback") / (name + ".md"), grade::feedback_of(one));
    write(fs::path("gradescope") / (name + ".json"), grade::gradescope_json(one));
  }
}

std::string line_of_reason(const std::string& reason) {
  constexpr std::size_t kMost = 100;
  return safe_line(reason.substr(0, std::min(reason.find('\n'), kMost)));
}

std::string book_text(const grade::Gradebook& book, const Terminal& terminal) {
  Table table{{{"student"},
               {"status"},
               {"points", Align::kRight},
               {"of", Align::kRight},
               {"reason", Align::kLeft, true}}};
  for (const db::GradebookRow& one : book) {
    const bool passed = one.passed.value_or(false);
    table.rows.push_back(
        {{safe_line(one.grade.student)},
         {std::string(name_of(one.grade.status)), passed ? Tone::kGood : Tone::kPlain},
         {one.total ? number_text(*one.total) : std::string("open")},
         {number_text(one.grade.of)},
         {line_of_reason(one.grade.reason), Tone::kDim}});
  }
  return table_text(table, terminal, kTableIndent);
}

std::string closing(const grade::ClassResult& result, const grade::Gradebook& book,
                    const std::string& database) {
  std::map<std::string_view, int> statuses;
  for (const db::GradebookRow& one : book) ++statuses[name_of(one.grade.status)];
  std::string counts;
  for (const auto& [status, count] : statuses) {
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, status);
  }
  return fmt::format("\n{} graded now, {} kept from before. In all: {}.\nStored in {}.\n",
                     result.graded, result.kept, counts, safe_line(database));
}

grade::ClassOptions class_options(const Arguments& arguments, const Console& console) {
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  grade::ClassOptions options;
  options.jobs = static_cast<int>(arguments.number("jobs", 1, 256).value_or(cores));
  options.again = arguments.has("again");
  options.each.budget_s = budget_of(arguments);
  options.each.threads = std::max(1, cores / options.jobs);
  options.each.workers = workers_from(arguments, console);
  if (!arguments.has("no-sandbox")) options.each.workers.sandbox = run::Sandbox::kOn;
  options.each.workers.memory_bytes = memory_of(arguments);
  options.each.cancelled = console.interrupted;
  return options;
}

// Kernels of others run in a box; where the system has none, a person has to say that they may do
// without.
void require_box(const run::EngineSettings& workers) {
  if (workers.sandbox == run::Sandbox::kOff) return;
  worker::Client client(run::worker_settings(BackendKind::kModel, workers));
  const worker::Environment environment = client.environment({false, false});
  const auto missing = environment.values.find("sandbox_missing");
  if (missing == environment.values.end()) return;
  throw machine_error(
      "submissions would run without a sandbox: " + missing->second,
      "--no-sandbox grades kernels that you trust; lab doctor says what is missing");
}

// The same command for a part of the class, wherever it is started.
SlurmClass slurm_class(const Arguments& arguments, const Lab& lab, const std::string& database) {
  const auto absolute = [](const std::string& path) { return fs::absolute(path).string(); };
  SlurmClass wanted;
  wanted.command = {fs::read_symlink("/proc/self/exe").string(), "grade"};
  const std::vector<std::string>& words = arguments.positionals();
  wanted.command.push_back(assignment_of(words.front()) ? absolute(words.front()) : words.front());
  for (std::size_t i = 1; i < words.size(); ++i) wanted.command.push_back(absolute(words[i]));
  for (const char* name : {"rubric", "students", "budget", "memory"}) {
    const auto value = arguments.value(name);
    if (!value) continue;
    const bool is_file = name == std::string_view("rubric") || name == std::string_view("students");
    wanted.command.insert(wanted.command.end(),
                          {fmt::format("--{}", name), is_file ? absolute(*value) : *value});
  }
  wanted.command.insert(wanted.command.end(), {"--jobs", "1"});
  if (arguments.has("no-sandbox")) wanted.command.emplace_back("--no-sandbox");
  for (const auto& [name, option] :
       {std::pair("task-time", "--time"), std::pair("task-memory", "--mem"),
        std::pair("partition", "--partition")}) {
    if (const auto value = arguments.value(name)) {
      wanted.sbatch.push_back(fmt::format("{}={}", option, *value));
    }
  }
  wanted.lab = lab.number;
  wanted.database = database;
  wanted.parts = static_cast<int>(arguments.number("parts", 1, 10000).value_or(wanted.parts));
  wanted.at_once = static_cast<int>(arguments.number("jobs", 1, 10000).value_or(wanted.at_once));
  return wanted;
}

std::string points_or_open(const std::optional<double>& points) {
  return points ? number_text(*points) : std::string("open");
}

// Judges the stored runs by a rubric; runs nothing.
int judge_stored(const Arguments& arguments) {
  const grade::Rubric rubric = rubric_of(arguments, arguments.positionals().front());
  const Lab& lab = *rubric.lab;
  const bool dry = arguments.has("dry-run");
  db::Store store =
      db::Store::open(database_path(arguments), dry ? db::Mode::kReadOnly : db::Mode::kExisting);
  store.set_key(run::seal_key());
  if (!dry) keep_rubric(store, rubric);
  std::vector<Regraded> changed;
  const grade::Gradebook before = db::gradebook(store, lab.number);
  for (const db::GradebookRow& one : before) {
    std::optional<RunRecord> run;
    if (one.grade.run) run = store.load_run(std::to_string(*one.grade.run));
    const db::GradeRow now = grade::regrade(rubric, one.grade, run);
    if (!dry && now.rubric_sha256 != one.grade.rubric_sha256) db::keep_grade(store, now);
    if (now.points == one.grade.points && now.of == one.grade.of) continue;
    changed.push_back({now.student, one.grade.points, now.points, now.of});
  }
  if (arguments.has("json")) {
    fmt::print("{}\n", regraded_json(dry, before.size(), changed));
    return 0;
  }
  for (const Regraded& one : changed) {
    fmt::print("  {}: {} -> {} of {}\n", safe_line(one.student), points_or_open(one.before),
               points_or_open(one.now), number_text(one.of));
  }
  fmt::print("{} of {} grades {}.\n", changed.size(), before.size(),
             dry ? "would change" : "changed");
  return 0;
}

}  // namespace

int run_grade(const Arguments& arguments, const Console& console) {
  const std::vector<std::string>& words = arguments.positionals();
  if (words.size() == 1 && arguments.has("again")) return judge_stored(arguments);
  if (words.size() == 1 || arguments.has("dry-run")) {
    throw input_error(words.size() == 1 ? "there is no submission to grade"
                                        : "--dry-run goes with --again and no submissions",
                      "lab grade 4 submissions/; or lab grade 4 --again, for stored runs");
  }
  grade::Rubric rubric = rubric_of(arguments, words.front());
  const Lab& lab = *rubric.lab;
  grade::ClassOptions options = class_options(arguments, console);
  grade::Roster roster;
  if (const auto file = arguments.value("students")) {
    roster = grade::read_roster(*file, run::read_text(*file, "the roster"));
  }
  const std::vector<std::string> paths(words.begin() + 1, words.end());
  std::vector<grade::Submission> submissions =
      grade::find_submissions(paths, roster, grade::kernels_of(rubric));
  const bool somebody = !submissions.empty();
  keep_shard(arguments, submissions);
  if (!somebody) {
    throw input_error("there is no submission: no .cu file, no folder or archive with one",
                      "lab grade 4 submissions/, with ada.cu, ada/kernels.cu or ada.zip in it");
  }
  for (const grade::Submission& one : submissions) tell_whose(one, roster);
  require_box(options.each.workers);
  const std::string database = database_path(arguments);
  db::Store store = run::open_database(database);
  options.each.seed = keep_rubric(store, rubric);
  rubric = grade::at_seed(rubric, options.each.seed);
  if (!roster.empty()) db::put_students(store, {roster.begin(), roster.end()});
  db::put_solution(store, lab.number, grade::solution_of(rubric, options.each.workers));
  // The parts' grades are here then; submissions that no node could grade are graded here.
  if (arguments.value("engine") == "slurm")
    grade_on_slurm(slurm_class(arguments, lab, database), store);
  Progress progress(console.err);
  const grade::ClassSink sink{[&](const db::GradeRow&, std::size_t done, std::size_t all) {
    progress.show(fmt::format("grade {}/{}", done, all),
                  static_cast<double>(done) / static_cast<double>(all));
  }};
  const grade::ClassResult result = grade::grade_class(rubric, submissions, store, options, sink);
  progress.clear();
  const grade::Gradebook book = db::gradebook(store, lab.number);
  if (const auto out = arguments.value("out")) {
    std::vector<std::string> inputs = files_read(arguments);
    write_outputs(*out, {rubric, book, known_roster(store, roster)}, inputs);
  }
  if (arguments.has("json")) {
    fmt::print("{}\n", gradebook_json(book, result));
  } else {
    fmt::print("{}{}", book_text(book, console.out), closing(result, book, database));
  }
  for (const std::string& failure : result.failures) {
    fmt::print(stderr, "not graded: {}\n", safe_line(failure));
  }
  return result.failures.empty() ? 0 : static_cast<int>(Fault::kMachine);
}

}  // namespace lab::cli
