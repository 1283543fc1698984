// Which files of its own a source includes.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace lab::compile {

/// The headers below `folder` that `source` names in quotation marks, and those that they name,
/// each once. A header is a regular file, not a link, whose name ends as a header's does and does
/// not lead out of the folder: `#include "../other/solution.cu"` names none.
[[nodiscard]] std::vector<std::filesystem::path> own_headers(std::string_view source,
                                                             const std::filesystem::path& folder);

}  // namespace lab::compile
