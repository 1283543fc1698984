// The JSON of a recording.
#pragma once

#include <string>

#include "tools/cli/text/record_text.h"

namespace lab::cli {

/// `lab record --json`
[[nodiscard]] std::string recording_json(const RecordStory& story);

}  // namespace lab::cli
