// tex, suld and sust: which image, which coordinates, which registers.
#include "harness/model/decode/decoder.h"

namespace lab::model {

using ptx::Op;

namespace {

ImageOp::Outside outside_of(ptx::Sub sub) {
  switch (sub) {
    case ptx::Sub::kClamp:
      return ImageOp::Outside::kClamp;
    case ptx::Sub::kZero:
      return ImageOp::Outside::kZero;
    default:
      return ImageOp::Outside::kTrap;
  }
}

void read_shape(ptx::ImageShape shape, ImageOp& op) {
  using ptx::ImageShape;
  op.layered = shape == ImageShape::kLayers1d || shape == ImageShape::kLayers2d;
  op.dimensions = shape == ImageShape::k3d                                     ? 3
                  : shape == ImageShape::k2d || shape == ImageShape::kLayers2d ? 2
                                                                               : 1;
}

}  // namespace

void Decoder::emit_image(const Unit& unit, const ptx::Instruction& ins) {
  const bool store = ins.op == Op::kSust;
  const ptx::Operand& where = ins.operands.at(store ? 0 : 1);
  const ptx::Operand& data = ins.operands.at(store ? 1 : 0);
  if (where.reg == ptx::kNoIndex || register_width(unit, where.reg) != 8 || where.offset != 0) {
    refuse(unit, ins, "it names a texture or surface reference",
           "pass a cudaTextureObject_t or cudaSurfaceObject_t to the kernel");
  }
  ImageOp op;
  op.is_texture = ins.op == Op::kTex;
  op.real_coordinates = op.is_texture && ins.from == ptx::Type::kF32;
  read_shape(ins.image, op);
  op.type = ins.type;
  op.outside = outside_of(ins.sub);
  if (where.parts.size() != ptx::coordinates_of(ins.image)) {
    refuse(unit, ins, "it has another number of coordinates than dimensions");
  }
  const std::size_t first = op.layered ? 1 : 0;
  if (op.layered) op.layer = source(unit, where.parts[0], 4);
  for (std::size_t i = 0; i < op.dimensions; ++i) {
    op.coordinates[i] = source(unit, where.parts[first + i], 4);
  }
  const auto& parts =
      data.kind == OperandKind::kVector ? data.parts : std::vector<ptx::Operand>{data};
  op.element_bytes = static_cast<std::uint8_t>(ptx::bits_of(ins.type) / 8);
  op.elements = static_cast<std::uint8_t>(parts.size());
  op.register_bytes = static_cast<std::uint8_t>(data_width(unit, parts, op.element_bytes));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    op.registers[i] = store ? source(unit, parts[i], op.register_bytes)
                            : destination(unit, parts[i], op.register_bytes);
  }
  Ins out;
  const ImageHandlers& handlers = table_.image;
  out.fn = store ? handlers.store : op.is_texture ? handlers.texture : handlers.load;
  out.flow = Flow::kImage;
  out.a = unit.slots[where.reg];
  out.block = static_cast<std::uint32_t>(program_.images.size());
  program_.images.push_back(op);
  emit(out);
}

}  // namespace lab::model
