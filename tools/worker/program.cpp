#include "tools/worker/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "harness/core/error.h"
#include "harness/program/serve/server.h"
#include "harness/worker/channel.h"
#include "harness/worker/server.h"
#include "tools/worker/box.h"
#include "tools/worker/gpu_side.h"

namespace lab::worker {
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

/// Descriptors that a new process has under fixed numbers.
struct Given {
  int from = -1;
  int as = -1;
};

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

// A program maps its device memory twice.
void limit(const Command& command) {
  const auto lower = [](__rlimit_resource resource, double most) {
    const rlimit limit{static_cast<rlim_t>(most), static_cast<rlim_t>(most)};
    if (most > 0) ::setrlimit(resource, &limit);
  };
  lower(RLIMIT_FSIZE, command.file_bytes);
  if (command.memory_bytes <= 0) return;
  lower(RLIMIT_AS, 2 * static_cast<double>(program::kArenaBytes) + command.memory_bytes);
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

pid_t start(const Command& command, std::vector<Given> given, bool boxed) {
  std::vector<Descriptor> open;
  for (const Given& one : streams_of(command, open)) given.push_back(one);
  const pid_t pid = ::fork();
  if (pid < 0) throw machine_error(fmt::format("fork: {}", std::strerror(errno)));
  if (pid == 0) become(command, given, boxed);
  return pid;
}

/// The time that a command has.
class Deadline {
 public:
  explicit Deadline(double seconds)
      : limited_(seconds > 0),
        end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(limited_ ? seconds : 0))) {}
  [[nodiscard]] bool past() const { return limited_ && Clock::now() > end_; }

 private:
  bool limited_;
  Clock::time_point end_;
};

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

/// addr2line at work in a box: addresses in, lines out.
class Locator {
 public:
  Locator(const std::string& program, bool boxed) {
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) return;
    const Descriptor their_in(in[0]);
    in_ = Descriptor(in[1]);
    out_ = Descriptor(out[0]);
    const Descriptor their_out(out[1]);
    const Descriptor nothing(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    Command command;
    command.words = {"/usr/bin/addr2line", "-a", "-i", "-e", program};
    command.read = {program};
    command.streams = {their_in.get(), their_out.get(), nothing.get()};
    if (::access(command.words.front().c_str(), X_OK) == 0) pid_ = start(command, {}, boxed);
  }
  ~Locator() {
    in_.close();
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  }
  Locator(const Locator&) = delete;
  Locator& operator=(const Locator&) = delete;

  [[nodiscard]] std::string operator()(std::uint64_t address) const {
    if (pid_ <= 0) return {};
    // The second question marks the end of the first one's answer, of which nobody says how many
    // lines it has.
    const std::string question = fmt::format("{:#x}\n0x0\n", address);
    if (::write(in_.get(), question.data(), question.size()) < 0) return {};
    std::string found;
    next_line();  // the address
    for (std::string line = next_line(); !line.empty(); line = next_line()) {
      if (line.starts_with("0x")) break;
      // Wrappers of headers are inlined into the person's own line.
      if (found.empty() && !line.starts_with("/usr/")) found = line.substr(0, line.find(" ("));
    }
    next_line();  // of address 0
    return found;
  }

 private:
  std::string next_line() const {
    std::string line;
    char letter = 0;
    while (::read(out_.get(), &letter, 1) == 1 && letter != '\n') line += letter;
    return line;
  }

  Descriptor in_;
  Descriptor out_;
  pid_t pid_ = -1;
};

/// A process between this one and a program, outside of both boxes: from within one nobody may end
/// another process.
class Keeper {
 public:
  /// `start_program` is called in the new process.
  Keeper(const std::function<pid_t()>& start_program, const Deadline& deadline) {
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
      keep(start_program, deadline, theirs.get(), watched.get());
    }
  }
  /// Nobody waits for the program any more: it is ended.
  ~Keeper() {
    wanted_.close();
    reap();
  }
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  /// Waits for the program's end.
  [[nodiscard]] CommandEnd wait() {
    CommandEnd end;
    const bool told = ::read(end_.get(), &end, sizeof end) == sizeof end;
    reap();
    if (!told) throw machine_error("the process that keeps the program was lost");
    return end;
  }

 private:
  void reap() {
    while (pid_ > 0 && ::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
  }
  static bool is_closed(int pipe) {
    pollfd look{pipe, POLLIN, 0};
    return ::poll(&look, 1, 0) > 0;
  }
  [[noreturn]] static void keep(const std::function<pid_t()>& start_program,
                                const Deadline& deadline, int told, int wanted) {
    // A worker in its box sends no signal when it ends, not even by the system.
    const pid_t worker = ::getppid();
    int status = kNotStarted;
    try {
      const CommandEnd end = wait_for(start_program(), [&] {
        return deadline.past() || ::getppid() != worker || is_closed(wanted);
      });
      if (::write(told, &end, sizeof end) == sizeof end) status = 0;
    } catch (const Error& error) {
      const std::string why = std::string(error.what()) + "\n";
      static_cast<void>(!::write(STDERR_FILENO, why.data(), why.size()));
    }
    ::_exit(status);
  }

  Descriptor end_;
  Descriptor wanted_;  // closed: the program is to end
  pid_t pid_ = -1;
};

/// The process that has the GPU: its driver needs the system, so it is outside of the boxes. It was
/// forked before this one had anything of the program's.
class GpuSide {
 public:
  GpuSide(const Compiler& compiler, const ProgramRequest& request,
          const std::function<std::byte*()>& map) {
    std::array<int, 2> sockets{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) {
      throw machine_error(fmt::format("socketpair: {}", std::strerror(errno)));
    }
    Descriptor ours(sockets[0]);
    Descriptor theirs(sockets[1]);
    const pid_t pid = ::fork();
    if (pid < 0) throw machine_error(fmt::format("fork: {}", std::strerror(errno)));
    if (pid == 0) {
      ours.close();
      serve_launches(compiler, request, map, std::move(theirs));
    }
    channel_ = Channel(std::move(ours));
  }

  /// Throws what the other side throws, and a machine error where it is gone.
  [[nodiscard]] GpuLaunched launch(const GpuLaunch& launch, const std::function<bool()>& late) {
    Channel::Status status = channel_.send(encode(Request(AskLaunch{launch})))
                                 ? Channel::Status::kTimeout
                                 : Channel::Status::kClosed;
    Frame frame;
    while (status == Channel::Status::kTimeout) {
      status = channel_.receive(frame, Clock::now() + std::chrono::milliseconds(100));
      if (status == Channel::Status::kTimeout && late()) return too_late(launch);
    }
    if (status == Channel::Status::kClosed) {
      throw machine_error("the process that had the GPU was lost at " + launch.name);
    }
    Reply reply = decode_reply(frame);
    if (const auto* failed = std::get_if<Failed>(&reply)) {
      throw Error(failed->fault, failed->message, failed->hint);
    }
    return std::move(std::get<LaunchDone>(reply).launched);
  }

 private:
  [[nodiscard]] GpuLaunched too_late(const GpuLaunch& launch) {
    channel_.close();  // which ends the other side
    GpuLaunched done;
    done.record.kernel = launch.name;
    done.record.launch = launch.launch;
    done.record.status = CaseStatus::kTimeout;
    done.record.reason = "the program had its time before this launch came to its end";
    done.error = program::kLaunchTimeout;
    return done;
  }

  Channel channel_;
};

void check(bool fine, const char* call) {
  if (!fine) throw machine_error(fmt::format("{}: {}", call, std::strerror(errno)));
}

void print_to(int stream, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = ::write(stream, text.data() + done, text.size() - done);
    if (wrote < 0 && errno != EINTR) return;
    if (wrote > 0) done += static_cast<std::size_t>(wrote);
  }
}

}  // namespace

CommandEnd run_command(const Command& command, bool boxed) {
  const Deadline deadline(command.seconds);
  return wait_for(start(command, {}, boxed), [&] { return deadline.past(); });
}

ProgramReport run_program(const ProgramRequest& request, const BatchSink& sink,
                          const Compiler& compiler, bool boxed) {
  const Command& command = request.command;
  const Descriptor arena(::memfd_create("lab device memory", MFD_CLOEXEC));
  check(arena.get() >= 0, "memfd_create");
  check(::ftruncate(arena.get(), static_cast<off_t>(program::kArenaBytes)) == 0, "ftruncate");
  const auto map = [&] {
    void* const mapped = ::mmap(nullptr, program::kArenaBytes, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_NORESERVE, arena.get(), 0);
    check(mapped != MAP_FAILED, "mmap");
    return static_cast<std::byte*>(mapped);
  };
  std::optional<GpuSide> gpu;
  if (request.runs_on != LaunchesRunOn::kModel) {
    unwatched([&] { gpu.emplace(compiler, request, map); });
  }
  std::byte* const mapped = map();
  std::array<int, 2> sockets{};
  check(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets.data()) == 0, "socketpair");
  const Descriptor ours(sockets[0]);
  Descriptor theirs(sockets[1]);

  // What kernels print, behind what the program does.
  Descriptor log;
  if (!command.log.empty()) {
    log = Descriptor(::open(command.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  }
  const Locator locator(command.words.front(), boxed);
  const Deadline deadline(command.seconds);
  std::optional<Keeper> keeper;
  // The watch's own descriptors are not for the keeper, which would hold them open.
  unwatched([&] {
    keeper.emplace(
        [&] {
          const pid_t pid = start(
              command, {{theirs.get(), program::kSocket}, {arena.get(), program::kArena}}, boxed);
          theirs.close();  // or nobody would see the program's end
          return pid;
        },
        deadline);
    theirs.close();
    if (boxed) {
      close_box({{"/sys/devices/system/cpu", "/proc/meminfo", "/proc/self"}, {}, {}},
                {0, 4096, false});
    }
  });

  ProgramReport report;
  program::Service service;
  service.socket = ours.get();
  service.arena = mapped;
  service.locate = [&](std::uint64_t address) { return locator(address); };
  service.late = [&] { return deadline.past(); };
  const int output = command.streams.size() == 3 ? command.streams[1]
                     : log.open()                ? log.get()
                                                 : STDERR_FILENO;
  service.print = [output](const std::string& text) { print_to(output, text); };
  service.progress = [&](std::uint64_t launch, double fraction) {
    sink.progress(static_cast<int>(launch), fraction);
  };
  if (gpu) {
    service.gpu = [&](const GpuLaunch& launch) { return gpu->launch(launch, service.late); };
  }
  program::serve(request, service, sink.finished, report);
  report.end = keeper->wait();
  // A program that ends with an error has looked, and leaves everything where it lies; one that is
  // ended could not go on.
  if (report.end.status != 0 || report.end.signal != 0) {
    std::erase_if(report.findings, [](const Finding& one) {
      return one.kind == FindingKind::kUncheckedError || one.kind == FindingKind::kLeak;
    });
  }
  return report;
}

}  // namespace lab::worker
