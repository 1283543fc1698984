// Environment variables by which lab tells the library in a program's process what to do.
#pragma once

namespace lab::record {

/// The folder in which each process makes its file. Unset: nothing is recorded.
inline constexpr const char* kFolderVariable = "LAB_RECORD_FOLDER";
/// Folders in which CUPTI may be, with : between them.
inline constexpr const char* kLibrariesVariable = "LAB_RECORD_LIBRARIES";

}  // namespace lab::record
