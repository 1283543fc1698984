#include "harness/model/instructions/handlers.h"

#include <vector>

#include "harness/core/error.h"

namespace lab::model {

// Defined in isa_table.cpp, which is compiled once for each instruction set.
#if defined(LAB_MODEL_HAS_BASE)
inline namespace isa_base {
const HandlerTable& table();
}
#endif
#if defined(LAB_MODEL_HAS_V3)
namespace isa_v3 {
const HandlerTable& table();
}
#endif
#if defined(LAB_MODEL_HAS_V4)
namespace isa_v4 {
const HandlerTable& table();
}
#endif

std::size_t Shape::bytes(std::size_t operand, std::size_t fallback) const {
  const ptx::Operand& o = ins.operands.at(operand);
  if (o.kind != ptx::Operand::Kind::kRegister) return fallback;
  const int bits = ptx::bits_of(function.registers.at(o.reg).type);
  return bits == 8 ? 2 : static_cast<std::size_t>(bits) / 8;  // 8 bits take a 16-bit slot
}

namespace {

std::vector<const HandlerTable*> usable_tables() {
  std::vector<const HandlerTable*> tables;
#if defined(LAB_MODEL_HAS_BASE)
  tables.push_back(&isa_base::table());
#endif
#if defined(LAB_MODEL_HAS_V3) || defined(LAB_MODEL_HAS_V4)
  __builtin_cpu_init();
  [[maybe_unused]] const bool v3 = __builtin_cpu_supports("avx2") &&
                                   __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#endif
#if defined(LAB_MODEL_HAS_V3)
  if (v3) tables.push_back(&isa_v3::table());
#endif
#if defined(LAB_MODEL_HAS_V4)
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  if (v4) tables.push_back(&isa_v4::table());
#endif
  if (tables.empty()) {
    throw machine_error(
        "lab was built for a newer processor than this one",
        "build it here in a folder of its own, or for all processors: tools/package");
  }
  return tables;
}

}  // namespace

std::span<const HandlerTable* const> all_tables() {
  static const std::vector<const HandlerTable*> kTables = usable_tables();
  return kTables;
}

const HandlerTable& best_table() { return *all_tables().back(); }

}  // namespace lab::model
