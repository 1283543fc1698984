#include "harness/model/instructions/builtin.h"

#include <gtest/gtest.h>

#include <cstring>

namespace lab::model {
namespace {

/// Arguments as the compiler lays them out.
class Packed {
 public:
  template <typename T>
  Packed& add(T value) {
    bytes_.resize((bytes_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::string print(const std::string& format, const Packed& arguments) {
  return format_device(format, arguments.bytes(),
                       [](std::uint64_t at) { return at == 16 ? "text" : "?"; });
}

TEST(Format, NumbersOfAllWidths) {
  EXPECT_EQ(print("%d %u %x", Packed().add(-5).add(7U).add(255U)), "-5 7 ff");
  EXPECT_EQ(print("%lld %lu", Packed().add(std::int64_t{-1} << 40U).add(std::uint64_t{1} << 40U)),
            "-1099511627776 1099511627776");
  EXPECT_EQ(print("%c%c", Packed().add(int{'o'}).add(int{'k'})), "ok");
}

TEST(Format, DoublesAreAlignedAfterIntegers) {
  EXPECT_EQ(print("%d %.2f %5d|%-5d|", Packed().add(1).add(2.5).add(3).add(4)),
            "1 2.50     3|4    |");
}

TEST(Format, StringsAreReadWhereTheyLie) {
  EXPECT_EQ(print("[%s] %p", Packed().add(std::uint64_t{16}).add(std::uint64_t{32})),
            "[text] 0x20");
}

TEST(Format, PercentSignsAndMissingArgumentsStand) {
  EXPECT_EQ(print("100%% %d", Packed()), "100% %d");
  EXPECT_EQ(print("%q", Packed().add(1)), "%q");
  EXPECT_EQ(print("%", Packed()), "%");
}

// snprintf would fill or allocate two gigabytes for each.
TEST(Format, HugeWidthsStand) {
  EXPECT_EQ(print("%2147483647d", Packed().add(1)), "%2147483647d");
  EXPECT_EQ(print("%.2147483646f", Packed().add(1.0)), "%.2147483646f");
  EXPECT_EQ(print("%999d", Packed().add(1)).size(), 999U);
}

}  // namespace
}  // namespace lab::model
