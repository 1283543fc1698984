#include "harness/box/worker/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <thread>

#include "harness/core/error.h"

extern char** environ;

namespace lab::worker {
namespace {

void check(int error, const char* call, const std::string& object) {
  if (error == 0) return;
  throw machine_error(fmt::format("cannot start {}: {}: {}", object, call, std::strerror(error)));
}

void check_errno(int result, const char* call, const std::string& object) {
  check(result >= 0 ? 0 : errno, call, object);
}

// The new process until it is the program; between fork and exec it may call nothing that takes
// memory or a lock. It tells `report` why there is no program.
[[noreturn]] void become(const char* program, char* const* arguments, char* const* variables,
                         int input, int output, int report) {
  ::setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // The signals as a fresh program expects them.
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGHUP}) ::signal(signal, SIG_DFL);
  if (::dup2(input, STDIN_FILENO) >= 0 && ::dup2(output, STDOUT_FILENO) >= 0 &&
      ::dup2(output, STDERR_FILENO) >= 0) {
    ::execve(program, arguments, variables);
  }
  const int why = errno;
  static_cast<void>(!::write(report, &why, sizeof why));
  ::_exit(127);
}

// The group, the processor time and, of a process's own ended children, theirs; proc(5): the 5th
// and the 14th to 17th field of stat. The second, in parentheses, may hold blanks.
struct Use {
  pid_t group = 0;
  double ticks = 0;
};
Use use_of(const std::filesystem::path& process) {
  std::ifstream file(process / "stat");
  std::string line;
  std::getline(file, line);
  Use use;
  const std::size_t name_ends = line.rfind(')');
  if (name_ends == std::string::npos) return use;
  std::istringstream fields(line.substr(name_ends + 1));
  std::string skipped;
  fields >> skipped >> skipped >> use.group;
  for (int i = 0; i < 8; ++i) fields >> skipped;
  double one = 0;
  for (int i = 0; i < 4 && fields >> one; ++i) use.ticks += one;
  return use;
}

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

bool came_from_outside(const Ending& ending) {
  constexpr std::array kSignals = {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
  return ending.signalled &&
         std::find(kSignals.begin(), kSignals.end(), ending.number) != kSignals.end();
}

Process::Process(const std::filesystem::path& program, const std::vector<std::string>& environment,
                 std::chrono::milliseconds most) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
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

  std::vector<std::string> variables = merged_environment(environment);
  std::vector<char*> pointers;
  for (std::string& variable : variables) pointers.push_back(variable.data());
  pointers.push_back(nullptr);
  std::string argument = name;
  const std::array<char*, 2> arguments = {argument.data(), nullptr};
  std::array<int, 2> reports{};
  check_errno(::pipe2(reports.data(), O_CLOEXEC), "pipe", name);
  const Descriptor report(reports[0]);
  Descriptor their_report(reports[1]);
  // Not vfork, nor posix_spawn, which is made of it: a process that is stopped before it is the
  // program would hold us up, too, and for good.
  pid_ = ::fork();
  if (pid_ == 0) {
    become(name.c_str(), arguments.data(), pointers.data(), their_socket.get(), their_errors.get(),
           their_report.get());
  }
  check_errno(pid_, "fork", name);
  ::setpgid(pid_, pid_);  // whoever of us comes first
  their_report.close();
  await_start(report.get(), name, most);
}

// The pipe is closed by exec, or says why there was none.
void Process::await_start(int pipe, const std::string& name, std::chrono::milliseconds most) {
  const auto until = Clock::now() + most;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd wait_for{pipe, POLLIN, 0};
    const int ready = ::poll(&wait_for, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (ready < 0 && errno == EINTR) continue;
    int why = 0;
    if (ready > 0 && ::read(pipe, &why, sizeof why) != sizeof why) return;
    kill();
    wait(std::chrono::milliseconds(0));
    if (ready > 0) check(why, "exec", name);
    throw machine_error(
        fmt::format("cannot start {}: it has not begun after {} ms", name, most.count()),
        "the machine is too busy, or the new process was stopped");
  }
}

Process::~Process() {
  kill();
  wait(std::chrono::milliseconds(0));
}

std::string Process::errors() {
  constexpr std::size_t kMostErrors = 1 << 20;
  std::string text;
  std::array<char, 4096> chunk{};
  while (text.size() < kMostErrors) {
    const ssize_t got = ::read(errors_.get(), chunk.data(), chunk.size());
    if (got <= 0) break;
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
  return text;
}

double Process::cpu_seconds() const {
  double ticks = 0;
  std::error_code failed;
  for (std::filesystem::directory_iterator it("/proc", failed), last; !failed && it != last;
       it.increment(failed)) {
    const std::string name = it->path().filename().string();
    if (std::isdigit(static_cast<unsigned char>(name.front())) == 0) continue;
    const Use use = use_of(it->path());
    if (use.group == pid_) ticks += use.ticks;
  }
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

bool Process::has_ended() const {
  siginfo_t info{};
  return pid_ <= 0 ||
         (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | WNOHANG) == 0 &&
          info.si_pid != 0);
}

void Process::kill() {
  if (pid_ <= 0) return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);  // it may not be in its group yet
}

// As long as the leader is not collected its number, and so the group's, is nobody else's.
bool Process::collect(bool wait) {
  if (pid_ <= 0) return true;
  siginfo_t info{};
  const int options = WEXITED | WNOWAIT | (wait ? 0 : WNOHANG);
  const int failed = ::waitid(P_PID, static_cast<id_t>(pid_), &info, options) == 0 ? 0 : errno;
  if (failed == EINTR || (failed == 0 && info.si_pid == 0)) return false;
  kill();
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  while (::waitpid(-pid_, nullptr, 0) > 0 || errno == EINTR) {
  }
  ending_.signalled = WIFSIGNALED(status);
  ending_.number = ending_.signalled ? WTERMSIG(status) : WEXITSTATUS(status);
  pid_ = -1;
  return true;
}

Ending Process::wait(std::chrono::milliseconds grace) {
  const auto until = Clock::now() + grace;
  while (!collect(false)) {
    if (Clock::now() >= until) {
      kill();
      while (!collect(true)) {
      }
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return ending_;
}

}  // namespace lab::worker
