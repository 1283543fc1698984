#include "labs/touch.h"

namespace lab::labs {
namespace {

// Groups of `group` lines that begin `first` elements into lines of `length`, `width` lanes each.
// While the gap from one line to the next is shorter than a unit, none between them is skipped.
std::string group_touched(const std::string& lines, const Accesses& matrix,
                          const std::string& group, const std::string& first,
                          const std::string& width, int unit) {
  const auto& length = matrix.pitch;
  const auto span = [&](const std::string& of) {
    return "((" + of + " - 1) * " + length + " + " + width + ")";
  };
  const auto rest = "(" + lines + " % " + group + ")";
  const auto each = touched({lines, length, "1", matrix.bytes}, first, width, unit);
  const auto full =
      touched({"floor(" + lines + " / " + group + ")", group + " * " + length, "1", matrix.bytes},
              first, span(group), unit);
  const auto last =
      touched({"1", "0", "1", matrix.bytes},
              "(" + lines + " - " + rest + ") * " + length + " + " + first, span(rest), unit);
  return "if((" + length + " - " + width + ") * " + matrix.bytes + " >= " + std::to_string(unit) +
         ", " + each + ", " + full + " + if(" + rest + " == 0, 0, " + last + "))";
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

std::string touched_by_groups(const std::string& lines, const std::string& length,
                              const std::string& bytes, const Group& group, int unit) {
  const Accesses matrix = {lines, length, "1", bytes};
  const auto& width = group.width;
  const auto cut = "floor(" + length + " / " + width + ")";
  // A width is whole sectors: all full cuts begin alike. Lines are cut in some places in turn.
  const int phases = unit == 32 ? 1 : group.phases;
  const auto size = std::to_string(phases);
  std::string sum;
  for (int phase = 0; phase < phases; ++phase) {
    const auto first = phase == 0 ? "0" : std::to_string(phase) + " * " + width;
    const auto cuts = phases == 1 ? cut
                                  : "floor((" + cut + " + " + std::to_string(phases - 1 - phase) +
                                        ") / " + size + ")";
    sum += cuts + " * " + group_touched(lines, matrix, group.lines, first, width, unit) + " + ";
  }
  const auto rest = "(" + length + " % " + width + ")";
  const auto first = phases == 1 ? "0" : cut + " % " + size + " * " + width;
  return sum + "if(" + rest + " == 0, 0, " +
         group_touched(lines, matrix, group.lines, first, rest, unit) + ")";
}

std::string touched_by_pairs(const std::string& lines, const std::string& length,
                             const std::string& bytes, int unit) {
  return touched_by_groups(lines, length, bytes, {"2", "16", 2}, unit);
}

}  // namespace lab::labs
