#include "harness/model/memory/variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab::model {

ModuleVariables::ModuleVariables(const ptx::Module& module, GlobalMemory& memory)
    : addresses_(module.variables.size(), 0) {
  storage_.resize(module.variables.size());
  for (std::size_t i = 0; i < module.variables.size(); ++i) {
    const ptx::Variable& v = module.variables[i];
    const bool is_const = v.space == ptx::Space::kConst;
    if (v.space != ptx::Space::kGlobal && !is_const) continue;
    storage_[i].resize(v.bytes);
    std::copy_n(v.init.begin(), std::min<std::size_t>(v.init.size(), v.bytes), storage_[i].begin());
    addresses_[i] =
        is_const ? memory.add_constant(storage_[i], v.name) : memory.add(storage_[i], v.name);
  }
  for (std::size_t i = 0; i < module.variables.size(); ++i) {
    for (const auto& relocation : module.variables[i].relocations) {
      std::uint64_t target = address_of(module, relocation.symbol);
      if (target == 0) {
        throw NotModelled("the initial value of '" + module.variables[i].name + "' names '" +
                          relocation.symbol + "', whose address is not modelled");
      }
      target += static_cast<std::uint64_t>(relocation.offset);
      std::memcpy(storage_[i].data() + relocation.at, &target, sizeof target);
    }
  }
}

void ModuleVariables::set(const ptx::Module& module, const std::string& name,
                          std::span<const std::byte> bytes) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < module.variables.size(); ++i) {
    const ptx::Variable& variable = module.variables[i];
    if (addresses_[i] == 0) continue;
    names.push_back(symbol_name(variable.name));
    if (variable.name != name && names.back() != name) continue;
    if (bytes.size() > storage_[i].size()) {
      throw input_error(fmt::format("the variable '{}' has {} bytes, {} are given for it", name,
                                    storage_[i].size(), bytes.size()));
    }
    std::copy(bytes.begin(), bytes.end(), storage_[i].begin());
    return;
  }
  throw input_error(fmt::format("the compiled source has no variable '{}'", name),
                    names.empty() ? "it has none that a kernel uses" : suggestion(name, names));
}

std::uint64_t ModuleVariables::address_of(const ptx::Module& module,
                                          const std::string& symbol) const {
  for (std::size_t i = 0; i < module.variables.size(); ++i) {
    if (module.variables[i].name == symbol) return addresses_[i];
  }
  for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
    if (module.functions[i].name == symbol) return function_address(i);
  }
  return 0;
}

}  // namespace lab::model
