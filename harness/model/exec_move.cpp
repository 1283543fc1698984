// mov, cvta, and what else only carries values from one register to another.
#include <cstdint>

#include "harness/model/handlers.h"
#include "harness/model/lanewise.h"

namespace lab::model {
inline namespace LAB_MODEL_ISA {
namespace {

using ptx::Op;

template <typename T>
T same(T a) noexcept {
  return a;
}

Found find_mov(const Shape& s) {
  switch (ptx::bits_of(s.ins.type)) {
    case 1:
      return lanewise<&same<bool>>();
    case 16:
      return lanewise<&same<std::uint16_t>>();
    case 32:
      return lanewise<&same<std::uint32_t>>();
    case 64:
      return lanewise<&same<std::uint64_t>>();
    default:
      return {};
  }
}

constexpr Row kRows[] = {
    {Op::kMov, find_mov},
};

}  // namespace

std::span<const Row> move_rows() { return kRows; }

}  // namespace LAB_MODEL_ISA
}  // namespace lab::model
