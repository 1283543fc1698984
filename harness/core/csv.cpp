#include "harness/core/csv.h"

#include <algorithm>
#include <cstdint>

namespace lab {

namespace {

// How far a closing quote is looked for. Nsight's rules write paragraphs.
constexpr std::size_t kMostQuoted = 65536;

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

std::string from_utf16(std::string_view bytes, bool big_endian) {
  std::string out;
  std::uint32_t high = 0;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const auto first = static_cast<unsigned char>(bytes[i]);
    const auto second = static_cast<unsigned char>(bytes[i + 1]);
    const auto unit =
        static_cast<std::uint32_t>(big_endian ? first << 8 | second : second << 8 | first);
    if (unit >= 0xD800 && unit < 0xDC00) {
      high = unit;
      continue;
    }
    const bool pair = high != 0 && unit >= 0xDC00 && unit < 0xE000;
    append_utf8(out, pair ? 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00) : unit);
    high = 0;
  }
  return out;
}

}  // namespace

std::string as_utf8(std::string_view bytes) {
  if (bytes.substr(0, 3) == "\xEF\xBB\xBF") return std::string(bytes.substr(3));
  if (bytes.substr(0, 2) == "\xFF\xFE") return from_utf16(bytes.substr(2), false);
  if (bytes.substr(0, 2) == "\xFE\xFF") return from_utf16(bytes.substr(2), true);
  // Without a mark: a text begins with a printable character of ASCII, or a line end.
  const auto begins = [&](std::size_t at) { return bytes[at] >= '\t' && bytes[at] <= '~'; };
  if (bytes.size() < 2) return std::string(bytes);
  if (begins(0) && bytes[1] == '\0') return from_utf16(bytes, false);
  if (bytes[0] == '\0' && begins(1)) return from_utf16(bytes, true);
  return std::string(bytes);
}

bool CsvReader::at_line_end() const {
  return at_ >= text_.size() || text_[at_] == '\n' || text_[at_] == '\r';
}

void CsvReader::skip_line_end() {
  if (at_ < text_.size() && text_[at_] == '\r') ++at_;
  if (at_ < text_.size() && text_[at_] == '\n') ++at_;
  ++line_;
}

std::string CsvReader::quoted_cell() {
  std::string out;
  const std::size_t limit = std::min(text_.size(), at_ + kMostQuoted);
  std::size_t i = at_ + 1;
  int lines = 0;
  for (; i < limit; ++i) {
    if (text_[i] == '\n') ++lines;
    if (text_[i] != '"') {
      out += text_[i];
    } else if (i + 1 < text_.size() && text_[i + 1] == '"') {
      out += text_[i++];
    } else {
      break;
    }
  }
  if (i < limit) {
    at_ = i + 1;
    line_ += lines;
    return out;
  }
  // Never closed, so it is an ordinary character.
  const std::size_t end = std::min(text_.find_first_of("\r\n", at_), text_.size());
  out = text_.substr(at_, end - at_);
  at_ = end;
  return out;
}

std::string CsvReader::cell() {
  std::string out;
  if (at_ < text_.size() && text_[at_] == '"') out = quoted_cell();
  while (!at_line_end() && text_[at_] != separator_) out += text_[at_++];
  return out;
}

std::optional<CsvRow> CsvReader::next() {
  if (at_ >= text_.size()) return {};
  CsvRow row{line_, {}};
  for (;;) {
    row.cells.push_back(cell());
    if (at_line_end()) break;
    ++at_;  // the separator
  }
  skip_line_end();
  return row;
}

}  // namespace lab
