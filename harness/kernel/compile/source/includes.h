// Files that a source includes, found by its #include lines, so that they can be read, stored and
// compiled as a part of the source.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/backend.h"

namespace lab::source {

struct File {
  std::string name;
  std::string text;
};
/// A kernel's source, then those that it includes.
[[nodiscard]] std::vector<File> files_of(const KernelText& source);

/// The header that the text of an #include directive names; empty where it is a macro's.
struct HeaderName {
  std::string name;
  bool quoted = false;  ///< "name": the folder of the including file comes first
};
[[nodiscard]] HeaderName header_of(std::string_view directive);

/// Whether a header is by its name the C++ library's or the system's.
[[nodiscard]] bool is_system_header(const HeaderName& header);
/// The same, or CUDA's.
[[nodiscard]] bool is_library_header(const HeaderName& header);

/// The names under which a header may be a file: in the folder of the file that includes it where
/// it is quoted, then in each of `folders`.
[[nodiscard]] std::vector<std::string> candidates(const HeaderName& header, std::string_view from,
                                                  const std::vector<std::string>& folders);

/// The text of a file, empty where there is none.
using ReadFile = std::function<std::optional<std::string>(const std::string& name)>;

/// Most files and bytes that a source may include: more is a mistake.
constexpr std::size_t kMostIncluded = 500;
constexpr std::size_t kMostIncludedBytes = std::size_t{16} << 20;

/// All that `text`, the file called `name`, includes and `read` finds, and what these include; each
/// once, in the order of their first mention. An input error past the bounds.
[[nodiscard]] std::vector<File> included_files(const std::string& name, std::string_view text,
                                               const std::vector<std::string>& folders,
                                               const ReadFile& read);

}  // namespace lab::source
