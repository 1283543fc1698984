// Runs a program with the library that records in its process.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/whole_program.h"
#include "harness/record/recording.h"

namespace lab::record {

struct RecordPlan {
  std::vector<std::string> words;            ///< the program and its arguments; found by PATH
  std::filesystem::path folder;              ///< each process's file is made there; absolute
  std::filesystem::path library;             ///< liblab-record.so; absolute
  std::vector<std::filesystem::path> cupti;  ///< folders in which CUPTI may be
  std::string metrics = {};  ///< by CUPTI's names, with commas between them; empty: no counters
  bool output_to_errors = false;  ///< its standard output goes where its errors go
};

/// Throws where recording cannot work: a machine error without a driver or the library, an input
/// error where another tool is to be loaded in its place.
void require_recordable(const RecordPlan& plan);

/// Runs the program and waits for it. Its streams, folder and signals are ours; Ctrl-C reaches it
/// alone, and what is sent to us is passed on. An input error where there is no such program.
[[nodiscard]] CommandEnd run_recorded(const RecordPlan& plan);

/// Whether ranges are recorded: no other tool takes those of NVTX.
[[nodiscard]] bool records_ranges();

/// All that the processes have left in `folder`, in the order of their beginnings. `whole` gets
/// the bytes of each that can be read again.
[[nodiscard]] Recording gather(const std::filesystem::path& folder,
                               const std::function<void(std::string_view)>& whole);

}  // namespace lab::record
