#include "harness/model/case/base_array.h"

#include <algorithm>
#include <set>
#include <vector>

#include "harness/core/text.h"
#include "harness/model/case/source_words.h"

namespace lab::model {
namespace {

using ptx::Operand;

/// The symbols of shared memory that a value is computed from, by any arithmetic: an address has
/// one base, and an index is not a symbol.
class Bases {
 public:
  Bases(const ptx::Module& module, const ptx::Function& function)
      : module_(module), function_(function), seen_(function.registers.size()) {}

  void follow(const Operand& operand) {
    const ptx::Variable* variable = variable_of(operand);
    if (variable != nullptr && variable->space == ptx::Space::kShared) found_.insert(variable);
    if (operand.reg != ptx::kNoIndex) open_.push_back(operand.reg);
    for (const Operand& part : operand.parts) follow(part);
  }
  [[nodiscard]] const ptx::Variable* only() {
    while (!open_.empty()) {
      const std::uint32_t reg = open_.back();
      open_.pop_back();
      if (!seen_[reg]) follow_writers(reg);
      seen_[reg] = true;
    }
    return found_.size() == 1 ? *found_.begin() : nullptr;
  }

 private:
  [[nodiscard]] const ptx::Variable* variable_of(const Operand& operand) const {
    if (operand.symbol == ptx::kNoIndex) return nullptr;
    if (operand.home == ptx::Home::kModule) return &module_.variables.at(operand.symbol);
    return operand.home == ptx::Home::kLocal ? &function_.variables.at(operand.symbol) : nullptr;
  }

  // A loaded value is not an address that this function computes.
  void follow_writers(std::uint32_t reg) {
    for (const ptx::Instruction& ins : function_.instructions) {
      const bool computes = ins.op != ptx::Op::kLd && ins.op != ptx::Op::kSt &&
                            ins.op != ptx::Op::kAtom && !ins.operands.empty() &&
                            ins.operands.front().kind == Operand::Kind::kRegister &&
                            ins.operands.front().reg == reg;
      for (std::size_t i = 1; computes && i < ins.operands.size(); ++i) follow(ins.operands[i]);
    }
  }

  const ptx::Module& module_;
  const ptx::Function& function_;
  std::vector<bool> seen_;
  std::vector<std::uint32_t> open_;
  std::set<const ptx::Variable*> found_;
};

// tile of k(float*)::tile. NVRTC may number it: ..._$_0.
std::string own_name(const std::string& mangled) {
  const std::string name = symbol_signature(mangled.substr(0, mangled.rfind("_$_")));
  const std::size_t own = name.rfind("::");
  return own == std::string::npos ? name : name.substr(own + 2);
}

std::optional<BaseArray> placed(const Program& program, const Launch& launch,
                                const ptx::Variable& variable) {
  if (variable.is_extern || variable.bytes == 0) {
    return BaseArray{own_name(variable.name), program.shared_bytes, launch.dynamic_shared_bytes};
  }
  const auto& all = program.shared_variables;
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const Placed& one) { return one.name == variable.name; });
  if (at == all.end()) return {};
  return BaseArray{own_name(at->name), at->offset, at->bytes};
}

}  // namespace

std::optional<BaseArray> shared_base(const Program& program, const Launch& launch,
                                     std::uint32_t where) {
  const Origin& origin = program.origins.at(where);
  if (origin.function == kNone) return {};
  Bases bases(*program.module, program.module->functions[origin.function]);
  for (const Operand& operand : instruction_of(program, origin).operands) {
    if (operand.kind == Operand::Kind::kAddress) bases.follow(operand);
  }
  const ptx::Variable* variable = bases.only();
  return variable == nullptr ? std::nullopt : placed(program, launch, *variable);
}

std::optional<BaseArray> shared_array_at(const Program& program, const Launch& launch,
                                         std::uint64_t byte) {
  for (const Placed& one : program.shared_variables) {
    if (byte >= one.offset && byte - one.offset < one.bytes) {
      return BaseArray{own_name(one.name), one.offset, one.bytes};
    }
  }
  const ptx::Variable* dynamic = nullptr;
  for (const ptx::Variable& one : program.module->variables) {
    if (one.space != ptx::Space::kShared || (!one.is_extern && one.bytes != 0)) continue;
    if (dynamic != nullptr) return {};
    dynamic = &one;
  }
  if (dynamic == nullptr || byte < program.shared_bytes) return {};
  return placed(program, launch, *dynamic);
}

std::optional<BaseArray> local_array(const Program& program, std::string_view source, int line) {
  const Words words = words_of(source);
  const auto declared_bytes = [&](std::string_view name) -> std::uint64_t {
    for (std::size_t i = 1; i < words.size() && words[i].line <= line; ++i) {
      const std::int64_t each = words[i].text == name ? bytes_of_type(words[i - 1].text) : 0;
      if (each == 0 || !is(words, i + 1, "[")) continue;
      const auto count = number_of(words, {i + 2, closing_word(words, i + 1)});
      if (count && *count > 0) return static_cast<std::uint64_t>(each * *count);
    }
    return 0;
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].line != line || !is_name(words[i]) || !is(words, i + 1, "[")) continue;
    const std::uint64_t bytes = declared_bytes(words[i].text);
    if (bytes != 0 && bytes == program.local_bytes) {
      return BaseArray{std::string(words[i].text), 0, bytes};
    }
  }
  return {};
}

}  // namespace lab::model
