// Each access and region is held against warps that are walked lane by lane.
#include "harness/formula/functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "harness/core/error.h"
#include "harness/formula/parse.h"

namespace lab::language {
namespace {

using Numbers = std::map<std::string, std::int64_t>;

/// What a launch's accesses cost, counted. An instruction is given by where its lanes begin.
struct Counted {
  std::int64_t bytes_each = 4;
  std::int64_t requests = 0;
  std::int64_t sectors = 0;
  std::int64_t lines = 0;
  std::int64_t bytes = 0;

  void request(const std::vector<std::int64_t>& elements) {
    std::set<std::int64_t> touched;  // bytes
    for (const std::int64_t element : elements) {
      for (std::int64_t b = 0; b < bytes_each; ++b) touched.insert(element * bytes_each + b);
    }
    if (touched.empty()) return;
    ++requests;
    sectors += units(touched, 32);
    lines += units(touched, 128);
    bytes += static_cast<std::int64_t>(touched.size());
  }

  static std::int64_t units(const std::set<std::int64_t>& touched, std::int64_t unit) {
    std::set<std::int64_t> found;
    for (const std::int64_t byte : touched) found.insert(byte / unit);
    return static_cast<std::int64_t>(found.size());
  }
};

FormulaNames names_of(const Numbers& numbers) {
  FormulaNames names;
  for (const auto& [name, value] : numbers) names[name] = static_cast<double>(value);
  return names;
}

Value value_of(const std::string& text) {
  return parse_value(text, [](const std::string& name) { return Value(Expr(name)); });
}

void expect_cost(const std::string& text, const Numbers& numbers, const Counted& counted) {
  const Access access = access_of(value_of(text));
  const FormulaNames names = names_of(numbers);
  std::string where = text;
  for (const auto& [name, value] : numbers) where += " " + name + "=" + std::to_string(value);
  EXPECT_EQ(access.requests.value(names), static_cast<double>(counted.requests)) << where;
  EXPECT_EQ(access.sectors.value(names), static_cast<double>(counted.sectors)) << where;
  EXPECT_EQ(access.bytes.value(names), static_cast<double>(counted.bytes)) << where;
  ASSERT_TRUE(access.lines) << where;
  EXPECT_EQ(access.lines->value(names), static_cast<double>(counted.lines)) << where;
}

/// Threads 0 to n - 1 in warps of 32, each at the element that `at` says.
template <typename At>
Counted walked(std::int64_t n, std::int64_t bytes, At at) {
  Counted counted{bytes};
  for (std::int64_t first = 0; first < n; first += 32) {
    std::vector<std::int64_t> elements;
    for (std::int64_t i = first; i < std::min(first + 32, n); ++i) elements.push_back(at(i));
    counted.request(elements);
  }
  return counted;
}

class Draw {
 public:
  std::int64_t operator()(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  std::int64_t width() { return std::int64_t{1} << (*this)(0, 4); }  // 1, 2, 4, 8, 16 bytes

 private:
  std::mt19937_64 random_{20261123};
};

constexpr int kRounds = 100;

TEST(Accesses, NeighboursInOrder) {
  Draw draw;
  for (int round = 0; round < kRounds; ++round) {
    const std::int64_t n = draw(1, 300);
    const std::int64_t b = draw.width();
    const Counted counted = walked(n, b, [](std::int64_t i) { return i; });
    expect_cost("in_order(n, b)", {{"n", n}, {"b", b}}, counted);
    // A constant width has a formula of its own.
    expect_cost("in_order(n, " + std::to_string(b) + ")", {{"n", n}}, counted);
  }
}

TEST(Accesses, AtAStrideFromAFirstElement) {
  Draw draw;
  for (int round = 0; round < kRounds; ++round) {
    const std::int64_t n = draw(1, 300);
    const std::int64_t s = draw(0, 40);
    const std::int64_t b = draw.width();
    const std::int64_t first = draw(0, 40);
    const Counted counted = walked(n, b, [&](std::int64_t i) { return first + i * s; });
    expect_cost("strided(n, s, b, first)", {{"n", n}, {"s", s}, {"b", b}, {"first", first}},
                counted);
  }
}

TEST(Accesses, AlongRowsAndDownColumns) {
  Draw draw;
  for (int round = 0; round < kRounds; ++round) {
    const std::int64_t r = draw(1, 70);
    const std::int64_t c = draw(1, 70);
    const std::int64_t b = draw.width();
    Counted rows{b};
    Counted columns{b};
    for (std::int64_t y = 0; y < r; ++y) {
      for (std::int64_t x = 0; x < c; x += 32) {
        std::vector<std::int64_t> lanes;
        for (std::int64_t i = x; i < std::min(x + 32, c); ++i) lanes.push_back(y * c + i);
        rows.request(lanes);
      }
    }
    for (std::int64_t x = 0; x < c; ++x) {
      for (std::int64_t y = 0; y < r; y += 32) {
        std::vector<std::int64_t> lanes;
        for (std::int64_t i = y; i < std::min(y + 32, r); ++i) lanes.push_back(i * c + x);
        columns.request(lanes);
      }
    }
    const Numbers numbers = {{"r", r}, {"c", c}, {"b", b}};
    expect_cost("along_rows(r, c, b)", numbers, rows);
    expect_cost("down_columns(r, c, b)", numbers, columns);
  }
}

// A warp takes `w` neighbours from each of `h` rows.
Counted grouped(std::int64_t r, std::int64_t c, std::int64_t h, std::int64_t w) {
  Counted counted{4};
  for (std::int64_t y = 0; y < r; y += h) {
    for (std::int64_t x = 0; x < c; x += w) {
      std::vector<std::int64_t> lanes;
      for (std::int64_t j = y; j < std::min(y + h, r); ++j) {
        for (std::int64_t i = x; i < std::min(x + w, c); ++i) lanes.push_back(j * c + i);
      }
      counted.request(lanes);
    }
  }
  return counted;
}

TEST(Accesses, GroupsOfRows) {
  Draw draw;
  for (int round = 0; round < kRounds; ++round) {
    const std::int64_t r = draw(1, 40);
    const std::int64_t c = draw(1, 70);
    expect_cost("in_pairs(r, c)", {{"r", r}, {"c", c}}, grouped(r, c, 2, 16));
    expect_cost("in_groups(r, c, 4, 8)", {{"r", r}, {"c", c}}, grouped(r, c, 4, 8));
    const std::int64_t w = std::int64_t{8} << draw(0, 2);
    expect_cost("in_groups(r, c, 32 / w, w)", {{"r", r}, {"c", c}, {"w", w}},
                grouped(r, c, 32 / w, w));
  }
}

TEST(Accesses, RunsThatLieApart) {
  Draw draw;
  constexpr std::int64_t kApart = 4096;  // elements: whole lines of any width
  for (int round = 0; round < kRounds; ++round) {
    const std::int64_t n = draw(1, 300);
    const std::int64_t run = std::int64_t{1} << draw(0, 5);
    const std::int64_t b = draw.width();
    const Counted counted =
        walked(n, b, [&](std::int64_t i) { return i / run * kApart + i % run; });
    expect_cost("scattered(n, run, b)", {{"n", n}, {"run", run}, {"b", b}}, counted);
  }
}

TEST(Accesses, OnePlaceIsOneSectorForAllLanes) {
  expect_cost("one_address(b)", {{"b", 4}}, walked(32, 4, [](std::int64_t) { return 7; }));
}

TEST(Accesses, AddUpAndAreChosen) {
  // Five times 4 sectors and one: n = 32 floats are 4 sectors.
  const Access sum = access_of(value_of("5 * in_order(n, 4) + one_address(4)"));
  EXPECT_EQ(sum.sectors.value({{"n", 32}}), 21);
  EXPECT_EQ(sum.requests.value({{"n", 32}}), 6);
  const Access chosen = access_of(value_of("if(n > 32, in_order(n, 4), one_address(4))"));
  EXPECT_EQ(chosen.sectors.value({{"n", 64}}), 8);
  EXPECT_EQ(chosen.sectors.value({{"n", 32}}), 1);
}

TEST(Regions, EachUnitOnce) {
  Draw draw;
  for (int round = 0; round < kRounds; ++round) {
    const std::int64_t n = draw(1, 300);
    const std::int64_t s = draw(1, 40);
    const std::int64_t b = draw.width();
    const std::int64_t first = draw(0, 40);
    std::set<std::int64_t> touched;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t k = 0; k < b; ++k) touched.insert((first + i * s) * b + k);
    }
    const Region region = region_of(value_of("spaced(n, s, b, first)"));
    const FormulaNames names = names_of({{"n", n}, {"s", s}, {"b", b}, {"first", first}});
    EXPECT_EQ(region.sectors.value(names), Counted::units(touched, 32))
        << n << " " << s << " " << b;
    EXPECT_EQ(region.blocks.value(names), Counted::units(touched, 64)) << n << " " << s << " " << b;
  }
}

TEST(Regions, ANumberIsSoManyBytesInOneRun) {
  const Region region = region_of(value_of("2 * run(100)"));
  EXPECT_EQ(region.sectors.value({}), 8);  // 100 bytes are in four sectors
  EXPECT_EQ(region.blocks.value({}), 4);   // and in two blocks of 64
  EXPECT_EQ(region_of(value_of("100")).sectors.value({}), 4);
}

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(value_of(text));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Values, OfDifferentKindsDoNotMix) {
  EXPECT_EQ(error_of("in_order(n, 4) + 1"), "a formula: an access and a number are not added");
  EXPECT_EQ(error_of("in_order(n, 4) * in_order(n, 4)"),
            "a formula: an access and an access are not multiplied");
  EXPECT_EQ(error_of("in_order(n, 4) / 2"), "a formula: an access is not a number");
  EXPECT_EQ(error_of("sectors(4)"), "a formula: a number is not an access");
  EXPECT_EQ(error_of("if(n, run(4), 4)"),
            "a formula: a region and a number are not two ends of one 'if'");
}

TEST(Functions, AllHaveAMeaningAndTakeWhatTheySay) {
  for (const Function& function : functions()) {
    EXPECT_FALSE(function.meaning.empty()) << function.name;
    const std::string listed(function.parameters);
    const auto commas = static_cast<std::size_t>(std::count(listed.begin(), listed.end(), ','));
    EXPECT_EQ(commas + 1, function.most) << function.name;
    EXPECT_EQ(find_function(function.name), &function);
  }
}

}  // namespace
}  // namespace lab::language
