#include "harness/page/numbers.h"

#include <fmt/format.h>

#include "harness/core/numbers.h"

namespace lab::page {

namespace {

std::string written(double value, Digits digits) {
  switch (digits) {
    case Digits::kExact:
      return grouped_text(value);
    case Digits::kBrief:
      return brief_text(value);
    case Digits::kTenth:
      return fmt::format("{:.1f}", value);
    case Digits::kWhole:
      return fmt::format("{:.0f}", value);
    case Digits::kPercent:
      return fmt::format("{:.0f} %", 100 * value);
  }
  return {};
}

}  // namespace

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  const std::string number = grouped_text(static_cast<double>(count));
  if (count == 1) return fmt::format("{} {}", number, one);
  return many.empty() ? fmt::format("{} {}s", number, one) : fmt::format("{} {}", number, many);
}

std::string digits_of(const Number& number) {
  std::string text = written(number.low, number.digits);
  if (number.high != number.low) text += ".." + written(number.high, number.digits);
  return text;
}

std::string text_of(const Number& number) {
  const std::string text = digits_of(number);
  return number.unit.empty() ? text : text + " " + number.unit;
}

std::string text_of(const Cell& cell) {
  if (const auto* number = std::get_if<Number>(&cell.is)) return text_of(*number);
  const auto* text = std::get_if<std::string>(&cell.is);
  return text == nullptr ? "-" : *text;
}

std::string text_of(const Square& square) {
  if (square.who < 0) return ".";
  return fmt::format("{}{}", square.who, square.shared ? "+" : "");
}

std::string everybody_in(const GridRow& row, const Grid& grid) {
  std::string text;
  for (std::size_t i = 0; i < row.all.size();) {
    std::size_t last = i;
    while (last + 1 < row.all.size() && row.all[last + 1] == row.all[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += std::to_string(row.all[i]);
    if (last > i) text += fmt::format("-{}", row.all[last]);
    i = last + 1;
  }
  return fmt::format("{}{} {}", grid.of, row.all.size() == 1 ? "" : "s", text);
}

std::string place_of(const SourceLine& line) {
  if (line.number == 0) return {};
  return line.file.empty() ? std::to_string(line.number)
                           : fmt::format("{}:{}", line.file, line.number);
}

std::string seen_text(const Remark& remark) {
  if (remark.seen <= 1) return {};
  return fmt::format("Seen {} times; this is the first.",
                     grouped_text(static_cast<double>(remark.seen)));
}

}  // namespace lab::page
