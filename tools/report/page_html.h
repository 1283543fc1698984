// Prints a page as HTML.
#pragma once

#include <string>

#include "harness/page/page.h"

namespace lab::report {

/// The page's blocks as a fragment, with the report's classes. What others wrote is escaped here.
[[nodiscard]] std::string page_html(const page::Page& page);

}  // namespace lab::report
