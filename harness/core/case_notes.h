// Notes on how a case ran: for people, and for verdicts that have to allow for it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/describe.h"
#include "harness/core/instruction_kinds.h"
#include "harness/core/looked.h"
#include "harness/core/metric_keys.h"

namespace lab {

/// Why counts of one kind of access differ between machine code and PTX.
struct AccessNote {
  std::string access;  ///< `global_load`: how the keys of its metrics begin
  std::string says;    ///< `k.cu:157: the machine code has 8 copies of it in a loop ...`
  friend auto operator<=>(const AccessNote&, const AccessNote&) = default;
};
template <>
inline constexpr auto kFieldsOf<AccessNote> =
    described<AccessNote>(field("access", &AccessNote::access), field("says", &AccessNote::says));

template <>
inline constexpr auto kFieldsOf<ExecutedKind> = described<ExecutedKind>(
    field("kind", &ExecutedKind::kind), field("instructions", &ExecutedKind::instructions));

/// A member that is empty, false or 0 has nothing to say. db/README.md has a sentence on each.
struct CaseNotes {
  std::optional<Looked> checkers = {};          ///< empty: the model did not run it
  bool images = false;                          ///< textures and surfaces, which no checker sees
  std::uint64_t unchecked_launches = 0;         ///< of a program's, that share the case
  std::vector<ExecutedKind> instructions = {};  ///< by kind; those of none are left out
  std::uint64_t model_threads = 0;              ///< of this machine
  bool grid_barrier = false;                    ///< blocks wait for the whole grid
  bool shared_unused = false;                   ///< the output does not come through shared memory
  std::uint64_t wrong_results = 0;              ///< of all outputs; 0: none is known to be wrong
  std::uint64_t compared_results = 0;           ///< where some are wrong: how many were compared
  std::string races = {};                       ///< what they lost of sums
  std::string gpu_races = {};                   ///< the same on the GPU, where the model lost other
  std::string access_level_reason = {};         ///< why the PTX's accesses were counted
  std::string access_level_doubts = {};         ///< a line each
  std::vector<AccessNote> machine_code = {};
  std::string line_information = {};  ///< why there is none
  std::string lines = {};             ///< why there are no counts per line
  std::string host_code = {};         ///< how a program's was left out
  std::string printed = {};           ///< by printf, the beginning
  std::string printed_left_out = {};  ///< `201 lines, 401 bytes`; empty: it is all there
  std::string launches_differ = {};   ///< `1 to 3` times the instructions of the first
  std::string launches_count = {};    ///< `4 to 32 global_load_sectors, where the first has 4`
  std::string stalls = {};            ///< what warps waited for, or why that is not known
  std::string stall_samples = {};
  std::string counter_clocks = {};
  std::string counter_passes = {};
  std::string registers_per_thread = {};
  std::string shared_static_bytes = {};
  std::string shared_dynamic_bytes = {};
  std::string shared_reserved_bytes = {};
  std::string local_bytes_per_thread = {};
  std::string waves = {};
  std::string occupancy_limiter = {};
  std::map<std::string, std::string> others = {};  ///< of versions that had or have other notes

  /// A JSON object of texts, as it is stored. from_text throws an input error where it is none.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] static CaseNotes from_text(const std::string& text);
  friend bool operator==(const CaseNotes&, const CaseNotes&) = default;
};
template <>
inline constexpr auto kFieldsOf<CaseNotes> = described<CaseNotes>(
    field("checkers", &CaseNotes::checkers), field("images", &CaseNotes::images),
    field("unchecked_launches", &CaseNotes::unchecked_launches),
    field("instructions", &CaseNotes::instructions),
    field("model_threads", &CaseNotes::model_threads),
    field("grid_barrier", &CaseNotes::grid_barrier),
    field("shared_unused", &CaseNotes::shared_unused),
    field("wrong_results", &CaseNotes::wrong_results),
    field("compared_results", &CaseNotes::compared_results), field("races", &CaseNotes::races),
    field("gpu_races", &CaseNotes::gpu_races),
    field("access_level_reason", &CaseNotes::access_level_reason),
    field("access_level_doubts", &CaseNotes::access_level_doubts),
    field("machine_code", &CaseNotes::machine_code),
    field("line_information", &CaseNotes::line_information), field("lines", &CaseNotes::lines),
    field("host_code", &CaseNotes::host_code), field("printed", &CaseNotes::printed),
    field("printed_left_out", &CaseNotes::printed_left_out),
    field("launches_differ", &CaseNotes::launches_differ),
    field("launches_count", &CaseNotes::launches_count), field("stalls", &CaseNotes::stalls),
    field("stall_samples", &CaseNotes::stall_samples),
    field("counter_clocks", &CaseNotes::counter_clocks),
    field("counter_passes", &CaseNotes::counter_passes),
    field(metric::kRegistersPerThread, &CaseNotes::registers_per_thread),
    field("shared_static_bytes", &CaseNotes::shared_static_bytes),
    field("shared_dynamic_bytes", &CaseNotes::shared_dynamic_bytes),
    field("shared_reserved_bytes", &CaseNotes::shared_reserved_bytes),
    field(metric::kLocalBytesPerThread, &CaseNotes::local_bytes_per_thread),
    field("waves", &CaseNotes::waves), field("occupancy_limiter", &CaseNotes::occupancy_limiter),
    field("others", &CaseNotes::others));

/// Each note that has something to say, as a text by its name.
[[nodiscard]] std::map<std::string, std::string> texts_of(const CaseNotes& notes);
/// The notes that say this. A name or a word that this version does not know stays what it is.
[[nodiscard]] CaseNotes notes_from(std::map<std::string, std::string> texts);

/// Adds what a GPU's half of a case says. Where both say something of one thing, the GPU's words
/// stand beside the model's, as gpu_races do.
void add_notes(CaseNotes& model, const CaseNotes& gpu);

}  // namespace lab
