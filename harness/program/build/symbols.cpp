#include "harness/program/build/symbols.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "harness/program/wire/names.h"

namespace lab::program {
namespace {

template <typename T>
std::optional<T> read_at(std::string_view bytes, std::uint64_t at) {
  T value;
  if (at > bytes.size() || bytes.size() - at < sizeof value) return std::nullopt;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::string_view text_at(std::string_view bytes, std::uint64_t at) {
  if (at >= bytes.size()) return {};
  const std::string_view rest = bytes.substr(at);
  return rest.substr(0, rest.find('\0'));
}

std::vector<Elf64_Shdr> sections_of(std::string_view object) {
  std::vector<Elf64_Shdr> sections;
  const auto head = read_at<Elf64_Ehdr>(object, 0);
  if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return sections;
  for (std::uint64_t i = 0; i < head->e_shnum; ++i) {
    const auto section = read_at<Elf64_Shdr>(object, head->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) break;
    sections.push_back(*section);
  }
  return sections;
}

}  // namespace

std::vector<std::string> kernels_in(std::string_view object) {
  std::map<std::string, std::set<std::string>> kernels;  // their signatures, by expression
  std::vector<std::string> order;
  const std::vector<Elf64_Shdr> sections = sections_of(object);
  for (const Elf64_Shdr& table : sections) {
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections.size()) continue;
    const std::uint64_t names = sections[table.sh_link].sh_offset;
    for (std::uint64_t at = 0; at < table.sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(object, table.sh_offset + at);
      if (!symbol) break;
      const std::string_view name = text_at(object, names + symbol->st_name);
      if (symbol->st_shndx == SHN_UNDEF || name.find("__device_stub__") == name.npos) continue;
      const std::string kernel = kernel_expression(std::string(name));
      if (!kernels.contains(kernel)) order.push_back(kernel);
      kernels[kernel].insert(kernel_signature(std::string(name)));
    }
  }
  std::vector<std::string> named;
  for (const std::string& kernel : order) {
    const std::set<std::string>& signatures = kernels[kernel];
    if (signatures.size() == 1) {
      named.push_back(kernel);
    } else {
      named.insert(named.end(), signatures.begin(), signatures.end());
    }
  }
  return named;
}

}  // namespace lab::program
