// Memory instructions of NVIDIA's machine code, compute capability 7.5 to 12.1.
//
// NVIDIA does not document the encoding. It was found by compiling kernels with known accesses for
// sm_75 to sm_120, and the tests do so again. An instruction has 128 bits:
//   0-8    opcode (9-11 say where its operands are)     12-14  predicate, 7: always     15 negated
//   16-23  destination register     24-31  address register, 255: none
//   40-63  byte offset, signed      73-75  width of a load or store; type of an atomic
//                                   72-73  how many matrices LDSM loads: 1, 2, 4
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/kernel/cubin/bytes.h"

namespace lab::cubin {

enum class Kind : std::uint8_t {
  kLoadGeneric,
  kLoadGlobal,
  kLoadShared,
  kLoadLocal,
  kLoadConst,  ///< indexed: a constant at a fixed address is an operand, not an instruction
  kLoadMatrix,
  kStoreGeneric,
  kStoreGlobal,
  kStoreShared,
  kStoreLocal,
  kAtomicGeneric,
  kAtomicGlobal,
  kAtomicShared,
  kReduction,  ///< global atomic with no result: `red`, or an `atom` whose result is not used
  kCopyAsync,  ///< global to shared: LDGSTS
};
/// LDG, LDS, STS, ATOMS, RED, ...
[[nodiscard]] std::string_view name_of(Kind kind);
[[nodiscard]] bool is_atomic(Kind kind);

struct Access {
  Kind kind = Kind::kLoadGeneric;
  std::uint8_t bytes = 0;  ///< per lane; of LDSM 4 for each matrix; 0: the width is not known
  bool predicated = false;
  bool combines = false;  ///< ATOMS.POPC.INC: all lanes at one address at once
  std::uint8_t address_register = 255;
  std::int32_t offset = 0;  ///< bytes
};

/// The access that this instruction makes, if it makes one. `word` has 16 bytes.
[[nodiscard]] std::optional<Access> decode(Bytes word, int sm);

/// True for instructions by which lanes of a warp agree on something (VOTE, VOTEU, REDUX, MATCH):
/// beside an atomic of the same PTX line they show that the compiler combines the lanes first.
[[nodiscard]] bool is_warp_vote(Bytes word);

/// True for branches (BRA) and exits (EXIT) under a predicate.
[[nodiscard]] bool is_conditional_jump(Bytes word);

/// What executes an instruction, as far as it matters for time.
enum class Pipe : std::uint8_t {
  kOther,
  kFp64,
  kSpecial,  ///< MUFU, counts of bits: 16 lanes per clock
  kTensor,
  kGlobalLoad,    ///< with a result that is waited for: LD, LDG, LDL
  kSharedLoad,    ///< the same of shared memory: LDS, LDSM
  kGlobalAtomic,  ///< with a result: ATOM, ATOMG
  kSharedAtomic,  ///< ATOMS
  kStore,
  kBarrier,
  kJump,
};

/// How an instruction is issued. The compiler, not the hardware, keeps track of what it waits for:
///   105-108  cycles until the warp's next instruction     110-112  counter that its results set
///   113-115  counter that the reading of its operands sets (7 in both: none)
///   116-121  counters that must be 0 before it is issued, one bit each
struct Issue {
  static constexpr std::uint8_t kNoCounter = 7;
  Pipe pipe = Pipe::kOther;
  std::uint16_t opcode = 0;  ///< bits 0-8
  std::uint8_t cycles = 0;
  std::uint8_t sets = kNoCounter;
  std::uint8_t reads = kNoCounter;
  std::uint8_t waits = 0;
  bool predicated = false;
  bool ends = false;           ///< EXIT, RET, or a jump: what follows is not always executed
  std::int32_t jump_by = 0;    ///< of BRA: bytes from the next instruction
  std::uint32_t ptx_line = 0;  ///< 0: not known
};
[[nodiscard]] Issue decode_issue(Bytes word, int sm);

}  // namespace lab::cubin
