#include "harness/core/lab.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/record.h"
#include "harness/core/text.h"

namespace lab {

const Variant& find_variant(const Lab& lab, std::string_view name) {
  std::vector<std::string> names;
  for (const Variant& variant : lab.variants) {
    if (variant.name == name) return variant;
    names.push_back(variant.name);
  }
  throw input_error(fmt::format("lab {} has no variant '{}'", lab.called(), name),
                    suggestion(name, names));
}

Forbidden forbidden_in(const Lab* lab, const CaseRecord& record) {
  const bool is_task = lab != nullptr && lab->goal && lab->goal->variant == record.variant;
  return is_task ? lab->goal->forbidden : Forbidden::kNothing;
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
  throw input_error(fmt::format("lab {} has no parameter '{}'", lab.called(), name),
                    suggestion(name, names));
}

const ParamSpec* addresses_param(const Lab& lab) {
  for (const ParamSpec& spec : lab.params) {
    if (spec.accepts) return &spec;
  }
  return nullptr;
}

}  // namespace lab
