// A lab as `lab list` shows it, and how it is kept on disk.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "harness/core/lab.h"

namespace lab::labs {

struct Outline {
  Lab head;  ///< names, title, summary, path: no variants
  std::size_t variants = 0;
  std::size_t cases = 0;  ///< default points of the model, of all variants
};

[[nodiscard]] Outline outline_of(const Lab& lab);

/// The key of what this very program makes of `text`, the lab.toml of `folder`: another build may
/// find a fault in it.
[[nodiscard]] std::string outline_key(const std::string& folder, const std::string& text);

/// Four lines of text, without the names that a lab's folder gives it.
[[nodiscard]] std::string encode(const Outline& outline);
/// Empty if `text` is not an outline.
[[nodiscard]] std::optional<Outline> decode_outline(const std::string& text, Lab named);

}  // namespace lab::labs
