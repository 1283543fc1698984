// A launch's memory: the job's buffers, the module's variables, the parameters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/core/job.h"
#include "harness/kernel/ptx/module.h"
#include "harness/model/memory/memory.h"
#include "harness/model/memory/variables.h"

namespace lab::model {

/// Whether a kernel that writes to an input does so, or has a fault.
enum class Inputs : std::uint8_t { kWritable, kReadOnly };

class LaunchMemory {
 public:
  /// `buffers` are the job's, as the kernel is to find them. Throws an input error where the job's
  /// arguments are not those that the kernel takes.
  LaunchMemory(const Job& job, const ptx::Module& module, const ptx::Function& entry,
               Buffers& buffers, Inputs inputs = Inputs::kWritable);

  [[nodiscard]] const GlobalMemory& memory() const { return memory_; }
  /// Adds the workspace that the driver gives a cooperative launch: its size, then the barrier's
  /// word.
  std::uint64_t add_workspace();
  [[nodiscard]] Buffers& buffers() { return buffers_; }
  [[nodiscard]] const std::vector<std::byte>& parameters() const { return parameters_; }
  [[nodiscard]] std::uint64_t parameter_address() const { return parameter_address_; }
  [[nodiscard]] const std::vector<std::uint64_t>& variables() const {
    return variables_->addresses();
  }

 private:
  void place_buffer(const BufferSpec& buffer, int argument);
  void put_pointers(const std::vector<PointerSpec>& pointers, std::span<std::byte> into) const;
  void place_pointers(const Job& job);
  void set_symbols(const Job& job, const ptx::Module& module);
  void place_parameters(const Job& job, const ptx::Function& entry);
  void place_argument(const ArgSpec& arg, std::span<std::byte> into) const;

  Buffers& buffers_;
  Inputs inputs_;
  GlobalMemory memory_;
  std::map<std::string, std::uint64_t> addresses_;  // of the buffers, by name
  std::optional<ModuleVariables> variables_;
  std::vector<std::byte> parameters_;
  std::uint64_t parameter_address_ = 0;
  std::array<std::byte, 64> workspace_{};
};

}  // namespace lab::model
