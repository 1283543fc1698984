// A compiler's request and its result: PTX for the model, machine code for the GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/core/backend.h"
#include "harness/core/chip.h"

namespace lab {

struct CompileRequest {
  KernelText source;                 ///< .cu text, or .ptx text where its name ends so
  std::vector<std::string> kernels;  ///< extern "C" names or template expressions
  std::string arch{kDefaultArch};
  std::vector<std::string> options = {};  ///< such as --ptxas-options=-O0
  /// Kernels that the source lacks get an empty lowered name; else they are an input error.
  bool partial = false;
};

struct Compiled {
  std::string ptx;
  std::vector<std::uint8_t> cubin;   ///< empty: none, such as for a .ptx source
  std::string log;                   ///< the compiler's warnings
  std::vector<std::string> lowered;  ///< mangled names, in the order of `kernels`
  double seconds = 0;
  bool from_cache = false;
  std::string no_lines = {};  ///< why it lacks line information; empty: it has it
  std::string way = {};       ///< what was done with its host code; empty: it has none
  bool alone = false;         ///< made for the kernels asked for: it serves no others
  /// Lower-case hex. Taken once: a case's record has them, and many cases share a compilation.
  std::string ptx_sha256 = {};
  std::string cubin_sha256 = {};  ///< empty: there is no machine code
};

/// Writes the facts of its compilation into a case's record.
void note_compiled(const std::vector<std::string>& options, const Compiled& compiled,
                   CaseRecord& record);

/// Throws an input error whose text is the compiler's own, with file and line, where the source
/// does not compile.
using Compiler = std::function<Compiled(const CompileRequest&)>;

}  // namespace lab
