// What the entries of the runtime API share: the lock, the place of the call, the last error.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "harness/programs/guest/runtime/connection.h"
#include "harness/programs/guest/runtime/timeline.h"

#define LAB_RUNTIME
#include "harness/programs/guest/include/cuda_runtime_api.h"

/// Where the program called the entry that this stands in.
#define LAB_SITE \
  lab::program::site_of(reinterpret_cast<lab::program::Site>(__builtin_return_address(0)))

namespace lab::program {

/// Where an entry was called; of one that another calls for a thread's own stream, where that was.
[[nodiscard]] Site site_of(Site returns_to);
/// Whether the call under way means the thread's own default stream by 0.
[[nodiscard]] bool is_default_per_thread();

/// Whether the program is past the end of main: destructors of what was there before its first call
/// find a runtime that is unloading.
[[nodiscard]] bool is_unloading();

/// An entry at work: no other thread is in one meanwhile.
class Entry {
 public:
  explicit Entry(Site site);
  [[nodiscard]] Connection& line() { return line_; }
  [[nodiscard]] Site site() const { return site_; }
  /// The entry's result: an error stays until the program asks for it.
  cudaError_t end(int error);
  cudaError_t end(cudaError_t error) { return end(static_cast<int>(error)); }

 private:
  Site site_;
  Connection& line_;
  std::lock_guard<std::recursive_mutex> lock_;
};

Timeline& timeline();
/// Work of the stream that is being worked on takes this long on the GPU; the host waits for what
/// was queued into none (a copy that blocks).
void take(Engine engine, double nanoseconds, double share = 1);
/// The host waits for what was taken last.
void wait_for_taken();

/// What is said of memory from now on is of a new work, in a stream or, for a graph's nodes, in a
/// line of their own. Returns the work's number.
std::uint64_t begin_work(Entry& entry, cudaStream_t stream);
std::uint64_t begin_work_in(Entry& entry, std::uint64_t line);
/// The work that was begun last, and the line that it is in.
std::uint64_t current_work();
std::uint64_t current_line();
/// Whether the work under way is a node of a graph, which the host launches without waiting.
bool in_graph();
/// A number that no stream, event or line of nodes has yet.
std::uint64_t new_id();

/// Work of a stream: done at once, or kept where the stream is being captured for a graph.
cudaError_t do_or_keep(Entry& entry, cudaStream_t stream, std::function<int(Site)> work);

struct Configuration {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
  Site site = 0;
  bool cooperative = false;
  dim3 cluster = {0, 0, 0};  ///< blocks, as the launch asks; zeros: it does not
};
/// Where the innermost <<<>>> under way was configured, which this ends; `otherwise`: there is
/// none.
Site configured_site(Site otherwise);
cudaError_t launch_from(Entry& entry, const void* kernel, const Configuration& how,
                        void** arguments);

/// What the device answers for an attribute, by its number.
int attribute(int number);

/// Memory of the device.
int allocate(Entry& entry, void** pointer, std::uint64_t bytes, MemoryKind kind);
int release(Entry& entry, void* pointer);
/// Where rows begin, and how far they are apart in bytes.
struct Rows {
  void* at = nullptr;
  std::size_t pitch = 0;
};
int copy_rows(Entry& entry, Rows to, Rows from, std::size_t width, std::size_t height,
              enum cudaMemcpyKind kind);
/// Fills rows with a value as wide as an element of 1, 2 or 4 bytes; `width` counts in elements.
int fill_rows(Entry& entry, const cudaMemsetParams& how);
/// Of plane `z` behind a place in an array, whose x counts in texels.
Rows rows_of(cudaArray_t array, cudaPos at, std::size_t z);
std::size_t texel_bytes_of(cudaArray_t array);
bool holds(cudaArray_t array, cudaPos at, cudaExtent extent);

/// f(base, bytes) for all memory that host and kernels share.
void each_shared(const std::function<void(std::uint64_t, std::uint64_t)>& each);
/// From now on the first use of what the host may not use is told.
void watch_uses();
/// Around what changes it while the host goes on: it may use nothing of what has changed.
void note_shared(Entry& entry);
void close_changed(Entry& entry);
/// The host waits: it may use what the works have changed that are done by then. `id` is a
/// stream's, an event's or a work's.
void host_waits(Entry& entry, WaitFor what, std::uint64_t id = 0);
void host_waits_for_stream(Entry& entry, cudaStream_t stream);
/// The work under way copies from memory that the host may change meanwhile.
void watch_source(Entry& entry, const void* from, const void* reachable, std::size_t bytes);
/// The device is about to change such memory, as it is reached here: what the host does to it is
/// not told apart from then on.
void release_source(Entry& entry, const void* reachable, std::size_t bytes);
/// A kernel was launched, and the host goes on.
void host_goes_on();

/// Makes memory of the program's that a kernel reads or writes under another address, registered
/// host memory and managed variables, the same before and after a launch.
void before_launch(Entry& entry);
void after_launch(Entry& entry);
/// Memory of the host's that stands for a managed variable of a kernel's file.
void add_managed(void* host);
/// Gives the host's copies of managed variables what their declarations say.
void begin_managed(Entry& entry);

/// The variable behind a host's address, 0: it is none. Both from the program's start.
struct KnownVariable {
  void* host = nullptr;
  std::uint64_t bytes = 0;
};
[[nodiscard]] const std::vector<KnownVariable>& known_variables();
[[nodiscard]] VariableFacts variable_facts(Entry& entry, const void* symbol);
/// Copies between the host and a variable's memory on the device; `aside`: for no work of the
/// program's.
int poke(Entry& entry, std::uint64_t address, const void* from, std::uint64_t bytes,
         std::uint32_t aside = 0);
int peek(Entry& entry, std::uint64_t address, void* to, std::uint64_t bytes,
         std::uint32_t aside = 0);

}  // namespace lab::program
