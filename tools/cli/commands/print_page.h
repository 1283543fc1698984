// Prints a command's page: in the terminal, or in the form that --page asks for.
#pragma once

#include "harness/page/page.h"
#include "tools/cli/arguments/command.h"

namespace lab::cli {

/// --page text|md|html|json: html is a fragment with the report's classes.
[[nodiscard]] Option page_option();

void print_page(const page::Page& page, const Arguments& arguments, const Console& console);

/// A page that comes about part by part: the terminal shows each as soon as it is there, any other
/// form shows all of them as one page at the end.
class PageParts {
 public:
  PageParts(const Arguments& arguments, const Console& console)
      : arguments_(arguments), console_(console) {}

  /// A part stands apart from the one before it if its first block does.
  void add(page::Page part);
  /// Prints what the terminal has not shown yet.
  void end() const;

 private:
  const Arguments& arguments_;
  const Console& console_;
  page::Page kept_ = {};
  bool begun_ = false;
};

}  // namespace lab::cli
