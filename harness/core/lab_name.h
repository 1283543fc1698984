// The name by which people call a lab.
#pragma once

#include <string>

namespace lab {

/// Numbers from here on are of labs that have a name alone, and are made of it.
inline constexpr int kFirstOfNames = 1000;

/// `3`, or `warp-scan`.
[[nodiscard]] inline std::string lab_called(int number, const std::string& id) {
  return number < kFirstOfNames ? std::to_string(number) : id;
}

}  // namespace lab
