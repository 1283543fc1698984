// A lab's lesson as a page: the cases that tell it, the picture, and how its numbers come about.
#pragma once

#include <optional>
#include <vector>

#include "harness/core/access.h"
#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "harness/page/page.h"
#include "harness/reading/screen.h"

namespace lab::reading {

/// The table of cases, what its times are of, the picture, and the reasons.
[[nodiscard]] std::vector<page::Block> lesson_blocks(const ScreenReading& screen,
                                                     std::vector<page::Block> picture);

/// The curve or the access that the lesson draws; `access` is empty where none was kept.
[[nodiscard]] std::vector<page::Block> lesson_picture(const RunRecord& run, const Lab& lab,
                                                      const ScreenReading& screen,
                                                      const std::optional<Access>& access);

}  // namespace lab::reading
