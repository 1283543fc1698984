// Calls of CUDA's libraries: worked out by plain loops on this machine's CPU.
#pragma once

#include <cstddef>
#include <string_view>

#include "harness/programs/guest/runtime/calls.h"

namespace lab::program {

/// One call at work, and the memory that it uses.
class LibraryCall {
 public:
  LibraryCall(Entry& entry, std::string_view name);
  /// Memory of the device, as the host may use it; null: it is not all there, which is told.
  template <typename T>
  const T* reads(const T* from, std::size_t count) {
    return reinterpret_cast<const T*>(reach(from, count * sizeof(T), 0));
  }
  [[nodiscard]] Entry& entry() { return entry_; }
  template <typename T>
  T* writes(T* into, std::size_t count) {
    return reinterpret_cast<T*>(reach(into, count * sizeof(T), 1));
  }

 private:
  std::byte* reach(const void* pointer, std::size_t bytes, std::uint32_t writes);
  Entry& entry_;
  std::string_view name_;
};

/// What a library's kernel would take on the GPU: by the bytes that it moves and by what it
/// computes, whichever is longer.
void take_library(std::size_t bytes, double operations, std::size_t element_bytes);

}  // namespace lab::program
