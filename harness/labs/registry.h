// All labs there are: folders that hold a lab.toml.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/lab.h"
#include "harness/labs/outline.h"

namespace lab {

/// A folder that is meant to be a lab and can't be read.
struct BrokenLab {
  std::string folder;  ///< its name
  std::string path;    ///< where it lies
  Error error;
};

/// The folders that hold labs, in the order in which they are looked through: those of $LAB_PATH,
/// separated by colons, then `labs` beside this program or above it. Throws an input error where
/// one of $LAB_PATH holds none, and where there is none at all.
[[nodiscard]] const std::vector<std::string>& lab_folders();

/// Ordered by number, those that have none behind the others by name. Of two of one name or number
/// the one that is found first.
[[nodiscard]] const std::vector<Lab>& all_labs();
[[nodiscard]] std::vector<BrokenLab> broken_labs();

struct LabList {
  std::vector<labs::Outline> labs;  ///< ordered as all_labs() are
  std::vector<BrokenLab> broken;
};

/// All labs as a list shows them. A file that this program has read before is not read again: its
/// outline is kept in the user's cache.
[[nodiscard]] LabList list_labs();

/// The lab with this number ("3", "03"), id ("bank_conflicts") or folder ("03_bank_conflicts"), or
/// the one that lies at a path: any name with a slash, and a folder that has a lab.toml where no
/// lab is called so. Throws an input error that names the nearest where there is none, and its own
/// error where it is broken.
[[nodiscard]] const Lab& find_lab(std::string_view name);

/// Null for lab 0, a probe, and where a database names a lab that is not found.
[[nodiscard]] const Lab* lab_with_number(int number);

/// Whether what lies at `path` is one of the labs that the program came with.
[[nodiscard]] bool is_beside_program(const std::string& path);

}  // namespace lab
