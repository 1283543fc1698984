// A kernel as it was compiled: the memory instructions of its machine code, and of its PTX.
#pragma once

#include <string>
#include <vector>

#include "harness/core/compiled.h"
#include "harness/kernel/cubin/listing.h"

namespace lab::run {

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

}  // namespace lab::run
