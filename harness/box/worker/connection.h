// A running worker as the client sees it: requests, replies, what it printed, how it ended.
#pragma once

#include <optional>
#include <string>

#include "harness/box/worker/client.h"
#include "harness/box/worker/messages.h"
#include "harness/box/worker/process.h"

namespace lab::worker {

class Client::Connection {
 public:
  /// Starts the worker and greets it, without waiting for the answer.
  explicit Connection(const ClientSettings& settings);

  /// Waits for the worker's greeting, once. Throws a machine error, with what the worker
  /// printed, where none comes.
  void await_hello();
  /// False where the worker is gone.
  [[nodiscard]] bool send(const Request& request) {
    advanced_ = Clock::now();
    return process_.channel().send(encode(request));
  }
  /// The next reply; empty at `until`, or where the worker is gone (`closed()`). A worker that
  /// sends what is not a message is killed, and so gone. `dumps` are the bytes of buffers asked
  /// for.
  [[nodiscard]] std::optional<Reply> receive(Clock::time_point until, std::uint64_t dumps = 0);
  [[nodiscard]] bool closed() const { return closed_; }

  void kill() { process_.kill(); }
  /// After closed() or kill(): how it ended, and the last line it printed.
  [[nodiscard]] std::string obituary();
  /// After obituary(): whether the machine ended it, or a person.
  [[nodiscard]] bool ended_by_machine() const;
  /// For how long the worker and all that it started have computed nothing since the last request,
  /// as far as was looked: once a second, by calls of this. A busy machine gives each process a
  /// little, so this tells one that is stopped.
  [[nodiscard]] std::chrono::seconds idle();
  [[nodiscard]] int pid() const { return process_.pid(); }
  [[nodiscard]] double cpu_seconds() const { return process_.cpu_seconds(); }

 private:
  void drain();

  const ClientSettings& settings_;
  Process process_;
  Ending ending_;
  bool greeted_ = false;
  bool closed_ = false;
  std::string garbled_;  // why what it sent is not a message; empty: it always was one
  double cpu_ = -1;      // at the last look of idle()
  Clock::time_point looked_;
  Clock::time_point advanced_ = Clock::now();
  std::string line_;       // what it printed since the last line end
  std::string last_line_;  // the last whole line that is not blank
  std::string printed_;    // everything until the greeting
};

}  // namespace lab::worker
