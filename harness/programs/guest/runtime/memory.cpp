// Memory of the device, and copies from, to and within it.
#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "harness/programs/guest/runtime/calls.h"
#include "harness/programs/guest/runtime/heap.h"
#include "harness/programs/guest/runtime/library.h"

namespace lab::program {

namespace {

constexpr std::uint64_t kPitch = 512;

// Host memory that kernels may reach: a copy in the arena stands for it during a launch.
struct Registered {
  std::uint64_t device = 0;
  std::uint64_t bytes = 0;
};
std::map<void*, Registered>& registered() {
  static auto* all = new std::map<void*, Registered>;
  return *all;
}

std::uint64_t number(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

// What a copy moves from or to: the host's memory, the arena, or a variable of a kernel's file.
enum class Where { kHost, kArena, kVariable };
bool is_variable(std::uint64_t address) {
  constexpr std::uint64_t kModelBase = 0x0000001000000000U;
  constexpr std::uint64_t kConstWindow = 0x00007e0000000000U;
  constexpr std::uint64_t kConstBytes = std::uint64_t{1} << 32U;
  return (address >= kModelBase && address < kArenaBase) ||
         (!known_variables().empty() && address - kConstWindow < kConstBytes);
}
Where where(const void* pointer) {
  if (Connection::in_arena(number(pointer))) return Where::kArena;
  return is_variable(number(pointer)) ? Where::kVariable : Where::kHost;
}

bool is_whole(const void* pointer, std::size_t bytes) {
  const auto* block = heap().find(number(pointer));
  return block != nullptr && bytes <= block->first + block->second.bytes - number(pointer);
}

bool fits(enum cudaMemcpyKind kind, const void* to, const void* from) {
  const bool to_device = where(to) != Where::kHost;
  const bool from_device = where(from) != Where::kHost;
  // The host may use pinned and managed memory as its own.
  const auto both = [](const void* pointer) {
    const auto* block = heap().find(number(pointer));
    return block != nullptr && block->second.kind != MemoryKind::kDevice;
  };
  switch (kind) {
    case cudaMemcpyHostToHost:
      return (!to_device || both(to)) && (!from_device || both(from));
    case cudaMemcpyHostToDevice:
      return to_device && (!from_device || both(from));
    case cudaMemcpyDeviceToHost:
      return from_device && (!to_device || both(to));
    case cudaMemcpyDeviceToDevice:
      return to_device && from_device;
    default:
      return true;
  }
}

bool is_pageable(const void* pointer) {
  if (where(pointer) != Where::kHost) return false;
  const auto* const at = static_cast<const std::byte*>(pointer);
  return std::none_of(registered().begin(), registered().end(), [at](const auto& one) {
    const auto* const begin = static_cast<const std::byte*>(one.first);
    return begin <= at && at < begin + one.second.bytes;
  });
}

// `noted`: that the source is read.
int copy(Entry& entry, void* to, const void* from, std::size_t bytes, bool noted = false) {
  if (bytes == 0) return kSuccess;
  const Where source = where(from);
  const Where target = where(to);
  if (source == Where::kArena && !is_whole(from, bytes)) {
    entry.line().note(Read{{number(from), bytes}}, entry.site());
    return kInvalidValue;
  }
  if (target == Where::kArena && !is_whole(to, bytes)) {
    entry.line().note(Written{{number(to), bytes}}, entry.site());
    return kInvalidValue;
  }
  if (source == Where::kArena) {
    if (!noted) entry.line().note(Read{{number(from), bytes}}, entry.site());
    from = entry.line().host(number(from));
  }
  if (target == Where::kVariable) {
    if (source != Where::kVariable) return poke(entry, number(to), from, bytes);
    std::vector<std::byte> between(bytes);
    const int error = peek(entry, number(from), between.data(), bytes);
    return error != 0 ? error : poke(entry, number(to), between.data(), bytes);
  }
  for (const bool writes : {false, true}) {
    const void* const side = writes ? to : from;
    if ((writes ? target : source) != Where::kHost || is_pageable(side)) continue;
    entry.line().note(HostUse{{number(side), bytes}, writes ? 1U : 0U}, entry.site());
  }
  void* const into = target == Where::kArena ? entry.line().host(number(to)) : to;
  release_source(entry, into, bytes);
  bool same = false;
  if (source == Where::kVariable) {
    const int error = peek(entry, number(from), into, bytes);
    if (error != 0) return error;
  } else {
    same = std::memcmp(into, from, bytes) == 0;
    if (!same) std::memmove(into, from, bytes);
  }
  if (target == Where::kArena) {
    entry.line().note(Written{{number(to), bytes}, same ? 1U : 0U}, entry.site());
  }
  return kSuccess;
}

// Pinned memory lies in the arena too, and behind the same link as any of the host's.
bool is_hosts(const void* pointer) {
  const auto* block = heap().find(number(pointer));
  return where(pointer) == Where::kHost ||
         (block != nullptr && block->second.kind == MemoryKind::kPinned);
}

// How long copies and fills take on an H200: measured by tests/bench/copies.cu, less the 1.3 us
// between two events with nothing between them.
struct Speed {
  double latency_ns;
  double bytes_per_ns;
};
constexpr Speed kPinnedUp = {3400, 55.4};
constexpr Speed kPinnedDown = {2300, 55.4};
constexpr Speed kPageableUp = {2200, 12};
constexpr Speed kPageableDown = {7900, 10.5};
constexpr Speed kWithin = {5000, 2035};
constexpr Speed kFill = {1400, 4215};

void take(Engine engine, Speed speed, std::size_t bytes) {
  take(engine, speed.latency_ns + static_cast<double>(bytes) / speed.bytes_per_ns);
}

void take_time(const void* to, const void* from, std::size_t bytes) {
  if (!is_hosts(to) && !is_hosts(from)) return take(Engine::kCompute, kWithin, bytes);
  const bool pageable = is_pageable(to) || is_pageable(from);
  if (is_hosts(to)) {
    take(Engine::kToHost, pageable ? kPageableDown : kPinnedDown, bytes);
  } else {
    take(Engine::kToDevice, pageable ? kPageableUp : kPinnedUp, bytes);
  }
  // Only pinned memory is copied while the host goes on (Programming Guide, "Page-Locked Host
  // Memory").
  if (pageable) wait_for_taken();
}

int checked_copy(Entry& entry, void* to, const void* from, std::size_t bytes,
                 enum cudaMemcpyKind kind, bool noted = false) {
  if (bytes == 0) return kSuccess;
  if (to == nullptr || from == nullptr) return kInvalidValue;
  return fits(kind, to, from) ? copy(entry, to, from, bytes, noted) : kInvalidValue;
}

int timed_copy(Entry& entry, void* to, const void* from, std::size_t bytes,
               enum cudaMemcpyKind kind) {
  const int error = checked_copy(entry, to, from, bytes, kind);
  if (error == 0 && bytes > 0) take_time(to, from, bytes);
  return error;
}

// Whether the host uses this memory itself.
bool is_seen(const void* pointer) {
  const auto* block = heap().find(number(pointer));
  return where(pointer) == Where::kHost ||
         (block != nullptr && block->second.kind != MemoryKind::kDevice);
}

// Work of the default stream that the host waits for where it uses the memory itself. For a copy
// within the device it waits for nothing, nor for a fill there (CUDA Runtime API, "API
// synchronization behavior").
template <typename F>
int do_and_wait(Entry& entry, bool waits, F work) {
  const std::uint64_t number = begin_work(entry, nullptr);
  const int error = work();
  if (waits) host_waits(entry, WaitFor::kWork, number);
  return error;
}

// A copy that the host does not wait for, unless it is to pageable memory (ibid.). From such memory
// it is staged before the call returns.
template <typename F>
int copy_behind(Entry& entry, void* to, const void* from, std::size_t bytes, F copy) {
  note_shared(entry);
  const int error = copy();
  close_changed(entry);
  if (error != 0 || bytes == 0) return error;
  if (is_pageable(to) && !in_graph()) {
    host_waits(entry, WaitFor::kWork, current_work());
  } else if (is_hosts(from) && !is_pageable(from)) {
    watch_source(entry, from, where(from) == Where::kArena ? entry.line().host(number(from)) : from,
                 bytes);
  }
  return error;
}

// One side of a copy of a box: an array, or memory with rows.
struct Side {
  cudaArray_t array;
  const cudaPos& at;
  const cudaPitchedPtr& memory;
  [[nodiscard]] Rows plane(std::size_t z) const {
    if (array != nullptr) return rows_of(array, at, z);
    return {static_cast<std::byte*>(memory.ptr) +
                ((at.z + z) * memory.ysize + at.y) * memory.pitch + at.x,
            memory.pitch};
  }
};

int copy_box(Entry& entry, const cudaMemcpy3DParms& box) {
  const Side from{box.srcArray, box.srcPos, box.srcPtr};
  const Side to{box.dstArray, box.dstPos, box.dstPtr};
  // The width counts in texels where an array takes part, else in bytes.
  std::size_t width = box.extent.width;
  for (const Side* side : {&from, &to}) {
    if (side->array == nullptr) continue;
    if (!holds(side->array, side->at, box.extent)) return kInvalidValue;
    width = box.extent.width * texel_bytes_of(side->array);
  }
  for (std::size_t z = 0; z < box.extent.depth; ++z) {
    const int error =
        copy_rows(entry, to.plane(z), from.plane(z), width, box.extent.height, box.kind);
    if (error != 0) return error;
  }
  return kSuccess;
}

int set_bytes(Entry& entry, void* pointer, int value, std::size_t bytes) {
  if (bytes == 0) return kSuccess;
  take(Engine::kCompute, kFill, bytes);
  if (where(pointer) == Where::kVariable) {
    const std::vector<std::byte> all(bytes, static_cast<std::byte>(value));
    return poke(entry, number(pointer), all.data(), bytes);
  }
  entry.line().note(Written{{number(pointer), bytes}, 0, 0, 1}, entry.site());
  if (where(pointer) != Where::kArena || !is_whole(pointer, bytes)) return kInvalidValue;
  release_source(entry, entry.line().host(number(pointer)), bytes);
  std::memset(entry.line().host(number(pointer)), value, bytes);
  return kSuccess;
}

int set_rows(Entry& entry, void* pointer, std::size_t pitch, int value, std::size_t width,
             std::size_t height) {
  for (std::size_t row = 0; row < height; ++row) {
    const int error =
        set_bytes(entry, static_cast<std::byte*>(pointer) + row * pitch, value, width);
    if (error != 0) return error;
  }
  return kSuccess;
}

int set_planes(Entry& entry, const cudaPitchedPtr& pointer, int value, const cudaExtent& extent) {
  for (std::size_t z = 0; z < extent.depth; ++z) {
    const int error =
        set_rows(entry, static_cast<std::byte*>(pointer.ptr) + z * pointer.ysize * pointer.pitch,
                 pointer.pitch, value, extent.width, extent.height);
    if (error != 0) return error;
  }
  return kSuccess;
}

void repeat(std::byte* into, std::uint32_t value, std::size_t element_bytes, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += element_bytes)
    std::memcpy(into + i, &value, element_bytes);
}

// Managed variables lie in a section of their own: the host's copies are what the host uses.
struct Section {
  char* begin = nullptr;
  char* end = nullptr;
};
Section& managed_section() {
  static Section section;
  return section;
}

std::set<void*>& managed_by_pointer() {
  static auto* all = new std::set<void*>;
  return *all;
}

template <typename F>
void each_managed(F f) {
  for (const KnownVariable& variable : known_variables()) {
    const auto* host = static_cast<char*>(variable.host);
    const bool in_section = host >= managed_section().begin && host < managed_section().end;
    if (in_section || managed_by_pointer().contains(variable.host)) f(variable);
  }
}

}  // namespace

int allocate(Entry& entry, void** pointer, std::uint64_t bytes, MemoryKind kind) {
  return heap().allocate(entry, pointer, bytes, kind);
}
int release(Entry& entry, void* pointer) { return heap().release(entry, pointer); }

int copy_rows(Entry& entry, Rows to, Rows from, std::size_t width, std::size_t height,
              enum cudaMemcpyKind kind) {
  if (width > to.pitch || width > from.pitch) return cudaErrorInvalidPitchValue;
  // Rows that follow each other are one.
  if (width == to.pitch && width == from.pitch) {
    width *= height;
    height = std::min<std::size_t>(height, 1);
  }
  // Rows of one allocation are one copy; others are looked at one by one.
  const bool whole = height > 1 && width > 0 && where(from.at) == Where::kArena &&
                     is_whole(from.at, (height - 1) * from.pitch + width);
  if (whole) {
    entry.line().note(Read{{number(from.at), width}, height, from.pitch}, entry.site());
  }
  for (std::size_t row = 0; row < height; ++row) {
    const int error =
        checked_copy(entry, static_cast<std::byte*>(to.at) + row * to.pitch,
                     static_cast<const std::byte*>(from.at) + row * from.pitch, width, kind, whole);
    if (error != 0) return error;
  }
  if (height > 0 && width > 0) take_time(to.at, from.at, width * height);
  return kSuccess;
}

int fill_rows(Entry& entry, const cudaMemsetParams& how) {
  const std::size_t width = how.width * how.elementSize;
  if (how.elementSize != 1 && how.elementSize != 2 && how.elementSize != 4) return kInvalidValue;
  const std::size_t pitch = how.height > 1 ? how.pitch : width;
  const int error = set_rows(entry, how.dst, pitch, static_cast<int>(how.value), width, how.height);
  if (error != 0 || where(how.dst) != Where::kArena) return error;
  for (std::size_t row = 0; row < how.height; ++row) {
    repeat(entry.line().host(number(how.dst) + row * pitch), how.value, how.elementSize, width);
  }
  return kSuccess;
}

LibraryCall::LibraryCall(Entry& entry, std::string_view name) : entry_(entry), name_(name) {
  entry.line().note(LibraryCalled{}, entry.site(), name.data(), name.size());
}

std::byte* LibraryCall::reach(const void* pointer, std::size_t bytes, std::uint32_t writes) {
  const std::uint64_t address = number(pointer);
  entry_.line().note(LibraryUse{{address, bytes}, writes}, entry_.site(), name_.data(),
                     name_.size());
  if (where(pointer) != Where::kArena || !is_whole(pointer, bytes)) return nullptr;
  if (writes != 0) release_source(entry_, entry_.line().host(address), bytes);
  return entry_.line().host(address);
}

// Of an H200's data sheet, as far as plain kernels come near it: operations and bytes in a ns.
void take_library(std::size_t bytes, double operations, std::size_t element_bytes) {
  constexpr double kStart = 2000;
  const double most = element_bytes == sizeof(double) ? 30000 : 50000;
  take(Engine::kCompute,
       kStart + std::max(static_cast<double>(bytes) / kFill.bytes_per_ns, operations / most));
}

void each_shared(const std::function<void(std::uint64_t, std::uint64_t)>& each) {
  heap().each([&](std::uint64_t base, const Heap::Block& block) {
    if (block.kind != MemoryKind::kDevice) each(base, block.bytes);
  });
}

void add_managed(void* host) { managed_by_pointer().insert(host); }

void before_launch(Entry& entry) {
  for (const auto& [host, at] : registered()) {
    std::memcpy(entry.line().host(at.device), host, at.bytes);
    entry.line().note(Written{{at.device, at.bytes}, 0, 1}, entry.site());
  }
  each_managed([&](const KnownVariable& variable) {
    const VariableFacts facts = variable_facts(entry, variable.host);
    if (facts.address != 0) poke(entry, facts.address, variable.host, variable.bytes, 1);
  });
}

void begin_managed(Entry& entry) {
  static auto* begun = new std::set<void*>;
  each_managed([&](const KnownVariable& variable) {
    if (!begun->insert(variable.host).second) return;
    const VariableFacts facts = variable_facts(entry, variable.host);
    if (facts.address != 0) peek(entry, facts.address, variable.host, variable.bytes, 1);
  });
}

void after_launch(Entry& entry) {
  for (const auto& [host, at] : registered()) {
    std::memcpy(host, entry.line().host(at.device), at.bytes);
  }
  each_managed([&](const KnownVariable& variable) {
    const VariableFacts facts = variable_facts(entry, variable.host);
    if (facts.address != 0) peek(entry, facts.address, variable.host, variable.bytes, 1);
  });
}

}  // namespace lab::program

using lab::program::Entry;
using lab::program::MemoryKind;
using lab::program::Site;

extern "C" {

void lab_managed_variables(char* begin, char* end) {
  if (begin == end) return;
  lab::program::managed_section() = {begin, end};
  Entry entry(0);
  lab::program::begin_managed(entry);
}

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  Entry entry(LAB_SITE);
  return entry.end(lab::program::heap().allocate(entry, pointer, bytes, MemoryKind::kDevice));
}
cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  Entry entry(LAB_SITE);
  lab::program::begin_work(entry, stream);
  return entry.end(lab::program::heap().allocate(entry, pointer, bytes, MemoryKind::kDevice, true));
}
cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t,
                                    cudaStream_t stream) {
  Entry entry(LAB_SITE);
  lab::program::begin_work(entry, stream);
  return entry.end(lab::program::heap().allocate(entry, pointer, bytes, MemoryKind::kDevice, true));
}
cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  Entry entry(LAB_SITE);
  return entry.end(lab::program::heap().allocate(entry, pointer, bytes, MemoryKind::kPinned));
}
cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int) {
  Entry entry(LAB_SITE);
  return entry.end(lab::program::heap().allocate(entry, pointer, bytes, MemoryKind::kPinned));
}
cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned int) {
  Entry entry(LAB_SITE);
  return entry.end(lab::program::heap().allocate(entry, pointer, bytes, MemoryKind::kManaged));
}
cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  Entry entry(LAB_SITE);
  *pitch = lab::program::round_up(width, lab::program::kPitch);
  return entry.end(
      lab::program::heap().allocate(entry, pointer, *pitch * height, MemoryKind::kDevice));
}
cudaError_t cudaMalloc3D(struct cudaPitchedPtr* pointer, struct cudaExtent extent) {
  Entry entry(LAB_SITE);
  pointer->pitch = lab::program::round_up(extent.width, lab::program::kPitch);
  pointer->xsize = extent.width;
  pointer->ysize = extent.height;
  return entry.end(lab::program::heap().allocate(
      entry, &pointer->ptr, pointer->pitch * extent.height * extent.depth, MemoryKind::kDevice));
}
cudaError_t cudaFree(void* pointer) {
  Entry entry(LAB_SITE);
  return entry.end(lab::program::heap().release(entry, pointer));
}
cudaError_t cudaFreeHost(void* pointer) {
  Entry entry(LAB_SITE);
  return entry.end(lab::program::heap().release(entry, pointer));
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  Entry entry(LAB_SITE);
  lab::program::begin_work(entry, stream);
  return entry.end(lab::program::heap().release(entry, pointer, true));
}
cudaError_t cudaDeviceReset(void) {
  Entry entry(LAB_SITE);
  lab::program::host_waits(entry, lab::program::WaitFor::kAll);
  lab::program::heap().release_all(entry);
  return entry.end(lab::program::kSuccess);
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned int) {
  Entry entry(LAB_SITE);
  auto& all = lab::program::registered();
  if (all.contains(pointer)) return entry.end(cudaErrorHostMemoryAlreadyRegistered);
  void* device = nullptr;
  const int error = lab::program::heap().allocate(entry, &device, bytes, MemoryKind::kPinned);
  if (error == 0) all[pointer] = {lab::program::number(device), bytes};
  return entry.end(error);
}
cudaError_t cudaHostUnregister(void* pointer) {
  Entry entry(LAB_SITE);
  auto& all = lab::program::registered();
  const auto at = all.find(pointer);
  if (at == all.end()) return entry.end(cudaErrorHostMemoryNotRegistered);
  const int error = lab::program::heap().release(entry, reinterpret_cast<void*>(at->second.device));
  all.erase(at);
  return entry.end(error);
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int) {
  Entry entry(LAB_SITE);
  for (const auto& [begin, at] : lab::program::registered()) {
    const std::uint64_t offset = lab::program::number(host) - lab::program::number(begin);
    if (offset >= at.bytes) continue;
    *device = reinterpret_cast<void*>(at.device + offset);
    return entry.end(lab::program::kSuccess);
  }
  *device = host;
  const bool known = lab::program::heap().find(lab::program::number(host)) != nullptr;
  return entry.end(known ? lab::program::kSuccess : lab::program::kInvalidValue);
}
cudaError_t cudaHostGetFlags(unsigned int* flags, void* pointer) {
  Entry entry(LAB_SITE);
  *flags = cudaHostAllocMapped;
  const bool known = lab::program::heap().find(lab::program::number(pointer)) != nullptr;
  return entry.end(known ? lab::program::kSuccess : lab::program::kInvalidValue);
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  Entry entry(LAB_SITE);
  *total = lab::program::device_memory_bytes();
  // What this machine can hold: programs that take most of it shall get it.
  *free = lab::program::Heap::most() - lab::program::heap().used();
  return entry.end(lab::program::kSuccess);
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind) {
  Entry entry(LAB_SITE);
  const bool waits = lab::program::is_seen(to) || lab::program::is_seen(from);
  return entry.end(lab::program::do_and_wait(
      entry, waits, [&] { return lab::program::timed_copy(entry, to, from, bytes, kind); }));
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
  Entry entry(LAB_SITE);
  return do_or_keep(entry, stream, [=](Site site) {
    Entry later(site);
    return lab::program::copy_behind(later, to, from, bytes, [&] {
      return lab::program::timed_copy(later, to, from, bytes, kind);
    });
  });
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind) {
  Entry entry(LAB_SITE);
  const bool waits = lab::program::is_seen(to) || lab::program::is_seen(from);
  return entry.end(lab::program::do_and_wait(entry, waits, [&] {
    return lab::program::copy_rows(entry, {to, to_pitch}, {const_cast<void*>(from), from_pitch},
                                   width, height, kind);
  }));
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream) {
  Entry entry(LAB_SITE);
  return do_or_keep(entry, stream, [=](Site site) {
    Entry later(site);
    // The host may write between rows that lie apart.
    const bool one = width == from_pitch || height == 1;
    return lab::program::copy_behind(later, to, from, one ? width * height : 0, [&] {
      return lab::program::copy_rows(later, {to, to_pitch}, {const_cast<void*>(from), from_pitch},
                                     width, height, kind);
    });
  });
}
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms* box) {
  Entry entry(LAB_SITE);
  const bool waits =
      lab::program::is_seen(box->dstPtr.ptr) || lab::program::is_seen(box->srcPtr.ptr);
  return entry.end(
      lab::program::do_and_wait(entry, waits, [&] { return lab::program::copy_box(entry, *box); }));
}
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms* box, cudaStream_t stream) {
  Entry entry(LAB_SITE);
  return do_or_keep(entry, stream, [one = *box](Site site) {
    Entry later(site);
    return lab::program::copy_behind(later, one.dstPtr.ptr, one.srcPtr.ptr, 0,
                                     [&] { return lab::program::copy_box(later, one); });
  });
}
cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, size_t bytes) {
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes,
                                cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
cudaError_t cudaMemset(void* pointer, int value, size_t bytes) {
  Entry entry(LAB_SITE);
  return entry.end(lab::program::do_and_wait(entry, lab::program::is_seen(pointer), [&] {
    return lab::program::set_bytes(entry, pointer, value, bytes);
  }));
}
cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t stream) {
  Entry entry(LAB_SITE);
  return do_or_keep(entry, stream, [=](Site site) {
    Entry later(site);
    return lab::program::set_bytes(later, pointer, value, bytes);
  });
}
cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height) {
  Entry entry(LAB_SITE);
  return entry.end(lab::program::do_and_wait(entry, lab::program::is_seen(pointer), [&] {
    return lab::program::set_rows(entry, pointer, pitch, value, width, height);
  }));
}
cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  Entry entry(LAB_SITE);
  return do_or_keep(entry, stream, [=](Site site) {
    Entry later(site);
    return lab::program::set_rows(later, pointer, pitch, value, width, height);
  });
}
cudaError_t cudaMemset3D(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent) {
  Entry entry(LAB_SITE);
  return entry.end(lab::program::do_and_wait(entry, lab::program::is_seen(pointer.ptr), [&] {
    return lab::program::set_planes(entry, pointer, value, extent);
  }));
}
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent,
                              cudaStream_t stream) {
  Entry entry(LAB_SITE);
  return do_or_keep(entry, stream, [=](Site site) {
    Entry later(site);
    return lab::program::set_planes(later, pointer, value, extent);
  });
}
cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaMemAdvise(const void*, size_t, enum cudaMemoryAdvise, int) { return cudaSuccess; }
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, size_t, unsigned int) {
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes* attributes,
                                     const void* pointer) {
  Entry entry(LAB_SITE);
  *attributes = {cudaMemoryTypeUnregistered, -2, nullptr, const_cast<void*>(pointer)};
  const auto* block = lab::program::heap().find(lab::program::number(pointer));
  if (block == nullptr) return entry.end(lab::program::kSuccess);
  constexpr cudaMemoryType kTypes[] = {cudaMemoryTypeDevice, cudaMemoryTypeHost,
                                       cudaMemoryTypeManaged};
  const MemoryKind kind = block->second.kind;
  attributes->type = kTypes[static_cast<int>(kind)];
  attributes->device = 0;
  attributes->devicePointer = const_cast<void*>(pointer);
  if (kind == MemoryKind::kDevice) attributes->hostPointer = nullptr;
  return entry.end(lab::program::kSuccess);
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  Entry entry(LAB_SITE);
  const auto facts = lab::program::variable_facts(entry, symbol);
  *pointer = reinterpret_cast<void*>(facts.address);
  return entry.end(facts.address == 0 ? lab::program::kInvalidSymbol : lab::program::kSuccess);
}
cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  Entry entry(LAB_SITE);
  const auto facts = lab::program::variable_facts(entry, symbol);
  *bytes = facts.bytes;
  return entry.end(facts.address == 0 ? lab::program::kInvalidSymbol : lab::program::kSuccess);
}

}  // extern "C"

namespace lab::program {
namespace {

int copy_symbol(Entry& entry, const void* symbol, std::size_t offset, void* to, const void* from,
                std::size_t bytes) {
  const VariableFacts facts = variable_facts(entry, symbol);
  if (facts.address == 0) return kInvalidSymbol;
  if (offset > facts.bytes || bytes > facts.bytes - offset) return kInvalidValue;
  void* const at = reinterpret_cast<void*>(facts.address + offset);
  return copy(entry, to == nullptr ? at : to, from == nullptr ? at : from, bytes);
}

}  // namespace
}  // namespace lab::program

extern "C" {

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind) {
  Entry entry(LAB_SITE);
  return entry.end(lab::program::do_and_wait(entry, lab::program::is_seen(from), [&] {
    return lab::program::copy_symbol(entry, symbol, offset, nullptr, from, bytes);
  }));
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                 enum cudaMemcpyKind) {
  Entry entry(LAB_SITE);
  return entry.end(lab::program::do_and_wait(entry, lab::program::is_seen(to), [&] {
    return lab::program::copy_symbol(entry, symbol, offset, to, nullptr, bytes);
  }));
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes,
                                    size_t offset, enum cudaMemcpyKind, cudaStream_t stream) {
  Entry entry(LAB_SITE);
  return do_or_keep(entry, stream, [=](Site site) {
    Entry later(site);
    return lab::program::copy_symbol(later, symbol, offset, nullptr, from, bytes);
  });
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind, cudaStream_t stream) {
  Entry entry(LAB_SITE);
  return do_or_keep(entry, stream, [=](Site site) {
    Entry later(site);
    return lab::program::copy_symbol(later, symbol, offset, to, nullptr, bytes);
  });
}

}  // extern "C"
