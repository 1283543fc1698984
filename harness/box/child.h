// Child processes that run what others wrote: started, boxed, watched and ended.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "harness/box/worker/channel.h"
#include "harness/core/whole_program.h"

namespace lab::box {

/// Descriptors that a new process has under fixed numbers.
struct Given {
  int from = -1;
  int as = -1;
};

/// The time that a command has.
class Deadline {
 public:
  explicit Deadline(double seconds)
      : limited_(seconds > 0),
        end_(worker::Clock::now() + std::chrono::duration_cast<worker::Clock::duration>(
                                        std::chrono::duration<double>(limited_ ? seconds : 0))) {}
  [[nodiscard]] bool past() const { return limited_ && worker::Clock::now() > end_; }

 private:
  bool limited_;
  worker::Clock::time_point end_;
};

/// Starts a command; `given` are descriptors beside its streams. `boxed`: it reaches what it names
/// and nothing else. Throws a machine error where no process can be made.
[[nodiscard]] pid_t start(const Command& command, std::vector<Given> given, bool boxed);

/// Waits for the end of a child, which is killed once `late` says so.
[[nodiscard]] CommandEnd wait_for(pid_t pid, const std::function<bool()>& late);

/// Runs a command and waits for its end.
[[nodiscard]] CommandEnd run_command(const Command& command, bool boxed);

/// What a program may take in all, and where it is looked for.
struct Account {
  double memory_bytes = 0;  ///< its own and that of `arena` together; 0: no bound
  double disk_bytes = 0;    ///< of all files in `folders`; 0: no bound
  int arena = -1;
  std::vector<std::string> folders = {};
};
/// Which bound the process (0: it has ended) has passed.
[[nodiscard]] Overrun overrun_of(const Account& account, pid_t pid);

/// A process between this one and a program, outside of both boxes: from within one nobody may end
/// another process.
class Keeper {
 public:
  /// `start_program` is called in the new process.
  Keeper(const std::function<pid_t()>& start_program, const Deadline& deadline,
         const Account& account);
  /// Nobody waits for the program any more: it is ended.
  ~Keeper();
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  /// Ends the program.
  void stop() { wanted_.close(); }
  /// Waits for the program's end.
  [[nodiscard]] CommandEnd wait();

 private:
  void reap();

  worker::Descriptor end_;
  worker::Descriptor wanted_;  // closed: the program is to end
  pid_t pid_ = -1;
};

}  // namespace lab::box
