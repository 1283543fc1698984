// Stored grades held against stored runs: points added up again. Nothing is run here.
#pragma once

#include <string>
#include <vector>

#include "db/store.h"

namespace lab::grade {

struct Recheck {
  std::vector<std::string> problems = {};  ///< a sentence for each grade that its run does not give
  std::vector<std::string> open = {};  ///< why a grade cannot be added up again: a sentence each
};

/// Every grade of the file, by the rubric and the run that are stored with it.
[[nodiscard]] Recheck check_points(db::Store& store);

}  // namespace lab::grade
