// From what an instruction says to a template's argument: each handler is compiled for one type,
// one rounding, one operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "harness/kernel/ptx/opcode.h"
#include "harness/model/execute/isa.h"

namespace lab::model {
inline namespace LAB_MODEL_ISA {

/// f<v>() for the one of kValues that `value` is; for others what is nothing: no handler.
template <auto... kValues, typename F>
auto choose(std::common_type_t<decltype(kValues)...> value, F f) {
  std::common_type_t<decltype(f.template operator()<kValues>())...> found{};
  const auto is = [&]<auto kValue>() {
    if (value == kValue) found = f.template operator()<kValue>();
    return value == kValue;
  };
  static_cast<void>((is.template operator()<kValues>() || ...));
  return found;
}

/// The type of C++ that holds a value of a type of PTX.
template <ptx::Type kType>
auto held() {
  using ptx::Type;
  if constexpr (kType == Type::kB8 || kType == Type::kU8) return std::uint8_t{};
  if constexpr (kType == Type::kS8) return std::int8_t{};
  if constexpr (kType == Type::kB16 || kType == Type::kU16) return std::uint16_t{};
  if constexpr (kType == Type::kS16) return std::int16_t{};
  if constexpr (kType == Type::kB32 || kType == Type::kU32) return std::uint32_t{};
  if constexpr (kType == Type::kS32) return std::int32_t{};
  if constexpr (kType == Type::kB64 || kType == Type::kU64) return std::uint64_t{};
  if constexpr (kType == Type::kS64) return std::int64_t{};
  if constexpr (kType == Type::kF32) return float{};
  if constexpr (kType == Type::kF64) return double{};
}

/// The same by types: f<std::uint32_t>() for Type::kU32.
template <ptx::Type... kTypes, typename F>
auto choose_type(ptx::Type type, F f) {
  return choose<kTypes...>(
      type, [&]<ptx::Type kType>() { return f.template operator()<decltype(held<kType>())>(); });
}

/// Of all integers that fill a register.
template <typename F>
auto choose_integer(ptx::Type type, F f) {
  using ptx::Type;
  return choose_type<Type::kB16, Type::kU16, Type::kS16, Type::kB32, Type::kU32, Type::kS32,
                     Type::kB64, Type::kU64, Type::kS64>(type, f);
}

/// The same for registers: f<std::uint32_t>() for 4 bytes.
template <typename F>
auto choose_register(std::size_t bytes, F f) {
  using ptx::Type;
  const Type type = bytes == 2   ? Type::kU16
                    : bytes == 4 ? Type::kU32
                    : bytes == 8 ? Type::kU64
                                 : Type::kNone;
  return choose_type<Type::kU16, Type::kU32, Type::kU64>(type, f);
}

}  // namespace LAB_MODEL_ISA
}  // namespace lab::model
