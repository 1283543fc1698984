// The pictures of a run as data: sweeps, bars of variants, points on axes. A page draws them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/record.h"
#include "harness/core/sections.h"
#include "harness/reading/figures.h"
#include "metrics/machine.h"

namespace lab::reading {

/// The longest sweep of a section: cases that differ in one parameter alone, a whole number.
struct Sweep {
  std::string param;
  Section cases;  ///< of the section, with what is fixed in it
};
/// Empty where no parameter has more than two values at one point of the others.
[[nodiscard]] std::optional<Sweep> sweep_of(const Section& section);

/// The metrics that get a curve: those asked for that have values, and the bandwidth that the task
/// needs where it was measured.
[[nodiscard]] std::vector<std::string> curves_of(const Sweep& sweep,
                                                 const std::vector<std::string>& metrics);

/// A metric along a sweep, a line for each source that has a value of it.
struct Curve {
  std::vector<double> x = {};
  std::vector<FigureLine> lines = {};
  bool log_x = false;  ///< powers of two, far apart
  bool log_y = false;  ///< the least would lie on the axis
};
[[nodiscard]] Curve curve_of(const Sweep& sweep, const std::string& metric);

/// The first cases of variants that do the same work, the least first. Empty where fewer than two
/// can be compared.
struct Bars {
  std::string metric = {};  ///< empty: the time, in microseconds
  std::vector<std::string> labels = {};
  std::vector<double> values = {};
  bool log = false;  ///< the least would not be seen
};
[[nodiscard]] std::optional<Bars> bars_of(const std::vector<Section>& sections,
                                          const std::vector<std::string>& metrics);

struct Dot {
  double x = 0;
  double y = 0;
  std::string name = {};
};
struct Dots {
  std::vector<Dot> dots = {};
  std::vector<Dot> line = {};  ///< that they are held against
  std::string across = {};
  std::string upwards = {};
};

/// Each exact metric of each case: theory across, what was measured (else the model) upwards. What
/// agrees lies on the line. Empty where there are few.
[[nodiscard]] std::optional<Dots> agreement_of(const RunRecord& run);

/// Warp instructions per second over warp instructions per byte of DRAM (an instruction roofline:
/// Ding, Williams, 2019). Under the slope memory is the bound, under the flat part the issue. Of
/// several variants the first case of each, called by its name; of one all cases.
[[nodiscard]] std::optional<Dots> roofline_of(const std::vector<Section>& sections,
                                              const metrics::Machine& machine);

/// The variant, or a probe's kernel.
[[nodiscard]] std::string name_of(const Section& section);

}  // namespace lab::reading
