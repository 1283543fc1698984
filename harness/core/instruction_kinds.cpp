#include "harness/core/instruction_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "harness/core/text.h"

namespace lab {
namespace {

constexpr const char* kNote = "instructions";

}  // namespace

void note_instructions(const std::vector<ExecutedKind>& executed, CaseRecord& record) {
  std::string text;
  for (const ExecutedKind& one : executed) {
    if (one.instructions == 0) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", word_of(one.kind), one.instructions);
  }
  if (!text.empty()) record.notes[kNote] = text;
}

std::vector<ExecutedKind> instructions_of(const CaseRecord& record) {
  const auto note = record.notes.find(kNote);
  if (note == record.notes.end()) return {};
  std::vector<ExecutedKind> executed;
  for (const std::string_view part : split(note->second, ' ')) {
    const std::size_t sign = part.find('=');
    const auto kind = from_word<InstructionKind>(part.substr(0, sign));
    if (!kind || sign == std::string_view::npos) continue;
    const std::string_view number = part.substr(sign + 1);
    ExecutedKind one{*kind, 0};
    std::from_chars(number.data(), number.data() + number.size(), one.instructions);
    executed.push_back(one);
  }
  std::sort(executed.begin(), executed.end(),
            [](const ExecutedKind& a, const ExecutedKind& b) { return a.kind < b.kind; });
  return executed;
}

}  // namespace lab
