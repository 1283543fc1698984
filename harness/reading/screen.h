// The screen of a lab: the cases, numbers and reasons that its lesson needs, of those that ran, and
// its page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/core/access.h"
#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "harness/page/page.h"
#include "harness/reading/figures.h"

namespace lab::reading {

struct ScreenReading {
  std::string size = {};  ///< `256 x 256 floats`
  Cases cases;            ///< of the rows
  page::Table table = {};
  /// What expected times are of, and of the rows whose expected time the rules do not have in full
  /// a sentence with its label.
  std::vector<std::string> notes = {};
  page::Table reasons = {};  ///< words, what is worked out, the number; may have no row
};

/// What the lab's screen says of a run. Empty where the lab has none, where a row did not run or
/// came to anything but what was predicted: then the run has something else to tell first.
[[nodiscard]] std::optional<ScreenReading> screen_of(const RunRecord& run, const Lab& lab);

/// Whether each reason's formula gives the number that it explains; the first that does not, as a
/// sentence. Empty: all do.
[[nodiscard]] std::string wrong_reason(const RunRecord& run, const Lab& lab);

/// The table of cases, what its times are of, the picture, and the reasons.
[[nodiscard]] std::vector<page::Block> lesson_blocks(const ScreenReading& screen,
                                                     std::vector<page::Block> picture);

/// The curve or the access that the lesson draws; `access` is empty where none was kept.
[[nodiscard]] std::vector<page::Block> lesson_picture(const RunRecord& run, const Lab& lab,
                                                      const ScreenReading& screen,
                                                      const std::optional<Access>& access);

}  // namespace lab::reading
