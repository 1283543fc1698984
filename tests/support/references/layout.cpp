#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "tests/support/references/references.h"

namespace lab::references {
namespace {

constexpr float kStep = 0.25F;  // of time

template <typename T>
T field(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, &bytes[at], sizeof value);
  return value;
}

double mixed_sum(double d, std::int32_t c, std::int16_t b, std::int8_t a) { return d + c + b + a; }

// The position moves: x += vx * dt in one rounding, as the compiler's fma has it.
void move(float& position, float velocity) { position = std::fmaf(velocity, kStep, position); }

void move_records(const Params&, Buffers& buffers) {
  const auto p = buffers.f32("p");
  for (std::size_t i = 0; i < p.size() / 8; ++i) {
    for (std::size_t f = 0; f < 3; ++f) move(p[8 * i + f], p[8 * i + 3 + f]);
  }
}

void move_arrays(const Params&, Buffers& buffers) {
  for (const char* axis : {"x", "y", "z"}) {
    const auto position = buffers.f32(axis);
    const auto velocity = buffers.f32(std::string("v") + axis);
    for (std::size_t i = 0; i < position.size(); ++i) move(position[i], velocity[i]);
  }
}

void move_vectors(const Params&, Buffers& buffers) {
  const auto position = buffers.f32("position");
  const auto velocity = buffers.f32("velocity");
  for (std::size_t i = 0; i < position.size(); ++i) {
    if (i % 4 != 3) move(position[i], velocity[i]);
  }
}

void to_arrays(const Params&, Buffers& buffers) {
  const auto in = buffers.f32("p");
  std::size_t field = 0;
  for (const char* name : {"x", "y", "z", "w"}) {
    const auto out = buffers.f32(name);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = in[4 * i + field];
    ++field;
  }
}

void first_fields(const Params& p, Buffers& buffers) {
  const auto records = buffers.f32("records");
  const auto out = buffers.f32("out");
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = records[i * count(p, "fields")];
}

void column(const Params&, Buffers& buffers) {
  const auto column = buffers.f32("column");
  std::copy(column.begin(), column.end(), buffers.f32("out").begin());
}

HostReference random_order(bool aos) {
  return [aos](const Params&, Buffers& buffers) {
    const auto out = buffers.f32("out");
    const auto in = buffers.f32(aos ? "p" : "columns");
    const auto n = out.size();
    for (std::size_t i = 0; i < n; ++i) {
      const auto k = i * 249525U & (n - 1);
      float sum = in[aos ? 8 * k : k];
      for (std::size_t f = 1; f < 8; ++f) sum += in[aos ? 8 * k + f : f * n + k];
      out[i] = sum;
    }
  };
}

void plus_two(const Params&, Buffers& buffers) {
  const auto in = buffers.f32("in");
  const auto out = buffers.f32("out");
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = in[i] + 2;
}

// Each array of a split number begins on a line: what fills it is left alone.
HostReference doubled(bool split) {
  return [split](const Params& p, Buffers& buffers) {
    const auto in = buffers.f64("in");
    const auto out = buffers.f64("out");
    const auto used = count(p, "n");
    const auto pitch = (used + 15) / 16 * 16;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!split || i % pitch < used) out[i] = 2 * in[i];
    }
  };
}

void mixed_records(const Params&, Buffers& buffers) {
  const std::span<const std::byte> in = buffers.raw("in");
  const auto out = buffers.f64("out");
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = mixed_sum(field<double>(in, 16 * i + 8), field<std::int32_t>(in, 16 * i + 4),
                       field<std::int16_t>(in, 16 * i + 2), field<std::int8_t>(in, 16 * i));
  }
}

void mixed_arrays(const Params&, Buffers& buffers) {
  const auto a = buffers.as<std::int8_t>("a");
  const auto b = buffers.as<std::int16_t>("b");
  const auto c = buffers.i32("c");
  const auto d = buffers.f64("d");
  const auto out = buffers.f64("out");
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = mixed_sum(d[i], c[i], b[i], a[i]);
}

}  // namespace

OfLab layout() {
  return {
      {"update_aos", move_records},
      {"update_aos_no_l1", move_records},
      {"update_soa", move_arrays},
      {"update_float4", move_vectors},
      {"to_soa", to_arrays},
      {"field_aos", first_fields},
      {"field_soa", column},
      {"random_aos", random_order(true)},
      {"random_soa", random_order(false)},
      {"float3_direct", plus_two},
      {"float3_direct_no_l1", plus_two},
      {"float3_shared", plus_two},
      {"numbers_one", doubled(false)},
      {"numbers_split", doubled(true)},
      {"mixed_aos", mixed_records},
      {"mixed_soa", mixed_arrays},
  };
}

}  // namespace lab::references
