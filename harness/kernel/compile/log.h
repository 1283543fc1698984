// Reads NVRTC's log: its errors about names asked for, and those about the source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/core/backend.h"
#include "harness/core/error.h"

namespace lab::compile {

struct NameErrors {
  /// Names asked for that the source does not have, without blanks.
  std::vector<std::string> unknown;
  bool others = false;  ///< there are errors of the source itself, too
};

/// Names asked for are compiled as `#pragma nv_mangled_name NAME` in a file `__nv_name_map`; errors
/// there are not the source's.
[[nodiscard]] NameErrors name_errors(std::string_view log);

/// Where the source has errors: file and line.
[[nodiscard]] std::vector<Place> error_places(std::string_view log);

/// The log as a person should see it: without the names asked for, and without surplus blank lines.
[[nodiscard]] std::string readable_log(std::string_view log);

/// Advice for a header of the CUDA toolkit that is missing; empty for other headers.
[[nodiscard]] std::string toolkit_advice(std::string_view header);

/// Advice for the commonest mistakes in this source, empty where there is none.
[[nodiscard]] std::string advice(std::string_view log, const KernelText& source);

}  // namespace lab::compile
