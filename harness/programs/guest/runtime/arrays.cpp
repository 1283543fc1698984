// Arrays, textures and surfaces. An array is memory of the device whose rows follow each other: its
// address is nobody's business, and only its handle is known to the program.
#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "harness/programs/guest/runtime/calls.h"

struct cudaArray {
  void* memory = nullptr;
  cudaChannelFormatDesc format = {};
  cudaExtent extent = {};
  unsigned flags = 0;
};

namespace lab::program {
namespace {

unsigned channels_of(const cudaChannelFormatDesc& format) {
  return format.y == 0 ? 1 : format.z == 0 ? 2 : 4;
}
std::size_t texel_bytes(const cudaChannelFormatDesc& format) {
  return static_cast<std::size_t>(format.x) / 8 * channels_of(format);
}
std::size_t row_bytes(const cudaArray& array) {
  return array.extent.width * texel_bytes(array.format);
}
std::size_t rows_of(const cudaArray& array) {
  return std::max<std::size_t>(array.extent.height, 1) *
         std::max<std::size_t>(array.extent.depth, 1);
}
std::size_t bytes_of(const cudaArray& array) { return row_bytes(array) * rows_of(array); }

std::byte* row_of(const cudaArray& array, std::size_t row) {
  return static_cast<std::byte*>(array.memory) + row * row_bytes(array);
}

bool is_format(const cudaChannelFormatDesc& format) {
  const bool whole =
      format.f == cudaChannelFormatKindSigned || format.f == cudaChannelFormatKindUnsigned;
  const bool real = format.f == cudaChannelFormatKindFloat && format.x != 8;
  return (whole || real) && (format.x == 8 || format.x == 16 || format.x == 32) &&
         (format.y == 0 || format.y == format.x) && (format.z == 0 || format.w == format.x);
}

int make_array(Entry& entry, cudaArray_t* array, const cudaChannelFormatDesc* format,
               cudaExtent extent, unsigned flags) {
  if (array == nullptr || format == nullptr || extent.width == 0) return kInvalidValue;
  if (!is_format(*format)) return cudaErrorInvalidChannelDescriptor;
  if ((flags & cudaArrayCubemap) != 0) return kNotSupported;
  cudaArray made{nullptr, *format, extent, flags};
  const int error = allocate(entry, &made.memory, bytes_of(made), MemoryKind::kDevice);
  if (error == 0) *array = new cudaArray(made);
  return error;
}

// A run of an array's bytes, which goes on in the next row, as rows.
int copy_run(Entry& entry, const cudaArray& array, cudaPos at, std::byte* other, std::size_t bytes,
             enum cudaMemcpyKind kind, bool to_array) {
  std::byte* const inside = row_of(array, at.y) + at.x;
  if (at.x + at.y * row_bytes(array) + bytes > bytes_of(array)) return kInvalidValue;
  return to_array ? copy_rows(entry, {inside, bytes}, {other, bytes}, bytes, 1, kind)
                  : copy_rows(entry, {other, bytes}, {inside, bytes}, bytes, 1, kind);
}

// Rows of an array from `at` on, where `width` bytes of `height` rows are in it.
std::optional<Rows> rows_at(const cudaArray& array, cudaPos at, std::size_t width,
                            std::size_t height) {
  if (at.x + width > row_bytes(array) || at.y + height > rows_of(array)) return std::nullopt;
  return Rows{row_of(array, at.y) + at.x, row_bytes(array)};
}

// Textures and surfaces, by their handles.
struct Object {
  cudaResourceDesc resource = {};
  cudaTextureDesc texture = {};
};
std::map<std::uint64_t, Object>& objects() {
  static auto* all = new std::map<std::uint64_t, Object>;
  return *all;
}

void describe(const cudaChannelFormatDesc& format, MakeImage& image) {
  image.channels = channels_of(format);
  image.channel_bits = static_cast<std::uint32_t>(format.x);
  image.format = static_cast<ChannelFormat>(format.f);
}

// The memory behind an object; false: its kind is not modelled.
bool describe(const cudaResourceDesc& resource, MakeImage& image) {
  switch (resource.resType) {
    case cudaResourceTypeArray: {
      const cudaArray& array = *resource.res.array.array;
      describe(array.format, image);
      image.address = reinterpret_cast<std::uint64_t>(array.memory);
      image.bytes = bytes_of(array);
      image.width = static_cast<std::uint32_t>(array.extent.width);
      image.height = static_cast<std::uint32_t>(array.extent.height);
      image.planes = static_cast<std::uint32_t>(array.extent.depth);
      image.layered = (array.flags & cudaArrayLayered) != 0 ? 1 : 0;
      return true;
    }
    case cudaResourceTypeLinear: {
      const auto& linear = resource.res.linear;
      describe(linear.desc, image);
      image.kind = ImageKind::kLinear;
      image.address = reinterpret_cast<std::uint64_t>(linear.devPtr);
      image.bytes = linear.sizeInBytes;
      image.width = static_cast<std::uint32_t>(linear.sizeInBytes /
                                               std::max<std::size_t>(texel_bytes(linear.desc), 1));
      return true;
    }
    case cudaResourceTypePitch2D: {
      const auto& plane = resource.res.pitch2D;
      describe(plane.desc, image);
      image.address = reinterpret_cast<std::uint64_t>(plane.devPtr);
      image.width = static_cast<std::uint32_t>(plane.width);
      image.height = static_cast<std::uint32_t>(plane.height);
      image.row_bytes = plane.pitchInBytes;
      image.bytes = plane.height == 0 ? 0
                                      : (plane.height - 1) * plane.pitchInBytes +
                                            plane.width * texel_bytes(plane.desc);
      return true;
    }
    default:
      return false;
  }
}

int make_object(Entry& entry, unsigned long long* handle, const MakeImage& image,
                const Object& object) {
  const Answer answer = entry.line().ask(image, entry.site());
  if (answer.error != 0) return answer.error;
  std::uint64_t made = 0;
  if (entry.line().tail().size() != sizeof made) return kInvalidValue;
  std::memcpy(&made, entry.line().tail().data(), sizeof made);
  objects()[made] = object;
  *handle = made;
  return kSuccess;
}

int make_texture(Entry& entry, cudaTextureObject_t* handle, const cudaResourceDesc& resource,
                 const cudaTextureDesc& texture) {
  MakeImage image;
  image.kind = ImageKind::kTexture;
  if (!describe(resource, image)) return kNotSupported;
  const bool whole = image.format != ChannelFormat::kFloat;
  image.as_fraction = whole && texture.readMode == cudaReadModeNormalizedFloat ? 1 : 0;
  image.linear = texture.filterMode == cudaFilterModeLinear ? 1 : 0;
  if (image.linear != 0 && whole && image.as_fraction == 0) return kInvalidValue;
  image.normalised = texture.normalizedCoords != 0 ? 1 : 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto mode = static_cast<Beyond>(texture.addressMode[axis]);
    const bool again = mode == Beyond::kWrap || mode == Beyond::kMirror;
    // Programming Guide, "Texture Memory": they are there for normalised coordinates alone.
    image.beyond[axis] = again && image.normalised == 0 ? Beyond::kClamp : mode;
    if (image.kind == ImageKind::kLinear) image.beyond[axis] = Beyond::kBorder;
  }
  return make_object(entry, handle, image, {resource, texture});
}

// A copy that the host waits for.
template <typename F>
int waited(Entry& entry, F copy) {
  const std::uint64_t work = begin_work(entry, nullptr);
  const int error = copy();
  host_waits(entry, WaitFor::kWork, work);
  return error;
}

int drop(Entry& entry, unsigned long long handle) {
  if (objects().erase(handle) == 0) return kInvalidValue;
  entry.line().note(DropImage{handle}, entry.site());
  return kSuccess;
}

}  // namespace

Rows rows_of(cudaArray_t array, cudaPos at, std::size_t z) {
  const std::size_t height = std::max<std::size_t>(array->extent.height, 1);
  return {row_of(*array, (at.z + z) * height + at.y) + at.x * texel_bytes(array->format),
          row_bytes(*array)};
}
std::size_t texel_bytes_of(cudaArray_t array) { return texel_bytes(array->format); }
bool holds(cudaArray_t array, cudaPos at, cudaExtent extent) {
  return at.x + extent.width <= array->extent.width &&
         at.y + extent.height <= std::max<std::size_t>(array->extent.height, 1) &&
         at.z + extent.depth <= std::max<std::size_t>(array->extent.depth, 1);
}

}  // namespace lab::program

using lab::program::Entry;
using lab::program::Rows;
using lab::program::Site;

extern "C" {

cudaError_t cudaMallocArray(cudaArray_t* array, const struct cudaChannelFormatDesc* format,
                            size_t width, size_t height, unsigned int flags) {
  Entry entry(LAB_SITE);
  return entry.end(lab::program::make_array(entry, array, format, {width, height, 0}, flags));
}
cudaError_t cudaMalloc3DArray(cudaArray_t* array, const struct cudaChannelFormatDesc* format,
                              struct cudaExtent extent, unsigned int flags) {
  Entry entry(LAB_SITE);
  return entry.end(lab::program::make_array(entry, array, format, extent, flags));
}
cudaError_t cudaFreeArray(cudaArray_t array) {
  Entry entry(LAB_SITE);
  if (array == nullptr) return entry.end(lab::program::kSuccess);
  const int error = lab::program::release(entry, array->memory);
  delete array;
  return entry.end(error);
}
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc* format, struct cudaExtent* extent,
                             unsigned int* flags, cudaArray_t array) {
  if (format != nullptr) *format = array->format;
  if (extent != nullptr) *extent = array->extent;
  if (flags != nullptr) *flags = array->flags;
  return cudaSuccess;
}
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc* format, cudaArray_const_t array) {
  *format = array->format;
  return cudaSuccess;
}
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                              enum cudaMemcpyKind kind) {
  Entry entry(LAB_SITE);
  auto* const other = const_cast<std::byte*>(static_cast<const std::byte*>(from));
  return entry.end(lab::program::waited(entry, [&] {
    return lab::program::copy_run(entry, *to, {x, y, 0}, other, bytes, kind, true);
  }));
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                enum cudaMemcpyKind kind) {
  Entry entry(LAB_SITE);
  auto* const other = static_cast<std::byte*>(to);
  return entry.end(lab::program::waited(entry, [&] {
    return lab::program::copy_run(entry, *from, {x, y, 0}, other, bytes, kind, false);
  }));
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from,
                                     size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream) {
  Entry entry(LAB_SITE);
  const auto rows = lab::program::rows_at(*to, {x, y, 0}, width, height);
  if (!rows) return entry.end(lab::program::kInvalidValue);
  return do_or_keep(entry, stream, [=](Site site) {
    Entry later(site);
    return copy_rows(later, *rows, Rows{const_cast<void*>(from), pitch}, width, height, kind);
  });
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x,
                                       size_t y, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream) {
  Entry entry(LAB_SITE);
  const auto rows = lab::program::rows_at(*from, {x, y, 0}, width, height);
  if (!rows) return entry.end(lab::program::kInvalidValue);
  return do_or_keep(entry, stream, [=](Site site) {
    Entry later(site);
    return copy_rows(later, Rows{to, pitch}, *rows, width, height, kind);
  });
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind) {
  Entry entry(LAB_SITE);
  const auto rows = lab::program::rows_at(*to, {x, y, 0}, width, height);
  if (!rows) return entry.end(lab::program::kInvalidValue);
  return entry.end(lab::program::waited(entry, [&] {
    return copy_rows(entry, *rows, Rows{const_cast<void*>(from), pitch}, width, height, kind);
  }));
}
cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind) {
  Entry entry(LAB_SITE);
  const auto rows = lab::program::rows_at(*from, {x, y, 0}, width, height);
  if (!rows) return entry.end(lab::program::kInvalidValue);
  return entry.end(lab::program::waited(entry, [&] {
    return copy_rows(entry, Rows{to, pitch}, *rows, width, height, kind);
  }));
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t x, size_t y, size_t width,
                                     size_t height, enum cudaMemcpyKind kind) {
  Entry entry(LAB_SITE);
  const auto into = lab::program::rows_at(*to, {to_x, to_y, 0}, width, height);
  const auto rows = lab::program::rows_at(*from, {x, y, 0}, width, height);
  if (!rows || !into) return entry.end(lab::program::kInvalidValue);
  return entry.end(lab::program::waited(
      entry, [&] { return copy_rows(entry, *into, *rows, width, height, kind); }));
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object,
                                    const struct cudaResourceDesc* resource,
                                    const struct cudaTextureDesc* texture,
                                    const struct cudaResourceViewDesc* view) {
  Entry entry(LAB_SITE);
  if (object == nullptr || resource == nullptr || texture == nullptr) {
    return entry.end(lab::program::kInvalidValue);
  }
  if (view != nullptr) return entry.end(lab::program::kNotSupported);
  return entry.end(lab::program::make_texture(entry, object, *resource, *texture));
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  Entry entry(LAB_SITE);
  return entry.end(lab::program::drop(entry, object));
}
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc* resource,
                                             cudaTextureObject_t object) {
  Entry entry(LAB_SITE);
  const auto at = lab::program::objects().find(object);
  if (at == lab::program::objects().end()) return entry.end(lab::program::kInvalidValue);
  *resource = at->second.resource;
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc* texture,
                                            cudaTextureObject_t object) {
  Entry entry(LAB_SITE);
  const auto at = lab::program::objects().find(object);
  if (at == lab::program::objects().end()) return entry.end(lab::program::kInvalidValue);
  *texture = at->second.texture;
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object,
                                    const struct cudaResourceDesc* resource) {
  Entry entry(LAB_SITE);
  if (object == nullptr || resource == nullptr || resource->resType != cudaResourceTypeArray) {
    return entry.end(lab::program::kInvalidValue);
  }
  lab::program::MakeImage image;
  image.kind = lab::program::ImageKind::kSurface;
  if (!lab::program::describe(*resource, image)) return entry.end(lab::program::kNotSupported);
  // Nobody follows what is written through it.
  entry.line().note(lab::program::Written{{image.address, image.bytes}, 0, 1}, entry.site());
  return entry.end(lab::program::make_object(entry, object, image, {*resource, {}}));
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  Entry entry(LAB_SITE);
  return entry.end(lab::program::drop(entry, object));
}
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc* resource,
                                             cudaSurfaceObject_t object) {
  return cudaGetTextureObjectResourceDesc(resource, object);
}

}  // extern "C"
