// CUDA's headers, as far as a program's host part needs them where there is no toolkit.
#pragma once

#include <span>
#include <string_view>

namespace lab::program {

struct HeaderText {
  std::string_view name;
  std::string_view text;
};
/// The headers in harness/programs/guest/include.
[[nodiscard]] std::span<const HeaderText> header_texts();

}  // namespace lab::program
