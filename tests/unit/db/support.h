// What the tests of the store share: folders, records, and how an error reads.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "db/store.h"
#include "harness/core/error.h"
#include "harness/core/record.h"

namespace lab::db {

/// An empty folder that goes with the object.
class TempFolder {
 public:
  TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder();
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A case with something in every field.
[[nodiscard]] CaseRecord full_case(int index);
/// A run with something in every field and no cases.
[[nodiscard]] RunRecord full_run();
/// A small case of lab 3: variant stride, one stride, theory, model and verdict of one metric.
[[nodiscard]] CaseRecord stride_case(int index, std::int64_t stride, double wavefronts);

/// Stores `run` with its cases, finished with its status.
void store(Store& store, RunRecord& run);

/// The rendered text of the error that `body` throws, "no error" where it throws none. Each
/// occurrence of `folder` is written as DIR.
[[nodiscard]] std::string error_of(const std::function<void()>& body,
                                   const std::string& folder = {});
/// The exit status of that error; 0: none.
[[nodiscard]] int status_of(const std::function<void()>& body);

/// Runs SQL on a file by SQLite alone, as another program would.
void raw_sql(const std::string& path, const std::string& sql);
/// The first column of the first row, as text.
[[nodiscard]] std::string raw_value(const std::string& path, const std::string& sql);

}  // namespace lab::db
