// A compilation in a process of its own: NVRTC 11.8 crashes on some sources, and takes with it the
// process it is in.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "harness/core/compiled.h"

namespace lab::compile {

/// How a copy ended.
struct CopyEnd {
  int status = 0;          ///< as waitpid(2) has it
  double cpu_seconds = 0;  ///< what it computed
};

/// Bytes of address space of this process. A copy in a box may not read its own number, and has its
/// parent's.
[[nodiscard]] std::uint64_t address_space();

/// Memory that a compiler may take beyond that of its process: more than the largest of ordinary
/// sources needs, with its headers.
constexpr std::uint64_t kCompilerMemory = std::uint64_t{2} << 30U;
/// Whether this process may have that much: a limit of the system's (`ulimit -v`) may be lower, and
/// then it is not the source that takes too much.
[[nodiscard]] bool may_have_memory();

/// Runs `compile` in a copy of this process and gives its result; an Error that it throws is thrown
/// here. Empty where the copy dies of it, or sends more than 512 MiB. Throws a machine error where
/// no process can be made, or where there is less memory than a compiler may need and it runs out.
/// The copy has one thread, the caller's: `compile` may not wait for another.
[[nodiscard]] std::optional<Compiled> compile_in_subprocess(
    const std::function<Compiled()>& compile, CopyEnd* end = nullptr);

}  // namespace lab::compile
