// What a kernel stores only to hand it to printf: the compiler puts the arguments of a call into a
// buffer in local memory, whose address it passes beside the format.
#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/model/decode/decode.h"
#include "harness/model/instructions/builtin.h"

namespace lab::model {
namespace {

using ptx::Home;
using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::Space;

/// An address that is fixed when the kernel is compiled: so many bytes from a variable's beginning.
struct FixedPlace {
  Home home = Home::kModule;
  std::uint32_t symbol = ptx::kNoIndex;
  std::int64_t offset = 0;
  friend bool operator==(const FixedPlace&, const FixedPlace&) = default;
};

/// Bytes from `at` on.
struct ArgumentBuffer {
  FixedPlace at;
  std::int64_t bytes = 0;
};

/// The registers that hold such addresses wherever they are used.
class FixedPlaces {
 public:
  explicit FixedPlaces(const ptx::Function& function) : values_(function.registers.size()) {
    for (const Instruction& ins : function.instructions) {
      if (ins.op == Op::kSt || ins.operands.empty()) continue;
      const Operand& to = ins.operands.front();
      if (to.kind == Operand::Kind::kRegister) set(to.reg, computed(ins));
      for (const Operand& part : to.parts) set(part.reg, {});
    }
  }

  /// Where the operand points to, as the address of an access or as a value.
  [[nodiscard]] std::optional<FixedPlace> of(const Operand& operand) const {
    std::optional<FixedPlace> place;
    if (operand.reg != ptx::kNoIndex) {
      place = values_[operand.reg].place;
    } else if (operand.symbol != ptx::kNoIndex) {
      place = FixedPlace{operand.home, operand.symbol, 0};
    }
    if (place) place->offset += operand.offset;
    return place;
  }

 private:
  struct Value {
    bool written = false;
    std::optional<FixedPlace> place;  ///< none: another value, or several
  };

  [[nodiscard]] std::optional<FixedPlace> computed(const Instruction& ins) const {
    if (ins.guard != ptx::kNoIndex || ins.operands.size() < 2) return {};
    if (ins.op == Op::kMov || ins.op == Op::kCvta) return of(ins.operands[1]);
    const bool adds = ins.op == Op::kAdd && ins.operands.size() == 3 &&
                      ins.operands[2].kind == Operand::Kind::kImmediate;
    if (!adds) return {};
    std::optional<FixedPlace> sum = of(ins.operands[1]);
    if (sum) sum->offset += static_cast<std::int64_t>(ins.operands[2].bits);
    return sum;
  }
  void set(std::uint32_t reg, std::optional<FixedPlace> place) {
    if (reg == ptx::kNoIndex) return;
    Value& value = values_[reg];
    value.place = value.written && value.place != place ? std::nullopt : place;
    value.written = true;
  }

  std::vector<Value> values_;
};

/// The value that the call at `call` passes as its argument number `index`: the last that was
/// stored in the argument's .param variable.
std::optional<FixedPlace> argument(const ptx::Function& function, std::size_t call,
                                   std::size_t index, const FixedPlaces& places) {
  const Operand& list = function.instructions[call].operands.at(2);
  if (index >= list.parts.size()) return {};
  for (std::size_t i = call; i-- > 0;) {
    const Instruction& ins = function.instructions[i];
    if (ins.op == Op::kCall) return {};
    const bool passes = ins.op == Op::kSt && ins.space == Space::kParam &&
                        ins.operands.at(0).symbol == list.parts[index].symbol;
    if (passes) return places.of(ins.operands.at(1));
  }
  return {};
}

std::string_view text_at(const ptx::Module& module, const FixedPlace& place) {
  if (place.home != Home::kModule || place.offset < 0) return {};
  const std::vector<std::byte>& bytes = module.variables.at(place.symbol).init;
  const auto from = static_cast<std::size_t>(place.offset);
  if (from >= bytes.size()) return {};
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return all.substr(from, all.find('\0', from) - from);
}

std::vector<ArgumentBuffer> buffers(const ptx::Module& module, const ptx::Function& function,
                                    const FixedPlaces& places) {
  std::vector<ArgumentBuffer> found;
  for (std::size_t i = 0; i < function.instructions.size(); ++i) {
    if (!calls_printf(module, function.instructions[i])) continue;
    const auto format = argument(function, i, 0, places);
    const auto values = argument(function, i, 1, places);
    if (!format || !values || values->home != Home::kLocal) continue;
    const std::uint64_t bytes = argument_bytes(text_at(module, *format));
    found.push_back({*values, static_cast<std::int64_t>(bytes)});
  }
  return found;
}

bool is_within(const FixedPlace& at, std::int64_t bytes, const ArgumentBuffer& buffer) {
  return at.home == buffer.at.home && at.symbol == buffer.at.symbol &&
         at.offset >= buffer.at.offset && at.offset + bytes <= buffer.at.offset + buffer.bytes;
}

}  // namespace

bool calls_printf(const ptx::Module& module, const ptx::Instruction& ins) {
  return ins.op == Op::kCall &&
         std::any_of(ins.operands.begin(), ins.operands.end(), [&](const Operand& operand) {
           return operand.kind == Operand::Kind::kFunction &&
                  module.functions[operand.target].name == "vprintf";
         });
}

std::vector<bool> stores_for_printf(const ptx::Module& module, const ptx::Function& function) {
  std::vector<bool> all(function.instructions.size());
  const bool prints =
      std::any_of(function.instructions.begin(), function.instructions.end(),
                  [&](const Instruction& ins) { return calls_printf(module, ins); });
  if (!prints) return all;
  const FixedPlaces places(function);
  const std::vector<ArgumentBuffer> of_calls = buffers(module, function, places);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Instruction& ins = function.instructions[i];
    if (ins.op != Op::kSt || ins.space == Space::kParam) continue;
    const auto at = places.of(ins.operands.at(0));
    const std::int64_t bytes = std::int64_t{ptx::bits_of(ins.type)} / 8 * ins.vector;
    all[i] = at && std::any_of(of_calls.begin(), of_calls.end(), [&](const ArgumentBuffer& buffer) {
               return is_within(*at, bytes, buffer);
             });
  }
  return all;
}

}  // namespace lab::model
