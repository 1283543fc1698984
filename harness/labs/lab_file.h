// A lab's folder as a value: lab.toml, read.
#pragma once

#include <cstdint>
#include <string>

#include "harness/core/lab.h"

namespace lab::labs {

/// The longest lab.toml; the twelve labs' are of up to 20 KiB.
constexpr std::uint64_t kMostLabBytes = std::uint64_t{1} << 20;

/// A lab with the names that its folder gives it, and nothing else: 03_bank_conflicts is lab 3, and
/// warp-scan has its name and a number that is made of it, from 1000 to 9999.
[[nodiscard]] Lab named_lab(const std::string& folder);

/// The lab that `text`, the lab.toml of a folder called `folder` (03_bank_conflicts, warp-scan),
/// describes. `path` is for messages. Throws an input error with line, column and, where a name is
/// unknown, the nearest.
[[nodiscard]] Lab read_lab(const std::string& folder, const std::string& path,
                           const std::string& text);

}  // namespace lab::labs
