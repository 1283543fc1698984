// Closed formulas as text: what a handout shows is what is evaluated.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/launch.h"
#include "harness/core/params.h"

namespace lab {

/// The names a formula may use: a case's numeric parameters, and of its launch grid_x, grid_y,
/// grid_z, block_x, block_y, block_z, blocks, threads (a block's), warps (a block's, rounded up),
/// all_threads, all_warps.
using FormulaNames = std::map<std::string, double, std::less<>>;

[[nodiscard]] FormulaNames formula_names(const Params& params, const Launch& launch);

/// An expression of numbers, names, + - * / % ( ), comparisons (1 or 0), and the functions
/// min(a,b) max(a,b) gcd(a,b) lcm(a,b) ceil(x) floor(x) if(c,a,b) floor_sum(n,m,a,b). `/` is real
/// division; `%`, gcd and lcm take whole numbers (gcd(a,0) is a). floor_sum is the sum of
/// floor((a i + b) / m) for i from 0 to n - 1, of whole numbers below 2^30, none negative.
class Formula {
 public:
  /// Throws an input error with column and hint where `text` is malformed.
  explicit Formula(std::string text);

  [[nodiscard]] const std::string& text() const { return text_; }
  /// Throws an input error that names an unknown name or a division by zero.
  [[nodiscard]] double value(const FormulaNames& names) const;
  /// The text with each name replaced by its value: `blocks * 32` -> `4 * 32`.
  [[nodiscard]] std::string with_values(const FormulaNames& names) const;
  /// Names used, sorted, each once.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  struct Token {
    enum class Kind : std::uint8_t { kNumber, kName, kFunction, kSymbol, kEnd } kind;
    std::string text;
    double number;
    std::size_t column;
  };
  // Postfix program; see formula.cpp.
  struct Step {
    enum class Kind : std::uint8_t { kNumber, kName, kCall } kind;
    double number;
    std::string name;
    std::size_t column;
  };
  class Parser;

  std::string text_;
  std::vector<Token> tokens_;
  std::vector<Step> steps_;
};

}  // namespace lab
