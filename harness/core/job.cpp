#include "harness/core/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <type_traits>

#include "harness/core/chip.h"
#include "harness/core/error.h"
#include "harness/core/parallel.h"
#include "harness/core/text.h"

namespace lab {

const Variant& find_variant(const Lab& lab, std::string_view name) {
  std::vector<std::string> names;
  for (const Variant& variant : lab.variants) {
    if (variant.name == name) return variant;
    names.push_back(variant.name);
  }
  throw input_error(fmt::format("lab {} has no variant '{}'", lab.number, name),
                    suggestion(name, names));
}

std::vector<Params> default_points(const Variant& variant, bool for_gpu, bool all) {
  const auto& points = for_gpu && !variant.gpu_points.empty() ? variant.gpu_points : variant.points;
  std::vector<Params> telling;
  for (const Params& point : variant.telling) {
    if (std::find(points.begin(), points.end(), point) != points.end()) telling.push_back(point);
  }
  return all || telling.empty() ? points : telling;
}

FormulaNames formula_names(const Variant& variant, const Params& params, const Launch& launch,
                           std::string_view arch) {
  auto names = formula_names(params, launch);
  names["fetch"] = dram_fetch_bytes(arch.empty() ? kDefaultArch : arch);
  if (variant.counts) names.merge(variant.counts(params));
  return names;
}

const ParamSpec& find_param(const Lab& lab, std::string_view name) {
  std::vector<std::string> names;
  for (const ParamSpec& spec : lab.params) {
    if (spec.name == name) return spec;
    names.push_back(spec.name);
  }
  throw input_error(fmt::format("lab {} has no parameter '{}'", lab.number, name),
                    suggestion(name, names));
}

const ParamSpec* addresses_param(const Lab& lab) {
  for (const ParamSpec& spec : lab.params) {
    if (spec.accepts) return &spec;
  }
  return nullptr;
}

namespace {

// Buffers are known by their names from here on: two of one name would be one.
// Every pointer leads to a buffer of the job, and lies within the buffer that holds it.
void require_targets(const Job& job) {
  std::set<std::string> names;
  const auto check = [&](const std::vector<PointerSpec>& pointers) {
    for (const PointerSpec& pointer : pointers) {
      if (names.contains(pointer.buffer)) continue;
      throw internal_error(fmt::format("a pointer leads to no buffer: '{}'", pointer.buffer));
    }
  };
  for (const BufferSpec& buffer : job.buffers) names.insert(buffer.name);
  for (const ArgSpec& arg : job.args) {
    if (const auto* buffer = std::get_if<BufferSpec>(&arg)) names.insert(buffer->name);
  }
  for (const BufferSpec& buffer : job.buffers) check(buffer.pointers);
  for (const ArgSpec& arg : job.args) {
    if (const auto* buffer = std::get_if<BufferSpec>(&arg)) check(buffer->pointers);
    if (const auto* bytes = std::get_if<BytesSpec>(&arg)) check(bytes->pointers);
  }
  for (const SymbolSpec& symbol : job.symbols) check(symbol.value.pointers);
}

void require_distinct_names(const std::vector<ArgSpec>& args) {
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const auto* buffer = std::get_if<BufferSpec>(&args[i]);
    if (buffer == nullptr) continue;
    const auto [at, fresh] = first.emplace(buffer->name, i);
    if (fresh) continue;
    throw input_error(
        fmt::format("arguments {} and {} are both buffers named '{}'", at->second, i, buffer->name),
        "give each buffer a name of its own");
  }
}

}  // namespace

Job make_job(const Lab* lab, const CaseRequest& request, std::uint64_t seed) {
  if (request.probe) {
    const ProbeSpec& probe = *request.probe;
    require_distinct_names(probe.args);
    Job job{probe.kernel, {}, probe.launch, probe.args, nullptr, {}, probe.buffers, probe.symbols};
    require_targets(job);
    return job;
  }
  if (lab == nullptr) throw internal_error("a case that is neither a lab's nor a probe");
  const Variant& variant = find_variant(*lab, request.variant);
  Job job{variant.kernel(request.params),
          variant.options,
          variant.launch(request.params),
          variant.args(request.params),
          &variant,
          request.params,
          {},
          {}};
  require_distinct_names(job.args);
  // One seed for the whole case; buffers differ from each other by their position.
  std::uint64_t salt = 0;
  for (ArgSpec& arg : job.args) {
    auto* buffer = std::get_if<BufferSpec>(&arg);
    if (buffer != nullptr && buffer->fill.kind == Fill::Kind::kRandom) {
      buffer->fill.seed += (seed - 1) * 0x10001ULL + salt++;
    }
  }
  return job;
}

Buffers initial_buffers(const Job& job) {
  Buffers buffers;
  for (const ArgSpec& arg : job.args) {
    if (const auto* spec = std::get_if<BufferSpec>(&arg)) {
      buffers.add(spec->name, initial_bytes(*spec));
    }
  }
  for (const BufferSpec& spec : job.buffers) buffers.add(spec.name, initial_bytes(spec));
  return buffers;
}

std::string content_key(const BufferSpec& spec) {
  std::string key = fmt::format("{} {} {} {}", name_of(spec.type), spec.count,
                                static_cast<int>(spec.fill.kind), spec.fill.seed);
  if (spec.fill.kind != Fill::Kind::kBytes) return key;
  const auto* text = reinterpret_cast<const char*>(spec.fill.bytes.data());
  return key + " " + sha256_hex({text, spec.fill.bytes.size()});
}

namespace {

using Skipped = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

bool is_skipped(const Skipped& skipped, std::uint64_t i) {
  return std::any_of(skipped.begin(), skipped.end(), [i](const auto& range) {
    return i >= range.first && i - range.first < range.second;
  });
}

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

template <typename T>
bool equal(T got, T want, const Tolerance& tolerance) {
  if constexpr (std::is_floating_point_v<T>) {
    if (tolerance.absolute == 0 && tolerance.relative == 0) {
      return bits(got) == bits(want);
    }
    if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
    // Infinities differ from themselves by NaN.
    if (got == want) return true;
    const double difference = std::fabs(static_cast<double>(got) - static_cast<double>(want));
    return difference <=
           tolerance.absolute + tolerance.relative * std::fabs(static_cast<double>(want));
  } else {
    return got == want;
  }
}

// As outputs are before the launch. An element of one byte may have that value by right.
template <typename T>
bool is_poison(T value) {
  BufferSpec spec;
  spec.count = sizeof value;
  spec.type = ElementType::kI8;
  spec.fill.kind = Fill::Kind::kPoison;
  const std::vector<std::byte> poison = initial_bytes(spec);
  return sizeof value > 1 && std::memcmp(&value, poison.data(), sizeof value) == 0;
}

// `out[5]: got 3, expected 4 (17 of 32 differ)`, or nothing where all agree.
template <typename T>
std::string difference(const std::string& name, std::span<const T> got, std::span<const T> want,
                       const Tolerance& tolerance, const Skipped& skipped) {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < want.size(); ++i) {
    if (equal(got[i], want[i], tolerance) || is_skipped(skipped, i)) continue;
    if (count++ == 0) first = i;
  }
  if (count == 0) return {};
  if (is_poison(got[first])) {
    return fmt::format("{}[{}]: not written, expected {} ({} of {} differ)", name, first,
                       +want[first], count, want.size());
  }
  // `+`: a char element is a number.
  return fmt::format("{}[{}]: got {}, expected {} ({} of {} differ)", name, first, +got[first],
                     +want[first], count, want.size());
}

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  constexpr std::uint64_t kBytesPerThread = std::uint64_t{4} << 20;
  if (a.size() != b.size()) return false;
  std::atomic<bool> same = true;
  in_parts(a.size(), kBytesPerThread, [&](std::uint64_t begin, std::uint64_t end) {
    if (std::memcmp(a.data() + begin, b.data() + begin, end - begin) != 0) same = false;
  });
  return same;
}

template <typename T>
std::string compare(const BufferSpec& spec, Buffers& got, Buffers& want, const Tolerance& tolerance,
                    const Skipped& skipped) {
  // Bits that are all the same need no look at each element.
  const auto a = got.raw(spec.name);
  const auto b = want.raw(spec.name);
  const bool fetched = spec.direction != Direction::kIn || !a.empty();
  if (!fetched || same_bytes(a, b)) return {};
  return difference<T>(spec.name, got.as<T>(spec.name), want.as<T>(spec.name), tolerance, skipped);
}

using Compare = std::string (*)(const BufferSpec&, Buffers&, Buffers&, const Tolerance&,
                                const Skipped&);
// In the order of ElementType.
constexpr Compare kCompare[] = {
    compare<std::int8_t>,  compare<std::uint8_t>,  compare<std::int16_t>, compare<std::uint16_t>,
    compare<std::int32_t>, compare<std::uint32_t>, compare<std::int64_t>, compare<std::uint64_t>,
    compare<float>,        compare<double>,
};

Skipped skipped_of(const std::vector<Unchecked>& unchecked, const std::string& name) {
  Skipped skipped;
  for (const Unchecked& range : unchecked) {
    if (range.buffer == name) skipped.emplace_back(range.first, range.count);
  }
  return skipped;
}

// Sums that a race makes anybody's guess, such as a counter without atomics: what is left of them.
std::string left_by_races(const BufferSpec& spec, Buffers& got, Buffers& want,
                          const Skipped& skipped) {
  if (skipped.empty() || spec.direction != Direction::kInOut || spec.type != ElementType::kF32) {
    return {};
  }
  double left = 0;
  double all = 0;
  for (const auto& [first, count] : skipped) {
    for (const float value : got.f32(spec.name).subspan(first, count)) left += value;
    for (const float value : want.f32(spec.name).subspan(first, count)) all += value;
  }
  return fmt::format("{}: {:.0f} of {:.0f} are left, {:.0f} lost", spec.name, left, all,
                     all - left);
}

// Each addition rounds by 2^-24 of a partial sum at most, the kernel's and the reference's, and no
// partial sum of what is not negative exceeds the whole.
Tolerance tolerance_of(const Job& job) {
  Tolerance tolerance = job.variant->tolerance;
  if (job.variant->terms) {
    const auto terms = static_cast<double>(job.variant->terms(job.params));
    tolerance.relative = std::max(tolerance.relative, 2 * terms * 0x1p-24);
  }
  return tolerance;
}

}  // namespace

CheckResult check_with(const Job& job, Buffers& after, Buffers& initial) {
  if (job.variant == nullptr || !job.variant->reference) return {};
  Buffers& want = initial;
  job.variant->reference(job.params, want);
  std::vector<Unchecked> unchecked;
  if (job.variant->unchecked) unchecked = job.variant->unchecked(job.params);
  CheckResult result{true, {}};
  const Tolerance tolerance = tolerance_of(job);
  for (const ArgSpec& arg : job.args) {
    const auto* spec = std::get_if<BufferSpec>(&arg);
    if (spec == nullptr) continue;
    const Skipped skipped = skipped_of(unchecked, spec->name);
    const std::string found =
        kCompare[static_cast<std::size_t>(spec->type)](*spec, after, want, tolerance, skipped);
    if (!found.empty()) return {false, found};
    result.races += left_by_races(*spec, after, want, skipped);
  }
  result.blocks_raced =
      !result.races.empty() && std::any_of(unchecked.begin(), unchecked.end(),
                                           [](const Unchecked& one) { return one.across_blocks; });
  return result;
}

CheckResult check(const Job& job, Buffers& after, Buffers initial) {
  return check_with(job, after, initial);
}

CheckResult check(const Job& job, Buffers& after) {
  if (job.variant == nullptr || !job.variant->reference) return {};
  return check(job, after, initial_buffers(job));
}

}  // namespace lab
