// What the host may not touch until it has waited: words of managed and pinned memory that a launch
// or a copy has changed since. Their pages cannot be reached meanwhile. The first use of a changed
// word is a finding, and opens its page; uses of others are let through one by one. Which works are
// done when the host has waited for a stream, an event or all, the worker knows.
//
// Memory of the device it may not touch at all: that ends the program, here as beside a GPU.
//
// And what the host may not change until it has waited: what copies read. It is compared when the
// host learns that they are done, and when it queues another copy of it.
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "harness/programs/guest/runtime/calls.h"

namespace lab::program {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kMostWatched = std::uint64_t{64} << 20U;

constexpr std::uint64_t kWord = 4;

// The words of a page that a work has changed.
struct Change {
  std::uint64_t work = 0;
  std::array<std::uint64_t, kPage / kWord / 64> words = {};  // a bit each
  [[nodiscard]] bool has(std::uint64_t offset) const {
    return ((words[offset / kWord / 64] >> (offset / kWord % 64)) & 1U) != 0;
  }
};
struct Page {
  std::vector<Change> changes;
  int uses = 0;  // how often the host was let through to it
};
// A use costs two signals.
constexpr int kMostUses = 256;

struct Watched {
  std::map<std::uint64_t, std::vector<std::byte>> before;  // all that the host can reach, by page
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

// The work that has changed the word at `address`; 0: none.
std::uint64_t changed_by(const Page& page, std::uint64_t offset) {
  for (const Change& one : page.changes) {
    if (one.has(offset)) return one.work;
  }
  return 0;
}

// Where a thread was interrupted, and one more instruction for it. `begin_step` is false where no
// program may ask for that: a page that was touched stays open then.
#if defined(__x86_64__)
constexpr greg_t kWriteFault = 2;  // of a page fault's error code
bool writes(const ucontext_t& thread) {
  return (thread.uc_mcontext.gregs[REG_ERR] & kWriteFault) != 0;
}
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
bool writes(const ucontext_t& /*thread*/) { return false; }
bool begin_step(ucontext_t& /*thread*/) { return false; }
void end_step(ucontext_t& /*thread*/) {}
std::uint64_t place_of(const ucontext_t& thread) { return thread.uc_mcontext.pc; }
#endif

// A place in the code is that behind a call.
Site site_of(const ucontext_t& thread) { return static_cast<Site>(place_of(thread)) + 1; }

void tell_touched(std::uint64_t address, const ucontext_t& thread) {
  Entry entry(site_of(thread));
  entry.line().note(HostTouches{address, writes(thread) ? 1U : 0U}, entry.site());
}

void touched(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  const std::uint64_t page = address / kPage * kPage;
  auto& closed = watched().closed;
  const auto at = closed.find(page);
  auto& thread = *static_cast<ucontext_t*>(context);
  if (at == closed.end()) {
    if (Connection::in_arena(address)) tell_touched(address, thread);
    ::sigaction(signal, &watched().others, nullptr);  // what it does ends the program
    return;
  }
  const std::uint64_t work = changed_by(at->second, address - page);
  open_page(page);
  if (work == 0 && ++at->second.uses < kMostUses && watched().stepped == 0 && begin_step(thread)) {
    watched().stepped = page;
    return;
  }
  closed.erase(at);
  if (work == 0) return;
  Entry entry(site_of(thread));
  entry.line().note(Unwaited{address, 0, work}, entry.site());
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

}  // namespace

void watch_uses() {
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

namespace {

// In which words two pages differ.
std::array<std::uint64_t, kPage / kWord / 64> words_changed(const std::byte* a,
                                                            const std::byte* b) {
  std::array<std::uint64_t, kPage / kWord / 64> changed = {};
  for (std::size_t i = 0; i < kPage / kWord; ++i) {
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    std::memcpy(&x, a + i * kWord, kWord);
    std::memcpy(&y, b + i * kWord, kWord);
    changed[i / 64] |= std::uint64_t{x != y} << (i % 64);
  }
  return changed;
}

void close_page(std::uint64_t page, Change change) {
  watch_uses();
  std::vector<Change>& changes = watched().closed[page].changes;
  if (changes.empty() || changes.back().work != change.work) {
    changes.push_back(change);
  } else {
    for (std::size_t i = 0; i < change.words.size(); ++i)
      changes.back().words[i] |= change.words[i];
  }
  ::mprotect(reinterpret_cast<void*>(page), kPage, PROT_NONE);
}

// What a copy reads, as it was when it was queued.
struct Source {
  std::uint64_t work = 0;
  Site site = 0;
  const void* from = nullptr;  // as the program has it
  const std::byte* at = nullptr;
  std::size_t bytes = 0;
  std::uint64_t digest = 0;
  bool told = false;
};
std::vector<Source>& sources() {
  static auto* all = new std::vector<Source>;
  return *all;
}

// FNV-1a of words.
std::uint64_t digest_of(const std::byte* at, std::size_t bytes) {
  constexpr std::uint64_t kPrime = 0x00000100000001b3U;
  std::uint64_t sums[4] = {1, 2, 3, 4};
  std::size_t done = 0;
  for (std::size_t i = 0; done + sizeof(std::uint64_t) <= bytes;
       ++i, done += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, at + done, sizeof word);
    sums[i % 4] = (sums[i % 4] ^ word) * kPrime;
  }
  for (; done < bytes; ++done) sums[0] = (sums[0] ^ static_cast<std::uint64_t>(at[done])) * kPrime;
  return sums[0] ^ sums[1] * 3 ^ sums[2] * 5 ^ sums[3] * 7;
}

// Tells of one that is another by now.
void look_at(Entry& entry, Source& source) {
  if (source.told || digest_of(source.at, source.bytes) == source.digest) return;
  source.told = true;
  entry.line().note(
      SourceChanged{{reinterpret_cast<std::uint64_t>(source.from), source.bytes}, entry.site()},
      source.site);
}

// Works that something here waits for.
std::vector<std::uint64_t> works_awaited() {
  std::set<std::uint64_t> all;
  for (const auto& [page, closed] : watched().closed) {
    for (const Change& one : closed.changes) all.insert(one.work);
  }
  for (const Source& one : sources()) all.insert(one.work);
  constexpr std::size_t kMost = kMostTail / sizeof(std::uint64_t);
  std::vector<std::uint64_t> numbers(all.begin(), all.end());
  numbers.resize(std::min(numbers.size(), kMost));
  return numbers;
}

void are_done(Entry& entry, const std::set<std::uint64_t>& works) {
  for (auto at = watched().closed.begin(); at != watched().closed.end();) {
    std::erase_if(at->second.changes, [&](const Change& one) { return works.contains(one.work); });
    const bool open = at->second.changes.empty();
    if (open) open_page(at->first);
    at = open ? watched().closed.erase(at) : std::next(at);
  }
  for (Source& one : sources()) {
    if (works.contains(one.work)) look_at(entry, one);
  }
  std::erase_if(sources(), [&](const Source& one) { return works.contains(one.work); });
}

std::vector<std::uint64_t> pages_of(std::uint64_t base, std::uint64_t bytes) {
  std::vector<std::uint64_t> pages;
  for (std::uint64_t at = base / kPage * kPage; at < base + bytes; at += kPage) pages.push_back(at);
  return pages;
}

}  // namespace

void host_goes_on() { ++unwaited_launches; }

void host_waits(Entry& entry, WaitFor what, std::uint64_t id) {
  const std::vector<std::uint64_t> numbers = works_awaited();
  const bool asks = std::exchange(unwaited_launches, 0) != 0 || !numbers.empty();
  // What kernels have printed comes now, behind what the program has printed before.
  if (asks) std::fflush(stdout);
  const HostWaits wait{what, id, asks ? 1U : 0U};
  if (!asks) return entry.line().note(wait, entry.site());
  entry.line().ask(wait, entry.site(), numbers.data(), numbers.size() * sizeof numbers[0]);
  const std::vector<std::byte>& done = entry.line().tail();
  std::set<std::uint64_t> works;
  for (std::size_t i = 0; i < std::min(done.size(), numbers.size()); ++i) {
    if (done[i] != std::byte{0}) works.insert(numbers[i]);
  }
  are_done(entry, works);
}

void watch_source(Entry& entry, const void* from, const void* reachable, std::size_t bytes) {
  // Copies that are never waited for are few in an honest program.
  constexpr std::size_t kMostSources = 1024;
  if (bytes > kMostWatched || sources().size() >= kMostSources) return;
  const auto* const at = static_cast<const std::byte*>(reachable);
  for (Source& one : sources()) {
    if (at < one.at + one.bytes && one.at < at + bytes) look_at(entry, one);
  }
  sources().push_back({current_work(), entry.site(), from, at, bytes, digest_of(at, bytes)});
}

void release_source(Entry& entry, const void* reachable, std::size_t bytes) {
  const auto* const at = static_cast<const std::byte*>(reachable);
  std::erase_if(sources(), [&](Source& one) {
    const bool meets = at < one.at + one.bytes && one.at < at + bytes;
    if (meets) look_at(entry, one);
    return meets;
  });
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
      before.emplace(page, std::vector<std::byte>{at, at + kPage});
    }
  });
}

void close_changed(Entry& entry) {
  for (const auto& [page, old] : watched().before) {
    const std::byte* const now = entry.line().host(page);
    if (std::memcmp(old.data(), now, kPage) == 0) continue;
    std::erase_if(sources(), [&](const Source& one) {
      return now < one.at + one.bytes && one.at < now + kPage;
    });
    close_page(page, {current_work(), words_changed(old.data(), now)});
  }
  watched().before.clear();
}

}  // namespace lab::program
