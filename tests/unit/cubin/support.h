// Fixture files and small ELF files for the tests.
#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/kernel/cubin/cubin.h"

namespace lab::cubin {

using File = std::vector<std::uint8_t>;

inline File read_bytes(const std::string& path) {
  std::ifstream file(std::string(LAB_SOURCE_DIR) + "/" + path, std::ios::binary);
  if (!file) throw std::runtime_error("can't read " + path);
  return File(std::istreambuf_iterator<char>(file), {});
}

inline File fixture(const std::string& sm) {
  return read_bytes("tests/fixtures/cubin/merge." + sm + ".cubin");
}

inline std::string fixture_ptx(const std::string& sm) {
  const File bytes = read_bytes("tests/fixtures/cubin/merge." + sm + ".ptx");
  return std::string(bytes.begin(), bytes.end());
}

inline void put(File& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    out.push_back(i < 8 ? static_cast<std::uint8_t>(value >> (8 * i)) : std::uint8_t{0});
  }
}
inline void put(File& out, const std::string& text) {
  out.insert(out.end(), text.begin(), text.end());
  out.push_back(0);
}

/// An ELF file made from parts, for what no compiler writes.
class ElfBuilder {
 public:
  std::uint16_t machine = 190;
  std::uint8_t abi = 8;
  std::uint32_t flags = 90U << 8;

  /// Index of the section.
  std::uint16_t add(const std::string& name, std::uint32_t type, File data,
                    std::uint32_t link = 0) {
    sections_.push_back({name, type, std::move(data), link});
    return static_cast<std::uint16_t>(sections_.size());
  }

  [[nodiscard]] File build() const {
    File names{0};
    File body;
    File headers(64, 0);  // section 0 is empty
    std::vector<Part> parts = sections_;
    parts.push_back({".shstrtab", 3, {}, 0});
    std::vector<std::uint32_t> at;
    for (const Part& part : parts) {
      at.push_back(static_cast<std::uint32_t>(names.size()));
      put(names, part.name);
    }
    parts.back().data = names;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      put(headers, at[i], 4);
      put(headers, parts[i].type, 4);
      put(headers, 0, 16);
      put(headers, 64 + body.size(), 8);
      put(headers, parts[i].data.size(), 8);
      put(headers, parts[i].link, 4);
      put(headers, 0, 4);
      put(headers, 0, 16);
      body.insert(body.end(), parts[i].data.begin(), parts[i].data.end());
    }
    File out{0x7f, 'E', 'L', 'F', 2, 1, 1, 41, abi, 0, 0, 0, 0, 0, 0, 0};
    put(out, 2, 2);
    put(out, machine, 2);
    put(out, 1, 4);
    put(out, 0, 16);  // entry, program headers
    put(out, 64 + body.size(), 8);
    put(out, flags, 4);
    put(out, 64, 2);
    put(out, 0, 4);
    put(out, 64, 2);
    put(out, parts.size() + 1, 2);
    put(out, parts.size(), 2);
    out.insert(out.end(), body.begin(), body.end());
    out.insert(out.end(), headers.begin(), headers.end());
    return out;
  }

 private:
  struct Part {
    std::string name;
    std::uint32_t type;
    File data;
    std::uint32_t link;
  };
  std::vector<Part> sections_;
};

/// A machine instruction from its low 9 bits, width code and predicate (7: always).
inline File word(std::uint64_t opcode, std::uint64_t width, std::uint64_t predicate = 7,
                 std::uint64_t offset = 0) {
  File out;
  put(out, opcode | predicate << 12 | std::uint64_t{2} << 24 | (offset & 0xffffffU) << 40, 8);
  put(out, width << 9, 8);
  return out;
}

}  // namespace lab::cubin
