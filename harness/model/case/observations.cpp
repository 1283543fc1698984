#include "harness/model/case/records.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "harness/core/metric_keys.h"
#include "metrics/catalogue.h"

namespace lab::model {
namespace {

using metrics::AccessKind;
using ptx::Space;

/// A kind of memory instruction as the decoder marks it.
struct Kind {
  Space space;
  AccessOp op;
  Site::Kin kin = Site::Kin::kPlain;
};

constexpr Kind kGlobalLoad{Space::kGlobal, AccessOp::kLoad};
constexpr Kind kGlobalStore{Space::kGlobal, AccessOp::kStore};
constexpr Kind kGlobalAtomic{Space::kGlobal, AccessOp::kAtomic};
constexpr Kind kGlobalReduction{Space::kGlobal, AccessOp::kReduction};
constexpr Kind kLocalLoad{Space::kLocal, AccessOp::kLoad};
constexpr Kind kLocalStore{Space::kLocal, AccessOp::kStore};
constexpr Kind kSharedLoad{Space::kShared, AccessOp::kLoad};
constexpr Kind kSharedStore{Space::kShared, AccessOp::kStore};
constexpr Kind kSharedAtomic{Space::kShared, AccessOp::kAtomic};
constexpr Kind kMatrixLoad{Space::kShared, AccessOp::kLoad, Site::Kin::kMatrix};
constexpr Kind kMatrixStore{Space::kShared, AccessOp::kStore, Site::Kin::kMatrix};
constexpr Kind kAsyncCopy{Space::kGlobal, AccessOp::kLoad, Site::Kin::kAsync};
// By metrics::AccessKind.
constexpr Kind kKinds[] = {kGlobalLoad,   kGlobalStore, kGlobalAtomic, kGlobalReduction,
                           kLocalLoad,    kLocalStore,  kSharedLoad,   kSharedStore,
                           kSharedAtomic, kMatrixLoad,  kMatrixStore,  kAsyncCopy};

Kind kind_of(metrics::Counted counted) { return kKinds[static_cast<std::size_t>(counted.kind)]; }

std::uint64_t count_in(const SiteCounts& c, metrics::Counted counted) {
  switch (counted.count) {
    case metrics::Count::kRequests:
      return c.requests;
    case metrics::Count::kSectors:
      return counted.kind == metrics::AccessKind::kAsyncCopy && c.past_l1_sectors > 0
                 ? c.past_l1_sectors
                 : c.sectors;
    case metrics::Count::kLines:
      return c.lines;
    case metrics::Count::kBytes:
      return c.distinct_bytes;
    case metrics::Count::kWavefronts:
      return c.wavefronts;
    case metrics::Count::kWavefrontsByAddress:
      return c.wavefronts_sass;
    case metrics::Count::kConflicts:
      return c.wavefronts - c.groups;
  }
  return 0;
}

/// The catalogue's rows that are counted by access, in its order.
struct Named {
  std::string_view metric;
  metrics::Counted counted;
};
const std::vector<Named>& named() {
  static const std::vector<Named> kNamed = [] {
    std::vector<Named> all;
    for (const metrics::Metric& row : metrics::catalogue()) {
      if (row.counted) all.push_back({row.key, *row.counted});
    }
    return all;
  }();
  return kNamed;
}

// Kernels that have none of them show no zeros.
bool is_shown(const Program& program, const Kind& kind) {
  return kind.kin == Site::Kin::kPlain ||
         std::any_of(program.sites.begin(), program.sites.end(),
                     [&](const Site& site) { return site.kin == kind.kin; });
}

bool is_kind(const Site& site, const Kind& kind) {
  if (site.kin != kind.kin) return false;
  const bool both = site.space == Space::kShared && kind.op == AccessOp::kAtomic &&
                    site.op == AccessOp::kReduction;
  return site.counted && site.space == kind.space && (site.op == kind.op || both);
}

// The part that a site has in the counts of a kind. An atomic on shared memory may load, too.
SiteCounts counts_of(const Site& site, const SiteCounts& executed, const Kind& kind) {
  const SiteCounts counts = executed.per(site.rounds);
  if (is_kind(site, kind)) return counts;
  SiteCounts loads;
  // Matrices are in the hardware's counters of shared loads and stores, and not in those of
  // instructions.
  const bool moves_rows = is_kind(site, kMatrixLoad) || is_kind(site, kMatrixStore);
  if (moves_rows && kind.kin == Site::Kin::kPlain && site.space == kind.space &&
      site.op == kind.op) {
    loads.wavefronts = counts.wavefronts;
    loads.groups = counts.groups;
    return loads;
  }
  // Copies count where loads do, in sectors alone; what they ask for is in those.
  if (is_kind(site, kAsyncCopy) && kind.kin == Site::Kin::kPlain && kind.space == Space::kGlobal &&
      kind.op == AccessOp::kLoad) {
    loads.sectors = site.past_l1 ? counts.past_l1_sectors : counts.sectors;
    loads.distinct_bytes = counts.distinct_bytes;
    return loads;
  }
  if (kind.space == Space::kShared && kind.op == AccessOp::kLoad && is_kind(site, kSharedAtomic)) {
    loads.requests = counts.load_requests;
    loads.wavefronts = counts.load_wavefronts;
    loads.wavefronts_sass = counts.load_wavefronts_sass;
    loads.groups = counts.load_groups;
  }
  return loads;
}

SiteCounts sum_of(const Program& program, const GridResult& result, const Kind& kind) {
  SiteCounts sum;
  for (std::size_t i = 0; i < program.sites.size(); ++i) {
    sum.add(counts_of(program.sites[i], result.sites[i], kind));
  }
  return sum;
}

/// Scales a count of the blocks that ran to all blocks.
class Scale {
 public:
  explicit Scale(const GridResult& result)
      : sampled_(result.sample_step > 1 && result.blocks_run > 0),
        factor_(sampled_
                    ? static_cast<double>(result.blocks) / static_cast<double>(result.blocks_run)
                    : 1.0) {}
  [[nodiscard]] double operator()(std::uint64_t count) const {
    const double value = static_cast<double>(count) * factor_;
    return sampled_ ? std::round(value) : value;
  }
  [[nodiscard]] bool sampled() const { return sampled_; }

 private:
  bool sampled_;
  double factor_;
};

Observation observe(std::string_view metric, double value) {
  Observation o;
  o.metric = metric;
  o.source = SourceOf::kModel;
  o.value = value;
  return o;
}

Observation interval(std::string_view metric, double value, double low, double high) {
  Observation o = observe(metric, value);
  o.min = std::min(low, value);
  o.max = std::max(high, value);
  return o;
}

// Why traffic of the whole kernel is not known, where a part of it was not counted.
std::optional<Missing> uncounted(const Program& program, const Scale& scale,
                                 const MachineCodeDiff& diff) {
  if (scale.sampled()) {
    return Missing{NoValue::kSampled,
                   "only a sample of the blocks ran: what they share is not known"};
  }
  if (!program.images.empty()) {
    return Missing{
        NoValue::kNotCounted,
        "textures and surfaces move data by rules of their own, which were not measured"};
  }
  for (const AccessKind kind : {AccessKind::kGlobalAtomic, AccessKind::kGlobalLoad,
                                AccessKind::kGlobalReduction, AccessKind::kGlobalStore}) {
    const auto left_out = diff.uncounted.find(metrics::name_of(kind));
    if (left_out != diff.uncounted.end()) return Missing{NoValue::kNotCounted, left_out->second};
  }
  return {};
}

// A metric's range in the machine code: only what was counted, where `diff` leaves no room.
struct Room {
  double low = 0;
  double high = 0;
};

Room room_of(const Program& program, const GridResult& result, metrics::Counted counted,
             const MachineCodeDiff& diff) {
  using metrics::Count;
  const Count count = counted.count;
  Room room;
  for (std::size_t i = 0; i < diff.sites.size(); ++i) {
    const SiteCounts counts = counts_of(program.sites[i], result.sites[i], kind_of(counted));
    const auto value = static_cast<double>(count_in(counts, counted));
    const Latitude& latitude = diff.sites[i];
    const bool stays = latitude.elsewhere && (count == Count::kRequests || count == Count::kBytes);
    const double low = stays ? 1 : latitude.low;
    const double high = stays ? 1 : latitude.high;
    // Other widths and other lanes have other conflicts: none, or a wavefront for every lane.
    const bool other = low < 1 || high > 1;
    const bool any = other && count == Count::kConflicts;
    const bool waves =
        other && (count == Count::kWavefronts || count == Count::kWavefrontsByAddress);
    const auto lanes = static_cast<double>(counts.lanes);
    room.low += any ? 0 : value * low;
    room.high += any || waves ? std::max(lanes, value * high) : value * high;
  }
  const auto added = diff.added.find(metrics::name_of(counted.kind));
  if (added != diff.added.end()) room.high += added->second;
  return room;
}

// Of instructions that the kernel has: they cost something, and nobody knows what.
std::vector<std::string_view> unknown_costs(const Program& program) {
  std::vector<std::string_view> metrics;
  const auto has_image = [&](bool texture) {
    return std::any_of(program.images.begin(), program.images.end(),
                       [=](const ImageOp& op) { return op.is_texture == texture; });
  };
  if (has_image(true)) metrics = {metric::kTextureRequests, metric::kTextureSectors};
  if (has_image(false)) {
    for (std::string_view metric : {metric::kSurfaceRequests, metric::kSurfaceSectors})
      metrics.push_back(metric);
  }
  const auto through_l1 = [](const Site& site) {
    return is_kind(site, kAsyncCopy) && !site.past_l1;
  };
  if (std::any_of(program.sites.begin(), program.sites.end(), through_l1)) {
    metrics.push_back(metric::kAsyncCopyBankConflicts);
  }
  return metrics;
}

std::uint64_t shuffles_of(const Program& program, const GridResult& result) {
  std::uint64_t sum = 0;
  for (const InstructionOrigin& one : program.instructions) {
    const auto& function = program.module->functions[one.origin.function];
    const ptx::Op op = function.instructions[one.origin.instruction].op;
    if (op == ptx::Op::kShfl) sum += result.entered[one.block];
  }
  return sum;
}

std::vector<Observation> traffic_of(const Program& program, const GridResult& result,
                                    std::uint32_t dram_bytes) {
  const SiteCounts loads = sum_of(program, result, kGlobalLoad);
  const SiteCounts stores = sum_of(program, result, kGlobalStore);
  const TouchedSectors& touched = result.touched;
  // Local memory is written through to L2: 9,216 sectors of 1,152 stores of 8 bytes on an H200.
  const std::uint64_t local_loads = sum_of(program, result, kLocalLoad).sectors;
  const std::uint64_t local_stores = sum_of(program, result, kLocalStore).sectors;
  const auto number = [](std::uint64_t n) { return static_cast<double>(n); };
  const double sector = kSectorBytes;
  // At best L1 keeps a block's data; at worst no access ever hits.
  const double fetched =
      dram_bytes == 64 ? 64 * number(touched.pairs_read) : sector * number(touched.read);
  // Sectors that stores write only in part are filled from DRAM.
  const bool partly = stores.distinct_bytes < kSectorBytes * stores.sectors;
  const double filled = partly ? sector * number(touched.stored) : 0;
  // A sector that atomics come back to may have been evicted: it was written and is read again.
  const std::uint64_t atomics = sum_of(program, result, kGlobalAtomic).sectors +
                                sum_of(program, result, kGlobalReduction).sectors;
  const double most =
      std::max(fetched, dram_bytes * number(loads.sectors + local_loads + atomics)) + filled;
  const double changed = sector * number(touched.changed);
  return {
      interval(metric::kL2ReadSectors, number(result.block_reads), number(touched.read),
               number(loads.sectors + local_loads)),
      interval(metric::kL2WriteSectors, number(stores.sectors + local_stores),
               number(touched.stored), number(stores.sectors + local_stores)),
      interval(metric::kDramReadBytes, fetched, fetched, most),
      // L2 writes back late or not at all while the kernel runs.
      interval(metric::kDramWriteBytes, changed, 0,
               std::max(changed, sector * number(stores.sectors + local_stores + atomics))),
  };
}

}  // namespace

std::vector<Observation> observations(const Program& program, const GridResult& result,
                                      std::uint32_t dram_bytes, const MachineCodeDiff& diff) {
  const Scale scale(result);
  std::vector<Observation> all;
  for (const Named& one : named()) {
    const Kind kind = kind_of(one.counted);
    if (!is_shown(program, kind)) continue;
    const std::uint64_t sum = count_in(sum_of(program, result, kind), one.counted);
    all.push_back(observe(one.metric, scale(sum)));
    const auto left_out = diff.uncounted.find(metrics::name_of(one.counted.kind));
    if (left_out != diff.uncounted.end()) {
      all.back().value = Missing{NoValue::kNotCounted, left_out->second};
      continue;
    }
    const auto counted = static_cast<double>(sum);
    const Room room = room_of(program, result, one.counted, diff);
    if (diff.notes.empty() || (room.low >= counted && room.high <= counted)) continue;
    all.back().min = scale(static_cast<std::uint64_t>(room.low));
    all.back().max = scale(static_cast<std::uint64_t>(std::ceil(room.high)));
  }
  for (std::string_view metric : unknown_costs(program)) {
    all.push_back(observe(metric, 0));
    all.back().value = Missing{NoValue::kNotModelled, "its rule was not found or not measured"};
  }
  all.push_back(observe(metric::kWarpShuffles, scale(shuffles_of(program, result))));
  all.push_back(observe(metric::kInstructions, scale(result.warp_instructions)));
  for (Observation& o : traffic_of(program, result, dram_bytes)) {
    if (const auto missing = uncounted(program, scale, diff)) {
      o = observe(o.metric.c_str(), 0);
      o.value = *missing;
    }
    all.push_back(std::move(o));
  }
  return all;
}

std::vector<LineObservation> line_observations(const Program& program, const GridResult& result) {
  const Scale scale(result);
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::string>, double> sums;
  const auto where = [&](const Origin& origin) -> const ptx::Where& {
    return instruction_of(program, origin).where;
  };
  const auto add = [&](const ptx::Where& at, std::string_view metric, double value) {
    if (value > 0 && at.line > 0) sums[{at.file, at.line, std::string(metric)}] += value;
  };
  for (std::size_t i = 0; i < program.sites.size(); ++i) {
    const Site& site = program.sites[i];
    for (const Named& one : named()) {
      const SiteCounts counts = counts_of(site, result.sites[i], kind_of(one.counted));
      add(where(program.origins[site.where]), one.metric, scale(count_in(counts, one.counted)));
    }
  }
  for (const InstructionOrigin& one : program.instructions) {
    add(where(one.origin), metric::kInstructions, scale(result.entered[one.block]));
  }
  std::vector<LineObservation> lines;
  for (const auto& [key, value] : sums) {
    const auto& [file, line, metric] = key;
    lines.push_back(
        {program.module->files[file], static_cast<int>(line), metric, SourceOf::kModel, value});
  }
  return lines;
}

}  // namespace lab::model
