#include "harness/grade/rubric.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "harness/core/text.h"
#include "harness/run/plan.h"

namespace lab::grade {

namespace {

std::vector<std::string> variants_of(const Lab& lab) {
  std::vector<std::string> names;
  for (const Variant& variant : lab.variants) names.push_back(variant.name);
  return names;
}

void expect_variant(const TomlTable& table, const char* key, const std::string& name,
                    const Lab& lab) {
  const std::vector<std::string> names = variants_of(lab);
  if (std::count(names.begin(), names.end(), name) > 0) return;
  throw table.wrong(key, fmt::format("lab {} has no variant '{}'", lab.called(), name),
                    suggestion(name, names));
}

/// The cases of a rubric, each once.
class Requests {
 public:
  explicit Requests(Rubric& rubric) : rubric_(rubric) {}

  void add(std::vector<CaseRequest> cases, bool hidden) {
    for (CaseRequest& request : cases) {
      const auto same = [&](const CaseRequest& one) {
        return one.variant == request.variant && one.params == request.params;
      };
      auto& all = rubric_.requests;
      if (std::any_of(all.begin(), all.end(), same)) continue;
      request.index = static_cast<int>(all.size());
      if (hidden) rubric_.hidden.insert(request.index);
      all.push_back(std::move(request));
    }
  }

  [[nodiscard]] bool has(const std::string& variant) const {
    return std::any_of(rubric_.requests.begin(), rubric_.requests.end(),
                       [&](const CaseRequest& one) { return one.variant == variant; });
  }

 private:
  Rubric& rubric_;
};

// A criterion needs others that stand before it, and no others.
void expect_before(const TomlTable& table, const Rubric& rubric) {
  std::vector<std::string> names;
  for (const Criterion& one : rubric.criteria) names.push_back(one.name);
  names.pop_back();
  for (const std::string& name : rubric.criteria.back().needs) {
    if (std::count(names.begin(), names.end(), name) > 0) continue;
    throw table.wrong("needs", fmt::format("there is no criterion '{}' before this one", name),
                      suggestion(name, names));
  }
}

void read_points(const TomlTable& root, const Lab& lab, Requests& requests) {
  for (const TomlTable& table : root.tables("points")) {
    table.expect_only({"variant", "params", "hidden", "all"});
    run::Selection selection;
    selection.variants = {table.required("variant", "of the lab")};
    expect_variant(table, "variant", selection.variants[0], lab);
    selection.all = table.flag("all").value_or(false);
    selection.sweeps = read_sweeps(table);
    requests.add(table.placed("params", [&] { return run::plan_cases(lab, selection); }),
                 table.flag("hidden").value_or(false));
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> read_sweeps(const TomlTable& table) {
  std::vector<std::pair<std::string, std::string>> sweeps;
  const auto params = table.table("params");
  if (!params) return sweeps;
  for (const std::string& name : params->keys()) {
    sweeps.emplace_back(name, params->list(name).value_or(""));
  }
  return sweeps;
}

Rubric read_rubric(const std::string& name, const std::string& text, const Lab& lab) {
  const TomlTable root = read_toml(name, text);
  root.expect_only({"lab", "pass", "arch", "seed", "points", "criterion"});
  Rubric rubric;
  rubric.name = name;
  rubric.text = text;
  rubric.sha256 = sha256_hex(text);
  rubric.lab = &lab;
  if (root.whole("lab", 1, 9999).value_or(lab.number) != lab.number) {
    throw root.wrong("lab", fmt::format("this rubric is not lab {}'s", lab.called()));
  }
  rubric.arch = root.text("arch").value_or(rubric.arch);
  if (const auto seed = root.whole("seed", 0, std::numeric_limits<std::int64_t>::max())) {
    rubric.seed = static_cast<std::uint64_t>(*seed);
  }
  Requests requests(rubric);
  read_points(root, lab, requests);
  for (const TomlTable& table : root.tables("criterion")) {
    rubric.criteria.push_back(read_criterion(table, true));
    const Criterion& criterion = rubric.criteria.back();
    rubric.of += criterion.points;
    expect_before(table, rubric);
    for (const auto& [key, variant] :
         {std::pair("variant", criterion.variant), std::pair("ratio_to", criterion.ratio_to)}) {
      if (variant.empty()) continue;
      expect_variant(table, key, variant, lab);
      if (!requests.has(variant)) requests.add(run::plan_cases(lab, {{variant}}), false);
    }
  }
  if (rubric.criteria.empty()) {
    throw input_error(fmt::format("{} has no criterion", name), "begin each with [[criterion]]");
  }
  rubric.pass = root.number("pass").value_or(0);
  if (rubric.pass > rubric.of) {
    throw root.wrong("pass", fmt::format("'pass' is above the {} points that there are",
                                         number_text(rubric.of)));
  }
  return rubric;
}

}  // namespace lab::grade
