// A finding in a sentence that names thread and element, and how to mend it.
#pragma once

#include <string>
#include <string_view>

#include "harness/core/finding.h"

namespace lab::reading {

/// `Block 3, thread 231 reads in[1000]: in has 1,000 elements.` Where the element is not known, the
/// checker's own words with block and thread.
[[nodiscard]] std::string sentence_of(const Finding& finding);

/// `Guard the access ...`; empty: the kernel stopped itself, or nothing general can be said.
[[nodiscard]] std::string_view cure_of(const Finding& finding);

/// The program's host code did it, or a call of it: no block and thread did.
[[nodiscard]] bool is_of_host(const Finding& finding);

}  // namespace lab::reading
