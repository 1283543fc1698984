// What is read of ELF files, programs and objects, that nobody need trust: whatever lies outside of
// the file is absent.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab::program {

template <typename T>
[[nodiscard]] std::optional<T> read_at(std::string_view bytes, std::uint64_t at) {
  T value;
  if (at > bytes.size() || bytes.size() - at < sizeof value) return std::nullopt;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// The text up to the next zero.
[[nodiscard]] std::string_view text_at(std::string_view bytes, std::uint64_t at);

[[nodiscard]] bool is_elf(std::string_view file);
/// Empty: it is no ELF file.
[[nodiscard]] std::vector<Elf64_Shdr> sections_of(std::string_view file);
/// The bytes of all sections of this name, one after the other.
[[nodiscard]] std::string section_bytes(std::string_view file, std::string_view name);
/// Where the first section of this name lies in memory, from the file's own place on; 0: there is
/// none.
[[nodiscard]] std::uint64_t section_address(std::string_view file, std::string_view name);

struct ElfSymbol {
  std::string_view name;
  bool defined = false;
};
/// Of its tables of one type: SHT_SYMTAB or SHT_DYNSYM.
[[nodiscard]] std::vector<ElfSymbol> symbols_of(std::string_view file, std::uint32_t type);

/// The libraries that a program asks for.
[[nodiscard]] std::vector<std::string> needed_by(std::string_view file);

}  // namespace lab::program
