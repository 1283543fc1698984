// Advice on the sectors of global memory: strides, structures, alignment, narrow accesses, what is
// read again.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

#include "harness/core/metric_keys.h"
#include "metrics/advice_kernel.h"
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

/// The accesses of one warp that walk through the same structures or rows as another.
struct Neighbours {
  std::set<std::int64_t> places = {};  ///< bytes within a stride, of the first lanes
  std::set<std::pair<int, std::string>> instructions = {};  ///< by line
};

Neighbours neighbours_of(const Kernel& kernel, const Access& access, std::int64_t stride) {
  Neighbours all;
  const std::int64_t first = pattern_of(access).first;
  for (const Access& other : kernel.record.accesses) {
    const Pattern pattern = pattern_of(other);
    const bool same = other.space == Space::kGlobal && other.buffer == access.buffer &&
                      other.op == access.op && pattern.stride == stride;
    if (!same || std::abs(pattern.first - first) >= std::abs(stride)) continue;
    all.places.insert(pattern.first);
    all.instructions.emplace(other.line, other.text);
  }
  return all;
}

// A loop goes along the row: by the same instruction, or by more than a structure has fields.
bool is_row(const Neighbours& found) {
  constexpr std::size_t kMostFields = 6;
  return found.places.size() > found.instructions.size() || found.places.size() > kMostFields;
}

struct Spread {
  AdviceRule rule;
  std::string finding;
  std::string_view cure;
};

std::optional<Spread> misaligned(const Kernel& kernel, const Access& access,
                                 const Pattern& pattern) {
  if (pattern.first % kSector == 0) return {};
  // Neighbours of a stencil: somebody reads what begins where a sector does, or next to it.
  const bool stencil = std::any_of(
      kernel.record.accesses.begin(), kernel.record.accesses.end(), [&](const Access& other) {
        const Pattern of_other = pattern_of(other);
        return other.space == Space::kGlobal && other.buffer == access.buffer &&
               other.op == access.op && of_other.stride == pattern.stride &&
               of_other.first != pattern.first &&
               std::abs(of_other.first - pattern.first) < kLargestStructure;
      });
  if (stencil) return {};
  return Spread{AdviceRule::kMisaligned,
                fmt::format("the warp begins {} bytes into a sector: {} sectors where {} would do",
                            pattern.first % kSector, access.sectors, access.sectors - 1),
                "Begin each row at a multiple of 32 bytes: pad the rows, or shift the index."};
}

constexpr std::string_view kAlongRows =
    "Let threadIdx.x run along the rows; where one side cannot, go through a tile in shared "
    "memory.";

// Rows of threads that are whole rows of memory's, or one element of each.
std::optional<Spread> block_shape(const Kernel& kernel, const Access& access,
                                  const Pattern& pattern) {
  const Launch& launch = kernel.record.launch;
  if (!is_narrow(launch) || pattern.runs < 2 || pattern.first % kSector != 0) return {};
  const std::int64_t bytes = access.bytes_per_lane;
  const bool rows = *pattern.stride == 0 || std::abs(*pattern.stride) == bytes;
  if (!rows || pattern.runs != static_cast<int>(std::ceil(kWarpLanes / launch.block.x))) return {};
  const double whole = std::ceil(static_cast<double>(pattern.addresses * bytes) / kSectorBytes);
  const bool broadcast = *pattern.stride == 0;
  return Spread{AdviceRule::kBlockShape,
                fmt::format("a warp is {} rows of {} threads: {} sectors where {} would do",
                            pattern.runs, launch.block.x, access.sectors, broadcast ? 1 : whole),
                kWiderBlock};
}

std::optional<Spread> in_runs(const Access& access, const Pattern& pattern) {
  return Spread{AdviceRule::kScattered,
                fmt::format("{} lanes touch {} sectors in {} runs of neighbours", pattern.lanes,
                            access.sectors, pattern.runs),
                "Bring whole rows to shared memory and pick there."};
}

std::string apart_text(std::int64_t stride, std::int64_t bytes) {
  return fmt::format("neighbouring lanes are {} bytes apart and take {} each", stride, bytes);
}

Spread fields_or_rows(const Kernel& kernel, const Access& access, const Pattern& pattern) {
  const std::int64_t stride = std::abs(*pattern.stride);
  const std::int64_t bytes = access.bytes_per_lane;
  const std::string apart = apart_text(stride, bytes);
  if (stride > kLargestStructure) return {AdviceRule::kStrided, apart, kAlongRows};
  const Neighbours found = neighbours_of(kernel, access, *pattern.stride);
  if (found.places.size() < 2) {
    return {AdviceRule::kStrided, apart, "Let neighbouring lanes take neighbouring elements."};
  }
  if (is_row(found)) return {AdviceRule::kStrided, apart, kAlongRows};
  const auto fields = static_cast<std::int64_t>(found.places.size());
  const bool vector = fields * bytes == stride && (stride == 8 || stride == 16) && fields > 1;
  if (vector) {
    return {AdviceRule::kVectors, apart,
            stride / bytes == 2 ? "Load or store both at once, as one float2 (or int2, double2)."
                                : "Load or store all at once, as one float4 (or int4)."};
  }
  return {AdviceRule::kStructures, apart,
          "Keep each field in an array of its own (a structure of arrays)."};
}

// The machine code takes a byte of each word where the source masks one: no other layout helps.
bool is_part_of_words(const Kernel& kernel, const Access& access, std::int64_t stride) {
  return stride == kBankBytes && access.bytes_per_lane < kBankBytes &&
         neighbours_of(kernel, access, stride).places.size() < 2;
}

std::optional<Spread> spread_of(const Kernel& kernel, const Access& access) {
  const Pattern pattern = pattern_of(access);
  if (!pattern.stride) {
    return Spread{
        AdviceRule::kScattered,
        fmt::format("{} lanes touch {} sectors in no order", pattern.lanes, access.sectors),
        "Sort the indices, or bring whole rows to shared memory and pick there."};
  }
  if (auto narrow = block_shape(kernel, access, pattern)) return narrow;
  const std::int64_t stride = std::abs(*pattern.stride);
  if (stride == 0) return {};
  if (stride == access.bytes_per_lane) {
    return pattern.runs > 2 ? in_runs(access, pattern) : misaligned(kernel, access, pattern);
  }
  if (is_part_of_words(kernel, access, stride)) return {};
  return fields_or_rows(kernel, access, pattern);
}

// Each second lane, say, takes each second element: what is wasted is the lanes.
bool is_dense_but_for_idle_lanes(const Access& access) {
  const Pattern pattern = pattern_of(access);
  return pattern.every > 1 && pattern.stride &&
         *pattern.stride == pattern.every * access.bytes_per_lane;
}

void global_sectors(const Kernel& kernel, AccessOp op, std::vector<Advice>& all) {
  const double sectors =
      kernel.total(metric::kGlobalLoadSectors) + kernel.total(metric::kGlobalStoreSectors);
  for (const Line& line : kernel.lines) {
    const double excess = excess_sectors(line, op);
    if (excess < kWorthwhile * sectors) continue;
    const Access* access = line.worst(Space::kGlobal, op, [](const Access& one) {
      return one.sectors * kSectorBytes - one.bytes_per_lane * pattern_of(one).addresses;
    });
    if (access == nullptr || is_dense_but_for_idle_lanes(*access)) continue;
    auto spread = spread_of(kernel, *access);
    if (!spread) continue;
    all.push_back(
        with_saving(advice_at(line, spread->rule, std::move(spread->finding), spread->cure),
                    Saving::kSectors, excess, sectors));
    all.back().op = op;
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

// Warps of a block ask for the same bytes again and again in a loop, and none of it is kept in
// shared memory. What a block needs of each sector is fetched once with a tile.
void advise_on_reuse(const Kernel& kernel, std::vector<Advice>& all) {
  constexpr double kOften = 4;
  constexpr double kLoop = 16;  // loads of a warp: fewer are a stencil's
  const Line* line = kernel.most(metric::kGlobalLoadSectors);
  const auto once = value_of(kernel.record, metric::kL2ReadSectors, SourceOf::kModel);
  if (line == nullptr || !once || *once <= 0 || kernel.total(metric::kSharedLoadRequests) > 0) {
    return;
  }
  const Launch& launch = kernel.record.launch;
  if (static_cast<double>(launch.block.count()) <= kWarpLanes) return;  // warps that share nothing
  const double warps = static_cast<double>(launch.grid.count()) *
                       std::ceil(static_cast<double>(launch.block.count()) / kWarpLanes);
  const double bytes = kernel.total(metric::kGlobalLoadBytes);
  const double repeated = line->cost(metric::kRepeatedSectors);
  if (requests_of_loads(*line) < kLoop * warps || bytes < kOften * *once * kSectorBytes) return;
  if (repeated >= kWorthwhile * line->cost(metric::kGlobalLoadSectors)) return;
  const double sectors = kernel.total(metric::kGlobalLoadSectors);
  const double all_sectors = sectors + kernel.total(metric::kGlobalStoreSectors);
  all.push_back(with_saving(
      advice_at(*line, AdviceRule::kReuse,
                fmt::format("the warps of a block ask for each byte {:.0f} times on average",
                            bytes / (*once * kSectorBytes)),
                "Let the block load a tile into shared memory once, and all its threads read it "
                "from there."),
      Saving::kSectors, sectors - *once, all_sectors));
}

}  // namespace lab::metrics
