// A picture of squares and words as SVG 1.1: it stands alone, and names no other file.
#pragma once

#include <string>

namespace lab::cli {

class Svg {
 public:
  /// Of so many pixels; it scales. `title` is for who cannot see it.
  Svg(int width, int height, const std::string& title);

  /// Pixels that a text at its left edge takes, and a margin.
  [[nodiscard]] static int width_of(const std::string& words);

  /// Words that begin at x.
  void text(int x, int y, const std::string& words);
  /// A small word around x.
  void label(int x, int y, const std::string& word);
  /// A square with a word in its middle, in the colour of a lane; -1: no lane's, empty.
  void cell(int x, int y, int size, int lane, const std::string& word);

  [[nodiscard]] std::string finished() &&;

 private:
  std::string out_;
};

}  // namespace lab::cli
