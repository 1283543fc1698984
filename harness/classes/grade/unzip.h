// Archives that students and platforms hand over, unpacked within bounds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace lab::grade {

/// What archives may still hold: a class's is large, a student's is a few texts.
struct UnzipBounds {
  std::uint64_t bytes = std::uint64_t{2} << 30U;
  std::uint64_t files = 100000;
};

/// Unpacks the regular files of a zip into `folder`, which is there and empty. Names lead nowhere
/// else: an archive with a name that begins with / or a drive or has .. in it is not unpacked
/// further, and links in it are left out. Returns why it cannot be unpacked, as the end of a
/// sentence (`it is encrypted`); empty: it has been. Files get the times that the archive has.
/// `left` is less by what was unpacked.
[[nodiscard]] std::string unzip(const std::string& file, const std::filesystem::path& folder,
                                UnzipBounds& left);

}  // namespace lab::grade
