#include "harness/classes/grade/file_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "harness/core/text.h"

namespace lab::grade {

namespace {

constexpr std::size_t kLongest = 200;  // of 255 bytes that file systems allow
constexpr std::size_t kKept = 100;     // of a longer name's beginning
constexpr char kCapitals = '~';

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
char lower(char c) { return is_capital(c) ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_plain(char c) {
  const char l = lower(c);
  return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view(".-_@+").find(c) != std::string_view::npos;
}

// Names that Windows keeps for devices, whatever ending follows ("Naming Files, Paths, and
// Namespaces").
bool is_device(std::string_view name) {
  std::string base(name.substr(0, name.find('.')));
  std::transform(base.begin(), base.end(), base.begin(), lower);
  constexpr std::array<std::string_view, 4> kDevices = {"con", "prn", "aux", "nul"};
  const bool numbered = base.size() == 4 && (base.starts_with("com") || base.starts_with("lpt")) &&
                        base[3] >= '0' && base[3] <= '9';
  return numbered || std::find(kDevices.begin(), kDevices.end(), base) != kDevices.end();
}

// `~11` of Ada Lovelace: bytes 0 and 4 are capitals. Empty: none is.
std::string capitals_of(std::string_view name) {
  std::string digits;  // of four bytes each, the last first
  for (std::size_t from = 0; from < name.size(); from += 4) {
    unsigned bits = 0;
    for (std::size_t i = from; i < std::min(from + 4, name.size()); ++i) {
      if (is_capital(name[i])) bits |= 1U << (i - from);
    }
    digits.insert(digits.begin(), "0123456789abcdef"[bits]);
  }
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string::npos ? std::string() : kCapitals + digits.substr(first);
}

std::string decoded(std::string_view stem) {
  constexpr int kHex = 16;
  std::string name;
  for (std::size_t at = 0; at < stem.size(); ++at) {
    unsigned char byte = 0;
    const char* digits = stem.data() + at + 1;
    const bool coded = stem[at] == '%' && stem.size() - at > 2 &&
                       std::from_chars(digits, digits + 2, byte, kHex).ptr == digits + 2;
    name += coded ? static_cast<char>(byte) : stem[at];
    if (coded) at += 2;
  }
  return name;
}

}  // namespace

std::string file_name_of(const std::string& student) {
  const bool misread = student.starts_with('.') || student.starts_with('-') || is_device(student);
  std::string name;
  for (std::size_t i = 0; i < student.size(); ++i) {
    const bool plain = is_plain(student[i]) && !(misread && i == 0);
    name += plain ? std::string(1, student[i])
                  : fmt::format("%{:02X}", static_cast<unsigned char>(student[i]));
  }
  name += capitals_of(student);
  if (name.size() <= kLongest) return name;
  return name.substr(0, kKept) + kCapitals + sha256_hex(student);
}

std::string named_by_file(const std::string& stem) {
  std::string name = decoded(std::string_view(stem).substr(0, stem.rfind(kCapitals)));
  const bool fit = std::none_of(name.begin(), name.end(),
                                [](unsigned char c) { return c == '/' || c < 0x20 || c == 0x7f; });
  return fit && file_name_of(name) == stem ? name : stem;
}

}  // namespace lab::grade
