#include "harness/box/worker/frame_check.h"

#include <fmt/format.h>

#include <array>

#include "harness/core/error.h"

namespace lab::worker {
namespace {

[[noreturn]] void refuse(const char* why) {
  throw internal_error(fmt::format("a worker's message cannot be read: {}", why));
}

// RFC 8949, section 3: the first three bits of a value say what it is.
enum Major : unsigned {
  kUnsigned = 0,
  kNegative = 1,
  kBytes = 2,
  kText = 3,
  kArray = 4,
  kMap = 5,
  kTag = 6,
  kSimple = 7
};

struct Head {
  unsigned major = 0;
  unsigned info = 0;
  std::uint64_t number = 0;
};

class Checker {
 public:
  explicit Checker(const Frame& frame) : frame_(frame) {}

  void run() {
    do {
      take_value();
      while (depth_ > 0 && left_[depth_ - 1] == 0) --depth_;
    } while (depth_ > 0);
    if (at_ != frame_.size()) refuse("bytes follow it");
  }

 private:
  // The numbers 24 to 27 announce one in the next 1, 2, 4 or 8 bytes, the highest first.
  Head take_head() {
    if (at_ == frame_.size()) refuse("it is cut off");
    const unsigned first = frame_[at_++];
    Head head{first >> 5U, first & 31U, first & 31U};
    if (head.info > 27) refuse("a length is left open");
    if (head.info < 24) return head;
    const std::size_t bytes = std::size_t{1} << (head.info - 24);
    if (frame_.size() - at_ < bytes) refuse("it is cut off");
    head.number = 0;
    for (std::size_t i = 0; i < bytes; ++i) head.number = head.number << 8U | frame_[at_++];
    return head;
  }

  void take_value() {
    if (++values_ > kMostValues) refuse("it has too many values");
    if (depth_ > 0) --left_[depth_ - 1];
    const Head head = take_head();
    const std::uint64_t rest = frame_.size() - at_;
    if (head.major == kBytes || head.major == kText) {
      if (head.number > rest) refuse("it is cut off");
      at_ += static_cast<std::size_t>(head.number);
    } else if (head.major == kArray || head.major == kMap) {
      const std::uint64_t each = head.major == kMap ? 2 : 1;
      // Each value takes at least a byte.
      if (head.number > rest / each) refuse("it is cut off");
      if (depth_ == kMostDepth) refuse("it is nested too deeply");
      left_[depth_++] = head.number * each;
    } else if (head.major == kTag) {
      refuse("it has a tag");
    } else if (head.major == kSimple && (head.info < 20 || (head.info > 22 && head.info < 25))) {
      refuse(
          "it has a value of no known kind");  // known: false, true, null, floats of 2 to 8 bytes
    }
  }

  const Frame& frame_;
  std::size_t at_ = 0;
  std::uint64_t values_ = 0;
  std::array<std::uint64_t, kMostDepth> left_{};  // values to come, at each depth
  std::size_t depth_ = 0;
};

}  // namespace

void check_frame(const Frame& frame) { Checker(frame).run(); }

}  // namespace lab::worker
