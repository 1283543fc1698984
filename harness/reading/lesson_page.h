// A lab's lesson as a page: the cases that tell it, the picture, and how its numbers come about.
#pragma once

#include <string>
#include <vector>

#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "harness/page/page.h"
#include "harness/reading/screen.h"

namespace lab::reading {

/// Parts of the page that are made above reading.
struct LessonView {
  std::vector<page::Block> picture = {};  ///< between the cases and their reasons
  std::vector<page::Step> steps = {};     ///< what comes next, and where the run is stored
};

/// The table of cases, what its times are of, the picture, and the reasons.
[[nodiscard]] std::vector<page::Block> lesson_blocks(const ScreenReading& screen,
                                                     std::vector<page::Block> picture);

/// The whole page of a run that came to what was predicted.
[[nodiscard]] page::Page lesson_page(const RunRecord& run, const Lab& lab,
                                     const ScreenReading& screen, LessonView view);

/// `Lab 3: Bank conflicts`, with the size and the machine; of a student's file its name, too.
[[nodiscard]] page::Heading run_heading(const RunRecord& run, const Lab* lab,
                                        const std::string& size);

}  // namespace lab::reading
