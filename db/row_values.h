// A record's fields as a table's values, so that a text of it follows from its description too.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>

#include "db/row_fields.h"
#include "db/table_format.h"

namespace lab::db {

/// As the field's column would hold it: an absent or nullable empty one is NULL.
template <typename T>
requires(std::is_arithmetic_v<T> || std::is_same_v<T, std::string> || Worded<T> ||
         KeptAsText<T>) Value value_of(const T& member, Trait trait) {
  if constexpr (Worded<T>) {
    return std::string(word_of(member));
  } else if constexpr (KeptAsText<T>) {
    return value_of(std::string(member.text()), trait);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return trait == Trait::kNullable && member.empty() ? Value() : Value(member);
  } else if constexpr (std::is_floating_point_v<T>) {
    return member;
  } else {
    return static_cast<std::int64_t>(member);
  }
}
template <typename T>
Value value_of(const std::optional<T>& member, Trait trait) {
  return member ? value_of(*member, trait) : Value();
}

/// By the fields' names; a record within it is laid flat, lists are left out.
template <Described Record>
std::map<std::string, Value, std::less<>> values_of(const Record& record) {
  std::map<std::string, Value, std::less<>> values;
  visit_fields(record, [&](const auto& field, const auto& member) {
    using Member = std::remove_cvref_t<decltype(member)>;
    if constexpr (Described<Member> && !KeptAsText<Member>) {
      values.merge(values_of(member));
    } else if constexpr (requires { value_of(member, field.trait); }) {
      values.emplace(field.name, value_of(member, field.trait));
    }
  });
  return values;
}

}  // namespace lab::db
