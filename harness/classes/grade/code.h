// What the compiler made of a kernel: its registers, its accesses by source line, and the code
// without its names.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "harness/core/backend.h"
#include "harness/core/compiled.h"

namespace lab::grade {

struct CodeFacts {
  std::optional<std::uint32_t> registers = {};    ///< per thread
  std::optional<std::uint32_t> local_bytes = {};  ///< per thread: spills and local arrays
  std::uint64_t shared_bytes = 0;                 ///< per block, static
  /// What each source line's text became: `2 LDG.128, 1 STG`, with `(merged)` where several
  /// accesses became a wide one. By text, not by number: a line that moved has not changed.
  std::map<std::string, std::string> accesses = {};
};

/// Of the first kernel that was compiled; no machine code, no facts.
[[nodiscard]] CodeFacts code_facts(const Compiled& compiled, const KernelText& source);

/// SHA-256 of one kernel's PTX after renaming: two kernels that differ in names, comments and line
/// breaks alone have the same. Empty where the PTX lacks it.
[[nodiscard]] std::string fingerprint(std::string_view ptx, std::string_view lowered);

}  // namespace lab::grade
