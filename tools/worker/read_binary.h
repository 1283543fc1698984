// Programs and object files of others, read in a box.
#pragma once

#include "harness/core/binary.h"

namespace lab::worker {

/// Closes a box around this process, in which there is no file, and reads what the question has the
/// bytes of. What damages it in that is the file's fault.
[[nodiscard]] BinaryFacts read_binary(const BinaryQuestion& question, bool boxed);

}  // namespace lab::worker
