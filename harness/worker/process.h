// A child process that talks over a socket on its standard input.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/worker/channel.h"

namespace lab::worker {

/// How a process ended.
struct Ending {
  bool signalled = false;
  int number = 0;  ///< the signal, or the exit status
};

/// Such as "was killed by signal 11 (Segmentation fault)" or "ended with status 3".
[[nodiscard]] std::string describe(const Ending& ending);

/// Owns the process: it is killed and waited for when this goes. It is in a process group of its
/// own, so that Ctrl-C on the terminal reaches the program alone, which then decides.
class Process {
 public:
  /// Starts `program`. Its standard input is our socket; its output and errors come back through
  /// `errors()`. `environment` replaces variables of ours, given as NAME=VALUE.
  /// Throws a machine error where it cannot be started.
  [[nodiscard]] Process(const std::filesystem::path& program,
                        const std::vector<std::string>& environment);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] Channel& channel() { return channel_; }
  /// What the process wrote to its standard output and errors since the last call.
  [[nodiscard]] std::string errors();
  /// Kills it, if need be, and its children.
  void kill();
  /// Waits for its end; kills it where that takes longer than `grace`.
  Ending wait(std::chrono::milliseconds grace);

 private:
  Channel channel_;
  Descriptor errors_;
  /// True once the process has ended and been collected.
  [[nodiscard]] bool collect(int options);

  pid_t pid_ = -1;
  Ending ending_;
};

}  // namespace lab::worker
