// SQL made from the descriptions of records (harness/core/record_fields.h): texts that name every
// column, and what binds and reads a record in the order of those names.
#pragma once

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "db/json_text.h"
#include "harness/core/error.h"
#include "harness/core/record_fields.h"
#include "harness/core/words.h"

namespace lab::db {

namespace detail {

template <typename T>
void add_columns(std::vector<std::string>& columns, const std::string& name, const T& member) {
  if constexpr (std::is_same_v<T, Dim3>) {
    for (const char* axis : {"_x", "_y", "_z"}) columns.push_back(name + axis);
  } else if constexpr (std::is_same_v<T, std::variant<double, Missing>>) {
    columns.insert(columns.end(), {name, "missing", "missing_detail"});
  } else if constexpr (Described<T> && !KeptAsText<T>) {
    visit_fields(member, [&](const auto& field, const auto& inner) {
      add_columns(columns, std::string(field.name), inner);
    });
  } else {
    columns.push_back(name);
  }
}

}  // namespace detail

/// The columns that hold a record, in the order in which they are bound and read.
template <typename Record>
std::vector<std::string> columns_of() {
  std::vector<std::string> columns;
  const Record record;
  visit_fields(record, [&](const auto& field, const auto& member) {
    if (field.trait != Trait::kApart) {
      detail::add_columns(columns, std::string(field.name), member);
    }
  });
  return columns;
}

/// `keys` are columns of the table that the record does not have; they are bound first.
template <typename Record>
std::string insert_sql(const char* table, std::initializer_list<const char*> keys) {
  std::vector<std::string> columns(keys.begin(), keys.end());
  for (std::string& column : columns_of<Record>()) columns.push_back(std::move(column));
  const std::vector<std::string> values(columns.size(), "?");
  return fmt::format("INSERT INTO {}({}) VALUES ({})", table, fmt::join(columns, ", "),
                     fmt::join(values, ", "));
}

/// "t.kind, t.message, ..." for a table called `alias` in a SELECT.
template <typename Record>
std::string select_list(const std::string& alias) {
  return alias + "." + fmt::format("{}", fmt::join(columns_of<Record>(), ", " + alias + "."));
}

/// Binds values one after another. NaN, which SQLite lacks, is NULL; as an observation's value it
/// is Missing{not_a_number}.
class Binder {
 public:
  explicit Binder(SQLite::Statement& statement) : statement_(statement) { statement_.reset(); }

  template <typename T>
  void put(const T& value, Trait trait = Trait::kNone) {
    if constexpr (Worded<T>) {
      put_value(std::string(word_of(value)), trait);
    } else if constexpr (std::is_enum_v<T>) {
      put_enum(static_cast<int>(value), trait);
    } else if constexpr (Described<T> && !KeptAsText<T>) {
      put_record(value);
    } else {
      put_value(value, trait);
    }
  }

  template <typename Record>
  void put_record(const Record& record) {
    if constexpr (std::is_same_v<Record, CaseRecord>) {
      // A library variant is not a single launch: its kernel, grid and block are NULL.
      no_launch_ = record.kernel.empty() && record.launch == Launch{};
    }
    visit_fields(record, [&](const auto& field, const auto& member) {
      using Member = std::remove_cvref_t<decltype(member)>;
      if constexpr (!kRecords<Member>) {
        if (field.trait != Trait::kApart) put(member, field.trait);
      }
    });
  }

 private:
  void put_enum(int value, Trait trait) {
    if (trait == Trait::kNullable && value == 0) return put_null();
    statement_.bind(++index_, value);
  }
  void put_null() { statement_.bind(++index_); }
  void put_value(const std::string& text, Trait trait) {
    if (trait == Trait::kNullable && text.empty()) return put_null();
    statement_.bind(++index_, text);
  }
  void put_value(double value, Trait /*trait*/) {
    if (std::isnan(value)) return put_null();
    statement_.bind(++index_, value);
  }
  void put_value(bool value, Trait /*trait*/) { statement_.bind(++index_, value ? 1 : 0); }
  void put_value(int value, Trait /*trait*/) { statement_.bind(++index_, value); }
  void put_value(std::int64_t value, Trait /*trait*/) { statement_.bind(++index_, value); }
  /// Addresses and counts above 2^63 come back as they were, though a query shows them negative.
  void put_value(std::uint64_t value, Trait /*trait*/) {
    statement_.bind(++index_, static_cast<std::int64_t>(value));
  }
  void put_value(std::uint32_t value, Trait /*trait*/) {
    if (no_launch_) return put_null();
    statement_.bind(++index_, value);
  }
  template <KeptAsText T>
  void put_value(const T& value, Trait trait) {
    put_value(std::string(value.text()), trait);
  }
  void put_value(const Params& params, Trait trait) { put_value(params.json(), trait); }
  template <typename Key, typename T>
  void put_value(const std::map<Key, T>& map, Trait trait) {
    put_value(json_of(map), trait);
  }
  template <typename T>
  void put_value(const std::vector<T>& list, Trait trait) {
    put_value(json_of(list), trait);
  }
  template <typename T, std::size_t N>
  void put_value(const std::array<T, N>& list, Trait trait) {
    put_value(json_of(list), trait);
  }
  template <typename T>
  void put_value(const std::optional<T>& value, Trait trait) {
    if (!value) return put_null();
    put(*value, trait);
  }
  void put_value(const std::variant<double, Missing>& value, Trait /*trait*/) {
    const auto* number = std::get_if<double>(&value);
    std::optional<Missing> missing;
    if (number == nullptr) {
      missing = std::get<Missing>(value);
    } else if (std::isnan(*number)) {
      missing = {NoValue::kNotANumber};
    }
    put(missing ? std::nullopt : std::optional(*number));
    put(missing ? std::optional(missing->reason) : std::nullopt);
    put(missing ? missing->detail : std::string(), Trait::kNullable);
  }

  SQLite::Statement& statement_;
  int index_ = 0;
  bool no_launch_ = false;
};

/// How a word is read that its type lacks, in a file that was edited; empty: its row is an input
/// error. Runs are listed and their seals checked, whatever one of them says.
template <Worded Enum>
inline constexpr std::optional<Enum> kEditedWord = {};
template <>
inline constexpr std::optional<RunStatus> kEditedWord<RunStatus> = RunStatus::kFailed;
template <>
inline constexpr std::optional<NoValue> kEditedWord<NoValue> = NoValue::kUnknown;

/// Reads the columns of the current row one after another. NULL is 0, empty or none.
class Reader {
 public:
  explicit Reader(SQLite::Statement& statement) : statement_(statement) {}

  template <typename T>
  [[nodiscard]] T take() {
    T value{};
    read(value);
    return value;
  }

  template <typename T>
  void read(T& value) {
    if constexpr (Worded<T>) {
      read_word(value);
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(next().getInt());
    } else if constexpr (std::is_same_v<T, Launch>) {
      read_launch(value);
    } else if constexpr (Described<T> && !KeptAsText<T>) {
      visit_fields(value, [&](const auto& field, auto& member) {
        using Member = std::remove_cvref_t<decltype(member)>;
        if constexpr (!kRecords<Member>) {
          if (field.trait != Trait::kApart) read(member);
        }
      });
    } else {
      read_value(value);
    }
  }

 private:
  SQLite::Column next() { return statement_.getColumn(index_++); }

  template <Worded Enum>
  void read_word(Enum& value) {
    const std::string word = next().getString();
    const auto known = from_word<Enum>(word);
    const auto read = known ? known : kEditedWord<Enum>;
    if (!read) {
      throw input_error(fmt::format("the database holds a word that cannot be read: '{}'", word),
                        "it was edited; restore a copy");
    }
    value = *read;
  }
  void read_launch(Launch& launch) {
    const bool none = statement_.getColumn(index_).isNull();
    visit_fields(launch, [&](const auto& /*field*/, auto& member) { read(member); });
    if (none) launch = {};
  }
  void read_value(std::string& value) { value = next().getString(); }
  void read_value(double& value) { value = next().getDouble(); }
  void read_value(bool& value) { value = next().getInt() != 0; }
  void read_value(int& value) { value = next().getInt(); }
  void read_value(std::int64_t& value) { value = next().getInt64(); }
  void read_value(std::uint64_t& value) { value = static_cast<std::uint64_t>(next().getInt64()); }
  void read_value(std::uint32_t& value) { value = next().getUInt(); }
  template <KeptAsText T>
  void read_value(T& value) {
    value = T::from_text(next().getString());
  }
  void read_value(Params& params) { params = params_from(next().getString()); }
  void read_value(std::map<std::string, std::string>& map) { map = facts_from(next().getString()); }
  void read_value(std::vector<double>& list) { list = samples_from(next().getString()); }
  void read_value(std::array<std::int64_t, 32>& list) { list = addresses_from(next().getString()); }
  template <typename T>
  void read_value(std::optional<T>& value) {
    if (statement_.getColumn(index_).isNull()) {
      value.reset();
      ++index_;
    } else {
      read(value.emplace());
    }
  }
  void read_value(std::variant<double, Missing>& value) {
    const auto number = take<std::optional<double>>();
    const auto reason = take<std::optional<NoValue>>();
    const auto detail = take<std::string>();
    if (number) {
      value = *number;
    } else {
      value = Missing{reason.value_or(NoValue::kUnknown), detail};
    }
  }

  SQLite::Statement& statement_;
  int index_ = 0;
};

}  // namespace lab::db
