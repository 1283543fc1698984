// A layout of an array in words, the same wherever it is told: what to declare or to write.
#pragma once

#include <string>

#include "harness/run/fix.h"

namespace lab::run {

/// As in the source; of memory that the launch asks for, what it is.
[[nodiscard]] std::string array_name(const ArrayFix& fix);

/// The text declares it with rows of a known length.
[[nodiscard]] bool has_rows(const ArrayFix& fix);
/// The layout's rows are those: a person may have said otherwise.
[[nodiscard]] bool as_declared(const ArrayFix& fix, const layout::Layout& layout);

/// `tile[r][c ^ r]` where the array has rows, else `s[i ^ i / 32]`; a padding by its declaration.
[[nodiscard]] std::string layout_text(const ArrayFix& fix, const layout::Layout& layout);

/// The last extent with its padding: `33`, or `N + 1` where the text has a name.
[[nodiscard]] std::string padded_extent(const ArrayFix& fix, const layout::Layout& layout);

/// An array of one dimension that needs more room says so in its declaration.
[[nodiscard]] bool grows_by_declaration(const ArrayFix& fix, const layout::Candidate& best);

/// The best layout is written where elements are named, not in the declaration alone.
[[nodiscard]] bool names_anew(const ArrayFix& fix);

/// Where an element is named anew: what to write there, and what room that takes. No full stop.
[[nodiscard]] std::string rule_text(const ArrayFix& fix, const layout::Candidate& best);

/// All that has to be changed for the best layout, in a sentence, with the reason why it helps.
[[nodiscard]] std::string change_text(const ArrayFix& fix);

}  // namespace lab::run
