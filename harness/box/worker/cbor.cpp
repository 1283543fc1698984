#include "harness/box/worker/cbor.h"

#include <fmt/format.h>

#include <bit>
#include <limits>

#include "harness/core/error.h"

namespace lab::worker {
namespace {

// A head's last five bits may announce a number in the next 1, 2, 4 or 8 bytes, the highest first.
constexpr unsigned kInOneByte = 24;
constexpr unsigned kInEightBytes = 27;
// Simple values.
constexpr unsigned kFalse = 20;
constexpr unsigned kTrue = 21;
constexpr unsigned kNull = 22;

constexpr std::uint8_t first_byte(Major major, unsigned info) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(major) << 5U | info);
}

}  // namespace

void CborWriter::put(const void* bytes, std::size_t size) {
  size_ += size;
  const auto* begin = static_cast<const std::uint8_t*>(bytes);
  if (frame_ != nullptr && size > 0) frame_->insert(frame_->end(), begin, begin + size);
}

void CborWriter::head(Major major, std::uint64_t number) {
  std::uint8_t bytes[9] = {};
  unsigned info = static_cast<unsigned>(number);
  std::size_t width = 0;
  if (number >= kInOneByte) {
    info = kInOneByte;
    width = 1;
    while (width < 8 && number >> (8 * width) != 0) {
      width *= 2;
      ++info;
    }
  }
  bytes[0] = first_byte(major, info);
  for (std::size_t i = 0; i < width; ++i) {
    bytes[width - i] = static_cast<std::uint8_t>(number >> (8 * i));
  }
  put(bytes, 1 + width);
}

void CborWriter::whole(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  head(value < 0 ? Major::kNegative : Major::kUnsigned, value < 0 ? ~bits : bits);
}

void CborWriter::real(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  std::uint8_t bytes[9] = {first_byte(Major::kSimple, kInEightBytes)};
  for (std::size_t i = 0; i < 8; ++i) bytes[8 - i] = static_cast<std::uint8_t>(bits >> (8 * i));
  put(bytes, sizeof bytes);
}

void CborWriter::truth(bool value) { head(Major::kSimple, value ? kTrue : kFalse); }
void CborWriter::null() { head(Major::kSimple, kNull); }

void CborWriter::string(Major major, const void* bytes, std::size_t size) {
  head(major, size);
  put(bytes, size);
}

void CborReader::refuse(const char* why) {
  throw internal_error(fmt::format("a worker's message cannot be read: {}", why));
}

CborReader::Head CborReader::take() {
  if (++values_ > kMostValues) refuse("too many values");
  if (rest_.empty()) refuse("it is cut off");
  const unsigned first = rest_[0];
  Head head{static_cast<Major>(first >> 5U), first & 31U, first & 31U};
  rest_ = rest_.subspan(1);
  if (head.info > kInEightBytes) refuse("a length is left open");
  if (head.info < kInOneByte) return head;
  const std::size_t width = std::size_t{1} << (head.info - kInOneByte);
  if (rest_.size() < width) refuse("it is cut off");
  head.number = 0;
  for (const std::uint8_t byte : rest_.first(width)) head.number = head.number << 8U | byte;
  rest_ = rest_.subspan(width);
  return head;
}

CborReader::Head CborReader::take(Major major) {
  const Head head = take();
  if (head.major != major) refuse("another value than belongs there");
  return head;
}

std::size_t CborReader::count(Major major) {
  const std::uint64_t number = take(major).number;
  if (number > rest_.size()) refuse("it is cut off");  // each value takes at least a byte
  return static_cast<std::size_t>(number);
}

void CborReader::expect(Major major, std::size_t expected) {
  if (count(major) != expected) refuse("another value than belongs there");
}

std::span<const std::uint8_t> CborReader::string(Major major) {
  const std::size_t size = count(major);
  const auto bytes = rest_.first(size);
  rest_ = rest_.subspan(size);
  return bytes;
}

double CborReader::real() {
  const Head head = take(Major::kSimple);
  if (head.info != kInEightBytes) refuse("another value than belongs there");
  return std::bit_cast<double>(head.number);
}

bool CborReader::truth() {
  const Head head = take(Major::kSimple);
  if (head.info != kTrue && head.info != kFalse) refuse("another value than belongs there");
  return head.info == kTrue;
}

bool CborReader::took_null() {
  if (rest_.empty() || rest_[0] != first_byte(Major::kSimple, kNull)) return false;
  take();
  return true;
}

void CborReader::end() const {
  if (!rest_.empty()) refuse("bytes follow it");
}

}  // namespace lab::worker
