// Buffers and scalars of a variant: `float[rows * cols]`, `type(bytes)[n] = i % 256`,
// `float(0.25)`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/buffer.h"
#include "harness/core/formula.h"
#include "harness/labs/scope.h"

namespace lab::labs {

/// A type of C, and how a buffer holds its elements.
struct CType {
  std::string_view name;  ///< as in a kernel's template argument
  ElementType element;
  std::int64_t parts = 1;  ///< elements of the buffer that one of them takes: 4 for float4
};
/// Throws an input error with the nearest name where there is none.
[[nodiscard]] const CType& type_called(std::string_view name);
/// That of `type(bytes)`: char, short, float, double or float4. Throws an input error for others.
[[nodiscard]] const CType& type_of_bytes(std::int64_t bytes);

/// All of them, as the page of the language lists them.
[[nodiscard]] std::vector<std::string_view> type_names();

/// A type that may depend on the case's parameters.
using TypeOf = std::function<const CType&(const FormulaNames& names)>;
/// `float`, or `type(bytes)`.
[[nodiscard]] TypeOf read_type(Scope& scope, const PlacedText& text);
[[nodiscard]] bool is_type_of_bytes(std::string_view text);
[[nodiscard]] bool is_type(std::string_view text);  ///< a type's name

/// A buffer, and how many of its elements one of the file's is: 4 for float4.
struct TypedBuffer {
  BufferSpec spec;
  std::int64_t parts = 1;
};
using BufferOf = std::function<TypedBuffer(const FormulaNames& names)>;
/// `TYPE[COUNT]` or `TYPE[COUNT] = FILL`. An input is random unless it says otherwise; an output is
/// poisoned, or updated in place where it has contents.
[[nodiscard]] BufferOf read_buffer(Scope& scope, const std::string& name, const PlacedText& text,
                                   Direction direction, Uses& uses);

}  // namespace lab::labs
