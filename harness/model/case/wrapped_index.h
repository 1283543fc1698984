// Why an address lies far from all memory: an index that does not fit the 32 bits that it is
// computed in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/launch.h"
#include "harness/model/code/decoded.h"

namespace lab::model {

/// One thread of a launch, and the parameters of its kernel as ptx::layout places them.
struct ThreadAt {
  Dim3 block;
  Dim3 thread;
  const Launch& launch;
  const std::vector<std::byte>& parameters;
};

/// "50,000 * 50,000 does not fit 32 bits: the index is -1,794,967,296", where the address of the
/// access at `where` comes of such a number. Empty: it does not, or that can't be told from the
/// parameters and the thread's place alone, as where an index was loaded or counted up in a loop.
[[nodiscard]] std::string wrapped_index(const Program& program, std::uint32_t where,
                                        const ThreadAt& at);

}  // namespace lab::model
