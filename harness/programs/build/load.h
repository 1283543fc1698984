// What is read of a program or an object file that others may have made. In a box: see
// Client::binary().
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/core/binary.h"

namespace lab::program {

/// Reads what the question asks for: of an object file its kernels; of a program the clock that it
/// reads, and where it was there already its device code for the question's architecture: PTX, and
/// the machine code made of it where that is there. Throws an input error where it is no program,
/// and refuses by name a program whose runtime is linked in, that needs another library of CUDA's,
/// calls what is not modelled, or has no PTX. The texts of the units' sources are left out: they
/// are the PTX.
[[nodiscard]] BinaryFacts read_binary(const BinaryQuestion& question);

/// The calls that a library of ours has, which is trusted.
[[nodiscard]] std::vector<std::string> calls_of(std::string_view library);

}  // namespace lab::program
