#include "harness/core/looked.h"

#include <charconv>
#include <string>

namespace lab {

void note_looked(Looked looked, CaseRecord& record) {
  record.notes["checkers"] = std::string(word_of(looked));
}

std::optional<Looked> looked_of(const CaseRecord& record) {
  const auto note = record.notes.find("checkers");
  return note == record.notes.end() ? std::nullopt : from_word<Looked>(note->second);
}

void note_images(CaseRecord& record) {
  record.notes["images"] = "textures and surfaces are read and written unchecked";
}

bool has_images(const CaseRecord& record) { return record.notes.contains("images"); }

void note_unchecked_launches(std::uint64_t launches, CaseRecord& record) {
  if (launches > 0) record.notes["unchecked_launches"] = std::to_string(launches);
}

std::uint64_t unchecked_launches_of(const CaseRecord& record) {
  const auto note = record.notes.find("unchecked_launches");
  std::uint64_t launches = 0;
  if (note == record.notes.end()) return launches;
  const std::string& text = note->second;
  std::from_chars(text.data(), text.data() + text.size(), launches);
  return launches;
}

}  // namespace lab
