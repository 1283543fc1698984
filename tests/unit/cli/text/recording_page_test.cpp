// A recording as the terminal shows it.
#include "harness/record/recording_page.h"

#include <gtest/gtest.h>

#include "tools/cli/text/page_text.h"

namespace lab::cli {
namespace {

Terminal plain() { return {false, false, false, 100}; }

std::string record_text(const record::RecordStory& story, const Terminal& terminal) {
  return page_text(record::recording_page(story), terminal);
}

// A kernel that ran once for 40 ns of 100, and a GPU that was idle for the rest.
record::RecordStory story() {
  record::RecordStory one;
  one.end = CommandEnd{};
  record::KernelRow row;
  row.kernel = "a::(anonymous namespace)::k<b::c>";
  row.shape = {{4, 2, 1}, {32, 1, 1}};
  row.registers = 16;
  row.static_shared = 1000;
  row.dynamic_shared = 24;
  row.launches = 1;
  row.traced = true;
  row.total_ns = row.shortest_ns = row.longest_ns = 1999600;
  row.share = 1;
  one.summary.kernels = {row};
  one.summary.kernels_run = one.summary.launches.all = 1;
  one.summary.kernels_ns = 1999600;
  one.summary.processes.resize(1);
  one.summary.processes[0].process = 42;
  one.summary.processes[0].command = {"app"};
  one.summary.processes[0].ended = true;
  return one;
}

TEST(RecordingPage, SumsUpAndHasARowPerKernel) {
  EXPECT_EQ(
      record_text(story(), plain()),
      "1 launch, 1 kernel run, 2.00 ms on the GPU, exit 0\n"
      "\n"
      "                                                                    one launch\n"
      "  kernel   grid x block  launches   share    total     mean  shortest  longest  registers"
      "  shared\n"
      "  -------  ------------  --------  ------  -------  -------  --------  -------  ---------"
      "  ------\n"
      "  k<b::c>      4x2 x 32         1  100.0%  2.00 ms  2.00 ms   2.00 ms  2.00 ms         16"
      "   1,024\n");
}

TEST(RecordingPage, SaysHowIdleTheGpuWas) {
  record::RecordStory one = story();
  one.summary.kernels.clear();
  record::GpuUse& use = one.summary.gpus.emplace_back();
  use.name = "A GPU";
  use.span_ns = 1000;
  use.kernels_ns = 250;
  use.copies_ns = 125;
  use.gaps = 1;
  use.longest = {{250, 625, "memset", "n::k"}};
  EXPECT_EQ(
      record_text(one, plain()),
      "1 launch, 1 kernel run, 2.00 ms on the GPU, exit 0\n"
      "\n"
      "A GPU: 1.00 us from its first work to its last: kernels 25.0%, copies alone 12.5%, idle "
      "62.5% in 1\n"
      "gap.\n"
      "  longest gaps      at  after   before\n"
      "  ------------  ------  ------  ------\n"
      "        625 ns  250 ns  memset  k\n");
}

TEST(RecordingPage, SaysWhatIsMissing) {
  record::RecordStory one = story();
  one.summary.kernels.clear();
  one.end->status = 0;
  one.end->signal = 9;
  one.summary.launches.untimed = 2;
  one.summary.launches.failed = 1;
  one.summary.processes[0].ended = false;
  one.summary.damage = "the record at byte 80 is cut off";
  EXPECT_EQ(record_text(one, plain()),
            "1 launch, 1 kernel run, 2.00 ms on the GPU, ended by signal 9 (Killed)\n"
            "\n"
            "1 launch returned an error.\n"
            "2 launches ran whose time is not known.\n"
            "process 42 (app): ended without returning from main: what ran last may be missing.\n"
            "the recording is damaged: the record at byte 80 is cut off.\n");
  one.summary.processes[0].troubles = {{{record::Problem::kFull, 27, 0}, ""}};
  EXPECT_NE(record_text(one, plain())
                .find("process 42 (app): the recording ends before the program "
                      "does: File too large.\n"),
            std::string::npos);
}

TEST(RecordingPage, ManyRowsAreShownInPart) {
  record::RecordStory one = story();
  one.summary.kernels.assign(5, one.summary.kernels[0]);
  for (record::KernelRow& row : one.summary.kernels) row.share = 0.2;
  one.most_rows = 2;
  EXPECT_NE(record_text(one, plain())
                .find("  and 3 more rows with 60.0% of the time; --all shows them\n"),
            std::string::npos);
  one.most_rows = 0;
  EXPECT_EQ(record_text(one, plain()).find("more row"), std::string::npos);
}

// A kernel's name is the program's to choose: no byte of it moves a terminal's cursor.
TEST(RecordingPage, NamesAreMadeSafe) {
  record::RecordStory one = story();
  one.summary.kernels[0].kernel = "k\x1b[2J";
  one.summary.processes[0].command = {"a\x1b[2J"};
  one.summary.processes[0].ended = false;
  EXPECT_EQ(record_text(one, plain()).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace lab::cli
