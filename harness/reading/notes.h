// Sentences about cases, each said once, with the cases that it is true of; and their blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/record.h"
#include "harness/core/sections.h"
#include "harness/page/page.h"
#include "harness/reading/figures.h"

namespace lab::reading {

enum class NoteKind : std::uint8_t {
  // Results like those of a table.
  kRaces,  ///< what races lost of sums
  kTimed,  ///< how launches were timed, where it was not one by one
  // The others need a word.
  kFinding,    ///< of a checker
  kReason,     ///< why the case has its status, or what was left out
  kSlower,     ///< why a launch took longer than the least time of its counts
  kRemark,     ///< of a checker: no mistake
  kFlaw,       ///< what a launch shows that its expected time leaves out
  kExplained,  ///< a verdict
  kDisagrees,  ///< a verdict
  kMissing,    ///< a verdict: why a metric that was asked for has nothing to show
};

struct Note {
  NoteKind kind = NoteKind::kReason;
  std::string text = {};              ///< the first case's
  const CaseRecord* first = nullptr;  ///< case that it is true of
  const Finding* finding = nullptr;   ///< the first case's, of kFinding and kRemark
  const Verdict* verdict = nullptr;   ///< the first case's, of kExplained, kDisagrees and kMissing
  std::size_t cases = 0;
  bool same = true;  ///< word for word; else the numbers differ
  [[nodiscard]] bool is_fact() const { return kind <= NoteKind::kTimed; }
};

/// Facts first. Verdicts that differ in their numbers alone are one note, as are findings at one
/// line; of a wrong result the numbers are what matters. In brief, what is explained and what is
/// missing is left out.
[[nodiscard]] std::vector<Note> notes_of(const Cases& cases, const Shown& shown);

/// The mechanisms that explain what was measured of `metrics`; those with the most cases first.
[[nodiscard]] std::vector<Note> mechanisms_of(const Cases& cases,
                                              const std::vector<std::string>& metrics);

/// Findings, why a case did not run or is wrong, what disagrees and, side by side, what of the
/// metrics shown is explained; texts that differ in nothing but numbers once. In brief the first
/// ones, and how many more there are.
[[nodiscard]] std::vector<page::Block> notes_blocks(const std::vector<Section>& sections,
                                                    const Shown& shown);

/// The mechanisms that explain what was measured of `metrics`, each once with its first case; the
/// ones with the most cases, first.
[[nodiscard]] std::vector<page::Block> mechanisms_blocks(const RunRecord& run,
                                                         const std::vector<std::string>& metrics);

/// All notes of a run, for a page that has room: mechanisms last, and what is of single numbers in
/// a fold.
[[nodiscard]] std::vector<page::Block> all_notes_blocks(const RunRecord& run,
                                                        const std::vector<std::string>& metrics);

}  // namespace lab::reading
