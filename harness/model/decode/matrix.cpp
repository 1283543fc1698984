// Instructions on matrices: which forms there are, and which registers they take.
#include <algorithm>
#include <array>

#include "harness/model/decode/decoder.h"

namespace lab::model {

using ptx::MatrixShape;
using ptx::Op;
using ptx::Space;
using ptx::Type;

namespace {

/// Shapes of a product whose factors have one type; `d` and `also` are what D and C may be.
struct ProductRow {
  Op op;
  MatrixShape shape;
  Type factor;
  Type d;
  Type also = Type::kNone;
};
constexpr std::array kProducts{
    ProductRow{Op::kMma, {16, 8, 8}, Type::kF16, Type::kF32, Type::kF16},
    ProductRow{Op::kMma, {16, 8, 16}, Type::kF16, Type::kF32, Type::kF16},
    ProductRow{Op::kMma, {16, 8, 8}, Type::kBF16, Type::kF32},
    ProductRow{Op::kMma, {16, 8, 16}, Type::kBF16, Type::kF32},
    ProductRow{Op::kMma, {16, 8, 4}, Type::kTF32, Type::kF32},
    ProductRow{Op::kMma, {16, 8, 8}, Type::kTF32, Type::kF32},
    ProductRow{Op::kMma, {8, 8, 4}, Type::kF64, Type::kF64},
    ProductRow{Op::kMma, {16, 8, 4}, Type::kF64, Type::kF64},
    ProductRow{Op::kMma, {16, 8, 8}, Type::kF64, Type::kF64},
    ProductRow{Op::kMma, {16, 8, 16}, Type::kF64, Type::kF64},
    ProductRow{Op::kMma, {8, 8, 16}, Type::kS8, Type::kS32},
    ProductRow{Op::kMma, {16, 8, 16}, Type::kS8, Type::kS32},
    ProductRow{Op::kMma, {16, 8, 32}, Type::kS8, Type::kS32},
    ProductRow{Op::kWmmaMma, {16, 16, 16}, Type::kF16, Type::kF32, Type::kF16},
    ProductRow{Op::kWmmaMma, {32, 8, 16}, Type::kF16, Type::kF32, Type::kF16},
    ProductRow{Op::kWmmaMma, {8, 32, 16}, Type::kF16, Type::kF32, Type::kF16},
    ProductRow{Op::kWmmaMma, {16, 16, 16}, Type::kBF16, Type::kF32},
    ProductRow{Op::kWmmaMma, {32, 8, 16}, Type::kBF16, Type::kF32},
    ProductRow{Op::kWmmaMma, {8, 32, 16}, Type::kBF16, Type::kF32},
    ProductRow{Op::kWmmaMma, {16, 16, 8}, Type::kTF32, Type::kF32},
    ProductRow{Op::kWmmaMma, {16, 16, 16}, Type::kS8, Type::kS32},
    ProductRow{Op::kWmmaMma, {32, 8, 16}, Type::kS8, Type::kS32},
    ProductRow{Op::kWmmaMma, {8, 32, 16}, Type::kS8, Type::kS32},
    ProductRow{Op::kWmmaMma, {8, 8, 4}, Type::kF64, Type::kF64},
};

// Bytes may be signed or not, each factor for itself.
Type factor_of(Type type) { return type == Type::kU8 ? Type::kS8 : type; }

bool is_product(Op op, const MatrixOp& m) {
  return std::any_of(kProducts.begin(), kProducts.end(), [&](const ProductRow& row) {
    const auto sums = [&](Type type) {
      return type == row.d || (row.also != Type::kNone && type == row.also);
    };
    return row.op == op && row.shape == m.shape && row.factor == factor_of(m.a) &&
           row.factor == factor_of(m.b) && sums(m.d) && sums(m.c) &&
           (op == Op::kWmmaMma || m.d == m.c);
  });
}

std::uint32_t rows_of(const MatrixShape& s, char part) { return part == 'b' ? s.k : s.m; }
std::uint32_t columns_of(const MatrixShape& s, char part) { return part == 'a' ? s.k : s.n; }
std::uint32_t elements_of(const MatrixShape& s, char part) {
  return rows_of(s, part) * columns_of(s, part) / kLanes;
}

/// The accesses that `fate` says of the whole matrix; kSingles where they fit no layout that is
/// known.
Cut cut_of(const MatrixOp& op, const cubin::Fate& fate) {
  const auto element = static_cast<std::uint32_t>(ptx::bits_of(op.d)) / 8;
  const std::uint32_t length =
      op.by_column ? rows_of(op.shape, op.part) : columns_of(op.shape, op.part);
  const std::uint32_t elements = elements_of(op.shape, op.part);
  const std::uint32_t count = elements * kLanes / length;
  // Neighbours of a register, or of the pairs that a lane has of a sum: along k, or along its row.
  const std::uint32_t neighbours = op.part == 'c' ? 2 : std::max(1U, 4 / element);
  const bool natural = op.part == 'c' || (op.part == 'b') == op.by_column;
  Cut cut;
  std::uint32_t accesses = 0;
  const std::uint32_t run = fate.bytes / element;
  if (fate.matrices != 0 && length % run == 0 && count % 8 == 0) {
    cut.kind = Cut::Kind::kRows;
    cut.matrices = fate.matrices;
    const std::uint32_t tiles = length / run * (count / 8);
    accesses = tiles % cut.matrices == 0 ? tiles / cut.matrices : 0;
  } else if (fate.matrices == 0 && run == neighbours && (natural || element == 2) &&
             length % (4 * run) == 0 && count % 8 == 0) {
    cut.kind = Cut::Kind::kTiles;
    accesses = elements / run;
  } else if (fate.matrices == 0 && run == 1 && length % 8 == 0 && count % (4 * neighbours) == 0) {
    cut.kind = Cut::Kind::kApart;
    cut.step = static_cast<std::uint8_t>(neighbours);
    accesses = elements;
  }
  if (accesses == 0 || fate.copies % accesses != 0) return {};
  cut.run = static_cast<std::uint8_t>(run);
  cut.accesses = static_cast<std::uint8_t>(accesses);
  return cut;
}

}  // namespace

/// The registers of a lane's share of a matrix: `elements` of `type`, or twice or four times as
/// many where wmma holds each several times.
std::vector<Slot> Decoder::fragment(const Unit& unit, const ptx::Instruction& ins,
                                    std::size_t operand, Type type, std::uint32_t elements,
                                    bool written) {
  const ptx::Operand& given = ins.operands.at(operand);
  const auto& parts =
      given.kind == OperandKind::kVector ? given.parts : std::vector<ptx::Operand>{given};
  const auto bits = static_cast<std::uint32_t>(ptx::bits_of(type));
  const std::uint32_t width = bits == 64 ? 8 : 4;
  const std::size_t held = parts.size() * width * 8 / bits;
  const bool repeats = ins.op != Op::kMma && type == Type::kF16;
  const bool fits = elements > 0 && (held == elements || (repeats && held % elements == 0));
  if (!fits) refuse(unit, ins, "it has another number of registers than its shape");
  std::vector<Slot> slots;
  for (const ptx::Operand& part : parts) {
    if (part.kind == OperandKind::kRegister && register_width(unit, part.reg) != width) {
      refuse(unit, ins, "its registers have another width than its type");
    }
    slots.push_back(written ? destination(unit, part, width) : source(unit, part, width));
  }
  return slots;
}

void Decoder::emit_matrix(const Unit& unit, const ptx::Instruction& ins) {
  MatrixOp op;
  op.shape = ins.shape;
  op.matrices = ins.matrices;
  op.trans = ins.trans;
  op.saturates = ins.satfinite;
  op.by_column = ins.layouts[0] == ptx::MatrixLayout::kCol;
  switch (ins.op) {
    case Op::kLdmatrix:
    case Op::kStmatrix:
    case Op::kMovmatrix:
      return emit_rows(unit, ins, std::move(op));
    case Op::kMma:
    case Op::kWmmaMma:
      return emit_product(unit, ins, std::move(op));
    default:
      return emit_fragment(unit, ins, std::move(op));
  }
}

void Decoder::emit_rows(const Unit& unit, const ptx::Instruction& ins, MatrixOp op) {
  if (!(op.shape == MatrixShape{8, 8, 0})) refuse(unit, ins, "it has another shape than m8n8");
  Ins out;
  if (ins.op == Op::kMovmatrix) {
    out.fn = table_.matrix.transpose;
    out.flow = Flow::kMatrix;
    out.d = destination(unit, ins.operands.at(0), 4);
    out.a = source(unit, ins.operands.at(1), 4);
    emit(out);
    return;
  }
  const bool store = ins.op == Op::kStmatrix;
  // One register of two elements for each matrix.
  auto slots = fragment(unit, ins, store ? 1 : 0, Type::kB16, 2U * op.matrices, !store);
  (store ? op.a_registers : op.d_registers) = std::move(slots);
  Site site;
  site.op = store ? AccessOp::kStore : AccessOp::kLoad;
  site.kin = Site::Kin::kMatrix;
  site.element_bytes = site.register_bytes = 4;
  site.elements = 4;  // a row of 16 bytes
  out.fn = store ? table_.matrix.store : table_.matrix.load;
  emit_matrix_memory(unit, ins, std::move(op), site, out);
}

void Decoder::emit_matrix_memory(const Unit& unit, const ptx::Instruction& ins, MatrixOp op,
                                 Site site, const Ins& begun) {
  Ins out = begun;
  out.flow = Flow::kMatrix;
  const ptx::Operand& where = ins.operands.at(site.op == AccessOp::kStore ? 0 : 1);
  const Space space = space_of(unit, ins, where);
  std::uint32_t width = 8;
  out.a = address(unit, where, out.imm, width);
  site.offset = out.imm;
  out.extra = add_site(site, space, ins);
  for (std::size_t i = out.extra; site.unknown && i < program_.sites.size(); ++i) {
    program_.sites[i].counted = false;
  }
  out.next_block = (width == 8 ? 1U : 0U) | (space == Space::kGeneric ? 2U : 0U);
  out.block = static_cast<std::uint32_t>(program_.matrices.size());
  program_.matrices.push_back(std::move(op));
  emit(out);
}

void Decoder::emit_product(const Unit& unit, const ptx::Instruction& ins, MatrixOp op) {
  op.d = ins.types[0];
  if (ins.op == Op::kWmmaMma && ins.types[2] == Type::kNone) {  // of f16: names D and C alone
    op.a = op.b = Type::kF16;
    op.c = ins.types[1];
  } else {
    op.a = ins.types[1];
    op.b = ins.types[2];
    op.c = ins.types[3];
  }
  if (!is_product(ins.op, op)) {
    refuse(unit, ins, "not in this shape with these types", "use .m16n8k16 with .f16 or .bf16");
  }
  op.d_registers = fragment(unit, ins, 0, op.d, elements_of(op.shape, 'd'), true);
  op.a_registers = fragment(unit, ins, 1, op.a, elements_of(op.shape, 'a'), false);
  op.b_registers = fragment(unit, ins, 2, op.b, elements_of(op.shape, 'b'), false);
  op.c_registers = fragment(unit, ins, 3, op.c, elements_of(op.shape, 'c'), false);
  Ins out;
  out.fn = table_.matrix.multiply;
  out.flow = Flow::kMatrix;
  out.block = static_cast<std::uint32_t>(program_.matrices.size());
  program_.matrices.push_back(std::move(op));
  emit(out);
}

void Decoder::emit_fragment(const Unit& unit, const ptx::Instruction& ins, MatrixOp op) {
  const bool store = ins.op == Op::kWmmaStore;
  op.part = ins.op == Op::kWmmaLoadA ? 'a' : ins.op == Op::kWmmaLoadB ? 'b' : 'c';
  op.d = ins.types[0];
  auto slots = fragment(unit, ins, store ? 1 : 0, op.d, elements_of(op.shape, op.part), !store);
  (store ? op.a_registers : op.d_registers) = std::move(slots);
  constexpr std::uint32_t kMostOfFragment = 512;  // instructions/wmma.cpp
  if (ptx::bits_of(op.d) < 8 || elements_of(op.shape, op.part) * kLanes > kMostOfFragment) {
    refuse(unit, ins, "not in this shape with these types");
  }
  Site site;
  site.op = store ? AccessOp::kStore : AccessOp::kLoad;
  site.element_bytes = static_cast<std::uint8_t>(ptx::bits_of(op.d) / 8);
  site.register_bytes = site.element_bytes;
  const cubin::Fate* const made = fate();
  if (made != nullptr && made->kind == cubin::Fate::Kind::kKept) op.cut = cut_of(op, *made);
  site.unknown = op.cut.kind == Cut::Kind::kSingles &&
                 (made == nullptr || made->kind != cubin::Fate::Kind::kVanished);
  if (op.cut.kind == Cut::Kind::kRows) site.kin = Site::Kin::kMatrix;
  site.elements = op.cut.run;
  Ins out;
  out.fn = store ? table_.matrix.store_fragment : table_.matrix.load_fragment;
  // Without a stride rows, or columns, follow each other.
  const std::uint32_t length =
      op.by_column ? rows_of(op.shape, op.part) : columns_of(op.shape, op.part);
  out.b = ins.operands.size() > 2 ? source(unit, ins.operands[2], 4) : constant(4, length);
  emit_matrix_memory(unit, ins, std::move(op), site, out);
}

}  // namespace lab::model
