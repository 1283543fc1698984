#include "labs/touch.h"

namespace lab::labs {
namespace {

// Warps whose two lines begin `first` elements into lines of `length`, with `width` lanes each.
// While the gap from one line to the next is shorter than a unit, none between them is skipped.
std::string pair_touched(const std::string& lines, const Accesses& matrix, const std::string& first,
                         const std::string& width, int unit) {
  const auto& length = matrix.pitch;
  const auto each = touched({lines, length, "1", matrix.bytes}, first, width, unit);
  const auto both = touched({"floor(" + lines + " / 2)", "2 * " + length, "1", matrix.bytes}, first,
                            "(" + length + " + " + width + ")", unit);
  const auto last = touched({"1", "0", "1", matrix.bytes},
                            "(" + lines + " - 1) * " + length + " + " + first, width, unit);
  return "if((" + length + " - " + width + ") * " + matrix.bytes + " >= " + std::to_string(unit) +
         ", " + each + ", " + both + " + " + lines + " % 2 * " + last + ")";
}

}  // namespace

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

std::string touched_in_line(const std::string& n, const std::string& first, const std::string& step,
                            const std::string& bytes, int unit) {
  const auto warps = "floor(" + n + " / 32)";
  const auto pitch = step == "1" ? "32" : "32 * " + step;
  const auto last = first + " + " + warps + " * " + pitch;
  return touched({warps, pitch, step, bytes}, first, "32", unit) + " + if(" + n +
         " % 32 == 0, 0, " + touched({"1", "0", step, bytes}, last, "(" + n + " % 32)", unit) + ")";
}

std::string touched_by_pairs(const std::string& lines, const std::string& length,
                             const std::string& bytes, int unit) {
  const Accesses matrix = {lines, length, "1", bytes};
  const auto cut = "floor(" + length + " / 16)";
  // 16 elements of 4 bytes are two sectors, or half a line: every other full cut begins within one.
  const auto full = [&](const char* first) {
    return pair_touched(lines, matrix, first, "16", unit);
  };
  const auto sum = unit == 32 ? cut + " * " + full("0")
                              : "ceil(" + cut + " / 2) * " + full("0") + " + floor(" + cut +
                                    " / 2) * " + full("16");
  const auto first = unit == 32 ? "0" : cut + " % 2 * 16";
  return sum + " + if(" + length + " % 16 == 0, 0, " +
         pair_touched(lines, matrix, first, "(" + length + " % 16)", unit) + ")";
}

}  // namespace lab::labs
