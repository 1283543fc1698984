// From a parsed module to a program for one launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/cubin/sass_map.h"
#include "harness/model/handlers.h"
#include "harness/model/memory.h"
#include "harness/model/program.h"
#include "harness/ptx/module.h"

namespace lab::model {

struct DecodeRequest {
  const ptx::Module* module = nullptr;
  std::uint32_t entry = 0;                  ///< index into module->functions
  std::vector<std::byte> parameters;        ///< as ptx::layout places them
  std::uint64_t parameter_address = 0;      ///< where the same bytes lie in the launch's memory
  std::vector<std::uint64_t> variables;     ///< device address of each of module->variables
  const cubin::SassMap* machine = nullptr;  ///< null: count as the PTX has it
};

/// Throws an input error that names the instruction and its place where one is not modelled.
[[nodiscard]] Program decode(const DecodeRequest& request, const Table& table);

/// The module's variables as memory of a launch: .global and .const get storage of their own.
class ModuleVariables {
 public:
  /// Adds them to `memory`. Throws an input error where an initial value names an unknown symbol.
  ModuleVariables(const ptx::Module& module, GlobalMemory& memory);
  /// Device addresses, by variable; 0 for .shared and others.
  [[nodiscard]] const std::vector<std::uint64_t>& addresses() const { return addresses_; }

 private:
  /// 0: neither a variable with an address nor a function.
  [[nodiscard]] std::uint64_t address_of(const ptx::Module& module,
                                         const std::string& symbol) const;

  std::vector<std::vector<std::byte>> storage_;
  std::vector<std::uint64_t> addresses_;
};

}  // namespace lab::model
