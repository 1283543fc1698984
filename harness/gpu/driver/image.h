// Textures and surfaces: an object that a kernel gets, and the array that it stands for.
#pragma once

#include <cstdint>
#include <memory>

#include "harness/core/buffer.h"
#include "harness/gpu/driver/device.h"

namespace lab::gpu {

class Image {
 public:
  /// `spec` has an image; `memory` holds its elements, and is what an object of linear memory
  /// reads.
  Image(const Context& context, const BufferSpec& spec, const Memory& memory);

  /// The handle that the kernel gets.
  [[nodiscard]] std::uint64_t object() const { return object_.get(); }
  /// The memory that it was made for.
  [[nodiscard]] CUdeviceptr address() const { return address_; }
  /// Queues a copy of the memory into the array.
  void fill() const;
  /// Queues a copy of the array into the memory.
  void read() const;

 private:
  void make_array(const BufferSpec& spec);
  void make_object(const BufferSpec& spec);
  [[nodiscard]] CUDA_MEMCPY2D shape() const;

  std::shared_ptr<const Driver> driver_;
  CUstream stream_;
  CUdeviceptr address_;
  std::size_t row_bytes_;
  std::size_t rows_;
  Handle<CUarray> array_;  // none: linear memory
  Handle<std::uint64_t> object_;
};

}  // namespace lab::gpu
