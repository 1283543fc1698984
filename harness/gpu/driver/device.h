// Driver objects that release themselves: context, stream, event, memory, module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/core/launch.h"
#include "harness/gpu/driver/driver.h"
#include "harness/gpu/driver/handle.h"

namespace lab::gpu {

/// Memory on the device; freed when this is destroyed.
class Memory {
 public:
  Memory() = default;
  Memory(std::shared_ptr<const Driver> driver, std::size_t bytes);

  [[nodiscard]] CUdeviceptr address() const { return handle_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  void upload(std::span<const std::byte> from) const;
  void download(std::span<std::byte> to, std::size_t from = 0) const;

 private:
  std::shared_ptr<const Driver> driver_;
  std::size_t size_ = 0;
  Handle<CUdeviceptr> handle_;
};

/// A new context, current on the thread that made it.
class Context {
 public:
  Context(std::shared_ptr<const Driver> driver, CUdevice device);

  [[nodiscard]] const std::shared_ptr<const Driver>& driver() const { return driver_; }
  [[nodiscard]] CUdevice device() const { return device_; }
  [[nodiscard]] CUcontext get() const { return handle_.get(); }
  [[nodiscard]] CUstream stream() const { return stream_.get(); }

  [[nodiscard]] Memory allocate(std::size_t bytes) const { return {driver_, bytes}; }
  [[nodiscard]] std::size_t free_bytes() const;
  void copy(const Memory& to, const Memory& from, std::size_t bytes) const;
  void fill(const Memory& memory, std::uint8_t value, std::size_t bytes) const;
  /// Waits for the stream, and throws the error that a kernel on it ended with.
  void synchronize(std::string_view object = {}) const;

 private:
  std::shared_ptr<const Driver> driver_;
  CUdevice device_;
  Handle<CUcontext> handle_;
  Handle<CUstream> stream_;
};

/// A point in a stream's work.
class Event {
 public:
  explicit Event(const Context& context);
  void record() const;
  /// Nanoseconds from `start` to this event, with a resolution of about half a microsecond.
  [[nodiscard]] double ns_since(const Event& start) const;

 private:
  std::shared_ptr<const Driver> driver_;
  CUstream stream_;
  Handle<CUevent> handle_;
};

/// A kernel of a loaded module.
class Function {
 public:
  Function(std::shared_ptr<const Driver> driver, CUfunction function, std::string name)
      : driver_(std::move(driver)), function_(function), name_(std::move(name)) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] int attribute(CUfunction_attribute attribute) const;
  void set_attribute(CUfunction_attribute attribute, int value) const;
  /// Blocks of `threads` threads that one SM holds at once, as the driver says.
  [[nodiscard]] int blocks_per_sm(int threads, std::size_t dynamic_shared_bytes) const;
  /// `arguments` has one pointer per kernel parameter.
  void launch(const Launch& launch, std::span<void* const> arguments, CUstream stream) const;
  /// Launches are to be cooperative: all blocks at once on the GPU, or an error.
  void set_cooperative(bool cooperative) { cooperative_ = cooperative; }

 private:
  std::shared_ptr<const Driver> driver_;
  CUfunction function_;
  std::string name_;
  bool cooperative_ = false;
};

class Module {
 public:
  /// Loads machine code, or PTX for the driver to compile (then `image` ends in a zero byte).
  Module(std::shared_ptr<const Driver> driver, std::span<const std::uint8_t> image);
  /// Throws DriverError where the module has no kernel called `lowered`.
  [[nodiscard]] Function function(const std::string& lowered) const;
  /// Copies into a variable of the module, from its first byte on. Throws an input error where it
  /// is smaller.
  void set(const std::string& lowered, std::span<const std::byte> bytes) const;
  /// Copies out of it. It has to be as large.
  void get(const std::string& lowered, std::span<std::byte> bytes) const;
  /// Whether the machine code has it: what no kernel uses is dropped.
  [[nodiscard]] bool has(const std::string& lowered) const;
  /// Throws an input error where it is smaller than `bytes`.
  [[nodiscard]] CUdeviceptr address_of(const std::string& lowered, std::size_t bytes = 0) const;

 private:
  std::shared_ptr<const Driver> driver_;
  std::vector<std::uint8_t> image_;
  Handle<CUmodule> handle_;
};

}  // namespace lab::gpu
