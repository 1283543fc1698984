// Several databases into one: a class's, or a student's laptop and the lab's GPU machine.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "db/store.h"

namespace lab::db {

struct MergeResult {
  std::int64_t added = 0;            ///< runs that were not there
  std::int64_t completed = 0;        ///< runs that were there with fewer cases, or unfinished
  std::int64_t present = 0;          ///< runs that were there as they are
  std::int64_t cases = 0;            ///< cases stored
  std::int64_t study = 0;            ///< guesses and answers to quizzes stored
  std::vector<std::string> differ;   ///< uuids of runs whose stored cases differ: ours stay
  std::vector<std::string> refused;  ///< a sentence for each run that was not taken, and why
};

struct MergeOptions {
  /// Parameters by lab: a run of such a lab with a parameter that the lab does not have is refused,
  /// since it would be a column of the lab's view for good. Other labs may have what they have.
  std::map<int, std::set<std::string>> params = {};
  /// Whose runs these are, whatever they say themselves; empty: as they say.
  std::string student = {};
  std::function<void(double fraction)> progress = {};
  std::function<bool()> cancelled = {};
};

/// Adds the runs of `from` to `into`, known by their uuid, oldest first, in one transaction. A run
/// that is there under another student's name is refused. Guesses and answers to quizzes come
/// along. Done again it changes nothing.
MergeResult merge(Store& into, Store& from, const MergeOptions& options = {});

}  // namespace lab::db
