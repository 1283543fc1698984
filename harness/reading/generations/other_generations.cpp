#include "harness/reading/generations/other_generations.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <optional>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/page/make.h"
#include "harness/reading/generations/generations.h"

namespace lab::labs {

namespace {

struct Capability {
  int first = 0;
  int second = 0;
};

// `3.5`, or `3` for 3.0.
std::optional<Capability> capability_of(std::string_view text) {
  const auto part = [](std::string_view digits) {
    int number = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc() && end == digits.data() + digits.size() ? number : -1;
  };
  const std::size_t point = text.find('.');
  const Capability found{part(text.substr(0, point)),
                         point == std::string_view::npos ? 0 : part(text.substr(point + 1))};
  constexpr int kMissing = 4;  // no GPU has it
  const bool known = found.first >= 1 && found.first <= 12 && found.first != kMissing;
  if (!known || found.second < 0 || found.second > 9) return {};
  return found;
}

// Whether a rule's `1.2, 1.3`, `3.x, 4-byte mode` or `7.x and later` covers it.
bool covers(std::string_view rule, const Capability& one) {
  for (const std::string_view piece : split(rule, ',')) {
    const std::string_view word = trim(piece).substr(0, trim(piece).find(' '));
    const auto digit = [&](std::size_t i) { return i < word.size() ? word[i] - '0' : -1; };
    if (word.size() < 3 || word[1] != '.') continue;
    const bool later = rule.ends_with("and later") && one.first > digit(0);
    if (later || (digit(0) == one.first && (word[2] == 'x' || digit(2) == one.second))) return true;
  }
  return false;
}

Pattern pattern_of_access(const Access& access) {
  Pattern pattern;
  for (std::size_t lane = 0; lane < pattern.size(); ++lane) {
    if (access.address[lane] >= 0) pattern[lane] = static_cast<std::uint64_t>(access.address[lane]);
  }
  return pattern;
}

// `2 x 128 bytes, 1 x 32 bytes`.
std::string transactions_text(const std::vector<Transaction>& transactions) {
  std::map<std::uint32_t, int, std::greater<>> by_size;
  for (const Transaction& one : transactions) ++by_size[one.bytes];
  std::string text;
  for (const auto& [bytes, count] : by_size) {
    text += fmt::format("{}{} x {} bytes", text.empty() ? "" : ", ", count, bytes);
  }
  return text;
}

std::string moved_text(const std::vector<Transaction>& transactions, const Pattern& pattern,
                       std::uint32_t width) {
  const std::uint64_t waste = wasted(transactions, pattern, width);
  return transactions_text(transactions) +
         (waste == 0 ? "" : fmt::format(", {} bytes wasted", waste));
}

void add_row(std::string_view capability, std::string says, page::Table& table) {
  page::Row& row = table.rows.emplace_back();
  row.cells = {{std::string(capability)}, {std::move(says)}};
}

}  // namespace

void require_capability(std::string_view text) {
  if (text == "all" || capability_of(text)) return;
  throw input_error(fmt::format("--cc takes a compute capability, not '{}'", text),
                    "--cc 3.5 has the rules of Kepler, --cc all those of every generation");
}

page::Block other_generations(const Access& access, std::string_view capability) {
  const auto width = static_cast<std::uint32_t>(access.bytes_per_lane);
  if (width != 4 && width != 8 && width != 16) {
    return page::sentence(
        "other generations: their rules are stated for 4, 8 and 16 bytes per lane",
        page::Role::kBeside);
  }
  const auto one = capability_of(capability);
  const Pattern pattern = pattern_of_access(access);
  page::Table table{{{}, {}}};
  if (access.space == Space::kShared) {
    for (const SharedRule& rule : shared_rules()) {
      if (one && !covers(rule.capability, *one)) continue;
      const int passes = rule.passes(pattern, width);
      add_row(rule.capability, fmt::format("{} pass{}", passes, passes == 1 ? "" : "es"), table);
    }
  } else if (access.space == Space::kGlobal) {
    for (const GlobalRule& rule : global_rules()) {
      if (one && !covers(rule.capability, *one)) continue;
      add_row(rule.capability, moved_text(rule.transactions(pattern, width), pattern, width),
              table);
    }
  }
  return {std::move(table)};
}

}  // namespace lab::labs
