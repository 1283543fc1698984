// Facts about where text goes, and text made fit for it.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/unicode.h"
#include "harness/page/page.h"

namespace lab::cli {

struct Terminal {
  bool tty = false;
  bool colour = false;
  bool unicode = false;
  int width = 100;  ///< columns
  int lines = 0;    ///< of the screen; 0: it is none
};

/// Facts of an open stream. Colour: a terminal, and neither NO_COLOR nor TERM=dumb. Width: the
/// terminal's, else $COLUMNS, else 100. Unicode: as LC_ALL, LC_CTYPE or LANG say.
[[nodiscard]] Terminal terminal_facts(std::FILE* stream);

using page::Tone;

/// `text` between the escape sequences of `tone`, or as it is where there is no colour.
[[nodiscard]] std::string toned(std::string_view text, Tone tone, const Terminal& terminal);

/// Lines of at most `width` columns, broken at spaces; longer words stay whole.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, int width);

/// The same as one text: `margin` blanks before the first line, `more` besides before the others,
/// all within `width`.
[[nodiscard]] std::string paragraph(std::string_view text, int width, int margin = 0, int more = 0);
/// The same as wide as the terminal, each line in `tone`.
[[nodiscard]] std::string toned_paragraph(std::string_view text, Tone tone,
                                          const Terminal& terminal, int margin = 0);

/// Cuts a line to `width` columns; three points stand for what is left out.
[[nodiscard]] std::string cut(std::string text, int width);

}  // namespace lab::cli
