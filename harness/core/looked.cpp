#include "harness/core/looked.h"

#include <charconv>
#include <string>

namespace lab {

namespace {

constexpr const char* kLookedKey = "checkers";
constexpr const char* kLaunchesKey = "unchecked_launches";

}  // namespace

void note_looked(Looked looked, CaseRecord& record) {
  record.notes[kLookedKey] = std::string(word_of(looked));
}

std::optional<Looked> looked_of(const CaseRecord& record) {
  const auto note = record.notes.find(kLookedKey);
  return note == record.notes.end() ? std::nullopt : from_word<Looked>(note->second);
}

void note_unchecked_launches(std::uint64_t launches, CaseRecord& record) {
  if (launches > 0) record.notes[kLaunchesKey] = std::to_string(launches);
}

std::uint64_t unchecked_launches_of(const CaseRecord& record) {
  const auto note = record.notes.find(kLaunchesKey);
  std::uint64_t launches = 0;
  if (note == record.notes.end()) return launches;
  const std::string& text = note->second;
  std::from_chars(text.data(), text.data() + text.size(), launches);
  return launches;
}

}  // namespace lab
