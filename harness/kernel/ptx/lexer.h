// PTX text cut into tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/error.h"

namespace lab::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    kEnd,
    kWord,    ///< an identifier: add, %r1, $L__BB0_2, _
    kDot,     ///< a directive or modifier, `text` without the dot: version, u32, shared::cta
    kNumber,  ///< 12, 0x1F, 0f3F800000, 1.5e-3, 9.0
    kString,  ///< without its quotes
    kPunct,   ///< one character
  };
  Kind kind = Kind::kEnd;
  std::uint32_t line = 0;    ///< from 1
  std::uint32_t column = 0;  ///< from 1, in bytes
  std::string_view text;     ///< into the text that was lexed
};

/// A PTX text and its name, for messages.
struct Source {
  std::string name;
  std::string_view text;
  std::vector<std::string_view> lines;  ///< without their line ends
};
[[nodiscard]] Source make_source(std::string_view text, std::string name);

/// An input error at this token: `name.ptx:LINE:COLUMN: error: message` with the line and a caret.
[[nodiscard]] Error error_at(const Source& source, const Token& token, const std::string& message,
                             std::string hint = {});

/// All tokens; the last is a kEnd. Throws an input error at a character that no token starts with,
/// and at a comment or string with no end.
[[nodiscard]] std::vector<Token> lex(const Source& source);

}  // namespace lab::ptx
