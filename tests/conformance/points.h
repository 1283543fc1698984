// Points at which theory is held against the model, from the whole range of every parameter.
#pragma once

#include <string>
#include <vector>

#include "harness/core/lab.h"

namespace lab {

/// `count` different points of a variant, or as many as it has: low values, where rests of tiles
/// and warps weigh most; values of every magnitude, primes and multiples of tiles among them;
/// powers of two and their neighbours; both ends. What is too much work for the model is drawn
/// again, so that a parameter's large values come with small ones of the others. Always the same
/// points.
[[nodiscard]] std::vector<Params> drawn_points(const Lab& lab, const Variant& variant, int count);

/// `each` more points for each parameter of which `points` has no value from the upper end: it has
/// one here, with as little more work as that takes.
[[nodiscard]] std::vector<Params> far_points(const Lab& lab, const Variant& variant,
                                             const std::vector<Params>& points, int each);

/// A parameter as far as it is drawn: to its end, but for a few whose inputs alone take too long.
[[nodiscard]] ParamSpec drawn_spec(const Lab& lab, const std::string& param);

/// Whether a number is of the upper end: the last eighth of its range, counted in magnitudes (of
/// 1 to 2^24 from 2^21 on), or the last one of a list.
[[nodiscard]] bool is_upper_end(const ParamSpec& spec, std::int64_t value);
/// Whether it is the least number there is.
[[nodiscard]] bool is_lower_end(const ParamSpec& spec, std::int64_t value);

}  // namespace lab
