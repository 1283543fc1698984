// A TOML text as tables whose values know their place, so that what is wrong in one is told with
// line and caret.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/error.h"

namespace lab {

struct TomlValue;

/// A text of the file and where it stands: `place.column` is that of its first character. The
/// place's line has no text, which with_line() puts in where it is wanted: there are thousands.
struct PlacedText {
  std::string text;
  Place place;
};

/// Where character `at` of the text stands.
[[nodiscard]] Place place_within(const PlacedText& text, std::size_t at);

/// What a key's value is.
enum class TomlKind : std::uint8_t { kNone, kText, kNumber, kFlag, kList, kTable };

/// A table of a text. It holds the text, which lives as long as any of its tables.
class TomlTable {
 public:
  [[nodiscard]] bool has(std::string_view key) const;
  /// Where the table begins, from 1.
  [[nodiscard]] int line() const;

  /// Values by key; empty where the table has no such key. An input error where the value is of
  /// another type or, of a whole number, outside of [min, max].
  [[nodiscard]] std::optional<std::string> text(std::string_view key) const;
  [[nodiscard]] std::optional<double> number(std::string_view key) const;
  [[nodiscard]] std::optional<std::int64_t> whole(std::string_view key, std::int64_t min,
                                                  std::int64_t max) const;
  [[nodiscard]] std::optional<bool> flag(std::string_view key) const;
  [[nodiscard]] TomlKind kind(std::string_view key) const;
  /// A text or a number, or a list of them, as texts.
  [[nodiscard]] std::vector<PlacedText> formulas(std::string_view key) const;
  /// Where the value of `key` stands; the table's own place where it has none.
  [[nodiscard]] Place place(std::string_view key) const;
  /// A text or a list of texts.
  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const;
  /// A number, a text, or a list of either, with commas between them: `1,2,4`.
  [[nodiscard]] std::optional<std::string> list(std::string_view key) const;
  [[nodiscard]] std::vector<double> numbers(std::string_view key) const;
  [[nodiscard]] std::vector<std::int64_t> wholes(std::string_view key) const;
  [[nodiscard]] std::optional<TomlTable> table(std::string_view key) const;
  /// `[[key]]`, in order.
  [[nodiscard]] std::vector<TomlTable> tables(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> keys() const;

  /// text(), but an input error where there is none.
  [[nodiscard]] std::string required(std::string_view key, std::string_view what) const;
  /// An input error at the first text or key, at any depth, that a terminal would not show as it
  /// is.
  void expect_plain_texts() const;
  /// An input error at the first key that is not one of `known`, with the nearest of them.
  void expect_only(const std::vector<std::string_view>& known) const;

  /// An input error at the value of `key`; at the table where it has none.
  [[nodiscard]] Error wrong(std::string_view key, const std::string& message,
                            std::string hint = {}) const;
  /// What `body` does with the value of `key`: an input error that names no file gets this place.
  template <typename Body>
  auto placed(std::string_view key, Body&& body) const {
    try {
      return body();
    } catch (const Error& error) {
      const bool has_file = error.place() && !error.place()->file.empty();
      if (error.fault() != Fault::kInput || has_file) throw;
      throw wrong(key, error.what(), error.hint());
    }
  }

 private:
  friend TomlTable read_toml(const std::string& name, const std::string& text);
  struct Text;
  TomlTable(std::shared_ptr<const Text> text, const TomlValue& value)
      : text_(std::move(text)), value_(&value) {}
  [[nodiscard]] const TomlValue* find(std::string_view key) const;
  [[nodiscard]] Place begin_of_text(Place place) const;
  void expect_plain(const TomlValue& value) const;
  [[nodiscard]] Error at(const TomlValue& value, const std::string& message,
                         std::string hint = {}) const;

  std::shared_ptr<const Text> text_;
  const TomlValue* value_;
};

/// Reads TOML 1.0; `name` is for messages. An input error with line and caret where it is not.
[[nodiscard]] TomlTable read_toml(const std::string& name, const std::string& text);

/// The same error with the line that its place is at, where `text` is the file's.
[[nodiscard]] Error with_line(const Error& error, const std::string& name, const std::string& text);

/// A TOML string literal with its quotes.
[[nodiscard]] std::string toml_quote(std::string_view text);

}  // namespace lab
