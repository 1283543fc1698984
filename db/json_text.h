// The few columns that hold JSON: parameters, facts, samples, addresses.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/core/params.h"

namespace lab::db {

/// Each reader throws an input error where the text is not what its writer makes: an edited
/// database. Bytes that are not UTF-8 are replaced when written.
[[nodiscard]] Params params_from(const std::string& json);

[[nodiscard]] std::string json_of(const std::map<std::string, std::string>& facts);
[[nodiscard]] std::map<std::string, std::string> facts_from(const std::string& json);

[[nodiscard]] std::string json_of(const std::vector<double>& samples);
[[nodiscard]] std::vector<double> samples_from(const std::string& json);

[[nodiscard]] std::string json_of(const std::array<std::int64_t, 32>& addresses);
[[nodiscard]] std::array<std::int64_t, 32> addresses_from(const std::string& json);

}  // namespace lab::db
