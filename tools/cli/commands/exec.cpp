// lab exec: whole programs without a GPU.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/core/unicode.h"
#include "harness/kernel/toolkit/toolkit.h"
#include "harness/page/make.h"
#include "harness/programs/exec/exec.h"
#include "harness/reading/case_reading.h"
#include "harness/reading/program_page.h"
#include "harness/reading/program_reading.h"
#include "harness/run/machine.h"
#include "harness/run/places.h"
#include "harness/run/temporary_folder.h"
#include "tools/cli/arguments/measures.h"
#include "tools/cli/arguments/run_options.h"
#include "tools/cli/commands/later.h"
#include "tools/cli/commands/print_page.h"
#include "tools/cli/json/json.h"
#include "tools/cli/terminal/progress.h"

namespace lab::cli {
namespace {

namespace fs = std::filesystem;

// What a program may write to, and read from beside its own files: copies of small ones, so that
// it may change them, and links to the others.
constexpr std::uintmax_t kMostCopied = std::uintmax_t{1} << 20U;
constexpr std::uintmax_t kMostCopiedInAll = std::uintmax_t{32} << 20U;

using Times = std::map<std::string, fs::file_time_type>;

bool is_below(const fs::path& path, const std::vector<std::string>& folders) {
  std::error_code failed;
  const fs::path real = fs::weakly_canonical(path, failed);
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    const fs::path inner = real.lexically_relative(fs::weakly_canonical(folder, failed));
    return !inner.empty() && *inner.begin() != "..";
  });
}

// A link is followed to what the program may read. Others are named in `left`.
Times lay_out(const fs::path& from, const fs::path& to, const std::vector<std::string>& readable,
              std::vector<std::string>& left) {
  fs::create_directories(to);
  Times times;
  std::uintmax_t copied = 0;
  std::error_code failed;
  for (fs::directory_iterator it(from, failed), end; !failed && it != end; it.increment(failed)) {
    const fs::path target = to / it->path().filename();
    std::error_code ignored;
    if (it->is_symlink(ignored) && !is_below(it->path(), readable)) {
      left.push_back(it->path().filename().string());
      continue;
    }
    const bool file = it->is_regular_file(ignored);
    const std::uintmax_t size = file ? it->file_size(ignored) : 0;
    if (file && size <= kMostCopied && copied + size <= kMostCopiedInAll) {
      copied += size;
      fs::copy_file(it->path(), target, ignored);
    } else {
      fs::create_symlink(fs::absolute(it->path()), target, ignored);
    }
    times[target.filename().string()] = fs::last_write_time(target, ignored);
  }
  return times;
}

// The files that are new or changed.
std::vector<fs::path> outputs_in(const fs::path& folder, const Times& before) {
  std::vector<fs::path> outputs;
  std::error_code failed;
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
    std::error_code ignored;
    const auto known = before.find(it->path().filename().string());
    if (known != before.end() && it->last_write_time(ignored) == known->second) continue;
    outputs.push_back(it->path());
  }
  std::sort(outputs.begin(), outputs.end());
  return outputs;
}

// A file of holes may be larger than the disk: a copy of it is not made.
bool is_sparse(const fs::path& path) {
  struct stat info {};
  constexpr off_t kSmall = 1 << 20U;
  constexpr off_t kBlock = 512;
  return ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_size > kSmall &&
         info.st_blocks * kBlock < info.st_size / 2;
}

/// Copies what a program wrote; what is there already stays, unless it is to be replaced.
class Keeping {
 public:
  Keeping(fs::path folder, bool replace) : folder_(std::move(folder)), replace_(replace) {}

  void keep(const fs::path& from, const fs::path& name) {
    const fs::path to = folder_ / name;
    std::error_code failed;
    const fs::file_status status = fs::symlink_status(from, failed);
    if (fs::is_directory(status)) {
      fs::create_directories(to);
      for (const fs::directory_entry& one : fs::directory_iterator(from)) {
        keep(one.path(), name / one.path().filename());
      }
    } else if (!fs::is_regular_file(status)) {
      left_.push_back(safe_line(name.string()) + " is no file");
    } else if (is_sparse(from)) {
      left_.push_back(safe_line(name.string()) + " is sparse, and stays where it is");
    } else if (!replace_ && fs::exists(fs::symlink_status(to, failed))) {
      left_.push_back(safe_line(name.string()) + " is there already (--force replaces it)");
    } else {
      fs::copy_file(from, to, fs::copy_options::overwrite_existing);
    }
  }
  [[nodiscard]] std::string text(const std::string& names) const {
    std::string text = fmt::format("It wrote {}: now in {}.", names, safe_line(folder_.string()));
    for (const std::string& one : left_) text += fmt::format(" Not kept: {}.", one);
    return text;
  }

 private:
  fs::path folder_;
  bool replace_;
  std::vector<std::string> left_;
};

std::string keep(const std::vector<fs::path>& outputs, const Arguments& arguments) {
  if (outputs.empty()) return {};
  std::string names;
  for (const fs::path& path : outputs) {
    if (!names.empty()) names += ", ";
    names += safe_line(path.filename().string());
  }
  const auto folder = arguments.value("keep");
  if (!folder) return fmt::format("It wrote {}: --keep FOLDER keeps such files.", names);
  fs::create_directories(*folder);
  Keeping keeping(*folder, arguments.has("force"));
  for (const fs::path& path : outputs) keeping.keep(path, path.filename());
  return keeping.text(names);
}

/// Streams that a worker takes over when it starts, out of the way of its own.
class Streams {
 public:
  /// Where a document is printed, what the program prints is none of it.
  explicit Streams(bool document) {
    constexpr int kFrom = 100;
    for (const int stream :
         {STDIN_FILENO, document ? STDERR_FILENO : STDOUT_FILENO, STDERR_FILENO}) {
      numbers_.push_back(::fcntl(stream, F_DUPFD, kFrom));
    }
  }
  ~Streams() { close(); }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  void close() {
    for (const int number : open_ ? numbers_ : std::vector<int>()) ::close(number);
    open_ = false;
  }
  [[nodiscard]] const std::vector<int>& numbers() const { return numbers_; }

 private:
  std::vector<int> numbers_;
  bool open_ = true;
};

/// The bar of a launch that takes long. The program prints nothing meanwhile.
class LaunchBar {
 public:
  explicit LaunchBar(const Terminal& terminal) : terminal_(terminal) {}
  void show(int launch, double fraction) {
    if (launch != launch_ || !progress_) {
      launch_ = launch;
      begun_ = Clock::now();
      progress_.emplace(terminal_);
    }
    if (fraction >= 1) return progress_.reset();
    const std::chrono::duration<double> taken = Clock::now() - begun_;
    const double left = fraction > 0 ? taken.count() * (1 - fraction) / fraction : 0;
    progress_->show(fmt::format("launch {}, about {:.0f} s left", launch, left), fraction);
  }

 private:
  using Clock = std::chrono::steady_clock;
  Terminal terminal_;
  int launch_ = 0;
  Clock::time_point begun_ = {};
  std::optional<Progress> progress_;
};

Checks checks_from(const Arguments& arguments) {
  const std::string how = arguments.value("check").value_or("auto");
  return how == "full" ? Checks::kFull : how == "off" ? Checks::kOff : Checks::kAuto;
}

exec::HostCompiler compiler_from(const Arguments& arguments) {
  const std::string how = arguments.value("compiler").value_or("auto");
  if (how == "clang") return exec::HostCompiler::kClang;
  return how == "nvcc" ? exec::HostCompiler::kNvcc : exec::HostCompiler::kAuto;
}

LaunchesRunOn runs_on(run::Backends backend) {
  if (backend == run::Backends::kGpu) return LaunchesRunOn::kGpu;
  return run::uses_gpu(backend) ? LaunchesRunOn::kBoth : LaunchesRunOn::kModel;
}

GpuOptions gpu_options_from(const Arguments& arguments) {
  GpuOptions gpu;
  gpu.repeat =
      static_cast<int>(arguments.number("repeat", 1, GpuOptions::kMostRepeats).value_or(1));
  gpu.counters = !arguments.has("no-counters");
  gpu.timing = !arguments.has("no-timing");
  return gpu;
}

std::string nvcc_of_toolkit() {
  const toolkit::ToolkitSearch search = toolkit::find_toolkit();
  const fs::path at = search.found ? search.found->root / "bin/nvcc" : fs::path();
  return ::access(at.c_str(), X_OK) == 0 ? at.string() : "";
}

bool is_program(const std::string& path) {
  std::error_code failed;
  return fs::path(path).extension().string().rfind(".c", 0) != 0 &&
         fs::is_regular_file(path, failed) && ::access(path.c_str(), X_OK) == 0;
}

std::vector<KernelText> sources_from(const Arguments& arguments) {
  std::vector<std::string> options = compile_options(arguments);
  if (arguments.value("default-stream").value_or("legacy") == "per-thread") {
    options.emplace_back("-DCUDA_API_PER_THREAD_DEFAULT_STREAM");  // it is all that nvcc does
  }
  std::vector<KernelText> sources;
  bool cuda = false;
  for (const std::string& path : arguments.positionals()) {
    const std::string kind = fs::path(path).extension().string();
    cuda = cuda || kind == ".cu";
    if (kind != ".cu" && kind != ".cpp" && kind != ".cc" && kind != ".c" && kind != ".cxx") {
      throw input_error(fmt::format("'{}' is no source of a program", path),
                        "lab exec takes .cu, .cpp and .c files, or one program; words for the "
                        "program come behind --: lab exec app.cu -- 1024");
    }
    sources.push_back(run::read_source(path, options, run::Author::kProgram));
  }
  if (!cuda) throw input_error("none of the files is a .cu file");
  return sources;
}

// Its own where it failed; else 1 where something was found.
int status_of(const ProgramReport& report, const std::optional<run::RunResult>& result) {
  constexpr int kSignalled = 128;
  if (!report.broken.empty() || report.end.over != Overrun::kNone) return 1;
  if (report.end.signal != 0) return kSignalled + report.end.signal;
  if (report.end.status != 0) return report.end.status;
  const bool wrong = !report.refused.empty() || (result && run::something_wrong(result->run));
  return wrong ? 1 : 0;
}

// What nvcc is told beside what the person's build tells it: a runtime that can be another, PTX,
// and lines.
void build_by(const std::string& command) {
  fmt::print(stderr, "note: this runs outside of the sandbox: {}\n", safe_line(command));
  ::setenv("NVCC_APPEND_FLAGS",
           "-cudart shared -gencode=arch=compute_90,code=[compute_90,sm_90] -lineinfo -g", 1);
  const int status = std::system(command.c_str());
  if (status == 0) return;
  throw input_error(fmt::format("the build ended with status {}: {}", status >> 8, command));
}

// The files to be built, or the program: the only file, or the first word behind -- after a build.
// Returns the folder that it starts in.
fs::path choose_program(const Arguments& arguments, exec::ExecPlan& plan) {
  plan.arguments = arguments.values(kRest);
  std::vector<std::string> files = arguments.positionals();
  if (const auto build = arguments.value("build")) {
    build_by(*build);
    if (files.empty() && !plan.arguments.empty()) {
      files = {plan.arguments.front()};
      plan.arguments.erase(plan.arguments.begin());
    }
  }
  if (files.empty()) {
    throw input_error("no program is named", "lab exec app.cu, or lab exec --build make -- ./app");
  }
  if (files.size() == 1 && is_program(files.front())) {
    plan.program = files.front();
    return fs::current_path();
  }
  plan.sources = sources_from(arguments);
  return fs::absolute(files.front()).parent_path();
}

// What it may take of this machine. Without --memory its mallocs succeed as they would elsewhere,
// and it is ended before the machine has nothing left.
void bound(const Arguments& arguments, exec::ExecPlan& plan) {
  constexpr double kOfMachine = 0.875;
  const auto memory = arguments.value("memory");
  plan.memory_bytes = memory ? bytes_of("memory", *memory)
                             : kOfMachine * static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
                                   static_cast<double>(::sysconf(_SC_PAGESIZE));
  if (memory) plan.address_bytes = plan.memory_bytes;
  plan.disk_bytes = bytes_of("files", arguments.value("files").value_or("512M"));
}

// A kernel with a mistake gets no advice: its cost is no matter.
Diagnoses diagnoses_of(const reading::ProgramReading& read) {
  Diagnoses found;
  for (const reading::ProgramCase& one : read.cases) {
    if (!reading::has_mistake(*one.record)) found[one.record->index] = one.diagnosis;
  }
  return found;
}

}  // namespace

int run_exec(const Arguments& arguments, const Console& console) {
  run::TemporaryFolder folder("lab-exec");
  exec::ExecPlan plan;
  const fs::path home = choose_program(arguments, plan);
  plan.folder = folder.path();
  plan.compiler = compiler_from(arguments);
  plan.nvcc = nvcc_of_toolkit();
  plan.checks = checks_from(arguments);
  plan.seconds = timeout_from(arguments);
  bound(arguments, plan);
  plan.threads = static_cast<int>(arguments.number("threads", 1, 4096).value_or(0));
  plan.each_launch = arguments.has("each");
  plan.exact = arguments.has("exact");
  plan.sample = arguments.has("sample");
  const run::EngineSettings settings =
      workers_from(arguments, console, backend_from(arguments, run::Backends::kModel));
  run::EngineSet engines(settings);
  plan.runs_on = runs_on(settings.backend);
  plan.gpu = gpu_options_from(arguments);
  plan.modelled_gpu = asked_machine(arguments).gpu;
  plan.arch = arch_from(arguments, engines);
  const bool in_terminal = arguments.value("page").value_or("text") == "text";
  Streams streams(arguments.has("json") || !in_terminal);
  plan.streams = streams.numbers();
  worker::Client worker(run::worker_settings(BackendKind::kModel, settings));
  worker.start();
  streams.close();
  Progress progress(console.err);
  plan.told = [&](const std::string& stage) { progress.show(stage, 0); };
  const fs::path files = folder.path() / "files";
  plan.home = home;
  for (const std::string& one : arguments.values("read")) {
    plan.read.push_back(fs::absolute(one).string());
  }
  std::vector<std::string> readable = plan.read;
  readable.push_back(home.string());
  std::vector<std::string> left;
  const Times before = lay_out(home, files, readable, left);
  for (const std::string& one : left) {
    fmt::print(stderr,
               "note: {} is a link to elsewhere, which the program does not get: --read names "
               "what it may read\n",
               safe_line(one));
  }
  worker::Client reader(run::worker_settings(BackendKind::kModel, settings));
  const exec::ExecProgram program = exec::build_program(plan, worker, engines.any(), reader);
  progress.clear();
  std::fflush(stdout);
  std::optional<db::Store> store = open_store(arguments);
  db::Store* const into = store ? &*store : nullptr;
  LaunchBar bar(console.err);
  const exec::ExecResult done =
      exec::run_program(program, worker, engines, {into, {}},
                        [&](int launch, double fraction) { bar.show(launch, fraction); });
  const std::string kept = keep(outputs_in(files, before), arguments);
  const RunRecord none;
  const RunRecord& run = done.result ? done.result->run : none;
  const metrics::Machine machine = run::machine_of(run, into);
  const auto read = reading::read_program(run, done.report, machine, done.layouts);
  if (arguments.has("json")) {
    fmt::print("{}\n", exec_json(run, done.report, program.compiler, diagnoses_of(read)));
  } else {
    page::Page page = reading::program_page(read, run, done.report,
                                            {program.compiler, machine.gpu, program.host_clock});
    if (!kept.empty()) page.blocks.push_back(page::paragraph(kept));
    // Below the program's own words.
    if (in_terminal) fmt::print("---\n");
    print_page(page, arguments, console);
  }
  if (done.result && done.result->store_failure) std::rethrow_exception(done.result->store_failure);
  return status_of(done.report, done.result);
}

}  // namespace lab::cli
