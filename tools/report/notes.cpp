#include "tools/report/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/reading/figures.h"
#include "harness/reading/finding_text.h"
#include "harness/reading/notes.h"
#include "tools/report/html.h"
#include "tools/report/values.h"

namespace lab::report {

namespace {

using reading::Note;
using reading::NoteKind;

std::string finding_html(const Finding& finding, bool expected) {
  std::string text;
  if (finding.line > 0) {
    text = escaped(fmt::format("{}:{} ", finding.file, finding.line)) +
           element("code", escaped(finding.source)) + "<br>";
  }
  text += escaped((expected ? "expected: " : "") + reading::sentence_of(finding));
  const std::string_view cure = reading::cure_of(finding);
  if (!expected && !cure.empty()) text += "<br>" + escaped(cure);
  return text;
}

std::string html_of(const Note& note) {
  switch (note.kind) {
    case NoteKind::kRaces:
      break;
    case NoteKind::kTimed:
      return escaped("time: a launch's share of " + note.text);
    case NoteKind::kFinding:
      // A variant that exists to be found out is ok when it is.
      return finding_html(*note.finding, note.first->status == CaseStatus::kOk);
    case NoteKind::kRemark:
      return finding_html(*note.finding, false);
    case NoteKind::kReason:
      return element("pre", escaped(note.text));
    case NoteKind::kSlower:
      return escaped("longer than the least time: " + note.text);
    case NoteKind::kFlaw:
      return escaped("expected time: " + note.text);
    case NoteKind::kExplained:
    case NoteKind::kDisagrees:
    case NoteKind::kMissing:
      return escaped(fmt::format("{} {}: {}", reading::title_of(note.verdict->metric),
                                 lab::name_of(note.verdict->kind), note.text));
  }
  return escaped(note.text);
}

std::string item_html(const Note& note) {
  std::string of = escaped(note.first->variant + " " + note.first->params.text());
  if (note.cases > 1) {
    of += fmt::format(" and {} more{}", note.cases - 1, note.same ? "" : ", with other numbers");
  }
  return element("li", element("b", of) + "<br>" + html_of(note)) + "\n";
}

bool is_of_one_number(const Note& note) {
  return note.kind == NoteKind::kExplained || note.kind == NoteKind::kMissing ||
         note.kind == NoteKind::kSlower;
}

// The terminal tells as many.
std::vector<Note> mechanisms_of(const reading::Cases& cases,
                                const std::vector<std::string>& metrics) {
  constexpr std::size_t kMost = 3;
  std::vector<Note> mechanisms = reading::mechanisms_of(cases, metrics);
  if (mechanisms.size() > kMost) mechanisms.resize(kMost);
  return mechanisms;
}

}  // namespace

std::string notes_html(const RunRecord& run, const Lab* lab) {
  reading::Cases cases;
  for (const CaseRecord& record : run.cases) cases.push_back(&record);
  const std::vector<Note> mechanisms = mechanisms_of(cases, reading::metrics_of(run, lab));
  std::string first;
  std::string more;
  std::size_t left = 0;
  for (const Note& note : reading::notes_of(cases, {{}, reading::Detail::kFolded})) {
    const bool told = std::any_of(mechanisms.begin(), mechanisms.end(), [&](const Note& mechanism) {
      return note.verdict != nullptr && mechanism.verdict == note.verdict;
    });
    if (told) continue;
    const bool folds = is_of_one_number(note);
    (folds ? more : first) += item_html(note);
    left += folds ? 1 : 0;
  }
  for (const Note& note : mechanisms) first += item_html(note);
  if (first.empty() && more.empty()) return {};
  std::string out = element("h2", "Notes");
  if (!first.empty()) out += element("ul", first, "notes");
  if (!more.empty()) {
    out += folded(fmt::format("{} on single numbers", left), element("ul", more, "notes"));
  }
  return element("section", out) + "\n";
}

}  // namespace lab::report
