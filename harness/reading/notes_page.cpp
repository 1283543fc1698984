#include "harness/reading/notes_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/core/text.h"
#include "harness/page/make.h"
#include "harness/reading/case_name.h"
#include "harness/reading/case_reading.h"
#include "harness/reading/notes.h"
#include "harness/reading/remarks.h"

namespace lab::reading {

namespace {

using page::Role;

constexpr std::size_t kNotesShown = 6;
constexpr std::size_t kMechanisms = 3;

/// Cases are told apart by what varies, and where variants are told together by those, too.
enum class CaseNames : unsigned char { kPoint, kVariantAndPoint };

CaseNames names_in(const std::vector<Section>& sections) {
  return sections.size() > 1 ? CaseNames::kVariantAndPoint : CaseNames::kPoint;
}

// `stride=4 and 2 more`
std::string who(const Note& note, const std::vector<Section>& sections, CaseNames names) {
  const CaseRecord& record = *note.first;
  const auto section = std::find_if(sections.begin(), sections.end(), [&](const Section& one) {
    return one.variant == record.variant;
  });
  std::string name = values_of(record, section->varying);
  const std::string variant = record.variant.empty() ? record.kernel : record.variant;
  if (name.empty()) {
    name = variant;
  } else if (names == CaseNames::kVariantAndPoint) {
    name = variant + " " + name;
  }
  if (note.cases == 1) return name;
  return fmt::format("{} and {} more", name, note.cases - 1);
}

std::string verdict_text(const Note& note) {
  return fmt::format("{} {}: {}", reading::title_of(note.verdict->metric),
                     lab::name_of(note.verdict->kind), note.text);
}

std::vector<std::string_view> lines_of(const Note& note) { return split(trim(note.text), '\n'); }

std::string text_of(const Note& note) {
  switch (note.kind) {
    case NoteKind::kFinding:
    case NoteKind::kRemark:
    case NoteKind::kRaces:
      break;
    case NoteKind::kTimed:
      return fmt::format("timed by {}; a launch's share is shown", note.text);
    case NoteKind::kReason:
      return fmt::format("{}: {}", lab::name_of(note.first->status), lines_of(note).front());
    case NoteKind::kSlower:
      return "longer than the least time: " + note.text;
    case NoteKind::kFlaw:
      return "expected time: " + note.text;
    case NoteKind::kExplained:
    case NoteKind::kDisagrees:
    case NoteKind::kMissing:
      return verdict_text(note);
  }
  return note.text;
}

// A compiler's words have many lines: the first ones, as they are.
std::vector<page::Block> rest_of(const Note& note) {
  constexpr std::size_t kMostLines = 6;
  const std::vector<std::string_view> lines = lines_of(note);
  if (note.kind != NoteKind::kReason || lines.size() < 2) return {};
  std::string text;
  for (std::size_t i = 1; i < lines.size() && i < kMostLines; ++i) {
    text += "  " + std::string(lines[i]) + "\n";
  }
  if (lines.size() > kMostLines) text += "  ...\n";
  return {{page::Code{std::move(text)}}};
}

void tell(std::vector<page::Block>& blocks, const Note& note, const std::vector<Section>& sections,
          CaseNames names) {
  const std::string of = who(note, sections, names);
  if (note.finding != nullptr) {
    // A variant that exists to be found out is ok when it is.
    const bool expected = note.kind == NoteKind::kFinding && note.first->status == CaseStatus::kOk;
    blocks.push_back({remark_of(*note.finding, {of, expected})});
    return;
  }
  const std::string others = note.same || note.cases == 1 ? "" : ", with other numbers";
  blocks.push_back({page::Text{{{of + others + ": "}, {text_of(note)}}, Role::kItem}});
  for (page::Block& block : rest_of(note)) blocks.push_back(std::move(block));
}

// All facts, and the first notes.
std::vector<page::Block> all_told(const std::vector<Note>& notes,
                                  const std::vector<Section>& sections, CaseNames names,
                                  std::size_t most) {
  std::vector<page::Block> blocks;
  std::size_t left_out = 0;
  for (const Note& note : notes) {
    if (!note.is_fact() && most == 0) {
      ++left_out;
      continue;
    }
    most -= note.is_fact() ? 0 : 1;
    tell(blocks, note, sections, names);
  }
  if (left_out > 0) {
    blocks.push_back(page::sentence(
        fmt::format("and {} more of these; lab compare shows all of them", left_out), Role::kNote));
  }
  return blocks;
}

std::vector<Note> first_mechanisms(const std::vector<Section>& sections,
                                   const std::vector<std::string>& metrics) {
  std::vector<Note> all = mechanisms_of(cases_of(sections), metrics);
  if (all.size() > kMechanisms) all.resize(kMechanisms);
  return all;
}

bool is_of_one_number(const Note& note) {
  return note.kind == NoteKind::kExplained || note.kind == NoteKind::kMissing ||
         note.kind == NoteKind::kSlower;
}

}  // namespace

std::vector<page::Block> notes_blocks(const std::vector<Section>& sections, const Shown& shown) {
  return all_told(notes_of(cases_of(sections), shown), sections, names_in(sections), kNotesShown);
}

std::vector<page::Block> mistakes_blocks(const RunRecord& run) {
  const std::vector<Section> sections = sections_of(run);
  std::vector<Note> notes = notes_of(cases_of(sections), {});
  std::erase_if(notes, [](const Note& note) {
    return note.kind != NoteKind::kFinding || !has_mistake(*note.first);
  });
  return all_told(notes, sections, CaseNames::kVariantAndPoint, kNotesShown);
}

std::vector<page::Block> mechanisms_blocks(const RunRecord& run,
                                           const std::vector<std::string>& metrics) {
  const std::vector<Section> sections = sections_of(run);
  const std::vector<Note> all = mechanisms_of(cases_of(sections), metrics);
  return all_told(all, sections, CaseNames::kVariantAndPoint, kMechanisms);
}

std::vector<page::Block> all_notes_blocks(const RunRecord& run,
                                          const std::vector<std::string>& metrics) {
  const std::vector<Section> sections = sections_of(run);
  const std::vector<Note> mechanisms = first_mechanisms(sections, metrics);
  std::vector<page::Block> blocks;
  page::Fold more;
  std::size_t folded = 0;
  for (const Note& note : notes_of(cases_of(sections), {{}, Detail::kFolded})) {
    const bool told = std::any_of(mechanisms.begin(), mechanisms.end(), [&](const Note& one) {
      return note.verdict != nullptr && one.verdict == note.verdict;
    });
    if (told) continue;
    folded += is_of_one_number(note) ? 1 : 0;
    tell(is_of_one_number(note) ? more.blocks : blocks, note, sections,
         CaseNames::kVariantAndPoint);
  }
  for (const Note& note : mechanisms) {
    tell(blocks, note, sections, CaseNames::kVariantAndPoint);
  }
  if (folded > 0) {
    more.name = fmt::format("{} on single numbers", folded);
    blocks.push_back({std::move(more)});
  }
  return blocks;
}

}  // namespace lab::reading
