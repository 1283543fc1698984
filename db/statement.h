// Binding values in the order in which a statement names them.
#pragma once

#include <SQLiteCpp/Statement.h>

#include <cstdint>
#include <optional>
#include <string>

namespace lab::db {

/// A text that is NULL where it is empty: "none" in our records.
struct Nullable {
  const std::string& text;
};
[[nodiscard]] inline Nullable nullable(const std::string& text) { return {text}; }

namespace detail {

inline void bind(SQLite::Statement& s, int i, int value) { s.bind(i, value); }
inline void bind(SQLite::Statement& s, int i, std::uint32_t value) { s.bind(i, value); }
inline void bind(SQLite::Statement& s, int i, std::int64_t value) { s.bind(i, value); }
inline void bind(SQLite::Statement& s, int i, bool value) { s.bind(i, value ? 1 : 0); }
/// Addresses and counts above 2^63 come back as they were, though a query shows them negative.
inline void bind(SQLite::Statement& s, int i, std::uint64_t value) {
  s.bind(i, static_cast<std::int64_t>(value));
}
inline void bind(SQLite::Statement& s, int i, double value) { s.bind(i, value); }
inline void bind(SQLite::Statement& s, int i, const std::string& value) { s.bind(i, value); }
inline void bind(SQLite::Statement& s, int i, Nullable value) {
  if (value.text.empty()) {
    s.bind(i);
  } else {
    s.bind(i, value.text);
  }
}
template <typename T>
void bind(SQLite::Statement& s, int i, const std::optional<T>& value) {
  if (value) {
    bind(s, i, *value);
  } else {
    s.bind(i);
  }
}

}  // namespace detail

/// Runs a statement with `values` for its parameters ?1, ?2, ...
template <typename... Values>
void execute(SQLite::Statement& statement, const Values&... values) {
  statement.reset();
  int index = 0;
  (detail::bind(statement, ++index, values), ...);
  statement.exec();
  statement.reset();
}

/// Sets the parameters of a statement whose rows will be read.
template <typename... Values>
void start(SQLite::Statement& statement, const Values&... values) {
  statement.reset();
  int index = 0;
  (detail::bind(statement, ++index, values), ...);
}

}  // namespace lab::db
