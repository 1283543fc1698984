// Addresses that depend on the order in which warps reach an atomic: a kernel that takes places
// from a counter stores elsewhere each time, on a GPU and in the model alike.
#pragma once

#include <map>
#include <vector>

#include "harness/model/code/decoded.h"

namespace lab::model {

/// Follows what atomics return through registers and shared memory. A function is looked at when it
/// is asked for; what goes through calls or global memory is not followed.
class OrderFlows {
 public:
  explicit OrderFlows(const ptx::Module& module) : module_(&module) {}
  /// Whether the address that this memory instruction uses comes from what an atomic returned.
  [[nodiscard]] bool address_depends(const Origin& origin);

 private:
  const ptx::Module* module_;
  std::map<std::uint32_t, std::vector<bool>> by_function_;  // per instruction
};

}  // namespace lab::model
