// Records as CBOR and back, over their descriptions (harness/core/describe.h). Both programs are of
// one build (kProtocol), so a record is the list of its members, in the description's order.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "harness/box/worker/cbor.h"
#include "harness/core/buffer.h"
#include "harness/core/describe.h"
#include "harness/core/params.h"
#include "harness/core/text.h"

namespace lab::worker {

template <typename T>
concept Bytes = std::same_as<T, std::vector<std::byte>> ||
    std::same_as<T, std::vector<std::uint8_t>> || std::same_as<T, SharedBytes>;
template <typename T>
concept Enum = std::is_enum_v<T>;
template <typename T>
concept Optional = requires(T value) {
  value.has_value();
};
template <typename T>
concept OneOf = requires(T value) {
  value.valueless_by_exception();
};
template <typename T>
concept Map = requires {
  typename T::mapped_type;
};
template <typename T>
concept List = requires(T value) {
  value.emplace_back();
};
/// A pair or an array.
template <typename T>
concept Tuple = requires {
  std::tuple_size<T>::value;
};

template <typename Record>
constexpr std::size_t members_of() {
  std::size_t count = 0;
  kFieldsOf<Record>([&](const auto&... one) { count = sizeof...(one); });
  return count;
}

/// Writes a value of any shape that a member has.
template <typename T>
void to_wire(const T& value, CborWriter& to) {
  if constexpr (std::same_as<T, bool>) {
    to.truth(value);
  } else if constexpr (std::signed_integral<T>) {
    to.whole(std::int64_t{value});
  } else if constexpr (std::unsigned_integral<T>) {
    to.whole(std::uint64_t{value});
  } else if constexpr (std::floating_point<T>) {
    to.real(value);
  } else if constexpr (Enum<T>) {
    to_wire(static_cast<std::underlying_type_t<T>>(value), to);
  } else if constexpr (std::same_as<T, std::string>) {
    to.string(Major::kText, value.data(), value.size());
  } else if constexpr (Bytes<T>) {
    to.string(Major::kBytes, value.data(), value.size());
  } else if constexpr (std::same_as<T, Params>) {
    to_wire(value.all(), to);
  } else if constexpr (Described<T>) {
    to.head(Major::kArray, members_of<T>());
    visit_fields(value, [&](const auto& /*field*/, const auto& member) { to_wire(member, to); });
  } else if constexpr (Optional<T>) {
    value ? to_wire(*value, to) : to.null();
  } else if constexpr (OneOf<T>) {  // [which, value]
    to.head(Major::kArray, 2);
    to_wire(value.index(), to);
    std::visit([&](const auto& held) { to_wire(held, to); }, value);
  } else if constexpr (Map<T>) {
    to.head(Major::kMap, value.size());
    for (const auto& [key, held] : value) {
      to_wire(key, to);
      to_wire(held, to);
    }
  } else if constexpr (List<T>) {
    to.head(Major::kArray, value.size());
    for (const auto& held : value) to_wire(held, to);
  } else {
    static_assert(Tuple<T>);
    to.head(Major::kArray, std::tuple_size_v<T>);
    std::apply([&](const auto&... held) { (to_wire(held, to), ...); }, value);
  }
}

template <OneOf T, std::size_t I = 0>
T alternative(std::size_t index) {
  if constexpr (I + 1 < std::variant_size_v<T>) {
    if (index != I) return alternative<T, I + 1>(index);
  }
  return T(std::in_place_index<I>);
}

/// Reads one, into a value as it was made. Throws an internal error where the frame has a value of
/// another shape, or one that its type lacks.
template <typename T>
void from_wire(CborReader& from, T& value) {
  if constexpr (std::same_as<T, bool>) {
    value = from.truth();
  } else if constexpr (std::integral<T>) {
    value = from.whole<T>();
  } else if constexpr (std::floating_point<T>) {
    value = static_cast<T>(from.real());
  } else if constexpr (Enum<T>) {
    value = static_cast<T>(from.whole<std::underlying_type_t<T>>());
    if constexpr (Worded<T>) {
      if (static_cast<std::size_t>(value) >= kWordsOf<T>.size()) {
        CborReader::refuse("a value that its type lacks");
      }
    }
  } else if constexpr (std::same_as<T, std::string>) {
    const auto text = from.string(Major::kText);
    value.assign(reinterpret_cast<const char*>(text.data()), text.size());
  } else if constexpr (Bytes<T>) {
    const auto bytes = from.string(Major::kBytes);
    value.resize(bytes.size());
    if (!bytes.empty()) std::memcpy(&value[0], bytes.data(), bytes.size());
  } else if constexpr (std::same_as<T, Params>) {
    std::map<std::string, ParamValue> all;
    from_wire(from, all);
    for (auto& [name, held] : all) value.set(name, std::move(held));
  } else if constexpr (Described<T>) {
    from.expect(Major::kArray, members_of<T>());
    visit_fields(value, [&](const auto& /*field*/, auto& member) { from_wire(from, member); });
  } else if constexpr (Optional<T>) {
    value.reset();
    if (!from.took_null()) from_wire(from, value.emplace());
  } else if constexpr (OneOf<T>) {
    from.expect(Major::kArray, 2);
    const auto index = from.whole<std::size_t>();
    if (index >= std::variant_size_v<T>) CborReader::refuse("it is of no known kind");
    value = alternative<T>(index);
    std::visit([&](auto& held) { from_wire(from, held); }, value);
  } else if constexpr (Map<T>) {
    for (std::size_t left = from.count(Major::kMap); left > 0; --left) {
      typename T::key_type key{};
      from_wire(from, key);
      from_wire(from, value[std::move(key)]);
    }
  } else if constexpr (List<T>) {
    value.clear();
    for (std::size_t left = from.count(Major::kArray); left > 0; --left) {
      from_wire(from, value.emplace_back());
    }
  } else {
    static_assert(Tuple<T>);
    from.expect(Major::kArray, std::tuple_size_v<T>);
    std::apply([&](auto&... held) { (from_wire(from, held), ...); }, value);
  }
}

}  // namespace lab::worker
