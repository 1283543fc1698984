#include "tools/cli/text/svg.h"

#include <fmt/format.h>

#include <utility>

#include "harness/core/markup.h"

namespace lab::cli {

Svg::Svg(int width, int height, const std::string& title)
    : out_(fmt::format(
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
          "height=\"{1}\" role=\"img\" font-family=\"monospace\" font-size=\"11\">\n"
          "<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
          width, height, escaped(title))) {}

int Svg::width_of(const std::string& words) {
  constexpr int kCharacter = 8;  // of 13 pixels in a font of one width
  return 20 + kCharacter * static_cast<int>(words.size());
}

void Svg::text(int x, int y, const std::string& words) {
  out_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"13\">{}</text>\n", x, y, escaped(words));
}

void Svg::label(int x, int y, const std::string& word) {
  out_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"#555\">{}</text>\n", x,
                      y, escaped(word));
}

void Svg::cell(int x, int y, int size, int lane, const std::string& word) {
  // Lanes go once round the colours, light enough for black words.
  constexpr int kLanes = 32;
  const std::string fill =
      lane < 0 ? std::string("none") : fmt::format("hsl({},70%,75%)", lane * 360 / kLanes);
  out_ += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#999\"/>\n", x, y,
      size, size, fill);
  if (!word.empty()) {
    out_ +=
        fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-size=\"{}\">{}</text>\n",
                    x + size / 2, y + size / 2 + 4, word.size() > 3 ? 9 : 11, escaped(word));
  }
}

std::string Svg::finished() && { return std::move(out_) + "</svg>\n"; }

}  // namespace lab::cli
