#include "tools/cli/text/notes_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "harness/core/text.h"
#include "tools/cli/terminal/terminal.h"

namespace lab::cli {

namespace {

constexpr std::size_t kNotesShown = 6;

std::string case_name(const CaseRecord& record, const Section& section, bool ladder) {
  const std::string values = values_of(record, section.varying);
  if (values.empty()) return safe_line(section.variant);
  return ladder ? safe_line(section.variant) + " " + values : values;
}

std::string finding_text(const Finding& finding) {
  std::string text = fmt::format("{}: {}", name_of(finding.kind), safe_line(finding.message));
  if (finding.line > 0) {
    text = fmt::format("{}:{}: {}", safe_line(finding.file), finding.line, text);
  }
  if (!finding.source.empty()) text += fmt::format("\n    {}", safe_line(finding.source));
  return text;
}

// Broken into lines of at most `width` columns; lines that begin with spaces are texts of their own
// and stay as they are.
std::vector<std::string> broken(std::string_view line, int width) {
  if (line.substr(0, 1) == " ") return {std::string(line)};
  return wrapped(line, width);
}

// `1286 of 1286 are arbitration` and `457 of 127433 are arbitration` tell the same.
std::string without_numbers(const std::string& text) {
  std::string out;
  bool digits = false;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit || !digits) out += digit ? '#' : c;
    digits = digit || (digits && c == '.');
  }
  return out;
}

// What was said of which cases: equal texts are said once.
class Notes {
 public:
  void add(const std::string& text, const std::string& of) { add(text, of, text); }

  // Texts of one `meaning` are equal: the first of them is said.
  void add(const std::string& text, const std::string& of, const std::string& meaning) {
    const auto known = std::find_if(notes_.begin(), notes_.end(),
                                    [&](const Note& note) { return note.meaning == meaning; });
    if (known == notes_.end()) {
      notes_.push_back({text, {of}, meaning});
    } else {
      known->of.push_back(of);
    }
  }

  void most_cases_first() {
    std::stable_sort(notes_.begin(), notes_.end(),
                     [](const Note& a, const Note& b) { return a.of.size() > b.of.size(); });
  }

  std::string text(int width, std::size_t most = kNotesShown) const {
    std::string out;
    for (std::size_t i = 0; i < notes_.size() && i < most; ++i) {
      const Note& note = notes_[i];
      const std::string more =
          note.of.size() > 1 ? fmt::format(" and {} more", note.of.size() - 1) : std::string();
      const std::string whole = fmt::format("{}{}: {}", note.of.front(), more, note.text);
      for (const std::string_view line : split(whole, '\n')) {
        std::string indent = "  ";
        for (const std::string& part : broken(line, width - 6)) {
          out += indent + part + "\n";
          indent = "      ";
        }
      }
    }
    if (notes_.size() > most) {
      out += fmt::format("  and {} more of these; lab compare shows all of them\n",
                         notes_.size() - most);
    }
    return out;
  }

 private:
  struct Note {
    std::string text;
    std::vector<std::string> of;
    std::string meaning;
  };
  std::vector<Note> notes_;
};

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

bool is_shown(const std::string& metric, const Shown& shown) {
  const auto& metrics = shown.metrics;
  return std::find(metrics.begin(), metrics.end(), metric) != metrics.end();
}

void add_verdict(const Verdict& verdict, const std::string& name, Notes& notes) {
  const std::string text = fmt::format("{} {}: {}", safe_line(verdict.metric),
                                       name_of(verdict.kind), safe_line(verdict.reason));
  notes.add(text, name, without_numbers(text));
}

void add_verdicts(const CaseRecord& record, const Shown& shown, const std::string& name,
                  Notes& notes) {
  for (const Verdict& verdict : record.verdicts) {
    const bool explained = verdict.kind == VerdictKind::kExplained && shown.side_by_side;
    if (verdict.kind == VerdictKind::kDisagrees || explained) add_verdict(verdict, name, notes);
  }
}

// Why a metric that was asked for has nothing to show or cannot be judged: no GPU, no such counter,
// less than what others on the chip add, ....
void add_missing(const CaseRecord& record, const Shown& shown, const std::string& name,
                 Notes& notes) {
  for (const Verdict& verdict : record.verdicts) {
    const bool absent =
        verdict.kind == VerdictKind::kMissing || verdict.kind == VerdictKind::kTooSmall;
    if (absent && is_shown(verdict.metric, shown)) add_verdict(verdict, name, notes);
  }
}

// What races lost, in the model and on the GPU.
std::string races_text(const CaseRecord& record) {
  std::string text;
  for (const char* key : {"races", "gpu_races"}) {
    const auto found = record.notes.find(key);
    if (found == record.notes.end()) continue;
    text += (text.empty() ? "" : "; ") + safe_line(found->second);
  }
  return text;
}

}  // namespace

std::string notes_text(const std::vector<Section>& sections, const Shown& shown, int width) {
  Notes facts;  // results like those of the table: all of them are shown
  Notes notes;
  for (const Section& section : sections) {
    for (const CaseRecord* record : section.cases) {
      const std::string name = case_name(*record, section, sections.size() > 1);
      for (const Finding& finding : record->findings) notes.add(finding_text(finding), name);
      if (const std::string races = races_text(*record); !races.empty()) facts.add(races, name);
      if (record->timing && timed_otherwise(*record->timing)) {
        facts.add(fmt::format("timed by {}; a launch's share is shown",
                              safe_line(record->timing->method)),
                  name);
      }
      if (!record->reason.empty()) {
        notes.add(fmt::format("{}: {}", name_of(record->status), reason_text(record->reason)),
                  name);
      }
      add_verdicts(*record, shown, name, notes);
      if (shown.asked) add_missing(*record, shown, name, notes);
    }
  }
  return facts.text(width, std::numeric_limits<std::size_t>::max()) + notes.text(width);
}

std::string explained_text(const RunRecord& run, const std::vector<std::string>& metrics,
                           int width) {
  constexpr std::size_t kMechanisms = 3;
  Notes notes;
  for (const Section& section : sections_of(run)) {
    for (const CaseRecord* record : section.cases) {
      const std::string name = case_name(*record, section, true);
      for (const Verdict& verdict : record->verdicts) {
        const bool shown =
            std::find(metrics.begin(), metrics.end(), verdict.metric) != metrics.end();
        if (shown && verdict.kind == VerdictKind::kExplained) add_verdict(verdict, name, notes);
      }
    }
  }
  notes.most_cases_first();
  return notes.text(width, kMechanisms);
}

}  // namespace lab::cli
