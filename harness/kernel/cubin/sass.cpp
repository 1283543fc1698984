#include "harness/kernel/cubin/sass.h"

#include <algorithm>
#include <array>

namespace lab::cubin {

namespace {

// How the width code is read.
enum class Width : std::uint8_t { kPlain, kInteger, kFloat, kCopy, kMatrix, kWhole };

struct Row {
  std::uint16_t opcode;  // bits 0-8
  Kind kind;
  Width width;
};
constexpr std::array kRows{
    Row{0x03b, Kind::kLoadMatrix, Width::kMatrix},
    Row{0x17e, Kind::kLoadGlobal, Width::kWhole},  // sm_100 and later
    Row{0x17f, Kind::kStoreGlobal, Width::kWhole},
    Row{0x180, Kind::kLoadGeneric, Width::kPlain},
    Row{0x181, Kind::kLoadGlobal, Width::kPlain},
    Row{0x182, Kind::kLoadConst, Width::kPlain},
    Row{0x183, Kind::kLoadLocal, Width::kPlain},
    Row{0x184, Kind::kLoadShared, Width::kPlain},
    Row{0x185, Kind::kStoreGeneric, Width::kPlain},
    Row{0x186, Kind::kStoreGlobal, Width::kPlain},
    Row{0x187, Kind::kStoreLocal, Width::kPlain},
    Row{0x188, Kind::kStoreShared, Width::kPlain},
    Row{0x18a, Kind::kAtomicGeneric, Width::kInteger},
    Row{0x18b, Kind::kAtomicGeneric, Width::kInteger},  // compare and swap
    Row{0x18c, Kind::kAtomicShared, Width::kInteger},
    Row{0x18d, Kind::kAtomicShared, Width::kInteger},  // compare and swap
    Row{0x18e, Kind::kReduction, Width::kInteger},
    Row{0x1a2, Kind::kAtomicGeneric, Width::kFloat},
    Row{0x1a3, Kind::kAtomicGlobal, Width::kFloat},
    Row{0x1a6, Kind::kReduction, Width::kFloat},
    Row{0x1a8, Kind::kAtomicGlobal, Width::kInteger},
    Row{0x1a9, Kind::kAtomicGlobal, Width::kInteger},  // compare and swap
    Row{0x1ae, Kind::kCopyAsync, Width::kCopy},
};

std::uint64_t field(Bytes word, unsigned first, unsigned count) {
  Reader reader(word);
  const std::uint64_t low = reader.u64();
  const std::uint64_t high = reader.u64();
  const std::uint64_t bits = first < 64 ? low >> first : high >> (first - 64);
  return bits & ((std::uint64_t{1} << count) - 1);
}

std::uint8_t bytes_of(Width width, Bytes word, int sm) {
  constexpr std::array<std::uint8_t, 8> kPlain{1, 1, 2, 2, 4, 8, 16, 0};
  constexpr std::array<std::uint8_t, 8> kInteger{4, 4, 8, 4, 4, 8, 8, 0};
  constexpr std::array<std::uint8_t, 8> kFloat{0, 4, 0, 0, 0, 0, 0, 8};
  constexpr std::array<std::uint8_t, 4> kCopy{4, 8, 16, 0};
  constexpr std::array<std::uint8_t, 4> kMatrix{4, 8, 16, 0};
  const auto code = static_cast<std::size_t>(field(word, 73, 3));
  switch (width) {
    case Width::kPlain:
      return kPlain.at(code);
    case Width::kInteger:
      return kInteger.at(code);
    case Width::kFloat:
      return kFloat.at(code);
    case Width::kCopy:
      return sm < 100 ? kPlain.at(code) : kCopy.at(static_cast<std::size_t>(field(word, 74, 2)));
    case Width::kMatrix:  // x1, x2, x4
      return kMatrix.at(static_cast<std::size_t>(field(word, 72, 2)));
    case Width::kWhole:
      return 32;
  }
  return 0;
}

constexpr std::uint64_t kBranch = 0x147;
constexpr std::uint64_t kExit = 0x14d;

bool is_predicated(Bytes word) { return field(word, 12, 4) != 7; }

std::int32_t offset_of(Bytes word) {
  const auto raw = static_cast<std::uint32_t>(field(word, 40, 24));
  return static_cast<std::int32_t>(raw << 8) >> 8;
}

}  // namespace

std::string_view name_of(Kind kind) {
  constexpr std::array<std::string_view, 15> kNames{"LD",   "LDG",   "LDS",   "LDL", "LDC",
                                                    "LDSM", "ST",    "STG",   "STS", "STL",
                                                    "ATOM", "ATOMG", "ATOMS", "RED", "LDGSTS"};
  return kNames.at(static_cast<std::size_t>(kind));
}

bool is_atomic(Kind kind) { return kind >= Kind::kAtomicGeneric && kind <= Kind::kReduction; }

std::optional<Access> decode(Bytes word, int sm) {
  const std::uint64_t opcode = field(word, 0, 9);
  const auto* row = std::find_if(kRows.begin(), kRows.end(),
                                 [=](const Row& each) { return each.opcode == opcode; });
  if (row == kRows.end()) return {};
  Access access;
  access.kind = row->kind;
  access.bytes = bytes_of(row->width, word, sm);
  access.predicated = is_predicated(word);
  access.combines = field(word, 0, 12) == 0xf8c;
  access.address_register = static_cast<std::uint8_t>(field(word, 24, 8));
  access.offset = offset_of(word);
  return access;
}

bool is_warp_vote(Bytes word) {
  constexpr std::array<std::uint64_t, 5> kVotes{0x006, 0x086, 0x0cc, 0x1a1, 0x1c4};
  const std::uint64_t opcode = field(word, 0, 9);
  return std::find(kVotes.begin(), kVotes.end(), opcode) != kVotes.end();
}

bool is_conditional_jump(Bytes word) {
  const std::uint64_t opcode = field(word, 0, 9);
  return (opcode == kBranch || opcode == kExit) && is_predicated(word);
}

namespace {

struct PipeRow {
  std::uint16_t opcode;
  Pipe pipe;
};
constexpr std::array kPipes{
    PipeRow{0x028, Pipe::kFp64},        // DMUL
    PipeRow{0x029, Pipe::kFp64},        // DADD
    PipeRow{0x02a, Pipe::kFp64},        // DSETP
    PipeRow{0x02b, Pipe::kFp64},        // DFMA
    PipeRow{0x037, Pipe::kTensor},      // IMMA
    PipeRow{0x03c, Pipe::kTensor},      // HMMA
    PipeRow{0x03f, Pipe::kTensor},      // DMMA
    PipeRow{0x100, Pipe::kSpecial},     // FLO
    PipeRow{0x108, Pipe::kSpecial},     // MUFU
    PipeRow{0x109, Pipe::kSpecial},     // POPC
    PipeRow{0x11d, Pipe::kBarrier},     // BAR
    PipeRow{0x189, Pipe::kSharedLoad},  // SHFL goes through the same unit
    PipeRow{kBranch, Pipe::kJump},     PipeRow{0x149, Pipe::kJump},  // BRX
    PipeRow{kExit, Pipe::kJump},       PipeRow{0x150, Pipe::kJump},  // RET
};

Pipe pipe_of(std::uint64_t opcode) {
  const auto row = std::find_if(kRows.begin(), kRows.end(),
                                [=](const Row& each) { return each.opcode == opcode; });
  if (row != kRows.end()) {
    switch (row->kind) {
      case Kind::kLoadShared:
      case Kind::kLoadMatrix:
        return Pipe::kSharedLoad;
      case Kind::kAtomicShared:
        return Pipe::kSharedAtomic;
      case Kind::kAtomicGeneric:
      case Kind::kAtomicGlobal:
        return Pipe::kGlobalAtomic;
      case Kind::kStoreGeneric:
      case Kind::kStoreGlobal:
      case Kind::kStoreShared:
      case Kind::kStoreLocal:
      case Kind::kReduction:
      case Kind::kCopyAsync:
        return Pipe::kStore;
      case Kind::kLoadConst:
        return Pipe::kOther;
      default:
        return Pipe::kGlobalLoad;
    }
  }
  const auto pipe = std::find_if(kPipes.begin(), kPipes.end(),
                                 [=](const PipeRow& each) { return each.opcode == opcode; });
  return pipe == kPipes.end() ? Pipe::kOther : pipe->pipe;
}

// Since sm_90 the offset's lowest bits, in words of 4 bytes, stand apart.
std::int32_t jump_of(Bytes word, int sm) {
  const auto high = static_cast<std::uint32_t>(field(word, 34, 30));
  if (sm < 90) return static_cast<std::int32_t>(high << 2U);
  return static_cast<std::int32_t>(((high << 8U) | static_cast<std::uint32_t>(field(word, 16, 8)))
                                   << 2U);
}

}  // namespace

Issue decode_issue(Bytes word, int sm) {
  Issue issue;
  issue.opcode = static_cast<std::uint16_t>(field(word, 0, 9));
  issue.pipe = pipe_of(issue.opcode);
  issue.cycles = static_cast<std::uint8_t>(field(word, 105, 4));
  issue.sets = static_cast<std::uint8_t>(field(word, 110, 3));
  issue.reads = static_cast<std::uint8_t>(field(word, 113, 3));
  issue.waits = static_cast<std::uint8_t>(field(word, 116, 6));
  issue.predicated = is_predicated(word);
  issue.ends = issue.pipe == Pipe::kJump;
  if (issue.opcode == kBranch) issue.jump_by = jump_of(word, sm);
  return issue;
}

}  // namespace lab::cubin
