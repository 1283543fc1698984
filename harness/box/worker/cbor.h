// CBOR (RFC 8949) as messages need it, written and read in place: whole values of definite length,
// no tags, no tree between a frame and a record.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "harness/box/worker/channel.h"

namespace lab::worker {

/// What a value is, in the first three bits of its head (RFC 8949, section 3).
enum class Major : std::uint8_t {
  kUnsigned,
  kNegative,
  kBytes,
  kText,
  kArray,
  kMap,
  kTag,
  kSimple,
};

/// Appends values to a frame, or only counts the bytes that they take.
class CborWriter {
 public:
  CborWriter() = default;
  explicit CborWriter(Frame& frame) : frame_(&frame) {}

  [[nodiscard]] std::size_t size() const { return size_; }

  /// A value's head with its number: the value itself, its length, or how many follow.
  void head(Major major, std::uint64_t number);
  void whole(std::int64_t value);
  void whole(std::uint64_t value) { head(Major::kUnsigned, value); }
  void real(double value);
  void truth(bool value);
  void null();
  void string(Major major, const void* bytes, std::size_t size);

 private:
  void put(const void* bytes, std::size_t size);

  Frame* frame_ = nullptr;
  std::size_t size_ = 0;
};

/// Takes values from a frame that a process may have sent that was taken over: whatever the bytes
/// are, it reads none beyond them, and asks for no memory that they do not fill. All throw an
/// internal error where the frame has another value than is asked for, or none.
class CborReader {
 public:
  /// Values in one frame, those inside others counted too. Each takes some 100 bytes once it is
  /// read: 2^24 are 1.6 GiB. The largest message there is, a trace of 32,768 instructions with 32
  /// addresses each (AccessTrace), has 2 million.
  static constexpr std::uint64_t kMostValues = 1ULL << 24U;

  explicit CborReader(const Frame& frame) : rest_(frame) {}

  /// How many values follow: of a list, or pairs of a map. No more than bytes are left.
  [[nodiscard]] std::size_t count(Major major);
  /// Just so many follow.
  void expect(Major major, std::size_t count);
  [[nodiscard]] std::span<const std::uint8_t> string(Major major);
  [[nodiscard]] double real();
  [[nodiscard]] bool truth();
  /// Takes a null where one is next.
  [[nodiscard]] bool took_null();
  /// A number beyond what T holds is not rounded to one that was not sent.
  template <std::integral T>
  [[nodiscard]] T whole() {
    const Head one = take();
    // -1 - number, which is the complement.
    const auto below = static_cast<std::int64_t>(~one.number);
    const bool negative = one.major == Major::kNegative && below < 0 && std::in_range<T>(below);
    const bool fits = negative || (one.major == Major::kUnsigned && std::in_range<T>(one.number));
    if (!fits) refuse("another number than belongs there");
    return negative ? static_cast<T>(below) : static_cast<T>(one.number);
  }
  /// Nothing may follow the last value.
  void end() const;

  [[noreturn]] static void refuse(const char* why);

 private:
  struct Head {
    Major major = Major::kUnsigned;
    unsigned info = 0;  ///< the head's last five bits
    std::uint64_t number = 0;
  };
  Head take();
  Head take(Major major);

  std::span<const std::uint8_t> rest_;
  std::uint64_t values_ = 0;
};

}  // namespace lab::worker
