// A running worker as the client sees it: requests, replies, what it printed, how it ended.
#pragma once

#include <optional>
#include <string>

#include "harness/worker/client.h"
#include "harness/worker/messages.h"
#include "harness/worker/process.h"

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
    return process_.channel().send(encode(request));
  }
  /// The next reply; empty at `until`, or where the worker is gone (`closed()`).
  [[nodiscard]] std::optional<Reply> receive(Clock::time_point until);
  [[nodiscard]] bool closed() const { return closed_; }

  void kill() { process_.kill(); }
  /// After closed() or kill(): how it ended, and the last line it printed.
  [[nodiscard]] std::string obituary();
  /// After obituary().
  [[nodiscard]] const Ending& ending() const { return ending_; }
  [[nodiscard]] int pid() const { return process_.pid(); }

 private:
  void drain();

  const ClientSettings& settings_;
  Process process_;
  Ending ending_;
  bool greeted_ = false;
  bool closed_ = false;
  std::string line_;       // what it printed since the last line end
  std::string last_line_;  // the last whole line that is not blank
  std::string printed_;    // everything until the greeting
};

}  // namespace lab::worker
