#include "harness/box/worker/long_bytes.h"

#include <cstddef>

namespace lab::worker {
namespace {

// RFC 8949, section 3: the first three bits of a value say what it is, the others its length, or
// where the length is.
constexpr unsigned kByteString = 2;
constexpr unsigned kTextString = 3;
constexpr unsigned kInOneByte = 24;
constexpr unsigned kInEightBytes = 27;
constexpr std::uint8_t kEmptyByteString = kByteString << 5U;

// Shorter ones cost less than cutting them out.
constexpr std::uint64_t kLong = 4096;

// The bytes of a head, 0 where there is none at `at`, and the number in it.
std::size_t head_at(const Frame& frame, std::size_t at, std::uint64_t& number) {
  const unsigned info = frame[at] & 31U;
  number = info;
  if (info < kInOneByte) return 1;
  if (info > kInEightBytes) return 0;
  const std::size_t bytes = std::size_t{1} << (info - kInOneByte);
  if (frame.size() - at <= bytes) return 0;
  number = 0;
  for (std::size_t i = 1; i <= bytes; ++i) number = number << 8U | frame[at + i];
  return 1 + bytes;
}

}  // namespace

// Values follow each other, those in an array behind its head: no depth need be known.
LongBytes without_long_bytes(const Frame& frame) {
  LongBytes made;
  std::size_t done = 0;
  for (std::size_t at = 0; at < frame.size();) {
    std::uint64_t number = 0;
    const std::size_t head = head_at(frame, at, number);
    if (head == 0) break;
    const unsigned major = frame[at] >> 5U;
    const std::size_t begin = at + head;
    at = begin;
    if (major != kByteString && major != kTextString) continue;
    if (number > frame.size() - begin) break;
    at += static_cast<std::size_t>(number);
    if (major == kTextString || (number > 0 && number < kLong)) continue;
    made.frame.insert(made.frame.end(), frame.begin() + static_cast<std::ptrdiff_t>(done),
                      frame.begin() + static_cast<std::ptrdiff_t>(begin - head));
    made.frame.push_back(kEmptyByteString);
    made.strings.emplace_back(frame.data() + begin, static_cast<std::size_t>(number));
    done = at;
  }
  made.frame.insert(made.frame.end(), frame.begin() + static_cast<std::ptrdiff_t>(done),
                    frame.end());
  return made;
}

}  // namespace lab::worker
