// The summary of a recording as a page.
#pragma once

#include <cstddef>
#include <optional>

#include "harness/core/whole_program.h"
#include "harness/page/page.h"
#include "harness/record/summary.h"

namespace lab::record {

/// All that is known of a recording.
struct RecordStory {
  Summary summary;
  std::optional<CommandEnd> end = {};  ///< none: the recording is a file's
  std::size_t most_rows = 0;           ///< of kernels; 0: all
  bool ranges = true;                  ///< NVTX ranges were recorded, where there are any
};

/// A line that sums up, a row for each kernel and shape, how busy the GPUs were, copies, NVTX
/// ranges, and what is missing.
[[nodiscard]] page::Page recording_page(const RecordStory& story);

}  // namespace lab::record
