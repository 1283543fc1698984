#include "tools/cli/text/curve_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "metrics/formulas.h"

namespace lab::cli {

namespace {

constexpr std::size_t kFewestPoints = 16;
constexpr std::size_t kMostPoints = 64;
constexpr double kLeastHeight = 8;

struct Curve {
  std::vector<std::int64_t> at;
  std::vector<double> heights = {};
};

// Points that differ from the section's first case in `param` alone.
Curve curve_of(const Section& section, const Variant& variant, const std::string& param,
               const TheoryRow& row) {
  Curve curve;
  for (const Params& point : variant.points) {
    Params same = section.cases.front()->params;
    if (!point.has(param) || !same.has(param)) return {};
    same.set(param, point.all().find(param)->second);
    if (!(same == point)) continue;
    curve.at.push_back(point.number(param));
    curve.heights.push_back(
        row.formula.value(formula_names(variant, point, variant.launch(point))));
  }
  return curve;
}

std::string bar(const Curve& curve, double level) {
  std::string line;
  for (const double height : curve.heights) line += height >= level ? '#' : ' ';
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

}  // namespace

std::string curve_text(const Section& section, const Variant& variant, const std::string& metric) {
  const TheoryRow* row = metrics::theory_row(variant, metric);
  if (row == nullptr || section.varying.size() != 1) return {};
  const std::string& param = section.varying.front();
  const auto& values = section.cases.front()->params.all();
  if (!std::holds_alternative<std::int64_t>(values.find(param)->second)) return {};
  const Curve curve = curve_of(section, variant, param, *row);
  if (curve.at.size() < kFewestPoints || curve.at.size() > kMostPoints) return {};
  const double top = *std::max_element(curve.heights.begin(), curve.heights.end());
  const double least = *std::min_element(curve.heights.begin(), curve.heights.end());
  if (top < kLeastHeight || least < 1 || std::exp2(std::floor(std::log2(top))) != top) return {};
  std::string out;
  for (const int part : {1, 2, 4}) {
    out += fmt::format("{:>4} |{}\n", top / part, bar(curve, top / part));
  }
  return out + fmt::format("{:>4} +{} {} {}..{}\n", 1, bar(curve, 1), param, curve.at.front(),
                           curve.at.back());
}

}  // namespace lab::cli
