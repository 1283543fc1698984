#include "harness/cubin/elf.h"

#include <algorithm>

namespace lab::cubin {

namespace {

constexpr std::uint16_t kMachineCuda = 190;  // EM_CUDA
constexpr std::uint32_t kSymbolTable = 2;    // SHT_SYMTAB
constexpr std::uint32_t kRelocationsWithAddend = 4;
constexpr std::uint32_t kNoBits = 8;
constexpr std::uint32_t kRelocations = 9;
constexpr std::size_t kHeaderSize = 64;
constexpr std::size_t kSectionSize = 64;
constexpr std::size_t kSymbolSize = 24;

struct Header {
  std::uint64_t sections_at = 0;
  std::uint16_t section_size = 0;
  std::uint16_t section_count = 0;
  std::uint16_t names = 0;
  int sm = 0;
};

std::optional<Header> read_header(Bytes bytes, std::string& absent) {
  if (bytes.size() < kHeaderSize || bytes[0] != 0x7f || bytes[1] != 'E' || bytes[2] != 'L' ||
      bytes[3] != 'F' || bytes[4] != 2 || bytes[5] != 1) {
    absent = "not a 64-bit ELF file";
    return {};
  }
  Reader reader(bytes);
  reader.take(18);
  if (reader.u16() != kMachineCuda) {
    absent = "an ELF file, but not of CUDA machine code";
    return {};
  }
  Header header;
  reader.take(20);  // version, entry, program headers
  header.sections_at = reader.u64();
  // The architecture: bits 8-15 of the flags since ABI version 8, bits 0-7 before.
  const std::uint32_t flags = reader.u32();
  header.sm = static_cast<int>((bytes[8] >= 8 ? flags >> 8 : flags) & 0xffU);
  reader.take(6);
  header.section_size = reader.u16();
  header.section_count = reader.u16();
  header.names = reader.u16();
  if (header.section_size != kSectionSize) {
    absent = "its section headers have an unknown size";
    return {};
  }
  return header;
}

// Section headers, with the offset of each name for now.
struct Raw {
  Section section;
  std::uint32_t name = 0;
};

std::vector<Raw> read_sections(Bytes bytes, const Header& header) {
  std::vector<Raw> raws;
  Reader reader(slice(bytes, header.sections_at, bytes.size()));
  for (std::uint16_t i = 0; i < header.section_count; ++i) {
    Raw raw;
    raw.name = reader.u32();
    raw.section.type = reader.u32();
    reader.take(16);  // flags, address
    const std::uint64_t offset = reader.u64();
    raw.section.size = reader.u64();
    raw.section.link = reader.u32();
    raw.section.info = reader.u32();
    reader.take(16);  // alignment, entry size
    if (!reader.ok()) break;
    if (raw.section.type != kNoBits) raw.section.data = slice(bytes, offset, raw.section.size);
    raws.push_back(raw);
  }
  return raws;
}

std::string_view text_at(Bytes table, std::uint64_t offset) {
  return Reader(slice(table, offset, table.size())).text();
}

std::vector<Symbol> read_symbols(const std::vector<Section>& sections) {
  std::vector<Symbol> symbols;
  const auto table = std::find_if(sections.begin(), sections.end(), [](const Section& section) {
    return section.type == kSymbolTable;
  });
  if (table == sections.end() || table->link >= sections.size()) return symbols;
  const Bytes names = sections[table->link].data;
  for (Reader reader(table->data); reader.at() + kSymbolSize <= table->data.size();) {
    Symbol symbol;
    symbol.name = text_at(names, reader.u32());
    symbol.kind = reader.u8() & 0xfU;
    reader.take(1);
    symbol.section = reader.u16();
    symbol.value = reader.u64();
    symbol.size = reader.u64();
    symbols.push_back(symbol);
  }
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
  for (const Section& section : sections) {
    const bool addend = section.type == kRelocationsWithAddend;
    if (!addend && section.type != kRelocations) continue;
    const std::string_view prefix = addend ? ".rela" : ".rel";
    if (section.name.substr(0, prefix.size()) != prefix) continue;
    if (section.name.substr(prefix.size()) != name) continue;
    const std::size_t size = addend ? 24 : 16;
    for (Reader reader(section.data); reader.at() + size <= section.data.size();) {
      const std::uint64_t field = reader.u64();
      const std::uint64_t symbol = reader.u64() >> 32;
      const std::uint64_t constant = addend ? reader.u64() : 0;
      if (symbol >= symbols.size()) continue;
      targets[field] = {symbols[symbol].section, symbols[symbol].value + constant};
    }
  }
  return targets;
}

std::optional<Elf> read_elf(Bytes bytes, std::string& absent) {
  const std::optional<Header> header = read_header(bytes, absent);
  if (!header) return {};
  Elf elf;
  elf.sm = header->sm;
  const std::vector<Raw> raws = read_sections(bytes, *header);
  if (header->names >= raws.size()) {
    absent = "its section headers are cut off";
    return {};
  }
  const Bytes names = raws[header->names].section.data;
  for (const Raw& raw : raws) {
    elf.sections.push_back(raw.section);
    elf.sections.back().name = text_at(names, raw.name);
  }
  elf.symbols = read_symbols(elf.sections);
  return elf;
}

}  // namespace lab::cubin
