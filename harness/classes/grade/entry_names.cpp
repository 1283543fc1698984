#include "harness/classes/grade/entry_names.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <regex>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab::grade {

namespace {

// `Sep 15, 2026 825 PM`, `15 September, 2026 8:25 PM`: to sort by, since it has no time zone.
std::string read_date(const std::string& text) {
  static const std::regex kWords("[A-Za-z]+|[0-9]+(?::[0-9]{2})?");
  static const std::string kMonths = "janfebmaraprmayjunjulaugsepoctnovdec";
  int day = 0;
  int year = 0;
  int minutes = -1;
  std::size_t month = std::string::npos;
  bool afternoon = false;
  for (std::sregex_iterator at(text.begin(), text.end(), kWords), end; at != end; ++at) {
    std::string word = in_small_letters(at->str());
    if (std::isalpha(static_cast<unsigned char>(word[0])) != 0) {
      afternoon = afternoon || word == "pm";
      const std::size_t found = kMonths.find(word.substr(0, 3));
      if (word.size() > 2 && found != std::string::npos && found % 3 == 0) month = found / 3;
      continue;
    }
    std::erase(word, ':');
    if (word.size() > 4) return {};
    const int number = std::stoi(word);
    if (day == 0) {
      day = number;
    } else if (year == 0) {
      year = number;
    } else if (minutes < 0) {
      minutes = number / 100 * 60 + number % 100;
    }
  }
  if (day == 0 || year == 0 || minutes < 0 || month == std::string::npos) return {};
  const int hour = minutes / 60 % 12 + (afternoon ? 12 : 0);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", year, month + 1, day, hour, minutes % 60);
}

std::optional<EntryName> canvas(const std::string& name) {
  static const std::regex kName("([^_]+)(_LATE)?_([0-9]{2,})_([0-9]{2,})_(.+)");
  std::smatch part;
  if (!std::regex_match(name, part, kName)) return {};
  return EntryName{
      {part[1], {part[3]}}, fmt::format("{}_{}", part[1].str(), part[3].str()), part[5]};
}

std::optional<EntryName> moodle(const std::string& name) {
  static const std::regex kName("(.+)_([0-9]+)_assignsubmission_(?:file|onlinetext)_?(.*)");
  std::smatch part;
  if (!std::regex_match(name, part, kName)) return {};
  return EntryName{
      {part[1], {part[2]}}, fmt::format("{}_{}", part[1].str(), part[2].str()), part[3]};
}

std::optional<EntryName> brightspace(const std::string& name) {
  static const std::regex kName(
      "([0-9]+)-[0-9]+ ?- (.+?) ?- ([^-]*[0-9]{4}[^-]*?(?:AM|PM)?)(?: ?- (.+))?");
  std::smatch part;
  if (!std::regex_match(name, part, kName)) return {};
  return EntryName{{part[2], {part[1]}},
                   fmt::format("{} {} {}", part[1].str(), part[2].str(), part[3].str()),
                   part[4],
                   read_date(part[3])};
}

std::string utc_text(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm when = {};
  static_cast<void>(gmtime_r(&seconds, &when));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", when.tm_year + 1900, when.tm_mon + 1,
                     when.tm_mday, when.tm_hour, when.tm_min, when.tm_sec);
}

// `2026-07-01T14:22:32.365935-07:00`, `2026-07-01 21:22:32.365935000 Z`: in UTC.
std::string read_time(const std::string& text) {
  static const std::regex kTime(
      "([0-9]{4})-([0-9]{2})-([0-9]{2})[T ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\\.[0-9]+)? ?"
      "(?:Z|([+-])([0-9]{2}):?([0-9]{2}))");
  std::smatch part;
  if (!std::regex_match(text, part, kTime)) return {};
  const auto number = [&](std::size_t at) { return std::stoi(part[at]); };
  std::tm when = {};
  when.tm_year = number(1) - 1900;
  when.tm_mon = number(2) - 1;
  when.tm_mday = number(3);
  when.tm_hour = number(4);
  when.tm_min = number(5);
  when.tm_sec = number(6);
  std::time_t seconds = timegm(&when);
  if (part[7].matched) {
    const int off = number(8) * 3600 + number(9) * 60;
    seconds -= part[7] == "-" ? -off : off;
  }
  return utc_text(std::chrono::system_clock::from_time_t(seconds));
}

std::string scalar_of(const YAML::Node& node) {
  return node.IsDefined() && node.IsScalar() ? node.Scalar() : std::string();
}

Submitters of_export(const YAML::Node& node) {
  Submitters all;
  for (const YAML::Node& one : node[":submitters"]) {
    Called person{scalar_of(one[":name"])};
    for (const char* key : {":email", ":sid"}) {
      std::string value = scalar_of(one[key]);
      if (!value.empty()) person.keys.push_back(std::move(value));
    }
    all.people.push_back(std::move(person));
  }
  all.created_at = read_time(scalar_of(node[":created_at"]));
  return all;
}

Error unreadable(const std::string& name, const std::exception& error) {
  return input_error(fmt::format("cannot read '{}': {}", name, error.what()),
                     "it is Gradescope's, and says whose each submission is");
}

}  // namespace

std::optional<EntryName> read_entry_name(const std::string& name) {
  for (const auto& of_platform : {moodle, brightspace, canvas}) {
    if (auto entry = of_platform(name)) return entry;
  }
  return {};
}

std::map<std::string, Submitters> read_export(const std::string& name, const std::string& text) {
  try {
    std::map<std::string, Submitters> all;
    for (const auto& [key, value] : YAML::Load(text).as<std::map<std::string, YAML::Node>>()) {
      if (value.IsMap()) all[key] = of_export(value);
    }
    return all;
  } catch (const YAML::Exception& error) {
    throw unreadable(name, error);
  }
}

Submitters read_autograders(const std::string& name, const std::string& text) {
  try {
    const nlohmann::json document = nlohmann::json::parse(text);
    Submitters all;
    all.created_at = read_time(document.value("created_at", ""));
    for (const nlohmann::json& user : document.at("users")) {
      all.people.push_back({user.value("name", ""), {user.value("email", "")}});
    }
    return all;
  } catch (const nlohmann::json::exception& error) {
    throw unreadable(name, error);
  }
}

}  // namespace lab::grade
