#include "tools/cli/commands/print_page.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "harness/page/make.h"
#include "harness/page/markdown.h"
#include "tools/cli/json/json_page.h"
#include "tools/cli/text/page_text.h"
#include "tools/report/page_html.h"

namespace lab::cli {

namespace {

std::string form_of(const Arguments& arguments) { return arguments.value("page").value_or("text"); }

}  // namespace

Option page_option() {
  return {"page",
          "FORM",
          "The page in another form: for a notebook, a hand-in or a program",
          false,
          {"text", "md", "html", "json"}};
}

void print_page(const page::Page& page, const Arguments& arguments, const Console& console) {
  const std::string form = form_of(arguments);
  if (form == "html") {
    fmt::print("{}", report::page_html(page));
  } else if (form == "md") {
    fmt::print("{}", page::markdown_of(page));
  } else if (form == "json") {
    fmt::print("{}\n", printed({{"page", page_json(page)}}));
  } else {
    fmt::print("{}", page_text(page, console.out));
  }
}

void PageParts::add(page::Page part) {
  if (part.blocks.empty()) return;
  if (form_of(arguments_) != "text") {
    page::append(kept_, std::move(part));
    return;
  }
  if (std::exchange(begun_, true) && part.blocks.front().apart) fmt::print("\n");
  print_page(part, arguments_, console_);
  std::fflush(stdout);
}

void PageParts::end() const {
  if (form_of(arguments_) != "text") print_page(kept_, arguments_, console_);
}

}  // namespace lab::cli
