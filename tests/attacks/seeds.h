// What mutants begin with, where no file of the project's is one: made here, byte by byte.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lab::attacks {

/// Programs as nvcc links them, as far as lab reads them: sections, symbols, the libraries that are
/// needed, and device code, plain, packed by LZ4 and by Zstandard.
[[nodiscard]] std::vector<std::string> programs(const std::string& ptx);

/// Archives of a student's and of a class's; `folder` is used meanwhile.
[[nodiscard]] std::vector<std::string> zips(const std::filesystem::path& folder);

}  // namespace lab::attacks
