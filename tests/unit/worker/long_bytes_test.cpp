// Frames whose long byte strings are cut out. The bytes of CBOR are those of RFC 8949, appendix A.
#include "harness/box/worker/long_bytes.h"

#include <gtest/gtest.h>

#include <numeric>

namespace lab::worker {
namespace {

// 5000 bytes with their head: 0x59 says that a length of two bytes follows, 0x1388.
Frame long_string() {
  Frame frame(5000);
  std::iota(frame.begin(), frame.end(), std::uint8_t{0});
  frame.insert(frame.begin(), {0x59, 0x13, 0x88});
  return frame;
}

TEST(LongBytes, AreCutOutAndTheRestStays) {
  // [1, h'0102', <5000 bytes>, "IETF", h'', {"a": <5000 bytes>}]
  Frame frame = {0x86, 0x01, 0x42, 0x01, 0x02};
  const Frame bytes = long_string();
  frame.insert(frame.end(), bytes.begin(), bytes.end());
  const Frame between = {0x64, 0x49, 0x45, 0x54, 0x46, 0x40, 0xa1, 0x61, 0x61};
  frame.insert(frame.end(), between.begin(), between.end());
  frame.insert(frame.end(), bytes.begin(), bytes.end());
  const LongBytes cut = without_long_bytes(frame);
  EXPECT_EQ(cut.frame, (Frame{0x86, 0x01, 0x42, 0x01, 0x02, 0x40, 0x64, 0x49, 0x45, 0x54, 0x46,
                              0x40, 0xa1, 0x61, 0x61, 0x40}));
  ASSERT_EQ(cut.strings.size(), 3U);
  EXPECT_TRUE(
      std::equal(cut.strings[0].begin(), cut.strings[0].end(), bytes.begin() + 3, bytes.end()));
  EXPECT_TRUE(cut.strings[1].empty()) << "an empty one has its place, too";
  EXPECT_EQ(cut.strings[2].data(), frame.data() + frame.size() - 5000);
}

TEST(LongBytes, WhatIsNoCborStaysAsItIs) {
  for (Frame frame : {Frame{}, Frame{0x5b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1},
                      Frame{0x9f, 0x9f, 0x01}, Frame{0x59, 0x13}, Frame{0x82, 0x01, 0x59}}) {
    const LongBytes cut = without_long_bytes(frame);
    EXPECT_EQ(cut.frame, frame);
    EXPECT_TRUE(cut.strings.empty());
  }
}

}  // namespace
}  // namespace lab::worker
