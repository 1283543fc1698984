// Points at which theory is held against the model, from the whole range of every parameter.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/lab.h"

namespace lab::labtest {

/// What the usual points are drawn from.
inline constexpr std::uint64_t kUsualSeed = 20260101;

/// `count` different points of a variant, or as many as it has: low values, where rests of tiles
/// and warps weigh most; values of every magnitude, primes and multiples of tiles among them;
/// powers of two and their neighbours; both ends. What is too much work for the model is drawn
/// again, so that a parameter's large values come with small ones of the others. The same seed
/// gives the same points.
[[nodiscard]] std::vector<Params> drawn_points(const Lab& lab, const Variant& variant, int count,
                                               std::uint64_t seed = kUsualSeed);

/// How many large points there are to be, and how large.
struct Far {
  enum class Reach : std::uint8_t {
    kQuick,  ///< none that takes the model more than about a second
    kAll,
  };
  int each = 1;  ///< of each parameter
  Reach reach = Reach::kAll;
};

/// More points for each parameter of which `points` has no value from the upper end: it has one
/// here, with as little more work as that takes.
[[nodiscard]] std::vector<Params> far_points(const Lab& lab, const Variant& variant,
                                             const std::vector<Params>& points, Far far);

/// The parameters that the variant reads, each as far as it is drawn: to its end, or to the last
/// value at which, with all others at their lowest, threads, requests and arrays are few enough to
/// run in seconds.
[[nodiscard]] std::vector<ParamSpec> drawn_specs(const Lab& lab, const Variant& variant);

/// Whether a number is of the upper end: the last eighth of its range, counted in magnitudes (of
/// 1 to 2^24 from 2^21 on), or the last one of a list.
[[nodiscard]] bool is_upper_end(const ParamSpec& spec, std::int64_t value);
/// Whether it is the least number there is.
[[nodiscard]] bool is_lower_end(const ParamSpec& spec, std::int64_t value);

}  // namespace lab::labtest
