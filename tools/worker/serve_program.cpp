#include "tools/worker/serve_program.h"

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

#include "harness/box/box.h"
#include "harness/box/child.h"
#include "harness/box/worker/channel.h"
#include "harness/box/worker/server.h"
#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/programs/serve/server.h"
#include "tools/worker/gpu_side.h"

namespace lab::worker {
namespace {

using box::close_box;
using box::Deadline;
using box::Keeper;
using box::start;

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
    Channel::Status status = channel_.send(encode(Request(launch))) ? Channel::Status::kTimeout
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
    return std::get<GpuLaunched>(std::move(reply));
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
  const int why = errno;
  if (fine) return;
  throw machine_error(fmt::format("{}: {}", call, std::strerror(why)), file_limit_hint(why));
}

void print_to(int stream, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = ::write(stream, text.data() + done, text.size() - done);
    if (wrote < 0 && errno != EINTR) return;
    if (wrote > 0) done += static_cast<std::size_t>(wrote);
  }
}

}  // namespace

ProgramReport run_program(const ProgramRequest& request, const BatchSink& sink,
                          const Compiler& compiler, bool boxed) {
  Command command = request.command;
  // A program maps its device memory twice.
  box::Account account{command.memory_bytes, command.disk_bytes, -1, command.write};
  if (command.address_bytes > 0)
    command.address_bytes += 2 * static_cast<double>(program::kArenaBytes);
  const Descriptor arena(::memfd_create("lab device memory", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  check(arena.get() >= 0, "memfd_create");
  check(::ftruncate(arena.get(), static_cast<off_t>(program::kArenaBytes)) == 0,
        "the device's memory cannot be laid out as a file of 1 TiB, most of it holes");
  account.arena = arena.get();
  // A program that cut it off would take this process's mapping with it.
  check(::fcntl(arena.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0, "fcntl");
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
        deadline, account);
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
  if (!report.broken.empty()) keeper->stop();
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
