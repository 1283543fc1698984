// What the entries of the runtime API share: the lock, the place of the call, the last error.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "harness/program/runtime/connection.h"
#include "harness/program/runtime/timeline.h"

#define LAB_RUNTIME
#include "harness/program/include/cuda_runtime_api.h"

/// Where the program called the entry that this stands in.
#define LAB_SITE reinterpret_cast<lab::program::Site>(__builtin_return_address(0))

namespace lab::program {

/// An entry at work: no other thread is in one meanwhile.
class Entry {
 public:
  explicit Entry(Site site) : site_(site), line_(Connection::the()), lock_(line_.mutex()) {}
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

/// Work of a stream: done at once, or kept where the stream is being captured for a graph.
cudaError_t do_or_keep(Entry& entry, cudaStream_t stream, std::function<int(Site)> work);

struct Configuration {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
  Site site = 0;
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
/// Around what changes it while the host goes on: it may use nothing of what has changed.
void note_shared(Entry& entry);
void close_changed(Entry& entry);
/// The host waits for the device: it may.
void host_waits();
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
/// Copies between the host and a variable's memory on the device.
int poke(Entry& entry, std::uint64_t address, const void* from, std::uint64_t bytes);
int peek(Entry& entry, std::uint64_t address, void* to, std::uint64_t bytes);

}  // namespace lab::program
