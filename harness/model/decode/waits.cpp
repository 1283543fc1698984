// Loops that do nothing but wait for a change of global memory, such as those of a grid barrier
// that a kernel makes itself.
#include <algorithm>

#include "harness/model/decode/decode.h"
#include "harness/model/decode/loop.h"

namespace lab::model {

bool waits_for_memory(const ptx::Function& function) {
  const std::vector<Loop> loops = loops_of(function);
  return std::any_of(loops.begin(), loops.end(), [](const Loop& loop) { return loop.waits(); });
}

}  // namespace lab::model
