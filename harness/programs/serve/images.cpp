#include "harness/programs/serve/images.h"

#include <algorithm>
#include <optional>
#include <span>

namespace lab::program {
namespace {

std::optional<ElementType> element_of(const MakeImage& asked) {
  struct Row {
    ChannelFormat format;
    std::uint32_t bits;
    ElementType type;
  };
  constexpr Row kRows[] = {
      {ChannelFormat::kSigned, 8, ElementType::kI8},
      {ChannelFormat::kSigned, 16, ElementType::kI16},
      {ChannelFormat::kSigned, 32, ElementType::kI32},
      {ChannelFormat::kUnsigned, 8, ElementType::kU8},
      {ChannelFormat::kUnsigned, 16, ElementType::kU16},
      {ChannelFormat::kUnsigned, 32, ElementType::kU32},
      {ChannelFormat::kFloat, 16, ElementType::kF16},
      {ChannelFormat::kFloat, 32, ElementType::kF32},
  };
  for (const Row& row : kRows) {
    if (row.format == asked.format && row.bits == asked.channel_bits) return row.type;
  }
  return std::nullopt;
}

// Nothing that the program says is trusted: all texels lie in the memory that it names.
bool is_whole(const MakeImage& asked, const ProgramMemory& memory) {
  constexpr std::uint32_t kMostTexels = 1U << 28U;
  constexpr std::uint32_t kMostRows = 1U << 17U;
  constexpr std::uint64_t kMostPitch = std::uint64_t{1} << 31U;
  const bool sane = asked.width > 0 && asked.width <= kMostTexels && asked.height <= kMostRows &&
                    asked.planes <= kMostRows && asked.row_bytes <= kMostPitch &&
                    (asked.channels == 1 || asked.channels == 2 || asked.channels == 4);
  const Owned* const owned = memory.find(asked.address);
  if (!sane || owned == nullptr || !element_of(asked)) return false;
  const std::uint64_t row = std::uint64_t{asked.width} * asked.channels * asked.channel_bits / 8;
  const std::uint64_t pitch = asked.row_bytes == 0 ? row : asked.row_bytes;
  const std::uint64_t rows = std::uint64_t{std::max(asked.height, 1U)} * std::max(asked.planes, 1U);
  const std::uint64_t left = owned->base + owned->bytes - asked.address;
  return row <= pitch && asked.bytes <= left && row <= asked.bytes &&
         (rows - 1) <= (asked.bytes - row) / pitch;
}

model::Image::Beyond beyond_of(Beyond beyond) {
  switch (beyond) {
    case Beyond::kWrap:
      return model::Image::Beyond::kWrap;
    case Beyond::kMirror:
      return model::Image::Beyond::kMirror;
    case Beyond::kBorder:
      return model::Image::Beyond::kBorder;
    default:
      return model::Image::Beyond::kClamp;
  }
}

ImageSpec::Kind kind_of(ImageKind kind) {
  return kind == ImageKind::kLinear    ? ImageSpec::Kind::kLinear
         : kind == ImageKind::kSurface ? ImageSpec::Kind::kSurface
                                       : ImageSpec::Kind::kTexture;
}

model::Image image_of(const MakeImage& asked, const std::string& name) {
  model::Image image;
  image.spec.kind = kind_of(asked.kind);
  image.spec.width = asked.width;
  image.spec.height = asked.height;
  image.spec.channels = asked.channels;
  image.type = element_of(asked).value_or(ElementType::kF32);
  image.name = name;
  image.planes = asked.planes;
  image.layered = asked.layered != 0;
  image.row_bytes = asked.row_bytes;
  for (std::size_t axis = 0; axis < image.beyond.size(); ++axis) {
    image.beyond[axis] = beyond_of(asked.beyond[axis]);
  }
  image.linear = asked.linear != 0;
  image.normalised = asked.normalised != 0;
  image.as_fraction = asked.as_fraction != 0;
  return image;
}

}  // namespace

std::uint64_t Images::make(const MakeImage& asked, const ProgramMemory& memory) {
  if (!is_whole(asked, memory)) return 0;
  all_.push_back({asked, memory.find(asked.address)->name});
  return model::image_handle(all_.size());
}

void Images::drop(std::uint64_t handle) {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (model::image_handle(i + 1) == handle) all_[i].dropped = true;
  }
}

bool Images::any() const {
  return std::any_of(all_.begin(), all_.end(), [](const Made& made) { return !made.dropped; });
}

void Images::place_in(model::GlobalMemory& memory, const ProgramMemory& of_program) const {
  for (const Made& made : all_) {
    model::Image image = image_of(made.asked, made.name);
    if (!made.dropped && is_whole(made.asked, of_program)) {
      const Owned& owned = *of_program.find(made.asked.address);
      image.bytes =
          of_program.bytes_of(owned).subspan(made.asked.address - owned.base, made.asked.bytes);
    }
    memory.add_image(std::move(image));
  }
}

}  // namespace lab::program
