// The ELF64 container of a CUBIN: sections, symbols, relocations. By hand over the structures of
// <elf.h>: whatever is cut off or out of range in a damaged file has to read as absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/kernel/cubin/bytes.h"

namespace lab::cubin {

struct Section {
  std::string_view name;
  std::uint32_t type = 0;
  std::uint32_t link = 0;
  std::uint32_t info = 0;
  std::uint64_t size = 0;  ///< as stated; `data` is shorter where the file is, or for NOBITS
  Bytes data;
};

struct Symbol {
  std::string_view name;
  std::uint8_t kind = 0;  ///< STT_FUNC is 2
  std::uint16_t section = 0;
  std::uint64_t value = 0;
  std::uint64_t size = 0;
};

/// Views into the bytes it was read from.
struct Elf {
  int sm = 0;  ///< 90 of sm_90
  std::vector<Section> sections;
  std::vector<Symbol> symbols;

  /// The first section with this name, or null.
  [[nodiscard]] const Section* find(std::string_view name) const;
  /// Where the fields of a section point: offset of the field -> section and address in it. From
  /// `.rela<name>` or `.rel<name>`.
  struct Target {
    std::uint16_t section = 0;
    std::uint64_t address = 0;  ///< symbol and addend; the addend of `.rel` is in the field itself
  };
  [[nodiscard]] std::unordered_map<std::uint64_t, Target> targets_of(std::string_view name) const;
};

/// Reads a 64-bit little-endian ELF file with CUDA machine code. For anything else `absent` says
/// why it is not one. Parts of the file that are cut off or out of range are left out.
[[nodiscard]] std::optional<Elf> read_elf(Bytes bytes, std::string& absent);

}  // namespace lab::cubin
