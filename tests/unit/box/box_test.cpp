// What native code in the box can do to the machine: nothing that the compiler and the model do
// not.
#include "harness/box/box.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "harness/core/error.h"
#include "harness/run/temporary_folder.h"

namespace lab::box {
namespace {

namespace fs = std::filesystem;

// In a process of its own, since a box is for good: what `act` says there.
std::string in_box(const Reach& reach, const Bounds& bounds,
                   const std::function<std::string()>& act) {
  std::array<int, 2> pipes{};
  EXPECT_EQ(::pipe(pipes.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    std::string said;
    try {
      close_box(reach, bounds);
      said = act();
    } catch (const Error& error) {
      said = error.what();
    }
    if (::write(pipes[1], said.data(), said.size()) < 0) ::_exit(1);
    ::_exit(0);
  }
  ::close(pipes[1]);
  std::string said;
  std::array<char, 4096> chunk{};
  for (ssize_t got = 0; (got = ::read(pipes[0], chunk.data(), chunk.size())) > 0;) {
    said.append(chunk.data(), static_cast<std::size_t>(got));
  }
  ::close(pipes[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? said : fmt::format("{} signal {}", said, WTERMSIG(status));
}

struct Attempt {
  const char* call;
  std::function<long()> make;
};

// Those that were not refused with EPERM.
std::string not_refused(const std::vector<Attempt>& attempts) {
  std::string got;
  for (const Attempt& one : attempts) {
    errno = 0;
    const long result = one.make();
    if (result != -1 || errno != EPERM)
      got += fmt::format("{} {} ", one.call, std::strerror(errno));
  }
  return got;
}

class Box : public testing::Test {
 protected:
  void SetUp() override {
    if (!why_no_box().empty()) GTEST_SKIP() << why_no_box();
    std::ofstream(file()) << "a user's";
    ::chmod(file().c_str(), 0600);
  }
  [[nodiscard]] std::string file() const { return (folder.path() / "file").string(); }

  run::TemporaryFolder folder{"lab-box"};
};

// All of them are this user's own to do outside of a box; the file is one that may even be read.
TEST_F(Box, LeavesFilesAndProcessesAlone) {
  const std::string path = file();
  const pid_t other = ::getpid();
  const std::vector<Attempt> attempts = {
      {"chmod", [&] { return ::chmod(path.c_str(), 0777); }},
      {"fchmodat", [&] { return ::syscall(SYS_fchmodat, AT_FDCWD, path.c_str(), 0777); }},
      {"chown", [&] { return ::chown(path.c_str(), ::getuid(), ::getgid()); }},
      {"setxattr", [&] { return ::setxattr(path.c_str(), "user.x", "1", 1, 0); }},
      {"utimensat", [&] { return ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0); }},
      {"truncate", [&] { return ::truncate(path.c_str(), 0); }},
      {"prlimit", [&] { return ::syscall(SYS_prlimit64, other, RLIMIT_NOFILE, nullptr, nullptr); }},
      {"setpriority", [&] { return ::syscall(SYS_setpriority, PRIO_PROCESS, other, 19); }},
      {"sched_setaffinity", [&] { return ::syscall(SYS_sched_setaffinity, other, 0, nullptr); }},
      {"ioprio_set", [&] { return ::syscall(SYS_ioprio_set, 1, other, 0); }},
      {"kill", [&] { return ::kill(other, 0); }},
      {"tkill", [&] { return ::syscall(SYS_tkill, other, 0); }},
      {"tgkill", [&] { return ::syscall(SYS_tgkill, other, other, 0); }},
      {"rt_sigqueueinfo", [&] { return ::syscall(SYS_rt_sigqueueinfo, other, 0, nullptr); }},
      {"pidfd_open", [&] { return ::syscall(SYS_pidfd_open, other, 0); }},
      {"F_SETOWN", [&] { return ::fcntl(0, F_SETOWN, other); }},
      {"ioctl", [&] { return ::ioctl(0, FIOASYNC, nullptr); }},
      {"ptrace", [&] { return ::syscall(SYS_ptrace, 16, other, 0, 0); }},
      {"setsid", [&] { return ::syscall(SYS_setsid); }},
      {"setpgid", [&] { return ::setpgid(0, 0); }},
      {"shmget", [&] { return ::syscall(SYS_shmget, 0, 4096, 01600); }},
      {"msgget", [&] { return ::syscall(SYS_msgget, 0, 01600); }},
      {"semget", [&] { return ::syscall(SYS_semget, 0, 1, 01600); }},
      {"unshare", [&] { return ::unshare(CLONE_NEWUSER); }},
      {"memfd_create", [&] { return ::syscall(SYS_memfd_create, "x", 0); }},
      {"socket", [&] { return ::syscall(SYS_socket, 1, 1, 0); }},
      {"execve", [&] { return ::execl("/bin/true", "true", nullptr); }},
      {"prctl", [&] { return ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }},
      {"user namespace",
       [&] { return ::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, 0); }},
  };
  const Bounds may_fork{0, 4096, true};
  EXPECT_EQ(in_box({{folder.path()}, {}}, may_fork, [&] { return not_refused(attempts); }), "");
}

TEST_F(Box, CompilersStartThreadsAndNoProcesses) {
  const auto act = [] {
    int seen = 0;
    std::thread([&] { seen = 1; }).join();
    const std::vector<Attempt> attempts = {
        {"fork", [] { return ::fork(); }},
        {"clone", [] { return ::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, 0); }}};
    return fmt::format("{}{}", seen, not_refused(attempts));
  };
  EXPECT_EQ(in_box({}, {}, act), "1");
}

// Threads that came before are outside: of another's memory they would make anything.
TEST_F(Box, IsForOneThread) {
#ifdef LAB_SANITIZED
  GTEST_SKIP() << "a sanitizer may have threads of its own";
#endif
  std::thread other([] { std::this_thread::sleep_for(std::chrono::seconds(4)); });
  EXPECT_EQ(in_box({}, {}, [] { return std::string("closed"); }),
            "closed");  // fork takes one along
  std::string said;
  const pid_t child = ::fork();
  if (child == 0) {
    std::thread([] { std::this_thread::sleep_for(std::chrono::seconds(10)); }).detach();
    try {
      close_box({}, {});
    } catch (const Error&) {
      ::_exit(7);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  other.join();
}

TEST_F(Box, BoundsHowManyProcessesThereCanBe) {
  const auto act = [] {
    rlimit limit{};
    ::getrlimit(RLIMIT_NPROC, &limit);
    return limit.rlim_cur == RLIM_INFINITY ? "no limit" : "a limit";
  };
  EXPECT_EQ(in_box({}, {0, 4096, true}, act), "a limit");
}

}  // namespace
}  // namespace lab::box
