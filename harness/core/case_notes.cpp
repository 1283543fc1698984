#include "harness/core/case_notes.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab {

namespace {

// A value as its text, empty where it has nothing to say; and the value of such a text, where false
// means that it is not one.

std::string to_note(const std::string& value) { return value; }
bool from_note(const std::string& text, std::string& value) {
  value = text;
  return true;
}

// Older versions have a sentence in place of the word.
std::string to_note(bool value) { return value ? "yes" : ""; }
bool from_note(const std::string& text, bool& value) {
  value = !text.empty();
  return true;
}

bool read_whole(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}
std::string to_note(std::uint64_t value) { return value == 0 ? "" : std::to_string(value); }
bool from_note(const std::string& text, std::uint64_t& value) { return read_whole(text, value); }

std::string to_note(const std::optional<Looked>& value) {
  return value ? std::string(word_of(*value)) : std::string();
}
bool from_note(const std::string& text, std::optional<Looked>& value) {
  value = from_word<Looked>(text);
  return value.has_value();
}

// `global_load_4=12 barrier=8`
std::string to_note(const std::vector<ExecutedKind>& executed) {
  std::string text;
  for (const ExecutedKind& one : executed) {
    if (one.instructions == 0) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", word_of(one.kind), one.instructions);
  }
  return text;
}
bool from_note(const std::string& text, std::vector<ExecutedKind>& executed) {
  for (const std::string_view part : split(text, ' ')) {
    const std::size_t sign = std::min(part.find('='), part.size());
    const auto kind = from_word<InstructionKind>(part.substr(0, sign));
    ExecutedKind one;
    if (!kind || sign == part.size() || !read_whole(part.substr(sign + 1), one.instructions)) {
      return false;
    }
    one.kind = *kind;
    executed.push_back(one);
  }
  return true;
}

// `global_load: k.cu:157: ...`, a line each.
std::string to_note(const std::vector<AccessNote>& notes) {
  std::string text;
  for (const AccessNote& one : notes) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", one.access, one.says);
  }
  return text;
}
bool from_note(const std::string& text, std::vector<AccessNote>& notes) {
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t end = line.find(": ");
    if (end == std::string_view::npos) return false;
    notes.push_back({std::string(line.substr(0, end)), std::string(line.substr(end + 2))});
  }
  return true;
}

}  // namespace

std::map<std::string, std::string> texts_of(const CaseNotes& notes) {
  std::map<std::string, std::string> texts = notes.others;
  visit_fields(notes, [&](const auto& field, const auto& member) {
    if constexpr (requires { to_note(member); }) {
      std::string text = to_note(member);
      if (!text.empty()) texts[std::string(field.name)] = std::move(text);
    }
  });
  return texts;
}

CaseNotes notes_from(std::map<std::string, std::string> texts) {
  CaseNotes notes;
  visit_fields(notes, [&](const auto& field, auto& member) {
    if constexpr (requires(const std::string& text) { from_note(text, member); }) {
      const auto found = texts.find(std::string(field.name));
      if (found == texts.end()) return;
      if (from_note(found->second, member)) {
        texts.erase(found);
      } else {
        member = {};
      }
    }
  });
  notes.others = std::move(texts);
  return notes;
}

std::string CaseNotes::text() const {
  return nlohmann::json(texts_of(*this))
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

CaseNotes CaseNotes::from_text(const std::string& text) {
  try {
    return notes_from(nlohmann::json::parse(text).get<std::map<std::string, std::string>>());
  } catch (const nlohmann::json::exception&) {
    throw input_error("the database holds facts that cannot be read: " + text,
                      "it was edited; restore a copy");
  }
}

void add_notes(CaseNotes& model, const CaseNotes& gpu) {
  std::map<std::string, std::string> texts = texts_of(model);
  for (const auto& [name, text] : texts_of(gpu)) {
    const auto [at, added] = texts.emplace(name, text);
    if (!added && at->second != text) texts["gpu_" + name] = text;
  }
  model = notes_from(std::move(texts));
}

}  // namespace lab
