// The program's side: a backend that runs in a worker process and outlives its accidents.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "harness/box/worker/messages.h"
#include "harness/box/worker/process.h"
#include "harness/core/backend.h"
#include "harness/core/binary.h"
#include "harness/core/compiled.h"

namespace lab::worker {

/// A case's time limit in seconds where the batch names none.
constexpr double kDefaultTimeout = 120;
struct ClientSettings {
  BackendKind backend = BackendKind::kModel;
  std::filesystem::path program = {};         ///< empty: lab-worker beside this program
  std::vector<std::string> environment = {};  ///< more variables for the worker, NAME=VALUE
  /// Gets each line that the worker prints; may be empty.
  std::function<void(std::string_view line)> log = {};
  /// Asked while the worker is waited for; true ends a compilation. May be empty.
  std::function<bool()> cancelled = {};
  /// A compiling worker, and the model's, that computes nothing for so long is stopped.
  std::chrono::seconds most_idle{60};
};

/// `lab-worker` in the folder of the running program.
[[nodiscard]] std::filesystem::path default_worker();

/// Not to be shared between threads.
class Client : public Backend {
 public:
  explicit Client(ClientSettings settings);
  ~Client() override;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Starts the worker and returns at once, so that it comes up while the program does other
  /// things. Everything else starts it where needed.
  /// Throws a machine error where the worker's program is missing.
  void start();

  /// A case during which the worker crashes, is killed, sends what is not a message or takes longer
  /// than its time limit is recorded as such, and the remaining ones run in a new worker. Throws a
  /// machine error where the model's worker was stopped.
  void run(const BatchRequest& batch, const BatchSink& sink) override;

  /// A source that the compiler crashes on, or computes too long for, is an input error; a worker
  /// that the system or a person ends or stops is a machine error.
  [[nodiscard]] Compiled compile(const CompileRequest& request);
  [[nodiscard]] Environment environment(const AskEnvironment& question);
  /// Runs a command in a box, and waits for its end.
  [[nodiscard]] CommandEnd command(const Command& command);
  /// Runs a whole program; the sink gets its cases, and how far a long launch is, by its number
  /// among all. A worker runs one program.
  [[nodiscard]] ProgramReport program(const ProgramRequest& program, const BatchSink& sink);
  /// Reads a program or an object file in a box; the worker does nothing else. What its reader dies
  /// of is the file's fault: an input error.
  [[nodiscard]] BinaryFacts binary(const BinaryQuestion& question);
  /// Measures what the GPU can do at most; takes seconds.
  [[nodiscard]] std::vector<Ceiling> calibrate();
  [[nodiscard]] ChipMetrics chip_metrics(const AskChipMetrics& question);
  /// The worker's process, for tests; 0: none is running.
  [[nodiscard]] int pid() const;
  /// Processor time of it and of all that it has started; 0: there is none.
  [[nodiscard]] double cpu_seconds() const;

 private:
  class Connection;
  /// How a conversation ended without a reply.
  struct Lost {
    enum class How { kCrashed, kEnded, kLate };  ///< kEnded: by the machine or a person
    How how;
    std::string words;  ///< such as "was killed by signal 11", or "gave no answer within 300 s"
  };
  std::variant<Reply, Lost> converse(const Request& request, std::chrono::seconds limit);
  template <typename Answer>
  Answer ask(const Request& request);
  void throw_if_stopped(const std::string& who);

  ClientSettings settings_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace lab::worker
