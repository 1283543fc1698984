#include "tools/report/notes.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "metrics/slower.h"
#include "tools/report/html.h"
#include "tools/report/values.h"

namespace lab::report {

namespace {

/// One sentence, and the cases that it is said of.
struct Note {
  std::string html;        ///< the first case's
  std::string first_case;  ///< its name
  std::size_t cases = 0;
  bool same = true;  ///< word for word; else the numbers differ
};

// What a sentence says whatever its numbers: each run of digits is one mark.
std::string without_numbers(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && out.ends_with('#')) continue;
    out += digit ? '#' : c;
  }
  return out;
}

class Notes {
 public:
  void add(const std::string& html, const CaseRecord& record) {
    const auto [at, fresh] = by_text_.try_emplace(without_numbers(html), notes_.size());
    if (fresh) {
      notes_.push_back({html, record.variant + " " + record.params.text(), 1});
      return;
    }
    Note& note = notes_[at->second];
    note.same = note.same && note.html == html;
    ++note.cases;
  }

  [[nodiscard]] std::string html() const {
    std::string items;
    for (const Note& note : notes_) {
      std::string of = escaped(note.first_case);
      if (note.cases > 1) {
        of +=
            fmt::format(" and {} more{}", note.cases - 1, note.same ? "" : ", with other numbers");
      }
      items += element("li", element("b", of) + "<br>" + note.html) + "\n";
    }
    return items;
  }

 private:
  std::vector<Note> notes_;  // in the order of the cases
  std::map<std::string, std::size_t> by_text_;
};

std::string finding_html(const Finding& finding, bool expected) {
  std::string text = escaped(fmt::format("{}{}: {}", expected ? "expected: " : "",
                                         lab::name_of(finding.kind), finding.message));
  if (finding.line > 0) {
    text = escaped(fmt::format("{}:{}: ", finding.file, finding.line)) + text;
  }
  if (!finding.source.empty()) text += "<br>" + element("code", escaped(finding.source));
  return text;
}

// What races left of sums, and how times were taken where it was not launch by launch.
void add_facts(const CaseRecord& record, Notes& notes) {
  for (const char* key : {"races", "gpu_races"}) {
    const auto found = record.notes.find(key);
    if (found != record.notes.end()) notes.add(escaped(found->second), record);
  }
  if (record.timing && timed_otherwise(*record.timing)) {
    notes.add(escaped(fmt::format("time: a launch's share of {}", method_text(*record.timing))),
              record);
  }
}

// Why a launch took longer than the least time of its counts.
void add_slower(const Verdict& verdict, const CaseRecord& record, Notes& notes) {
  const auto at = verdict.reason.find(metrics::kTakesLonger);
  if (verdict.metric != "duration_ns" || at == std::string::npos) return;
  notes.add(escaped("longer than the least time: " +
                    verdict.reason.substr(at + metrics::kTakesLonger.size())),
            record);
}

}  // namespace

std::string notes_html(const RunRecord& run) {
  Notes notes;
  for (const CaseRecord& record : run.cases) {
    // A variant that exists to be found out is ok when it is.
    const bool expected = record.status == CaseStatus::kOk;
    for (const Finding& finding : record.findings) {
      notes.add(finding_html(finding, expected), record);
    }
    add_facts(record, notes);
    if (!record.reason.empty()) notes.add(element("pre", escaped(record.reason)), record);
    for (const Verdict& verdict : record.verdicts) {
      add_slower(verdict, record, notes);
      if (verdict.kind != VerdictKind::kDisagrees && verdict.kind != VerdictKind::kExplained) {
        continue;
      }
      notes.add(escaped(fmt::format("{} {}: {}", title_of(verdict.metric),
                                    lab::name_of(verdict.kind), verdict.reason)),
                record);
    }
  }
  const std::string items = notes.html();
  if (items.empty()) return {};
  return element("section", element("h2", "What needs a word") + element("ul", items, "notes")) +
         "\n";
}

}  // namespace lab::report
