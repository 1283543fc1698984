#include "harness/reading/looked_for.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "harness/core/looked.h"

namespace lab::reading {

namespace {

constexpr auto kAllSought = [] {
  std::array<Sought, kSoughtCount> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Sought>(i);
  return all;
}();

// Every kernel pays for these; the others are left out of large launches.
bool is_always_looked_for(Sought what) {
  return what == Sought::kBounds || what == Sought::kAlignment || what == Sought::kBarriers;
}

// Whether the model ends a launch at such a mistake, so that others may be behind it.
bool ends_the_launch(FindingKind kind) {
  return kind == FindingKind::kTrap || kind == FindingKind::kAssert ||
         kind == FindingKind::kNoProgress || kind == FindingKind::kBarrierDeadlock;
}

// Whether it is of global memory, where textures and surfaces lie.
bool is_of_images(Sought what) {
  return what == Sought::kBounds || what == Sought::kUnwrittenReads || what == Sought::kGlobalRaces;
}

// The reason that holds for everything that is looked for in a case; empty: there is none.
std::optional<WhyNot> why_nothing(const CaseRecord& record) {
  switch (record.status) {
    case CaseStatus::kRefused:
    case CaseStatus::kSkipped:
    case CaseStatus::kNotCompiled:
    case CaseStatus::kInterrupted:
      return WhyNot::kNotRun;
    case CaseStatus::kError:
    case CaseStatus::kTimeout:
      return WhyNot::kNotToTheEnd;
    case CaseStatus::kOk:
    case CaseStatus::kWrong:
    case CaseStatus::kFinding:
      break;
  }
  return {};
}

// The case of a whole program, or of its host's code, which launched nothing of its own. Of a
// library's kernel there are counts or times.
bool has_no_kernel(const CaseRecord& record) {
  return record.kernel.empty() && record.observations.empty() && !record.timing;
}

// The same for everything but results.
std::optional<WhyNot> why_no_mistakes(const CaseRecord& record) {
  const bool stopped = std::any_of(record.findings.begin(), record.findings.end(),
                                   [](const Finding& one) { return ends_the_launch(one.kind); });
  if (stopped) return WhyNot::kNotToTheEnd;
  if (!record.facts.access_level) {  // the model did not run it
    if (has_no_kernel(record)) return WhyNot::kNoKernel;
    if (record.kernel.empty()) return WhyNot::kLibrary;
    return record.facts.carveout || record.timing ? WhyNot::kGpuAlone : WhyNot::kNotSaid;
  }
  if (record.facts.sampled_blocks) return WhyNot::kSampled;
  return {};
}

std::optional<WhyNot> why_no_results(const CaseRecord& record) {
  if (record.correct) return {};
  if (record.facts.sampled_blocks) return WhyNot::kSampled;
  return record.status == CaseStatus::kFinding ? WhyNot::kFoundFirst : WhyNot::kNoReference;
}

// Asks about the checkers that are left out of launches in which they would cost too much.
std::optional<WhyNot> why_left_out(Sought what, const CaseRecord& record) {
  const std::optional<Looked> looked = record.notes.checkers;
  if (!looked) return WhyNot::kNotSaid;
  switch (*looked) {
    case Looked::kOff:
      return WhyNot::kNotAsked;
    case Looked::kBasic:
      return WhyNot::kNotSaid;
    case Looked::kLarge:
      return WhyNot::kLargeLaunch;
    case Looked::kBudget:
      return WhyNot::kSomeLaunches;
    case Looked::kShared:
      if (what == Sought::kGlobalRaces) return WhyNot::kLargeMemory;
      break;
    case Looked::kGlobal:
      if (what == Sought::kSharedRaces) return WhyNot::kNotSaid;
      break;
    case Looked::kFull:
      break;
  }
  if (record.notes.unchecked_launches > 0) return WhyNot::kSomeLaunches;
  return {};
}

std::optional<WhyNot> why_not(Sought what, const CaseRecord& record) {
  if (const auto why = why_nothing(record)) return why;
  if (what == Sought::kResults) return why_no_results(record);
  if (const auto why = why_no_mistakes(record)) return why;
  if (is_of_images(what) && record.notes.images) return WhyNot::kTextures;
  if (is_always_looked_for(what)) return {};
  return why_left_out(what, record);
}

// The words for people, by the number of Sought.
constexpr std::array<std::string_view, kSoughtCount> kPhrases = {"bounds",
                                                                 "alignment",
                                                                 "barriers",
                                                                 "unwritten reads",
                                                                 "races in shared memory",
                                                                 "races in global memory",
                                                                 "races in clusters",
                                                                 "copies",
                                                                 "results"};

// The clauses for people, by the number of WhyNot.
constexpr std::array<std::string_view, kWordsOf<WhyNot>.size()> kClauses = {
    "turned off by --check off",
    "too many instructions; --check full",
    "the launch is too large to follow all of them",
    "only a sample of the blocks ran",
    "some launches ran unchecked; --exact",
    "only a GPU ran it",
    "what textures and surfaces access is not watched",
    "it has no kernel of its own",
    "a library's kernel",
    "no reference to compare with",
    "a mistake was found first",
    "it did not run",
    "it was stopped before its end",
    "an older version's record does not say"};

using Has = std::array<bool, kSoughtCount>;

bool has(const Has& some, Sought what) { return some[static_cast<std::size_t>(what)]; }

// `bounds, races, results`: where races are looked for in every memory, that is one word.
std::string list_text(const Has& some) {
  const bool races = has(some, Sought::kSharedRaces) && has(some, Sought::kGlobalRaces) &&
                     has(some, Sought::kClusterRaces);
  std::string text;
  for (const Sought what : kAllSought) {
    const bool of_races = what == Sought::kSharedRaces || what == Sought::kGlobalRaces ||
                          what == Sought::kClusterRaces;
    if (!has(some, what) || (races && of_races && what != Sought::kSharedRaces)) continue;
    text += text.empty() ? "" : ", ";
    text += races && of_races ? "races" : kPhrases.at(static_cast<std::size_t>(what));
  }
  return text;
}

std::string not_checked_list(const Has& some) {
  const bool all = std::all_of(some.begin(), some.end(), [](bool one) { return one; });
  if (all) return "anything";
  const bool but_results = std::count(some.begin(), some.end(), true) == kSoughtCount - 1 &&
                           !has(some, Sought::kResults);
  return but_results ? "anything but results" : list_text(some);
}

// A run's summary counts results that are not checked, and an old record is no news of this run.
bool is_told_elsewhere(WhyNot why) {
  return why == WhyNot::kNoReference || why == WhyNot::kNotSaid;
}

// `races (1 of 3 cases: why); results (why)`: cases with the same gaps are told together.
std::string not_checked_text(const Cases& cases, bool brief) {
  std::map<std::pair<Has, WhyNot>, std::size_t> gaps;
  for (const CaseRecord* record : cases) {
    std::map<WhyNot, Has> of_case;
    for (const NotSought& one : looked_for(*record).not_checked) {
      if (brief && is_told_elsewhere(one.why)) continue;
      of_case[one.why][static_cast<std::size_t>(one.what)] = true;
    }
    for (const auto& [why, some] : of_case) ++gaps[{some, why}];
  }
  std::string text;
  for (const auto& [gap, count] : gaps) {
    const std::string whose =
        count == cases.size() ? "" : fmt::format("{} of {} cases: ", count, cases.size());
    text += fmt::format("{}{} ({}{})", text.empty() ? "" : "; ", not_checked_list(gap.first), whose,
                        kClauses.at(static_cast<std::size_t>(gap.second)));
  }
  return text.empty() ? text : "Not checked: " + text + ".";
}

}  // namespace

LookedFor looked_for(const CaseRecord& record) {
  LookedFor answer;
  for (const Sought what : kAllSought) {
    if (const auto why = why_not(what, record)) {
      answer.not_checked.push_back({what, *why});
    } else {
      answer.checked.push_back(what);
    }
  }
  return answer;
}

std::string looked_for_text(const Cases& cases) {
  Has checked{};
  for (const CaseRecord* record : cases) {
    for (const Sought what : looked_for(*record).checked) {
      checked[static_cast<std::size_t>(what)] = true;
    }
  }
  const std::string list = list_text(checked);
  std::string text = list.empty() ? list : "Checked: " + list + ".";
  const std::string gaps = not_checked_text(cases, false);
  return text + (text.empty() || gaps.empty() ? "" : " ") + gaps;
}

std::string not_looked_for_text(const Cases& cases) {
  Cases fine = cases;
  std::erase_if(fine, [](const CaseRecord* record) {
    return has_no_kernel(*record) || record->status != CaseStatus::kOk || !record->findings.empty();
  });
  return not_checked_text(fine, true);
}

}  // namespace lab::reading
