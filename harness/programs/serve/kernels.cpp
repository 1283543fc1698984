#include "harness/programs/serve/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/core/text.h"
#include "harness/kernel/cubin/cubin.h"
#include "harness/kernel/ptx/parser.h"
#include "harness/model/case/launch_rules.h"
#include "harness/programs/wire/names.h"

namespace lab::program {

// The source of a unit's first line of code; its own name where nobody knows.
std::string Kernels::file_of(const Unit& unit) {
  const ptx::Module& module = unit.loaded.module;
  std::string file = unit.from->source.name;
  for (const ptx::Function& function : module.functions) {
    if (!function.is_entry || function.instructions.empty()) continue;
    const ptx::Where& where = function.instructions.front().where;
    if (where.line != 0 && where.file < module.files.size()) file = module.files[where.file];
    break;
  }
  return std::filesystem::path(file).filename().string();
}

Kernels::Kernels(const std::vector<ProgramUnit>& units) {
  for (const ProgramUnit& from : units) {
    auto unit = std::make_unique<Unit>();
    unit->from = &from;
    unit->loaded.compiled = from.compiled;
    if (unit->loaded.compiled.ptx.empty()) {  // it only calls others
      units_.push_back(std::move(unit));
      continue;
    }
    unit->loaded.image = cubin::read(unit->loaded.compiled.cubin);
    unit->loaded.module = ptx::parse(unit->loaded.compiled.ptx, from.source.name);
    unit->variables = std::make_unique<model::ModuleVariables>(unit->loaded.module, memory_);
    units_.push_back(std::move(unit));
  }
}

const Kernels::Unit* Kernels::unit(std::uint64_t registered_as) const {
  const auto at = std::find_if(units_.begin(), units_.end(), [&](const auto& one) {
    return one->from->registers_as == registered_as;
  });
  return at == units_.end() ? nullptr : at->get();
}

std::string Kernels::shown_name(const Unit& of, const std::string& name) const {
  // Instances of one template are the same in all files.
  if (name.find('<') != std::string::npos) return name;
  const auto has = [&](const auto& other) {
    const auto& names = other->from->kernels;
    return other.get() != &of && std::any_of(names.begin(), names.end(), [&](const auto& one) {
             return one == name || kernel_expression(one) == name;
           });
  };
  if (std::none_of(units_.begin(), units_.end(), has)) return name;
  return fmt::format("{} ({})", name, file_of(of));
}

void Kernels::name_kernel(std::uint64_t handle, std::uint64_t unit, const std::string& mangled) {
  const Unit* const in = this->unit(unit);
  if (in == nullptr) return;
  const std::string alone = kernel_expression(mangled);
  const std::string whole = kernel_signature(mangled);
  const auto& names = in->from->kernels;
  const auto at = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
    return name == alone || name == whole || name == mangled;
  });
  if (at == names.end()) return;
  const auto number = static_cast<std::size_t>(at - names.begin());
  if (number >= in->from->compiled.lowered.size()) return;
  const std::string& compiled = in->from->compiled.lowered[number];
  if (compiled.empty()) return;
  // nvcc's PTX has mangled names alone.
  const auto overloads = std::count_if(names.begin(), names.end(), [&](const std::string& name) {
    return kernel_expression(name) == alone;
  });
  const std::string name = *at != mangled ? *at : overloads > 1 ? whole : alone;
  kernels_[handle] = {in->from, &in->loaded, &in->variables->addresses(), shown_name(*in, name),
                      compiled};
}

void Kernels::name_variable(std::uint64_t handle, std::uint64_t unit, const std::string& mangled) {
  const Unit* const in = this->unit(unit);
  if (in == nullptr || in->variables == nullptr) return;
  const std::string wanted = symbol_name(mangled);
  const auto& all = in->loaded.module.variables;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::uint64_t address = in->variables->addresses()[i];
    if (address == 0 || (all[i].name != mangled && symbol_name(all[i].name) != wanted)) continue;
    variables_[handle] = {address, all[i].bytes};
    return;
  }
}

const KnownKernel* Kernels::kernel(std::uint64_t handle) const {
  const auto at = kernels_.find(handle);
  return at == kernels_.end() ? nullptr : &at->second;
}

std::optional<VariableFacts> Kernels::variable(std::uint64_t handle) const {
  const auto at = variables_.find(handle);
  if (at == variables_.end()) return std::nullopt;
  return at->second;
}

std::vector<VariableBytes> variables_of(const KnownKernel& kernel,
                                        const model::GlobalMemory& memory) {
  std::vector<VariableBytes> all;
  const std::vector<ptx::Variable>& declared = kernel.loaded->module.variables;
  for (std::size_t i = 0; i < declared.size(); ++i) {
    const std::uint64_t address = (*kernel.variables)[i];
    const model::Allocation* const at = address == 0 ? nullptr : memory.find(address);
    if (at == nullptr) continue;
    const std::byte* const from = at->host + (address - at->base);
    all.push_back({declared[i].name,
                   {from, from + declared[i].bytes},
                   address,
                   declared[i].space == ptx::Space::kConst});
  }
  return all;
}

void set_variables(const std::vector<VariableBytes>& variables, const model::GlobalMemory& memory) {
  for (const VariableBytes& one : variables) {
    const model::Allocation* const at = memory.find(one.address);
    if (at == nullptr || !at->contains(one.address, one.bytes.size())) continue;
    std::copy(one.bytes.begin(), one.bytes.end(), at->host + (one.address - at->base));
  }
}

KernelNeeds needs_of(const KnownKernel& kernel) {
  const std::uint32_t index = kernel.loaded->module.find_entry(kernel.compiled);
  if (index == ptx::kNoIndex) return {};
  return model::needs_of(kernel.loaded->module.functions[index],
                         kernel.loaded->image.find(kernel.compiled));
}

KernelFacts facts_of(const KnownKernel& kernel) {
  KernelFacts facts;
  const cubin::Function* machine = kernel.loaded->image.find(kernel.compiled);
  if (machine != nullptr) {
    facts.registers = machine->registers.value_or(0);
    facts.shared_bytes = machine->shared_bytes;
    facts.local_bytes = machine->local_bytes.value_or(0);
  }
  for (const ptx::Variable& variable : kernel.loaded->module.variables) {
    if (variable.space == ptx::Space::kConst) facts.constant_bytes += variable.bytes;
  }
  const std::uint32_t index = kernel.loaded->module.find_entry(kernel.compiled);
  if (index == ptx::kNoIndex) return facts;
  const ptx::Function& entry = kernel.loaded->module.functions[index];
  facts.max_threads = most_threads(facts.registers);
  if (entry.max_threads != 0) facts.max_threads = std::min(facts.max_threads, entry.max_threads);
  const ptx::ParamLayout layout = ptx::layout(entry.params);
  facts.parameter_bytes = static_cast<std::uint32_t>(layout.bytes);
  facts.parameter_count =
      static_cast<std::uint32_t>(std::min<std::size_t>(entry.params.size(), kMostParameters));
  for (std::uint32_t i = 0; i < facts.parameter_count; ++i) {
    facts.parameters[i] = {static_cast<std::uint32_t>(layout.offsets[i]),
                           static_cast<std::uint32_t>(entry.params[i].bytes)};
  }
  return facts;
}

}  // namespace lab::program
