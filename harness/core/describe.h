// The parts of a record's description. A record is described once, in record_fields.h or
// backend_fields.h; worker messages, SQL columns and --json are made from that description.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
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

}  // namespace detail

/// Whether an aggregate has so many members: it can be initialised with so many values, each of
/// which converts to whatever type the member has, and not with one more. Holds for aggregates
/// without base classes, bit fields and arrays in C's manner.
template <typename Record, std::size_t N>
inline constexpr bool kHasMembers = detail::takes<Record>(std::make_index_sequence<N>{}) &&
                                    !detail::takes<Record>(std::make_index_sequence<N + 1>{});

/// A record's description: what calls a function with all its fields. (With a std::tuple of them,
/// the modules that store or print records took a tenth longer to compile.) A member that it lacks
/// does not compile.
template <typename Record, typename... Members>
constexpr auto described(const Field<Record, Members>&... fields) {
  static_assert(kHasMembers<Record, sizeof...(Members)>, "a member of the record is not described");
  return [fields...](const auto& take) { take(fields...); };
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
  kFieldsOf<std::remove_cv_t<Record>>(
      [&](const auto&... one) { (visit(one, record.*one.member), ...); });
}

}  // namespace lab
