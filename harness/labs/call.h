// Calls of kernels: `best<tile_height, type(bytes), stream == 1>` and `in, out, float(0.25), n`.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/core/buffer.h"
#include "harness/core/formula.h"
#include "harness/labs/arrays.h"
#include "harness/labs/scope.h"

namespace lab::labs {

/// A kernel's name, with template arguments for these values.
using KernelOf = std::function<std::string(const FormulaNames& names)>;
/// Template arguments are types, conditions (`true` or `false`) or whole numbers.
[[nodiscard]] KernelOf read_kernel(Scope& scope, const PlacedText& text, Uses& uses);

/// As ReferenceCall has them: the name of a buffer, or a scalar.
using CallArgument = std::variant<std::string, ScalarSpec>;
/// An argument's formula and the type that it gets: `int` unless it says `float(...)`.
struct ArgumentFormula {
  std::string buffer = {};     ///< empty: a number
  std::string addresses = {};  ///< a parameter that is a list of addresses: 32 numbers
  const CType* type = nullptr;
  Expr number = 0;
  PlacedText text = {};
  [[nodiscard]] ScalarSpec scalar(const FormulaNames& names) const;
};

/// Types that a number among arguments may say: `float(0.25)`.
[[nodiscard]] std::span<const std::string_view> scalar_types();

/// What arguments may name beside formulas.
struct ArgumentNames {
  std::vector<std::string> buffers;
  std::vector<std::string> addresses;
};
[[nodiscard]] std::vector<ArgumentFormula> read_arguments(Scope& scope, const PlacedText& text,
                                                          const ArgumentNames& known, Uses& uses);

/// `name<...>(...)`: both parts of a call. An input error where it is none.
struct CallText {
  PlacedText kernel;
  PlacedText arguments;
};
[[nodiscard]] CallText split_call(const PlacedText& text);

}  // namespace lab::labs
