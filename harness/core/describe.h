// The parts of a record's description. A record is described once, in record_fields.h or
// backend_fields.h; worker messages, SQL columns and --json are made from that description.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace lab {

/// How a field differs from the others in SQL and JSON.
enum class Trait : std::uint8_t {
  kNone,
  kNullable,  ///< an empty text is NULL in SQL; that, and a zero, is null in JSON
  kApart,     ///< no column of its record's table: rows of its own elsewhere, or not stored
};

/// `name` is the field's column and its key in a message; `json` its key in --json, empty where it
/// is not shown there.
template <typename Record, typename Member>
struct Field {
  std::string_view name;
  Member Record::*member;
  Trait trait = Trait::kNone;
  std::string_view json = name;
};

template <typename Record, typename Member>
constexpr Field<Record, Member> field(std::string_view name, Member Record::*member,
                                      Trait trait = Trait::kNone) {
  return {name, member, trait, name};
}
template <typename Record, typename Member>
constexpr Field<Record, Member> field(std::string_view name, Member Record::*member, Trait trait,
                                      std::string_view json) {
  return {name, member, trait, json};
}

namespace detail {

// Stands for a value of any type where only the number of values matters; never defined.
struct Anything {
  template <typename T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};

template <typename Record, std::size_t... I>
constexpr bool takes(std::index_sequence<I...> /*values*/) {
  return requires { Record{(void(I), Anything{})...}; };
}

constexpr bool all_differ(std::initializer_list<std::string_view> names) {
  for (const auto* a = names.begin(); a != names.end(); ++a) {
    for (const auto* b = names.begin(); b != a; ++b) {
      if (*a == *b) return false;
    }
  }
  return true;
}

}  // namespace detail

/// How many members an aggregate has: the most values that it can be initialised with, each of
/// which converts to whatever type the member has. Holds for aggregates without base classes, bit
/// fields and arrays in C's manner.
template <typename Record, std::size_t N = 0>
constexpr std::size_t arity() {
  if constexpr (detail::takes<Record>(std::make_index_sequence<N + 1>{})) {
    return arity<Record, N + 1>();
  } else {
    return N;
  }
}

/// A record's description. A member that it lacks does not compile.
template <typename Record, typename... Members>
constexpr auto described(const Field<Record, Members>&... fields) {
  static_assert(sizeof...(Members) == arity<Record>(), "a member of the record is not described");
  return std::tuple{fields...};
}

/// The description of a record; std::false_type for types that have none.
template <typename Record>
inline constexpr std::false_type kFieldsOf{};

template <typename T>
concept Described =
    !std::is_same_v<std::remove_cv_t<decltype(kFieldsOf<std::remove_cv_t<T>>)>, std::false_type>;

/// Whether a member holds records that have rows of their own, in another table.
template <typename T>
inline constexpr bool kRecords = false;
template <Described T>
inline constexpr bool kRecords<std::vector<T>> = true;
template <Described T>
inline constexpr bool kRecords<std::optional<T>> = true;

/// Calls visit(field, member) for each field of `record`, in the order of its description.
template <typename Record, typename Visit>
requires Described<Record>
void visit_fields(Record& record, Visit&& visit) {
  std::apply([&](const auto&... one) { (visit(one, record.*one.member), ...); },
             kFieldsOf<std::remove_cv_t<Record>>);
}

}  // namespace lab
