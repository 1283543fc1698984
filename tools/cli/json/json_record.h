// The JSON of a recording.
#pragma once

#include <string>

#include "harness/record/recording_page.h"

namespace lab::cli {

/// `lab record --json`
[[nodiscard]] std::string recording_json(const record::RecordStory& story);

}  // namespace lab::cli
