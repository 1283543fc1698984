#include "harness/box/worker/server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

namespace lab::worker {
namespace {

// The program may have been killed without a word. A thread of its own sees it, since the one that
// serves may be in the middle of a long case.
class Watch {
 public:
  void begin(int socket) {
    socket_ = socket;
    std::array<int, 2> pipes{};
    if (::pipe2(pipes.data(), O_CLOEXEC) != 0)
      throw std::system_error(errno, std::generic_category());
    wake_ = Descriptor(pipes[1]);
    thread_ = std::thread([socket, woken = pipes[0]] {
      std::array<pollfd, 2> wait{pollfd{socket, POLLRDHUP, 0}, pollfd{woken, POLLIN, 0}};
      while (::poll(wait.data(), wait.size(), -1) < 0) {
      }
      ::close(woken);
      if (wait[0].revents == 0) return;
      // Nothing that it has started goes on, where the group is its own, as `lab` starts it.
      if (::getpgrp() == ::getpid()) ::kill(0, SIGKILL);
      ::_exit(0);
    });
  }
  void end() {
    wake_.close();
    thread_.join();
  }
  [[nodiscard]] int socket() const { return socket_; }

 private:
  int socket_ = -1;
  Descriptor wake_;
  std::thread thread_;
};

// The process's one. It is never taken apart: _exit ends its thread.
Watch& the_watch() {
  static auto* watch = new Watch;
  return *watch;
}

Failed failed(const Error& error) {
  return {error.fault(), error.what(), error.hint(), error.place()};
}

// The compiler writes a relative name into its line tables as one below the current folder; people
// see the name that they gave.
void name_as_given(CaseRecord& record, const std::string& given) {
  std::error_code ignored;
  const std::filesystem::path here = std::filesystem::current_path(ignored);
  const std::string absolute = (here / given).string();
  const std::string dotted = (here / ("./" + given)).string();  // -rf.cu is compiled as ./-rf.cu
  const auto rename = [&](std::string& file) {
    if (file == absolute || file == dotted) file = given;
  };
  for (Finding& finding : record.findings) rename(finding.file);
  for (Finding& remark : record.remarks) rename(remark.file);
  for (LineObservation& line : record.lines) rename(line.file);
}

class Server {
 public:
  Server(Channel& channel, const Services& services) : channel_(channel), services_(services) {}

  Reply operator()(const AskHello&) { return Hello{kProtocol, static_cast<int>(::getpid())}; }
  Reply operator()(const AskEnvironment& ask) { return services_.environment(ask); }
  Reply operator()(const AskChipMetrics& ask) { return services_.chip_metrics(ask); }
  Reply operator()(const AskCalibrate&) { return services_.calibrate(); }
  Reply operator()(const CompileRequest& request) { return services_.compile(request); }
  Reply operator()(const Command& command) { return services_.command(command); }
  Reply operator()(const GpuLaunch& launch) { return services_.launch(launch); }
  Reply operator()(const BinaryQuestion& question) { return services_.binary(question); }
  Reply operator()(const ProgramRequest& program) {
    BatchSink sink;
    sink.progress = [this](int launch, double fraction) { send(Progress{launch, fraction}); };
    sink.finished = [&](CaseOutcome outcome) {
      for (const ProgramUnit& unit : program.units) {
        name_as_given(outcome.record, unit.source.name);
        for (const IncludedText& one : unit.source.included) {
          name_as_given(outcome.record, one.name);
        }
      }
      send(std::move(outcome));
    };
    return services_.program(program, sink);
  }
  Reply operator()(const AskBatch& ask) {
    auto& backend = backends_[ask.backend];
    if (!backend) backend = services_.backend(ask.backend);
    BatchSink sink;
    sink.environment = [this](const std::string& key, const std::string& value) {
      send(EnvironmentItem{key, value});
    };
    sink.finished = [&](CaseOutcome outcome) {
      name_as_given(outcome.record, ask.batch.source.name);
      send(std::move(outcome));
    };
    sink.progress = [this](int index, double fraction) { send(Progress{index, fraction}); };
    // A program that no longer wants the result ends the process.
    sink.cancelled = [] { return false; };
    try {
      backend->run(ask.batch, sink);
    } catch (const ProcessSpent&) {
      return Spent{};
    }
    return Done{};
  }

  void send(const Reply& reply) {
    const Frame frame = encode(reply);
    // Backends may report from several threads.
    const std::lock_guard<std::mutex> lock(sending_);
    if (!channel_.send(frame)) ::_exit(0);
  }

 private:
  Channel& channel_;
  const Services& services_;
  std::map<BackendKind, std::unique_ptr<Backend>> backends_;
  std::mutex sending_;
};

Reply answer(Server& server, const Request& request) {
  try {
    return std::visit(server, request);
  } catch (const Error& error) {
    return failed(error);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::system_error& error) {
    return failed(machine_error(error.what()));
  } catch (const std::exception& error) {
    return failed(internal_error(error.what()));
  }
}

void answer_all(Channel& channel, Server& server) {
  Frame frame;
  for (;;) {
    const Channel::Status status = channel.receive(frame, Clock::now() + std::chrono::hours(1));
    if (status == Channel::Status::kClosed) return;
    if (status == Channel::Status::kTimeout) continue;
    const Request request = decode_request(frame);
    frame = {};  // a large one is not kept while it is answered
    server.send(answer(server, request));
  }
}

}  // namespace

Channel take_channel() {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  Channel channel(Descriptor(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)));
  const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  ::dup2(nothing.get(), STDIN_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  the_watch().begin(channel.get());
  return channel;
}

Channel channel_beside(Descriptor socket) {
  Channel channel(std::move(socket));
  the_watch().begin(channel.get());
  return channel;
}

void serve(Channel channel, const Services& services) {
  Server server(channel, services);
  live([&] { answer_all(channel, server); });
}

void live(const std::function<void()>& start) {
  int status = 0;
  try {
    start();
  } catch (const std::bad_alloc&) {
    std::fputs("out of memory\n", stderr);
    status = kExitMemory;
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    status = kExitMachine;
  } catch (const Error& error) {
    std::fputs(render(error).c_str(), stderr);
    status = error.fault() == Fault::kMachine ? kExitMachine : kExitProtocol;
  }
  std::fflush(nullptr);
  ::_exit(status);
}

void unwatched(const std::function<void()>& change) {
  Watch& watch = the_watch();
  const int socket = watch.socket();
  if (socket < 0) return change();  // no worker: a test
  watch.end();
  change();
  watch.begin(socket);
}

}  // namespace lab::worker
