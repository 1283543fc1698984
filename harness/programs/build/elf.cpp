#include "harness/programs/build/elf.h"

#include "harness/core/error.h"

namespace lab::program {
namespace {

std::string_view bytes_of(std::string_view file, const Elf64_Shdr& section) {
  if (section.sh_type == SHT_NOBITS || section.sh_offset >= file.size()) return {};
  return file.substr(section.sh_offset, section.sh_size);
}

}  // namespace

std::string_view text_at(std::string_view bytes, std::uint64_t at) {
  if (at >= bytes.size()) return {};
  const std::string_view rest = bytes.substr(at);
  return rest.substr(0, rest.find('\0'));
}

bool is_elf(std::string_view file) {
  return file.size() > sizeof(Elf64_Ehdr) && std::memcmp(file.data(), ELFMAG, SELFMAG) == 0 &&
         file[EI_CLASS] == ELFCLASS64;
}

std::vector<Elf64_Shdr> sections_of(std::string_view file) {
  std::vector<Elf64_Shdr> sections;
  const auto head = read_at<Elf64_Ehdr>(file, 0);
  if (!head || !is_elf(file)) return sections;
  for (std::uint64_t i = 0; i < head->e_shnum; ++i) {
    const auto section = read_at<Elf64_Shdr>(file, head->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) break;
    sections.push_back(*section);
  }
  return sections;
}

namespace {

std::vector<Elf64_Shdr> sections_named(std::string_view file, std::string_view name) {
  const std::vector<Elf64_Shdr> sections = sections_of(file);
  const auto head = read_at<Elf64_Ehdr>(file, 0);
  std::vector<Elf64_Shdr> named;
  if (!head || head->e_shstrndx >= sections.size()) return named;
  const std::string_view names = bytes_of(file, sections[head->e_shstrndx]);
  for (const Elf64_Shdr& section : sections) {
    if (text_at(names, section.sh_name) == name) named.push_back(section);
  }
  return named;
}

}  // namespace

std::string section_bytes(std::string_view file, std::string_view name) {
  std::string all;
  for (const Elf64_Shdr& section : sections_named(file, name)) {
    const std::string_view bytes = bytes_of(file, section);
    if (bytes.size() > file.size() - all.size()) {
      throw input_error("the program's sections lie over one another");
    }
    all += bytes;
  }
  return all;
}

std::uint64_t section_address(std::string_view file, std::string_view name) {
  const std::vector<Elf64_Shdr> named = sections_named(file, name);
  return named.empty() ? 0 : named.front().sh_addr;
}

std::vector<ElfSymbol> symbols_of(std::string_view file, std::uint32_t type) {
  std::vector<ElfSymbol> symbols;
  const std::vector<Elf64_Shdr> sections = sections_of(file);
  for (const Elf64_Shdr& table : sections) {
    if (table.sh_type != type || table.sh_link >= sections.size()) continue;
    const std::string_view names = bytes_of(file, sections[table.sh_link]);
    const std::string_view all = bytes_of(file, table);
    for (std::uint64_t at = 0; at < all.size(); at += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(all, at);
      if (!symbol) break;
      if (symbols.size() > file.size() / sizeof(Elf64_Sym)) {
        throw input_error("the program's sections lie over one another");
      }
      symbols.push_back({text_at(names, symbol->st_name), symbol->st_shndx != SHN_UNDEF});
    }
  }
  return symbols;
}

std::vector<std::string> needed_by(std::string_view file) {
  std::vector<std::string> needed;
  const std::vector<Elf64_Shdr> sections = sections_of(file);
  for (const Elf64_Shdr& table : sections) {
    if (table.sh_type != SHT_DYNAMIC || table.sh_link >= sections.size()) continue;
    const std::string_view names = bytes_of(file, sections[table.sh_link]);
    const std::string_view all = bytes_of(file, table);
    for (std::uint64_t at = 0; at < all.size(); at += sizeof(Elf64_Dyn)) {
      const auto entry = read_at<Elf64_Dyn>(all, at);
      if (!entry || entry->d_tag == DT_NULL) break;
      if (entry->d_tag == DT_NEEDED) needed.emplace_back(text_at(names, entry->d_un.d_val));
    }
  }
  return needed;
}

}  // namespace lab::program
