// Pieces that the JSON documents share. Included by the few files that build them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "harness/core/launch.h"
#include "harness/core/params.h"

namespace lab::cli {

/// Keys keep the order in which they are documented.
using Json = nlohmann::ordered_json;

/// Indented text. Names may come from a student's file: bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string printed(const Json& json);

[[nodiscard]] Json params_json(const Params& params);
[[nodiscard]] Json value_json(const ParamValue& value);
/// [x, y, z]
[[nodiscard]] Json dim_json(const Dim3& dim);
/// Whole numbers print as integers; NaN and infinity, which JSON lacks, as null.
[[nodiscard]] Json number_json(double value);
[[nodiscard]] Json optional_json(const std::optional<double>& value);
/// null where the text is empty.
[[nodiscard]] Json text_json(const std::string& text);

}  // namespace lab::cli
