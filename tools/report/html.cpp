#include "tools/report/html.h"

#include <fmt/format.h>

namespace lab::report {

std::string element(std::string_view name, std::string_view inner, std::string_view classes) {
  if (classes.empty()) return fmt::format("<{0}>{1}</{0}>", name, inner);
  return fmt::format("<{0} class=\"{2}\">{1}</{0}>", name, inner, classes);
}

std::string wide_table(std::string_view head, std::string_view rows, std::string_view classes) {
  const std::string inner = fmt::format("\n<thead>{}</thead>\n<tbody>\n{}</tbody>", head, rows);
  return element("div", element("table", inner, classes), "wide") + "\n";
}

std::string folded(std::string_view summary, std::string_view inner, std::string_view classes) {
  return element("details", element("summary", summary) + "\n" + std::string(inner), classes) +
         "\n";
}

std::string figure(std::string_view id, std::string_view label) {
  return fmt::format(
      "<figure class=\"{0}\"><canvas id=\"{0}\" role=\"img\" "
      "aria-label=\"{1}\"></canvas></figure>\n",
      escaped(id), escaped(label));
}

std::string name_html(std::string_view name) {
  std::string out;
  for (const char one : escaped(name)) out += one == '_' ? "_<wbr>" : std::string(1, one);
  return out;
}

std::string prose(std::string_view text) {
  std::string out;
  bool code = false;
  std::size_t at = 0;
  for (std::size_t tick = text.find('`'); tick != std::string_view::npos;
       tick = text.find('`', at)) {
    const bool closed = code || text.find('`', tick + 1) != std::string_view::npos;
    if (!closed) break;
    out += escaped(text.substr(at, tick - at)) + (code ? "</code>" : "<code>");
    code = !code;
    at = tick + 1;
  }
  return out + escaped(text.substr(at));
}

std::string script_json(std::string_view json) {
  std::string out;
  for (const char c : json) {
    const bool markup = c == '<' || c == '>' || c == '&';
    out += markup ? fmt::format("\\u{:04x}", static_cast<int>(c)) : std::string(1, c);
  }
  return out;
}

}  // namespace lab::report
