// Arithmetic, logic, comparison and selection.
#include <cmath>
#include <cstdint>

#include "harness/model/handlers.h"
#include "harness/model/lanewise.h"

namespace lab::model {
inline namespace LAB_MODEL_ISA {
namespace {

using ptx::Op;
using ptx::Sub;
using ptx::Type;

template <typename T>
T fma_lane(T a, T b, T c) noexcept {
  return std::fma(a, b, c);
}

Found find_fma(const Shape& s) {
  if (s.ins.type == Type::kF32) return lanewise<&fma_lane<float>>();
  if (s.ins.type == Type::kF64) return lanewise<&fma_lane<double>>();
  return {};
}

constexpr Row kRows[] = {
    {Op::kFma, find_fma},
};

}  // namespace

std::span<const Row> arithmetic_rows() { return kRows; }

}  // namespace LAB_MODEL_ISA
}  // namespace lab::model
