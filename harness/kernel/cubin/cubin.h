// A CUBIN (NVIDIA's ELF file of machine code) as a value: per kernel its registers, memory and
// memory instructions, each with the PTX line and the source line that it was made from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/kernel/cubin/sass.h"

namespace lab::cubin {

struct MemoryInstruction {
  std::uint32_t pc = 0;  ///< bytes from the start of the function
  Access access;
  std::uint32_t ptx_line = 0;     ///< from 1; 0: not known
  std::uint32_t source_file = 0;  ///< index into Image::files; 0: not known
  std::uint32_t source_line = 0;
};

/// A branch or an exit under a condition.
struct Jump {
  std::uint32_t pc = 0;
  std::uint32_t ptx_line = 0;
};

struct Function {
  std::string name;                          ///< the kernel's mangled name
  std::optional<std::uint32_t> registers;    ///< per thread; empty: the file doesn't say
  std::optional<std::uint32_t> local_bytes;  ///< per thread: local arrays, spills and calls
  std::uint64_t shared_bytes = 0;  ///< per block: static, without what the system reserves
  std::vector<MemoryInstruction> instructions;  ///< in order of pc
  std::vector<Jump> jumps;                      ///< conditional ones, in order of pc
  std::vector<std::uint32_t> vote_lines;  ///< PTX lines with is_warp_vote(), ascending, distinct
  std::vector<Issue> code = {};           ///< all instructions, in order of pc
};

/// The contents of a CUBIN. Nothing in it is trusted: a part that is missing or broken is absent,
/// with a reason, and the rest is used.
struct Image {
  int sm = 0;
  std::vector<Function> functions;
  std::vector<std::string> files;  ///< of source; index 0 is ""
  std::vector<std::string> ptx;    ///< PTX text line by line, comments blanked by the compiler
  std::string absent;              ///< not empty: no machine code, for this reason
  std::string lines_absent;        ///< not empty: no PTX lines, for this reason

  /// The kernel with this mangled name, or null.
  [[nodiscard]] const Function* find(std::string_view name) const;
};

/// Reads the CUBIN of one architecture that NVRTC, nvcc -cubin or ptxas made. Never throws for bad
/// bytes. PTX lines need -lineinfo.
[[nodiscard]] Image read(Bytes bytes);

}  // namespace lab::cubin
