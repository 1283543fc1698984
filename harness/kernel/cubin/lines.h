// DWARF line programs: which line an instruction came from. By hand: libdw reads
// .debug_line, not the tables of machine code that NVIDIA's compiler adds beside it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/kernel/cubin/elf.h"

namespace lab::cubin {

/// Instructions from `address` up to the next row's came from `line` of `file`. For inlined code
/// that is the innermost place in the file of the outermost function, as in ptx::Where.
struct LineRow {
  std::uint64_t address = 0;
  std::uint32_t file = 0;  ///< index into LineTable::files; 0 is none
  std::uint32_t line = 0;
};

struct LineTable {
  std::vector<std::string> files;                      ///< index 0 is ""
  std::map<std::uint16_t, std::vector<LineRow>> rows;  ///< by section of code, addresses ascending

  /// The row for an address of a section; null where there is none.
  [[nodiscard]] const LineRow* find(std::uint16_t section, std::uint64_t address) const;
};

/// Runs the line programs (DWARF version 2, section 6.2, with NVIDIA's two extended opcodes) in the
/// section with this name: ".debug_line" for source lines, ".nv_debug_line_sass" for lines of the
/// PTX. A program that breaks off gives the rows up to that point.
[[nodiscard]] LineTable read_lines(const Elf& elf, std::string_view section);

}  // namespace lab::cubin
