// A kernel decoded for one launch: instructions with handlers, and the tables they point into.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/kernel/ptx/module.h"
#include "harness/model/code/cut.h"
#include "harness/model/code/instruction.h"
#include "harness/model/code/site.h"

namespace lab::model {

/// A basic block of the program: of the kernel or of a function it calls.
struct BasicBlock {
  std::uint32_t first = 0;         ///< index into Program::code
  std::uint32_t instructions = 0;  ///< of PTX
  bool endless = false;            ///< in a loop from which no path leads out
};

/// Values of a bank before anything runs: `bytes` repeated for each of 32 lanes at `slot`.
struct Constant {
  Slot slot;
  std::uint8_t width = 4;  ///< bytes per lane; Found::kPredicate: a mask
  std::uint64_t bits = 0;
};

/// Special registers that differ between warps or blocks; filled in before the prologues run.
struct SpecialValue {
  Slot slot;
  std::uint8_t width = 4;
  ptx::Special special = ptx::Special::kTid;
  std::uint8_t component = 0;
};

/// A variable of .shared or .local space: where it was put.
struct Placed {
  std::string name;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// A call: what is copied to the callee's parameters, and back from its results.
struct Call {
  /// Parameters and results are passed in local memory: each thread's own.
  struct Copy {
    std::uint64_t from = 0;  ///< byte offsets in a thread's local memory
    std::uint64_t to = 0;
    std::uint64_t bytes = 0;
  };
  std::vector<Copy> arguments;
  std::vector<Copy> results;
  const Ins* entry = nullptr;
  std::uint32_t entry_block = kNone;
};

/// A matrix instruction: which of a matrix's elements each lane's registers hold follows from
/// these.
struct MatrixOp {
  ptx::MatrixShape shape;
  ptx::Type d = ptx::Type::kNone;
  ptx::Type a = ptx::Type::kNone;
  ptx::Type b = ptx::Type::kNone;
  ptx::Type c = ptx::Type::kNone;
  std::uint8_t matrices = 1;  ///< of ldmatrix and stmatrix
  bool trans = false;         ///< each matrix's rows are columns of registers
  bool saturates = false;
  bool by_column = false;  ///< of wmma.load and wmma.store: neighbours in memory are in one column
  char part = 'd';         ///< the same: which matrix it is
  Cut cut = {};            ///< the same: its accesses in the machine code
  ptx::Space space = ptx::Space::kShared;
  std::vector<Slot> d_registers;
  std::vector<Slot> a_registers;
  std::vector<Slot> b_registers;
  std::vector<Slot> c_registers;
};

/// A read of a texture, or a read or write of a surface.
struct ImageOp {
  enum class Outside : std::uint8_t { kTrap, kClamp, kZero };
  bool is_texture = false;
  bool real_coordinates = false;  ///< else whole numbers
  std::uint8_t dimensions = 1;
  bool layered = false;
  std::uint8_t element_bytes = 4;
  std::uint8_t elements = 1;
  std::uint8_t register_bytes = 4;
  Outside outside = Outside::kTrap;      ///< of a surface
  ptx::Type type = ptx::Type::kNone;     ///< that a texture's channels are returned as
  std::array<Slot, 3> coordinates = {};  ///< x, y, z
  Slot layer = {};
  std::array<Slot, 4> registers = {};
};

/// Where an instruction came from, for messages and per-line counts.
struct Origin {
  std::uint32_t function = kNone;
  std::uint32_t instruction = kNone;  ///< index into Function::instructions
};

/// A PTX instruction and the basic block it is counted with.
struct InstructionOrigin {
  Origin origin;
  std::uint32_t block = 0;
};

struct Program {
  std::string kernel;
  std::vector<Ins> code;
  std::vector<Origin> origins;                  ///< beside `code`
  std::vector<InstructionOrigin> instructions;  ///< all of them, hoisted ones too
  std::vector<BasicBlock> blocks;
  std::vector<Site> sites;
  std::vector<Call> calls;
  std::vector<MatrixOp> matrices;
  std::vector<ImageOp> images;
  bool cooperative = false;  ///< it reads the address of the grid's barrier
  bool traffic = true;       ///< the sectors that it touches are asked for
  bool waits = false;        ///< it has a loop that waits for a change of global memory
  /// Blocks per cluster, where the kernel looks at its cluster.
  std::array<std::uint32_t, 3> cluster = {1, 1, 1};
  bool maps_blocks = false;  ///< such a kernel reaches the shared memory of other blocks
  std::uint32_t entry_block = 0;

  std::uint32_t frame_bytes = 0;    ///< size of bank kFrame
  std::uint32_t uniform_bytes = 0;  ///< of kUniform
  std::uint32_t slot_bytes = 0;     ///< of kSlot
  std::vector<Constant> constants;
  std::vector<SpecialValue> specials;
  // Instructions on constants, which run ahead: once per launch, once per block, once per warp of a
  // block. Each list ends in an instruction that stops.
  std::vector<Ins> launch_prologue;
  std::vector<Ins> block_prologue;
  std::vector<Ins> slot_prologue;

  std::uint32_t registers = 0;     ///< per thread, in the machine code; 0: not known
  std::uint64_t shared_bytes = 0;  ///< static
  std::uint64_t local_bytes = 0;   ///< per thread
  std::vector<Placed> shared_variables;
  std::vector<Placed> local_variables;

  const ptx::Module* module = nullptr;  ///< outlives the program
};

/// The PTX instruction that was decoded, of an origin that is known.
[[nodiscard]] inline const ptx::Instruction& instruction_of(const Program& program,
                                                            const Origin& origin) {
  return program.module->functions.at(origin.function).instructions.at(origin.instruction);
}
/// The same by an index into Program::code.
[[nodiscard]] inline const ptx::Instruction& instruction_of(const Program& program,
                                                            std::uint32_t where) {
  return instruction_of(program, program.origins.at(where));
}

}  // namespace lab::model
