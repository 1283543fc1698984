#include "harness/labs/points.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/formula.h"
#include "harness/core/text.h"
#include "harness/language/parse.h"

namespace lab::labs {
namespace {

struct Axis {
  const ParamSpec* spec;
  std::vector<ParamValue> values;
  std::optional<Expr> formula = {};  ///< over the other parameters
  PlacedText text = {};
};

const ParamSpec& param_called(const std::vector<ParamSpec>& params, const PlacedText& name) {
  std::vector<std::string> names;
  for (const ParamSpec& spec : params) {
    if (spec.name == name.text) return spec;
    names.push_back(spec.name);
  }
  throw input_error(fmt::format("the variant takes no parameter '{}'", name.text),
                    suggestion(name.text, names), name.place);
}

// A sweep of numbers has no parentheses.
bool is_formula(const ParamSpec& spec, const std::string& text) {
  return std::holds_alternative<std::int64_t>(spec.fallback) && text.find('(') != std::string::npos;
}

Axis read_axis(const std::vector<ParamSpec>& params, const PlacedText& word) {
  const std::size_t equals = word.text.find('=');
  if (equals == std::string::npos) {
    throw input_error(fmt::format("'{}' is not name=values", word.text), {}, word.place);
  }
  Axis axis{&param_called(params, part_of(word, 0, equals)),
            {},
            {},
            part_of(word, equals + 1, std::string::npos)};
  told_at(axis.text, [&] {
    if (is_formula(*axis.spec, axis.text.text)) {
      axis.formula = language::parse_expression(axis.text.text);
    } else {
      axis.values = parse_sweep(*axis.spec, axis.text.text);
    }
    return 0;
  });
  return axis;
}

std::vector<Axis> read_axes(const std::vector<ParamSpec>& params, const PlacedText& sweep) {
  std::vector<Axis> axes;
  for (std::size_t at = 0; at < sweep.text.size();) {
    const std::size_t end = std::min(sweep.text.find(' ', at), sweep.text.size());
    const PlacedText word = part_of(sweep, at, end - at);
    if (!word.text.empty()) axes.push_back(read_axis(params, word));
    at = end + 1;
  }
  return axes;
}

// A value that is worked out has to be one that a person could give, too.
void set_formulas(const std::vector<Axis>& axes, Params& point) {
  for (const Axis& axis : axes) {
    if (!axis.formula) continue;
    const WholeFormula whole{*axis.formula, axis.text};
    const std::int64_t value = whole.value(formula_names(point, {}));
    told_at(axis.text, [&] { return parse_sweep(*axis.spec, std::to_string(value)); });
    point.set(axis.spec->name, value);
  }
}

}  // namespace

std::vector<Params> read_points(const std::vector<ParamSpec>& params,
                                const std::vector<PlacedText>& sweeps) {
  std::vector<Params> points;
  for (const PlacedText& sweep : sweeps) {
    const std::vector<Axis> axes = read_axes(params, sweep);
    std::vector<std::pair<std::string, std::vector<ParamValue>>> named;
    for (const Axis& axis : axes) {
      if (!axis.formula) named.emplace_back(axis.spec->name, axis.values);
    }
    for (Params& point : product(named)) {
      for (const ParamSpec& spec : params) {
        if (!point.has(spec.name)) point.set(spec.name, spec.fallback);
      }
      set_formulas(axes, point);
      points.push_back(std::move(point));
    }
  }
  return points;
}

std::vector<Params> pick_points(const std::vector<ParamSpec>& params,
                                const std::vector<PlacedText>& sweeps,
                                const std::vector<Params>& points) {
  std::vector<Params> picked;
  for (const PlacedText& sweep : sweeps) {
    const std::vector<Axis> axes = read_axes(params, sweep);
    for (const Params& point : points) {
      const bool fits = std::all_of(axes.begin(), axes.end(), [&](const Axis& axis) {
        const auto value = point.all().find(axis.spec->name);
        return std::find(axis.values.begin(), axis.values.end(), value->second) !=
               axis.values.end();
      });
      const bool known = std::find(picked.begin(), picked.end(), point) != picked.end();
      if (fits && !known) picked.push_back(point);
    }
  }
  return picked;
}

}  // namespace lab::labs
