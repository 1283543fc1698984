// A warp's addresses as text: a parameter of a lab, or a file of `--pattern`.
#pragma once

#include <string>
#include <string_view>

#include "harness/reading/generations/generations.h"

namespace lab::labs {

/// Bytes from which a pattern chooses: addresses go from 0 to one less.
constexpr std::uint64_t kWindow = 8192;

/// 32 addresses in the order of lanes, with white space or commas between them: `128`, `0x80`, `-`
/// for a lane that is off, or `FIRST..LAST+STEP` for several. `#` begins a comment. `file` is named
/// in errors. Throws an input error with line, column and hint where it is malformed, not 32 lanes,
/// or all of them are off.
[[nodiscard]] Pattern read_pattern(std::string_view text, const std::string& file);

/// The shortest text that reads back as `pattern`, on one line.
[[nodiscard]] std::string text_of(const Pattern& pattern);

/// Throws an input error that names the first lane whose address is not a multiple of `width`.
void require_aligned(const Pattern& pattern, std::uint32_t width);

}  // namespace lab::labs
