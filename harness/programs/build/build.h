// A program's sources to a program that runs on our runtime library: the host's part by clang, the
// names of its kernels for the device's compiler.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/backend.h"
#include "harness/core/binary.h"
#include "harness/core/error.h"
#include "harness/core/whole_program.h"

namespace lab::program {

struct Built {
  std::string program;             ///< its path
  std::vector<ProgramUnit> units;  ///< the sources with kernels, not compiled for the device yet
  std::vector<KernelText> others;  ///< the other sources
  std::string compiler;            ///< of the host's part: clang++-14, nvcc
};

struct BuildPlace {
  std::filesystem::path folder;   ///< where all that is made goes
  std::filesystem::path current;  ///< which the sources' names are relative to
  std::filesystem::path library;  ///< the folder of our runtime library
  std::string nvcc = {};          ///< its path; empty: there is none
};

/// Starts a compiler and waits for it.
using RunCommand = std::function<CommandEnd(const Command&)>;
/// Reads, in a box, what it made.
using ReadBinary = std::function<BinaryFacts(const BinaryQuestion&)>;

/// A question about a file that people call `name`. Throws an input error where it cannot be read.
[[nodiscard]] BinaryQuestion question_of(BinaryKind kind, const std::filesystem::path& file,
                                         const std::string& name);

/// Refused without a toolkit: nvcc may build it.
class NeedsToolkit : public NotModelled {
  using NotModelled::NotModelled;
};

/// Throws an input error with the compiler's own text where a source does not compile, and a
/// machine error where there is no compiler.
[[nodiscard]] Built build(const std::vector<KernelText>& sources, const BuildPlace& place,
                          const RunCommand& run, const ReadBinary& read);

/// The same by nvcc, host and device code at once, for `arch`: a program that asks for the shared
/// runtime. Its units are in it: read_binary().
[[nodiscard]] Built build_by_nvcc(const std::vector<KernelText>& sources, const BuildPlace& place,
                                  const RunCommand& run, std::string_view arch);

/// clang++ on PATH, the oldest version that is known to work first; empty: there is none.
[[nodiscard]] std::string find_clang();

}  // namespace lab::program
