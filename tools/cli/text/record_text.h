// Prints the summary of a recording.
#pragma once

#include <optional>
#include <string>

#include "harness/core/whole_program.h"
#include "harness/record/summary.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// All that is known of a recording.
struct RecordStory {
  record::Summary summary;
  std::optional<CommandEnd> end = {};  ///< none: the recording is a file's
  std::size_t most_rows = 0;           ///< of kernels; 0: all
  bool ranges = true;                  ///< NVTX ranges were recorded, where there are any
};

/// A line that sums up, a row for each kernel and shape, how busy the GPUs were, copies, NVTX
/// ranges, and what is missing.
[[nodiscard]] std::string record_text(const RecordStory& story, const Terminal& terminal);

}  // namespace lab::cli
