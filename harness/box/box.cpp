#include "harness/box/box.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

#include "harness/box/worker/channel.h"
#include "harness/core/error.h"
#include "harness/kernel/compile/in_subprocess.h"

namespace lab::box {
namespace {

using worker::Descriptor;

namespace fs = std::filesystem;

// The kernel's documentation, "Landlock: unprivileged access control": rights by version of the
// interface. Debian 12's header ends at version 2, so later ones are written out.
constexpr std::uint64_t kRefer = 1ULL << 13U;           // version 2
constexpr std::uint64_t kTruncate = 1ULL << 14U;        // version 3
constexpr std::uint64_t kConnections = 3;               // version 4: bind and connect, TCP
constexpr std::uint64_t kDeviceControls = 1ULL << 15U;  // version 5
constexpr std::uint64_t kScopes = 3;  // version 6: abstract sockets and signals of others
constexpr std::uint64_t kVersion1 = (1ULL << 13U) - 1;

constexpr std::uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kOfFiles = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                                   LANDLOCK_ACCESS_FS_EXECUTE | kTruncate;

struct Ruleset {
  std::uint64_t files = 0;
  std::uint64_t network = 0;
  std::uint64_t scopes = 0;
};

int landlock_version() {
  return static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION));
}

Ruleset everything(int version) {
  Ruleset all{kVersion1, 0, 0};
  if (version >= 2) all.files |= kRefer;
  if (version >= 3) all.files |= kTruncate;
  if (version >= 4) all.network = kConnections;
  if (version >= 5) all.files |= kDeviceControls;
  if (version >= 6) all.scopes = kScopes;
  return all;
}

// Older kernels know a shorter structure.
std::size_t size_of_ruleset(int version) {
  return version >= 6   ? sizeof(Ruleset)
         : version >= 4 ? offsetof(Ruleset, scopes)
                        : offsetof(Ruleset, network);
}

[[noreturn]] void fail(const char* call) {
  throw machine_error(
      fmt::format("the sandbox cannot be closed: {}: {}", call, std::strerror(errno)),
      "lab doctor says what this system has; --no-sandbox runs without one, for "
      "kernels that you trust");
}

void allow(int ruleset, const fs::path& path, std::uint64_t rights) {
  const Descriptor place(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (place.get() < 0) return;  // what is not there is not reached either
  struct stat info {};
  if (::fstat(place.get(), &info) != 0) fail("fstat");
  landlock_path_beneath_attr rule{};
  rule.allowed_access = S_ISDIR(info.st_mode) ? rights : rights & kOfFiles;
  rule.parent_fd = place.get();
  if (::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) {
    fail("landlock_add_rule");
  }
}

void restrict_files(const Reach& reach) {
  const int version = landlock_version();
  if (version < 1) fail("landlock_create_ruleset");
  const Ruleset all = everything(version);
  const Descriptor ruleset(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &all, size_of_ruleset(version), 0)));
  if (ruleset.get() < 0) fail("landlock_create_ruleset");
  for (const fs::path& path : reach.read) allow(ruleset.get(), path, kRead);
  for (const fs::path& path : reach.execute) {
    allow(ruleset.get(), path, kRead | LANDLOCK_ACCESS_FS_EXECUTE);
  }
  const std::uint64_t write = all.files & ~std::uint64_t{LANDLOCK_ACCESS_FS_EXECUTE};
  for (const fs::path& path : reach.write) allow(ruleset.get(), path, write);
  if (::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0) fail("landlock_restrict_self");
}

// Calls of the compiler and the model, found with strace(1) over all labs and tests, and those that
// the C library makes in their place on other machines and in other versions. Each is harmless
// whatever its arguments are: files are Landlock's to guard, and the others are this process's own
// memory, threads, clocks, descriptors and signal handlers.
constexpr std::array kAllowed = {
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_pread64,
    SYS_pwrite64,
    SYS_lseek,
    SYS_close,
    SYS_dup,
    SYS_dup3,
    SYS_pipe2,
    SYS_ppoll,
    SYS_sendto,
    SYS_recvfrom,
    SYS_futex,
    SYS_gettid,
    SYS_getpid,
    SYS_getppid,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_set_robust_list,
    SYS_set_tid_address,
    SYS_rseq,
    SYS_exit,
    SYS_exit_group,
    SYS_wait4,
    SYS_waitid,
    SYS_brk,
    SYS_mmap,
    SYS_munmap,
    SYS_mremap,
    SYS_mprotect,
    SYS_madvise,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_restart_syscall,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,
    SYS_getrandom,
    SYS_getrusage,
    SYS_getrlimit,
    SYS_times,
    SYS_uname,
    SYS_sysinfo,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_openat,
    SYS_newfstatat,
    SYS_statx,
    SYS_fstat,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_readlinkat,
    SYS_getdents64,
    SYS_getcwd,
    SYS_mkdirat,
    SYS_unlinkat,
    SYS_renameat,
    SYS_renameat2,
    // A box within this one.
    SYS_seccomp,
    SYS_landlock_create_ruleset,
    SYS_landlock_add_rule,
    SYS_landlock_restrict_self,
#if defined(__x86_64__)  // older forms that newer machines lack
    SYS_open,
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_getdents,
    SYS_mkdir,
    SYS_unlink,
    SYS_rmdir,
    SYS_rename,
    SYS_dup2,
    SYS_pipe,
    SYS_poll,
    SYS_time,
#endif
};

// Of a program's start, beside these: the loader's and the C library's.
constexpr std::array kStarting = {
    SYS_execve,     SYS_ftruncate, SYS_fsync, SYS_fadvise64,
    SYS_umask,      SYS_fchdir,    SYS_chdir, SYS_sched_setaffinity,
#if defined(__x86_64__)
    SYS_arch_prctl,
#endif
};

// Allowed first arguments of calls that do other things with others.
constexpr std::array kControls = {PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS, PR_SET_NAME, PR_SET_VMA};
// Not F_SETOWN, by which the kernel sends any signal to any process of this user's.
constexpr std::array kDescriptorCommands = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD,
                                            F_SETFD, F_GETFL,         F_SETFL};
// A new process may share nothing that is not ours, and is a child of ours.
constexpr std::uint32_t kNewWorlds = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                     CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_PARENT |
                                     CLONE_PTRACE | CLONE_UNTRACED;
// Calls that came later are answered as an older kernel would, so that libraries do without.
constexpr long kNewestKnown = SYS_landlock_restrict_self;

#if defined(__x86_64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
#error "the system calls of this machine are not known"
#endif

// Classic BPF as seccomp(2) runs it on each call. Jumps are counted in instructions that follow.
class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    unless_equal(kMachine, SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    constexpr std::uint32_t kX32 = 0x40000000;  // the numbers of 32-bit pointers' calls
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kX32, 0, 1));
    give(kRefused);
#endif
  }
  void allow(long call) { answer(call, SECCOMP_RET_ALLOW); }
  void answer(long call, std::uint32_t what) {
    code_.push_back(equal(static_cast<std::uint32_t>(call), 0, 1));
    give(what);
  }
  /// `call` is allowed where its argument number `argument` is one of `values`. Arguments of calls
  /// for which this is used are ints: the kernel looks at their low halves alone.
  template <typename Values>
  void allow_with(long call, std::size_t argument, const Values& values) {
    const auto count = static_cast<std::uint8_t>(std::size(values));
    code_.push_back(
        equal(static_cast<std::uint32_t>(call), 0, static_cast<std::uint8_t>(count + 3)));
    load(low_half(argument));
    std::uint8_t left = count;
    for (const auto value : values)
      code_.push_back(equal(static_cast<std::uint32_t>(value), left--, 0));
    give(kRefused);
    give(SECCOMP_RET_ALLOW);
  }
  /// clone(2), whose flags are its first argument on both machines.
  void allow_clone(bool processes) {
    const auto any = [&](std::uint32_t flags, std::uint8_t then, std::uint8_t otherwise) {
      code_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flags, then, otherwise));
    };
    code_.push_back(equal(SYS_clone, 0, 5));
    load(low_half(0));
    any(kNewWorlds, 1, 0);
    any(processes ? ~0U : CLONE_THREAD, 1, 0);
    give(kRefused);
    give(SECCOMP_RET_ALLOW);
  }
  /// Of utimensat(2) what sets the times of an open file: a path of 0.
  void allow_times_of_open_files() {
    code_.push_back(equal(SYS_utimensat, 0, 6));
    load(low_half(1));
    code_.push_back(equal(0, 0, 2));
    load(low_half(1) + 4);
    code_.push_back(equal(0, 1, 0));
    give(kRefused);
    give(SECCOMP_RET_ALLOW);
  }
  /// A refused call fails with EPERM, which libraries take for an answer.
  void close() {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, kNewestKnown, 0, 1));
    give(kUnknown);
    give(kRefused);
    sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) fail("seccomp");
  }

  static constexpr std::uint32_t kRefused = SECCOMP_RET_ERRNO | EPERM;
  static constexpr std::uint32_t kUnknown = SECCOMP_RET_ERRNO | ENOSYS;

 private:
  // Both machines are little-endian.
  static std::size_t low_half(std::size_t argument) {
    return offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t);
  }
  void load(std::size_t offset) {
    code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void give(std::uint32_t what) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, what)); }
  void unless_equal(std::uint32_t value, std::uint32_t what) {
    code_.push_back(equal(value, 1, 0));
    give(what);
  }
  // Skips `then` instructions where what was loaded is `value`, else `otherwise`.
  static sock_filter equal(std::uint32_t value, std::uint8_t then, std::uint8_t otherwise) {
    return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, then, otherwise);
  }

  std::vector<sock_filter> code_;
};

// Another machine's calls (those of 32-bit programs have other numbers) end the process.
void restrict_calls(bool processes, bool programs) {
  Filter filter;
  for (const long call : kAllowed) filter.allow(call);
  if (programs) {
    for (const long call : kStarting) filter.allow(call);
#if defined(__x86_64__)
    // By it execve(2) would make another process, beside this one.
    if (processes) filter.allow(SYS_vfork);
#endif
    // Whether a stream is a terminal; EPERM would be no answer to that.
    filter.answer(SYS_ioctl, SECCOMP_RET_ERRNO | ENOTTY);
  }
  const std::array self = {::getpid()};
  const std::array self_or_caller = {::getpid(), 0};
  // This process alone, so that it can abort; and its group, where that is what it has started.
  const std::array group = {::getpid(), processes ? 0 : ::getpid()};
  filter.allow_with(SYS_kill, 0, group);
  filter.allow_with(SYS_tgkill, 0, self);
  filter.allow_with(SYS_prlimit64, 0, self_or_caller);
  filter.allow_with(SYS_prctl, 0, kControls);
  filter.allow_with(SYS_fcntl, 1, kDescriptorCommands);
  filter.allow_times_of_open_files();
  filter.allow_clone(processes);
  filter.answer(SYS_clone3, Filter::kUnknown);  // its flags lie in memory: clone(2) is used instead
  filter.close();
}

void lower(int resource, rlim_t most) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) return;
  limit.rlim_cur = std::min(limit.rlim_cur, most);
  limit.rlim_max = std::min(limit.rlim_max, most);
  ::setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

// Of all users, as the fourth field of loadavg has them behind a slash; proc(5).
std::uint64_t threads_of_all() {
  std::ifstream file("/proc/loadavg");
  std::string skipped;
  char slash = 0;
  std::uint64_t running = 0;
  std::uint64_t all = 0;
  file >> skipped >> skipped >> skipped >> running >> slash >> all;
  return all;
}

// A sanitizer's shadow takes terabytes of address space.
#ifdef LAB_SANITIZED
constexpr bool kBoundsMemory = false;
#else
constexpr bool kBoundsMemory = true;
#endif

void limit_resources(const Bounds& bounds) {
  lower(RLIMIT_CORE, 0);
  if (kBoundsMemory && bounds.more_memory > 0) {
    lower(RLIMIT_AS, compile::address_space() + bounds.more_memory);
  }
  // The limit counts all of this user's threads, in other programs too; root has none.
  if (bounds.more_threads > 0) lower(RLIMIT_NPROC, threads_of_all() + bounds.more_threads);
}

// Other threads of this process would stay outside, and they share its memory. One that has been
// joined may still be on its way out.
void require_one_thread() {
  constexpr int kTries = 1000;
  std::ptrdiff_t threads = 0;
  for (int i = 0; i < kTries; ++i) {
    std::error_code failed;
    threads = std::distance(fs::directory_iterator("/proc/self/task", failed), {});
    if (failed || threads == 1 || !kBoundsMemory) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  throw internal_error(fmt::format("a sandbox for one of {} threads", threads));
}

}  // namespace

std::string why_no_box() {
  if (landlock_version() >= 1) return {};
  return errno == EOPNOTSUPP ? "Landlock is switched off in this system's kernel"
                             : "this system's kernel has no Landlock (Linux 5.13 and newer do)";
}

void close_box(const Reach& reach, const Bounds& bounds) {
  limit_resources(bounds);
  require_one_thread();
  ::clearenv();
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("prctl");
  restrict_files(reach);
  restrict_calls(bounds.processes, !reach.execute.empty());
}

}  // namespace lab::box
