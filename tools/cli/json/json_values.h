// Pieces that the JSON documents share. Included by the few files that build them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "harness/core/record_fields.h"
#include "harness/core/words.h"

namespace lab::cli {

/// Keys keep the order in which they are documented.
using Json = nlohmann::ordered_json;

/// The number of the documents' format (README.md); raised when a key changes its meaning or goes.
constexpr int kJsonFormat = 1;

/// A document with its format, as indented text. Names may come from a student's file: bytes that
/// are not UTF-8 are replaced.
[[nodiscard]] std::string printed(const Json& json);

[[nodiscard]] Json params_json(const Params& params);
[[nodiscard]] Json value_json(const ParamValue& value);
/// [x, y, z]
[[nodiscard]] Json dim_json(const Dim3& dim);
/// Whole numbers print as integers; NaN and infinity, which JSON lacks, as null.
[[nodiscard]] Json number_json(double value);
[[nodiscard]] Json optional_json(const std::optional<double>& value);
/// null where the text is empty.
[[nodiscard]] Json text_json(const std::string& text);

template <Described Record>
Json record_json(const Record& record);

/// A member of a record. Enumerations show their names, lists of samples how many there are.
template <typename T>
Json member_json(const T& value, Trait trait) {
  if constexpr (std::is_enum_v<T>) {
    if (trait != Trait::kNone && value == T{}) return nullptr;
    return name_of(value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return trait == Trait::kNullable ? text_json(value) : Json(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return number_json(value);
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return trait != Trait::kNone && value == 0 ? Json(nullptr) : Json(value);
  } else if constexpr (std::is_same_v<T, Dim3>) {
    return dim_json(value);
  } else if constexpr (KeptAsText<T>) {
    return member_json(std::string(value.text()), trait);
  } else if constexpr (std::is_same_v<T, Params>) {
    return params_json(value);
  } else if constexpr (std::is_same_v<T, std::vector<double>>) {
    return value.size();
  } else if constexpr (std::is_same_v<T, std::array<std::int64_t, 32>>) {
    Json list = Json::array();
    for (const auto one : value) list.push_back(one < 0 ? Json(nullptr) : Json(one));
    return list;
  } else {
    return value;
  }
}
template <typename T>
Json member_json(const std::optional<T>& value, Trait trait) {
  return value ? member_json(*value, trait) : Json(nullptr);
}

/// The members that its description shows, in that order; a record in it is laid flat.
template <Described Record>
Json record_json(const Record& record) {
  Json json = Json::object();
  visit_fields(record, [&](const auto& field, const auto& member) {
    using Member = std::remove_cvref_t<decltype(member)>;
    if (field.json.empty()) return;
    if constexpr (Described<Member> && !KeptAsText<Member> && !std::is_same_v<Member, Dim3>) {
      json.update(record_json(member));
    } else if constexpr (!kRecords<Member>) {
      json[std::string(field.json)] = member_json(member, field.trait);
    }
  });
  return json;
}

/// The list of what `of_row` makes of each row.
template <typename Rows, typename OfRow>
Json list_of(const Rows& rows, OfRow of_row) {
  Json list = Json::array();
  for (const auto& row : rows) list.push_back(of_row(row));
  return list;
}

template <Described Record>
Json list_json(const std::vector<Record>& records) {
  return list_of(records, record_json<Record>);
}

}  // namespace lab::cli
