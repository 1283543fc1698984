// Questions about a program's or an object file's bytes. Others may have made them, so that they
// are read in a box.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/whole_program.h"

namespace lab {

/// Sent by number: never renumber.
enum class BinaryKind : std::uint8_t {
  kObject = 0,   ///< compiled here: which kernels does its host part launch?
  kBuilt = 1,    ///< linked here: which clock does it read?
  kProgram = 2,  ///< there already: which clock, and which device code has it?
};

struct BinaryQuestion {
  std::string name;  ///< as people call the file
  BinaryKind kind = BinaryKind::kObject;
  std::vector<std::byte> bytes = {};
  std::string arch = {};                ///< of a program there already: whose code is wanted
  std::vector<std::string> known = {};  ///< of such a program: the calls of CUDA that we have
};

struct BinaryFacts {
  std::vector<std::string> kernels = {};   ///< of an object file
  std::string host_clock = {};             ///< std::chrono, gettimeofday; empty: it reads none
  std::vector<std::string> runtimes = {};  ///< libraries that ours stands for: libcudart.so.13
  std::vector<ProgramUnit> units = {};     ///< with their device code
};

}  // namespace lab
