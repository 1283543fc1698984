#include "tools/cli/text/notes_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/text.h"
#include "harness/reading/notes.h"
#include "harness/reading/remarks.h"
#include "tools/cli/text/cells.h"
#include "tools/cli/text/page_text.h"

namespace lab::cli {

namespace {

using reading::Note;
using reading::NoteKind;

constexpr std::size_t kNotesShown = 6;

/// Cases are told apart by what varies, and where variants are told together by those, too.
enum class CaseNames : unsigned char { kPoint, kVariantAndPoint };

std::string case_name(const CaseRecord& record, const std::vector<Section>& sections,
                      CaseNames names) {
  const auto section = std::find_if(sections.begin(), sections.end(), [&](const Section& one) {
    return one.variant == record.variant;
  });
  const std::string values = values_of(record, section->varying);
  if (values.empty()) return safe_line(record.variant);
  return names == CaseNames::kVariantAndPoint ? safe_line(record.variant) + " " + values : values;
}

// Broken into lines of at most `width` columns; lines that begin with spaces are texts of their own
// and stay as they are.
std::vector<std::string> broken(std::string_view line, int width) {
  if (line.substr(0, 1) == " ") return {std::string(line)};
  return wrapped(line, width);
}

// A compiler's words have many lines: the first ones, set apart from what is around them.
std::string reason_text(const std::string& reason) {
  constexpr std::size_t kLines = 6;
  const std::vector<std::string_view> lines = split(trim(reason), '\n');
  std::string text = safe_line(lines.front());
  for (std::size_t i = 1; i < lines.size() && i < kLines; ++i) {
    text += "\n    " + safe_line(lines[i]);
  }
  if (lines.size() > kLines) text += "\n    ...";
  return text;
}

std::string text_of(const Note& note) {
  switch (note.kind) {
    case NoteKind::kFinding:
    case NoteKind::kRemark:
    case NoteKind::kRaces:
    case NoteKind::kSlower:
      break;
    case NoteKind::kTimed:
      return fmt::format("timed by {}; a launch's share is shown",
                         safe_line(note.first->timing->method));
    case NoteKind::kReason:
      return fmt::format("{}: {}", name_of(note.first->status), reason_text(note.text));
    case NoteKind::kFlaw:
      return "expected time: " + safe_line(note.text);
    case NoteKind::kExplained:
    case NoteKind::kDisagrees:
    case NoteKind::kMissing:
      return fmt::format("{} {}: {}", safe_line(note.verdict->metric), name_of(note.verdict->kind),
                         safe_line(note.text));
  }
  return safe_line(note.text);
}

std::string told(const Note& note, const std::string& name, const Terminal& terminal) {
  const std::string more = note.cases > 1 ? fmt::format(" and {} more", note.cases - 1) : "";
  if (note.finding != nullptr) {
    return remark_text(
        reading::remark_of(*note.finding, {name + more, note.first->status == CaseStatus::kOk}),
        terminal);
  }
  const std::string whole = fmt::format("{}{}: {}", name, more, text_of(note));
  std::string out;
  for (const std::string_view line : split(whole, '\n')) {
    std::string indent = "  ";
    for (const std::string& part : broken(line, terminal.width - 6)) {
      out += indent + part + "\n";
      indent = "      ";
    }
  }
  return out;
}

// All facts, and the first notes.
std::string all_told(const std::vector<Note>& notes, const std::vector<Section>& sections,
                     CaseNames names, std::size_t most, const Terminal& terminal) {
  std::string out;
  std::size_t left_out = 0;
  for (const Note& note : notes) {
    if (!note.is_fact() && most == 0) {
      ++left_out;
      continue;
    }
    most -= note.is_fact() ? 0 : 1;
    out += told(note, case_name(*note.first, sections, names), terminal);
  }
  if (left_out == 0) return out;
  return out + fmt::format("  and {} more of these; lab compare shows all of them\n", left_out);
}

}  // namespace

std::string notes_text(const std::vector<Section>& sections, const reading::Shown& shown,
                       const Terminal& terminal) {
  return all_told(reading::notes_of(reading::cases_of(sections), shown), sections,
                  sections.size() > 1 ? CaseNames::kVariantAndPoint : CaseNames::kPoint,
                  kNotesShown, terminal);
}

std::string mistakes_text(const RunRecord& run, const Terminal& terminal) {
  const std::vector<Section> sections = sections_of(run);
  const reading::Cases cases = reading::cases_of(sections);
  std::vector<Note> notes = reading::notes_of(cases, {});
  std::erase_if(notes, [](const Note& note) {
    return note.kind != NoteKind::kFinding || note.first->status != CaseStatus::kFinding;
  });
  return all_told(notes, sections, CaseNames::kVariantAndPoint, kNotesShown, terminal);
}

std::string explained_text(const RunRecord& run, const std::vector<std::string>& metrics,
                           const Terminal& terminal) {
  constexpr std::size_t kMechanisms = 3;
  const std::vector<Section> sections = sections_of(run);
  return all_told(reading::mechanisms_of(reading::cases_of(sections), metrics), sections,
                  CaseNames::kVariantAndPoint, kMechanisms, terminal);
}

}  // namespace lab::cli
