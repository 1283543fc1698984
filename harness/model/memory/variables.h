// The module's variables as memory of a launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/kernel/ptx/module.h"
#include "harness/model/memory/memory.h"

namespace lab::model {

/// Variables in .global and .const space get storage of their own.
class ModuleVariables {
 public:
  /// Adds them to `memory`. Throws an input error where an initial value names an unknown symbol.
  ModuleVariables(const ptx::Module& module, GlobalMemory& memory);
  /// Puts `bytes` into the variable that a person calls `name`, mangled or as in the source, from
  /// its first byte on. Throws an input error where there is none, or it is smaller.
  void set(const ptx::Module& module, const std::string& name, std::span<const std::byte> bytes);
  /// Device addresses, by variable; 0 for .shared and others.
  [[nodiscard]] const std::vector<std::uint64_t>& addresses() const { return addresses_; }

 private:
  /// 0 where `symbol` is neither a variable with an address nor a function.
  [[nodiscard]] std::uint64_t address_of(const ptx::Module& module,
                                         const std::string& symbol) const;

  std::vector<std::vector<std::byte>> storage_;
  std::vector<std::uint64_t> addresses_;
};

}  // namespace lab::model
