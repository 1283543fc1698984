// Names and texts of the runtime's errors, as CUDA 13 has them.
#pragma once

#include <algorithm>
#include <iterator>

namespace lab::program {

struct ErrorRow {
  int number;
  const char* name;  ///< cudaErrorInvalidValue
  const char* text;  ///< invalid argument
};
inline constexpr ErrorRow kErrors[] = {
#define LAB_ERROR(name, number, text) {number, #name, text},
#include "harness/programs/guest/include/lab_errors.inc"
#undef LAB_ERROR
};

/// Null: there is no such error.
[[nodiscard]] inline const ErrorRow* find_error(int number) {
  const auto* const found = std::find_if(std::begin(kErrors), std::end(kErrors),
                                         [=](const ErrorRow& row) { return row.number == number; });
  return found == std::end(kErrors) ? nullptr : found;
}

}  // namespace lab::program
