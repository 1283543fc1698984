#include "harness/programs/guest/runtime/heap.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace lab::program {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kAlignment = 256;

}  // namespace

int Heap::allocate(Entry& entry, void** pointer, std::uint64_t bytes, MemoryKind kind,
                   bool in_stream) {
  if (pointer == nullptr) return kInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return kSuccess;
  if (is_unloading()) return cudaErrorCudartUnloading;
  watch_uses();
  const bool shared = kind != MemoryKind::kDevice;
  const std::uint64_t base = round_up(next_, shared ? kPage : kAlignment);
  const std::uint64_t end = base + (shared ? round_up(bytes, kPage) : bytes);
  if (bytes > most() - used_ || end + kGuardBytes > kArenaBase + kArenaBytes) {
    return kOutOfMemory;
  }
  if (shared && ::mprotect(reinterpret_cast<void*>(base), end - base, PROT_READ | PROT_WRITE)) {
    return kOutOfMemory;
  }
  blocks_[base] = {bytes, kind, in_stream};
  used_ += bytes;
  next_ = end + kGuardBytes;
  entry.line().note(Allocate{base, bytes, kind, in_stream ? 1U : 0U}, entry.site());
  *pointer = reinterpret_cast<void*>(base);
  return kSuccess;
}

int Heap::release(Entry& entry, void* pointer, bool in_stream) {
  if (pointer == nullptr) return kSuccess;
  const auto base = reinterpret_cast<std::uint64_t>(pointer);
  const auto at = blocks_.find(base);
  // cudaFree() waits for the device, but not where the memory is a pool's (Programming Guide,
  // "Stream Ordered Memory Allocator").
  const bool of_pool = at != blocks_.end() && at->second.in_stream;
  if (!in_stream && !of_pool) host_waits(entry, WaitFor::kAll);
  const FreedBy by = in_stream ? FreedBy::kStream : of_pool ? FreedBy::kAtOnce : FreedBy::kHost;
  entry.line().note(Free{base, by}, entry.site());
  if (at == blocks_.end()) return kInvalidValue;
  const std::uint64_t from = base / kPage * kPage;
  const std::uint64_t to = round_up(base + at->second.bytes, kPage);
  // Guards keep pages of others away.
  ::mprotect(reinterpret_cast<void*>(from), to - from, PROT_NONE);
  ::fallocate(kArena, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              static_cast<off_t>(from - kArenaBase), static_cast<off_t>(to - from));
  used_ -= at->second.bytes;
  blocks_.erase(at);
  return kSuccess;
}

void Heap::release_all(Entry& entry) {
  while (!blocks_.empty()) {
    release(entry, reinterpret_cast<void*>(blocks_.begin()->first));
  }
}

const std::pair<const std::uint64_t, Heap::Block>* Heap::find(std::uint64_t address) const {
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return nullptr;
  --after;
  return address - after->first < after->second.bytes ? &*after : nullptr;
}

std::uint64_t Heap::most() {
  static const std::uint64_t kBytes = std::min<std::uint64_t>(
      device_memory_bytes(), static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                                 static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 4 * 3);
  return kBytes;
}

Heap& heap() {
  static auto* one = new Heap;
  return *one;
}

}  // namespace lab::program
