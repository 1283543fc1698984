#include "harness/core/buffer.h"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab {

namespace {

struct TypeRow {
  ElementType type;
  std::string_view name;
  std::size_t size;
};

constexpr std::array<TypeRow, 10> kTypes = {{
    {ElementType::kI8, "i8", 1},
    {ElementType::kU8, "u8", 1},
    {ElementType::kI16, "i16", 2},
    {ElementType::kU16, "u16", 2},
    {ElementType::kI32, "i32", 4},
    {ElementType::kU32, "u32", 4},
    {ElementType::kI64, "i64", 8},
    {ElementType::kU64, "u64", 8},
    {ElementType::kF32, "f32", 4},
    {ElementType::kF64, "f64", 8},
}};

const TypeRow& row_of(ElementType type) { return kTypes[static_cast<std::size_t>(type)]; }

template <typename T>
void put(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

// The bits of whole number `value` as an element: converted for floats, wrapped for integers.
void put_number(ElementType type, std::byte* at, std::uint64_t value) {
  if (type == ElementType::kF32) return put(at, static_cast<float>(value));
  if (type == ElementType::kF64) return put(at, static_cast<double>(value));
  std::memcpy(at, &value, size_of(type));  // the low bytes: x86-64 is little-endian
}

// Uniform in [0, 1) from the high bits, which are the best mixed: 24 and 53 fit a mantissa.
void put_random(ElementType type, std::byte* at, std::uint64_t bits) {
  if (type == ElementType::kF32) return put(at, static_cast<float>(bits >> 40) * 0x1p-24F);
  if (type == ElementType::kF64) return put(at, static_cast<double>(bits >> 11) * 0x1p-53);
  std::memcpy(at, &bits, size_of(type));
}

constexpr std::byte kPoisonByte{0xa5};

}  // namespace

static_assert(std::endian::native == std::endian::little);

std::size_t size_of(ElementType type) { return row_of(type).size; }
std::string_view name_of(ElementType type) { return row_of(type).name; }

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

std::uint64_t split_mix64(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::vector<std::byte> initial_bytes(const BufferSpec& spec) {
  const std::size_t size = size_of(spec.type);
  if (spec.fill.kind == Fill::Kind::kBytes) {
    if (spec.fill.bytes.size() != spec.count * size) {
      throw internal_error(fmt::format("buffer '{}' holds {} bytes, its fill {}", spec.name,
                                       spec.count * size, spec.fill.bytes.size()));
    }
    return spec.fill.bytes;
  }
  const bool poison = spec.fill.kind == Fill::Kind::kPoison;
  std::vector<std::byte> bytes(spec.count * size, poison ? kPoisonByte : std::byte{0});
  std::uint64_t state = spec.fill.seed;
  for (std::uint64_t i = 0; i < spec.count; ++i) {
    std::byte* at = bytes.data() + i * size;
    if (spec.fill.kind == Fill::Kind::kOnes) put_number(spec.type, at, 1);
    if (spec.fill.kind == Fill::Kind::kIota) put_number(spec.type, at, i);
    if (spec.fill.kind == Fill::Kind::kRandom) put_random(spec.type, at, split_mix64(state));
  }
  return bytes;
}

void Buffers::add(const std::string& name, std::vector<std::byte> bytes) {
  buffers_[name] = std::move(bytes);
}

std::span<std::byte> Buffers::raw(std::string_view name) {
  const auto at = buffers_.find(name);
  if (at == buffers_.end()) throw internal_error(fmt::format("no buffer '{}'", name));
  return at->second;
}

}  // namespace lab
