// Shared by `lab merge` and the parts of a class.
#pragma once

#include <map>
#include <set>
#include <string>

namespace lab::cli {

/// The parameters of each lab: runs with others are not taken from a database.
[[nodiscard]] std::map<int, std::set<std::string>> params_of_labs();

}  // namespace lab::cli
