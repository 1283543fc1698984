// tex, suld and sust: reads of texels and between them, and reads and writes of surfaces' bytes
// (PTX ISA, "Texture Instructions", "Surface Instructions"). Coordinates of textures count in
// texels or from 0 to 1, those of surfaces in bytes along x. What such accesses cost is not
// counted.
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

/// An image's dimensions, or an instruction's, for a person.
std::string shape_text(unsigned dimensions, bool layered) {
  constexpr const char* kNames[] = {"", "one dimension", "two dimensions", "three dimensions"};
  return std::string(kNames[dimensions]) + (layered ? " in layers" : "");
}

unsigned dimensions_of(const Image& image) {
  if (image.spec.height == 0) return 1;
  return image.planes == 0 || image.layered ? 2 : 3;
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
  if (op.dimensions != dimensions_of(image) || op.layered != image.layered) {
    return name + " has " + shape_text(dimensions_of(image), image.layered) + " and is used with " +
           shape_text(op.dimensions, op.layered);
  }
  const bool whole = is_whole_number(image.type) && !image.as_fraction;
  if (op.is_texture && whole == (op.type == ptx::Type::kF32)) {
    return name + " has elements of " + std::string(lab::name_of(image.type)) + " and is read as " +
           (whole ? "floating point" : "integers");
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

/// Which texel along one axis, or none where zeros are around the texture (CUDA C++ Programming
/// Guide, "Texture Memory"; the texture goes on in copies of itself where coordinates are from 0
/// to 1 alone).
std::optional<std::uint64_t> texel_at(double at, std::uint32_t count, Image::Beyond beyond) {
  const double last = static_cast<double>(count) - 1;
  if (at >= 0 && at <= last) return static_cast<std::uint64_t>(at);
  const double turns = std::floor(at / count);
  const double within = at - turns * count;
  switch (beyond) {
    case Image::Beyond::kBorder:
      return std::nullopt;
    case Image::Beyond::kWrap:
      return static_cast<std::uint64_t>(std::min(within, last));
    case Image::Beyond::kMirror:
      return static_cast<std::uint64_t>(
          std::clamp(std::fmod(turns, 2) == 0 ? within : last - within, 0.0, last));
    case Image::Beyond::kClamp:
      break;
  }
  return at < 0 ? 0 : static_cast<std::uint64_t>(last);
}

double coordinate_of(const Warp& w, const ImageOp& op, unsigned axis, unsigned lane) {
  if (op.real_coordinates) return static_cast<double>(w.in<float>(op.coordinates[axis])[lane]);
  return static_cast<double>(w.in<std::int32_t>(op.coordinates[axis])[lane]);
}

/// A channel's bits as the instruction returns them: integers extended by their sign or as
/// fractions of the largest, halves widened.
std::uint32_t widened(const std::byte* from, ElementType type, bool as_fraction) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, from, size_of(type));
  const auto fraction = [](double value, double largest) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(std::max(value / largest, -1.0)));
  };
  switch (type) {
    case ElementType::kI8: {
      const auto value = static_cast<std::int8_t>(bits);
      return as_fraction ? fraction(value, 127) : static_cast<std::uint32_t>(value);
    }
    case ElementType::kI16: {
      const auto value = static_cast<std::int16_t>(bits);
      return as_fraction ? fraction(value, 32767) : static_cast<std::uint32_t>(value);
    }
    case ElementType::kU8:
      return as_fraction ? fraction(bits, 255) : bits;
    case ElementType::kU16:
      return as_fraction ? fraction(bits, 65535) : bits;
    case ElementType::kF16:
      return std::bit_cast<std::uint32_t>(semantics::widen_f16(static_cast<std::uint16_t>(bits)));
    default:
      return bits;
  }
}

using Channels = std::array<std::uint32_t, 4>;
using Point = std::array<double, 3>;

std::uint32_t count_along(const Image& image, unsigned axis) {
  return std::max(axis == 0 ? image.spec.width : axis == 1 ? image.spec.height : image.planes, 1U);
}

std::uint64_t row_bytes_of(const Image& image) {
  return image.row_bytes != 0
             ? image.row_bytes
             : std::uint64_t{image.spec.width} * image.spec.channels * size_of(image.type);
}

/// Which of the layers, the nearest that there is.
std::uint64_t layer_of(const Warp& w, const ImageOp& op, const Image& image, unsigned lane) {
  if (!op.layered) return 0;
  const auto layer = static_cast<std::int64_t>(w.in<std::int32_t>(op.layer)[lane]);
  return static_cast<std::uint64_t>(std::clamp<std::int64_t>(layer, 0, image.planes - 1));
}

/// The channels of the texel at a whole point. Those that it lacks are 0, 0 and 1.
Channels texel_of(const ImageOp& op, const Image& image, const Point& point, std::uint64_t layer) {
  const std::uint32_t one = op.type == ptx::Type::kF32 ? std::bit_cast<std::uint32_t>(1.0F) : 1;
  Channels channels{0, 0, 0, one};
  const ImageSpec& spec = image.spec;
  for (std::uint32_t c = 0; c < spec.channels; ++c) channels[c] = 0;
  std::array<std::uint64_t, 3> at{0, 0, layer};
  for (unsigned axis = 0; axis < op.dimensions; ++axis) {
    const auto texel = texel_at(point[axis], count_along(image, axis), image.beyond[axis]);
    if (!texel) return channels;
    at[axis] = *texel;
  }
  const std::uint64_t size = size_of(image.type);
  const std::uint64_t row = at[2] * count_along(image, 1) + at[1];
  const std::byte* from =
      image.bytes.data() + row * row_bytes_of(image) + at[0] * spec.channels * size;
  for (std::uint32_t c = 0; c < spec.channels; ++c) {
    channels[c] = widened(from + c * size, image.type, image.as_fraction);
  }
  return channels;
}

/// Between the texels around a point, which count as half a texel further on. Weights have eight
/// bits behind the point (CUDA C++ Programming Guide, "Linear Filtering").
Channels between_texels(const ImageOp& op, const Image& image, const Point& point,
                        std::uint64_t layer) {
  constexpr double kWeights = 256;
  Point low{};
  Point weight{};
  for (unsigned axis = 0; axis < op.dimensions; ++axis) {
    low[axis] = std::floor(point[axis] - 0.5);
    weight[axis] = std::round((point[axis] - 0.5 - low[axis]) * kWeights) / kWeights;
  }
  std::array<double, 4> sums{};
  for (unsigned corner = 0; corner < 1U << op.dimensions; ++corner) {
    Point at = low;
    double share = 1;
    for (unsigned axis = 0; axis < op.dimensions; ++axis) {
      const bool high = (corner >> axis & 1U) != 0;
      at[axis] += high ? 1 : 0;
      share *= high ? weight[axis] : 1 - weight[axis];
    }
    if (share == 0) continue;
    const Channels texel = texel_of(op, image, at, layer);
    for (std::size_t c = 0; c < sums.size(); ++c) {
      sums[c] += share * static_cast<double>(std::bit_cast<float>(texel[c]));
    }
  }
  Channels channels{};
  for (std::size_t c = 0; c < sums.size(); ++c) {
    channels[c] = std::bit_cast<std::uint32_t>(static_cast<float>(sums[c]));
  }
  return channels;
}

Channels read_at(const Warp& w, const ImageOp& op, const Image& image, unsigned lane) {
  Point point{};
  for (unsigned axis = 0; axis < op.dimensions; ++axis) {
    point[axis] = coordinate_of(w, op, axis, lane);
    if (!std::isfinite(point[axis])) point[axis] = 0;
    if (image.normalised) point[axis] *= count_along(image, axis);
  }
  const std::uint64_t layer = layer_of(w, op, image, lane);
  if (image.linear) return between_texels(op, image, point, layer);
  for (double& one : point) one = std::floor(one);
  return texel_of(op, image, point, layer);
}

const Ins* read_texture(const Ins* ins, Warp& w) noexcept {
  const ImageOp& op = image_op_of(ins, w);
  for (std::uint32_t left = w.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const Image* image = image_of(w, ins, op, lane);
    if (image == nullptr) continue;
    const auto channels = read_at(w, op, *image, lane);
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
  const auto row = static_cast<std::int64_t>(row_bytes_of(image));
  std::array<std::int64_t, 3> at{};
  for (unsigned axis = 0; axis < op.dimensions; ++axis) {
    at[axis] = w.in<std::int32_t>(op.coordinates[axis])[lane];
  }
  if (op.layered) at[2] = w.in<std::int32_t>(op.layer)[lane];
  const std::array<std::int64_t, 3> most{row - size, std::int64_t{count_along(image, 1)} - 1,
                                         std::int64_t{count_along(image, 2)} - 1};
  if (at[0] % size != 0) {
    report_image(w, ins, FindingKind::kMisaligned, lane,
                 "byte " + std::to_string(at[0]) + " of a row of '" + image.name +
                     "' is not a multiple of " + std::to_string(size) +
                     ": x counts in bytes, so multiply it by the size of an element");
    return nullptr;
  }
  bool outside = false;
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    outside = outside || at[axis] < 0 || at[axis] > most[axis];
  }
  if (outside && op.outside == ImageOp::Outside::kTrap) {
    const bool planes = image.planes != 0;
    report_image(w, ins, FindingKind::kOutOfBounds, lane,
                 "out-of-bounds access of " + std::to_string(size) + " bytes at byte " +
                     std::to_string(at[0]) + " of row " + std::to_string(at[1]) +
                     (planes ? " of plane " + std::to_string(at[2]) : "") + " of '" + image.name +
                     "', which has " + std::to_string(most[1] + 1) + " rows of " +
                     std::to_string(row) + " bytes" +
                     (planes ? " in each of " + std::to_string(image.planes) + " planes" : ""));
  }
  if (outside && op.outside != ImageOp::Outside::kClamp) return nullptr;
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    at[axis] = std::clamp<std::int64_t>(at[axis], 0, most[axis]);
  }
  return image.bytes.data() + (at[2] * (most[1] + 1) + at[1]) * row + at[0];
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
