#include "harness/reading/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "harness/core/text.h"
#include "harness/page/make.h"
#include "harness/reading/case_name.h"
#include "harness/reading/case_reading.h"
#include "harness/reading/remarks.h"
#include "metrics/time_flaws.h"

namespace lab::reading {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// `1286 of 1286 are arbitration` and `457 of 127433 are arbitration` tell the same.
std::string without_numbers(const std::string& text) {
  std::string out;
  bool number = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool within = (c == '.' || c == ',') && i + 1 < text.size() && is_digit(text[i + 1]);
    if (number && (is_digit(c) || within)) continue;
    number = is_digit(c);
    out += number ? '#' : c;
  }
  return out;
}

class Notes {
 public:
  explicit Notes(const Shown& shown) : shown_(shown) {}

  void add_case(const CaseRecord& record) {
    add_facts(record);
    add_findings(NoteKind::kFinding, record.findings, record);
    const bool told = record.status == CaseStatus::kFinding && !record.findings.empty();
    if (!record.reason.empty() && !told) {
      add({NoteKind::kReason, record.reason, &record},
          fmt::format("{} {}", name_of(record.status), record.reason));
    }
    add_findings(NoteKind::kRemark, record.remarks, record);
    if (has_mistake(record)) return;
    add_flaw(record);
    for (const Verdict& verdict : record.verdicts) add_verdict(verdict, record);
  }

  void add_verdict(const Verdict& verdict, const CaseRecord& record) {
    if (verdict.longer && shown_.detail == Detail::kFolded) {
      add({NoteKind::kSlower, verdict.longer_because, &record},
          std::string(name_of(*verdict.longer)));
    }
    const auto kind = kind_of(verdict);
    if (!kind) return;
    add({*kind, verdict.reason, &record, nullptr, &verdict},
        fmt::format("{} {} {}", verdict.metric, name_of(verdict.kind),
                    without_numbers(verdict.reason)));
  }

  [[nodiscard]] std::vector<Note> take() {
    std::stable_partition(notes_.begin(), notes_.end(),
                          [](const Note& note) { return note.is_fact(); });
    return std::move(notes_);
  }

 private:
  // A page says it with the sentence of the time (told_times), and a measured time needs none.
  void add_flaw(const CaseRecord& record) {
    if (shown_.detail == Detail::kFolded || record.timing) return;
    if (!record.expected || !record.expected->off) return;
    const TimeFlaw flaw = *record.expected->off;
    add({NoteKind::kFlaw, std::string(metrics::told(flaw)), &record}, std::string(name_of(flaw)));
  }

  void add_findings(NoteKind kind, const std::vector<Finding>& findings, const CaseRecord& record) {
    for (const Finding& finding : findings) {
      add({kind, finding.message, &record, &finding},
          fmt::format("{} {}:{} {} {}", name_of(finding.kind), finding.file, finding.line,
                      name_of(record.status), without_numbers(finding.message)));
    }
  }

  void add_facts(const CaseRecord& record) {
    std::string races;
    for (const std::string& lost : {record.notes.races, record.notes.gpu_races}) {
      if (!lost.empty()) races += (races.empty() ? "" : "; ") + lost;
    }
    if (!races.empty()) add({NoteKind::kRaces, races, &record}, races);
    if (record.timing && timed_otherwise(*record.timing)) {
      add({NoteKind::kTimed, method_text(*record.timing), &record}, record.timing->method);
    }
  }

  [[nodiscard]] std::optional<NoteKind> kind_of(const Verdict& verdict) const {
    const auto& metrics = shown_.metrics;
    const bool shown = std::find(metrics.begin(), metrics.end(), verdict.metric) != metrics.end();
    switch (verdict.kind) {
      case VerdictKind::kDisagrees:
        return NoteKind::kDisagrees;
      case VerdictKind::kExplained:
        if (shown_.detail != Detail::kBrief) return NoteKind::kExplained;
        break;
      case VerdictKind::kMissing:
      case VerdictKind::kTooSmall:
        if (shown && shown_.asked()) return NoteKind::kMissing;
        break;
      case VerdictKind::kNone:
      case VerdictKind::kAgrees:
      case VerdictKind::kContext:
        break;
    }
    return {};
  }

  // Notes of one kind and meaning are one: the first of them is said.
  void add(const Note& note, const std::string& meaning) {
    const auto [at, fresh] = known_.try_emplace({note.kind, meaning}, notes_.size());
    if (fresh) notes_.push_back(note);
    Note& known = notes_[at->second];
    known.same = known.same && (fresh || known.text == note.text);
    ++known.cases;
  }

  const Shown& shown_;
  std::vector<Note> notes_ = {};  // in the order of the cases
  std::map<std::pair<NoteKind, std::string>, std::size_t> known_ = {};
};

// ---- a note as blocks ----

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

std::vector<Note> notes_of(const Cases& cases, const Shown& shown) {
  Notes notes(shown);
  for (const CaseRecord* record : cases) notes.add_case(*record);
  return notes.take();
}

std::vector<Note> mechanisms_of(const Cases& cases, const std::vector<std::string>& metrics) {
  const Shown shown{metrics, Detail::kEverySource};
  Notes notes(shown);
  for (const CaseRecord* record : cases) {
    for (const Verdict& verdict : record->verdicts) {
      const bool wanted =
          std::find(metrics.begin(), metrics.end(), verdict.metric) != metrics.end();
      if (wanted && verdict.kind == VerdictKind::kExplained) notes.add_verdict(verdict, *record);
    }
  }
  std::vector<Note> all = notes.take();
  std::stable_sort(all.begin(), all.end(),
                   [](const Note& a, const Note& b) { return a.cases > b.cases; });
  return all;
}

std::vector<page::Block> notes_blocks(const std::vector<Section>& sections, const Shown& shown) {
  return all_told(notes_of(cases_of(sections), shown), sections, names_in(sections), kNotesShown);
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
