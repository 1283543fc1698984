#include "harness/core/range_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace lab {

bool in_range_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '=' ||
         c == '-';
}

std::string range_name(int lab, const std::string& variant, const Params& params) {
  std::string name = fmt::format("lab.{:02}.{}", lab, variant);
  for (const auto& [key, value] : params.all()) name += fmt::format(".{}={}", key, to_text(value));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !in_range_name(c); }, '_');
  return name;
}

}  // namespace lab
