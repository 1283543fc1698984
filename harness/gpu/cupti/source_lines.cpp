#include "harness/gpu/cupti/source_lines.h"

#include <algorithm>

namespace lab::gpu {

SourceLines::SourceLines(const std::vector<std::uint8_t>& cubin) {
  std::string absent;
  elf_ = cubin::read_elf(cubin, absent);
  if (elf_) table_ = cubin::read_lines(*elf_, ".debug_line");
}

std::optional<SourceLine> SourceLines::find(std::string_view function, std::uint64_t offset) const {
  if (!elf_) return {};
  const auto symbol = std::find_if(elf_->symbols.begin(), elf_->symbols.end(),
                                   [&](const auto& s) { return s.name == function; });
  if (symbol == elf_->symbols.end()) return {};
  const cubin::LineRow* row = table_.find(symbol->section, symbol->value + offset);
  if (row == nullptr || row->line == 0 || row->file >= table_.files.size()) return {};
  return SourceLine{table_.files[row->file], static_cast<int>(row->line)};
}

}  // namespace lab::gpu
