// lab show: what a lab asks, its formulas, its parameters.
#include <fmt/format.h>

#include <algorithm>

#include "harness/run/engines.h"
#include "harness/run/places.h"
#include "harness/worker/client.h"
#include "labs/registry.h"
#include "metrics/formulas.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/json/json.h"
#include "tools/cli/text/derivation_text.h"
#include "tools/cli/text/sass_text.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

std::string allowed(const ParamSpec& spec) {
  if (spec.accepts) return "a text";
  if (!spec.choices.empty()) return fmt::format("{}", fmt::join(spec.choices, ", "));
  if (!spec.only.empty()) return fmt::format("{}", fmt::join(spec.only, ", "));
  return fmt::format("{} to {}", spec.min, spec.max);
}

std::string readers(const Lab& lab, const std::string& param) {
  std::vector<std::string> names;
  for (const Variant& variant : lab.variants) {
    const auto& reads = variant.reads;
    if (std::find(reads.begin(), reads.end(), param) != reads.end()) names.push_back(variant.name);
  }
  if (names.size() == lab.variants.size() && names.size() > 1) return "all variants";
  if (names.size() > 4) return fmt::format("{} variants", names.size());
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string params_text(const Lab& lab, const Terminal& terminal) {
  Table table{{{"Parameter"},
               {"Values"},
               {"Default", Align::kRight},
               {"What it is", Align::kLeft, true},
               {"Read by", Align::kLeft, true}}};
  for (const ParamSpec& spec : lab.params) {
    table.rows.push_back({{spec.name},
                          {allowed(spec)},
                          {to_text(spec.fallback)},
                          {spec.help},
                          {readers(lab, spec.name)}});
  }
  return table_text(table, terminal);
}

// In as few words as may be: long formulas by the names of their terms.
std::string brief(const Expr& formula, const Variant& variant) {
  constexpr std::size_t kColumns = 80;
  const auto lines = lines_of(metrics::over_defaults(formula, variant), kColumns, 2);
  return lines.empty() ? "see --formula" : fmt::format("{}", fmt::join(lines, " "));
}

// Over the default points; what the source asks for beside what its machine code does.
std::string formula_text(const TheoryRow& row, const Variant& variant) {
  std::string text = brief(row.formula, variant);
  if (row.high) {
    const std::string high = brief(*row.high, variant);
    if (high != text) text += " to " + high;
  }
  if (!row.as_written) return text;
  const std::string written = brief(*row.as_written, variant);
  return written == text ? text : text + " (as written: " + written + ")";
}

// The headline metrics' formulas, or all of them, each with its reason.
std::string variant_text(const Lab& lab, const Variant& variant, bool all,
                         const Terminal& terminal) {
  std::string out = fmt::format("{}  {} case{}\n", toned(variant.name, Tone::kStrong, terminal),
                                variant.points.size(), variant.points.size() == 1 ? "" : "s");
  for (const std::string& line : wrapped(variant.summary, terminal.width - 2)) {
    out += "  " + line + "\n";
  }
  if (variant.theory.empty()) return out;
  std::vector<TheoryRow> rows = variant.theory;
  const auto rank = [&](const TheoryRow& row) {
    return std::find(lab.headline.begin(), lab.headline.end(), row.metric) - lab.headline.begin();
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  if (!all) {
    const auto is_other = [&](const TheoryRow& row) {
      return rank(row) == std::ssize(lab.headline);
    };
    rows.erase(std::find_if(rows.begin(), rows.end(), is_other), rows.end());
  }
  Table table{{{"Metric"}, {"Theory", Align::kLeft, true}, {"Why", Align::kLeft, true}}};
  for (const TheoryRow& row : rows) {
    table.rows.push_back({{row.metric}, {formula_text(row, variant)}, {row.why, Tone::kDim}});
  }
  return out + table_text(table, terminal, 2);
}

std::vector<const Variant*> chosen_variants(const Lab& lab, const Arguments& arguments) {
  std::vector<const Variant*> variants;
  for (const std::string& name : arguments.names("variant")) {
    variants.push_back(&find_variant(lab, name));
  }
  if (!variants.empty()) return variants;
  for (const Variant& variant : lab.variants) variants.push_back(&variant);
  return variants;
}

// The memory instructions that the compiler made of each variant's kernel at its first point.
void print_sass(const Lab& lab, const Arguments& arguments, const std::string& kernels,
                const Terminal& terminal) {
  worker::Client client(run::worker_settings("model"));
  CompileRequest request;
  request.source = {kernels, run::read_text(kernels, "the lab's kernels")};
  request.arch = arguments.value("arch").value_or("sm_90");
  for (const Variant* variant : chosen_variants(lab, arguments)) {
    fmt::print("{}", toned(variant->name, Tone::kStrong, terminal));
    if (!variant->library.empty() || variant->points.empty()) {
      fmt::print("\n  a library's kernel: its code is not part of the lab\n\n");
      continue;
    }
    request.kernels = {variant->kernel(variant->points.front())};
    request.options = variant->options;
    constexpr std::size_t kAlikeShown = 4;
    const MachineCode code = machine_code(client.compile(request));
    fmt::print("  {} for {}\n{}\n", request.kernels.front(), request.arch,
               sass_text(code, request.source, kAlikeShown, terminal));
  }
}

// One case per default point, as it is before it has run.
std::vector<CaseRecord> default_cases(const std::vector<const Variant*>& variants) {
  std::vector<CaseRecord> cases;
  for (const Variant* variant : variants) {
    for (const Params& point : variant->points) {
      CaseRecord record;
      record.variant = variant->name;
      record.params = point;
      cases.push_back(std::move(record));
    }
  }
  return cases;
}

int run_show(const Arguments& arguments, const Console& console) {
  const Terminal& terminal = console.out;
  const Lab& lab = find_lab(arguments.positionals().front());
  const std::string handout = run::lab_file(run::labs_folder(console.program), lab, "README.md");
  if (arguments.has("handout")) {
    fmt::print("{}", run::read_text(handout, "the handout"));
    return 0;
  }
  if (arguments.has("sass")) {
    print_sass(lab, arguments, run::lab_file(run::labs_folder(console.program), lab, "kernels.cu"),
               terminal);
    return 0;
  }
  if (arguments.has("json")) {
    fmt::print("{}\n", lab_json(lab, handout));
    return 0;
  }
  const std::vector<const Variant*> variants = chosen_variants(lab, arguments);
  if (const auto metric = arguments.value("formula")) {
    fmt::print("{}", arguments.has("latex") ? latex_text(lab, variants, *metric)
                                            : derivation_text(lab, variants, *metric, terminal));
    return 0;
  }
  const std::string title = fmt::format("Lab {}: {}", lab.number, lab.title);
  fmt::print("{}\n{}.\n\n", toned(title, Tone::kStrong, terminal), lab.summary);
  for (const Variant* variant : variants) {
    fmt::print("{}\n", variant_text(lab, *variant, arguments.has("formulas"), terminal));
  }
  if (lab.tables) fmt::print("{}\n", text_tables(lab.tables(default_cases(variants)), terminal));
  fmt::print("{}\nThe handout:  {}\nThe kernels:  {}\n", params_text(lab, terminal), handout,
             run::lab_file(run::labs_folder(console.program), lab, "kernels.cu"));
  return 0;
}

}  // namespace

Command show_command() {
  return {"show",
          "Show a lab: what it is about, its variants, formulas and parameters",
          {"LAB", "A lab's number or name: 3, bank_conflicts", 1, 1},
          {{"formulas", "", "Show the formulas of all metrics, not only the headline ones"},
           {"formula", "METRIC", "Derive one metric's formula step by step"},
           {"latex", "", "With --formula: as TeX, for slides"},
           {"variant", "NAMES", "These variants only", true},
           {"sass", "", "Show the machine code's memory instructions beside PTX and source"},
           {"arch", "SM", "Architecture of --sass (default sm_90)"},
           {"handout", "", "Print the handout itself"}},
          "  lab show 3\n  lab show 3 --handout | less\n  lab show 3 --sass --variant stride",
          run_show};
}

}  // namespace lab::cli
