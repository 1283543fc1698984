// The table that maps a PTX instruction to its handler: one row per opcode.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "harness/kernel/ptx/module.h"
#include "harness/model/code/instruction.h"
#include "harness/model/execute/isa.h"

namespace lab::model {

/// An instruction and the function that it is in: what a row looks at to choose a handler.
struct Shape {
  const ptx::Instruction& ins;
  const ptx::Function& function;

  /// Bytes per lane of source or destination register `operand`, as declared; `fallback` where the
  /// operand is not a register. ld, st and cvt may use registers wider than their type.
  [[nodiscard]] std::size_t bytes(std::size_t operand, std::size_t fallback) const;
};

/// Chooses the handler of an instruction; `fn` stays null where this form is not modelled.
using Lookup = Found (*)(const Shape&);

struct Row {
  ptx::Op op;
  Lookup find;
};

/// The properties that choose the handler of an ld or st.
struct MemoryForm {
  bool store = false;
  ptx::Space space = ptx::Space::kGlobal;  ///< const and param: as global
  std::uint8_t element_bytes = 4;
  std::uint8_t register_bytes = 4;
  std::uint8_t elements = 1;
  std::uint8_t address_bytes = 8;
  bool is_signed = false;
  /// Its addresses differ by a constant from those of an earlier instruction of the basic block
  /// (Ins::block), whose pattern it uses.
  bool follower = false;
  /// Of shared memory: its addresses may be those of other blocks of the cluster.
  bool maybe_mapped = false;
};

/// The properties that choose the handler of an atom or red.
struct AtomicForm {
  ptx::Sub operation = ptx::Sub::kAdd;
  ptx::Type type = ptx::Type::kU32;
  ptx::Space space = ptx::Space::kGlobal;
  std::uint8_t address_bytes = 8;
  bool returns = true;  ///< atom
};

/// Handlers of instructions that the decoder makes itself; control.cpp says what operands
/// they take.
struct CoreHandlers {
  Handler jump;
  Handler branch_if;
  Handler branch_if_not;
  Handler branch_table;
  Handler exit;
  Handler ret;
  Handler call;
  Handler guard_open;
  Handler guard_close;
  Handler stop;
  Handler invert;
  Handler match_start;
  Handler match_target;
  Handler match_none;
};

/// For cp.async with a source size. `between`: d = whether a lies in [b, c]. `first_of_*`: d =
/// those bytes of a whose position, counted from c, is below b, and zeros after them.
struct AsyncHandlers {
  Handler between;
  Handler first_of_4;
  Handler first_of_8;
};

/// Of matrices: Ins::block is an index into Program::matrices, `extra` its site, `a` an address,
/// `b` a stride. Bit 0 of next_block: the address register has 64 bits.
struct MatrixHandlers {
  Handler load;            ///< ldmatrix
  Handler store;           ///< stmatrix
  Handler transpose;       ///< movmatrix
  Handler multiply;        ///< mma, wmma.mma
  Handler load_fragment;   ///< wmma.load
  Handler store_fragment;  ///< wmma.store
};

/// Of images: Ins::block is an index into Program::images, `a` the handle.
struct ImageHandlers {
  Handler texture;  ///< tex
  Handler load;     ///< suld
  Handler store;    ///< sust
};

struct HandlerTable {
  /// By opcode; null where there is no row.
  std::array<Lookup, static_cast<std::size_t>(ptx::Op::kCount_)> rows{};
  CoreHandlers core{};
  AsyncHandlers async{};
  MatrixHandlers matrix{};
  ImageHandlers image{};
  /// Operations on an mbarrier: `extra` is the site, `a` the address, `d` a state or a predicate,
  /// `b` a count, state or parity. next_block as for matrices.
  Handler (*mbarrier)(ptx::Op op, bool returns) = nullptr;
  /// cp.async.bulk: `a` destination, `b` source, `c` bytes, `e` the mbarrier; `extra` the first of
  /// the sites of destination, source and mbarrier.
  Handler bulk_copy = nullptr;
  /// cp.async: reports lanes whose source size `a` is more than the imm bytes that it copies.
  Handler copy_size = nullptr;
  /// Counts the sectors of a cp.async.cg at its load's site: `a` source, `b` destination.
  Handler count_past_l1 = nullptr;
  Handler (*memory)(const MemoryForm&) = nullptr;
  Handler (*atomic)(const AtomicForm&) = nullptr;
  /// Copies registers of so many bytes per lane: d from a.
  Handler (*copy)(std::uint32_t bytes) = nullptr;
  /// Element Ins::imm of registers of `whole` bytes per lane: taken out (d from a) or put in.
  Handler (*part)(bool takes_out, std::uint32_t whole, std::uint32_t part) = nullptr;
};

/// The table compiled for the best instruction set that this processor has. Throws a machine error
/// where the build has none for it (LAB_FALLBACK).
[[nodiscard]] const HandlerTable& best_table();
/// One table per instruction set that this processor has, the plainest first: for tests.
[[nodiscard]] std::span<const HandlerTable* const> all_tables();

// Each is defined in the file of its name.
/// Compiled only once, since the lanes of an atomic run one after another.
[[nodiscard]] Handler atomic_handler(const AtomicForm& form);

[[nodiscard]] MatrixHandlers matrix_handlers();
[[nodiscard]] ImageHandlers image_handlers();
[[nodiscard]] Handler multiply_handler();
[[nodiscard]] Handler fragment_handler(bool store);
[[nodiscard]] Handler mbarrier_handler(ptx::Op op, bool returns);
[[nodiscard]] Handler bulk_copy_handler();
[[nodiscard]] Handler past_l1_handler();
[[nodiscard]] Handler copy_size_handler();

// Opcodes that several type families share (add, min, ...) are looked up by the operation's type.
/// Handlers of f16, bf16 and their pairs. Compiled only once, since their arithmetic is too long to
/// gain from wider vectors.
[[nodiscard]] Found find_half(const Shape& s);

inline namespace LAB_MODEL_ISA {
[[nodiscard]] CoreHandlers core_handlers();
[[nodiscard]] Handler memory_handler(const MemoryForm& form);
[[nodiscard]] AsyncHandlers async_handlers();
[[nodiscard]] Handler copy_handler(std::uint32_t bytes);
[[nodiscard]] Handler part_handler(bool takes_out, std::uint32_t whole, std::uint32_t part);
[[nodiscard]] std::span<const Row> sync_rows();
[[nodiscard]] std::span<const Row> control_rows();
[[nodiscard]] std::span<const Row> move_rows();
[[nodiscard]] std::span<const Row> arithmetic_rows();
[[nodiscard]] std::span<const Row> bits_rows();
[[nodiscard]] std::span<const Row> compare_rows();
[[nodiscard]] std::span<const Row> convert_rows();
[[nodiscard]] std::span<const Row> warp_rows();

/// Handlers of integer types.
[[nodiscard]] Found find_integer(const Shape& s);
/// Handlers of f32, f32x2 and f64.
[[nodiscard]] Found find_float(const Shape& s);

[[nodiscard]] inline bool is_half(ptx::Type type) {
  using ptx::Type;
  return type == Type::kF16 || type == Type::kF16x2 || type == Type::kBF16 || type == Type::kBF16x2;
}
[[nodiscard]] inline bool is_pair(ptx::Type type) {
  return type == ptx::Type::kF16x2 || type == ptx::Type::kBF16x2;
}
}  // namespace LAB_MODEL_ISA

}  // namespace lab::model
