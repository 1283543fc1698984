#include "harness/gpu/driver/image.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>

#include "harness/core/error.h"

namespace lab::gpu {
namespace {

using Kind = ImageSpec::Kind;

// Types of whole numbers are read as such, others as floats.
struct FormatRow {
  ElementType type;
  CUarray_format format;
  bool is_whole_number;
};
constexpr FormatRow kFormats[] = {
    {ElementType::kI8, CU_AD_FORMAT_SIGNED_INT8, true},
    {ElementType::kU8, CU_AD_FORMAT_UNSIGNED_INT8, true},
    {ElementType::kI16, CU_AD_FORMAT_SIGNED_INT16, true},
    {ElementType::kU16, CU_AD_FORMAT_UNSIGNED_INT16, true},
    {ElementType::kI32, CU_AD_FORMAT_SIGNED_INT32, true},
    {ElementType::kU32, CU_AD_FORMAT_UNSIGNED_INT32, true},
    {ElementType::kF16, CU_AD_FORMAT_HALF, false},
    {ElementType::kF32, CU_AD_FORMAT_FLOAT, false},
};

const FormatRow& format_of(ElementType type) {
  const auto* row = std::find_if(std::begin(kFormats), std::end(kFormats),
                                 [type](const FormatRow& one) { return one.type == type; });
  if (row != std::end(kFormats)) return *row;
  throw internal_error(fmt::format("no array has elements of {}", lab::name_of(type)));
}

// Single texels, with coordinates that count them; integers as they are.
CUDA_TEXTURE_DESC reading_of(const BufferSpec& spec) {
  CUDA_TEXTURE_DESC reading{};
  const CUaddress_mode outside = spec.image->outside == ImageSpec::Outside::kBorder
                                     ? CU_TR_ADDRESS_MODE_BORDER
                                     : CU_TR_ADDRESS_MODE_CLAMP;
  std::fill(std::begin(reading.addressMode), std::end(reading.addressMode), outside);
  reading.filterMode = CU_TR_FILTER_MODE_POINT;
  reading.flags = format_of(spec.type).is_whole_number ? CU_TRSF_READ_AS_INTEGER : 0;
  return reading;
}

}  // namespace

Image::Image(const Context& context, const BufferSpec& spec, const Memory& memory)
    : driver_(context.driver()),
      stream_(context.stream()),
      address_(memory.address()),
      row_bytes_(std::size_t{spec.image->width} * spec.image->channels * size_of(spec.type)),
      rows_(std::max<std::size_t>(spec.image->height, 1)) {
  if (spec.image->kind != Kind::kLinear) make_array(spec);
  make_object(spec);
}

void Image::make_array(const BufferSpec& spec) {
  CUDA_ARRAY3D_DESCRIPTOR made{};
  made.Width = spec.image->width;
  made.Height = spec.image->height;
  made.Format = format_of(spec.type).format;
  made.NumChannels = spec.image->channels;
  made.Flags = spec.image->kind == Kind::kSurface ? CUDA_ARRAY3D_SURFACE_LDST : 0;
  CUarray array = nullptr;
  driver_->check(driver_->api().Array3DCreate(&array, &made), "cuArray3DCreate", spec.name);
  array_ = {array, [driver = driver_](CUarray old) {
              const CUresult code = driver->api().ArrayDestroy(old);
              if (code != CUDA_SUCCESS) spdlog::debug("cuArrayDestroy: {}", driver->name_of(code));
            }};
}

void Image::make_object(const BufferSpec& spec) {
  CUDA_RESOURCE_DESC from{};
  if (array_) {
    from.resType = CU_RESOURCE_TYPE_ARRAY;
    from.res.array.hArray = array_.get();
  } else {
    from.resType = CU_RESOURCE_TYPE_LINEAR;
    from.res.linear.devPtr = address_;
    from.res.linear.format = format_of(spec.type).format;
    from.res.linear.numChannels = spec.image->channels;
    from.res.linear.sizeInBytes = row_bytes_;
  }
  CUtexObject object = 0;  // a surface's has the same type
  const bool surface = spec.image->kind == Kind::kSurface;
  if (surface) {
    driver_->check(driver_->api().SurfObjectCreate(&object, &from), "cuSurfObjectCreate",
                   spec.name);
  } else {
    const CUDA_TEXTURE_DESC reading = reading_of(spec);
    driver_->check(driver_->api().TexObjectCreate(&object, &from, &reading, nullptr),
                   "cuTexObjectCreate", spec.name);
  }
  object_ = {object, [driver = driver_, surface](std::uint64_t old) {
               const DriverApi& api = driver->api();
               const CUresult code =
                   surface ? api.SurfObjectDestroy(old) : api.TexObjectDestroy(old);
               if (code != CUDA_SUCCESS) spdlog::debug("an image: {}", driver->name_of(code));
             }};
}

CUDA_MEMCPY2D Image::shape() const {
  CUDA_MEMCPY2D copy{};
  copy.srcPitch = copy.dstPitch = row_bytes_;
  copy.WidthInBytes = row_bytes_;
  copy.Height = rows_;
  return copy;
}

void Image::fill() const {
  if (!array_) return;
  CUDA_MEMCPY2D copy = shape();
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = address_;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array_.get();
  driver_->check(driver_->api().Memcpy2DAsync(&copy, stream_), "cuMemcpy2DAsync");
}

void Image::read() const {
  if (!array_) return;
  CUDA_MEMCPY2D copy = shape();
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = array_.get();
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = address_;
  driver_->check(driver_->api().Memcpy2DAsync(&copy, stream_), "cuMemcpy2DAsync");
}

}  // namespace lab::gpu
