#include "harness/reading/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "harness/reading/case_reading.h"
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
      add({NoteKind::kReason, record.reason, nullptr, nullptr, &record},
          fmt::format("{} {}", name_of(record.status), record.reason));
    }
    add_findings(NoteKind::kRemark, record.remarks, record);
    if (has_mistake(record)) return;
    add_flaw(record);
    for (const Verdict& verdict : record.verdicts) add_verdict(verdict, record);
  }

  void add_verdict(const Verdict& verdict, const CaseRecord& record) {
    if (verdict.longer && shown_.detail == Detail::kFolded) {
      add({NoteKind::kSlower, verdict.longer_because, nullptr, nullptr, &record},
          std::string(name_of(*verdict.longer)));
    }
    const auto kind = kind_of(verdict);
    if (!kind) return;
    add({*kind, verdict.reason, nullptr, &verdict, &record},
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
    add({NoteKind::kFlaw, std::string(metrics::told(flaw)), nullptr, nullptr, &record},
        std::string(name_of(flaw)));
  }

  void add_findings(NoteKind kind, const std::vector<Finding>& findings, const CaseRecord& record) {
    for (const Finding& finding : findings) {
      add({kind, finding.message, &finding, nullptr, &record},
          fmt::format("{} {}:{} {} {}", name_of(finding.kind), finding.file, finding.line,
                      name_of(record.status), without_numbers(finding.message)));
    }
  }

  void add_facts(const CaseRecord& record) {
    std::string races;
    for (const std::string& lost : {record.notes.races, record.notes.gpu_races}) {
      if (!lost.empty()) races += (races.empty() ? "" : "; ") + lost;
    }
    if (!races.empty()) add({NoteKind::kRaces, races, nullptr, nullptr, &record}, races);
    if (record.timing && timed_otherwise(*record.timing)) {
      add({NoteKind::kTimed, method_text(*record.timing), nullptr, nullptr, &record},
          record.timing->method);
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

}  // namespace lab::reading
