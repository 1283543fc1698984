#include "labs/touch.h"

namespace lab::labs {

std::string touched(const Accesses& accesses, const std::string& first, const std::string& lanes,
                    int unit) {
  const auto size = std::to_string(unit);
  const auto sum = [&](const std::string& element) {
    return "floor_sum(" + accesses.count + ", " + size + ", " + accesses.pitch + " * " +
           accesses.bytes + ", (" + element + ") * " + accesses.bytes + ")";
  };
  const auto dense = sum(first + " + (" + lanes + " - 1) * " + accesses.step) + " - " + sum(first) +
                     " + " + accesses.count;
  if (accesses.step == "1") return "(" + dense + ")";
  return "if(" + accesses.step + " * " + accesses.bytes + " >= " + size + ", " + accesses.count +
         " * " + lanes + ", " + dense + ")";
}

std::string touched_by_warps(const Accesses& accesses, const std::string& extent, int unit) {
  // 32 steps of whole elements are whole sectors: all full warps begin alike. Lines are four
  // sectors: warps of narrow elements begin at up to four different places.
  const int phases = unit / 32;
  const auto step = accesses.step == "1" ? "" : " * " + accesses.step;
  std::string sum;
  for (int phase = 0; phase < phases; ++phase) {
    const auto first = phase == 0 ? "0" : std::to_string(32 * phase) + step;
    const auto warps = phases == 1 ? "floor(" + extent + " / 32)"
                                   : "floor((floor(" + extent + " / 32) + " +
                                         std::to_string(phases - 1 - phase) + ") / 4)";
    sum += warps + " * " + touched(accesses, first, "32", unit) + " + ";
  }
  const auto first = phases == 1 ? "0" : "floor(" + extent + " / 32) % 4 * 32" + step;
  return sum + "if(" + extent + " % 32 == 0, 0, " +
         touched(accesses, first, "(" + extent + " % 32)", unit) + ")";
}

}  // namespace lab::labs
