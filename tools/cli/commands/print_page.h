// Prints a command's page: in the terminal, or in the form that --page asks for.
#pragma once

#include "harness/page/page.h"
#include "tools/cli/arguments/command.h"

namespace lab::cli {

/// --page text|md|html|json: html is a fragment with the report's classes.
[[nodiscard]] Option page_option();

void print_page(const page::Page& page, const Arguments& arguments, const Console& console);

}  // namespace lab::cli
