// Little-endian numbers from bytes that may be damaged: a read past the end gives 0 and is
// remembered, so that a reader can go on and ask once at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace lab::cubin {

using Bytes = std::span<const std::uint8_t>;

/// The part of `bytes` in [offset, offset + size), as far as it exists.
[[nodiscard]] inline Bytes slice(Bytes bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size()) return {};
  const std::size_t left = bytes.size() - static_cast<std::size_t>(offset);
  return bytes.subspan(static_cast<std::size_t>(offset),
                       size < left ? static_cast<std::size_t>(size) : left);
}

class Reader {
 public:
  explicit Reader(Bytes bytes, std::size_t at = 0) : bytes_(bytes), at_(at) {}

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] bool done() const { return !ok_ || at_ >= bytes_.size(); }

  std::uint64_t number(std::size_t size) {
    const Bytes part = take(size);
    std::uint64_t value = 0;
    for (std::size_t i = part.size(); i-- > 0;) value = value << 8 | part[i];
    return value;
  }
  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }

  /// LEB128 (DWARF 2, section 7.6); bits past the 64th are dropped.
  std::uint64_t uleb() { return leb(false); }
  std::int64_t sleb() { return static_cast<std::int64_t>(leb(true)); }

  /// Bytes up to a NUL, which is taken too.
  std::string_view text() {
    const std::size_t start = at_;
    while (at_ < bytes_.size() && bytes_[at_] != 0) ++at_;
    const Bytes part = bytes_.subspan(start, at_ - start);
    take(1);
    return {reinterpret_cast<const char*>(part.data()), part.size()};
  }

  Bytes take(std::uint64_t size) {
    if (!ok_ || size > bytes_.size() - at_) {
      ok_ = false;
      return {};
    }
    const Bytes part = bytes_.subspan(at_, static_cast<std::size_t>(size));
    at_ += static_cast<std::size_t>(size);
    return part;
  }

 private:
  std::uint64_t leb(bool is_signed) {
    std::uint64_t value = 0;
    unsigned shift = 0;
    std::uint8_t byte = 0x80;
    while (ok_ && (byte & 0x80U) != 0) {
      byte = u8();
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      shift = shift < 64 ? shift + 7 : shift;
    }
    if (is_signed && shift < 64 && (byte & 0x40U) != 0) value |= ~std::uint64_t{0} << shift;
    return value;
  }

  Bytes bytes_;
  std::size_t at_;
  bool ok_ = true;
};

}  // namespace lab::cubin
