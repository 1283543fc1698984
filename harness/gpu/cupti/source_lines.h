// The source line that a machine instruction comes from, by the compiler's line table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/kernel/cubin/elf.h"
#include "harness/kernel/cubin/lines.h"

namespace lab::gpu {

struct SourceLine {
  std::string file;
  int line = 0;
  friend auto operator<=>(const SourceLine&, const SourceLine&) = default;
};

/// The line table of one CUBIN, which must outlive it. With no line information, or no CUBIN, it
/// knows no line.
class SourceLines {
 public:
  explicit SourceLines(const std::vector<std::uint8_t>& cubin);
  /// `function` is mangled; `offset` is in bytes from its beginning.
  [[nodiscard]] std::optional<SourceLine> find(std::string_view function,
                                               std::uint64_t offset) const;

 private:
  std::optional<cubin::Elf> elf_;
  cubin::LineTable table_;
};

}  // namespace lab::gpu
