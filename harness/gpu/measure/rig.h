// A context with what every measurement needs: our own kernels, and buffers that cases share. After
// a fault all of it is lost, and the process is of no more use.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/core/compiled.h"
#include "harness/core/job.h"
#include "harness/gpu/driver/device.h"
#include "harness/gpu/driver/image.h"
#include "harness/gpu/machine/facts.h"
#include "harness/gpu/measure/replay.h"

namespace lab::gpu {

/// Device memory by content and by size, so that cases that read the same input share it.
class BufferPool {
 public:
  explicit BufferPool(const Context& context) : context_(context) {}

  /// Memory for `spec`'s initial bytes, which fill() puts there. Kernels must not write to it.
  /// `content` is the spec's content_key(), which takes long to make of many bytes.
  const Memory& pristine(const std::string& content, const BufferSpec& spec);
  /// Puts them there, unless they are: those of `host`, made anew where it has none.
  void fill(const std::string& content, const BufferSpec& spec,
            std::span<const std::byte> host = {});
  /// Memory of `bytes`, which the caller fills. A case's slots are the indices of its arguments.
  [[nodiscard]] const Memory& scratch(std::size_t slot, std::size_t bytes);
  /// Restores what a kernel has overwritten.
  void repair(const std::string& content, const BufferSpec& spec);
  /// Frees everything. Addresses returned before are then invalid.
  void clear();

 private:
  const Context& context_;
  struct Original {
    Memory memory;
    bool filled = false;
  };
  std::map<std::string, Original> pristine_;
  std::map<std::pair<std::size_t, std::size_t>, Memory> scratch_;
};

class Rig {
 public:
  /// `tools` is kToolKernels compiled for the GPU.
  Rig(const std::shared_ptr<const Driver>& driver, CUdevice device, const DeviceFacts& facts,
      const Compiled& tools);

  [[nodiscard]] const Context& context() const { return context_; }
  [[nodiscard]] BufferPool& pool() { return pool_; }
  /// Queues the sweep that evicts L2: one launch.
  void flush();
  /// Queues a wait of `ns` nanoseconds, whose result says at which clock the SMs ran.
  void delay(std::uint64_t ns);
  /// SM clock during the last delay, MHz. Waits for it.
  [[nodiscard]] double clock_mhz();

 private:
  Context context_;
  Module tools_;
  Function flush_;
  Function delay_;
  Memory sweep_;
  Memory results_;
  int sms_;
  BufferPool pool_;
};

/// Launches a case's kernel, or a library's routine, which may launch several kernels.
struct Launcher {
  /// Queues it; each argument is pointed to, in the kernel's order.
  std::function<void(std::span<void* const> arguments)> launch;
  /// Kernels that `launch` queues for these arguments.
  std::function<int(std::span<void* const> arguments)> kernels;
  /// Puts bytes into a variable of the kernel's module; a library's has none.
  std::function<void(const std::string& name, std::span<const std::byte> bytes)> set_symbol = {};
};

/// A job's kernel with its arguments in device memory.
class PreparedCase : public Replay {
 public:
  /// `job` must outlive it. `changed_inputs`: inputs known to be written to.
  PreparedCase(Rig& rig, const Job& job, Launcher launcher,
               const std::vector<std::string>& changed_inputs = {});

  [[nodiscard]] const std::string& name() const override { return job_.kernel; }
  /// Puts inputs into device memory that the host has in `before` anyway, before restore() would
  /// make them.
  void upload(Buffers& before);
  /// Restores what the kernel changes and poisons its outputs: another case may have had the memory
  /// since.
  void restore() override;
  void launch() override;
  [[nodiscard]] int kernels() override;
  /// Brings the buffers as the kernel left them, by the arguments' names; inputs are the host's own
  /// copies.
  void download(Buffers& into) const;
  /// Inputs that the kernel wrote to although they are only to be read: each launch of this case
  /// then gets its own copy. Nobody looks at more than 64 MiB of them.
  std::vector<std::string> find_changed_inputs(const Buffers& before);

 private:
  struct Slot {
    std::size_t argument;
    const BufferSpec* spec;  // the job's
    std::string content;     // content_key() of it
    bool own;                // the kernel may write: a working copy, not the shared original
    std::optional<Image> image = {};  // made of the working copy
  };
  [[nodiscard]] static bool has_original(const Slot& slot);
  void add_slot(std::size_t argument, const BufferSpec& spec, bool changed);
  [[nodiscard]] CUdeviceptr address_of(const std::string& buffer) const;
  void put_pointers(const std::vector<PointerSpec>& pointers, std::span<std::byte> into) const;
  void place();
  void place_slots();

  Rig& rig_;
  const Job& job_;
  Launcher launcher_;
  int kernels_ = 0;  // 0: not asked yet
  std::vector<Slot> slots_;
  std::vector<CUdeviceptr> addresses_;         // by argument; 0 for scalars
  std::vector<std::uint64_t> scalars_;         // by argument
  std::vector<std::vector<std::byte>> bytes_;  // by argument: structs and pointers into buffers
  std::vector<void*> pointers_;
};

}  // namespace lab::gpu
