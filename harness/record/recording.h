// A recording as it was read: what each process launched, and what ran.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/format.h"

namespace lab::record {

struct Told {
  Trouble trouble;
  std::string text;
};

/// The counters of a launch, a value for each of its metrics.
struct LaunchCounters {
  Counted counted;
  std::vector<double> values;
};

/// The names in a text that has commas between them.
[[nodiscard]] std::vector<std::string_view> metric_names(std::string_view text);

/// One process's part. Records are as they were written; texts are by number.
struct Process {
  Begin begin;
  std::vector<std::string> command;
  std::vector<std::string> texts;
  std::vector<Device> devices;
  std::vector<Module> modules;
  std::vector<Launch> launches;
  std::vector<Kernel> kernels;
  std::vector<Copy> copies;
  std::vector<Range> ranges;
  std::vector<LaunchCounters> counters;
  std::vector<Told> troubles;
  std::optional<End> end;  ///< none: it was killed, crashed, or called _exit

  /// The text of a number that a record of this process has; empty: none.
  [[nodiscard]] std::string_view text(TextId id) const;
};

struct Recording {
  std::vector<Process> processes;
  /// Bytes, from the first, that were whole.
  std::uint64_t whole_bytes = 0;
  /// Where and why reading ended before the bytes did; empty: nothing was wrong, or what stopped
  /// was the process and not the file.
  std::string damage;
};

/// Whether `bytes` begin as a recording does.
[[nodiscard]] bool is_recording(std::string_view bytes);

/// Reads a file, or several one behind the other. What stands before a damaged place is kept. An
/// input error where the bytes are not a recording, or one of a newer format; `name` is the file's.
[[nodiscard]] Recording read_recording(std::string_view bytes, const std::string& name);

}  // namespace lab::record
