#include "harness/model/instructions/builtin.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>

#include "harness/core/bits.h"

namespace lab::model {
namespace {

struct Conversion {
  std::string flags;  ///< with width and precision: "-8.3"
  bool is_long = false;
  bool too_wide = false;  ///< a width or precision of four digits and more
  char kind = 0;
  std::size_t end = 0;  ///< of the conversion in the format
};

// snprintf would fill, and for a precision allocate, a width of gigabytes.
constexpr std::size_t kMostDigits = 3;

std::size_t longest_number(std::string_view flags) {
  std::size_t longest = 0;
  std::size_t digits = 0;
  for (const char c : flags) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    longest = std::max(longest, digits);
  }
  return longest;
}

Conversion read_conversion(std::string_view format, std::size_t at) {
  Conversion c;
  std::size_t i = at + 1;
  while (i < format.size() && std::strchr("-+ #0123456789.", format[i]) != nullptr) {
    c.flags += format[i++];
  }
  c.too_wide = longest_number(c.flags) > kMostDigits;
  while (i < format.size() && std::strchr("hlLzjt", format[i]) != nullptr) {
    c.is_long = c.is_long || format[i] != 'h';
    ++i;
  }
  if (i < format.size()) c.kind = format[i++];
  c.end = i;
  return c;
}

class Arguments {
 public:
  explicit Arguments(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] bool take(std::size_t size, std::uint64_t& bits) {
    at_ = round_up(at_, size);
    if (at_ + size > bytes_.size()) return false;
    bits = 0;
    std::memcpy(&bits, bytes_.data() + at_, size);
    at_ += size;
    return true;
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

template <typename T>
std::string print(const std::string& spec, T value) {
  // The flags come from the kernel. What is long is cut, as the device's buffer would cut it.
  std::array<char, 1024> buffer{};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int length = std::snprintf(buffer.data(), buffer.size(), spec.c_str(), value);
#pragma GCC diagnostic pop
  if (length < 0) return {};
  return {buffer.data(),
          std::min<std::size_t>(static_cast<std::size_t>(length), buffer.size() - 1)};
}

std::string convert(const Conversion& c, std::uint64_t bits,
                    const std::function<std::string(std::uint64_t)>& string_at) {
  const std::string head = "%" + c.flags;
  switch (c.kind) {
    case 'd':
    case 'i': {
      const auto wide = static_cast<long long>(bits);
      const auto narrow = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
      return print<long long>(head + "ll" + c.kind, c.is_long ? wide : narrow);
    }
    case 'c':
      return print<int>(head + "c", static_cast<int>(bits));
    case 's':
      return print<const char*>(head + "s", string_at(bits).c_str());
    case 'p':
      return print<const void*>(head + "p", std::bit_cast<const void*>(bits));
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return print<unsigned long long>(head + "ll" + c.kind, bits);
    default: {
      double value = 0;
      std::memcpy(&value, &bits, sizeof value);
      return print<double>(head + c.kind, value);
    }
  }
}

/// Calls `text(part)` for what is printed as it is, and `value(conversion, size)` for each argument
/// of so many bytes; `value` returns false where there is none, and the conversion is text.
template <typename Text, typename Value>
void each_part(std::string_view format, Text text, Value value) {
  for (std::size_t i = 0; i < format.size();) {
    const bool doubled = format.substr(i, 2) == "%%";
    if (format[i] != '%' || doubled) {
      text(format.substr(i, 1));
      i += doubled ? 2 : 1;
      continue;
    }
    const Conversion c = read_conversion(format, i);
    const bool known =
        c.kind != 0 && !c.too_wide && std::strchr("diuxXocspfFeEgGaA", c.kind) != nullptr;
    const bool wide = c.is_long || std::strchr("spfFeEgGaA", c.kind) != nullptr;
    if (!known || !value(c, wide ? std::size_t{8} : std::size_t{4})) {
      text(format.substr(i, c.end - i));
    }
    i = c.end;
  }
}

}  // namespace

std::string format_device(std::string_view format, std::string_view arguments,
                          const std::function<std::string(std::uint64_t)>& string_at) {
  std::string out;
  Arguments left(arguments);
  each_part(
      format, [&](std::string_view text) { out += text; },
      [&](const Conversion& c, std::size_t size) {
        std::uint64_t bits = 0;
        const bool there = left.take(size, bits);
        if (there) out += convert(c, bits, string_at);
        return there;
      });
  return out;
}

std::uint64_t argument_bytes(std::string_view format) {
  std::uint64_t bytes = 0;
  each_part(
      format, [](std::string_view) {},
      [&](const Conversion&, std::size_t size) {
        bytes = round_up(bytes, size) + size;
        return true;
      });
  return bytes;
}

}  // namespace lab::model
