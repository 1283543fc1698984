// The program `ncu`: where it is, how it is told what to profile, and what its refusals mean.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/error.h"

namespace lab::ncu {

/// Where programs of the CUDA toolkit may be.
struct ToolPlaces {
  std::string path = {};       ///< $PATH
  std::string cuda_home = {};  ///< $CUDA_HOME, else $CUDA_PATH
  std::filesystem::path local = "/usr/local";
  std::filesystem::path nsight = "/opt/nvidia/nsight-compute";
};
[[nodiscard]] ToolPlaces usual_places();

struct ToolSearch {
  std::optional<std::filesystem::path> found;
  std::vector<std::string> looked;  ///< folders, in the order in which they were tried
};

/// `name` (ncu, nvdisasm) on PATH, in $CUDA_HOME/bin, in local/cuda*/bin and, newest first, in the
/// folders of Nsight Compute's own packages.
[[nodiscard]] ToolSearch find_tool(const std::string& name, const ToolPlaces& places);

/// The error that says where ncu was looked for and how to get it.
[[nodiscard]] Error ncu_not_found(const ToolSearch& search);

struct ProfileRequest {
  std::filesystem::path ncu;
  std::vector<std::string> metrics;    ///< counters' names
  std::vector<std::string> sets = {};  ///< of Nsight Compute: basic, full, ...
  std::string cache_control = "all";
  std::string clock_control = "none";
  std::filesystem::path report;      ///< the .ncu-rep to write
  std::filesystem::path log;         ///< what ncu says
  std::vector<std::string> program;  ///< the command line to profile
};

/// Profiles the launches in ranges `check` of domain `lab`: each case's one checked launch.
[[nodiscard]] std::vector<std::string> profile_command(const ProfileRequest& request);
/// Prints a report as CSV: one row per launch, base units, NVTX ranges in columns.
[[nodiscard]] std::vector<std::string> export_command(const std::filesystem::path& ncu,
                                                      const std::filesystem::path& report);

/// A program's end and all that it wrote.
struct Ended {
  int status = 0;  ///< 128 + its number where a signal ended the program
  std::string out;
  std::string err;
};

/// Runs a program to its end with nothing on its standard input. `environment` adds variables,
/// NAME=VALUE. `folder` must exist: output goes through files there. A machine error where the
/// program cannot be started.
[[nodiscard]] Ended run_program(const std::vector<std::string>& command,
                                const std::filesystem::path& folder,
                                const std::vector<std::string>& environment = {});

/// Why ncu left no report, from all that it and the profiled program wrote.
[[nodiscard]] Error explain_failure(const Ended& ended, std::string_view log);

/// The `2025.3.1.0` in what `ncu --version` prints; empty where it has none.
[[nodiscard]] std::string version_in(std::string_view text);

}  // namespace lab::ncu
