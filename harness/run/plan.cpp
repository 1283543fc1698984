#include "harness/run/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/core/error.h"
#include "harness/run/places.h"

namespace lab::run {

namespace {

using Axis = std::pair<std::string, std::vector<ParamValue>>;

std::vector<const Variant*> chosen(const Lab& lab, const Selection& selection) {
  std::vector<const Variant*> variants;
  for (const std::string& name : selection.variants) {
    const Variant* variant = &find_variant(lab, name);
    const bool twice = std::find(variants.begin(), variants.end(), variant) != variants.end();
    if (!twice) variants.push_back(variant);
  }
  if (!selection.variants.empty()) return variants;
  for (const Variant& variant : lab.variants) variants.push_back(&variant);
  return variants;
}

bool reads(const Variant& variant, const std::string& param) {
  return std::find(variant.reads.begin(), variant.reads.end(), param) != variant.reads.end();
}

std::vector<Axis> axes(const Lab& lab, const Selection& selection,
                       const std::vector<const Variant*>& variants) {
  std::vector<Axis> axes;
  for (const auto& [name, text] : selection.sweeps) {
    const auto given = std::any_of(axes.begin(), axes.end(),
                                   [&name = name](const Axis& axis) { return axis.first == name; });
    if (given) {
      throw input_error(fmt::format("parameter '{}' is given twice", name),
                        fmt::format("write all its values in one: --param {}=1,2,4", name));
    }
    axes.emplace_back(name, parse_sweep(find_param(lab, name), text));
    const bool any = std::any_of(variants.begin(), variants.end(),
                                 [&name = name](const Variant* v) { return reads(*v, name); });
    if (!any) {
      throw input_error(fmt::format("none of the chosen variants reads parameter '{}'", name),
                        fmt::format("`lab show {}` lists what each variant reads", lab.called()));
    }
  }
  return axes;
}

// Each point with the swept axes replaced; points that become equal count once.
std::vector<Params> points_of(const Variant& variant, const std::vector<Axis>& axes,
                              const Selection& selection) {
  std::vector<Params> points = default_points(variant, selection.for_gpu, selection.all);
  for (const auto& [name, values] : axes) {
    if (!reads(variant, name)) continue;
    std::vector<Params> swept;
    std::set<Params> seen;
    for (const Params& point : points) {
      for (const ParamValue& value : values) {
        Params next = point;
        next.set(name, value);
        if (seen.insert(next).second) swept.push_back(std::move(next));
      }
    }
    points = std::move(swept);
  }
  return points;
}

}  // namespace

std::pair<std::string, std::string> parse_param(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw input_error(fmt::format("'{}' is not NAME=VALUES", text),
                      "write --param stride=1,2,4 or --param stride=1..32*2");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<CaseRequest> plan_cases(const Lab& lab, const Selection& selection) {
  const std::vector<const Variant*> variants = chosen(lab, selection);
  const std::vector<Axis> swept = axes(lab, selection, variants);
  std::vector<CaseRequest> cases;
  for (const Variant* variant : variants) {
    for (Params& point : points_of(*variant, swept, selection)) {
      CaseRequest request;
      request.index = static_cast<int>(cases.size());
      request.variant = variant->name;
      request.params = std::move(point);
      if (variant->launch) static_cast<void>(variant->launch(request.params));  // for its errors
      cases.push_back(std::move(request));
    }
  }
  return cases;
}

Plan plan_run(const Lab& lab, BatchRequest batch, const std::optional<KernelText>& theirs) {
  Plan plan;
  plan.lab = &lab;
  KernelText own = own_kernels(lab);
  const bool is_own = !theirs && is_as_shipped(lab, own.text);
  batch.lab = lab.number;
  batch.source = theirs ? *theirs : own;
  batch.reference = reference_text(lab);
  if (theirs) plan.own = std::move(own);
  plan.head.lab = lab.number;
  plan.head.lab_id = lab.id;
  plan.head.folder = lab.folder;
  set_source(batch.source, plan.head);
  plan.head.source_is_labs_own = is_own;
  plan.batch = std::move(batch);
  plan.own_kernel = is_own;
  return plan;
}

Plan plan_probe(BatchRequest batch) {
  Plan plan;
  set_source(batch.source, plan.head);
  plan.head.source_is_labs_own = false;
  plan.batch = std::move(batch);
  plan.own_kernel = false;
  return plan;
}

}  // namespace lab::run
