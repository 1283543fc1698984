// The views that graders query. They hold nothing: they are made afresh where their text changed.
#pragma once

#include <SQLiteCpp/Database.h>

#include <string>
#include <vector>

namespace lab::db {

/// CREATE VIEW statements of `compare` and `latest`.
[[nodiscard]] std::string compare_view_sql();
[[nodiscard]] std::string latest_view_sql();

/// CREATE VIEW of labN for parameters `params` (in the order of their columns) and every metric of
/// the catalogue. A parameter whose name another column has is called param_NAME.
[[nodiscard]] std::string lab_view_sql(int lab, const std::vector<std::string>& params);

/// Makes or replaces view `name` where its stored text is not `sql`.
void ensure_view(SQLite::Database& database, const std::string& name, const std::string& sql);

/// Fills table `metrics` from the catalogue where it differs. Rows of keys that the catalogue does
/// not have any more stay.
void ensure_metrics(SQLite::Database& database);

/// The view of `lab` from the names in table lab_params.
void ensure_lab_view(SQLite::Database& database, int lab);

}  // namespace lab::db
