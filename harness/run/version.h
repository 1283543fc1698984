// Which program this is.
#pragma once

#include <string>

namespace lab::run {

/// Such as 0.1.0.
[[nodiscard]] std::string program_version();

/// The commit that it was built from, with `-dirty` at its end where files differed; empty where
/// it was not built in a checkout.
[[nodiscard]] std::string program_commit();

}  // namespace lab::run
