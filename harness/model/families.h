// Opcodes that several type families share (add, min, ...) are looked up by the operation's type.
#pragma once

#include "harness/model/handlers.h"

namespace lab::model {

/// Handlers of f16, bf16 and their pairs; exec_half.cpp. Compiled once for all: their arithmetic is
/// too long to gain from wider vectors.
[[nodiscard]] Found find_half(const Shape& s);

inline namespace LAB_MODEL_ISA {

/// Handlers of integer types; exec_integer.cpp.
[[nodiscard]] Found find_integer(const Shape& s);
/// Handlers of f32, f32x2 and f64; exec_float.cpp.
[[nodiscard]] Found find_float(const Shape& s);

[[nodiscard]] inline bool is_half(ptx::Type type) {
  using ptx::Type;
  return type == Type::kF16 || type == Type::kF16x2 || type == Type::kBF16 || type == Type::kBF16x2;
}
[[nodiscard]] inline bool is_pair(ptx::Type type) {
  return type == ptx::Type::kF16x2 || type == ptx::Type::kBF16x2;
}

}  // namespace LAB_MODEL_ISA
}  // namespace lab::model
