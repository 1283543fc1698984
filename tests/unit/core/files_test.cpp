// Inputs and outputs that are refused, and that an output is whole or not there.
#include "harness/core/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "harness/core/error.h"

namespace lab {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  Files() : folder_(fs::path(testing::TempDir()) / ("lab_files_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~Files() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string at(const std::string& name) const { return (folder_ / name).string(); }
  std::string make(const std::string& name, const std::string& text) const {
    std::ofstream(at(name), std::ios::binary) << text;
    return at(name);
  }

  fs::path folder_;
};

std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kInput) << error.what();
    return error.what();
  }
  return {};
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST_F(Files, AreReadWhole) {
  EXPECT_EQ(read_file(make("empty", ""), "it"), "");
  const std::string large(200'000, 'x');
  EXPECT_EQ(read_file(make("large", large), "it"), large);
  EXPECT_FALSE(read_file("/proc/self/status", "it").empty());  // a size of 0 says nothing
}

TEST_F(Files, WhatIsNoFileIsRefusedWithoutWaiting) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  const auto read = [](const std::string& path) {
    return error_of([&] { (void)read_file(path, "it"); });
  };
  EXPECT_TRUE(contains(read(at("pipe")), "it is a pipe"));
  EXPECT_TRUE(contains(read("/dev/zero"), "it is a device"));
  EXPECT_TRUE(contains(read(folder_.string()), "it is a folder"));
  EXPECT_TRUE(contains(read(at("none")), "No such file"));
}

// Nothing is mapped at address 0, so that the first read of a process's memory gives EIO, as a disk
// that fails does: whoever gave the file is not at fault.
TEST_F(Files, ADiskThatFailsIsTheMachinesFault) {
  try {
    (void)read_file("/proc/self/mem", "it");
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kMachine);
    EXPECT_STREQ(error.what(), "cannot read it '/proc/self/mem': Input/output error");
  }
}

TEST_F(Files, AreBounded) {
  const std::string path = make("five", "12345");
  EXPECT_EQ(read_file(path, "it", 5), "12345");
  EXPECT_TRUE(contains(error_of([&] { (void)read_file(path, "it", 4); }), "more than 4 bytes"));
}

TEST_F(Files, OutputsReplaceNoInputs) {
  const std::string input = make("in", "input");
  make("in-journal", "journal");
  const std::string database = make("data", std::string("SQLite format 3\0rest", 20));
  fs::create_symlink(database, at("link"));
  fs::create_symlink(at("none"), at("dangling"));
  fs::create_hard_link(input, at("hard"));
  const std::vector<std::string> inputs = {input, at("unborn.db")};
  const auto refused = [&](const std::string& path) {
    return error_of([&] { require_output(path, inputs); });
  };
  for (const char* name : {"in", "hard", "in-journal", "unborn.db", "unborn.db-wal"}) {
    EXPECT_TRUE(contains(refused(at(name)), "it is an input")) << name;
  }
  EXPECT_TRUE(contains(refused(folder_.string() + "/./in"), "it is an input"));
  EXPECT_TRUE(contains(refused(database), "it is a database"));
  EXPECT_TRUE(contains(refused(at("link")), "it is a link"));
  EXPECT_TRUE(contains(refused(at("dangling")), "it is a link"));
  EXPECT_TRUE(contains(refused("/dev/null"), "it is a device"));
  EXPECT_TRUE(contains(refused(folder_.string()), "it is a folder"));
  EXPECT_EQ(refused(make("earlier", "output")), "");
  EXPECT_EQ(refused(at("new")), "");
}

TEST_F(Files, OutputsAreWholeOrNotThere) {
  const std::string path = make("out", "before");
  {
    OutputFile file(path, "it");
    file.write("half");
    EXPECT_EQ(read_file(path, "it"), "before");
  }
  EXPECT_EQ(read_file(path, "it"), "before");
  fs::permissions(path, fs::perms(0640));
  write_file(path, "after", "it");
  EXPECT_EQ(read_file(path, "it"), "after");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms(0640));
  // Nothing temporary is left.
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
  EXPECT_THROW(write_file(at("no/out"), "x", "it"), Error);
}

}  // namespace
}  // namespace lab
