// The page on the language of labs, made of the tables that readers use.
#pragma once

#include <string>

namespace lab::labs {

/// labs/LANGUAGE.md, which a test holds equal to this. Written by `lab __language`.
[[nodiscard]] std::string language_page();

}  // namespace lab::labs
