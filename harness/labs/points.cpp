#include "harness/labs/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "harness/core/error.h"
#include "harness/core/formula.h"
#include "harness/core/text.h"
#include "harness/formula/parse.h"

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
  const auto place = name.place.line > 0 ? std::optional(name.place) : std::nullopt;
  throw input_error(fmt::format("the variant takes no parameter '{}'", name.text),
                    suggestion(name.text, names), place);
}

// A sweep of numbers has no parentheses.
bool is_formula(const ParamSpec& spec, const std::string& text) {
  return std::holds_alternative<std::int64_t>(spec.fallback) && text.find('(') != std::string::npos;
}

// Its errors point into `name=values`.
std::vector<ParamValue> values_of(const ParamSpec& spec, const PlacedText& text) {
  try {
    return parse_sweep(spec, text.text);
  } catch (const Error& error) {
    const int column = error.place() ? error.place()->column : 1;
    const int name = static_cast<int>(spec.name.size()) + 1;
    throw input_error(error.what(), error.hint(),
                      place_within(text, static_cast<std::size_t>(std::max(column - name - 1, 0))));
  }
}

Expr formula_of(const std::vector<ParamSpec>& params, const PlacedText& text) {
  const language::Lookup known = [&](const std::string& name) {
    return language::Value(Expr(param_called(params, {name, {}}).name));
  };
  return language::number_of(language::parse_value(text.text, known));
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
  if (is_formula(*axis.spec, axis.text.text)) {
    axis.formula = told_at(axis.text, [&] { return formula_of(params, axis.text); });
  } else {
    axis.values = values_of(*axis.spec, axis.text);
  }
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

using NamedValues = std::vector<std::pair<std::string, std::vector<ParamValue>>>;

constexpr std::size_t kMostPoints = 100000;  // of a list
constexpr std::size_t kMostSweeps = 1000;

std::size_t count_of(const NamedValues& named) {
  std::size_t count = 1;
  for (const auto& [name, values] : named) count = std::min(count * values.size(), kMostPoints + 1);
  return count;
}

void require_few(std::size_t count, const PlacedText& sweep) {
  if (count <= kMostPoints) return;
  throw input_error(fmt::format("more than {} points", kMostPoints), "vary fewer parameters",
                    sweep.place);
}

void require_few_sweeps(const std::vector<PlacedText>& sweeps) {
  if (sweeps.size() <= kMostSweeps) return;
  throw input_error(fmt::format("a list of more than {} sweeps", kMostSweeps), {},
                    sweeps.front().place);
}

// A value that is worked out has to be one that a person could give, too.
void set_formulas(const std::vector<Axis>& axes, Params& point) {
  for (const Axis& axis : axes) {
    if (!axis.formula) continue;
    const WholeFormula whole{*axis.formula, axis.text};
    const std::int64_t value = whole.value(formula_names(point, {}));
    values_of(*axis.spec, {std::to_string(value), axis.text.place});
    point.set(axis.spec->name, value);
  }
}

}  // namespace

std::vector<Params> read_points(const std::vector<ParamSpec>& params,
                                const std::vector<PlacedText>& sweeps) {
  std::vector<Params> points;
  require_few_sweeps(sweeps);
  for (const PlacedText& sweep : sweeps) {
    const std::vector<Axis> axes = read_axes(params, sweep);
    NamedValues named;
    for (const Axis& axis : axes) {
      if (!axis.formula) named.emplace_back(axis.spec->name, axis.values);
    }
    require_few(count_of(named) + points.size(), sweep);
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
  std::set<Params> known;
  require_few_sweeps(sweeps);
  for (const PlacedText& sweep : sweeps) {
    const std::vector<Axis> axes = read_axes(params, sweep);
    for (const Params& point : points) {
      const bool fits = std::all_of(axes.begin(), axes.end(), [&](const Axis& axis) {
        const auto value = point.all().find(axis.spec->name);
        return std::find(axis.values.begin(), axis.values.end(), value->second) !=
               axis.values.end();
      });
      if (fits && known.insert(point).second) picked.push_back(point);
    }
  }
  return picked;
}

}  // namespace lab::labs
