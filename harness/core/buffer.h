// Typed memory that a kernel reads and writes: what is given to it, and what came back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lab {

enum class ElementType : std::uint8_t {
  kI8,
  kU8,
  kI16,
  kU16,
  kI32,
  kU32,
  kI64,
  kU64,
  kF32,
  kF64,
  kF16,
  kBf16,
  kBool
};

[[nodiscard]] std::size_t size_of(ElementType type);
/// i8, u8, ... f64, f16, bf16, bool.
[[nodiscard]] std::string_view name_of(ElementType type);
/// The type called `name`; an input error with the nearest name where there is none.
[[nodiscard]] ElementType element_type(std::string_view name);

enum class Direction : std::uint8_t { kIn, kOut, kInOut };

/// Bytes that copies share until one of them is written to: a file's content goes through many
/// hands and is read alone.
class SharedBytes {
 public:
  SharedBytes() = default;
  SharedBytes(std::vector<std::byte> bytes)  // implicit: it stands for them
      : held_(std::make_shared<std::vector<std::byte>>(std::move(bytes))) {}
  SharedBytes(std::initializer_list<std::byte> bytes)
      : SharedBytes(std::vector<std::byte>(bytes)) {}

  [[nodiscard]] std::size_t size() const { return held_ ? held_->size() : 0; }
  [[nodiscard]] const std::byte* data() const { return held_ ? held_->data() : nullptr; }
  [[nodiscard]] const std::byte* begin() const { return data(); }
  [[nodiscard]] const std::byte* end() const { return data() + size(); }
  [[nodiscard]] const std::byte& operator[](std::size_t at) const { return (*held_)[at]; }

  std::byte& operator[](std::size_t at) { return own()[at]; }
  void resize(std::size_t size) { own().resize(size); }

  friend bool operator==(const SharedBytes& a, const SharedBytes& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::vector<std::byte>& own() {
    if (!held_ || held_.use_count() > 1) {
      held_ = std::make_shared<std::vector<std::byte>>(begin(), end());
    }
    return *held_;
  }

  std::shared_ptr<std::vector<std::byte>> held_;
};

/// The contents of a buffer before the kernel runs.
struct Fill {
  enum class Kind : std::uint8_t {
    kPoison,  ///< bytes 0xA5 and, in the model, "uninitialised": the default of an output
    kZero,
    kOnes,
    kIota,    ///< 0, 1, 2, ... in the element's type, wrapping
    kRandom,  ///< SplitMix64: uniform in [0,1) for floats, full range for integers
    kBytes,   ///< `bytes` as they are
    kRing,    ///< element i holds (i + seed) mod count: followed, a walk in steps of `seed`
    /// Places of `step` elements, a power of two of them: each element leads to that of another
    /// place, through all of them in an order that `seed` decides, and back.
    kWalk,
  };
  Kind kind = Kind::kPoison;
  std::uint64_t seed = 1;
  SharedBytes bytes = {};
  std::uint64_t step = 1;  ///< of kWalk
};

/// An address that is put into memory before the launch: that of a buffer, or behind its beginning.
struct PointerSpec {
  std::uint64_t at = 0;  ///< where it is put, in bytes
  std::string buffer;    ///< where it leads
  std::uint64_t offset = 0;
  friend bool operator==(const PointerSpec&, const PointerSpec&) = default;
};

/// A texture or a surface: what a kernel reaches a buffer's elements through instead of a pointer.
/// Rows follow each other, and the channels of a texel.
struct ImageSpec {
  /// Sent by number: never renumber.
  enum class Kind : std::uint8_t {
    kLinear = 1,   ///< linear memory, which tex1Dfetch reads
    kTexture = 2,  ///< an array for tex1D and tex2D: the nearest texel, coordinates in texels
    kSurface = 3,  ///< an array for surf1Dread, surf2Dwrite, ...
  };
  /// How a texture answers reads beyond its edges. Sent by number: never renumber.
  enum class Outside : std::uint8_t {
    kClamp = 1,   ///< the nearest texel
    kBorder = 2,  ///< zeros
  };
  Kind kind = Kind::kTexture;
  Outside outside = Outside::kClamp;
  std::uint32_t width = 0;     ///< texels
  std::uint32_t height = 0;    ///< 0: one dimension
  std::uint32_t channels = 1;  ///< elements of a texel: 1, 2 or 4
  friend bool operator==(const ImageSpec&, const ImageSpec&) = default;
};

/// A kernel's pointer argument. Alignment of the allocation is 256 bytes.
struct BufferSpec {
  std::string name;
  ElementType type = ElementType::kF32;
  std::uint64_t count = 0;
  Direction direction = Direction::kIn;
  Fill fill = {};
  std::vector<PointerSpec> pointers = {};  ///< put over what `fill` says
  std::optional<ImageSpec> image = {};     ///< the kernel gets its handle, not a pointer
};

/// The bytes of `spec`: count x size_of(type). Throws an input error where no memory has as many.
[[nodiscard]] std::size_t bytes_of(const BufferSpec& spec);

/// A kernel's scalar argument: `bits` holds the value in its low bytes.
struct ScalarSpec {
  ElementType type = ElementType::kI32;
  std::uint64_t bits = 0;
  friend bool operator==(const ScalarSpec&, const ScalarSpec&) = default;
};

/// A kernel's argument that is neither: a struct by value, or a pointer into another's buffer.
struct BytesSpec {
  std::vector<std::byte> bytes;
  std::vector<PointerSpec> pointers = {};
};

/// The value of a module's variable before the launch, from its first byte on.
struct SymbolSpec {
  std::string name;
  BytesSpec value;
};

/// A kernel argument, in the kernel's order.
using ArgSpec = std::variant<BufferSpec, ScalarSpec, BytesSpec>;

[[nodiscard]] ScalarSpec scalar_i32(std::int64_t value);
[[nodiscard]] ScalarSpec scalar_u32(std::uint64_t value);
[[nodiscard]] ScalarSpec scalar_i64(std::int64_t value);
[[nodiscard]] ScalarSpec scalar_f32(float value);
[[nodiscard]] ScalarSpec scalar_f64(double value);

/// The bits of a number as f16 and as bf16, rounded to nearest, ties to even.
[[nodiscard]] std::uint16_t f16_bits(float value);
[[nodiscard]] std::uint16_t bf16_bits(float value);

/// The bytes of `spec` before the kernel runs, bytes_of(spec) of them.
[[nodiscard]] std::vector<std::byte> initial_bytes(const BufferSpec& spec);
/// The same into memory of just that size; an internal error where it has another.
void put_initial_bytes(const BufferSpec& spec, std::span<std::byte> into);

/// The next number of a SplitMix64 sequence (Steele, Lea, Flood: Fast Splittable Pseudorandom
/// Number Generators, OOPSLA 2014).
[[nodiscard]] std::uint64_t split_mix64(std::uint64_t& state);

/// Buffers by name, as host memory. References and checks read and write through it.
class Buffers {
 public:
  void add(const std::string& name, std::vector<std::byte> bytes);
  /// Zeros, of which only what is touched takes room.
  void add_zeros(const std::string& name, std::size_t bytes);
  /// Memory for `bytes` under this name: what there is, if it is enough. Its content is whatever.
  void resize(const std::string& name, std::size_t bytes);
  /// Frees all others.
  void keep(const std::set<std::string>& names);
  /// All elements as T; an internal error where the name is unknown or the size does not divide.
  template <typename T>
  [[nodiscard]] std::span<T> as(std::string_view name) {
    auto bytes = raw(name);
    // vector<byte> storage comes from operator new, aligned for every T used here.
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  [[nodiscard]] std::span<float> f32(std::string_view name) { return as<float>(name); }
  [[nodiscard]] std::span<double> f64(std::string_view name) { return as<double>(name); }
  [[nodiscard]] std::span<std::int32_t> i32(std::string_view name) {
    return as<std::int32_t>(name);
  }
  [[nodiscard]] std::span<std::uint32_t> u32(std::string_view name) {
    return as<std::uint32_t>(name);
  }
  [[nodiscard]] std::span<std::byte> raw(std::string_view name);

 private:
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  struct Zeros {
    std::unique_ptr<std::byte, Free> first;
    std::size_t size = 0;
  };

  std::map<std::string, std::vector<std::byte>, std::less<>> buffers_;
  std::map<std::string, Zeros, std::less<>> zeros_;
};

}  // namespace lab
