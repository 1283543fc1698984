// The tokens of CUDA C++ source text, as far as finding declarations needs them: what is a name and
// what is in a comment or a literal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace lab::source {

enum class TokenKind : std::uint8_t {
  kName,       ///< identifiers and keywords
  kNumber,     ///< with its suffix and digit separators
  kText,       ///< a string literal with its quotes and prefix, raw ones too
  kCharacter,  ///< a character literal
  kMark,       ///< one character of punctuation
  kDirective,  ///< a whole line of the preprocessor with the lines it goes on to
};

struct Token {
  TokenKind kind = TokenKind::kMark;
  std::size_t begin = 0;  ///< offsets in the source
  std::size_t end = 0;
  std::string_view text;  ///< of the source, which must live on
};

/// All tokens in order. Left out are comments, blanks and what the preprocessor leaves out whatever
/// is defined: `#if 0`, and branches that go by names whose state is known when kernels are
/// compiled, such as `#ifndef __CUDACC_RTC__`. Of other conditions both branches are there. A
/// literal that is not closed ends with its line.
[[nodiscard]] std::vector<Token> tokens_of(std::string_view source);

/// A directive taken apart: `#  define N 3` is {"define", "N 3"}.
struct Directive {
  std::string_view name;
  std::string_view rest;  ///< without the blanks around it; comments are in it
};
[[nodiscard]] Directive directive_of(std::string_view text);

}  // namespace lab::source
