// Text as it may stand in HTML and XML, whoever wrote it.
#pragma once

#include <string>
#include <string_view>

namespace lab {

/// `text` for use between tags and in attributes. Characters with a meaning there become
/// references, and what safe_text() makes visible is made so.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace lab
