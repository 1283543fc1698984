// Formulas for the sectors and lines that regular patterns of global accesses touch.
#pragma once

#include <string>

namespace lab::labs {

/// `count` accesses of several lanes each. Access i begins `pitch` elements behind access i - 1,
/// lanes are `step` elements of `bytes` apart. All are formulas.
struct Accesses {
  std::string count;
  std::string pitch;
  std::string step;
  std::string bytes;
};

/// Units of `unit` bytes (32: sectors, 128: lines) that the accesses touch, each by itself, where
/// access 0 begins at element `first` and has `lanes` lanes. While the step is shorter than a unit
/// no unit between the first and the last is skipped; when it is not, lanes share none.
[[nodiscard]] std::string touched(const Accesses& accesses, const std::string& first,
                                  const std::string& lanes, int unit);

/// The same where `extent` lanes-wide accesses are cut into warps of 32: warp k begins at element
/// 32 k step, and the last one has extent % 32 lanes.
[[nodiscard]] std::string touched_by_warps(const Accesses& accesses, const std::string& extent,
                                           int unit);

/// The same for one line of `n` lanes, `step` elements apart, from element `first`: warp k begins
/// at element first + 32 k step.
[[nodiscard]] std::string touched_in_line(const std::string& n, const std::string& first,
                                          const std::string& step, const std::string& bytes,
                                          int unit);

/// How a warp is laid over a matrix: a width of neighbours from each of some lines, as formulas.
struct Group {
  std::string lines;
  std::string width;  ///< of 4 bytes or more: a whole number of sectors
  int phases;         ///< widths after which lines of 128 bytes are cut alike again
};

/// The same for warps that take groups of a matrix of `lines` lines of `length` elements of
/// `bytes` (4 or more). Where lines are short, those of a group meet in a unit.
[[nodiscard]] std::string touched_by_groups(const std::string& lines, const std::string& length,
                                            const std::string& bytes, const Group& group, int unit);

/// The same for warps of two lines of 16 lanes each.
[[nodiscard]] std::string touched_by_pairs(const std::string& lines, const std::string& length,
                                           const std::string& bytes, int unit);

}  // namespace lab::labs
