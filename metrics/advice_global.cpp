// Advice on the sectors of global memory: strides, structures, alignment, narrow accesses, what is
// read again.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "harness/core/metric_keys.h"
#include "harness/core/trial_keys.h"
#include "metrics/advice_kernel.h"
#include "metrics/ceilings.h"
#include "metrics/values.h"

namespace lab::metrics {
namespace {

constexpr std::int64_t kSector = 32;             // bytes
constexpr std::int64_t kLargestStructure = 128;  // bytes: a wider stride is a row's

// Sectors of a line beyond those that its bytes fill; an instruction touches one at least.
double excess_sectors(const Line& line, AccessOp op) {
  const std::string prefix = fmt::format("global_{}_", name_of(op));
  const double least =
      std::max(line.cost(prefix + "bytes") / kSectorBytes, line.cost(prefix + "requests"));
  return line.cost(prefix + "sectors") - least;
}

/// What a trial on a line's accesses came to.
struct TrialResult {
  double before = 0;  ///< 0: it was not made
  double after = 0;
  [[nodiscard]] bool made() const { return before > 0; }
  [[nodiscard]] bool helps() const { return after < before * (1 - kWorthwhile); }
};
TrialResult result_of(const Line& line, AccessOp op, const metric::Trial& trial) {
  const metric::TrialKeys& keys = trial[op == AccessOp::kLoad ? 0 : 1];
  return {line.cost(keys.before), line.cost(keys.after)};
}

/// The accesses of one warp that walk through the same structures or rows as another.
struct Neighbours {
  std::set<std::int64_t> places = {};  ///< bytes within a stride, of the first lanes
  std::set<std::pair<int, std::string>> instructions = {};  ///< by line
};

enum class Ops : std::uint8_t { kSame, kAny };
Neighbours neighbours_of(const Kernel& kernel, const Access& access, std::int64_t stride,
                         Ops ops = Ops::kSame) {
  Neighbours all;
  const std::int64_t first = pattern_of(access).first;
  for (const Access& other : kernel.record.accesses) {
    const Pattern pattern = pattern_of(other);
    const bool same = other.space == Space::kGlobal && other.buffer == access.buffer &&
                      (ops == Ops::kAny || other.op == access.op) && pattern.stride == stride;
    if (!same || std::abs(pattern.first - first) >= std::abs(stride)) continue;
    all.places.insert(pattern.first);
    all.instructions.emplace(other.line, other.text);
  }
  return all;
}

// A loop goes along the row: by the same instruction, or, where it was unrolled, by more of a line
// than a person writes there of a structure's fields.
bool is_row(const Neighbours& found) {
  constexpr int kMostFields = 6;
  if (found.places.size() > found.instructions.size()) return true;
  std::map<int, int> of_line;
  for (const auto& [line, text] : found.instructions) ++of_line[line];
  const auto longest =
      std::max_element(of_line.begin(), of_line.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return longest != of_line.end() && longest->second > kMostFields;
}

struct Spread {
  AdviceRule rule;
  std::string finding;
  std::string_view cure;
  std::vector<const metric::Trial*> trials = {};  ///< of the cure: the first that helps counts
};
const std::vector<const metric::Trial*> kSorted = {&metric::kTrialOfSorting};
const std::vector<const metric::Trial*> kInOrder = {&metric::kTrialOfOrder};
const std::vector<const metric::Trial*> kInOrderOrPacked = {&metric::kTrialOfOrder,
                                                            &metric::kTrialOfStride};

std::optional<Spread> misaligned(const Kernel& kernel, const Access& access,
                                 const Pattern& pattern) {
  const double least = std::ceil(pattern.addresses * access.bytes_per_lane / kSectorBytes);
  if (pattern.begin % kSector == 0 || access.sectors <= least) return {};
  // Neighbours of a stencil: somebody reads what begins where a sector does, or next to it.
  const bool stencil = std::any_of(
      kernel.record.accesses.begin(), kernel.record.accesses.end(), [&](const Access& other) {
        const Pattern of_other = pattern_of(other);
        return other.space == Space::kGlobal && other.buffer == access.buffer &&
               other.op == access.op && of_other.stride == pattern.stride &&
               of_other.begin != pattern.begin &&
               std::abs(of_other.begin - pattern.begin) < kLargestStructure;
      });
  if (stencil) return {};
  return Spread{AdviceRule::kMisaligned,
                fmt::format("the warp begins {} bytes into a sector: {} sectors where {} would do",
                            pattern.begin % kSector, access.sectors, access.sectors - 1),
                "Begin each row at a multiple of 32 bytes: pad the rows, or shift the index.",
                {&metric::kTrialOfAlignment}};
}

constexpr std::string_view kAlongRows =
    "Let threadIdx.x run along the rows; where one side cannot, go through a tile in shared "
    "memory.";

// Rows of threads in a warp.
int rows_of(const Launch& launch) {
  return is_narrow(launch) ? static_cast<int>(std::ceil(kWarpLanes / launch.block.x)) : 1;
}

// All rows of threads read one row: a wider block has a longer one to read.
bool has_common_rows(const Kernel& kernel) {
  const std::uint32_t columns = kernel.record.launch.block.x;
  return std::any_of(kernel.record.accesses.begin(), kernel.record.accesses.end(),
                     [&](const Access& one) {
                       const Pattern pattern = pattern_of(one);
                       return one.space == Space::kGlobal && pattern.stride == one.bytes_per_lane &&
                              pattern.runs > 1 && pattern.addresses <= static_cast<int>(columns);
                     });
}

// Rows of threads that are whole rows of memory's, or one element of each.
std::optional<Spread> block_shape(const Kernel& kernel, const Access& access,
                                  const Pattern& pattern) {
  const Launch& launch = kernel.record.launch;
  if (!is_narrow(launch) || pattern.runs < 2 || pattern.first % kSector != 0) return {};
  const std::int64_t bytes = access.bytes_per_lane;
  const bool broadcast = *pattern.stride == 0;
  const bool rows = broadcast || std::abs(*pattern.stride) == bytes;
  if (!rows || pattern.runs != rows_of(launch)) return {};
  if (broadcast && has_common_rows(kernel)) return {};
  // More than rows that begin with a sector: they don't, whatever the block.
  const double of_row = std::ceil(static_cast<double>(launch.block.x * bytes) / kSectorBytes);
  if (!broadcast && access.sectors > pattern.runs * of_row) return {};
  const double whole = std::ceil(static_cast<double>(pattern.addresses * bytes) / kSectorBytes);
  return Spread{AdviceRule::kBlockShape,
                fmt::format("a warp is {} rows of {} threads: {} sectors where {} would do",
                            pattern.runs, launch.block.x, access.sectors, broadcast ? 1 : whole),
                kWiderBlock};
}

// Neighbours within each row of threads, whatever is between the rows.
bool is_rows_of_block(const Launch& launch, const Access& access) {
  if (!is_narrow(launch)) return false;
  for (std::size_t lane = 1; lane < access.address.size(); ++lane) {
    const bool begins = lane % launch.block.x == 0;
    if (!begins && access.address[lane] - access.address[lane - 1] != access.bytes_per_lane) {
      return false;
    }
  }
  return launch.block.x > 1 && access.address.front() >= 0;
}

Spread narrow_block(const Launch& launch, const Access& access, const Pattern& pattern) {
  const double whole =
      std::ceil(static_cast<double>(pattern.addresses * access.bytes_per_lane) / kSectorBytes);
  return {AdviceRule::kBlockShape,
          fmt::format("a warp is {} rows of {} threads: {} sectors where {} would do",
                      rows_of(launch), launch.block.x, access.sectors, whole),
          kWiderBlock};
}

std::optional<Spread> in_runs(const Access& access, const Pattern& pattern) {
  return Spread{AdviceRule::kScattered,
                fmt::format("{} lanes touch {} sectors in {} runs of neighbours", pattern.lanes,
                            access.sectors, pattern.runs),
                "Bring whole rows to shared memory and pick there.", kInOrder};
}

std::string apart_text(std::int64_t stride, std::int64_t bytes) {
  return fmt::format("neighbouring lanes are {} bytes apart and take {} each", stride, bytes);
}

// Fields that one wide access could take, by how many they are and their bytes.
struct Wide {
  std::int64_t bytes;
  std::int64_t fields;
  std::string_view cure;
};
constexpr Wide kWide[] = {
    {1, 2, "Load or store both at once, as one char2 (or uchar2)."},
    {1, 4, "Load or store all at once, as one char4 (or uchar4)."},
    {2, 2, "Load or store both at once, as one half2 (or short2, ushort2)."},
    {2, 4, "Load or store all at once, as one short4 (or ushort4)."},
    {4, 2, "Load or store both at once, as one float2 (or int2)."},
    {4, 4, "Load or store all at once, as one float4 (or int4)."},
    {8, 2,
     "Load or store both at once, as one vector of 16 bytes (double2, or a float4 of two float2)."},
};
constexpr std::string_view kNeighbours = "Let neighbouring lanes take neighbouring elements.";

// Several columns of each row, in the source one expression: a structure's fields or a loop that
// was unrolled.
bool may_be_either(const Neighbours& found, std::int64_t bytes, std::int64_t stride) {
  std::set<int> lines;
  for (const auto& [line, text] : found.instructions) lines.insert(line);
  const auto fields = static_cast<std::int64_t>(found.places.size());
  return lines.size() == 1 && fields > 1 && fields * bytes < stride;
}

Spread of_fields(const std::string& apart, bool either) {
  return {AdviceRule::kStructures,
          apart,
          either
              ? "Keep each field in an array of its own (a structure of arrays). If these are the "
                "columns of a matrix, let threadIdx.x run along its rows."
              : "Keep each field in an array of its own (a structure of arrays).",
          {&metric::kTrialOfFields}};
}

Spread fields_or_rows(const Kernel& kernel, const Access& access, const Pattern& pattern) {
  const std::int64_t stride = std::abs(*pattern.stride);
  const std::int64_t bytes = access.bytes_per_lane;
  const std::string apart = apart_text(stride, bytes);
  if (kernel.has_other_stride(access))
    return {AdviceRule::kStrided, apart, kNeighbours, kInOrderOrPacked};
  if (stride > kLargestStructure) return {AdviceRule::kStrided, apart, kAlongRows, kInOrder};
  const Neighbours found = neighbours_of(kernel, access, *pattern.stride);
  if (found.places.size() < 2) {
    // A structure of which one field is loaded, and another one stored.
    const Neighbours all = neighbours_of(kernel, access, *pattern.stride, Ops::kAny);
    if (all.places.size() > 1 && !is_row(all)) {
      return of_fields(apart, may_be_either(all, bytes, stride));
    }
    return {AdviceRule::kStrided, apart, kNeighbours, kInOrderOrPacked};
  }
  if (is_row(found)) return {AdviceRule::kStrided, apart, kAlongRows, kInOrder};
  const auto fields = static_cast<std::int64_t>(found.places.size());
  const auto* const wide = std::find_if(std::begin(kWide), std::end(kWide), [&](const Wide& one) {
    return one.bytes == bytes && one.fields == fields && fields * bytes == stride;
  });
  if (wide != std::end(kWide))
    return {AdviceRule::kVectors, apart, wide->cure, {&metric::kTrialOfVectors}};
  if (may_be_either(found, bytes, stride)) {
    return {AdviceRule::kStructures,
            apart,
            "Keep each field in an array of its own (a structure of arrays). If these are the "
            "columns of a matrix, let threadIdx.x run along its rows.",
            {&metric::kTrialOfFields}};
  }
  return {AdviceRule::kStructures,
          apart,
          "Keep each field in an array of its own (a structure of arrays).",
          {&metric::kTrialOfFields}};
}

// The machine code takes a byte of each word where the source masks one: no other layout helps.
bool is_part_of_words(const Kernel& kernel, const Access& access, std::int64_t stride) {
  return stride == kBankBytes && access.bytes_per_lane < kBankBytes &&
         neighbours_of(kernel, access, stride).places.size() < 2;
}

// Indices can be sorted where there are any: where no loaded value is part of the address, the
// order is the source's own.
Spread in_no_order(const Line& line, const Access& access, const Pattern& pattern) {
  const bool indexed = line.cost(metric::kIndexedRequests) > 0;
  return {AdviceRule::kScattered,
          fmt::format("{} lanes touch {} sectors in no order", pattern.lanes, access.sectors),
          indexed ? "Sort the indices, or bring whole rows to shared memory and pick there."
                  : "Bring whole rows to shared memory and pick there.",
          indexed ? kSorted : std::vector<const metric::Trial*>()};
}

std::optional<Spread> spread_of(const Kernel& kernel, const Line& line, const Access& access) {
  const Pattern pattern = pattern_of(access);
  if (!pattern.stride && is_rows_of_block(kernel.record.launch, access)) {
    return narrow_block(kernel.record.launch, access, pattern);
  }
  if (!pattern.stride) return in_no_order(line, access, pattern);
  if (auto narrow = block_shape(kernel, access, pattern)) return narrow;
  const std::int64_t stride = std::abs(*pattern.stride);
  if (stride == 0) return {};
  if (stride == access.bytes_per_lane) {
    // A row that goes round at its edge is two runs.
    const bool rows = pattern.runs <= 2 * rows_of(kernel.record.launch);
    return rows ? misaligned(kernel, access, pattern) : in_runs(access, pattern);
  }
  if (is_part_of_words(kernel, access, stride)) return {};
  return fields_or_rows(kernel, access, pattern);
}

// What the first trial that helps saves, else what is beyond the least, as a guess.
Advice with_sectors(Advice advice, const Line& line, AccessOp op, const Spread& spread,
                    double sectors) {
  advice = with_saving(std::move(advice), Saving::kSectors, excess_sectors(line, op), sectors);
  advice.op = op;
  advice.proof = Proof::kGuessed;
  for (const metric::Trial* trial : spread.trials) {
    const TrialResult result = result_of(line, op, *trial);
    if (!result.made() || !result.helps()) continue;
    advice.saved = result.before - result.after;
    advice.proof = Proof::kTried;
    break;
  }
  return advice;
}

// A few lanes that load the edge of a tile take a column of it, in whatever order.
bool is_edge(const Line& line, const Access& access, const Spread& spread) {
  constexpr int kFew = 8;
  const TrialResult order = result_of(line, access.op, metric::kTrialOfOrder);
  const bool tried = std::find(spread.trials.begin(), spread.trials.end(),
                               &metric::kTrialOfOrder) != spread.trials.end();
  return tried && order.made() && !order.helps() && pattern_of(access).lanes <= kFew;
}

void global_sectors(const Kernel& kernel, AccessOp op, std::vector<Advice>& all) {
  const double sectors =
      kernel.total(metric::kGlobalLoadSectors) + kernel.total(metric::kGlobalStoreSectors);
  for (const Line& line : kernel.lines) {
    const double excess = excess_sectors(line, op);
    if (excess < kSomeOfIt * sectors) continue;
    const Access* access = line.worst(Space::kGlobal, op, [](const Access& one) {
      return one.sectors * kSectorBytes - one.bytes_per_lane * pattern_of(one).addresses;
    });
    if (access == nullptr || is_dense_but_for_idle_lanes(*access)) continue;
    const auto spread = spread_of(kernel, line, *access);
    if (!spread || is_edge(line, *access, *spread)) continue;
    all.push_back(
        with_sectors(advice_at(line, spread->rule, spread->finding, std::string(spread->cure)),
                     line, op, *spread, sectors));
  }
}

// Neighbours that take one or two bytes each: four lanes' work is one lane's.
void narrow(const Kernel& kernel, std::vector<Advice>& all) {
  constexpr double kMostOf = 0.6;
  double requests = 0;
  double total = 0;
  double saved = 0;
  const Line* most = nullptr;
  int bytes = 0;
  const auto at = [](const Line& line) {
    return line.cost(metric::kGlobalLoadRequests) + line.cost(metric::kGlobalStoreRequests);
  };
  for (const Line& line : kernel.lines) {
    total += at(line);
    const Access* found = nullptr;
    for (const Access* one : line.accesses) {
      const Pattern pattern = pattern_of(*one);
      const bool dense = one->space == Space::kGlobal && one->bytes_per_lane < kBankBytes &&
                         pattern.stride == one->bytes_per_lane && pattern.runs <= 2;
      if (dense && (found == nullptr || one->bytes_per_lane < found->bytes_per_lane)) found = one;
    }
    if (found == nullptr) continue;
    requests += at(line);
    saved += at(line) * (1 - static_cast<double>(found->bytes_per_lane) / kBankBytes);
    if (most != nullptr && at(*most) >= at(line)) continue;
    most = &line;
    bytes = found->bytes_per_lane;
  }
  const bool tiles = kernel.total(metric::kSharedLoadRequests) > 0;
  if (most == nullptr || requests < kMostOf * total || tiles) return;
  all.push_back(with_saving(
      advice_at(
          *most, AdviceRule::kNarrow,
          fmt::format("each lane moves {} byte{}: a warp's request is {} bytes where 128 would "
                      "take as long",
                      bytes, bytes == 1 ? "" : "s", 32 * bytes),
          bytes == 1 ? "Let each thread take four neighbours at once (char4, uchar4)."
                     : "Let each thread take two neighbours at once (half2, ushort2)."),
      Saving::kRequests, saved, total));
}

double requests_of_loads(const Line& line) { return line.cost(metric::kGlobalLoadRequests); }

}  // namespace

void advise_on_global(const Kernel& kernel, std::vector<Advice>& all) {
  for (const AccessOp op : {AccessOp::kLoad, AccessOp::kStore}) global_sectors(kernel, op, all);
  narrow(kernel, all);
}

// What no other thread changes, but the compiler cannot know it.
void advise_on_reloads(const Kernel& kernel, std::vector<Advice>& all) {
  const double looped = kernel.total(metric::kReloadedSectors);
  const double again = kernel.total(metric::kAgainSectors);
  const bool in_loop = looped >= again;
  const Line* line = kernel.most(in_loop ? metric::kReloadedSectors : metric::kAgainSectors);
  const double sectors =
      kernel.total(metric::kGlobalLoadSectors) + kernel.total(metric::kGlobalStoreSectors);
  const double saved = looped + again;
  if (line == nullptr || saved < kWorthwhile * sectors || accumulates_at(kernel) != nullptr) return;
  all.push_back(with_saving(
      advice_at(
          *line, AdviceRule::kReloads,
          in_loop ? "each thread loads the same element in every round of a loop"
                  : "each thread loads the same element more than once",
          fmt::format("Load it once into a register{} (or say that nothing else writes there: "
                      "const float* __restrict__).",
                      in_loop ? " before the loop" : "")),
      Saving::kSectors, saved, sectors));
}

// Warps of a block ask for the same bytes again and again in a loop, and none of it is kept in
// shared memory. What a block needs of each sector is fetched once with a tile.
void advise_on_reuse(const Kernel& kernel, std::vector<Advice>& all) {
  constexpr double kOften = 4;
  constexpr double kLoop = 16;  // loads of a warp: fewer are a stencil's
  const Line* line = kernel.most(metric::kGlobalLoadSectors);
  // What is read until another block has written it is in no tile.
  const bool waits = std::any_of(kernel.lines.begin(), kernel.lines.end(), [](const Line& one) {
    return one.cost(metric::kWaitRequests) > 0;
  });
  if (waits) return;
  const auto once = value_of(kernel.record, metric::kL2ReadSectors, SourceOf::kModel);
  if (line == nullptr || !once || *once <= 0 || kernel.total(metric::kSharedLoadRequests) > 0) {
    return;
  }
  const Launch& launch = kernel.record.launch;
  if (static_cast<double>(launch.block.count()) <= kWarpLanes) return;  // warps that share nothing
  const double warps = static_cast<double>(launch.grid.count()) *
                       std::ceil(static_cast<double>(launch.block.count()) / kWarpLanes);
  const double bytes =
      kernel.total(metric::kGlobalLoadBytes) -
      kSectorBytes * (kernel.total(metric::kReloadedSectors) + kernel.total(metric::kAgainSectors));
  const double repeated = line->cost(metric::kRepeatedSectors);
  if (requests_of_loads(*line) < kLoop * warps || bytes < kOften * *once * kSectorBytes) return;
  if (repeated >= kWorthwhile * line->cost(metric::kGlobalLoadSectors)) return;
  const double sectors = kernel.total(metric::kGlobalLoadSectors);
  const double all_sectors = sectors + kernel.total(metric::kGlobalStoreSectors);
  Advice advice = advice_at(*line, AdviceRule::kReuse,
                            fmt::format("the warps of a block ask for each byte {:.0f} times on "
                                        "average",
                                        bytes / (*once * kSectorBytes)),
                            "Let the block load a tile into shared memory once, and all its "
                            "threads read it from there.");
  for (const Line& other : kernel.lines) {
    if (&other == line || requests_of_loads(other) < kLoop * warps) continue;
    if (other.file == line->file) advice.also.push_back(other.number);
  }
  all.push_back(with_saving(std::move(advice), Saving::kSectors, sectors - *once, all_sectors));
}

}  // namespace lab::metrics
