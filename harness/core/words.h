// Closed types that are kept, sent and shown as words. A word that was stored is for good.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace lab {

/// The words of a type's values 0, 1, 2, ...; std::false_type for types that have none.
template <typename Enum>
inline constexpr std::false_type kWordsOf{};

template <typename T>
concept Worded =
    std::is_enum_v<T> && !std::is_same_v<std::remove_cv_t<decltype(kWordsOf<T>)>, std::false_type>;

template <Worded Enum>
[[nodiscard]] constexpr std::string_view word_of(Enum value) {
  const auto at = static_cast<std::size_t>(value);
  return at < kWordsOf<Enum>.size() ? kWordsOf<Enum>[at] : "unknown";
}

/// The value that is called `word`; empty: none is.
template <Worded Enum>
[[nodiscard]] constexpr std::optional<Enum> from_word(std::string_view word) {
  for (std::size_t i = 0; i < kWordsOf<Enum>.size(); ++i) {
    if (kWordsOf<Enum>[i] == word) return static_cast<Enum>(i);
  }
  return {};
}

/// A type whose values are kept as one text each: T::from_text reads what text() says.
template <typename T>
concept KeptAsText = requires(const T& value, const std::string& text) {
  { value.text() } -> std::convertible_to<std::string>;
  { T::from_text(text) } -> std::same_as<T>;
};

}  // namespace lab
