#include "db/json_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/core/error.h"

namespace lab::db {
namespace {

using nlohmann::json;

std::string dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

template <typename T>
T parsed(const std::string& text, const char* what) {
  try {
    return json::parse(text).get<T>();
  } catch (const json::exception&) {
    throw input_error(fmt::format("the database holds {} that cannot be read: {}", what, text),
                      "it was edited; restore a copy");
  }
}

}  // namespace

Params params_from(const std::string& text) {
  Params params;
  for (const auto& [name, value] : parsed<std::map<std::string, json>>(text, "parameters")) {
    if (value.is_number_integer()) {
      params.set(name, value.get<std::int64_t>());
    } else {
      params.set(name, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  return params;
}

std::string json_of(const std::map<std::string, std::string>& facts) { return dump(facts); }

std::map<std::string, std::string> facts_from(const std::string& text) {
  return parsed<std::map<std::string, std::string>>(text, "facts");
}

std::string json_of(const std::vector<double>& samples) { return dump(samples); }

std::vector<double> samples_from(const std::string& text) {
  return parsed<std::vector<double>>(text, "samples");
}

std::string json_of(const std::array<std::int64_t, 32>& addresses) { return dump(addresses); }

std::array<std::int64_t, 32> addresses_from(const std::string& text) {
  return parsed<std::array<std::int64_t, 32>>(text, "addresses");
}

}  // namespace lab::db
