// Several databases into one: a class's, or a student's laptop and the lab's GPU machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/store.h"

namespace lab::db {

struct MergeResult {
  std::int64_t added = 0;           ///< runs that were not there
  std::int64_t completed = 0;       ///< runs that were there with fewer cases, or unfinished
  std::int64_t present = 0;         ///< runs that were there as they are
  std::int64_t cases = 0;           ///< cases stored
  std::vector<std::string> differ;  ///< uuids of runs whose stored cases differ: ours stay
};

/// Adds the runs of `from` to `into`, known by their uuid, oldest first, each in a transaction of
/// its own. Done again it changes nothing; interrupted, it is continued by doing it again.
MergeResult merge(Store& into, Store& from);

}  // namespace lab::db
