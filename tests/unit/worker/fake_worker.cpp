// A worker whose backend does what the variant's name says: the accidents a client must survive.
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <thread>
#include <utility>

#include "harness/box/worker/server.h"
#include "harness/core/error.h"

namespace {

int the_socket = -1;

// What a kernel that has taken its worker over may send: bytes that no `encode` made.
void send_raw(std::uint64_t size, const std::string& bytes) {
  std::string all = "LAB2";
  all.append(reinterpret_cast<const char*>(&size), sizeof size);
  all += bytes;
  if (::write(the_socket, all.data(), all.size()) < 0) std::_Exit(4);
  for (;;) ::pause();
}

// A process that nobody of ours started, and that does not end by itself.
std::string orphan() {
  const pid_t child = ::fork();
  while (child == 0) ::pause();
  return fmt::format("{}", child);
}

using lab::BatchRequest;
using lab::BatchSink;
using lab::CaseOutcome;
using lab::CaseRequest;

void act(const CaseRequest& request) {
  const std::string& what = request.variant;
  if (what == "crash") {
    std::signal(SIGSEGV, SIG_DFL);  // sanitizers have a handler of their own
    std::raise(SIGSEGV);
  }
  if (what == "killed") ::kill(::getpid(), SIGKILL);
  if (what == "exit") {
    std::fputs("cannot go on\n", stderr);
    std::_Exit(3);
  }
  if (what == "memory") throw std::bad_alloc();
  if (what == "stuck") throw lab::ProcessSpent("nothing more");
  if (what == "throw") throw lab::input_error("this will not do", "do that");
  if (what == "print") {
    // More than a pipe holds, on both streams: neither may reach the messages or block.
    for (int i = 0; i < 4000; ++i) std::printf("stray output, line %d\n", i);
    std::fflush(stdout);
    std::fputs("LAB1 stray error\n", stderr);
  }
  if (what == "nested") send_raw(30000, std::string(30000, '\x9f'));
  if (what == "huge") send_raw(1ULL << 37U, "");
  if (what == "stopped") ::raise(SIGSTOP);
  while (what == "hang") std::this_thread::sleep_for(std::chrono::seconds(1));
}

class Acting : public lab::Backend {
 public:
  explicit Acting(bool announces) : announces_(announces) {}
  void run(const BatchRequest& batch, const BatchSink& sink) override {
    sink.environment("batch_of", fmt::format("{}", batch.cases.size()));
    for (const CaseRequest& request : batch.cases) {
      if (announces_) sink.progress(request.index, 0);
      if (request.variant == "orphan") {
        sink.environment("orphan", orphan());
        ::kill(::getpid(), SIGKILL);
      }
      act(request);
      CaseOutcome outcome;
      outcome.record.index = request.index;
      outcome.record.variant = request.variant;
      outcome.record.params = request.params;
      outcome.record.kernel = batch.source.text;
      outcome.dumped["arg1"] = {std::byte{7}, std::byte{0}};
      if (request.variant != "forgotten") sink.finished(outcome);
      if (request.variant == "spent") throw lab::ProcessSpent("no further case here");
    }
  }

 private:
  bool announces_;
};

lab::worker::Environment environment(const lab::worker::AskEnvironment& /*ask*/) {
  const char* path = std::getenv("LD_LIBRARY_PATH");
  const char* extra = std::getenv("FAKE_EXTRA");
  return {{{"library_path", path != nullptr ? path : ""},
           {"extra", extra != nullptr ? extra : ""},
           {"group", ::getpgrp() == ::getpid() ? "own" : "inherited"}}};
}

}  // namespace

int main() {
  lab::worker::Services services;
  // The GPU is the one that never says which case it is at.
  services.backend = [](lab::BackendKind kind) {
    return std::make_unique<Acting>(kind == lab::BackendKind::kModel);
  };
  services.compile = [](const lab::CompileRequest& request) {
    if (request.source.text == "stopped") ::raise(SIGSTOP);
    if (request.source.text == "long") {
      const std::clock_t end = std::clock() + 5 * CLOCKS_PER_SEC / 2;
      while (std::clock() < end) {
      }
    }
    lab::Compiled compiled;
    compiled.ptx = request.source.text;
    compiled.lowered = request.kernels;
    return compiled;
  };
  services.binary = [](const lab::BinaryQuestion& question) {
    CaseRequest request;
    request.variant = question.name;
    act(request);
    lab::BinaryFacts facts;
    facts.host_clock = question.name;
    return facts;
  };
  services.environment = environment;
  services.calibrate = [] {
    return std::vector<lab::Ceiling>{{"dram_read", 4e12, "byte/s", "by hand"}};
  };
  services.chip_metrics = [](const lab::worker::AskChipMetrics& ask) {
    lab::worker::ChipMetrics metrics;
    metrics.chip = ask.chip;
    metrics.passes = 3;
    return metrics;
  };
  lab::worker::Channel channel = lab::worker::take_channel();
  the_socket = channel.get();
  lab::worker::serve(std::move(channel), services);
}
