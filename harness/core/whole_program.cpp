#include "harness/core/whole_program.h"

#include <fmt/format.h>

#include <cstring>

namespace lab {

std::string end_text(const CommandEnd& end) {
  if (end.late) return "stopped: it had its time";
  if (end.over == Overrun::kMemory) return "stopped: it took more memory than it may";
  if (end.over == Overrun::kFiles) return "stopped: its files took more than they may";
  if (end.signal != 0) {
    return fmt::format("ended by signal {} ({})", end.signal, ::strsignal(end.signal));
  }
  return fmt::format("exit {}", end.status);
}

}  // namespace lab
