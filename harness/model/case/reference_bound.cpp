#include "harness/model/case/reference_bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "harness/core/numbers.h"

namespace lab::model {

bool ReferenceBound::is_passed(std::uint64_t instructions) {
  if (instructions <= limit_.load()) return false;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!reference_ && instructions > limit_.load()) ask(instructions);
  return instructions > limit_.load();
}

// A reference that takes more than the launch has run so far is asked again later, if ever.
void ReferenceBound::ask(std::uint64_t instructions) {
  if (!job_.expected.reference) {
    limit_ = std::numeric_limits<std::uint64_t>::max();
    return;
  }
  reference_ = references_.cost(job_, instructions, [this] { return patience_.stopped(); });
  limit_ = std::max(kAlwaysGranted, kTimesTheReference * reference_.value_or(instructions));
}

std::string ReferenceBound::text() const {
  return fmt::format("{} times what the lab's reference takes ({} warp instructions)",
                     kTimesTheReference, grouped_text(static_cast<double>(reference_.value_or(0))));
}

}  // namespace lab::model
