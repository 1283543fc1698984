// Recordings are read as they were written, and whatever else a file holds is refused with its
// place.
#include "harness/record/recording.h"

#include <gtest/gtest.h>

#include "harness/core/error.h"
#include "tests/unit/record/written.h"

namespace lab::record {
namespace {

std::string small_file() {
  return Written()
      .begin({"app", "x"})
      .text(2, "go")
      .launch({1, Entry::kKernel, 2})
      .kernel({1, 2})
      .end()
      .bytes();
}

TEST(Recording, EveryRecordIsReadBack) {
  Launch launch{7, Entry::kExtended, 2, 3, 1, 1, {{4, 5, 6}, {7, 8, 9}}, 10, 11, 12, 13};
  Kernel kernel{7, 2, {{4, 5, 6}, {7, 8, 9}}, {2, 1, 1}, 32, 128, 10, 16, 1, 2, 3, 99, 1000, 1500};
  Device device{1, 3, 9, 0, 132, 0, 1000, {1, 2}};
  const std::string bytes = Written()
                                .begin({"app", "-n", ""})
                                .text(2, "kernel")
                                .text(3, "range")
                                .add(Kind::kDevice, device)
                                .add(Kind::kModule, Module{4, 0, 5, 6, 7})
                                .launch(launch)
                                .kernel(kernel)
                                .add(Kind::kCopy, Copy{8, Copied::kSet, 1, 2, 3, 4, 5})
                                .add(Kind::kRange, Range{3, 11, 20, 30})
                                .add(Kind::kTrouble, Trouble{Problem::kDropped, 1, 2}, "why")
                                .end(1, 1)
                                .bytes();
  const Recording read = read_recording(bytes, "f");
  EXPECT_EQ(read.damage, "");
  EXPECT_EQ(read.whole_bytes, bytes.size());
  ASSERT_EQ(read.processes.size(), 1U);
  const Process& process = read.processes[0];
  EXPECT_EQ(process.begin.process, 77U);
  EXPECT_EQ(process.command, (std::vector<std::string>{"app", "-n", ""}));
  EXPECT_EQ(process.text(2), "kernel");
  EXPECT_EQ(process.text(3), "range");
  EXPECT_EQ(process.text(kNoText), "");
  ASSERT_EQ(process.launches.size(), 1U);
  EXPECT_EQ(std::memcmp(&process.launches[0], &launch, sizeof launch), 0);
  ASSERT_EQ(process.kernels.size(), 1U);
  EXPECT_EQ(std::memcmp(&process.kernels[0], &kernel, sizeof kernel), 0);
  ASSERT_EQ(process.devices.size(), 1U);
  EXPECT_EQ(process.devices[0].multiprocessors, 132U);
  ASSERT_EQ(process.modules.size(), 1U);
  EXPECT_EQ(process.modules[0].fingerprint, 6U);
  ASSERT_EQ(process.copies.size(), 1U);
  EXPECT_EQ(process.copies[0].what, Copied::kSet);
  ASSERT_EQ(process.ranges.size(), 1U);
  EXPECT_EQ(process.ranges[0].end, 30U);
  ASSERT_EQ(process.troubles.size(), 1U);
  EXPECT_EQ(process.troubles[0].text, "why");
  ASSERT_TRUE(process.end.has_value());
  EXPECT_EQ(process.end->launches, 1U);
}

TEST(Recording, ACutFileKeepsTheRecordsBeforeTheCut) {
  const std::string bytes = small_file();
  // begin 16 + 32 + 8; text 16 + 8 (4 + `go` are 6); launch 16 + 72; kernel 16 + 96; end 16 + 24.
  const std::vector<std::size_t> ends = {56, 80, 168, 280, 320};
  ASSERT_EQ(bytes.size(), ends.back());
  for (std::size_t length = ends[0]; length <= bytes.size(); ++length) {
    const Recording read = read_recording(std::string_view(bytes).substr(0, length), "f");
    std::size_t whole = 0;
    for (const std::size_t end : ends) whole = end <= length ? end : whole;
    EXPECT_EQ(read.whole_bytes, whole) << length;
    EXPECT_EQ(read.damage,
              whole == length ? "" : "the record at byte " + std::to_string(whole) + " is cut off");
    const Process& process = read.processes.at(0);
    EXPECT_EQ(process.texts.size(), length >= 80 ? 1U : 0U);
    EXPECT_EQ(process.launches.size(), length >= 168 ? 1U : 0U);
    EXPECT_EQ(process.kernels.size(), length >= 280 ? 1U : 0U);
    EXPECT_EQ(process.end.has_value(), length >= 320);
  }
}

TEST(Recording, AChangedByteIsNoticedAndNamed) {
  const std::string bytes = small_file();
  // The launch: its length, kind and checksum, then each byte of its own.
  for (std::size_t at = 80; at < 80 + 16 + 72; ++at) {
    if (at >= 92 && at < 96) continue;  // that word of a header says nothing
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x40);
    const Recording read = read_recording(changed, "f");
    EXPECT_EQ(read.damage.find("the record at byte 80 "), 0U) << at << ": " << read.damage;
    EXPECT_EQ(read.whole_bytes, 80U) << at;
    EXPECT_TRUE(read.processes.at(0).launches.empty()) << at;
  }
}

TEST(Recording, ZerosBehindTheLastRecordAreAFileThatWasNotClosed) {
  const std::string bytes = Written().begin({"app"}).text(2, "go").bytes();
  const Recording read = read_recording(bytes + std::string(4096, '\0'), "f");
  EXPECT_EQ(read.damage, "");
  EXPECT_EQ(read.whole_bytes, bytes.size());
  EXPECT_FALSE(read.processes.at(0).end.has_value());
}

TEST(Recording, ANameThatIsNotThereIsDamage) {
  const auto damage = [](const Written& written) {
    const Recording read = read_recording(written.bytes(), "f");
    EXPECT_TRUE(read.processes.at(0).launches.empty() && read.processes.at(0).kernels.empty());
    return read.damage;
  };
  const std::string at = "the record at byte 56 is too short, or names a text that is not there";
  EXPECT_EQ(damage(Written().begin({"app"}).launch({1, Entry::kKernel, 2})), at);
  EXPECT_EQ(damage(Written().begin({"app"}).launch({1, Entry::kKernel, 0, 9})), at);
  EXPECT_EQ(damage(Written().begin({"app"}).kernel({1, 0xffffffffU})), at);
  EXPECT_EQ(damage(Written().begin({"app"}).text(3, "two is missing")), at);
  EXPECT_EQ(damage(Written().begin({"app"}).add(Kind::kLaunch, Module{})), at);
  const Recording read = read_recording(
      Written().begin({"app"}).kernel({1, kNoText}).kernel({2, 5}).end().bytes(), "f");
  // 56, and 16 + 96 of the first kernel.
  EXPECT_EQ(read.damage.find("the record at byte 168 "), 0U);
  ASSERT_EQ(read.processes.at(0).kernels.size(), 1U);
  EXPECT_EQ(read.processes[0].kernels[0].correlation, 1U);
  EXPECT_FALSE(read.processes[0].end.has_value());
}

TEST(Recording, CountersHaveAValueForEachMetric) {
  const auto counted = [](std::size_t values) {
    const std::vector<double> list(values, 1.5);
    return Written()
        .begin({"app"})
        .text(2, "a.sum,b.sum")
        .add(Kind::kCounted, Counted{7, 2},
             {reinterpret_cast<const char*>(list.data()), list.size() * sizeof(double)})
        .bytes();
  };
  const Recording two = read_recording(counted(2), "f");
  ASSERT_EQ(two.processes.at(0).counters.size(), 1U);
  EXPECT_EQ(two.processes[0].counters[0].counted.correlation, 7U);
  EXPECT_EQ(two.processes[0].counters[0].values, (std::vector<double>{1.5, 1.5}));
  for (const unsigned values : {0U, 1U, 3U}) {
    const Recording read = read_recording(counted(values), "f");
    EXPECT_TRUE(read.processes.at(0).counters.empty());
    EXPECT_EQ(read.damage.find("the record at byte "), 0U) << values;
  }
}

TEST(Recording, WhatCameLaterIsPassedOver) {
  struct Longer {
    Module module{1, 0, 2, 3, 4};
    std::uint64_t more = 5;
  };
  const Recording read = read_recording(Written()
                                            .begin({"app"})
                                            .add(static_cast<Kind>(999), Module{})
                                            .add(Kind::kModule, Longer{})
                                            .end()
                                            .bytes(),
                                        "f");
  EXPECT_EQ(read.damage, "");
  ASSERT_EQ(read.processes.at(0).modules.size(), 1U);
  EXPECT_EQ(read.processes.at(0).modules[0].bytes, 2U);
  EXPECT_TRUE(read.processes.at(0).end.has_value());
}

TEST(Recording, PartsOfSeveralProcessesHaveTheirOwnNames) {
  const std::string bytes = Written().begin({"a"}).text(2, "one").end().bytes() +
                            Written().begin({"b"}).text(2, "two").bytes();
  const Recording read = read_recording(bytes, "f");
  ASSERT_EQ(read.processes.size(), 2U);
  EXPECT_EQ(read.processes[0].text(2), "one");
  EXPECT_EQ(read.processes[1].text(2), "two");
  EXPECT_TRUE(read.processes[0].end.has_value());
  EXPECT_FALSE(read.processes[1].end.has_value());
}

TEST(Recording, OtherFilesAreNone) {
  const auto refusal = [](const std::string& bytes) -> std::string {
    try {
      static_cast<void>(read_recording(bytes, "x.labrec"));
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::kInput);
      return error.what();
    }
    return "read";
  };
  const std::string none = "'x.labrec' is not a recording";
  EXPECT_EQ(refusal(""), none);
  EXPECT_EQ(refusal("a text"), none);
  EXPECT_EQ(refusal(std::string(1000, '\0')), none);
  EXPECT_EQ(refusal(std::string("\177ELF") + std::string(1000, 'x')), none);
  EXPECT_EQ(refusal(small_file().substr(0, 47)), none);
  Begin newer;
  newer.format = kFormat + 1;
  EXPECT_EQ(refusal(Written().add(Kind::kBegin, newer).bytes()),
            "'x.labrec' is a recording of format 2");
}

// Anything may stand in a file: each of its bytes, changed to anything, is read without harm.
TEST(Recording, NoByteMakesTheReaderFall) {
  const std::string bytes = small_file();
  for (std::size_t at = 16; at < bytes.size(); ++at) {
    for (const char value : {'\0', '\1', '\x7f', '\xff'}) {
      std::string changed = bytes;
      changed[at] = value;
      try {
        const Recording read = read_recording(changed, "f");
        EXPECT_LE(read.whole_bytes, bytes.size());
      } catch (const Error&) {
      }
    }
  }
}

// The example in harness/record/README.md, worked out by hand there.
TEST(Recording, TheChecksumIsTheDocumentedOne) {
  const Text text{2};
  std::string body(sizeof text, '\0');
  std::memcpy(body.data(), &text, sizeof text);
  body += "go";
  EXPECT_EQ(checksum(Kind::kText, body.data(), body.size()), 0x0d421c74U);
}

}  // namespace
}  // namespace lab::record
