// Named causes for differences: each accounts for a difference by numbers, or is not named.
#pragma once

#include <optional>
#include <string>

#include "metrics/evidence.h"

namespace lab::metrics {

/// Why the model's value is not theory's: the model saw the accesses before the compiler merged
/// them, the formula speaks of the source, or the model ran a sample of the blocks.
[[nodiscard]] std::optional<std::string> model_cause(const Evidence& evidence,
                                                     const Interval& expected,
                                                     const CaseRecord& record,
                                                     const Variant* variant);

/// Why the metric's counter cannot tell the kernel's own part from that of others on the chip;
/// empty where it can, and where no counter was read.
[[nodiscard]] std::optional<std::string> noise_reason(const Evidence& evidence,
                                                      const Interval& expected,
                                                      const CaseRecord& record);

/// Why hardware's value is not the expected one: the metric's band, arbitration in the L1 data
/// stage, accesses merged by the compiler, or registers spilled by it.
[[nodiscard]] std::optional<std::string> hardware_cause(const Evidence& evidence,
                                                        const Interval& expected, const Seen& seen,
                                                        const CaseRecord& record);

}  // namespace lab::metrics
