// Turns the counts and faults of a launch into records: observations with keys of the catalogue,
// and findings in words.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/core/backend.h"
#include "harness/core/finding.h"
#include "harness/core/launch.h"
#include "harness/core/record.h"
#include "harness/model/code/decoded.h"
#include "harness/model/execute/grid.h"
#include "harness/model/execute/observer.h"
#include "harness/model/memory/memory.h"

namespace lab::model {

/// How far the machine code's counts of a memory instruction may lie from those of the PTX, as
/// factors of these.
struct Latitude {
  double low = 1;
  double high = 1;
  bool elsewhere = false;  ///< the same requests and bytes at other addresses: those counts stay
};

/// Where machine code and PTX differ for good: per site, and a note for each place.
struct MachineCodeDiff {
  std::vector<Latitude> sites = {};
  /// That printf may add to each count of a kind of access, by its name: global_store.
  std::map<std::string, double, std::less<>> added = {};
  /// Kinds of access of which a part could not be counted, and why: their counts are missing.
  std::map<std::string, std::string, std::less<>> uncounted = {};
  std::vector<AccessNote> notes = {};
};

/// All metrics that the model counts, with `min` and `max` where `diff` leaves room. Where
/// blocks were sampled, counts are scaled to the grid and what depends on all blocks is
/// Missing{sampled}; traffic of a kernel that has textures or surfaces is Missing{not_counted}, and
/// so is all of a kind of access that `diff` could not count. What printf moves is in no count.
/// `dram_fetch_bytes`: how many bytes DRAM reads at once.
[[nodiscard]] std::vector<Observation> observations(const Program& program,
                                                    const GridResult& result,
                                                    std::uint32_t dram_fetch_bytes,
                                                    const MachineCodeDiff& diff = {});

/// Per source line: instructions, and what memory instructions cost.
[[nodiscard]] std::vector<LineObservation> line_observations(const Program& program,
                                                             const GridResult& result);

/// Where the `index`-th stands of all that the box has, x fastest.
[[nodiscard]] Dim3 coordinates(const Dim3& box, std::uint64_t index);

/// Faults as a person can find them: kernel, source line with its text where the line is one of
/// `source`, block, thread, address. `parameters`: the kernel's, as ptx::layout places them.
[[nodiscard]] std::vector<Finding> findings(const std::vector<Fault>& faults,
                                            const Program& program, const Launch& launch,
                                            const GlobalMemory& memory, const KernelText& source,
                                            const std::vector<std::byte>& parameters = {});
/// Gives mistakes and remarks their places in the record. A remark at a mistake's line is left out:
/// the mistake says more.
void add_findings(std::vector<Finding> all, CaseRecord& record);

}  // namespace lab::model
