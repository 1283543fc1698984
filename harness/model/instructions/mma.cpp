// mma.sync and wmma.mma: PTX ISA, "Warp-Level Matrix Instructions". Both gather the matrices from
// the lanes' registers, multiply, and scatter the result.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "harness/model/execute/block.h"
#include "harness/model/instructions/fragment.h"
#include "harness/model/instructions/handlers.h"
#include "harness/model/instructions/matrix_lanes.h"
#include "harness/model/semantics/matrix.h"

namespace lab::model {
namespace {

using ptx::Type;
namespace sem = semantics;

constexpr std::size_t kMostElements = 32 * 16;  // of one matrix

/// A matrix's bits, a row (A, C, D) or a column (B) after the other.
using Bits = std::array<std::uint64_t, kMostElements>;

Fragment fragment_of(const MatrixOp& op, char part, Type type) {
  const auto bits = static_cast<std::uint32_t>(ptx::bits_of(type));
  return {part, op.shape, bits, bits == 64 ? 64U : 32U};
}

std::size_t index_of(const Fragment& f, const Place& at) {
  return f.part == 'b' ? at.column * f.rows() + at.row : at.row * f.columns() + at.column;
}

void gather(const Warp& w, const Fragment& f, const std::vector<Slot>& registers, Bits& into) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (std::uint32_t i = 0; i < f.elements(); ++i) {
      into[index_of(f, f.place(lane, i))] = element(w, registers, f, lane, i);
    }
  }
}

/// The rows of A and C and the columns of B, as numbers.
struct Product {
  const MatrixOp& op;
  const Bits& a;
  const Bits& b;
  const Bits& c;
  Bits& d;

  template <typename F>
  void each(F f) const {
    const std::size_t n = op.shape.n;
    for (std::size_t i = 0; i < op.shape.m; ++i) {
      for (std::size_t j = 0; j < n; ++j) d[i * n + j] = f(i, j, c[i * n + j]);
    }
  }
};

template <typename Format>
double value_of(std::uint64_t bits) {
  if constexpr (Format::kBias == sem::F32::kBias && sizeof(typename Format::Bits) == 4) {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  } else {
    return static_cast<double>(sem::widen<Format>(static_cast<std::uint16_t>(bits)));
  }
}

template <typename In, typename Acc>
void multiply_floats(const Product& p) {
  const std::size_t k = p.op.shape.k;
  std::array<sem::Factor, kMostElements> a;
  std::array<sem::Factor, kMostElements> b;
  bool special = false;
  const auto factors = [&](const Bits& from, std::size_t count, auto& to) {
    for (std::size_t i = 0; i < count; ++i) {
      to[i] = sem::factor<In>(static_cast<std::uint32_t>(from[i]));
      special = special || to[i].special;
    }
  };
  factors(p.a, p.op.shape.m * k, a);
  factors(p.b, p.op.shape.n * k, b);
  p.each([&](std::size_t i, std::size_t j, std::uint64_t c) -> std::uint64_t {
    const sem::Factor addend = sem::factor<Acc>(static_cast<std::uint32_t>(c));
    if (special || addend.special) [[unlikely]] {
      bool here = addend.special;
      std::array<double, sem::kMostProducts> row{};
      std::array<double, sem::kMostProducts> column{};
      for (std::size_t at = 0; at < k; ++at) {
        here = here || a[i * k + at].special || b[j * k + at].special;
        row[at] = value_of<In>(p.a[i * k + at]);
        column[at] = value_of<In>(p.b[j * k + at]);
      }
      if (here) return sem::special_sum<Acc>(row.data(), column.data(), k, value_of<Acc>(c));
    }
    return sem::round_sum<Acc>(
        sem::aligned_sum<In::kFractionBits, Acc::kFractionBits>(&a[i * k], &b[j * k], k, addend));
  });
}

void multiply_doubles(const Product& p) {
  const std::size_t k = p.op.shape.k;
  p.each([&](std::size_t i, std::size_t j, std::uint64_t c) {
    auto sum = std::bit_cast<double>(c);
    for (std::size_t at = 0; at < k; ++at) {
      sum = std::fma(std::bit_cast<double>(p.a[i * k + at]), std::bit_cast<double>(p.b[j * k + at]),
                     sum);
    }
    const bool nan = sum != sum;
    return nan ? sem::F64::kNan : std::bit_cast<std::uint64_t>(sum);
  });
}

std::int64_t byte_of(std::uint64_t bits, Type type) {
  return type == Type::kS8 ? std::int64_t{static_cast<std::int8_t>(bits)}
                           : std::int64_t{static_cast<std::uint8_t>(bits)};
}

void multiply_bytes(const Product& p) {
  const std::size_t k = p.op.shape.k;
  p.each([&](std::size_t i, std::size_t j, std::uint64_t c) -> std::uint64_t {
    std::int64_t sum = static_cast<std::int32_t>(c);
    for (std::size_t at = 0; at < k; ++at) {
      sum += byte_of(p.a[i * k + at], p.op.a) * byte_of(p.b[j * k + at], p.op.b);
    }
    return static_cast<std::uint32_t>(p.op.saturates ? sem::saturate_s32(sum)
                                                     : static_cast<std::int32_t>(sum));
  });
}

template <typename In>
void multiply_to(const Product& p) {
  p.op.d == Type::kF16 ? multiply_floats<In, sem::F16>(p) : multiply_floats<In, sem::F32>(p);
}

void multiply_matrices(const Product& p) {
  switch (p.op.a) {
    case Type::kF16:
      return multiply_to<sem::F16>(p);
    case Type::kBF16:
      return multiply_floats<sem::BF16, sem::F32>(p);
    case Type::kTF32:
      return multiply_floats<sem::TF32, sem::F32>(p);
    case Type::kF64:
      return multiply_doubles(p);
    default:
      return multiply_bytes(p);
  }
}

const Ins* multiply(const Ins* ins, Warp& w) noexcept {
  if (!is_whole(w, ins)) return ins + 1;
  const MatrixOp& op = w.block->launch->program->matrices[ins->block];
  Bits a;
  Bits b;
  Bits c;
  Bits d;
  gather(w, fragment_of(op, 'a', op.a), op.a_registers, a);
  gather(w, fragment_of(op, 'b', op.b), op.b_registers, b);
  gather(w, fragment_of(op, 'c', op.c), op.c_registers, c);
  multiply_matrices({op, a, b, c, d});
  const Fragment f = fragment_of(op, 'd', op.d);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (std::uint32_t i = 0; i < f.elements(); ++i) {
      set_element(w, op.d_registers, f, lane, i, d[index_of(f, f.place(lane, i))]);
    }
  }
  return ins + 1;
}

}  // namespace

Handler multiply_handler() { return &multiply; }

}  // namespace lab::model
