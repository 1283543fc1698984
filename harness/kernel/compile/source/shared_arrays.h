// The arrays in shared memory that a source text declares: their names and extents as written, so
// that one can be given another extent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab::source {

/// One extent: what stands between [ and ].
struct Extent {
  std::string text;
  std::optional<std::uint64_t> value = {};  ///< where it is a number or names one
  std::size_t begin = 0;                    ///< of the text, in the source
  std::size_t end = 0;
};

struct SharedArray {
  std::string name;
  std::string type;  ///< as written: float, unsigned int
  int line = 0;      ///< from 1, of the name
  std::vector<Extent> extents = {};
  bool is_dynamic = false;  ///< extern: its last extent is empty
};

/// All of them in order.
[[nodiscard]] std::vector<SharedArray> shared_arrays_of(std::string_view source);

/// Bytes of a type that has one size everywhere; empty for others.
[[nodiscard]] std::optional<std::uint32_t> bytes_of_type(std::string_view type);

/// The source line of `array` where its last extent is `text`, without the blanks around it.
[[nodiscard]] std::string with_last_extent(std::string_view source, const SharedArray& array,
                                           std::string_view text);

}  // namespace lab::source
