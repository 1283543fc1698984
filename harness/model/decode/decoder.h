// The decoder's working state. What it does, in order: plan (choose each instruction's handler),
// hoist (find what is constant for a launch, a block or a warp's place in its block), place
// (registers to slots), emit.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "harness/model/decode/decode.h"

namespace lab::model {

using OperandKind = ptx::Operand::Kind;

/// How often a value is computed. A value that joins one of kBlock and one of kSlot differs from
/// warp to warp.
enum class Often : std::uint8_t { kLaunch, kBlock, kSlot, kWarp };
[[nodiscard]] Often join(Often a, Often b);

/// Bytes per lane of the slot of a value of so many bytes: 8-bit values take 16 bits.
[[nodiscard]] constexpr std::uint32_t slot_width(int bytes) {
  return bytes < 2 ? 2 : static_cast<std::uint32_t>(bytes);
}

/// How the decoder treats an instruction.
enum class Form : std::uint8_t {
  kPlain,      ///< a handler with operands in the order of the text
  kParameter,  ///< ld.param of the kernel: a constant
  kPack,       ///< mov with a vector operand
  kMemory,     ///< ld, st
  kAtomic,     ///< atom, red
  kAsyncCopy,  ///< cp.async
  kBulkCopy,   ///< cp.async.bulk
  kMatrix,     ///< ldmatrix, mma, wmma, ...
  kImage,      ///< tex, suld, sust
  kMbarrier,
  kControl,  ///< bra, brx, call, ret, exit
};

struct InstructionPlan {
  Form form = Form::kPlain;
  Found found;
  Often often = Often::kWarp;
};

/// A function of the program.
struct Unit {
  std::uint32_t function = 0;
  const ptx::Function* code = nullptr;
  std::uint32_t first_block = 0;
  std::vector<InstructionPlan> plans;     ///< by instruction
  std::vector<bool> for_printf;           ///< by instruction: see stores_for_printf()
  std::vector<std::uint32_t> block_of;    ///< by instruction: block of the program
  std::vector<std::uint32_t> meeting;     ///< by own block: block of the program
  std::vector<Often> often;               ///< by register
  std::vector<Slot> slots;                ///< by register
  std::vector<std::uint64_t> variables;   ///< by Function::variables: address in its space
  std::vector<std::uint64_t> parameters;  ///< likewise; of the kernel: offset in its parameters
  std::vector<std::uint64_t> results;
};

class Decoder {
 public:
  Decoder(const DecodeRequest& request, const HandlerTable& table);
  Program run();

 private:
  // decode.cpp
  void add_unit(std::uint32_t function);
  /// The functions that a call may reach.
  [[nodiscard]] std::vector<std::uint32_t> callees(const ptx::Function& code,
                                                   const ptx::Instruction& call) const;
  void refuse_recursion(const ptx::Function& code, const ptx::Instruction& call,
                        std::uint32_t callee) const;
  void place_variables(Unit& unit);
  void place_module_shared();
  void lay_out_blocks(Unit& unit);
  void emit_unit(Unit& unit);
  void emit_block_end(const Unit& unit, std::uint32_t own_block);
  void fix_targets();

  // hoist.cpp
  void plan(Unit& unit);
  /// Notes in the program that the instruction looks at a cluster of several blocks.
  void note_cluster(const ptx::Instruction& ins);
  /// Blocks per cluster, by the launch or else by the kernel; zeros: neither says.
  [[nodiscard]] const std::array<std::uint32_t, 3>& asked_cluster() const;
  void refuse_between_blocks(const Unit& unit) const;
  [[nodiscard]] InstructionPlan plan_one(const Unit& unit, const ptx::Instruction& ins) const;
  [[nodiscard]] Found look_up(const Unit& unit, const ptx::Instruction& ins) const;
  void hoist(Unit& unit);
  [[nodiscard]] Often often_of(const Unit& unit, const ptx::Operand& operand) const;
  void place_registers(Unit& unit);

  // operands.cpp
  Slot allocate(Bank bank, std::uint32_t width);
  Slot constant(std::uint32_t width, std::uint64_t bits);
  Slot special(const ptx::Operand& operand, std::uint32_t width);
  Slot filled_special(const ptx::Operand& operand, std::uint32_t width);
  Slot cluster_special(ptx::Operand operand, std::uint32_t width);
  Slot source(const Unit& unit, const ptx::Operand& operand, std::uint32_t width);
  Slot destination(const Unit& unit, const ptx::Operand& operand, std::uint32_t width);
  [[nodiscard]] std::uint64_t symbol_address(const Unit& unit, const ptx::Operand& operand) const;
  [[nodiscard]] std::uint32_t register_width(const Unit& unit, std::uint32_t reg) const;
  /// The width of what an ld, st or the like moves: of its registers, or where it has constants
  /// alone, what elements of so many bytes take.
  [[nodiscard]] std::uint32_t data_width(const Unit& unit, const std::vector<ptx::Operand>& parts,
                                         int element_bytes) const;

  // emit.cpp
  std::uint32_t emit(const Ins& ins);
  void emit_instruction(const Unit& unit, std::uint32_t index);
  void emit_guarded(const Unit& unit, std::uint32_t index);
  void emit_body(const Unit& unit, std::uint32_t index);
  void emit_plain(const Unit& unit, const ptx::Instruction& ins, const InstructionPlan& plan);
  void emit_pack(const Unit& unit, const ptx::Instruction& ins);
  void emit_moves(const Unit& unit, const ptx::Instruction& ins);
  void emit_control(const Unit& unit, std::uint32_t index);
  void emit_branch(const Unit& unit, std::uint32_t index);
  void emit_table(const Unit& unit, std::uint32_t index);
  void emit_call(const Unit& unit, std::uint32_t index);
  void emit_call_of(const Unit& unit, const ptx::Instruction& ins, std::uint32_t function, Ins out);
  void emit_indirect_call(const Unit& unit, std::uint32_t index);
  void emit_jump(std::uint32_t block);
  void set_guard(const Unit& unit, const ptx::Instruction& ins, Ins& out);

  // memory.cpp
  void emit_parameter(const Unit& unit, const ptx::Instruction& ins);
  void emit_memory(const Unit& unit, const ptx::Instruction& ins);
  void emit_atomic(const Unit& unit, const ptx::Instruction& ins);
  // async.cpp
  void emit_async_copy(const Unit& unit, const ptx::Instruction& ins);
  Site async_site(std::uint64_t bytes);
  void emit_async_half(const Unit& unit, const ptx::Instruction& ins, Site site, bool store,
                       std::uint64_t from);
  void emit_async_source(const Unit& unit, const ptx::Instruction& ins, const Site& site,
                         std::uint64_t bytes);

  void emit_past_l1(const Unit& unit, const ptx::Instruction& ins, std::uint32_t first);
  // bulk.cpp
  void emit_bulk_copy(const Unit& unit, const ptx::Instruction& ins);
  void emit_mbarrier(const Unit& unit, const ptx::Instruction& ins);
  // image.cpp
  void emit_image(const Unit& unit, const ptx::Instruction& ins);
  // matrix.cpp
  void emit_matrix(const Unit& unit, const ptx::Instruction& ins);
  void emit_rows(const Unit& unit, const ptx::Instruction& ins, MatrixOp op);
  void emit_product(const Unit& unit, const ptx::Instruction& ins, MatrixOp op);
  void emit_fragment(const Unit& unit, const ptx::Instruction& ins, MatrixOp op);
  void emit_matrix_memory(const Unit& unit, const ptx::Instruction& ins, MatrixOp op, Site site,
                          const Ins& begun);
  std::vector<Slot> fragment(const Unit& unit, const ptx::Instruction& ins, std::size_t operand,
                             ptx::Type type, std::uint32_t elements, bool written);

  // memory.cpp
  Slot address(const Unit& unit, const ptx::Operand& operand, std::uint64_t& offset,
               std::uint32_t& width);
  std::uint32_t add_site(Site site, ptx::Space space, const ptx::Instruction& ins);
  [[nodiscard]] const cubin::Fate* fate() const;
  void apply_fate(Site& site) const;
  [[nodiscard]] ptx::Space space_of(const Unit& unit, const ptx::Instruction& ins,
                                    const ptx::Operand& operand) const;
  void share_pattern(Ins& ins, MemoryForm& form, const Site& site, std::uint32_t index);
  void forget_leader(const Unit& unit, const ptx::Operand& written);

  [[noreturn]] void refuse(const Unit& unit, const ptx::Instruction& ins,
                           const std::string& why = {}, const std::string& hint = {}) const;

  const DecodeRequest& request_;
  const HandlerTable& table_;
  const ptx::Module& module_;
  std::vector<std::uint32_t> taken_;  ///< functions whose address the module takes
  Program program_;
  std::vector<Unit> units_;
  std::map<std::uint32_t, std::size_t> unit_of_;             ///< by function
  std::map<std::uint32_t, std::uint64_t> shared_variables_;  ///< by module variable: its address
  std::vector<std::uint32_t> calling_;  ///< functions being entered, to refuse recursion
  std::map<std::pair<std::uint32_t, std::uint64_t>, Slot> constants_;
  std::map<std::tuple<ptx::Special, std::uint8_t, std::uint32_t>, Slot> specials_;
  std::array<std::uint32_t, 3> used_{};  ///< bytes by bank
  Slot sink_;                            ///< takes results that nobody reads
  std::vector<std::uint32_t>
      branches_;  ///< indices into the code: branches whose target is still a block
  std::vector<std::pair<std::uint32_t, std::uint32_t>> guards_;  ///< opening, instruction after
  std::vector<std::uint32_t> entries_;                           ///< by call: function
  Origin origin_;
  std::vector<Ins>* out_ = nullptr;
  // Memory instructions of the current basic block whose pattern later ones share: by address slot,
  // width, rule and what the machine code makes of them.
  struct LeaderKey {
    Slot address;
    std::uint32_t bytes = 0;
    std::uint32_t cost_bytes = 0;
    CostRule rule = CostRule::kGlobal;
    friend bool operator==(const LeaderKey&, const LeaderKey&) = default;
  };
  std::vector<std::pair<LeaderKey, std::uint32_t>> leaders_;
};

}  // namespace lab::model
