// Environment variables by which lab tells the library in a program's process what to do.
#pragma once

namespace lab::record {

/// The folder in which each process makes its file. Unset: nothing is recorded.
inline constexpr const char* kFolderVariable = "LAB_RECORD_FOLDER";
/// Folders in which CUPTI may be, with : between them.
inline constexpr const char* kLibrariesVariable = "LAB_RECORD_LIBRARIES";

/// Metrics by CUPTI's names, with commas between them. Unset or empty: no counters are read.
inline constexpr const char* kMetricsVariable = "LAB_RECORD_METRICS";

/// The file that a process locks while it counts.
inline constexpr const char* kLockVariable = "LAB_RECORD_LOCK";

}  // namespace lab::record
