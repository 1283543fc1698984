// Kernels and variables of a program, as it registered them and as they were compiled.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/launch_facts.h"
#include "harness/core/whole_program.h"
#include "harness/model/case/kernels.h"
#include "harness/model/memory/memory.h"
#include "harness/model/memory/variables.h"
#include "harness/programs/wire/wire.h"

namespace lab::program {

/// One kernel of one of the program's files.
struct KnownKernel {
  const ProgramUnit* unit = nullptr;
  const model::Loaded* loaded = nullptr;
  const std::vector<std::uint64_t>* variables = nullptr;  ///< of its module, by number
  /// As in the source, such as saxpy<float, 256>; with its file where those of others have the
  /// name.
  std::string name;
  std::string compiled;  ///< as in the PTX
};

class Kernels {
 public:
  explicit Kernels(const std::vector<ProgramUnit>& units);

  /// Names a handle, as the program's start does. `unit` is what the file registers as: a kernel or
  /// a variable is that of its own file, whatever others call theirs.
  void name_kernel(std::uint64_t handle, std::uint64_t unit, const std::string& mangled);
  void name_variable(std::uint64_t handle, std::uint64_t unit, const std::string& mangled);

  /// Null: no such kernel was compiled.
  [[nodiscard]] const KnownKernel* kernel(std::uint64_t handle) const;
  [[nodiscard]] std::optional<VariableFacts> variable(std::uint64_t handle) const;
  /// The variables of all files, at their addresses: every launch's memory begins with these.
  [[nodiscard]] const model::GlobalMemory& memory() const { return memory_; }

 private:
  struct Unit {
    const ProgramUnit* from = nullptr;
    model::Loaded loaded;
    std::unique_ptr<model::ModuleVariables> variables;
  };

  [[nodiscard]] const Unit* unit(std::uint64_t registered_as) const;
  /// With its file behind it where kernels of several files have this name.
  [[nodiscard]] std::string shown_name(const Unit& of, const std::string& name) const;
  [[nodiscard]] static std::string file_of(const Unit& unit);

  std::vector<std::unique_ptr<Unit>> units_;
  model::GlobalMemory memory_;
  std::map<std::uint64_t, KnownKernel> kernels_;
  std::map<std::uint64_t, VariableFacts> variables_;
};

/// What a kernel's module holds in its variables, as the program knows them.
[[nodiscard]] std::vector<VariableBytes> variables_of(const KnownKernel& kernel,
                                                      const model::GlobalMemory& memory);
/// Puts that back.
void set_variables(const std::vector<VariableBytes>& variables, const model::GlobalMemory& memory);

/// What a launch of it needs.
[[nodiscard]] KernelNeeds needs_of(const KnownKernel& kernel);

/// Of a kernel, for cudaFuncGetAttributes and for packing its arguments.
[[nodiscard]] KernelFacts facts_of(const KnownKernel& kernel);

}  // namespace lab::program
