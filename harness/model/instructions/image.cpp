// tex, suld and sust: reads of single texels, and reads and writes of surfaces' bytes (PTX ISA,
// "Texture Instructions", "Surface Instructions"). Coordinates of textures count in texels, those
// of surfaces in bytes along x. What such accesses cost is not counted.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "harness/model/execute/block.h"
#include "harness/model/instructions/handlers.h"
#include "harness/model/memory/memory.h"
#include "harness/model/semantics/format.h"

namespace lab::model {
namespace {

using Kind = ImageSpec::Kind;

const ImageOp& image_op_of(const Ins* ins, const Warp& w) {
  return w.block->launch->program->images[ins->block];
}

void report_image(const Warp& w, const Ins* ins, FindingKind kind, unsigned lane,
                  const std::string& what) {
  w.block->fault(w, kind, ins, lane, what);
}

bool is_whole_number(ElementType type) {
  return type != ElementType::kF16 && type != ElementType::kF32;
}

/// Why a kernel can't do this with the image; empty: it can.
std::string misuse(const ImageOp& op, const Image& image) {
  const std::string name = "'" + image.name + "'";
  const bool surface = image.spec.kind == Kind::kSurface;
  const bool fetches = op.is_texture && !op.real_coordinates;
  if (op.is_texture == surface) {
    return name + " is a " + (surface ? "surface" : "texture") + " and used as a " +
           (surface ? "texture" : "surface");
  }
  if (op.is_texture && fetches != (image.spec.kind == Kind::kLinear)) {
    return name + (fetches ? " is read by tex1Dfetch, which reads linear memory alone"
                           : " is linear memory, which tex1Dfetch alone reads");
  }
  if (op.dimensions != (image.spec.height == 0 ? 1 : 2)) {
    return name + " has " + (image.spec.height == 0 ? "one dimension" : "two dimensions") +
           " and is used with " + (op.dimensions == 1 ? "one" : "two");
  }
  if (op.is_texture && is_whole_number(image.type) == (op.type == ptx::Type::kF32)) {
    return name + " has elements of " + std::string(lab::name_of(image.type)) + " and is read as " +
           (is_whole_number(image.type) ? "floating point" : "integers");
  }
  return {};
}

const Image* image_of(const Warp& w, const Ins* ins, const ImageOp& op, unsigned lane) {
  const std::uint64_t handle = w.in<std::uint64_t>(ins->a)[lane];
  const Image* image = w.block->launch->memory->find_image(handle);
  if (image == nullptr) {
    report_image(w, ins, FindingKind::kInvalidImage, lane,
                 "the object is neither a texture nor a surface: pass an argument such as "
                 "tex2d:f32[64x48]=iota or surf2d:f32[64x48]=zero");
    return nullptr;
  }
  const std::string wrong = misuse(op, *image);
  if (wrong.empty()) return image;
  report_image(w, ins, FindingKind::kInvalidImage, lane, wrong);
  return nullptr;
}

/// Which texel along one axis: clamped, or none where the texture has a border of zeros.
std::optional<std::uint64_t> texel_at(double coordinate, std::uint32_t count,
                                      ImageSpec::Outside outside) {
  const double at = std::isnan(coordinate) ? 0 : std::floor(coordinate);
  const double last = static_cast<double>(count) - 1;
  if (outside == ImageSpec::Outside::kBorder && (at < 0 || at > last)) return std::nullopt;
  return static_cast<std::uint64_t>(std::clamp(at, 0.0, last));
}

double coordinate_of(const Warp& w, const ImageOp& op, unsigned axis, unsigned lane) {
  if (op.real_coordinates) return static_cast<double>(w.in<float>(op.coordinates[axis])[lane]);
  return static_cast<double>(w.in<std::int32_t>(op.coordinates[axis])[lane]);
}

/// A channel's bits as the instruction returns them: integers extended by their sign, halves
/// widened.
std::uint32_t widened(const std::byte* from, ElementType type) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, from, size_of(type));
  switch (type) {
    case ElementType::kI8:
      return static_cast<std::uint32_t>(static_cast<std::int8_t>(bits));
    case ElementType::kI16:
      return static_cast<std::uint32_t>(static_cast<std::int16_t>(bits));
    case ElementType::kF16:
      return std::bit_cast<std::uint32_t>(semantics::widen_f16(static_cast<std::uint16_t>(bits)));
    default:
      return bits;
  }
}

/// The four channels of a texel. Those that it lacks are 0, 0 and 1.
std::array<std::uint32_t, 4> texel_of(const Warp& w, const ImageOp& op, const Image& image,
                                      unsigned lane) {
  const std::uint32_t one = op.type == ptx::Type::kF32 ? std::bit_cast<std::uint32_t>(1.0F) : 1;
  std::array<std::uint32_t, 4> channels{0, 0, 0, one};
  for (std::uint32_t c = 0; c < image.spec.channels; ++c) channels[c] = 0;
  const ImageSpec& spec = image.spec;
  const auto x = texel_at(coordinate_of(w, op, 0, lane), spec.width, spec.outside);
  std::optional<std::uint64_t> y = 0;
  if (op.dimensions == 2) y = texel_at(coordinate_of(w, op, 1, lane), spec.height, spec.outside);
  if (!x || !y) return channels;
  const std::uint64_t size = size_of(image.type);
  const std::byte* at = image.bytes.data() + (*y * spec.width + *x) * spec.channels * size;
  for (std::uint32_t c = 0; c < spec.channels; ++c)
    channels[c] = widened(at + c * size, image.type);
  return channels;
}

const Ins* read_texture(const Ins* ins, Warp& w) noexcept {
  const ImageOp& op = image_op_of(ins, w);
  for (std::uint32_t left = w.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const Image* image = image_of(w, ins, op, lane);
    if (image == nullptr) continue;
    const auto channels = texel_of(w, op, *image, lane);
    for (std::size_t c = 0; c < channels.size(); ++c) {
      w.out<std::uint32_t>(op.registers[c])[lane] = channels[c];
    }
  }
  return ins + 1;
}

/// Where a surface's bytes are; null where they are outside.
std::byte* surface_bytes(const Warp& w, const Ins* ins, const ImageOp& op, const Image& image,
                         unsigned lane) {
  const std::int64_t size = std::int64_t{op.element_bytes} * op.elements;
  const std::int64_t row = static_cast<std::int64_t>(image.spec.width) * image.spec.channels *
                           static_cast<std::int64_t>(size_of(image.type));
  const std::int64_t rows = std::max<std::int64_t>(image.spec.height, 1);
  std::int64_t x = w.in<std::int32_t>(op.coordinates[0])[lane];
  std::int64_t y = op.dimensions == 2 ? w.in<std::int32_t>(op.coordinates[1])[lane] : 0;
  if (x % size != 0) {
    report_image(w, ins, FindingKind::kMisaligned, lane,
                 "byte " + std::to_string(x) + " of a row of '" + image.name +
                     "' is not a multiple of " + std::to_string(size) +
                     ": x counts in bytes, so multiply it by the size of an element");
    return nullptr;
  }
  const bool outside = x < 0 || x > row - size || y < 0 || y >= rows;
  if (outside && op.outside == ImageOp::Outside::kTrap) {
    report_image(w, ins, FindingKind::kOutOfBounds, lane,
                 "out-of-bounds access of " + std::to_string(size) + " bytes at byte " +
                     std::to_string(x) + " of row " + std::to_string(y) + " of '" + image.name +
                     "', which has " + std::to_string(rows) + " rows of " + std::to_string(row) +
                     " bytes");
  }
  if (outside && op.outside != ImageOp::Outside::kClamp) return nullptr;
  x = std::clamp<std::int64_t>(x, 0, row - size);
  y = std::clamp<std::int64_t>(y, 0, rows - 1);
  return image.bytes.data() + y * row + x;
}

template <bool kStore>
const Ins* move_surface(const Ins* ins, Warp& w) noexcept {
  const ImageOp& op = image_op_of(ins, w);
  for (std::uint32_t left = w.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const Image* image = image_of(w, ins, op, lane);
    std::byte* at = image == nullptr ? nullptr : surface_bytes(w, ins, op, *image, lane);
    for (unsigned e = 0; e < op.elements; ++e) {
      std::byte* reg = w.at(op.registers[e]) + std::size_t{lane} * op.register_bytes;
      if constexpr (kStore) {
        if (at != nullptr) std::memcpy(at + e * op.element_bytes, reg, op.element_bytes);
      } else {
        std::uint64_t bits = 0;  // outside
        if (at != nullptr) std::memcpy(&bits, at + e * op.element_bytes, op.element_bytes);
        std::memcpy(reg, &bits, op.register_bytes);
      }
    }
  }
  return ins + 1;
}

}  // namespace

ImageHandlers image_handlers() {
  return {&read_texture, &move_surface<false>, &move_surface<true>};
}

}  // namespace lab::model
