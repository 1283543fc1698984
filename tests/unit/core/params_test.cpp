#include "harness/core/params.h"

#include <gtest/gtest.h>

#include "harness/core/error.h"

namespace lab {
namespace {

const ParamSpec kStride{"stride", "words between lanes", std::int64_t{1}, 0, 128, {}};
const ParamSpec kType{"type", "element", std::string("float"), 0, 0, {"float", "double"}};

std::vector<std::int64_t> numbers(const std::string& text) {
  std::vector<std::int64_t> out;
  for (const ParamValue& value : parse_sweep(kStride, text)) {
    out.push_back(std::get<std::int64_t>(value));
  }
  return out;
}

std::string error_of(const ParamSpec& spec, const std::string& text) {
  try {
    (void)parse_sweep(spec, text);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kInput);
    return render(error);
  }
  return "no error";
}

using Numbers = std::vector<std::int64_t>;

TEST(Sweep, ReadsEveryForm) {
  EXPECT_EQ(numbers("3"), (Numbers{3}));
  EXPECT_EQ(numbers("1,2,4"), (Numbers{1, 2, 4}));
  EXPECT_EQ(numbers("1..5"), (Numbers{1, 2, 3, 4, 5}));
  EXPECT_EQ(numbers("1..32*2"), (Numbers{1, 2, 4, 8, 16, 32}));
  EXPECT_EQ(numbers("0..40+16"), (Numbers{0, 16, 32}));
  EXPECT_EQ(numbers("7,0..2,128"), (Numbers{7, 0, 1, 2, 128}));
  EXPECT_EQ(numbers("2^0,2^3..11^2*4"), (Numbers{1, 8, 32}));  // 128 lies beyond 121
  EXPECT_EQ(numbers("1..31*2"), (Numbers{1, 2, 4, 8, 16}));    // 32 lies beyond 31
}

TEST(Sweep, ReadsChoices) {
  const auto values = parse_sweep(kType, "double,float");
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(std::get<std::string>(values[0]), "double");
}

TEST(Sweep, TakesOnlyTheNumbersThatThereAre) {
  const ParamSpec bytes{"bytes", "of a lane", std::int64_t{4}, 1, 16, {}, {1, 2, 4, 8, 16}};
  EXPECT_EQ(parse_sweep(bytes, "1..16*2").size(), 5U);
  EXPECT_EQ(error_of(bytes, "4,3"),
            "error: parameter 'bytes': 3 is not one of its values\n"
            "  bytes=4,3\n"
            "          ^\n"
            "hint: it is one of 1, 2, 4, 8, 16\n");
}

TEST(Sweep, SaysWhereItIsWrong) {
  EXPECT_EQ(error_of(kStride, "1,x"),
            "error: parameter 'stride': not a whole number\n"
            "  stride=1,x\n"
            "           ^\n"
            "hint: write 3, 1,2,4, 2^20, 1..32, 1..32*2 or 0..128+16\n");
  EXPECT_EQ(error_of(kStride, "129"),
            "error: parameter 'stride': 129 is out of range\n"
            "  stride=129\n"
            "         ^\n"
            "hint: it goes from 0 to 128\n");
  EXPECT_EQ(error_of(kType, "flaot"),
            "error: parameter 'type': 'flaot' is not one of its values\n"
            "  type=flaot\n"
            "       ^\n"
            "hint: did you mean 'float'?\n");
}

TEST(Sweep, APowerThatNoNumberHoldsIsRefused) {
  for (const char* text : {"2^63", "3^40", "2^-1", "1^9999999999"}) {
    EXPECT_NE(error_of(kStride, text).find("number too large"), std::string::npos) << text;
  }
  EXPECT_NE(error_of(kStride, "2^").find("not a whole number"), std::string::npos);
}

TEST(Sweep, RefusesWhatWouldNeverEnd) {
  EXPECT_NE(error_of(kStride, "1..32*1").find("factor of 2 or more"), std::string::npos);
  EXPECT_NE(error_of(kStride, "0..32*2").find("factor of 2 or more"), std::string::npos);
  EXPECT_NE(error_of(kStride, "0..32+0").find("less than 1"), std::string::npos);
  EXPECT_NE(error_of(kStride, "5..1").find("ends before it begins"), std::string::npos);
  const ParamSpec wide{"n", "", std::int64_t{0}, 0, INT64_MAX, {}};
  EXPECT_NE(error_of(wide, "0..9223372036854775807").find("more than 100000"), std::string::npos);
  EXPECT_NE(error_of(wide, "99999999999999999999").find("too large"), std::string::npos);
}

TEST(Sweep, StopsShortOfOverflow) {
  const ParamSpec wide{"n", "", std::int64_t{0}, 0, INT64_MAX, {}};
  // 2^62 is the last power below 2^63 - 1: 63 values from 2^0.
  EXPECT_EQ(parse_sweep(wide, "1..9223372036854775807*2").size(), 63U);
}

TEST(Sweep, RefusesEmptyParts) {
  for (const char* text : {"", ",", "1,", ",1", "1..", "..", "1 2", "1..2..3"}) {
    EXPECT_NE(error_of(kStride, text), "no error") << text;
  }
}

TEST(Params, CanonicalJsonSortsKeys) {
  Params params;
  params.set("z", std::int64_t{-1});
  params.set("a", std::string("x\"y"));
  EXPECT_EQ(params.json(), R"({"a":"x\"y","z":-1})");
  EXPECT_EQ(params.text(), "a=x\"y z=-1");
  EXPECT_EQ(Params{}.json(), "{}");
}

TEST(Params, ProductVariesTheLastAxisFastest) {
  const auto points = product({{"a", integers(1, 2)}, {"b", integers(5, 6)}});
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points[1].text(), "a=1 b=6");
  EXPECT_EQ(points[2].text(), "a=2 b=5");
}

TEST(Params, AskingForAnUnknownOneIsOurFault) {
  EXPECT_THROW((void)Params{}.number("n"), Error);
  EXPECT_THROW((void)Params{}.choice("n"), Error);
}

// A text is one value, commas and all, and its own check says what is wrong with it.
TEST(Sweep, ATextIsOneValue) {
  ParamSpec spec{"word", "a text", std::string("a")};
  spec.accepts = [](std::string_view text) {
    if (text == "bad") throw input_error("bad is not accepted");
  };
  const auto values = parse_sweep(spec, "1,2 x");
  ASSERT_EQ(values.size(), 1U);
  EXPECT_EQ(to_text(values.front()), "1,2 x");
  EXPECT_THROW((void)parse_sweep(spec, "bad"), Error);
  EXPECT_THROW((void)parse_sweep(spec, ""), Error);
}

}  // namespace
}  // namespace lab
