// The words of a source text, as far as loops and pointers are read in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/backend.h"

namespace lab::model {

struct Word {
  std::string_view text;
  int line = 0;
};
using Words = std::vector<Word>;

/// From a word up to another, which is not part of it.
struct WordRange {
  std::size_t from = 0;
  std::size_t to = 0;
};

/// Names, numbers, texts and operators, which view `source`; no comments. Of the preprocessor's
/// lines there are whole numbers alone: `#define TILE 32` reads as `const int TILE = 32;`.
[[nodiscard]] Words words_of(std::string_view source);
[[nodiscard]] bool is_name(const Word& word);
/// The word at `at` is there and reads `text`.
[[nodiscard]] bool is(const Words& words, std::size_t at, std::string_view text);
/// The word that closes the bracket at `open`, or the last.
[[nodiscard]] std::size_t closing_word(const Words& words, std::size_t open);
/// The first semicolon from `from` on that is in no brackets, or `to`.
[[nodiscard]] std::size_t next_semicolon(const Words& words, std::size_t from, std::size_t to);
/// The value of whole numbers, constants of the text (`const int kName = 3;`, or a #define) and
/// + - * / %. Empty: there is something else.
[[nodiscard]] std::optional<std::int64_t> number_of(const Words& words, WordRange range);

/// A line has an unsigned number: a type's name, a literal such as 1u, or a name that is declared
/// so anywhere in the text.
[[nodiscard]] bool has_unsigned(std::string_view source, int line);
/// Bytes of a type that one word names, such as float4; 0: it is not known.
[[nodiscard]] std::int64_t bytes_of_type(std::string_view type);
/// The text of one of a kernel's files, as compiled code names it: the compiler may have put a
/// folder before the name that the source was given. Empty: it is not known.
[[nodiscard]] std::string_view text_of(const std::string& file, const KernelText& source);

}  // namespace lab::model
