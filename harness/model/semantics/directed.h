// f32 and f64 arithmetic rounded towards zero, minus or plus infinity (.rz, .rm, .rp). They are
// rare in kernels, and long: so these are functions of one object file, not templates that would be
// inlined into every handler.
// Operands may be any value; `round` is kRz, kRm or kRp.
#pragma once

#include <cstdint>

#include "harness/kernel/ptx/opcode.h"

namespace lab::model::semantics {

[[nodiscard]] float add_directed(ptx::Round round, float a, float b) noexcept;
[[nodiscard]] double add_directed(ptx::Round round, double a, double b) noexcept;
[[nodiscard]] float mul_directed(ptx::Round round, float a, float b) noexcept;
[[nodiscard]] double mul_directed(ptx::Round round, double a, double b) noexcept;
/// a * b + c, rounded once.
[[nodiscard]] float fma_directed(ptx::Round round, float a, float b, float c) noexcept;
[[nodiscard]] double fma_directed(ptx::Round round, double a, double b, double c) noexcept;
[[nodiscard]] float div_directed(ptx::Round round, float a, float b) noexcept;
[[nodiscard]] double div_directed(ptx::Round round, double a, double b) noexcept;
[[nodiscard]] float sqrt_directed(ptx::Round round, float a) noexcept;
[[nodiscard]] double sqrt_directed(ptx::Round round, double a) noexcept;

/// (-1)^negative * magnitude as float or double.
[[nodiscard]] float integer_to_f32(ptx::Round round, std::uint64_t magnitude,
                                   bool negative) noexcept;
[[nodiscard]] double integer_to_f64(ptx::Round round, std::uint64_t magnitude,
                                    bool negative) noexcept;

}  // namespace lab::model::semantics
