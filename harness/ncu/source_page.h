// Reads Nsight Compute's counts of each source line from the CSV of its source page,
// `ncu --import R.ncu-rep --csv --page source --print-source cuda,sass`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/record.h"

namespace lab::ncu {

/// One function of a file, with the counts of its lines.
struct SourceFunction {
  std::string file;                         ///< as ncu names it; empty: it does not say
  std::string name;                         ///< void k<(int)32>(float *)
  std::vector<LineObservation> lines = {};  ///< of SourceOf::kNcu, under our metrics' names
};

/// All functions in order. Of the rows of `cuda,sass` those of source lines are taken, which are
/// the sums of their instructions. Throws an input error that names `file` where it has no such
/// table, or that of machine code alone.
[[nodiscard]] std::vector<SourceFunction> read_source_page(std::string_view bytes,
                                                           const std::string& file);

/// The lines of the functions that may be `kernel`, with `file` for their files' name where that
/// is the same but for its folder. Throws an input error that lists the functions where none is.
[[nodiscard]] std::vector<LineObservation> lines_of(const std::vector<SourceFunction>& functions,
                                                    const std::string& kernel,
                                                    const std::string& file);

}  // namespace lab::ncu
