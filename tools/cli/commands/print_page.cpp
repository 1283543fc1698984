#include "tools/cli/commands/print_page.h"

#include <fmt/format.h>

#include "harness/page/markdown.h"
#include "tools/cli/json/json_page.h"
#include "tools/cli/text/page_text.h"
#include "tools/report/page_html.h"

namespace lab::cli {

Option page_option() {
  return {"page",
          "FORM",
          "The page in another form: for a notebook, a hand-in or a program",
          false,
          {"text", "md", "html", "json"}};
}

void print_page(const page::Page& page, const Arguments& arguments, const Console& console) {
  const std::string form = arguments.value("page").value_or("text");
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

}  // namespace lab::cli
