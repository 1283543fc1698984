// The views that graders query. They hold nothing: they are made afresh where their text changed.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lab::db {

/// A lab has a handful of parameters. SQLite ends at 2,000 columns, and a view with more could
/// never be read.
inline constexpr std::int64_t kMostParams = 64;
/// Labs of other numbers get no view.
inline constexpr int kMostLab = 9999;

/// CREATE VIEW statements of `compare` and `latest`.
[[nodiscard]] std::string compare_view_sql();
[[nodiscard]] std::string latest_view_sql();

/// CREATE VIEW of labN for parameters `params` (in the order of their columns) and every metric of
/// the catalogue. A parameter whose name another column has is called param_NAME.
[[nodiscard]] std::string lab_view_sql(int lab, const std::vector<std::string>& params);

/// The view of `lab` from the names in table lab_params.
void ensure_lab_view(SQLite::Database& database, int lab);

/// The catalogue, and those views whose names are in `sql`, as temporary ones of this connection.
/// They hide those of the file: one that comes from someone else may have `compare` say anything.
void add_own_views(SQLite::Database& database, std::string_view sql);

/// Views of a file, and keys of its table `metrics`, whose text and row this program would not
/// write: someone else did, or another version.
[[nodiscard]] std::vector<std::string> other_views(SQLite::Database& database);
[[nodiscard]] std::vector<std::string> other_metrics(SQLite::Database& database);

/// All views and table `metrics` as this program has them, written only where they differ. Rows of
/// keys that the catalogue does not have any more stay. Labs are those in lab_params and runs, and
/// `others`, so that a lab has its view before any of its runs.
void refresh_views(SQLite::Database& database, const std::set<int>& others = {});

}  // namespace lab::db
