// Better layouts of a kernel's arrays, as text: what each costs, which is best and why, and what to
// write.
#pragma once

#include <string>
#include <vector>

#include "harness/core/record.h"
#include "harness/run/fix.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// What the counts behind the text cover.
struct FixProof {
  std::uint64_t blocks = 0;
  std::uint64_t blocks_run = 0;
};

[[nodiscard]] std::string fixes_text(const std::vector<run::ArrayFix>& fixes,
                                     const std::string& source_name, const std::string& source_text,
                                     const FixProof& proof, const Terminal& terminal);

/// The same for a tile with no kernel: its layouts, and what the best one is.
[[nodiscard]] std::string tile_text(const run::ArrayFix& tile, const Terminal& terminal);

/// Why the layout helps, in one or two sentences.
[[nodiscard]] std::string reason_text(const layout::Problem& problem, const layout::Layout& best);

}  // namespace lab::cli
