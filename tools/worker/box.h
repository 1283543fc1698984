// What code of others may reach of this machine: Linux's Landlock, seccomp and resource limits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lab::worker {

/// Files, and folders with all below them, that may still be opened.
struct Reach {
  std::vector<std::filesystem::path> read;
  std::vector<std::filesystem::path> write;
};

struct Bounds {
  std::uint64_t more_memory = 0;  ///< bytes of address space beyond what is in use; 0: no limit
  std::uint64_t cpu_seconds = 0;  ///< 0: no limit
};

/// Why this system can close no box; empty: it can.
[[nodiscard]] std::string why_no_box();

/// Closes the box around this thread and all that it starts, for good: files outside of `reach` can
/// be neither opened nor made, no program started, no network or other process reached, and no
/// environment is left to be read. What is open stays open. Boxes within boxes only get smaller.
/// Throws a machine error where the system refuses.
void close_box(const Reach& reach, const Bounds& bounds);

}  // namespace lab::worker
