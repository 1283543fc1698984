#include "tools/worker/box.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "harness/core/error.h"
#include "harness/worker/channel.h"

namespace lab::worker {
namespace {

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
  const std::uint64_t write = all.files & ~std::uint64_t{LANDLOCK_ACCESS_FS_EXECUTE};
  for (const fs::path& path : reach.write) allow(ruleset.get(), path, write);
  if (::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0) fail("landlock_restrict_self");
}

// What neither the compiler nor the model calls: other programs, other processes, the network, and
// the parts of the kernel that most attacks on it went through.
constexpr std::array kDenied = {
    SYS_execve,
    SYS_execveat,
    SYS_socket,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_pidfd_open,
    SYS_pidfd_getfd,
    SYS_pidfd_send_signal,
    SYS_mount,
    SYS_umount2,
    SYS_unshare,
    SYS_setns,
    SYS_pivot_root,
    SYS_chroot,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_io_uring_setup,
    SYS_userfaultfd,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_open_by_handle_at,
    SYS_init_module,
    SYS_finit_module,
    SYS_kexec_load,
    SYS_personality,
    SYS_memfd_create,
};
// Allowed to this process alone, so that it can abort.
constexpr std::array kSignals = {SYS_kill, SYS_tgkill};

#if defined(__x86_64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
#error "the system calls of this machine are not known"
#endif

sock_filter load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}
sock_filter answer(std::uint32_t what) { return BPF_STMT(BPF_RET | BPF_K, what); }
// Skips `then` instructions where what was loaded is `value`, else `otherwise`.
sock_filter branch(std::uint32_t value, std::uint8_t then, std::uint8_t otherwise) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, then, otherwise);
}

// A refused call fails with EPERM, which libraries take for an answer; another machine's calls
// (those of 32-bit programs have other numbers) end the process.
std::vector<sock_filter> filter_for(pid_t self) {
  constexpr std::uint32_t kRefused = SECCOMP_RET_ERRNO | EPERM;
  constexpr std::uint32_t kX32 = 0x40000000;
  std::vector<sock_filter> code = {load(offsetof(seccomp_data, arch)), branch(kMachine, 1, 0),
                                   answer(SECCOMP_RET_KILL_PROCESS),
                                   load(offsetof(seccomp_data, nr))};
  code.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kX32, 0, 1));
  code.push_back(answer(kRefused));
  for (const long call : kDenied) {
    code.push_back(branch(static_cast<std::uint32_t>(call), 0, 1));
    code.push_back(answer(kRefused));
  }
  for (const long call : kSignals) {
    code.push_back(branch(static_cast<std::uint32_t>(call), 0, 4));
    code.push_back(load(offsetof(seccomp_data, args)));  // little-endian: the low half
    code.push_back(branch(static_cast<std::uint32_t>(self), 0, 1));
    code.push_back(answer(SECCOMP_RET_ALLOW));
    code.push_back(answer(kRefused));
  }
  code.push_back(answer(SECCOMP_RET_ALLOW));
  return code;
}

void restrict_calls() {
  std::vector<sock_filter> code = filter_for(::getpid());
  sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) fail("seccomp");
}

void lower(int resource, rlim_t most) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) return;
  limit.rlim_cur = std::min(limit.rlim_cur, most);
  limit.rlim_max = std::min(limit.rlim_max, most);
  ::setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

// Of this process, in bytes; proc(5): the first number of statm, in pages.
std::uint64_t address_space() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
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
    lower(RLIMIT_AS, address_space() + bounds.more_memory);
  }
  if (bounds.cpu_seconds > 0) lower(RLIMIT_CPU, bounds.cpu_seconds);
}

}  // namespace

std::string why_no_box() {
  if (landlock_version() >= 1) return {};
  return errno == EOPNOTSUPP ? "Landlock is switched off in this system's kernel"
                             : "this system's kernel has no Landlock (Linux 5.13 and newer do)";
}

void close_box(const Reach& reach, const Bounds& bounds) {
  limit_resources(bounds);
  ::clearenv();
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("prctl");
  restrict_files(reach);
  restrict_calls();
}

}  // namespace lab::worker
