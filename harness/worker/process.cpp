#include "harness/worker/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <thread>

#include "harness/core/error.h"

extern char** environ;

namespace lab::worker {
namespace {

// One check for the posix_ calls, which return their error.
void check(int error, const char* call, const std::string& object) {
  if (error == 0) return;
  throw machine_error(fmt::format("cannot start {}: {}: {}", object, call, std::strerror(error)));
}

void check_errno(int result, const char* call, const std::string& object) {
  check(result == 0 ? 0 : errno, call, object);
}

class FileActions {
 public:
  explicit FileActions(const std::string& object) : object_(object) {
    check(posix_spawn_file_actions_init(&actions_), "posix_spawn_file_actions_init", object_);
  }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  void dup(int from, int to) {
    check(posix_spawn_file_actions_adddup2(&actions_, from, to), "dup2", object_);
  }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
  std::string object_;
};

// A process group of its own, and the signals as a fresh program expects them.
class Attributes {
 public:
  explicit Attributes(const std::string& object) {
    check(posix_spawnattr_init(&attributes_), "posix_spawnattr_init", object);
    sigset_t none;
    sigemptyset(&none);
    sigset_t defaults;
    sigemptyset(&defaults);
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGHUP}) sigaddset(&defaults, signal);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    posix_spawnattr_setpgroup(&attributes_, 0);
    check(posix_spawnattr_setflags(
              &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF),
          "posix_spawnattr_setflags", object);
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

std::vector<std::string> merged_environment(const std::vector<std::string>& replaced) {
  std::vector<std::string> all = replaced;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view entry = *at;
    const std::string_view name = entry.substr(0, entry.find('=') + 1);
    const bool is_replaced = std::any_of(replaced.begin(), replaced.end(),
                                         [&](const auto& own) { return own.starts_with(name); });
    if (!is_replaced) all.emplace_back(entry);
  }
  return all;
}

}  // namespace

std::string describe(const Ending& ending) {
  if (!ending.signalled) return fmt::format("ended with status {}", ending.number);
  if (ending.number == SIGKILL) {
    return "was killed by signal 9 (Killed), as the system does where memory runs out";
  }
  return fmt::format("was killed by signal {} ({})", ending.number, ::strsignal(ending.number));
}

Process::Process(const std::filesystem::path& program,
                 const std::vector<std::string>& environment) {
  const std::string name = program.string();
  std::array<int, 2> sockets{};
  check_errno(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()), "socketpair",
              name);
  channel_ = Channel(Descriptor(sockets[0]));
  const Descriptor their_socket(sockets[1]);
  std::array<int, 2> pipes{};
  check_errno(::pipe2(pipes.data(), O_CLOEXEC), "pipe", name);
  errors_ = Descriptor(pipes[0]);
  const Descriptor their_errors(pipes[1]);
  // Only our end must not block: a full pipe may well hold the worker up.
  check_errno(::fcntl(errors_.get(), F_SETFL, O_NONBLOCK), "fcntl", name);

  FileActions actions(name);
  actions.dup(their_socket.get(), STDIN_FILENO);
  actions.dup(their_errors.get(), STDOUT_FILENO);
  actions.dup(their_errors.get(), STDERR_FILENO);
  const Attributes attributes(name);
  std::vector<std::string> variables = merged_environment(environment);
  std::vector<char*> pointers;
  for (std::string& variable : variables) pointers.push_back(variable.data());
  pointers.push_back(nullptr);
  std::string argument = name;
  const std::array<char*, 2> arguments = {argument.data(), nullptr};
  check(::posix_spawn(&pid_, name.c_str(), actions.get(), attributes.get(), arguments.data(),
                      pointers.data()),
        "exec", name);
}

Process::~Process() {
  kill();
  wait(std::chrono::milliseconds(0));
}

std::string Process::errors() {
  std::string text;
  std::array<char, 4096> chunk{};
  for (;;) {
    const ssize_t got = ::read(errors_.get(), chunk.data(), chunk.size());
    if (got <= 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

void Process::kill() {
  if (pid_ > 0) ::kill(-pid_, SIGKILL);
}

bool Process::collect(int options) {
  if (pid_ <= 0) return true;
  int status = 0;
  const pid_t got = ::waitpid(pid_, &status, options);
  if (got == 0 || (got < 0 && errno == EINTR)) return false;
  ending_.signalled = WIFSIGNALED(status);
  ending_.number = ending_.signalled ? WTERMSIG(status) : WEXITSTATUS(status);
  pid_ = -1;
  return true;
}

Ending Process::wait(std::chrono::milliseconds grace) {
  const auto until = Clock::now() + grace;
  while (!collect(WNOHANG)) {
    if (Clock::now() >= until) {
      kill();
      while (!collect(0)) {
      }
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return ending_;
}

}  // namespace lab::worker
