#include "tools/report/page_html.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "harness/core/text.h"
#include "harness/page/fields.h"
#include "harness/page/make.h"
#include "harness/page/numbers.h"
#include "tools/report/grid_svg.h"
#include "tools/report/html.h"

namespace lab::report {

namespace {

std::string class_of(page::Tone tone) {
  return tone == page::Tone::kPlain ? std::string() : std::string(word_of(tone));
}

std::string span(const page::Words& words) {
  if (words.tone == page::Tone::kPlain) return prose(words.text);
  return element("span", prose(words.text), class_of(words.tone));
}

std::string spans(const std::vector<page::Words>& words) {
  std::string out;
  for (const page::Words& one : words) out += span(one);
  return out;
}

std::string block_html(const page::Heading& heading) {
  std::string facts;
  for (const std::string& fact : heading.facts) {
    facts += (facts.empty() ? "" : ", ") + escaped(fact);
  }
  const std::string head = element(fmt::format("h{}", heading.level), prose(heading.words));
  return head + (facts.empty() ? "" : element("p", facts, "facts")) + "\n";
}

std::string block_html(const page::Text& text) {
  if (text.role == page::Role::kItem) return element("li", spans(text.words)) + "\n";
  const bool is_aside = text.role == page::Role::kNote || text.role == page::Role::kBeside;
  return element("p", spans(text.words), is_aside ? "fixed" : "") + "\n";
}

double value_of(const page::Cell& cell) {
  const auto* number = std::get_if<page::Number>(&cell.is);
  return number == nullptr ? 0 : number->low;
}

// The share of the column's greatest number that is drawn behind a cell, in percent.
std::string bar_of(const page::Table& table, std::size_t column, const page::Cell& cell) {
  double most = 0;
  for (const page::Row& row : table.rows) most = std::max(most, value_of(row.cells[column]));
  constexpr double kPercent = 100;
  const double share = most > 0 ? kPercent * value_of(cell) / most : 0;
  return fmt::format(" style=\"--share:{:.0f}%\"", share);
}

std::string cell_html(const page::Table& table, std::size_t at, const page::Cell& cell) {
  const page::Column& column = table.columns[at];
  const bool name = page::names_rows(table, at);
  std::string text = name ? name_html(page::text_of(cell)) : escaped(page::text_of(cell));
  if (!cell.missing.empty()) {
    return fmt::format("<td class=\"missing\" title=\"{}\">{}</td>", escaped(cell.missing), text);
  }
  std::vector<std::string> classes;
  if (cell.marked) {
    classes.emplace_back("worst");
  } else if (cell.tone != page::Tone::kPlain) {
    classes.push_back(class_of(cell.tone));
  }
  if (!column.right) classes.emplace_back("text");
  if (column.bars) classes.emplace_back("cost");
  if (column.leads) classes.emplace_back("leads");
  const auto* number = std::get_if<page::Number>(&cell.is);
  if (number != nullptr && number->low != number->high) {
    // Two long numbers may stand one below the other.
    classes.emplace_back("interval");
    text.insert(text.find("..") + 2, "<wbr>");
  }
  const bool none = std::holds_alternative<std::monostate>(cell.is);
  if (none) {
    classes = {"none"};
    text = "&ndash;";
  }
  if (column.code) {
    classes = {"code"};
    text = element("code", escaped(page::text_of(cell)));
  }
  const std::string list = fmt::format("{}", fmt::join(classes, " "));
  std::string of = list.empty() ? "" : fmt::format(" class=\"{}\"", list);
  if (number != nullptr && column.bars) of += bar_of(table, at, cell);
  if (!cell.beside.empty()) of += fmt::format(" title=\"{}\"", escaped(cell.beside));
  const char* tag = column.names ? "th" : "td";
  return fmt::format("<{0}{1}>{2}</{0}>", tag, of, text);
}

// Columns as a narrow page shows them: behind those that name the row, those that lead.
page::Table leading(page::Table table) {
  std::vector<std::size_t> order(table.columns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t i) { return page::names_rows(table, i); });
  const auto others = std::find_if(order.begin(), order.end(),
                                   [&](std::size_t i) { return !page::names_rows(table, i); });
  std::stable_partition(others, order.end(), [&](std::size_t i) { return table.columns[i].leads; });
  page::Table out;
  for (const std::size_t i : order) out.columns.push_back(table.columns[i]);
  for (page::Row& row : table.rows) {
    out.rows.push_back({{}, std::move(row.below), row.rank});
    for (const std::size_t i : order) out.rows.back().cells.push_back(std::move(row.cells[i]));
  }
  return out;
}

std::string groups_html(const page::Table& table) {
  std::string out;
  bool any = false;
  for (std::size_t i = 0; i < table.columns.size();) {
    std::size_t end = i + 1;
    const std::string& group = table.columns[i].group;
    while (!group.empty() && end < table.columns.size() && table.columns[end].group == group) ++end;
    out += fmt::format("<th colspan=\"{}\">{}</th>", end - i, escaped(group));
    any |= !group.empty();
    i = end;
  }
  return any ? element("tr", out) : std::string();
}

std::string block_html(const page::Table& as_made) {
  if (as_made.columns.empty()) return {};
  const page::Table table = leading(page::whole(as_made));
  std::string titles;
  bool titled = false;
  for (const page::Column& column : table.columns) {
    titles += element("th", escaped(column.title), column.right ? "" : "text");
    titled |= !column.title.empty();
  }
  std::string rows;
  for (const page::Row& row : table.rows) {
    std::string cells;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      cells += cell_html(table, i, row.cells[i]);
    }
    rows += element("tr", cells) + "\n";
    if (row.below.empty()) continue;
    std::string below;
    for (const page::Words& words : row.below) below += element("div", span(words));
    rows += fmt::format("<tr class=\"below\"><td colspan=\"{}\">{}</td></tr>\n",
                        table.columns.size(), below);
  }
  const bool source = std::any_of(table.columns.begin(), table.columns.end(),
                                  [](const page::Column& column) { return column.code; });
  return wide_table(groups_html(table) + (titled ? element("tr", titles) : ""), rows,
                    source ? "source" : "");
}

std::string block_html(const page::Source& source) {
  std::string out;
  std::string before;
  for (const page::SourceLine& line : source.lines) {
    const std::string place = page::place_of(line);
    const bool changes = line.sign != page::Sign::kStays;
    if (changes && place != before) out += escaped(place) + "\n";
    before = place;
    if (!changes) {
      out += escaped(place + (place.empty() ? "" : ": ") + std::string(trim(line.text)));
    } else {
      out += element(line.sign == page::Sign::kGoes ? "del" : "ins",
                     fmt::format("{} {}", word_of(line.sign), escaped(trim(line.text))));
    }
    out += "\n";
  }
  return element("pre", out) + "\n";
}

std::string block_html(const page::Remark& remark) {
  const page::SourceLine& at = remark.at;
  std::string out = at.number > 0 ? element("b", fmt::format("{}:{}", escaped(at.file), at.number))
                                  : element("b", escaped(remark.kernel));
  if (!at.text.empty()) out += " " + element("code", escaped(at.text));
  std::string says = remark.of.empty() ? "" : remark.of + ": ";
  if (remark.kind == page::RemarkKind::kExpected) says += "expected: ";
  says += remark.says;
  const std::string seen = page::seen_text(remark);
  if (!seen.empty()) says += " " + seen;
  out += element("p", escaped(says));
  if (!remark.cure.empty()) out += element("p", escaped(remark.cure), "cure");
  return element("div", out, "remark " + std::string(word_of(remark.kind))) + "\n";
}

std::string block_html(const page::Code& code) { return element("pre", escaped(code.text)) + "\n"; }

std::string block_html(const page::Grid& grid) {
  return element("div", grid_svg({grid}), "map") + "\n";
}

std::string block_html(const page::Formula& formula) {
  std::string text;
  if (const auto* stored = std::get_if<std::string>(&formula.is)) {
    text = element("code", escaped(*stored));
  } else {
    const Expr& is = std::get<Expr>(formula.is);
    text = mathml(is);
    for (const Definition& one : definitions_of(is)) {
      const bool function = one.name.back() == ')';
      text += "<br>" + (function ? element("code", escaped(one.name)) + ": "
                                 : mathml(Expr(one.name)) + " = " + mathml(one.body) +
                                       (one.why.empty() ? "" : ", "));
      text += prose(one.why);
    }
  }
  if (formula.filled) {
    text += fmt::format("<br><small>{} {} = {}</small>", escaped(formula.at),
                        mathml(*formula.filled), escaped(formula.comes_to));
  }
  if (formula.as_written) text += "<br>as written: " + mathml(formula.as_written->opened());
  if (!formula.why.empty()) text += "<br>" + prose(formula.why);
  const std::string of = formula.of.empty() ? "" : ", " + escaped(formula.of);
  return element("dt", escaped(formula.title) + of) + element("dd", text) + "\n";
}

std::string block_html(const page::Chart& chart) { return figure(chart.id, chart.says); }

std::string block_html(const page::Fold& fold) {
  const std::string name = escaped(fold.name);
  return folded(fold.says.empty() ? name : element("b", name) + ": " + prose(fold.says),
                page_html({fold.blocks}), fold.says.empty() ? "" : "variant");
}

std::string block_html(const page::Steps& steps) {
  std::string out;
  for (const page::Step& step : steps.items) {
    const std::string command =
        step.command.empty() ? "" : ": " + element("code", escaped(step.command));
    out += element("li", escaped(step.words) + command);
  }
  return element("ul", out, "steps") + "\n";
}

}  // namespace

namespace {

/// What neighbouring blocks share: one list, one row of charts, or nothing.
enum class Around : unsigned char { kNothing, kList, kFormulas, kCharts };

Around around(const page::Block& block) {
  if (const auto* text = std::get_if<page::Text>(&block.is)) {
    return text->role == page::Role::kItem ? Around::kList : Around::kNothing;
  }
  if (std::holds_alternative<page::Formula>(block.is)) return Around::kFormulas;
  return std::holds_alternative<page::Chart>(block.is) ? Around::kCharts : Around::kNothing;
}

std::string wrapped_in(Around kind, const std::string& inner) {
  switch (kind) {
    case Around::kNothing:
      break;
    case Around::kList:
      return element("ul", inner, "notes") + "\n";
    case Around::kFormulas:
      return element("dl", inner) + "\n";
    case Around::kCharts:
      return element("div", inner, "charts") + "\n";
  }
  return inner;
}

}  // namespace

std::string page_html(const page::Page& page) {
  std::string out;
  for (std::size_t i = 0; i < page.blocks.size();) {
    const Around kind = around(page.blocks[i]);
    std::string inner;
    for (; i < page.blocks.size() && around(page.blocks[i]) == kind; ++i) {
      inner += std::visit([](const auto& is) { return block_html(is); }, page.blocks[i].is);
    }
    out += wrapped_in(kind, inner);
  }
  return out;
}

}  // namespace lab::report
