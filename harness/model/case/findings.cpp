#include "harness/model/case/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/numbers.h"
#include "harness/core/text.h"
#include "harness/model/case/base_array.h"
#include "harness/model/case/element_text.h"
#include "harness/model/case/endless.h"
#include "harness/model/case/mistakes.h"
#include "harness/model/case/race_causes.h"
#include "harness/model/case/shared_parts.h"
#include "harness/model/case/source_words.h"
#include "harness/model/case/wrapped_index.h"

namespace lab::model {
namespace {

using ptx::Space;

std::string_view verb(AccessOp op) {
  switch (op) {
    case AccessOp::kLoad:
      return "read";
    case AccessOp::kStore:
      return "write";
    default:
      return "atomic operation";
  }
}

std::string_view space_word(Space space) {
  switch (space) {
    case Space::kShared:
      return "shared";
    case Space::kLocal:
      return "local";
    case Space::kConst:
      return "constant";
    default:
      return "global";
  }
}

/// Where a global address lies: "3 bytes past the end of argument 1 (4096 bytes)".
std::string beside(const Fault& fault, const GlobalMemory& memory) {
  const Allocation* near = memory.nearest(fault.address);
  if (near == nullptr) return "the kernel has no global memory";
  const std::string what = near->argument >= 0
                               ? fmt::format("'{}' ({} bytes)", near->name, near->bytes)
                               : fmt::format("variable '{}' ({} bytes)", near->name, near->bytes);
  constexpr std::uint64_t kNear = std::uint64_t{1} << 20U;
  if (near->contains(fault.address, fault.bytes)) return what + " is read-only";
  if (fault.address >= near->base && fault.address - near->base < near->bytes + kNear) {
    return fmt::format("it begins at byte {} of {}", fault.address - near->base, what);
  }
  if (fault.address < near->base && near->base - fault.address < kNear) {
    return fmt::format("it begins {} bytes before {}", near->base - fault.address, what);
  }
  return "no buffer is near";
}

std::int64_t divided_down(std::int64_t number, std::int64_t by) {
  return number / by - (number % by < 0 ? 1 : 0);
}

/// Bytes `from` on of an array of `bytes`, in elements.
void set_element(const Fault& fault, std::int64_t from, std::uint64_t bytes,
                 std::uint32_t element_bytes, Finding& finding) {
  const std::int64_t each = element_bytes != 0         ? element_bytes
                            : fault.element_bytes != 0 ? fault.element_bytes
                                                       : fault.bytes;
  finding.element = divided_down(from, each);
  finding.last_element = divided_down(from + fault.bytes - 1, each);
  finding.elements = bytes / static_cast<std::uint64_t>(each);
}

/// The array of shared memory that was meant: out of bounds, the one that the index is of.
void add_shared_element(const Fault& fault, const Program& program, const Launch& launch,
                        const KernelText& source, Finding& finding) {
  const auto array = fault.kind == FindingKind::kOutOfBounds
                         ? shared_base(program, launch, fault.where)
                         : shared_array_at(program, launch, fault.address);
  if (!array) return;
  finding.array = array->name;
  const auto from = static_cast<std::int64_t>(fault.address - array->offset);
  const auto declared = declared_array(array->name, finding.line, text_of(finding.file, source));
  set_element(fault, from, array->bytes, static_cast<std::uint32_t>(declared.element_bytes),
              finding);
}

void add_local_element(const Fault& fault, const Program& program, const KernelText& source,
                       Finding& finding) {
  const auto array = local_array(program, text_of(finding.file, source), finding.line);
  if (!array) return;
  finding.array = array->name;
  set_element(fault, static_cast<std::int64_t>(fault.address), array->bytes, 0, finding);
}

/// Where in which array, for those who count in elements. Nothing of what is far from any.
void add_element(const Fault& fault, const Program& program, const Launch& launch,
                 const GlobalMemory& memory, const KernelText& source, Finding& finding) {
  constexpr std::uint64_t kNear = std::uint64_t{1} << 20U;
  if (fault.bytes == 0) return;
  if (fault.space == Space::kShared) {
    return add_shared_element(fault, program, launch, source, finding);
  }
  if (fault.space == Space::kLocal) return add_local_element(fault, program, source, finding);
  const bool global = fault.space == Space::kGlobal || fault.space == Space::kGeneric;
  const Allocation* near = global ? memory.nearest(fault.address) : nullptr;
  if (near == nullptr || !near->writable) return;
  const auto from = static_cast<std::int64_t>(fault.address - near->base);
  const bool close = from > -static_cast<std::int64_t>(kNear) &&
                     from < static_cast<std::int64_t>(near->bytes + kNear);
  if (!close) return;
  finding.array = near->name;
  set_element(fault, from, near->bytes, near->element_bytes, finding);
}

void add_other(const Fault& fault, const Program& program, const KernelText& source,
               Finding& finding) {
  if (fault.other == kNone || program.origins.at(fault.other).function == kNone) return;
  const ptx::Where& where = instruction_of(program, fault.other).where;
  if (where.line == 0) return;
  finding.other_file = program.module->files[where.file];
  finding.other_line = static_cast<int>(where.line);
  finding.other_source =
      std::string(trim(line_of(text_of(finding.other_file, source), finding.other_line)));
}

/// "out[2]", or "byte 8 of shared memory" where no array there has a name.
std::string place_text(const Fault& fault, const Finding& finding, const KernelText& source,
                       const GlobalMemory& memory) {
  std::string element = element_text(finding, text_of(finding.file, source));
  if (!element.empty()) return element;
  if (fault.space == Space::kShared) {
    return fmt::format("byte {} of shared memory", fault.address);
  }
  const Allocation* inside = memory.find(fault.address);
  if (inside == nullptr) return fmt::format("{:#x}", fault.address);
  return fmt::format("byte {} of '{}'", fault.address - inside->base, inside->name);
}

/// Where a fault is told: the compiler gives no line to reads that it moves, and then the line that
/// uses the value is the one that reads it in the source.
const ptx::Where& told_at(const Fault& fault, const Program& program) {
  const ptx::Where& at = instruction_of(program, fault.where).where;
  return at.line == 0 && fault.used != kNone ? instruction_of(program, fault.used).where : at;
}

/// "; line 7 uses the value", where another line does.
std::string use_text(const Fault& fault, const Program& program) {
  if (fault.used == kNone) return {};
  const ptx::Where& read = told_at(fault, program);
  const ptx::Where& used = instruction_of(program, fault.used).where;
  if (used.line == 0 || (used.line == read.line && used.file == read.file)) return {};
  const std::string of =
      used.file == read.file ? "" : fmt::format(" of {}", program.module->files[used.file]);
  return fmt::format("; line {}{} uses the value", used.line, of);
}

/// "reads in[1000]: in has 1,000 elements", with block and thread before it.
std::string beyond_text(const Finding& finding) {
  const std::string_view does = finding.op == AccessOp::kLoad    ? "reads"
                                : finding.op == AccessOp::kStore ? "writes"
                                                                 : "changes";
  const std::string to = finding.last_element > finding.element
                             ? fmt::format(" to {}[{}]", finding.array, finding.last_element)
                             : "";
  const std::string has = grouped_text(static_cast<double>(finding.elements));
  // "allocation 1", of a program without names, cannot be indexed like an array.
  if (finding.array.find(' ') != std::string::npos) {
    return fmt::format("{} element {} of {}, which has {}", does, finding.element, finding.array,
                       has);
  }
  return fmt::format("{} {}[{}]{}: {} has {} elements", does, finding.array, finding.element, to,
                     finding.array, has);
}

std::string sentence(const Fault& fault, const Finding& finding, const Program& program,
                     const Launch& launch, const GlobalMemory& memory, const KernelText& source) {
  const auto place = [&] { return place_text(fault, finding, source, memory); };
  switch (fault.kind) {
    case FindingKind::kOutOfBounds:
      if (!fault.detail.empty()) return fault.detail;
      if (fault.space == Space::kShared) {
        return fmt::format(
            "out-of-bounds {} of {} bytes in shared memory: byte {} of the block's {}",
            verb(fault.op), fault.bytes, static_cast<std::int64_t>(fault.address),
            program.shared_bytes + launch.dynamic_shared_bytes);
      }
      if (fault.space == Space::kLocal) {
        return fmt::format(
            "out-of-bounds {} of {} bytes in local memory: byte {} of the thread's {}",
            verb(fault.op), fault.bytes, static_cast<std::int64_t>(fault.address),
            program.local_bytes);
      }
      return fmt::format("out-of-bounds {} of {} bytes in {} memory at {:#x}: {}", verb(fault.op),
                         fault.bytes, space_word(fault.space), fault.address,
                         beside(fault, memory));
    case FindingKind::kMisaligned:
      if (!fault.detail.empty()) return fault.detail;
      return fmt::format(
          "misaligned {} of {} bytes in {} memory: address {:#x} is not a multiple of {}",
          verb(fault.op), fault.bytes, space_word(fault.space), fault.address, fault.bytes);
    case FindingKind::kUninitialised:
      return fmt::format("{} of {}, which nobody has written{}", verb(fault.op), place(),
                         use_text(fault, program));
    case FindingKind::kSharedRace:
    case FindingKind::kGlobalRace:
    case FindingKind::kClusterRace:
      return fmt::format("race at {}: {}", place(), fault.detail);
    case FindingKind::kStaleRead:
    case FindingKind::kSameValue:
      return fmt::format("{}: {}", place(), fault.detail);
    case FindingKind::kUnwaitedCopy:
      return fmt::format("a copy is under way at {}: {}", place(), fault.detail);
    case FindingKind::kDivergentBarrier:
      return "barrier reached by part of a warp: " + fault.detail;
    case FindingKind::kTrap:
      return "the kernel executed a trap";
    default:
      return fault.detail;
  }
}

/// "lanes 1 to 16": from the first to the last.
std::string lanes_text(std::uint32_t lanes) {
  std::vector<int> all;
  for (int lane = 0; lane < static_cast<int>(kLanes); ++lane) {
    if (((lanes >> lane) & 1U) != 0) all.push_back(lane);
  }
  if (all.size() == 1) return fmt::format("lane {}", all.front());
  if (all.size() == 2) return fmt::format("lanes {} and {}", all.front(), all.back());
  return fmt::format("lanes {} to {}", all.front(), all.back());
}

void tell_outside(const Fault& fault, Finding& finding) {
  finding.cause = FindingCause::kLanesOutside;
  finding.message = fmt::format(
      "a shuffle reads {}, which {} not execute it: {} outside of the mask, and the value is "
      "undefined",
      lanes_text(fault.outside), (fault.outside & (fault.outside - 1)) == 0 ? "does" : "do",
      (fault.outside & (fault.outside - 1)) == 0 ? "it is" : "they are");
}

// The array that such an address is near to is not the one that was meant.
void tell_wrapped(const Fault& fault, const std::string& why, Finding& finding) {
  finding.cause = FindingCause::kWrapped;
  finding.array.clear();
  finding.message = fmt::format("out-of-bounds {} of {} bytes in global memory: {}", verb(fault.op),
                                fault.bytes, why);
}

// Two arrays in one piece of dynamic shared memory: where one reaches into the other, a barrier
// between the accesses would leave both wrong.
void tell_overlap(const Fault& fault, const Program& program, const KernelText& source,
                  Finding& finding) {
  const ptx::Where& one = instruction_of(program, fault.other).where;
  const ptx::Where& two = instruction_of(program, fault.where).where;
  const std::string_view text = text_of(finding.file, source);
  if (text.empty() || one.file != two.file || fault.address < program.shared_bytes) return;
  const auto found = overlapping_parts(text, static_cast<int>(one.line), static_cast<int>(two.line),
                                       fault.address - program.shared_bytes);
  if (!found) return;
  finding.cause = FindingCause::kOverlap;
  finding.message = fmt::format(
      "{} and {} lie on one another: {} begins at byte {} of '{}', and line {} reaches byte {} "
      "through {}",
      found->first, found->second, found->second, grouped_text(static_cast<double>(found->begins)),
      found->memory, found->line,
      grouped_text(static_cast<double>(fault.address - program.shared_bytes)), found->first);
}

}  // namespace

Dim3 coordinates(const Dim3& box, std::uint64_t index) {
  return {static_cast<std::uint32_t>(index % box.x),
          static_cast<std::uint32_t>(index / box.x % box.y),
          static_cast<std::uint32_t>(index / box.x / box.y)};
}

std::vector<Finding> findings(const std::vector<Fault>& faults, const Program& program,
                              const Launch& launch, const GlobalMemory& memory,
                              const KernelText& source, const std::vector<std::byte>& parameters) {
  std::vector<Finding> all;
  for (const Fault& fault : mistakes(faults, program)) {
    Finding finding;
    finding.kind = fault.kind;
    finding.kernel = program.kernel;
    const Origin& origin = program.origins.at(fault.where);
    if (origin.function != kNone) {
      const ptx::Where& where = told_at(fault, program);
      finding.file = program.module->files[where.file];
      finding.line = static_cast<int>(where.line);
      finding.source = std::string(trim(line_of(text_of(finding.file, source), finding.line)));
    }
    finding.block = coordinates(launch.grid, fault.block);
    finding.thread = coordinates(launch.block, std::uint64_t{fault.warp} * kLanes + fault.lane);
    finding.address = fault.address;
    finding.count = fault.count;
    finding.op = fault.op;
    finding.space = fault.space;
    add_element(fault, program, launch, memory, source, finding);
    add_other(fault, program, source, finding);
    const bool beyond = fault.kind == FindingKind::kOutOfBounds && !finding.array.empty();
    finding.message =
        beyond ? beyond_text(finding) : sentence(fault, finding, program, launch, memory, source);
    if (fault.loop != LoopFault::kNoLoop) tell_endless(fault, program, source, finding);
    if (fault.kind == FindingKind::kSharedRace) tell_overlap(fault, program, source, finding);
    const bool race = fault.kind == FindingKind::kSharedRace ||
                      fault.kind == FindingKind::kGlobalRace ||
                      fault.kind == FindingKind::kClusterRace;
    if (race && finding.cause == FindingCause::kNone) {
      finding.cause = cause_of_race(fault, program);
    }
    if (fault.outside != 0) tell_outside(fault, finding);
    if (fault.kind == FindingKind::kOutOfBounds && fault.space != Space::kShared) {
      const std::string why =
          wrapped_index(program, fault.where,
                        {finding.block, finding.thread, launch, parameters, fault.lane, fault.frame,
                         has_unsigned(text_of(finding.file, source), finding.line)});
      if (!why.empty()) tell_wrapped(fault, why, finding);
    }
    all.push_back(std::move(finding));
  }
  return all;
}

void add_findings(std::vector<Finding> all, CaseRecord& record) {
  for (Finding& one : all) {
    const bool remark = severity_of(one.kind) == Severity::kRemark;
    (remark ? record.remarks : record.findings).push_back(std::move(one));
  }
  std::erase_if(record.remarks, [&](const Finding& remark) {
    return std::any_of(record.findings.begin(), record.findings.end(), [&](const Finding& one) {
      return one.line == remark.line && one.file == remark.file;
    });
  });
}

}  // namespace lab::model
