// The views over grades: plain SQL, so that sqlite3 and pandas read them as lab does.
#pragma once

#include <string_view>
#include <vector>

namespace lab::db {

struct GradeView {
  std::string_view name;
  std::string_view sql;  ///< CREATE VIEW name AS ...
};

/// gradebook, results, outliers, similar. None refers to another view.
[[nodiscard]] const std::vector<GradeView>& grade_views();

}  // namespace lab::db
