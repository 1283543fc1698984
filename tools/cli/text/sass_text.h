// The memory instructions of a kernel's machine code beside the PTX and the source that they were
// made from.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/core/compiled.h"
#include "harness/cubin/listing.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

/// A memory instruction of the PTX, by the source line that it was made from.
struct WrittenAccess {
  std::string file;
  std::uint32_t line = 0;
  std::string opcode;  ///< ld.global.f32
};

/// A kernel as compiled, ready to be shown.
struct MachineCode {
  cubin::Image image;
  std::string kernel;  ///< mangled
  std::vector<cubin::ListedAccess> accesses = {};
  std::vector<WrittenAccess> written = {};
  std::vector<std::string> ptx = {};  ///< line by line
  bool disassembled = false;          ///< the texts are nvdisasm's
  std::string merges_absent = {};     ///< why it is not known what was merged
};

/// Reads the CUBIN, with the help of nvdisasm where that is found.
[[nodiscard]] MachineCode machine_code(const Compiled& compiled);

/// Per line of `source` what became of its memory instructions: `4 ld.shared.f32 compiled to 1
/// LDS.128`.
[[nodiscard]] std::map<int, std::string> compiled_lines(const MachineCode& code,
                                                        const KernelText& source);

/// Registers and memory of the kernel, on a line; why there is no machine code where there is none.
[[nodiscard]] std::string resources_text(const MachineCode& code);

/// Registers and memory, then one row per instruction, by source line. Of each line's accesses of
/// one kind `most` are shown; the others are counted.
[[nodiscard]] std::string sass_text(const MachineCode& code, const KernelText& source,
                                    std::size_t most, const Terminal& terminal);

}  // namespace lab::cli
