#include "harness/core/whole_program.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "harness/core/text.h"

namespace lab {

std::string overrun_text(const CommandEnd& end) {
  constexpr double kMiB = 1 << 20U;
  const bool files = end.over == Overrun::kFiles;
  return fmt::format("it took more than the {} MiB of {} that it may take",
                     number_text(std::floor(end.most / kMiB)),
                     files ? "files" : "memory, the device's included,");
}

std::string end_text(const CommandEnd& end) {
  if (end.late) return "stopped: it had its time";
  if (end.over != Overrun::kNone) return "stopped: " + overrun_text(end);
  if (end.signal != 0) {
    return fmt::format("ended by signal {} ({})", end.signal, ::strsignal(end.signal));
  }
  return fmt::format("exit {}", end.status);
}

}  // namespace lab
