// What a kernel's printf writes, as much of it as a record keeps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/core/record.h"

namespace lab::model {

/// Keeps the first lines. Calls of add() must not overlap.
class Printed {
 public:
  static constexpr std::size_t kMostLines = 200;
  static constexpr std::size_t kMostBytes = 16 * 1024;

  void add(std::string_view text);
  /// Notes `printed`, and `printed_left_out` where more was written; none where nothing was.
  void tell(CaseRecord& record) const;

 private:
  std::string kept_;
  std::uint64_t bytes_ = 0;
  std::uint64_t lines_ = 0;  ///< that came to their end
  bool ends_line_ = true;    ///< the last byte was a line's end
  bool full_ = false;
};

}  // namespace lab::model
