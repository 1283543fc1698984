#include "harness/page/make.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace lab::page {

Heading heading(int level, std::string words, std::vector<std::string> facts) {
  std::erase(facts, "");
  return {level, std::move(words), std::move(facts)};
}

Block sentence(std::string text, Role role, Tone tone) {
  return {Text{{{std::move(text), tone}}, role}};
}

Block paragraph(std::string text, Tone tone) {
  Block block = sentence(std::move(text), Role::kResult, tone);
  block.apart = true;
  return block;
}

Block title(std::string text) { return paragraph(std::move(text)); }

std::vector<Block> list_of(std::string title, const std::vector<std::string>& lines) {
  constexpr std::size_t kMost = 10;
  if (lines.empty()) return {};
  std::vector<Block> blocks = {sentence(std::move(title))};
  for (std::size_t i = 0; i < lines.size() && i < kMost; ++i) {
    blocks.push_back(sentence(lines[i], Role::kItem));
  }
  if (lines.size() > kMost) {
    blocks.push_back(sentence(fmt::format("and {} more", lines.size() - kMost), Role::kItem));
  }
  return blocks;
}

Cell number_cell(const std::optional<double>& value, Digits digits, std::string missing) {
  if (!value) return {{}, Tone::kDim, std::move(missing)};
  return {Number{*value, *value, {}, digits}};
}

Cell number_cell(double low, double high, Digits digits) { return {Number{low, high, {}, digits}}; }

std::string name_of(const Column& column) {
  if (!column.called.empty()) return column.called;
  return column.group.empty() ? column.title : column.group + ", " + column.title;
}

bool names_rows(const Table& table, std::size_t column) {
  const auto& all = table.columns;
  const bool any = std::any_of(all.begin(), all.end(), [](const Column& one) { return one.names; });
  return any ? all[column].names : column == 0;
}

void leave_out(Table& table, std::size_t column) {
  const auto at = static_cast<std::ptrdiff_t>(column);
  table.columns.erase(table.columns.begin() + at);
  for (Row& row : table.rows) {
    if (column < row.cells.size()) row.cells.erase(row.cells.begin() + at);
  }
}

Table whole(const Table& table) {
  Table all = table;
  for (std::size_t i = all.columns.size(); i-- > 0;) {
    if (all.columns[i].instead) leave_out(all, i);
  }
  return all;
}

void append(Page& page, Page more) { append(page.blocks, std::move(more.blocks)); }

void append(std::vector<Block>& blocks, std::vector<Block> more) {
  blocks.insert(blocks.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
}

}  // namespace lab::page
