#include "harness/box/worker/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/box/worker/connection.h"
#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab::worker {
namespace {

namespace fs = std::filesystem;

// How often the user's wish to stop is asked for.
constexpr auto kSlice = std::chrono::milliseconds(100);
// Questions about the machine; a first load from a slow disk included.
constexpr auto kAnswer = std::chrono::seconds(300);
constexpr auto kReading = std::chrono::seconds(60);  // of 64 MiB
// A compilation is bounded by what it computes (compile::kMostSeconds, each of three attempts),
// which takes by the clock what a busy machine makes of it.
constexpr auto kCompilation = std::chrono::seconds(3600);
// Workers lost in a row without any case having begun before the rest is given up.
constexpr int kMostFruitless = 2;
// A backend that keeps the time limit itself can say more about the case, so it comes first.
constexpr double kGrace = 1.1;
constexpr double kGraceSeconds = 1;

Error error_of(const Failed& failed) {
  return Error(failed.fault, failed.message, failed.hint, failed.place);
}

CaseOutcome outcome_of(const CaseRequest& request, const BatchRequest& batch, CaseStatus status,
                       const std::string& reason) {
  CaseOutcome outcome;
  outcome.record.index = request.index;
  outcome.record.variant = request.variant;
  outcome.record.params = request.params;
  outcome.record.arch = batch.arch;
  if (request.job) {
    outcome.record.kernel = request.job->kernel;
    outcome.record.launch = request.job->launch;
  }
  outcome.record.status = status;
  outcome.record.reason = reason;
  return outcome;
}

enum class GivenUp : std::uint8_t { kCase, kAll };

// The cases of a batch that are not done yet, and the one that a worker is believed to be at.
class Remaining {
 public:
  Remaining(const BatchRequest& batch, const BatchSink& sink)
      : rest_(batch), sink_(sink), limit_(batch.timeout_s > 0 ? batch.timeout_s : kDefaultTimeout) {
    restart();
  }

  [[nodiscard]] bool empty() const { return rest_.cases.empty(); }
  [[nodiscard]] const BatchRequest& batch() const { return rest_; }
  [[nodiscard]] bool any_finished() const { return any_finished_; }
  [[nodiscard]] bool begun() const { return begun_; }
  [[nodiscard]] double limit() const { return limit_; }
  [[nodiscard]] Clock::time_point deadline() const {
    return since_ + std::chrono::duration_cast<Clock::duration>(
                        std::chrono::duration<double>(limit_ * kGrace + kGraceSeconds));
  }

  /// A new worker begins with the first case.
  void restart() {
    begun_ = false;
    current_ = rest_.cases.empty() ? -1 : rest_.cases.front().index;
    since_ = Clock::now();
  }

  void operator()(EnvironmentItem& item) {
    if (sink_.environment) sink_.environment(item.key, item.value);
  }

  void operator()(const Progress& progress) {
    if (!begun_ || progress.index != current_) since_ = Clock::now();
    begun_ = true;
    current_ = progress.index;
    if (sink_.progress) sink_.progress(progress.index, progress.fraction);
  }

  void operator()(CaseOutcome& finished) {
    const int index = finished.record.index;
    if (!drop(index)) return;
    begun_ = any_finished_ = true;
    since_ = Clock::now();
    if (index == current_ && !rest_.cases.empty()) current_ = rest_.cases.front().index;
    sink_.finished(std::move(finished));
  }

  /// Records what is lost: the case under way, or with it all others.
  void give_up(GivenUp what, CaseStatus status, const std::string& reason) {
    const std::vector<CaseRequest> cases = rest_.cases;
    const bool known = std::any_of(cases.begin(), cases.end(),
                                   [&](const auto& request) { return request.index == current_; });
    if (!known && !cases.empty()) current_ = cases.front().index;
    const int lost = current_;
    for (const CaseRequest& request : cases) {
      if (what == GivenUp::kCase && request.index != lost) continue;
      drop(request.index);
      sink_.finished(outcome_of(request, rest_, status, reason));
    }
  }

 private:
  bool drop(int index) {
    const auto at = std::find_if(rest_.cases.begin(), rest_.cases.end(),
                                 [&](const auto& request) { return request.index == index; });
    if (at == rest_.cases.end()) return false;
    rest_.cases.erase(at);
    return true;
  }

  BatchRequest rest_;
  const BatchSink& sink_;
  double limit_;
  bool any_finished_ = false;
  bool begun_ = false;
  int current_ = -1;
  Clock::time_point since_;
};

enum class Turn { kOver, kSpent, kLost, kTimeout, kCancelled };

constexpr const char* kStopped = "it was stopped, or the machine is too busy";

// The bytes of the buffers that one case hands back at most.
std::uint64_t dumped_bytes(const BatchRequest& batch) {
  std::uint64_t most = 0;
  for (const CaseRequest& request : batch.cases) {
    if (!request.job) continue;
    std::uint64_t sum = 0;
    const auto buffers = buffers_of(*request.job);
    for (const std::string& name : request.job->dump) {
      const auto found = buffers.find(name);
      if (found != buffers.end()) sum += std::min(bytes_of(*found->second), kMostRequestBytes);
    }
    most = std::max(most, sum);
  }
  return most;
}

// Takes in a reply to a batch: true where it was the last.
bool take(Remaining& remaining, Reply& reply) {
  if (auto* failed = std::get_if<Failed>(&reply)) {
    if (!remaining.any_finished()) throw error_of(*failed);
    remaining.give_up(GivenUp::kAll, CaseStatus::kError, failed->message);
    return true;
  }
  if (std::holds_alternative<Done>(reply)) {
    remaining.give_up(GivenUp::kAll, CaseStatus::kError,
                      "the backend gave no result for this case");
    return true;
  }
  if (auto* item = std::get_if<EnvironmentItem>(&reply)) remaining(*item);
  if (auto* progress = std::get_if<Progress>(&reply)) remaining(*progress);
  if (auto* finished = std::get_if<CaseOutcome>(&reply)) remaining(*finished);
  return false;
}

}  // namespace

fs::path default_worker() {
  std::error_code failed;
  return fs::read_symlink("/proc/self/exe", failed).parent_path() / "lab-worker";
}

Client::Client(ClientSettings settings) : settings_(std::move(settings)) {}
Client::~Client() = default;

void Client::start() {
  if (connection_ && connection_->closed()) connection_.reset();
  if (!connection_) connection_ = std::make_unique<Connection>(settings_);
}

int Client::pid() const { return connection_ ? connection_->pid() : 0; }

double Client::cpu_seconds() const { return connection_ ? connection_->cpu_seconds() : 0; }

void Client::run(const BatchRequest& batch, const BatchSink& sink) {
  Remaining remaining(batch, sink);
  const std::uint64_t dumps = dumped_bytes(batch);
  const auto listen = [&] {
    for (;;) {
      if (sink.cancelled && sink.cancelled()) return Turn::kCancelled;
      if (Clock::now() >= remaining.deadline()) return Turn::kTimeout;
      // A GPU's worker waits for it without computing; the model's and the compiler never wait.
      if (settings_.backend != BackendKind::kGpu)
        throw_if_stopped("the worker that runs the model");
      const auto until = std::min(remaining.deadline(), Clock::now() + kSlice);
      auto reply = connection_->receive(until, dumps);
      if (reply && std::holds_alternative<Spent>(*reply)) return Turn::kSpent;
      if (reply && take(remaining, *reply)) return Turn::kOver;
      if (!reply && connection_->closed()) return Turn::kLost;
    }
  };
  for (int fruitless = 0; !remaining.empty();) {
    start();
    connection_->await_hello();
    remaining.restart();
    // Where sending fails the worker is gone, and listening says so.
    (void)connection_->send(AskBatch{settings_.backend, remaining.batch()});
    const std::size_t before = remaining.batch().cases.size();
    const Turn turn = listen();
    if (turn == Turn::kOver) return;
    if (turn == Turn::kSpent && remaining.batch().cases.size() < before) {
      connection_->kill();
      connection_.reset();
      continue;
    }
    if (turn != Turn::kLost) connection_->kill();
    const std::string end = connection_->obituary();
    connection_.reset();
    fruitless = remaining.begun() ? 0 : fruitless + 1;
    const GivenUp given_up =
        turn == Turn::kCancelled || fruitless >= kMostFruitless ? GivenUp::kAll : GivenUp::kCase;
    if (turn == Turn::kCancelled) {
      remaining.give_up(given_up, CaseStatus::kInterrupted, "interrupted");
    } else if (turn == Turn::kTimeout) {
      remaining.give_up(given_up, CaseStatus::kTimeout,
                        fmt::format("not finished after {} s", number_text(remaining.limit())));
    } else {
      remaining.give_up(given_up, CaseStatus::kError, "the worker that ran this case " + end);
    }
  }
}

void Client::throw_if_stopped(const std::string& who) {
  const auto idle = connection_->idle();
  if (idle < settings_.most_idle) return;
  connection_.reset();
  throw machine_error(
      fmt::format("{} has computed nothing for {} s: {}", who, idle.count(), kStopped));
}

std::variant<Reply, Client::Lost> Client::converse(const Request& request,
                                                   std::chrono::seconds limit) {
  start();
  connection_->await_hello();
  (void)connection_->send(request);
  const auto until = Clock::now() + limit;
  while (!connection_->closed() && Clock::now() < until) {
    if (auto reply = connection_->receive(std::min(until, Clock::now() + kSlice))) {
      if (auto* failed = std::get_if<Failed>(&*reply)) throw error_of(*failed);
      return std::move(*reply);
    }
    if (settings_.cancelled && settings_.cancelled()) {
      connection_.reset();
      throw machine_error("interrupted");
    }
    if (const auto* ask = std::get_if<CompileRequest>(&request)) {
      throw_if_stopped("the compiler's process for " + ask->source.name);
    }
  }
  const bool late = !connection_->closed();
  if (late) connection_->kill();
  Lost lost{Lost::How::kCrashed, connection_->obituary()};
  if (connection_->ended_by_machine()) lost.how = Lost::How::kEnded;
  if (late) lost = {Lost::How::kLate, fmt::format("gave no answer within {} s", limit.count())};
  connection_.reset();
  return lost;
}

template <typename Answer>
Answer Client::ask(const Request& request) {
  auto answer = converse(request, kAnswer);
  if (auto* reply = std::get_if<Reply>(&answer)) {
    if (auto* found = std::get_if<Answer>(reply)) return std::move(*found);
    throw internal_error("lab-worker gave another answer than it was asked for");
  }
  const auto& [how, words] = std::get<Lost>(answer);
  const std::string text = "lab-worker gave no answer: it " + words;
  throw how == Lost::How::kCrashed ? internal_error(text) : machine_error(text);
}

Compiled Client::compile(const CompileRequest& request) {
  auto answer = converse(request, kCompilation);
  if (auto* reply = std::get_if<Reply>(&answer)) {
    if (auto* done = std::get_if<Compiled>(reply)) return std::move(*done);
    throw internal_error("lab-worker gave another answer than it was asked for");
  }
  const auto& [how, words] = std::get<Lost>(answer);
  const std::string& name = request.source.name;
  // Nothing in the compiler's own doing ends it so, but a person or a system without memory does.
  if (how != Lost::How::kCrashed) {
    throw machine_error(fmt::format("the compiler's process {} while it compiled {}", words, name));
  }
  throw input_error(fmt::format("{} does not compile: the compiler's process {}", name, words),
                    "NVRTC crashes on deeply nested or enormous sources");
}

CommandEnd Client::command(const Command& command) { return ask<CommandEnd>(command); }

BinaryFacts Client::binary(const BinaryQuestion& question) {
  auto answer = converse(question, kReading);
  if (auto* reply = std::get_if<Reply>(&answer)) {
    if (auto* read = std::get_if<BinaryFacts>(reply)) return std::move(*read);
    throw internal_error("lab-worker gave another answer than it was asked for");
  }
  const auto& [how, words] = std::get<Lost>(answer);
  throw input_error(
      fmt::format("{} cannot be read: the process that read it {}", question.name, words),
      "it has a minute and 2 GiB of memory for that");
}

ProgramReport Client::program(const ProgramRequest& program, const BatchSink& sink) {
  start();
  connection_->await_hello();
  (void)connection_->send(program);
  while (!connection_->closed()) {
    auto reply = connection_->receive(Clock::now() + kSlice);
    if (settings_.cancelled && settings_.cancelled()) {
      connection_.reset();
      throw machine_error("interrupted");
    }
    if (!reply) continue;
    if (auto* failed = std::get_if<Failed>(&*reply)) throw error_of(*failed);
    if (auto* one = std::get_if<CaseOutcome>(&*reply)) sink.finished(std::move(*one));
    const auto* far = std::get_if<Progress>(&*reply);
    if (far != nullptr && sink.progress) sink.progress(far->index, far->fraction);
    if (auto* done = std::get_if<ProgramReport>(&*reply)) return std::move(*done);
  }
  const std::string words = connection_->obituary();
  connection_.reset();
  throw internal_error("the worker that ran the program's kernels " + words);
}

Environment Client::environment(const AskEnvironment& question) {
  return ask<Environment>(question);
}

std::vector<Ceiling> Client::calibrate() { return ask<std::vector<Ceiling>>(AskCalibrate{}); }

ChipMetrics Client::chip_metrics(const AskChipMetrics& question) {
  return ask<ChipMetrics>(question);
}

}  // namespace lab::worker
