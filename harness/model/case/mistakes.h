// From faults to mistakes. A launch has a fault for each pair of instructions that race, and an
// unrolled loop has many; a person made one mistake, such as leaving out one barrier.
#pragma once

#include <vector>

#include "harness/model/code/decoded.h"
#include "harness/model/execute/observer.h"

namespace lab::model {

/// One fault per mistake or remark, sorted by instruction, then by kind. Races that one more
/// barrier would order are one: its fault is at the instruction that the barrier has to come
/// before, and its `detail` names the lines. Out-of-bounds, misaligned and uninitialised accesses
/// are one per source line, and so are remarks, whose `detail` is what the line does.
[[nodiscard]] std::vector<Fault> mistakes(const std::vector<Fault>& faults, const Program& program);

}  // namespace lab::model
