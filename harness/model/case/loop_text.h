// A loop of a source text, and why it does not end, as far as its text tells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lab::model {

struct LoopText {
  enum class Why : std::uint8_t {
    kUnconditional,  ///< while (true), for (;;)
    kUnchanged,      ///< the loop changes no variable of its condition
    kAlwaysTrue,     ///< it changes one, and the condition holds whatever its value
  };
  Why why = Why::kAlwaysTrue;
  int line = 0;                            ///< of the word for, while or do
  std::string condition = {};              ///< as written, without comments
  std::string variable = {};               ///< of kUnchanged: the first that is one; empty: none is
  std::optional<std::int64_t> value = {};  ///< that it keeps, where the text tells
  bool is_unsigned = false;  ///< of kAlwaysTrue: the loop declares an unsigned variable
};

/// The innermost loop of `source` that has all lines from `first` to `last`, and why it would not
/// end if it does not. Empty: there is none.
[[nodiscard]] std::optional<LoopText> loop_at_lines(std::string_view source, int first, int last);

}  // namespace lab::model
