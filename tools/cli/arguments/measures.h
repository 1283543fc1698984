// Times and sizes as people write them on the command line.
#pragma once

#include <string>

namespace lab::cli {

/// `60s`, `2m`, `90`. An input error that names the option where the text is something else.
[[nodiscard]] double seconds_of(const std::string& option, const std::string& text);

/// `512M`, `2G`.
[[nodiscard]] double bytes_of(const std::string& option, const std::string& text);

}  // namespace lab::cli
