#include "harness/model/layout/reason.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace lab::layout {

namespace {

constexpr std::uint64_t kMostFields = 32;  // of a structure: longer rows are a matrix's

std::string words_apart(const Problem& problem, const Layout& best) {
  // Parts as wide as the widest access, of which the banks give 128 bytes at once.
  std::uint64_t part = 4;
  for (const Use& use : problem.uses) {
    const std::uint32_t bytes = use.rule == CostRule::kSharedRows ? kMatrixRowBytes : use.unit;
    part = std::max<std::uint64_t>(part, bytes);
  }
  const std::uint64_t apart = (best.columns + best.pad) * problem.element;
  if (apart % part != 0) return fmt::format("Rows then begin {} bytes apart.", apart);
  const std::uint64_t parts = 128 / part;
  const std::uint64_t common = std::gcd(apart / part, parts);
  const std::string what = part == 4 ? "words" : fmt::format("parts of {} bytes", part);
  const std::string into = part == 4 ? "banks" : "parts of the banks' 128 bytes";
  return fmt::format("Rows then begin {} {} apart, and gcd({}, {}) = {}: {} rows begin in {} {}.",
                     apart / part, what, apart / part, parts, common, parts / common,
                     parts / common, into);
}

}  // namespace

std::string reason_text(const Problem& problem, const Layout& best) {
  switch (best.family) {
    case Family::kPadded:
      if (problem.global) return "Each row then begins a sector of 32 bytes.";
      return words_apart(problem, best);
    case Family::kPermuted:
      return fmt::format(
          "{} rows put what was in one bank into {} different ones; it takes no memory.",
          1U << best.bits, 1U << best.bits);
    case Family::kRotated:
      return "Each row begins in another bank than the one before; it takes no memory.";
    case Family::kTransposed:
      if (problem.global && best.columns <= kMostFields) {
        return "Neighbouring lanes then find neighbouring elements: an array for each field (a "
               "structure of arrays).";
      }
      return problem.global ? "Neighbouring lanes then find neighbouring elements. Where the order "
                              "in memory is given, go through a tile in shared memory."
                            : "Neighbouring lanes then find neighbouring elements.";
    case Family::kTiled:
      return "The 32 lanes of a warp then find 32 neighbouring elements, and a row stays near.";
    case Family::kShifted:
      return "What a warp asks for then begins at a sector of 32 bytes.";
    default:
      return {};
  }
}

}  // namespace lab::layout
