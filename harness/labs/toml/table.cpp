#include "harness/labs/toml/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

// It has an error for what it asserts of a table's name: `[# name` is a person's mistake.
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>

#include <algorithm>
#include <variant>

#include "harness/core/text.h"
#include "harness/core/unicode.h"

namespace lab {

struct TomlEntry;
using TomlList = std::vector<TomlValue>;
using TomlEntries = std::vector<TomlEntry>;

struct TomlValue {
  int line = 0;
  int column = 0;
  std::variant<std::string, std::int64_t, double, bool, TomlList, TomlEntries> is;
};

struct TomlEntry {
  std::string key;
  int line = 0;
  int column = 0;
  TomlValue value;
};

struct TomlTable::Text {
  std::string name;
  std::string text;
  TomlValue root;
};

namespace {

Error error_at(Place place, const std::string& text, const std::string& message,
               std::string hint = {}) {
  place.text = line_of(text, place.line);
  return input_error(message, std::move(hint), std::move(place));
}

// toml++ has types of dates, which nothing here takes.
TomlValue value_of_node(const toml::node& node) {
  TomlValue value;
  value.line = static_cast<int>(node.source().begin.line);
  value.column = static_cast<int>(node.source().begin.column);
  if (const auto* text = node.as_string()) value.is = text->get();
  if (const auto* whole = node.as_integer()) value.is = whole->get();
  if (const auto* real = node.as_floating_point()) value.is = real->get();
  if (const auto* flag = node.as_boolean()) value.is = flag->get();
  if (const auto* array = node.as_array()) {
    TomlList list;
    for (const toml::node& one : *array) list.push_back(value_of_node(one));
    value.is = std::move(list);
  }
  if (const auto* table = node.as_table()) {
    TomlEntries entries;
    for (const auto& [key, one] : *table) {
      const auto& begin = key.source().begin;
      entries.push_back({std::string(key.str()), static_cast<int>(begin.line),
                         static_cast<int>(begin.column), value_of_node(one)});
    }
    std::sort(entries.begin(), entries.end(), [](const TomlEntry& a, const TomlEntry& b) {
      return std::pair(a.line, a.column) < std::pair(b.line, b.column);
    });
    value.is = std::move(entries);
  }
  return value;
}

// toml++ ends the tables of tables of a key by recursion.
constexpr int kDeepestKey = 64;

/// Where texts and comments begin and end.
std::size_t behind_text(std::string_view text, std::size_t at) {
  const std::string_view three = text.substr(at, 3);
  const bool lines = three == "\"\"\"" || three == "'''";
  const std::string_view quote = lines ? three : text.substr(at, 1);
  for (at += quote.size(); at < text.size(); ++at) {
    if (text.substr(at).starts_with(quote)) return at + quote.size() - 1;
    if (!lines && text[at] == '\n') return at;
    if (text[at] == '\\' && quote[0] == '"') ++at;
  }
  return at;
}

// An input error at the first key of too many parts.
void require_shallow_keys(const std::string& name, const std::string& text) {
  Place place{name, 1, 0, {}};
  std::size_t line_begin = 0;
  int parts = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '#') at = std::min(text.find('\n', at), text.size()) - 1;
    if (c == '"' || c == '\'') at = behind_text(text, at);
    if (c == '\n') line_begin = at + 1;
    parts = c == '.' ? parts + 1 : std::string_view("\n,={[").find(c) < 5 ? 0 : parts;
    if (parts < kDeepestKey) continue;
    place.line = 1 + static_cast<int>(std::count(
                         text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    place.column = static_cast<int>(at - line_begin) + 1;
    throw error_at(place, text, fmt::format("a key of more than {} parts", kDeepestKey));
  }
}

std::string list_item(const TomlValue& value) {
  if (const auto* text = std::get_if<std::string>(&value.is)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&value.is)) return std::to_string(*whole);
  return {};
}

}  // namespace

const TomlValue* TomlTable::find(std::string_view key) const {
  for (const TomlEntry& entry : std::get<TomlEntries>(value_->is)) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

bool TomlTable::has(std::string_view key) const { return find(key) != nullptr; }
int TomlTable::line() const { return value_->line; }

Error TomlTable::at(const TomlValue& value, const std::string& message, std::string hint) const {
  return error_at({text_->name, value.line, value.column}, text_->text, message, std::move(hint));
}

Error TomlTable::wrong(std::string_view key, const std::string& message, std::string hint) const {
  const TomlValue* value = find(key);
  return at(value == nullptr ? *value_ : *value, message, std::move(hint));
}

std::optional<std::string> TomlTable::text(std::string_view key) const {
  const TomlValue* value = find(key);
  if (value == nullptr) return {};
  const auto* text = std::get_if<std::string>(&value->is);
  if (text == nullptr) throw at(*value, fmt::format("'{}' is a text: write it in quotes", key));
  return *text;
}

std::string TomlTable::required(std::string_view key, std::string_view what) const {
  if (auto value = text(key)) return *std::move(value);
  throw at(*value_, fmt::format("'{}' is missing: {}", key, what));
}

std::optional<double> TomlTable::number(std::string_view key) const {
  const TomlValue* value = find(key);
  if (value == nullptr) return {};
  if (const auto* real = std::get_if<double>(&value->is)) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(&value->is)) {
    return static_cast<double>(*whole);
  }
  throw at(*value, fmt::format("'{}' is a number", key));
}

std::optional<std::int64_t> TomlTable::whole(std::string_view key, std::int64_t min,
                                             std::int64_t max) const {
  const TomlValue* value = find(key);
  if (value == nullptr) return {};
  const auto* whole = std::get_if<std::int64_t>(&value->is);
  if (whole == nullptr || *whole < min || *whole > max) {
    throw at(*value, fmt::format("'{}' is a whole number from {} to {}", key, min, max));
  }
  return *whole;
}

std::optional<bool> TomlTable::flag(std::string_view key) const {
  const TomlValue* value = find(key);
  if (value == nullptr) return {};
  const auto* flag = std::get_if<bool>(&value->is);
  if (flag == nullptr) throw at(*value, fmt::format("'{}' is true or false", key));
  return *flag;
}

TomlKind TomlTable::kind(std::string_view key) const {
  // In the order of TomlValue's alternatives.
  constexpr TomlKind kKinds[] = {TomlKind::kText, TomlKind::kNumber, TomlKind::kNumber,
                                 TomlKind::kFlag, TomlKind::kList,   TomlKind::kTable};
  const TomlValue* value = find(key);
  return value == nullptr ? TomlKind::kNone : kKinds[value->is.index()];
}

Place TomlTable::place(std::string_view key) const {
  const TomlValue* value = find(key);
  if (value == nullptr) value = value_;
  return {text_->name, value->line, value->column, {}};
}

Place place_within(const PlacedText& text, std::size_t at) {
  Place place = text.place;
  const std::string_view before = std::string_view(text.text).substr(0, at);
  const std::size_t line = before.rfind('\n');
  place.line += static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  if (line == std::string_view::npos) {
    place.column += static_cast<int>(at);
  } else {
    place.column = static_cast<int>(at - line);
  }
  return place;
}

// Behind the quotes; a text of several lines begins behind the end of its first where that is
// empty.
Place TomlTable::begin_of_text(Place place) const {
  const auto column = static_cast<std::size_t>(place.column - 1);
  const std::string_view line = line_of(text_->text, place.line);
  const std::string_view quotes = line.substr(std::min(column, line.size()));
  const bool lines = quotes.starts_with("\"\"\"") || quotes.starts_with("'''");
  place.column += lines ? 3 : 1;
  if (lines && trim(quotes.substr(3)).empty()) {
    ++place.line;
    place.column = 1;
  }
  return place;
}

void TomlTable::expect_plain_texts() const { expect_plain(*value_); }

void TomlTable::expect_plain(const TomlValue& value) const {
  constexpr const char* kMessage = "a text with a character that is not shown as it is";
  if (const auto* text = std::get_if<std::string>(&value.is)) {
    if (safe_text(*text) != *text) throw at(value, kMessage, safe_line(*text));
  }
  if (const auto* list = std::get_if<TomlList>(&value.is)) {
    for (const TomlValue& one : *list) expect_plain(one);
  }
  if (const auto* entries = std::get_if<TomlEntries>(&value.is)) {
    for (const TomlEntry& entry : *entries) {
      if (safe_line(entry.key) != entry.key) {
        throw error_at({text_->name, entry.line, entry.column}, text_->text, kMessage,
                       safe_line(entry.key));
      }
      expect_plain(entry.value);
    }
  }
}

std::vector<PlacedText> TomlTable::formulas(std::string_view key) const {
  const TomlValue* value = find(key);
  if (value == nullptr) return {};
  std::vector<PlacedText> formulas;
  const auto add = [&](const TomlValue& one) {
    Place place{text_->name, one.line, one.column, {}};
    if (const auto* text = std::get_if<std::string>(&one.is)) {
      formulas.push_back({*text, begin_of_text(std::move(place))});
    } else if (const auto* whole = std::get_if<std::int64_t>(&one.is)) {
      formulas.push_back({std::to_string(*whole), std::move(place)});
    } else if (const auto* real = std::get_if<double>(&one.is)) {
      formulas.push_back({fmt::format("{}", *real), std::move(place)});
    } else {
      throw at(one, fmt::format("'{}' is a formula: a number, or a text in quotes", key));
    }
  };
  const auto* list = std::get_if<TomlList>(&value->is);
  if (list == nullptr) {
    add(*value);
  } else {
    for (const TomlValue& one : *list) add(one);
  }
  return formulas;
}

std::vector<std::string> TomlTable::texts(std::string_view key) const {
  const TomlValue* value = find(key);
  if (value == nullptr) return {};
  if (const auto* one = std::get_if<std::string>(&value->is)) return {*one};
  std::vector<std::string> texts;
  const auto* list = std::get_if<TomlList>(&value->is);
  if (list == nullptr) throw at(*value, fmt::format("'{}' is a list of texts", key));
  for (const TomlValue& one : *list) {
    const auto* text = std::get_if<std::string>(&one.is);
    if (text == nullptr) throw at(one, fmt::format("'{}' is a list of texts", key));
    texts.push_back(*text);
  }
  return texts;
}

std::optional<std::string> TomlTable::list(std::string_view key) const {
  const TomlValue* value = find(key);
  if (value == nullptr) return {};
  const auto* list = std::get_if<TomlList>(&value->is);
  const TomlList alone = list == nullptr ? TomlList{*value} : *list;
  std::string text;
  for (const TomlValue& one : alone) {
    const std::string item = list_item(one);
    if (item.empty()) {
      throw at(one, fmt::format("'{}' is a whole number, a text, or a list of them", key));
    }
    text += (text.empty() ? "" : ",") + item;
  }
  return text;
}

std::vector<double> TomlTable::numbers(std::string_view key) const {
  const TomlValue* value = find(key);
  if (value == nullptr) return {};
  const auto* list = std::get_if<TomlList>(&value->is);
  if (list == nullptr) throw at(*value, fmt::format("'{}' is a list of numbers", key));
  std::vector<double> numbers;
  for (const TomlValue& one : *list) {
    const auto* whole = std::get_if<std::int64_t>(&one.is);
    const auto* real = std::get_if<double>(&one.is);
    if (whole == nullptr && real == nullptr) {
      throw at(one, fmt::format("'{}' is a list of numbers", key));
    }
    numbers.push_back(real != nullptr ? *real : static_cast<double>(*whole));
  }
  return numbers;
}

std::vector<std::int64_t> TomlTable::wholes(std::string_view key) const {
  const TomlValue* value = find(key);
  if (value == nullptr) return {};
  const std::string message = fmt::format("'{}' is a list of whole numbers", key);
  const auto* list = std::get_if<TomlList>(&value->is);
  if (list == nullptr) throw at(*value, message);
  std::vector<std::int64_t> wholes;
  for (const TomlValue& one : *list) {
    const auto* whole = std::get_if<std::int64_t>(&one.is);
    if (whole == nullptr) throw at(one, message);
    wholes.push_back(*whole);
  }
  return wholes;
}

std::optional<TomlTable> TomlTable::table(std::string_view key) const {
  const TomlValue* value = find(key);
  if (value == nullptr) return {};
  if (!std::holds_alternative<TomlEntries>(value->is)) {
    throw at(*value, fmt::format("'{0}' is a table: [{0}], or {0} = {{ name = value }}", key));
  }
  return TomlTable(text_, *value);
}

std::vector<TomlTable> TomlTable::tables(std::string_view key) const {
  const TomlValue* value = find(key);
  if (value == nullptr) return {};
  const auto* list = std::get_if<TomlList>(&value->is);
  const std::string hint = fmt::format("begin each with [[{}]]", key);
  if (list == nullptr) throw at(*value, fmt::format("'{}' is a list of tables", key), hint);
  std::vector<TomlTable> tables;
  for (const TomlValue& one : *list) {
    if (!std::holds_alternative<TomlEntries>(one.is)) {
      throw at(one, fmt::format("'{}' is a list of tables", key), hint);
    }
    tables.push_back(TomlTable(text_, one));
  }
  return tables;
}

std::vector<std::string> TomlTable::keys() const {
  std::vector<std::string> keys;
  for (const TomlEntry& entry : std::get<TomlEntries>(value_->is)) keys.push_back(entry.key);
  return keys;
}

void TomlTable::expect_only(const std::vector<std::string_view>& known) const {
  for (const TomlEntry& entry : std::get<TomlEntries>(value_->is)) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    const std::vector<std::string> names(known.begin(), known.end());
    throw error_at({text_->name, entry.line, entry.column}, text_->text,
                   fmt::format("there is no key '{}' here", entry.key),
                   suggestion(entry.key, names));
  }
}

TomlTable read_toml(const std::string& name, const std::string& text) {
  const auto document = std::make_shared<TomlTable::Text>();
  document->name = name;
  document->text = text;
  require_shallow_keys(name, text);
  try {
    const toml::table table = toml::parse(std::string_view(text), std::string_view(name));
    document->root = value_of_node(table);
  } catch (const toml::parse_error& error) {
    const auto& begin = error.source().begin;
    throw error_at({name, static_cast<int>(begin.line), static_cast<int>(begin.column)}, text,
                   fmt::format("not TOML: {}", error.description()));
  }
  return {document, document->root};
}

Error with_line(const Error& error, const std::string& name, const std::string& text) {
  const auto& place = error.place();
  if (!place || place->file != name || !place->text.empty()) return error;
  return error_at(*place, text, error.what(), error.hint());
}

std::string toml_quote(std::string_view text) {
  // A JSON string is a TOML basic string, too.
  return json_quote(text);
}

}  // namespace lab
