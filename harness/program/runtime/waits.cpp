// What the host may not touch until it has waited: words of managed and pinned memory that a launch
// or a copy has changed since. Their pages cannot be reached meanwhile. The first use of a changed
// word is a finding, and opens its page; uses of others are let through one by one.
#include <signal.h>
#include <sys/mman.h>

#include <cstring>
#include <map>
#include <utility>

#include "harness/program/runtime/calls.h"

namespace lab::program {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kMostWatched = std::uint64_t{64} << 20U;

// As it was before, and how often the host was let through to it.
struct Page {
  std::vector<std::byte> bytes;
  int uses = 0;
};
// A use costs two signals.
constexpr int kMostUses = 256;

struct Watched {
  std::map<std::uint64_t, Page> before;  // of all that the host can reach, by address
  std::map<std::uint64_t, Page> closed;
  std::uint64_t stepped = 0;  // the page that one instruction may reach; 0: none
  struct sigaction others = {};
};
Watched& watched() {
  static auto* one = new Watched;
  return *one;
}

void open_page(std::uint64_t page) {
  ::mprotect(reinterpret_cast<void*>(page), kPage, PROT_READ | PROT_WRITE);
}

// Whether the word at `address` is another one than before.
bool has_changed(const Page& before, std::uint64_t page, std::uint64_t address) {
  constexpr std::uint64_t kWord = 4;
  const std::uint64_t at = (address - page) / kWord * kWord;
  const std::byte* const now = Connection::the().host(page);
  return std::memcmp(before.bytes.data() + at, now + at, kWord) != 0;
}

// Where a thread was interrupted, and one more instruction for it. `begin_step` is false where no
// program may ask for that: a page that was touched stays open then.
#if defined(__x86_64__)
constexpr greg_t kTrapFlag = 0x100;
bool begin_step(ucontext_t& thread) {
  thread.uc_mcontext.gregs[REG_EFL] |= kTrapFlag;
  return true;
}
void end_step(ucontext_t& thread) { thread.uc_mcontext.gregs[REG_EFL] &= ~kTrapFlag; }
std::uint64_t place_of(const ucontext_t& thread) {
  return static_cast<std::uint64_t>(thread.uc_mcontext.gregs[REG_RIP]);
}
#elif defined(__aarch64__)
bool begin_step(ucontext_t& /*thread*/) { return false; }
void end_step(ucontext_t& /*thread*/) {}
std::uint64_t place_of(const ucontext_t& thread) { return thread.uc_mcontext.pc; }
#endif

void touched(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  const std::uint64_t page = address / kPage * kPage;
  auto& closed = watched().closed;
  const auto at = closed.find(page);
  if (at == closed.end()) {  // somebody else's
    ::sigaction(signal, &watched().others, nullptr);
    return;
  }
  auto& thread = *static_cast<ucontext_t*>(context);
  const bool changed = has_changed(at->second, page, address);
  open_page(page);
  if (!changed && ++at->second.uses < kMostUses && watched().stepped == 0 && begin_step(thread)) {
    watched().stepped = page;
    return;
  }
  closed.erase(at);
  if (!changed) return;
  // A place in the code is that behind a call.
  const Site site = static_cast<Site>(place_of(thread)) + 1;
  Entry entry(site);
  entry.line().note(Unwaited{address}, site);
}

// Behind the instruction that was let through.
void stepped(int /*signal*/, siginfo_t* /*info*/, void* context) {
  const std::uint64_t page = std::exchange(watched().stepped, 0);
  end_step(*static_cast<ucontext_t*>(context));
  if (watched().closed.contains(page)) {
    ::mprotect(reinterpret_cast<void*>(page), kPage, PROT_NONE);
  }
}

std::uint64_t unwaited_launches = 0;

// What kernels print comes when the host waits for them (CUDA C++ Programming Guide, "Formatted
// Output"): a program that ends before loses it.
__attribute__((destructor)) void tell_end() {
  if (unwaited_launches == 0) return;
  Entry entry(0);
  entry.line().note(Unwaited{0, unwaited_launches}, 0);
}

void install() {
  static const bool kOnce = [] {
    struct sigaction step = {};
    step.sa_sigaction = stepped;
    step.sa_flags = SA_SIGINFO;
    ::sigaction(SIGTRAP, &step, nullptr);
    struct sigaction action = {};
    action.sa_sigaction = touched;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    ::sigaction(SIGSEGV, &action, &watched().others);
    return true;
  }();
  static_cast<void>(kOnce);
}

void close_page(std::uint64_t page, Page&& before) {
  install();
  if (!watched().closed.try_emplace(page, std::move(before)).second) return;
  ::mprotect(reinterpret_cast<void*>(page), kPage, PROT_NONE);
}

std::vector<std::uint64_t> pages_of(std::uint64_t base, std::uint64_t bytes) {
  std::vector<std::uint64_t> pages;
  for (std::uint64_t at = base / kPage * kPage; at < base + bytes; at += kPage) pages.push_back(at);
  return pages;
}

}  // namespace

void host_goes_on() { ++unwaited_launches; }

void host_waits() {
  unwaited_launches = 0;
  for (const auto& [page, before] : watched().closed) open_page(page);
  watched().closed.clear();
}

void note_shared(Entry& entry) {
  auto& before = watched().before;
  before.clear();
  std::uint64_t bytes = 0;
  each_shared([&](std::uint64_t, std::uint64_t size) { bytes += size; });
  if (bytes > kMostWatched) return;
  each_shared([&](std::uint64_t base, std::uint64_t size) {
    for (const std::uint64_t page : pages_of(base, size)) {
      const std::byte* const at = entry.line().host(page);
      before.emplace(page, Page{{at, at + kPage}});
    }
  });
}

void close_changed(Entry& entry) {
  for (auto& [page, old] : watched().before) {
    if (std::memcmp(old.bytes.data(), entry.line().host(page), kPage) != 0) {
      close_page(page, std::move(old));
    }
  }
  watched().before.clear();
}

}  // namespace lab::program
