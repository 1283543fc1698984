// Bounds what code of others may reach of this machine, by Linux's Landlock, seccomp and resource
// limits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lab::box {

/// Files, and folders with all below them, that may still be opened.
struct Reach {
  std::vector<std::filesystem::path> read;
  std::vector<std::filesystem::path> write;
  /// Programs, and folders of them, that may be started; they stay in the box. None: no program is.
  std::vector<std::filesystem::path> execute = {};
};

struct Bounds {
  std::uint64_t more_memory = 0;   ///< bytes of address space beyond what is in use; 0: no limit
  std::uint64_t more_threads = 0;  ///< of the user's beyond those that all users have; 0: no limit
  bool processes = false;          ///< whether it may fork; it may always start threads
};

/// Why this system can close no box; empty: it can.
[[nodiscard]] std::string why_no_box();

/// Closes the box around this process, which has one thread, and all that it starts, for good:
/// files outside of `reach` can be neither opened nor made, none can have its owner, rights or
/// attributes changed, no other program is started, no network or other process reached, and no
/// environment is left to be read. System calls that are not known to be needed fail with EPERM.
/// Files that are open stay open. Boxes within boxes only get smaller. Throws a machine error where
/// the system refuses.
void close_box(const Reach& reach, const Bounds& bounds);

}  // namespace lab::box
