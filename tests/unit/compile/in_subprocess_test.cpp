#include "harness/kernel/compile/in_subprocess.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>

#include "harness/core/error.h"

namespace lab::compile {
namespace {

TEST(InSubprocess, ResultComesBackWhole) {
  const pid_t here = ::getpid();
  const auto compiled = compile_in_subprocess([&] {
    Compiled made;
    made.ptx = ::getpid() == here ? "same process" : "another one";
    made.cubin.assign(1 << 20, 7);  // more than a pipe holds
    made.log = std::string("a\0b", 3);
    made.lowered = {"k", ""};
    made.no_lines = "because";
    return made;
  });
  ASSERT_TRUE(compiled.has_value());
  EXPECT_EQ(compiled->ptx, "another one");
  EXPECT_EQ(compiled->cubin, std::vector<std::uint8_t>(1 << 20, 7));
  EXPECT_EQ(compiled->log, std::string("a\0b", 3));
  EXPECT_EQ(compiled->lowered, (std::vector<std::string>{"k", ""}));
  EXPECT_EQ(compiled->no_lines, "because");
}

TEST(InSubprocess, ErrorsAreThrownHere) {
  try {
    (void)compile_in_subprocess(
        []() -> Compiled { throw input_error("does not compile", "try this"); });
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kInput);
    EXPECT_STREQ(error.what(), "does not compile");
    EXPECT_EQ(error.hint(), "try this");
  }
}

TEST(InSubprocess, ACompilerThatDiesLeavesUsAlive) {
  EXPECT_FALSE(compile_in_subprocess([]() -> Compiled {
                 ::raise(SIGKILL);
                 return {};
               }).has_value());
  EXPECT_FALSE(compile_in_subprocess([]() -> Compiled { ::_exit(0); }).has_value());
}

}  // namespace
}  // namespace lab::compile
