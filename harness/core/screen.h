// The screen of a lab: a few rows and columns, and why their numbers are what they are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/expression.h"
#include "harness/core/params.h"
#include "harness/core/words.h"

namespace lab {

/// The column of a screen that is the time: measured, else expected.
inline constexpr const char* kTimeColumn = "time";
/// The column that says what a checker found, and at which line.
inline constexpr const char* kFindingColumn = "finding";

/// A row is one case: of this variant, at the first of these points that ran.
struct ScreenRow {
  std::string variant;
  std::vector<Params> points = {};
};

/// Why a number of the table is what it is.
struct ScreenReason {
  std::size_t row = 0;  ///< from 0
  std::string metric;
  std::string says;  ///< in words
  Expr formula = 0;  ///< over the names of the row's variant; its value is the number
};

struct Screen {
  std::string size = {};  ///< of the data, such as `{rows} x {cols} floats`
  std::vector<ScreenRow> rows = {};
  std::vector<std::string> columns = {};  ///< metric keys, kTimeColumn or kFindingColumn
  std::string bars = {};                  ///< the column that is drawn, too; empty: none
  std::string curve = {};                 ///< a metric along the first row's sweep; empty: none
  std::vector<ScreenReason> because = {};
};

/// A cure that a task rules out: no advice names it.
enum class Forbidden : std::uint8_t { kNothing, kPadding };
template <>
inline constexpr std::array kWordsOf<Forbidden>{std::string_view("nothing"),
                                                std::string_view("padding")};

/// What a student's kernel of one variant is about: the numbers that tell how good it is, and the
/// case of the lab that they are compared with.
struct Goal {
  std::string variant;
  std::vector<std::string> metrics;  ///< one to three, the most telling first
  std::optional<ScreenRow> from = {};
  std::string says = {};  ///< what is gained, in words; may be empty
  Forbidden forbidden = Forbidden::kNothing;
  std::uint64_t most_shared = 0;  ///< bytes of a block without the forbidden padding
};

/// The case that `lab map`, `lab explain` and `lab fix` look at unless another is asked for.
struct Picture {
  ScreenRow row;
  std::string array = {};  ///< whose matrix is drawn
};

}  // namespace lab
