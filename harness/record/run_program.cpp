#include "harness/record/run_program.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/record/variables.h"

namespace lab::record {

namespace {

namespace fs = std::filesystem;

constexpr const char* kInjection = "CUDA_INJECTION64_PATH";
constexpr const char* kRangesInjection = "NVTX_INJECTION64_PATH";

std::string set_to(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

bool has_driver() {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver == nullptr) return false;
  ::dlclose(driver);
  return true;
}

std::string joined(const std::vector<fs::path>& folders) {
  std::string all;
  for (const fs::path& folder : folders) all += (all.empty() ? "" : ":") + folder.string();
  return all;
}

// Ours, with what the library is told.
std::vector<std::string> environment(const RecordPlan& plan) {
  std::vector<std::string> all;
  for (char** one = environ; *one != nullptr; ++one) all.emplace_back(*one);
  const auto set = [&](const char* name, const std::string& value) {
    const std::string begin = std::string(name) + "=";
    all.erase(std::remove_if(all.begin(), all.end(),
                             [&](const std::string& one) { return one.rfind(begin, 0) == 0; }),
              all.end());
    all.push_back(begin + value);
  };
  set(kInjection, plan.library.string());
  if (records_ranges()) set(kRangesInjection, plan.library.string());
  set(kFolderVariable, plan.folder.string());
  set(kLibrariesVariable, joined(plan.cupti));
  set(kMetricsVariable, plan.metrics);
  // One lock serves all recordings of a user; NVIDIA's tools keep theirs in this folder, too.
  set(kLockVariable, fs::temp_directory_path() / fmt::format("lab-counters-{}.lock", ::getuid()));
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

/// Options of posix_spawn(3), released in the end.
class SpawnOptions {
 public:
  /// `mask`: the signals that the program does not get at first.
  SpawnOptions(bool output_to_errors, const sigset_t& mask) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    if (output_to_errors) {
      ::posix_spawn_file_actions_adddup2(&actions_, STDERR_FILENO, STDOUT_FILENO);
    }
    // The program decides by itself on the signals that we ignore.
    sigset_t usual;
    ::sigemptyset(&usual);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ}) {
      ::sigaddset(&usual, signal);
    }
    ::posix_spawnattr_setsigdefault(&attributes_, &usual);
    ::posix_spawnattr_setsigmask(&attributes_, &mask);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnOptions() {
    ::posix_spawnattr_destroy(&attributes_);
    ::posix_spawn_file_actions_destroy(&actions_);
  }
  SpawnOptions(const SpawnOptions&) = delete;
  SpawnOptions& operator=(const SpawnOptions&) = delete;
  [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &actions_; }
  [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// A signal handler can reach nothing else.
std::atomic<pid_t> the_program = 0;
static_assert(std::atomic<pid_t>::is_always_lock_free);

// A terminal sends Ctrl-C to all of its processes, the program among them; kill(2) to us alone.
void pass_on(int signal, siginfo_t* info, void* /*context*/) {
  const int error = errno;
  const pid_t program = the_program;
  if (program > 0 && info->si_code <= 0) ::kill(program, signal);
  errno = error;
}

/// While it lives, we do not end before the program does. Signals wait until it is told which that
/// is.
class SignalsPassedOn {
 public:
  SignalsPassedOn() {
    sigset_t passed;
    ::sigemptyset(&passed);
    for (const int signal : kSignals) ::sigaddset(&passed, signal);
    ::sigprocmask(SIG_BLOCK, &passed, &mask_);
    struct sigaction passing {};
    passing.sa_sigaction = pass_on;
    passing.sa_flags = SA_SIGINFO;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      ::sigaction(kSignals[i], &passing, &before_[i]);
    }
  }
  /// The signals that were blocked before.
  [[nodiscard]] const sigset_t& mask() const { return mask_; }
  void pass_to(pid_t program) {
    the_program = program;
    ::sigprocmask(SIG_SETMASK, &mask_, nullptr);
  }
  ~SignalsPassedOn() {
    the_program = 0;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      ::sigaction(kSignals[i], &before_[i], nullptr);
    }
    ::sigprocmask(SIG_SETMASK, &mask_, nullptr);
  }
  SignalsPassedOn(const SignalsPassedOn&) = delete;
  SignalsPassedOn& operator=(const SignalsPassedOn&) = delete;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  std::array<struct sigaction, kSignals.size()> before_{};
  sigset_t mask_{};
};

[[noreturn]] void refuse_program(const std::string& program, int error) {
  throw input_error(fmt::format("cannot run '{}': {}", program, std::strerror(error)),
                    error == ENOENT && program.find('/') == std::string::npos
                        ? fmt::format("no folder of PATH has it; here: ./{}", program)
                        : "");
}

CommandEnd wait_for(pid_t program) {
  int status = 0;
  while (::waitpid(program, &status, 0) < 0) {
    if (errno != EINTR) throw machine_error("the program's end was missed");
  }
  CommandEnd end;
  if (WIFSIGNALED(status)) {
    end.signal = WTERMSIG(status);
  } else {
    end.status = WEXITSTATUS(status);
  }
  return end;
}

}  // namespace

void require_recordable(const RecordPlan& plan) {
  if (const std::string other = set_to(kInjection); !other.empty()) {
    throw input_error(
        fmt::format("another tool is to be loaded into CUDA programs: {}={}", kInjection, other),
        fmt::format("the driver loads one: leave that tool, or unset {}", kInjection));
  }
  if (!has_driver()) {
    throw machine_error("this machine has no NVIDIA driver: libcuda.so.1 is not found",
                        "lab exec runs a program's source without a GPU");
  }
  if (!fs::exists(plan.library)) {
    throw machine_error(
        fmt::format("this lab was built without what records: {} is not there",
                    plan.library.string()),
        "build it where a CUDA toolkit's headers are, 12.6 or newer: tools/lab record --help");
  }
}

bool records_ranges() { return set_to(kRangesInjection).empty(); }

CommandEnd run_recorded(const RecordPlan& plan) {
  std::vector<std::string> words = plan.words;
  std::vector<std::string> variables = environment(plan);
  SignalsPassedOn signals;
  const SpawnOptions options(plan.output_to_errors, signals.mask());
  pid_t program = 0;
  const int failed =
      ::posix_spawnp(&program, words.front().c_str(), options.actions(), options.attributes(),
                     pointers(words).data(), pointers(variables).data());
  if (failed != 0) refuse_program(words.front(), failed);
  signals.pass_to(program);
  return wait_for(program);
}

Recording gather(const fs::path& folder, const std::function<void(std::string_view)>& whole) {
  struct File {
    std::string bytes;
    Recording read;
  };
  std::vector<File> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    File file;
    file.bytes = read_file(entry.path().string(), "the recording", kMostBytes);
    // Killed before it had begun.
    if (!is_recording(file.bytes)) continue;
    file.read = read_recording(file.bytes, entry.path().filename().string());
    file.bytes.resize(file.read.whole_bytes);
    if (!file.read.processes.empty()) files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) {
    return a.read.processes.front().begin.time < b.read.processes.front().begin.time;
  });
  Recording all;
  for (File& file : files) {
    whole(file.bytes);
    all.whole_bytes += file.bytes.size();
    if (all.damage.empty()) all.damage = file.read.damage;
    std::move(file.read.processes.begin(), file.read.processes.end(),
              std::back_inserter(all.processes));
  }
  return all;
}

}  // namespace lab::record
