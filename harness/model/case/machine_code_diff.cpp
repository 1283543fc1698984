#include "harness/model/case/machine_code_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

#include "harness/model/case/order_flow.h"
#include "harness/model/decode/decode.h"

namespace lab::model {
namespace {

using cubin::Fate;

// An access of 4 bytes per lane is merged into one of 16 at most.
constexpr double kMostMerged = 4;
// Of one call by a warp, whichever of its lanes make it. On an H200 14 kernels of samples and
// courses stored 1,040 to 10,320 sectors for each, by format and arguments, and loaded up to 250.
constexpr double kPrintfSectors = 16384;

std::string_view op_word(const Site& site) {
  const bool one = site.space == Space::kShared && site.op == AccessOp::kReduction;
  return name_of(one ? AccessOp::kAtomic : site.op);
}

std::string_view space_of(ptx::Space space) {
  return name_of(space == Space::kShared || space == Space::kLocal ? space : Space::kGlobal);
}

// Some executions had more lanes than others.
bool has_other_lanes_each_time(const SiteCounts& counts) {
  return counts.requests > 0 && counts.lanes % counts.requests != 0;
}

class DiffNotes {
 public:
  explicit DiffNotes(const ptx::Module& module) : module_(&module) {}

  void add(std::string_view what, const ptx::Where& where, const std::string& why) {
    notes_.insert({std::string(what), fmt::format("{}: {}", place(where), why)});
  }
  [[nodiscard]] std::string place(const ptx::Where& where) const {
    if (where.line == 0) return fmt::format("PTX line {}", where.ptx_line);
    return fmt::format(
        "{}:{}", std::filesystem::path(module_->files[where.file]).filename().string(), where.line);
  }
  [[nodiscard]] std::vector<AccessNote> notes() const { return {notes_.begin(), notes_.end()}; }

 private:
  const ptx::Module* module_;
  std::set<AccessNote> notes_;
};

// `PTX line 20: several accesses stand on one line`, without its beginning.
std::string doubt_at(const cubin::SassMap& map, std::uint32_t ptx_line) {
  const std::string begin = fmt::format("PTX line {}: ", ptx_line);
  for (const std::string& doubt : map.doubts) {
    if (doubt.starts_with(begin)) return doubt.substr(begin.size());
  }
  return "it could not be matched";
}

void add_printf(const Program& program, const GridResult& result, MachineCodeDiff& made,
                DiffNotes& places) {
  for (const InstructionOrigin& one : program.instructions) {
    const ptx::Instruction& ins = instruction_of(program, one.origin);
    const std::uint64_t calls = result.entered[one.block];
    if (calls == 0 || !calls_printf(*program.module, ins)) continue;
    for (const char* what : {"global_load", "global_store", "global_atomic", "global_reduction"}) {
      made.added[what] += static_cast<double>(calls) * kPrintfSectors;
      places.add(
          what, ins.where,
          fmt::format("printf, which warps call {} times, has loads and stores of its own", calls));
    }
  }
}

// A lane's bytes lie apart from the others' by the size of a register, so that a request of all
// lanes has as many sectors as a lane has bytes. No count has the arguments of a printf, and the
// hardware's have them.
void add_argument(const Site& site, const SiteCounts& counts, const ptx::Where& where,
                  MachineCodeDiff& made, DiffNotes& places) {
  made.added["local_store"] += static_cast<double>(counts.requests) * site.bytes();
  places.add("local_store", where, "an argument of printf, which is not counted");
}

// wmma: loads or stores of some width, or matrix loads.
void add_unknown(const Site& site, const ptx::Where& where, const cubin::SassMap& map,
                 MachineCodeDiff& made, DiffNotes& places) {
  const std::string_view op = op_word(site);
  const std::string why =
      fmt::format("wmma.{} is other instructions on each chip, and {}", op,
                  map.absent.empty() ? "those of the machine code could not be matched"
                                     : "there is no machine code to count them in");
  for (const std::string& what :
       {fmt::format("{}_{}", space_of(site.space), op), fmt::format("matrix_{}", op)}) {
    made.uncounted.emplace(what, fmt::format("{}: {}", places.place(where), why));
    places.add(what, where, why);
  }
}

// In the machine code they are generic loads and stores, which the cluster's network carries out.
void add_mapped(const Site& site, const ptx::Where& where, MachineCodeDiff& made,
                DiffNotes& places) {
  const std::string what = fmt::format("{}_{}", space_of(site.space), op_word(site));
  const std::string why =
      "accesses through a cluster's addresses have counters and rules of their own, which were not "
      "measured";
  made.uncounted.emplace(what, fmt::format("{}: {}", places.place(where), why));
  places.add(what, where, why);
}

// The same lanes at other addresses: all bytes together at best, a sector or a wavefront for each
// lane at worst.
Latitude any_place(Latitude latitude, const SiteCounts& counts) {
  const auto lanes = static_cast<double>(counts.lanes);
  const auto bytes = static_cast<double>(counts.distinct_bytes);
  const auto most = static_cast<double>(std::max(counts.sectors, counts.wavefronts));
  if (most == 0) return latitude;
  const auto requests = static_cast<double>(counts.requests);
  const double least = std::max(requests, bytes / kSectorBytes);
  latitude.elsewhere = latitude.low == 1 && latitude.high == 1;
  latitude.low *= std::min(1.0, least / most);
  latitude.high *= std::max(1.0, lanes / most);
  return latitude;
}

}  // namespace

MachineCodeDiff machine_code_diff(const Program& program, const cubin::SassMap& map,
                                  const GridResult& result) {
  MachineCodeDiff made;
  made.sites.resize(program.sites.size());
  DiffNotes places(*program.module);
  OrderFlows flows(*program.module);
  for (std::size_t i = 0; i < program.sites.size(); ++i) {
    const Site& site = program.sites[i];
    const Origin& origin = program.origins[site.where];
    const SiteCounts& counts = result.sites[i];
    if (counts.mapped > 0) add_mapped(site, instruction_of(program, origin).where, made, places);
    if (counts.requests == 0) continue;
    const ptx::Where& where = instruction_of(program, origin).where;
    if (site.for_printf) add_argument(site, counts, where, made, places);
    if (site.unknown) add_unknown(site, where, map, made, places);
    if (!site.counted || !map.absent.empty()) continue;
    const Fate& fate = map.functions[origin.function][origin.instruction];
    const std::string what = fmt::format("{}_{}", space_of(site.space), op_word(site));
    if (fate.kind == Fate::Kind::kUnknown) {
      made.sites[i].low = 1 / kMostMerged;
      places.add(what, where, "machine code and PTX differ: " + doubt_at(map, where.ptx_line));
    }
    if (fate.sunk_behind != 0) {
      made.sites[i].low = 0;
      places.add(what, where,
                 "the machine code has it after the branch that follows, since its value is needed "
                 "there alone, and lanes that leave at the branch do not make it");
    }
    if (flows.address_depends(origin)) {
      made.sites[i] = any_place(made.sites[i], counts);
      places.add(what, where,
                 "its address depends on what an atomic returned, and so on the order in which "
                 "warps came to the atomic, which differs from run to run");
    }
    if (fate.copies > 1 && has_other_lanes_each_time(counts)) {
      made.sites[i].high = static_cast<double>(counts.lanes) / static_cast<double>(counts.requests);
      places.add(what, where,
                 fmt::format("the machine code has {} copies of it in a loop that it unrolled, and "
                             "lanes that leave the loop in different rounds execute different ones",
                             fate.copies));
    }
  }
  add_printf(program, result, made, places);
  made.notes = places.notes();
  return made;
}

}  // namespace lab::model
