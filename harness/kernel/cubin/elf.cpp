#include "harness/kernel/cubin/elf.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

namespace lab::cubin {

namespace {

// A structure of <elf.h> at an offset, or nothing where the file ends before it does.
template <typename T>
std::optional<T> at(Bytes bytes, std::uint64_t offset) {
  const Bytes part = slice(bytes, offset, sizeof(T));
  if (part.size() != sizeof(T)) return {};
  T value;
  std::memcpy(&value, part.data(), sizeof value);
  return value;
}

// As many whole structures as there are, one after the other.
template <typename T, typename Visit>
void each(Bytes bytes, Visit visit) {
  for (std::uint64_t offset = 0; const auto value = at<T>(bytes, offset); offset += sizeof(T)) {
    visit(*value);
  }
}

bool is_elf64(const Elf64_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB;
}

std::optional<Elf64_Ehdr> read_header(Bytes bytes, std::string& absent) {
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  if (!header || !is_elf64(*header)) {
    absent = "not a 64-bit ELF file";
    return {};
  }
  if (header->e_machine != EM_CUDA) {
    absent = "an ELF file, but not of CUDA machine code";
    return {};
  }
  if (header->e_shentsize != sizeof(Elf64_Shdr)) {
    absent = "its section headers have an unknown size";
    return {};
  }
  return header;
}

// The architecture: bits 8-15 of the flags since ABI version 8, bits 0-7 before.
int sm_of(const Elf64_Ehdr& header) {
  const bool is_new = header.e_ident[EI_ABIVERSION] >= 8;
  return static_cast<int>((is_new ? header.e_flags >> 8 : header.e_flags) & 0xffU);
}

// Section headers, with the offset of each name for now.
struct Raw {
  Section section;
  std::uint32_t name = 0;
};

std::vector<Raw> read_sections(Bytes bytes, const Elf64_Ehdr& header) {
  std::vector<Raw> raws;
  const std::uint64_t size = std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr);
  each<Elf64_Shdr>(slice(bytes, header.e_shoff, size), [&](const Elf64_Shdr& from) {
    Section section{{}, from.sh_type, from.sh_link, from.sh_info, from.sh_size, {}};
    if (from.sh_type != SHT_NOBITS) section.data = slice(bytes, from.sh_offset, from.sh_size);
    raws.push_back({section, from.sh_name});
  });
  return raws;
}

std::string_view text_at(Bytes table, std::uint64_t offset) {
  return Reader(slice(table, offset, table.size())).text();
}

std::vector<Symbol> read_symbols(const std::vector<Section>& sections) {
  std::vector<Symbol> symbols;
  const auto table = std::find_if(sections.begin(), sections.end(), [](const Section& section) {
    return section.type == SHT_SYMTAB;
  });
  if (table == sections.end() || table->link >= sections.size()) return symbols;
  const Bytes names = sections[table->link].data;
  each<Elf64_Sym>(table->data, [&](const Elf64_Sym& from) {
    const auto kind = static_cast<std::uint8_t>(ELF64_ST_TYPE(from.st_info));
    symbols.push_back(
        {text_at(names, from.st_name), kind, from.st_shndx, from.st_value, from.st_size});
  });
  return symbols;
}

}  // namespace

const Section* Elf::find(std::string_view name) const {
  const auto it = std::find_if(sections.begin(), sections.end(),
                               [=](const Section& section) { return section.name == name; });
  return it == sections.end() ? nullptr : &*it;
}

std::unordered_map<std::uint64_t, Elf::Target> Elf::targets_of(std::string_view name) const {
  std::unordered_map<std::uint64_t, Target> targets;
  const auto add = [&](std::uint64_t field, std::uint64_t info, std::uint64_t constant) {
    const std::uint64_t symbol = ELF64_R_SYM(info);
    if (symbol >= symbols.size()) return;
    targets[field] = {symbols[symbol].section, symbols[symbol].value + constant};
  };
  const auto is_for = [&](const Section& section, std::string_view prefix) {
    return section.name.starts_with(prefix) && section.name.substr(prefix.size()) == name;
  };
  for (const Section& section : sections) {
    if (section.type == SHT_RELA && is_for(section, ".rela")) {
      each<Elf64_Rela>(section.data, [&](const Elf64_Rela& from) {
        add(from.r_offset, from.r_info, static_cast<std::uint64_t>(from.r_addend));
      });
    }
    if (section.type == SHT_REL && is_for(section, ".rel")) {
      each<Elf64_Rel>(section.data,
                      [&](const Elf64_Rel& from) { add(from.r_offset, from.r_info, 0); });
    }
  }
  return targets;
}

std::optional<Elf> read_elf(Bytes bytes, std::string& absent) {
  const std::optional<Elf64_Ehdr> header = read_header(bytes, absent);
  if (!header) return {};
  Elf elf;
  elf.sm = sm_of(*header);
  const std::vector<Raw> raws = read_sections(bytes, *header);
  if (header->e_shstrndx >= raws.size()) {
    absent = "its section headers are cut off";
    return {};
  }
  const Bytes names = raws[header->e_shstrndx].section.data;
  for (const Raw& raw : raws) {
    elf.sections.push_back(raw.section);
    elf.sections.back().name = text_at(names, raw.name);
  }
  elf.symbols = read_symbols(elf.sections);
  return elf;
}

}  // namespace lab::cubin
