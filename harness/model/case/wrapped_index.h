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
  unsigned lane = 0;
  const std::vector<std::byte>& frame;  ///< its warp's registers at the access; may be empty
  /// Compiled code has one product for both: a number that is extended by zeros may be one of ints
  /// to which an unsigned threadIdx.x was added.
  bool has_unsigned = false;  ///< the access's source line has numbers that are declared so
};

/// "50,000 * 50,000 does not fit 32 bits: the index is -1,794,967,296", where the address of the
/// access at `where` comes of such a number. Numbers that were loaded or counted in a loop are
/// those of the registers; one that was overwritten since is told by a sum or product that is none,
/// and then nothing is said. Empty: the address comes of no such number, or that can't be told.
[[nodiscard]] std::string wrapped_index(const Program& program, std::uint32_t where,
                                        const ThreadAt& at);

}  // namespace lab::model
