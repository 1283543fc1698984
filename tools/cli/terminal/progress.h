// A progress bar for what takes longer than a second.
#pragma once

#include <chrono>
#include <string>

#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// Draws on standard error, on a terminal only, and leaves nothing behind. Calls come one at a
/// time.
class Progress {
 public:
  explicit Progress(const Terminal& terminal) : terminal_(terminal) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `fraction` of the whole, in [0, 1]; `label` says what is under way.
  void show(const std::string& label, double fraction);
  /// Makes room for other text; the next call of show() draws the bar again.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  Terminal terminal_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point drawn_ = started_;
  bool visible_ = false;
};

/// `label  [#####.....]  50 %  3 s` in at most `terminal.width` - 1 columns.
[[nodiscard]] std::string progress_line(const std::string& label, double fraction, long seconds,
                                        const Terminal& terminal);

}  // namespace lab::cli
