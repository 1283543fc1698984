#include "harness/box/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "harness/box/box.h"
#include "harness/core/error.h"

namespace lab::box {

using worker::Descriptor;

namespace {

namespace fs = std::filesystem;

constexpr int kNotStarted = 127;
// How often a program is looked at: its end is seen at once, and one that takes long costs nothing.
constexpr auto kTick = std::chrono::milliseconds(2);
constexpr auto kLongTick = std::chrono::milliseconds(50);
constexpr int kShortTicks = 500;

// What every program of this system may read: libraries, and what the C library asks for.
const std::vector<fs::path>& system_files() {
  static const std::vector<fs::path> kFiles = {"/usr",
                                               "/lib",
                                               "/lib64",
                                               "/bin",
                                               "/etc/ld.so.cache",
                                               "/etc/localtime",
                                               "/etc/alternatives",
                                               "/dev/null",
                                               "/dev/zero",
                                               "/dev/urandom",
                                               "/proc/self",
                                               "/proc/cpuinfo",
                                               "/proc/meminfo",
                                               "/sys/devices/system/cpu"};
  return kFiles;
}

Reach reach_of(const Command& command) {
  Reach reach;
  reach.read = system_files();
  for (const std::string& path : command.read) reach.read.emplace_back(path);
  for (const std::string& path : command.write) reach.write.emplace_back(path);
  reach.write.emplace_back("/dev/null");
  reach.execute = {"/lib", "/lib64", command.words.front()};
  if (command.starts_others) reach.execute.insert(reach.execute.end(), {"/usr", "/bin"});
  return reach;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<Given> streams_of(const Command& command, std::vector<Descriptor>& open) {
  if (command.streams.size() == 3) {
    return {{command.streams[0], 0}, {command.streams[1], 1}, {command.streams[2], 2}};
  }
  open.emplace_back(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const int nothing = open.back().get();
  if (command.log.empty()) return {{nothing, 0}, {nothing, 1}, {nothing, 2}};
  open.emplace_back(
      ::open(command.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600));
  const int log = open.back().get();
  return {{nothing, 0}, {log, 1}, {command.log_errors ? log : nothing, 2}};
}

void limit(const Command& command) {
  const auto lower = [](__rlimit_resource resource, double most) {
    const rlimit limit{static_cast<rlim_t>(most), static_cast<rlim_t>(most)};
    if (most > 0) ::setrlimit(resource, &limit);
  };
  lower(RLIMIT_FSIZE, command.file_bytes);
  lower(RLIMIT_AS, command.address_bytes);
}

// The new process until it is the program.
[[noreturn]] void become(const Command& command, const std::vector<Given>& given, bool boxed) {
  try {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGXFSZ}) {
      ::signal(signal, SIG_DFL);
    }
    // Out of the way of the numbers that they are to have.
    constexpr int kAside = 300;
    std::vector<int> aside;
    for (const Given& one : given) aside.push_back(::fcntl(one.from, F_DUPFD_CLOEXEC, kAside));
    for (std::size_t i = 0; i < given.size(); ++i) ::dup2(aside[i], given[i].as);
    if (!command.folder.empty() && ::chdir(command.folder.c_str()) != 0) ::_exit(kNotStarted);
    std::vector<std::string> words = command.words;
    std::vector<std::string> environment = command.environment;
    limit(command);
    if (boxed) close_box(reach_of(command), {0, 4096, command.starts_others});
    const std::string path = words.front();
    if (!command.called.empty()) words.front() = command.called;
    ::execve(path.c_str(), pointers_to(words).data(), pointers_to(environment).data());
    const std::string why =
        fmt::format("cannot start {}: {}\n", words.front(), std::strerror(errno));
    static_cast<void>(!::write(STDERR_FILENO, why.data(), why.size()));
  } catch (const Error& error) {
    const std::string why = std::string(error.what()) + "\n";
    static_cast<void>(!::write(STDERR_FILENO, why.data(), why.size()));
  }
  ::_exit(kNotStarted);
}

bool is_closed(int pipe) {
  pollfd look{pipe, POLLIN, 0};
  return ::poll(&look, 1, 0) > 0;
}

}  // namespace

pid_t start(const Command& command, std::vector<Given> given, bool boxed) {
  std::vector<Descriptor> open;
  for (const Given& one : streams_of(command, open)) given.push_back(one);
  const pid_t pid = ::fork();
  if (pid < 0) throw machine_error(fmt::format("fork: {}", std::strerror(errno)));
  if (pid == 0) become(command, given, boxed);
  return pid;
}

CommandEnd wait_for(pid_t pid, const std::function<bool()>& late) {
  CommandEnd end;
  int status = 0;
  for (int ticks = 0;; ++ticks) {
    const pid_t got = ::waitpid(pid, &status, WNOHANG);
    if (got == pid) break;
    if (got < 0 && errno != EINTR) throw machine_error("a program was lost");
    if (!end.late && late()) {
      end.late = true;
      ::kill(pid, SIGKILL);
    }
    std::this_thread::sleep_for(ticks < kShortTicks ? kTick : kLongTick);
  }
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  if (WIFEXITED(status)) end.status = WEXITSTATUS(status);
  return end;
}

CommandEnd run_command(const Command& command, bool boxed) {
  const Deadline deadline(command.seconds);
  return wait_for(start(command, {}, boxed), [&] { return deadline.past(); });
}

namespace {

constexpr double kBlock = 512;  // of st_blocks: stat(2)

// Bytes of files on the disk, in and below a folder.
double bytes_below(const std::string& folder) {
  double bytes = 0;
  std::error_code failed;
  for (fs::recursive_directory_iterator it(folder, failed), end; !failed && it != end;
       it.increment(failed)) {
    struct stat info {};
    if (::lstat(it->path().c_str(), &info) == 0) {
      bytes += kBlock * static_cast<double>(info.st_blocks);
    }
  }
  return bytes;
}

// The bytes of files that have no name any more and are still open: no folder shows them.
double bytes_without_name(pid_t pid) {
  double bytes = 0;
  std::set<std::pair<dev_t, ino_t>> counted;
  std::error_code failed;
  for (fs::directory_iterator it(fmt::format("/proc/{}/fd", pid), failed), end;
       !failed && it != end; it.increment(failed)) {
    struct stat info {};
    if (::stat(it->path().c_str(), &info) != 0) continue;
    if (!S_ISREG(info.st_mode) || info.st_nlink > 0) continue;
    const bool of_memory = fs::read_symlink(it->path(), failed).native().starts_with("/memfd:");
    if (of_memory || !counted.insert({info.st_dev, info.st_ino}).second) continue;
    bytes += kBlock * static_cast<double>(info.st_blocks);
  }
  return bytes;
}

// The bytes of a process's own memory, by the fields of /proc/PID/status in proc(5); 0: it is gone.
// It maps the arena twice; other memory of that kind is its own, as what was swapped out is.
double own_bytes(pid_t pid, double arena) {
  std::ifstream file(fmt::format("/proc/{}/status", pid));
  constexpr double kKiB = 1024;
  double own = 0;
  for (std::string word; file >> word;) {
    double kib = 0;
    if ((word == "RssAnon:" || word == "VmSwap:") && file >> kib) own += kKiB * kib;
    if (word == "RssShmem:" && file >> kib) own += std::max(0.0, kKiB * kib - 2 * arena);
  }
  return own;
}

// Everything that a program has started and left: this process inherits them.
void end_the_rest() {
  for (int tries = 0; tries < kShortTicks; ++tries) {
    const pid_t self = ::getpid();
    std::ifstream file(fmt::format("/proc/{}/task/{}/children", self, self));
    for (pid_t child = 0; file >> child;) ::kill(child, SIGKILL);
    if (::waitpid(-1, nullptr, WNOHANG) < 0) return;
    std::this_thread::sleep_for(kTick);
  }
}

[[noreturn]] void keep(const std::function<pid_t()>& start_program, const Deadline& deadline,
                       const Account& account, int told, int wanted) {
  // A worker in its box sends no signal when it ends, not even by the system.
  const pid_t worker = ::getppid();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  int status = kNotStarted;
  try {
    Overrun over = Overrun::kNone;
    const pid_t pid = start_program();
    auto looked = worker::Clock::now();
    const auto is_over = [&] {
      if (worker::Clock::now() - looked < kLongTick) return false;
      looked = worker::Clock::now();
      over = overrun_of(account, pid);
      return over != Overrun::kNone;
    };
    CommandEnd end = wait_for(pid, [&] {
      return deadline.past() || ::getppid() != worker || is_closed(wanted) || is_over();
    });
    if (over == Overrun::kNone) over = overrun_of(account, 0);
    end.late = end.late && over == Overrun::kNone && deadline.past();
    end.over = over;
    end.most = over == Overrun::kFiles ? account.disk_bytes : account.memory_bytes;
    end_the_rest();
    if (::write(told, &end, sizeof end) == sizeof end) status = 0;
  } catch (const Error& error) {
    const std::string why = std::string(error.what()) + "\n";
    static_cast<void>(!::write(STDERR_FILENO, why.data(), why.size()));
  }
  ::_exit(status);
}

}  // namespace

Overrun overrun_of(const Account& account, pid_t pid) {
  if (account.memory_bytes > 0) {
    struct stat info {};
    const bool known = account.arena >= 0 && ::fstat(account.arena, &info) == 0;
    const double arena = known ? kBlock * static_cast<double>(info.st_blocks) : 0;
    const double own = pid > 0 ? own_bytes(pid, arena) : 0;
    if (arena + own > account.memory_bytes) return Overrun::kMemory;
  }
  if (account.disk_bytes <= 0) return Overrun::kNone;
  double files = pid > 0 ? bytes_without_name(pid) : 0;
  for (const std::string& folder : account.folders) files += bytes_below(folder);
  return files > account.disk_bytes ? Overrun::kFiles : Overrun::kNone;
}

Keeper::Keeper(const std::function<pid_t()>& start_program, const Deadline& deadline,
               const Account& account) {
  std::array<int, 2> pipes{};
  std::array<int, 2> wanted{};
  if (::pipe2(pipes.data(), O_CLOEXEC) != 0 || ::pipe2(wanted.data(), O_CLOEXEC) != 0) {
    throw machine_error("a pipe cannot be made");
  }
  end_ = Descriptor(pipes[0]);
  wanted_ = Descriptor(wanted[1]);
  const Descriptor theirs(pipes[1]);
  const Descriptor watched(wanted[0]);
  pid_ = ::fork();
  if (pid_ < 0) throw machine_error(fmt::format("fork: {}", std::strerror(errno)));
  if (pid_ == 0) {
    wanted_.close();
    keep(start_program, deadline, account, theirs.get(), watched.get());
  }
}

Keeper::~Keeper() {
  wanted_.close();
  reap();
}

CommandEnd Keeper::wait() {
  CommandEnd end;
  const bool told = ::read(end_.get(), &end, sizeof end) == sizeof end;
  reap();
  if (!told) throw machine_error("the process that keeps the program was lost");
  return end;
}

void Keeper::reap() {
  while (pid_ > 0 && ::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

}  // namespace lab::box
