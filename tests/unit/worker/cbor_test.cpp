// Values as RFC 8949 writes them (its appendix A), and frames that a worker must not get away with.
#include "harness/box/worker/cbor.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "harness/core/error.h"

namespace lab::worker {
namespace {

template <typename Write>
Frame written(const Write& write) {
  Frame frame;
  CborWriter writer(frame);
  write(writer);
  EXPECT_EQ(writer.size(), frame.size());
  CborWriter counted;
  write(counted);
  EXPECT_EQ(counted.size(), frame.size());
  return frame;
}

Frame whole(std::int64_t value) {
  return written([=](CborWriter& to) { to.whole(value); });
}

TEST(Cbor, WritesAsTheRfcDoes) {
  EXPECT_EQ(whole(0), (Frame{0x00}));
  EXPECT_EQ(whole(23), (Frame{0x17}));
  EXPECT_EQ(whole(24), (Frame{0x18, 0x18}));
  EXPECT_EQ(whole(1000), (Frame{0x19, 0x03, 0xe8}));
  EXPECT_EQ(whole(1000000), (Frame{0x1a, 0x00, 0x0f, 0x42, 0x40}));
  EXPECT_EQ(whole(1000000000000), (Frame{0x1b, 0, 0, 0, 0xe8, 0xd4, 0xa5, 0x10, 0x00}));
  EXPECT_EQ(whole(-1), (Frame{0x20}));
  EXPECT_EQ(whole(-1000), (Frame{0x39, 0x03, 0xe7}));
  EXPECT_EQ(written([](CborWriter& to) { to.whole(std::uint64_t{18446744073709551615ULL}); }),
            (Frame{0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}));
  EXPECT_EQ(written([](CborWriter& to) { to.real(1.1); }),
            (Frame{0xfb, 0x3f, 0xf1, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9a}));
  EXPECT_EQ(written([](CborWriter& to) { to.truth(false); }), (Frame{0xf4}));
  EXPECT_EQ(written([](CborWriter& to) { to.truth(true); }), (Frame{0xf5}));
  EXPECT_EQ(written([](CborWriter& to) { to.null(); }), (Frame{0xf6}));
  EXPECT_EQ(written([](CborWriter& to) { to.string(Major::kText, "IETF", 4); }),
            (Frame{0x64, 0x49, 0x45, 0x54, 0x46}));
  EXPECT_EQ(written([](CborWriter& to) { to.head(Major::kArray, 25); }), (Frame{0x98, 0x19}));
}

TEST(Cbor, WholeNumbersComeBack) {
  for (const std::int64_t value :
       {std::numeric_limits<std::int64_t>::min(), std::int64_t{-25}, std::int64_t{-1},
        std::int64_t{0}, std::int64_t{255}, std::numeric_limits<std::int64_t>::max()}) {
    const Frame frame = whole(value);
    CborReader reader(frame);
    EXPECT_EQ(reader.whole<std::int64_t>(), value);
    reader.end();
  }
}

std::string why_not(const Frame& frame, const std::function<void(CborReader&)>& read) {
  try {
    CborReader reader(frame);
    read(reader);
    reader.end();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kInternal);
    return error.what();
  }
  return {};
}

TEST(Cbor, RefusesWhatIsNotThere) {
  const std::string cannot = "a worker's message cannot be read: ";
  const auto list = [](CborReader& from) { (void)from.count(Major::kArray); };
  const auto bytes = [](CborReader& from) { (void)from.string(Major::kBytes); };
  const auto byte = [](CborReader& from) { (void)from.whole<std::uint8_t>(); };
  EXPECT_EQ(why_not({0x9f}, list), cannot + "a length is left open");
  EXPECT_EQ(why_not({0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, list),
            cannot + "it is cut off");
  EXPECT_EQ(why_not({0x5a, 0xff, 0xff, 0xff, 0xff, 1}, bytes), cannot + "it is cut off");
  EXPECT_EQ(why_not({0x59, 0x13}, bytes), cannot + "it is cut off");
  EXPECT_EQ(why_not({0xc1, 0}, byte), cannot + "another number than belongs there");  // a tag
  EXPECT_EQ(why_not({0x64, 0x49, 0x45, 0x54, 0x46}, bytes),
            cannot + "another value than belongs there");
  EXPECT_EQ(why_not({0xf9, 0x3c, 0x00}, [](CborReader& from) { (void)from.real(); }),
            cannot + "another value than belongs there");  // 1.0 in two bytes
  EXPECT_EQ(why_not({0xf6}, [](CborReader& from) { (void)from.truth(); }),
            cannot + "another value than belongs there");
  EXPECT_EQ(why_not({0x19, 0x01, 0x00}, byte),
            cannot + "another number than belongs there");                         // 256
  EXPECT_EQ(why_not({0x20}, byte), cannot + "another number than belongs there");  // -1
  // -2^64, below what 64 bits hold.
  EXPECT_EQ(why_not({0x3b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
                    [](CborReader& from) { (void)from.whole<std::int64_t>(); }),
            cannot + "another number than belongs there");
  EXPECT_EQ(why_not({0, 0}, byte), cannot + "bytes follow it");
  EXPECT_EQ(why_not({}, byte), cannot + "it is cut off");
  EXPECT_EQ(why_not({0x81, 0},
                    [&](CborReader& from) {
                      list(from);
                      byte(from);
                    }),
            "");
}

TEST(Cbor, CountsItsValues) {
  const Frame zeros(CborReader::kMostValues + 1, 0);
  CborReader reader(zeros);
  for (std::uint64_t i = 0; i < CborReader::kMostValues; ++i) (void)reader.whole<int>();
  EXPECT_THROW((void)reader.whole<int>(), Error);
}

}  // namespace
}  // namespace lab::worker
