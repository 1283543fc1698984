// A class graded on a cluster: one job array of Slurm, a part of the class for each task.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "db/store.h"

namespace lab::cli {

struct SlurmClass {
  /// `lab grade ...` with absolute paths and without --db and --shard.
  std::vector<std::string> command;
  std::filesystem::path database;  ///< of the class; the parts lie beside it
  int lab = 0;
  int parts = 8;
  int at_once = 2;
  std::vector<std::string> sbatch = {};  ///< its options beside those of the array: --time=30
};

/// Submits the array, waits for it, and submits again what failed; then what the parts came to is
/// in `store`. Nodes and this machine share the files. What no node could grade is left ungraded.
/// Throws a machine error where there is no Slurm.
void grade_on_slurm(const SlurmClass& wanted, db::Store& store);

}  // namespace lab::cli
