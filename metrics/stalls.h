// Why warps wait: the stall reasons of PC sampling, and samples by source line.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/record.h"

namespace lab::metrics {

/// Observations of lines that count samples have keys such as stall_short_scoreboard.
inline constexpr std::string_view kStallPrefix = "stall_";

/// One reason as CUPTI names it in smsp__pcsamp_warps_issue_stalled_NAME.
struct StallReason {
  std::string_view name;     ///< short_scoreboard
  std::string_view text;     ///< short scoreboard: as Nsight Compute prints it
  std::string_view meaning;  ///< what the warp waits for, for a student
};

/// All reasons, those that memory causes first.
[[nodiscard]] const std::vector<StallReason>& stall_reasons();
/// Null for a reason that only a newer chip has.
[[nodiscard]] const StallReason* find_stall(std::string_view name);
/// `short scoreboard`; for unknown reasons the name with spaces.
[[nodiscard]] std::string stall_text(std::string_view name);
/// False for the states in which a warp does not wait: selected, not_selected.
[[nodiscard]] bool is_stall(std::string_view name);

/// Samples of warps at one source line.
struct LineStalls {
  std::string file;  ///< empty, with line 0: the compiler names no line
  int line = 0;
  double samples = 0;                                        ///< of all states, waiting or not
  double waiting = 0;                                        ///< of the states that are stalls
  std::vector<std::pair<std::string, double>> reasons = {};  ///< stalls alone, most samples first
};

/// The lines of a case at which warps waited, most samples first; empty where nothing was sampled.
[[nodiscard]] std::vector<LineStalls> stalls_by_line(const std::vector<LineObservation>& lines);

/// All lines of a case as one: of no file and line 0.
[[nodiscard]] LineStalls all_stalls(const std::vector<LineObservation>& lines);

/// `short scoreboard 61 %, MIO throttle 20 %`: the largest `most` shares of the waiting samples;
/// `no stalls` where none waited.
[[nodiscard]] std::string stall_shares(const LineStalls& stalls, std::size_t most);

}  // namespace lab::metrics
