// A program that was built already, by nvcc or clang, to what a built one is here.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/whole_program.h"

namespace lab::program {

struct LoadedProgram {
  std::string program;                ///< its path
  std::vector<std::string> runtimes;  ///< the libraries that ours stands for: libcudart.so.13
  std::vector<ProgramUnit> units;     ///< with their device code
};

/// Reads the program's device code for `arch`: PTX, and the machine code made of it where it is
/// there. `library`: our runtime library. Throws an input error where it is no program, and refuses
/// by name a program whose runtime is linked in, that needs another library of CUDA's, calls what
/// is not modelled, or has no PTX.
[[nodiscard]] LoadedProgram load(const std::filesystem::path& program, std::string_view arch,
                                 const std::filesystem::path& library);

/// The host's clock that a program reads, as people call it: std::chrono, gettimeofday. Empty:
/// none.
[[nodiscard]] std::string host_clock_of(const std::filesystem::path& program);

}  // namespace lab::program
