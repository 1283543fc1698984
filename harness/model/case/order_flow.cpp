#include "harness/model/case/order_flow.h"

#include <algorithm>

namespace lab::model {
namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;

class OrderFlow {
 public:
  explicit OrderFlow(const ptx::Function& function)
      : function_(function), tainted_(function.registers.size(), false) {
    do {
      changed_ = false;
      for (const Instruction& i : function_.instructions) follow(i);
    } while (changed_);
  }

  /// Its addresses alone: a value that is stored may depend on the order as it likes.
  [[nodiscard]] bool address_depends(const Instruction& i) const {
    return std::any_of(i.operands.begin(), i.operands.end(), [this](const Operand& operand) {
      return operand.kind == Operand::Kind::kAddress && reads(operand);
    });
  }

 private:
  [[nodiscard]] bool reads(const Operand& operand) const {
    if (operand.reg != ptx::kNoIndex && tainted_[operand.reg]) return true;
    return std::any_of(operand.parts.begin(), operand.parts.end(),
                       [this](const Operand& part) { return reads(part); });
  }

  void taint(const Operand& operand) {
    if (operand.kind == Operand::Kind::kAddress) return;  // memory is written, no register
    const bool is_register =
        operand.kind == Operand::Kind::kRegister && operand.reg != ptx::kNoIndex;
    if (is_register && !tainted_[operand.reg]) {
      tainted_[operand.reg] = true;
      changed_ = true;
    }
    for (const Operand& part : operand.parts) taint(part);
  }

  void follow(const Instruction& i) {
    if (i.operands.empty() || i.op == Op::kCall) return;
    bool depends =
        i.op == Op::kAtom || (i.op == Op::kLd && i.space == ptx::Space::kShared && kept_);
    for (std::size_t at = 1; at < i.operands.size() && !depends; ++at) {
      depends = reads(i.operands[at]);
    }
    if (!depends) return;
    if (i.op != Op::kSt) return taint(i.operands[0]);
    if (i.space != ptx::Space::kShared || kept_) return;
    kept_ = true;
    changed_ = true;
  }

  const ptx::Function& function_;
  std::vector<bool> tainted_;  // by register
  bool kept_ = false;          // in shared memory, from where any load may take it
  bool changed_ = false;
};

}  // namespace

bool OrderFlows::address_depends(const Origin& origin) {
  const ptx::Function& function = module_->functions[origin.function];
  auto found = by_function_.find(origin.function);
  if (found == by_function_.end()) {
    const OrderFlow flow(function);
    std::vector<bool> depends;
    for (const Instruction& i : function.instructions) depends.push_back(flow.address_depends(i));
    found = by_function_.emplace(origin.function, std::move(depends)).first;
  }
  return found->second[origin.instruction];
}

}  // namespace lab::model
