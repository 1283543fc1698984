#include "harness/core/buffer.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <new>

#include "harness/core/error.h"
#include "harness/core/parallel.h"
#include "harness/core/text.h"

namespace lab {

namespace {

// The bits of whole number `value` as an element: converted for floats, wrapped for integers.
template <typename T>
T number(std::uint64_t value) {
  return static_cast<T>(value);
}

// Uniform in [0, 1) from the high bits, which are the best mixed: 24 and 53 fit a mantissa.
template <typename T>
T uniform(std::uint64_t bits) {
  return static_cast<T>(bits);
}
template <>
float uniform(std::uint64_t bits) {
  return static_cast<float>(bits >> 40) * 0x1p-24F;
}
template <>
double uniform(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

constexpr std::uint64_t kSplitMixStep = 0x9e3779b97f4a7c15ULL;

std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// Halves as their bits. Numbers up to 2048 are whole in f16, up to 256 in bf16; others are rounded
// to the nearest, ties to even, as the GPU does.
struct Half {
  std::uint16_t bits;
};
struct Bfloat {
  std::uint16_t bits;
};

template <>
Half number(std::uint64_t value) {
  return {f16_bits(static_cast<float>(value))};
}
template <>
Half uniform(std::uint64_t bits) {
  return {f16_bits(static_cast<float>(bits >> 53) * 0x1p-11F)};
}
template <>
Bfloat number(std::uint64_t value) {
  return {bf16_bits(static_cast<float>(value))};
}
template <>
Bfloat uniform(std::uint64_t bits) {
  return {bf16_bits(static_cast<float>(bits >> 56) * 0x1p-8F)};
}
// A bool is 0 or 1 in memory: any other byte is not a bool.
template <>
bool number(std::uint64_t value) {
  return value % 2 != 0;
}
template <>
bool uniform(std::uint64_t bits) {
  return bits >> 63 != 0;
}

template <typename T, typename Value>
void put_each(std::byte* data, std::uint64_t first, std::uint64_t last, const Value& value_at) {
  for (std::uint64_t i = first; i < last; ++i) {
    const T value = value_at(i);
    std::memcpy(data + i * sizeof value, &value, sizeof value);
  }
}

// One round through all places, a power of two. A bijection that mixes the bits of a number gives
// the place of each step, and its inverse the step at which a place is met: so that each element
// depends on its index alone, and the places that were met say nothing of those to come.
class Walk {
 public:
  Walk(std::uint64_t places, std::uint64_t seed)
      : last_(places - 1),
        half_((static_cast<unsigned>(std::bit_width(last_)) + 1) / 2),
        added_(mixed(seed)),
        factors_{mixed(seed + kSplitMixStep) | 1U, mixed(seed + 2 * kSplitMixStep) | 1U} {}
  [[nodiscard]] std::uint64_t after(std::uint64_t place) const {
    return place_of((step_of(place) + 1) & last_);
  }

 private:
  [[nodiscard]] std::uint64_t place_of(std::uint64_t x) const {
    x = (x + added_) & last_;
    for (const std::uint64_t factor : factors_) x = folded(x * factor & last_);
    return x;
  }
  [[nodiscard]] std::uint64_t step_of(std::uint64_t x) const {
    x = folded(x) * inverse_of(factors_[1]) & last_;
    x = folded(x) * inverse_of(factors_[0]) & last_;
    return (x - added_) & last_;
  }
  // Its own inverse: the upper half stays.
  [[nodiscard]] std::uint64_t folded(std::uint64_t x) const { return x ^ x >> half_; }
  // Inverts an odd number modulo 2^64, by Newton's iteration: each round doubles the bits that are
  // right, of which there are three to begin with.
  static std::uint64_t inverse_of(std::uint64_t odd) {
    std::uint64_t inverse = odd;
    for (int round = 0; round < 5; ++round) inverse *= 2 - odd * inverse;
    return inverse;
  }

  std::uint64_t last_;
  unsigned half_;
  std::uint64_t added_;
  std::array<std::uint64_t, 2> factors_;
};

// Elements [first, last) of a buffer that begins at `data`.
template <typename T>
void fill(const Fill& what, std::uint64_t count, std::byte* data, std::uint64_t first,
          std::uint64_t last) {
  if (what.kind == Fill::Kind::kOnes) {
    put_each<T>(data, first, last, [](std::uint64_t) { return number<T>(1); });
  } else if (what.kind == Fill::Kind::kIota) {
    put_each<T>(data, first, last, [](std::uint64_t i) { return number<T>(i); });
  } else if (what.kind == Fill::Kind::kRing) {
    put_each<T>(data, first, last, [count, step = what.seed](std::uint64_t i) {
      return number<T>((i + step) % count);
    });
  } else if (what.kind == Fill::Kind::kWalk) {
    const Walk walk(count / what.step, what.seed);
    put_each<T>(data, first, last, [&walk, step = what.step](std::uint64_t i) {
      return number<T>(walk.after(i / step) * step + i % step);
    });
  } else if (what.kind == Fill::Kind::kRandom) {
    put_each<T>(data, first, last, [seed = what.seed](std::uint64_t i) {
      return uniform<T>(mixed(seed + (i + 1) * kSplitMixStep));
    });
  }
}

struct TypeRow {
  ElementType type;
  std::string_view name;
  std::size_t size;
  void (*fill)(const Fill& what, std::uint64_t count, std::byte* data, std::uint64_t first,
               std::uint64_t last);
};

constexpr std::array<TypeRow, 13> kTypes = {{
    {ElementType::kI8, "i8", 1, fill<std::int8_t>},
    {ElementType::kU8, "u8", 1, fill<std::uint8_t>},
    {ElementType::kI16, "i16", 2, fill<std::int16_t>},
    {ElementType::kU16, "u16", 2, fill<std::uint16_t>},
    {ElementType::kI32, "i32", 4, fill<std::int32_t>},
    {ElementType::kU32, "u32", 4, fill<std::uint32_t>},
    {ElementType::kI64, "i64", 8, fill<std::int64_t>},
    {ElementType::kU64, "u64", 8, fill<std::uint64_t>},
    {ElementType::kF32, "f32", 4, fill<float>},
    {ElementType::kF64, "f64", 8, fill<double>},
    {ElementType::kF16, "f16", 2, fill<Half>},
    {ElementType::kBf16, "bf16", 2, fill<Bfloat>},
    {ElementType::kBool, "bool", 1, fill<bool>},
}};

const TypeRow& row_of(ElementType type) { return kTypes[static_cast<std::size_t>(type)]; }

// Fewer are not worth a thread: some ten milliseconds' work.
constexpr std::uint64_t kElementsPerThread = std::uint64_t{1} << 22;

// Each element depends on its index alone, so that threads share the work as they like.
void fill_all(const BufferSpec& spec, std::byte* data) {
  const auto fill = row_of(spec.type).fill;
  in_parts(spec.count, kElementsPerThread, [&](std::uint64_t begin, std::uint64_t end) {
    fill(spec.fill, spec.count, data, begin, end);
  });
}

constexpr std::byte kPoisonByte{0xa5};

void put_everywhere(std::byte value, std::span<std::byte> into) {
  constexpr std::uint64_t kBytesPerThread = std::uint64_t{4} << 20;
  in_parts(into.size(), kBytesPerThread, [&](std::uint64_t begin, std::uint64_t end) {
    std::memset(into.data() + begin, std::to_integer<int>(value), end - begin);
  });
}

// Room for so much, in large pages where the system has them: kernels that access memory in no
// order wait for the processor to translate their addresses, and one page is one translation.
void reserve(std::vector<std::byte>& memory, std::size_t bytes) {
  constexpr std::size_t kWorthIt = std::size_t{4} << 20U;
  constexpr std::uintptr_t kPage = 4096;
  memory.reserve(bytes);
  if (bytes < kWorthIt) return;
  // Whole pages of it.
  const std::uintptr_t past_page = reinterpret_cast<std::uintptr_t>(memory.data()) % kPage;
  const std::uintptr_t skipped = (kPage - past_page) % kPage;
  // Advice: a system that has none is as good.
  (void)madvise(memory.data() + skipped, (bytes - skipped) / kPage * kPage, MADV_HUGEPAGE);
}

void require_size(const BufferSpec& spec, std::size_t bytes) {
  const std::size_t held = bytes_of(spec);
  if (bytes == held) return;
  throw internal_error(
      fmt::format("buffer '{}' holds {} bytes, its fill {}", spec.name, held, bytes));
}

}  // namespace

static_assert(std::endian::native == std::endian::little);

std::size_t size_of(ElementType type) { return row_of(type).size; }
std::string_view name_of(ElementType type) { return row_of(type).name; }

std::size_t bytes_of(const BufferSpec& spec) {
  constexpr std::size_t kAddresses = std::size_t{1} << 48U;  // of a process, and of a GPU
  if (spec.count <= kAddresses / size_of(spec.type)) return spec.count * size_of(spec.type);
  throw input_error(fmt::format("buffer '{}' has {} elements of {}: more than any memory holds",
                                spec.name, spec.count, name_of(spec.type)));
}

ElementType element_type(std::string_view name) {
  std::vector<std::string> names;
  for (const TypeRow& row : kTypes) {
    if (row.name == name) return row.type;
    names.emplace_back(row.name);
  }
  throw input_error(fmt::format("unknown element type '{}'", name), suggestion(name, names));
}

ScalarSpec scalar_i32(std::int64_t value) {
  return {ElementType::kI32, static_cast<std::uint32_t>(value)};
}
ScalarSpec scalar_u32(std::uint64_t value) {
  return {ElementType::kU32, static_cast<std::uint32_t>(value)};
}
ScalarSpec scalar_i64(std::int64_t value) {
  return {ElementType::kI64, static_cast<std::uint64_t>(value)};
}
ScalarSpec scalar_f32(float value) {
  return {ElementType::kF32, std::bit_cast<std::uint32_t>(value)};
}
ScalarSpec scalar_f64(double value) {
  return {ElementType::kF64, std::bit_cast<std::uint64_t>(value)};
}

std::uint16_t bf16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (value != value) return 0x7fff;
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

std::uint16_t f16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
  const float size = std::bit_cast<float>(bits & 0x7fffffff);
  if (value != value) return 0x7fff;
  if (size >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7c00);
  if (size < 0x1p-14F) {
    // Subnormal: a multiple of 2^-24; adding and taking away 2^-1 rounds to one.
    const float rounded = size + 0.5F;
    const std::uint32_t steps = std::bit_cast<std::uint32_t>(rounded) - 0x3f000000;
    return static_cast<std::uint16_t>(sign | steps);
  }
  const std::uint32_t exact = std::bit_cast<std::uint32_t>(size) - (112U << 23);
  return static_cast<std::uint16_t>(sign | (exact + 0xfff + (exact >> 13 & 1)) >> 13);
}

std::uint64_t split_mix64(std::uint64_t& state) { return mixed(state += kSplitMixStep); }

std::vector<std::byte> initial_bytes(const BufferSpec& spec) {
  if (spec.fill.kind == Fill::Kind::kBytes) {
    require_size(spec, spec.fill.bytes.size());
    return {spec.fill.bytes.begin(), spec.fill.bytes.end()};
  }
  std::vector<std::byte> bytes;
  reserve(bytes, bytes_of(spec));
  bytes.resize(bytes_of(spec));  // zeros
  if (spec.fill.kind != Fill::Kind::kZero) put_initial_bytes(spec, bytes);
  return bytes;
}

void put_initial_bytes(const BufferSpec& spec, std::span<std::byte> into) {
  require_size(spec, into.size());
  switch (spec.fill.kind) {
    case Fill::Kind::kBytes:
      require_size(spec, spec.fill.bytes.size());
      std::copy(spec.fill.bytes.begin(), spec.fill.bytes.end(), into.begin());
      return;
    case Fill::Kind::kPoison:
      return put_everywhere(kPoisonByte, into);
    case Fill::Kind::kZero:
      return put_everywhere(std::byte{0}, into);
    default:
      return fill_all(spec, into.data());
  }
}

void Buffers::add(const std::string& name, std::vector<std::byte> bytes) {
  buffers_[name] = std::move(bytes);
}

void Buffers::add_zeros(const std::string& name, std::size_t bytes) {
  // The system hands out large blocks of zeros page by page, when they are touched.
  auto* const first = static_cast<std::byte*>(std::calloc(std::max<std::size_t>(bytes, 1), 1));
  if (first == nullptr) throw std::bad_alloc();
  zeros_[name] = {std::unique_ptr<std::byte, Free>(first), bytes};
}

void Buffers::resize(const std::string& name, std::size_t bytes) {
  auto& buffer = buffers_[name];
  if (buffer.capacity() < bytes) {
    buffer = {};  // or what it holds would be copied
    reserve(buffer, bytes);
  }
  buffer.resize(bytes);
}

void Buffers::keep(const std::set<std::string>& names) {
  std::erase_if(buffers_, [&names](const auto& buffer) { return !names.contains(buffer.first); });
}

std::span<std::byte> Buffers::raw(std::string_view name) {
  const auto at = buffers_.find(name);
  const auto zeros = zeros_.find(name);
  if (at == buffers_.end() && zeros != zeros_.end()) {
    return {zeros->second.first.get(), zeros->second.size};
  }
  if (at == buffers_.end()) throw internal_error(fmt::format("no buffer '{}'", name));
  return at->second;
}

}  // namespace lab
