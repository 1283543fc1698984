#include "harness/core/unicode.h"

#include <fmt/format.h>
#include <algorithm>

#include <array>
#include <cstdint>

namespace lab {

namespace {

/// One code point and the bytes it takes; `valid` is false for a byte that is not UTF-8.
struct CodePoint {
  char32_t value = 0;
  std::size_t size = 1;
  bool valid = false;
};

// RFC 3629: overlong forms, surrogates and values past U+10FFFF are not UTF-8.
CodePoint decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return {lead, 1, false};
  char32_t value = lead & (0xffU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0U) != 0x80U) return {lead, 1, false};
    value = (value << 6U) | (next & 0x3fU);
  }
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < kSmallest[size] || surrogate || value > 0x10ffff) return {lead, 1, false};
  return {value, size, true};
}

struct Range {
  char32_t first;
  char32_t last;
};

template <std::size_t N>
bool within(const std::array<Range, N>& ranges, char32_t value) {
  for (const Range& range : ranges) {
    if (value >= range.first && value <= range.last) return true;
  }
  return false;
}

// Blocks of Unicode 15 that hold combining marks and joiners only.
constexpr std::array<Range, 7> kZeroWidth = {{{0x300, 0x36f},
                                              {0x483, 0x489},
                                              {0x591, 0x5bd},
                                              {0x1ab0, 0x1aff},
                                              {0x1dc0, 0x1dff},
                                              {0x20d0, 0x20ff},
                                              {0xfe00, 0xfe0f}}};
// East_Asian_Width W and F (Unicode Standard Annex 11), by block.
constexpr std::array<Range, 9> kWide = {{{0x1100, 0x115f},
                                         {0x2e80, 0x303e},
                                         {0x3041, 0xa4cf},
                                         {0xac00, 0xd7a3},
                                         {0xf900, 0xfaff},
                                         {0xfe30, 0xfe6f},
                                         {0xff00, 0xff60},
                                         {0x1f300, 0x1faff},
                                         {0x20000, 0x3fffd}}};
// C0, DEL and C1 controls; line separators; marks that reorder or hide text (Unicode Standard
// Annex 9, and "Trojan Source", CVE-2021-42574); annotations and tags, which no font shows.
constexpr std::array<Range, 10> kUnsafe = {{{0x0, 0x1f},
                                            {0x7f, 0x9f},
                                            {0x61c, 0x61c},
                                            {0x180e, 0x180e},
                                            {0x200b, 0x200f},
                                            {0x2028, 0x202e},
                                            {0x2060, 0x206f},
                                            {0xfeff, 0xfeff},
                                            {0xfff9, 0xfffb},
                                            {0xe0000, 0xe007f}}};

std::string made_visible(std::string_view text, std::string_view kept) {
  // Nearly all texts.
  const bool plain =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (plain) return std::string(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = decode(text);
    const bool ends_line = text.starts_with("\r\n") && kept.find('\n') != std::string_view::npos;
    const bool keep =
        ends_line || (point.value < 0x80 && kept.find(text[0]) != std::string_view::npos);
    if (!point.valid || (point.value < 0x80 && within(kUnsafe, point.value) && !keep)) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else if (!keep && within(kUnsafe, point.value)) {
      const auto value = static_cast<std::uint32_t>(point.value);
      out += value > 0xffff ? fmt::format("\\U{:08x}", value) : fmt::format("\\u{:04x}", value);
    } else {
      out += text.substr(0, point.size);
    }
    text.remove_prefix(point.size);
  }
  return out;
}

}  // namespace

int display_width(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const CodePoint point = decode(text);
    width += within(kZeroWidth, point.value) ? 0 : within(kWide, point.value) ? 2 : 1;
    text.remove_prefix(point.size);
  }
  return width;
}

// Outside its strings a document of JSON has no such characters but blanks, and within them none
// below U+0020.
std::string safe_json(std::string_view document) {
  constexpr char32_t kBlank = 0x20;
  constexpr char32_t kFirstOfTwo = 0x10000;  // from here on, a surrogate pair (RFC 8259, 7)
  std::string out;
  out.reserve(document.size());
  while (!document.empty()) {
    const CodePoint point = decode(document);
    const auto value = static_cast<std::uint32_t>(point.value);
    if (!point.valid || point.value < kBlank || !within(kUnsafe, point.value)) {
      out += document.substr(0, point.size);
    } else if (point.value < kFirstOfTwo) {
      out += fmt::format("\\u{:04x}", value);
    } else {
      const std::uint32_t above = value - kFirstOfTwo;
      out +=
          fmt::format("\\u{:04x}\\u{:04x}", 0xd800U + (above >> 10U), 0xdc00U + (above & 0x3ffU));
    }
    document.remove_prefix(point.size);
  }
  return out;
}

std::string safe_text(std::string_view text) { return made_visible(text, "\n\t"); }
std::string safe_line(std::string_view text) { return made_visible(text, ""); }

}  // namespace lab
