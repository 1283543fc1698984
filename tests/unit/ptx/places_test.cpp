// Which source line inlined code has: PTX ISA, ".loc", and what NVRTC writes.
#include "harness/kernel/ptx/places.h"

#include <gtest/gtest.h>

#include "tests/unit/ptx/support.h"

namespace lab::ptx {
namespace {

/// A kernel whose body is one instruction behind each of these .loc directives. File 1 is the
/// user's, 2 and 3 are headers.
Module located(const std::vector<std::string>& locs) {
  std::string body;
  for (const std::string& loc : locs) body += ".loc " + loc + "\nmov.b32 %r1, %r2;\n";
  return parse(kernel(body) +
                   ".file 1 \"/src/my.cu\"\n.file 2 \"/cuda/a.h\"\n"
                   ".file 3 \"/cuda/b.h\"\n",
               "x.ptx");
}

struct Line {
  std::string file;
  std::uint32_t line = 0;
};
std::vector<Line> lines_of(const Module& module, std::size_t count) {
  std::vector<Line> lines;
  for (std::size_t i = 0; i < count; ++i) {
    const Where& where = module.functions.at(0).instructions.at(i).where;
    lines.push_back({module.files.at(where.file), where.line});
  }
  return lines;
}
void expect_lines(const std::vector<std::string>& locs, const std::vector<Line>& want) {
  const std::vector<Line> got = lines_of(located(locs), locs.size());
  for (std::size_t i = 0; i < locs.size(); ++i) {
    EXPECT_EQ(got[i].file, want[i].file) << locs[i];
    EXPECT_EQ(got[i].line, want[i].line) << locs[i];
  }
}

const std::string kMine = "/src/my.cu";

TEST(Places, OfAHeadersCodeAreWhereTheKernelCallsIt) {
  // As NVRTC writes cooperative_groups' sync(): a.h calls b.h.
  expect_lines({"1 13 3", "2 489 9, function_name $L__info2, inlined_at 1 13 3",
                "3 87 13, function_name $L__info3, inlined_at 2 489 9", "1 14 3"},
               {{kMine, 13}, {kMine, 13}, {kMine, 13}, {kMine, 14}});
}

TEST(Places, OfOwnFunctionsAreWhereTheyWereWritten) {
  // twice() at line 4 is called by four() at line 7, that by the kernel at line 12.
  expect_lines({"1 12 3", "1 7 8, function_name $L__info0, inlined_at 1 12 3",
                "1 4 34, function_name $L__info1, inlined_at 1 7 8"},
               {{kMine, 12}, {kMine, 7}, {kMine, 4}});
}

TEST(Places, OfAHeaderBelowAnOwnFunctionAreInThatFunction) {
  // An own function given to a header's loop: my.cu:20 calls a.h:5, which calls the lambda at
  // my.cu:18, which calls b.h:9.
  expect_lines({"1 20 1", "2 5 2, function_name $L__info0, inlined_at 1 20 1",
                "1 18 7, function_name $L__info1, inlined_at 2 5 2",
                "3 9 4, function_name $L__info2, inlined_at 1 18 7"},
               {{kMine, 20}, {kMine, 20}, {kMine, 18}, {kMine, 18}});
}

TEST(Places, OfOneCallSiteAreTheLastOneNamed) {
  // four() is inlined twice, at lines 12 and 17; the header's code in it follows.
  const std::vector<std::string> locs = {"1 12 3",
                                         "2 7 8, function_name $L__info0, inlined_at 1 12 3",
                                         "3 4 1, function_name $L__info1, inlined_at 2 7 8",
                                         "1 17 6",
                                         "2 7 8, function_name $L__info0, inlined_at 1 17 6",
                                         "3 4 1, function_name $L__info1, inlined_at 2 7 8"};
  expect_lines(locs,
               {{kMine, 12}, {kMine, 12}, {kMine, 12}, {kMine, 17}, {kMine, 17}, {kMine, 17}});
  // The columns of a line are places of their own: the second call on line 30.
  expect_lines({"2 7 8, function_name $L__info0, inlined_at 1 30 3",
                "2 7 9, function_name $L__info0, inlined_at 1 31 3",
                "3 4 1, function_name $L__info1, inlined_at 2 7 8"},
               {{kMine, 30}, {kMine, 31}, {kMine, 30}});
}

TEST(Places, OfAFunctionThatIsNotInlinedAreItsOwn) {
  // A header's function that is called stays in its header, with what was inlined into it.
  expect_lines({"2 50 1", "3 9 4, function_name $L__info0, inlined_at 2 50 1"},
               {{"/cuda/a.h", 50}, {"/cuda/a.h", 50}});
}

TEST(Places, WithLineZeroAreTheCallers) {
  expect_lines({"1 0 0", "1 8 1", "1 0 0, function_name $L__info0, inlined_at 1 8 1",
                "2 0 0, function_name $L__info0, inlined_at 1 8 1"},
               {{"", 0}, {kMine, 8}, {kMine, 8}, {kMine, 8}});
}

TEST(Places, KeepTheWholeChain) {
  const Module module = located({"1 13 3", "2 489 9, function_name $L__info2, inlined_at 1 13 3",
                                 "3 87 13, function_name $L__info3, inlined_at 2 489 9"});
  std::vector<std::uint32_t> lines;
  std::vector<std::uint32_t> columns;
  std::uint32_t place = module.functions[0].instructions.at(2).where.place;
  for (; place != kNoIndex; place = module.places.at(place).inlined_at) {
    lines.push_back(module.places[place].line);
    columns.push_back(module.places[place].column);
  }
  EXPECT_EQ(lines, (std::vector<std::uint32_t>{87, 489, 13}));
  EXPECT_EQ(columns, (std::vector<std::uint32_t>{13, 9, 3}));
}

TEST(Places, OfOneFunctionAreNotTheNexts) {
  // The same call site in another kernel has another caller.
  std::vector<SourcePlace> all;
  Places first(all);
  (void)first.add({1, 12, 3}, {});
  (void)first.add({2, 7, 8}, SourcePlace{1, 12, 3});
  Places second(all);
  const Where lone = second.add({3, 4, 1}, SourcePlace{2, 7, 8});
  EXPECT_EQ(lone.file, 2U);  // nobody has said who calls 2 7 8
  EXPECT_EQ(lone.line, 7U);
  EXPECT_EQ(all.size(), 4U);
  EXPECT_EQ(all.at(lone.place).inlined_at, 2U);
  EXPECT_EQ(all.at(2).inlined_at, kNoIndex);
}

}  // namespace
}  // namespace lab::ptx
