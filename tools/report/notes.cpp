#include "tools/report/notes.h"

#include <fmt/format.h>

#include "harness/reading/notes.h"
#include "tools/report/html.h"
#include "tools/report/values.h"

namespace lab::report {

namespace {

using reading::Note;
using reading::NoteKind;

std::string finding_html(const Finding& finding, bool expected) {
  std::string text = escaped(fmt::format("{}{}: {}", expected ? "expected: " : "",
                                         lab::name_of(finding.kind), finding.message));
  if (finding.line > 0) {
    text = escaped(fmt::format("{}:{}: ", finding.file, finding.line)) + text;
  }
  if (!finding.source.empty()) text += "<br>" + element("code", escaped(finding.source));
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
    case NoteKind::kReason:
      return element("pre", escaped(note.text));
    case NoteKind::kSlower:
      return escaped("longer than the least time: " + note.text);
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

}  // namespace

std::string notes_html(const RunRecord& run) {
  reading::Cases cases;
  for (const CaseRecord& record : run.cases) cases.push_back(&record);
  std::string items;
  for (const Note& note : reading::notes_of(cases, {{}, reading::Detail::kFolded})) {
    items += item_html(note);
  }
  if (items.empty()) return {};
  return element("section", element("h2", "What needs a word") + element("ul", items, "notes")) +
         "\n";
}

}  // namespace lab::report
