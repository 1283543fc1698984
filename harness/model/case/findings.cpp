#include "harness/model/case/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "harness/core/text.h"
#include "harness/model/case/mistakes.h"

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

/// Where in which array, for those who count in elements. Nothing of what is far from any.
void add_element(const Fault& fault, const GlobalMemory& memory, Finding& finding) {
  constexpr std::uint64_t kNear = std::uint64_t{1} << 20U;
  const bool global = fault.space == Space::kGlobal || fault.space == Space::kGeneric;
  const Allocation* near = global && fault.bytes > 0 ? memory.nearest(fault.address) : nullptr;
  if (near == nullptr || !near->writable) return;
  const auto from = static_cast<std::int64_t>(fault.address - near->base);
  const auto bytes = static_cast<std::int64_t>(fault.bytes);
  const bool close = from > -static_cast<std::int64_t>(kNear) &&
                     from < static_cast<std::int64_t>(near->bytes + kNear);
  if (!close || from % bytes != 0) return;
  finding.array = near->name;
  finding.element = from / bytes;
  finding.elements = near->bytes / fault.bytes;
}

/// "byte 8 of 'out'".
std::string place_text(const Fault& fault, const GlobalMemory& memory) {
  if (fault.space == Space::kShared) {
    return fmt::format("byte {} of shared memory", fault.address);
  }
  const Allocation* inside = memory.find(fault.address);
  if (inside == nullptr) return fmt::format("{:#x}", fault.address);
  return fmt::format("byte {} of '{}'", fault.address - inside->base, inside->name);
}

/// "read of 4 bytes at byte 8 of 'out'": the beginning of a checker's text.
std::string access_text(const Fault& fault, const GlobalMemory& memory) {
  return fmt::format("{} of {} bytes at {}", verb(fault.op), fault.bytes,
                     place_text(fault, memory));
}

const ptx::Where& where_of(const Program& program, std::uint32_t where) {
  const Origin& origin = program.origins.at(where);
  return program.module->functions[origin.function].instructions[origin.instruction].where;
}

/// Where a fault is told: the compiler gives no line to reads that it moves, and then the line that
/// uses the value is the one that reads it in the source.
const ptx::Where& told_at(const Fault& fault, const Program& program) {
  const ptx::Where& at = where_of(program, fault.where);
  return at.line == 0 && fault.used != kNone ? where_of(program, fault.used) : at;
}

/// "; line 7 uses the value", where another line does.
std::string use_text(const Fault& fault, const Program& program) {
  if (fault.used == kNone) return {};
  const ptx::Where& read = told_at(fault, program);
  const ptx::Where& used = where_of(program, fault.used);
  if (used.line == 0 || (used.line == read.line && used.file == read.file)) return {};
  const std::string of =
      used.file == read.file ? "" : fmt::format(" of {}", program.module->files[used.file]);
  return fmt::format("; line {}{} uses the value", used.line, of);
}

std::string sentence(const Fault& fault, const Program& program, const Launch& launch,
                     const GlobalMemory& memory) {
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
      return access_text(fault, memory) + ", which nobody has written" + use_text(fault, program);
    case FindingKind::kSharedRace:
    case FindingKind::kGlobalRace:
    case FindingKind::kClusterRace:
      return fmt::format("race at {}: {}", place_text(fault, memory), fault.detail);
    case FindingKind::kStaleRead:
    case FindingKind::kSameValue:
      return fmt::format("{}: {}", place_text(fault, memory), fault.detail);
    case FindingKind::kUnwaitedCopy:
      return fmt::format("a copy is under way at {}: {}", place_text(fault, memory), fault.detail);
    case FindingKind::kDivergentBarrier:
      return "barrier reached by part of a warp: " + fault.detail;
    case FindingKind::kTrap:
      return "the kernel executed a trap";
    default:
      return fault.detail;
  }
}

/// The compiler may have put a folder before the name that the source was given.
bool is_file(const std::string& file, const std::string& name) {
  if (file.size() <= name.size()) return file == name;
  return file.compare(file.size() - name.size(), name.size(), name) == 0 &&
         file[file.size() - name.size() - 1] == '/';
}

/// Empty: it is not known.
std::string_view text_of(const std::string& file, const KernelText& source) {
  if (is_file(file, source.name)) return source.text;
  const auto at = std::find_if(source.included.begin(), source.included.end(),
                               [&](const IncludedText& one) { return is_file(file, one.name); });
  return at == source.included.end() ? std::string_view() : at->text;
}

}  // namespace

Dim3 coordinates(const Dim3& box, std::uint64_t index) {
  return {static_cast<std::uint32_t>(index % box.x),
          static_cast<std::uint32_t>(index / box.x % box.y),
          static_cast<std::uint32_t>(index / box.x / box.y)};
}

std::vector<Finding> findings(const std::vector<Fault>& faults, const Program& program,
                              const Launch& launch, const GlobalMemory& memory,
                              const KernelText& source) {
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
    add_element(fault, memory, finding);
    finding.message = sentence(fault, program, launch, memory);
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
