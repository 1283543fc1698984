#include "harness/kernel/ptx/scope.h"

#include <fmt/format.h>

#include <charconv>

namespace lab::ptx {

void Scopes::open(const Token& brace) {
  if (blocks_.size() >= kDeepest) {
    throw cursor_.fail(brace, fmt::format("blocks nest deeper than {}", kDeepest));
  }
  blocks_.emplace_back();
}

void Scopes::close() {
  Block block = std::move(blocks_.back());
  blocks_.pop_back();
  for (const Wanted& wanted : block.wanted) {
    const auto label = block.labels.find(wanted.name.text);
    if (label != block.labels.end()) {
      resolve(wanted, label->second);
    } else if (!blocks_.empty()) {
      blocks_.back().wanted.push_back(wanted);
    } else {
      throw cursor_.fail(wanted.name,
                         fmt::format("no label '{}' in this function or block", wanted.name.text));
    }
  }
}

void Scopes::resolve(const Wanted& wanted, std::uint32_t instruction) {
  if (wanted.in_list) {
    function_.branch_targets[wanted.owner].targets[wanted.position] = instruction;
  } else {
    function_.instructions[wanted.owner].operands[wanted.position].target = instruction;
  }
}

void Scopes::refuse_twice(const Token& name) const {
  const Block& block = blocks_.back();
  if (block.names.count(name.text) + block.undemanded.count(name.text) +
          block.labels.count(name.text) + block.ranges.count(name.text) ==
      0) {
    return;
  }
  throw cursor_.fail(name, fmt::format("'{}' is declared twice in this block", name.text));
}

void Scopes::declare_register(const Token& name, RegisterShape shape) {
  refuse_twice(name);
  blocks_.back().undemanded.emplace(name.text, shape);
}

void Scopes::declare_registers(const Token& prefix, std::uint64_t count, RegisterShape shape) {
  refuse_twice(prefix);
  blocks_.back().ranges.emplace(prefix.text, Range{shape, count});
}

void Scopes::declare(const Token& name, Meaning meaning) {
  refuse_twice(name);
  blocks_.back().names.emplace(name.text, meaning);
}

void Scopes::declare_label(const Token& name, std::uint32_t instruction) {
  refuse_twice(name);
  blocks_.back().labels.emplace(name.text, instruction);
}

Meaning Scopes::add_register(Block& block, std::string_view name, RegisterShape shape) {
  const auto index = static_cast<std::uint32_t>(function_.registers.size());
  for (std::size_t lane = 0; lane < shape.lanes; ++lane) {
    const std::string component = shape.lanes == 1 ? "" : std::string(".") + "xyzw"[lane];
    function_.registers.push_back({std::string(name) + component, shape.type});
  }
  const Meaning meaning{Meaning::Kind::kRegister, Home::kModule, index, shape.lanes};
  block.names.emplace(name, meaning);
  return meaning;
}

std::optional<Meaning> Scopes::find_in(Block& block, std::string_view name) {
  if (const auto it = block.names.find(name); it != block.names.end()) return it->second;
  if (const auto it = block.undemanded.find(name); it != block.undemanded.end()) {
    return add_register(block, name, it->second);
  }
  if (block.ranges.empty()) return {};
  // The prefix may end in digits itself: a1<20> has a10 to a119.
  constexpr std::size_t kMostDigits = 10;
  for (std::size_t digits = 1; digits <= kMostDigits && digits < name.size(); ++digits) {
    const std::string_view number = name.substr(name.size() - digits);
    if (number[0] < '0' || number[0] > '9') break;
    const auto range = block.ranges.find(name.substr(0, name.size() - digits));
    if (range == block.ranges.end() || (number[0] == '0' && digits > 1)) continue;
    std::uint64_t value = 0;
    std::from_chars(number.data(), number.data() + number.size(), value);
    if (value < range->second.count) return add_register(block, name, range->second.shape);
  }
  return {};
}

std::optional<Meaning> Scopes::find(std::string_view name) {
  for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
    if (const auto meaning = find_in(*block, name)) return meaning;
  }
  if (const auto it = module_.variables.find(name); it != module_.variables.end()) {
    return Meaning{Meaning::Kind::kVariable, Home::kModule, it->second};
  }
  if (const auto it = module_.functions.find(name); it != module_.functions.end()) {
    return Meaning{Meaning::Kind::kFunction, Home::kModule, it->second};
  }
  return {};
}

void Scopes::want_label(const Token& name, std::uint32_t instruction, std::uint32_t operand) {
  blocks_.back().wanted.push_back({name, false, instruction, operand});
}

void Scopes::want_target(const Token& name, std::uint32_t list, std::uint32_t position) {
  blocks_.back().wanted.push_back({name, true, list, position});
}

}  // namespace lab::ptx
