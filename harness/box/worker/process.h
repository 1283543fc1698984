// A child process that talks over a socket on its standard input.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/box/worker/channel.h"

namespace lab::worker {

/// How a process ended.
struct Ending {
  bool signalled = false;
  int number = 0;  ///< the signal, or the exit status
};

/// Such as "was killed by signal 11 (Segmentation fault)" or "ended with status 3".
[[nodiscard]] std::string describe(const Ending& ending);
/// Whether a person or the system ended it: by a signal that nothing in a program's own doing
/// sends.
[[nodiscard]] bool came_from_outside(const Ending& ending);

/// Owns the process and all that it starts: they are killed and waited for when this goes. They are
/// in a process group of their own, so that Ctrl-C on the terminal reaches the program alone, which
/// then decides. Orphans among them become children of this program (prctl(2),
/// PR_SET_CHILD_SUBREAPER), so that none outlives its worker.
class Process {
 public:
  /// Starts `program`. Its standard input is our socket; its output and errors come back through
  /// `errors()`. `environment` replaces variables of ours, given as NAME=VALUE.
  /// Throws a machine error where it cannot be started, or has not begun after `most`.
  [[nodiscard]] Process(const std::filesystem::path& program,
                        const std::vector<std::string>& environment,
                        std::chrono::milliseconds most = std::chrono::seconds(30));
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] Channel& channel() { return channel_; }
  /// The text that the process wrote to its standard output and errors since the last call, or the
  /// first part of it: one that never stops writing does not keep us here.
  [[nodiscard]] std::string errors();
  /// The processor time of it and those that it started, in seconds, as proc(5) has it.
  [[nodiscard]] double cpu_seconds() const;
  /// Whether it has ended. Its socket may be open still: what it started has it, too.
  [[nodiscard]] bool has_ended() const;
  /// Kills it, if need be, and its children.
  void kill();
  /// Waits for its end; kills it where that takes longer than `grace`.
  Ending wait(std::chrono::milliseconds grace);

 private:
  /// Waits until the program runs; throws where it does not.
  void await_start(int pipe, const std::string& name, std::chrono::milliseconds most);
  /// True once the process has ended and been collected, and its group with it.
  [[nodiscard]] bool collect(bool wait);

  Channel channel_;
  Descriptor errors_;

  pid_t pid_ = -1;
  Ending ending_;
};

}  // namespace lab::worker
