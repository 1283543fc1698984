// lab show: what a lab asks, its formulas, its parameters.
#include <fmt/format.h>

#include "harness/box/worker/client.h"
#include "harness/core/chip.h"
#include "harness/core/text.h"
#include "harness/labs/derivation_page.h"
#include "harness/labs/registry.h"
#include "harness/labs/show_page.h"
#include "harness/page/make.h"
#include "harness/page/read_markdown.h"
#include "harness/reading/run_page.h"
#include "harness/run/code_page.h"
#include "harness/run/engines.h"
#include "harness/run/places.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/commands/print_page.h"
#include "tools/cli/json/json.h"

namespace lab::cli {

namespace {

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
page::Page sass_page(const Lab& lab, const Arguments& arguments, const std::string& kernels) {
  constexpr std::size_t kAlikeShown = 4;
  worker::Client client(run::worker_settings(BackendKind::kModel));
  CompileRequest request;
  request.source = {kernels, run::read_text(kernels, "the lab's kernels")};
  request.arch = arguments.value("arch").value_or(std::string(kDefaultArch));
  page::Page page;
  for (const Variant* variant : chosen_variants(lab, arguments)) {
    page::Heading heading{2, variant->name};
    if (!variant->library.empty() || variant->points.empty()) {
      page.blocks.push_back({std::move(heading), page::Rank::kAlways, true});
      page.blocks.push_back(page::sentence("a library's kernel: its code is not part of the lab"));
      continue;
    }
    request.kernels = {variant->kernel(variant->points.front())};
    request.options = variant->options;
    heading.facts = {request.kernels.front() + " for " + request.arch};
    page.blocks.push_back({std::move(heading), page::Rank::kAlways, true});
    const run::MachineCode code = run::machine_code(client.compile(request));
    append(page, run::code_page(code, request.source, kAlikeShown));
  }
  return page;
}

// One case per point, as it is before it has run.
std::vector<CaseRecord> cases_of(const std::vector<const Variant*>& variants, bool all) {
  std::vector<CaseRecord> cases;
  for (const Variant* variant : variants) {
    for (Params& point : default_points(*variant, false, all)) {
      CaseRecord record;
      record.variant = variant->name;
      record.params = std::move(point);
      cases.push_back(std::move(record));
    }
  }
  return cases;
}

void add_next(const Lab& lab, page::Page& page) {
  const auto add = [&](std::string command, std::string says, bool apart) {
    page.blocks.push_back(page::sentence(std::move(command)));
    page.blocks.back().apart = apart;
    page.blocks.push_back(page::sentence(std::move(says), page::Role::kBeside));
  };
  add(fmt::format("lab show {} --variant {}", lab.called(), lab.variants.front().name),
      "its formulas, and why they hold", true);
  add(fmt::format("lab show {} --handout", lab.called()),
      "what to do, and questions; --answers has the answers", false);
}

void print_handout(const std::string& text, const Arguments& arguments, const Console& console) {
  if (arguments.has("raw")) {
    fmt::print("{}", text);
  } else {
    print_page(page::read_markdown(text), arguments, console);
  }
}

int run_show(const Arguments& arguments, const Console& console) {
  const Lab& lab = find_lab(arguments.positionals().front());
  const std::string handout = run::lab_file(lab, "README.md");
  const std::string kernels = run::lab_file(lab, "kernels.cu");
  if (arguments.has("handout")) {
    print_handout(run::read_text(handout, "the handout"), arguments, console);
    return 0;
  }
  if (arguments.has("answers")) {
    if (!run::has_lab_file(lab, "answers.md")) {
      throw input_error(fmt::format("this copy of lab {} has no answers", lab.called()),
                        "it is a course's for its students: ask there");
    }
    const std::string answers = run::lab_file(lab, "answers.md");
    print_handout(run::read_text(answers, "the answers"), arguments, console);
    return 0;
  }
  if (arguments.has("sass")) {
    print_page(sass_page(lab, arguments, kernels), arguments, console);
    return 0;
  }
  if (arguments.has("json")) {
    fmt::print("{}\n", lab_json(lab, handout));
    return 0;
  }
  const std::vector<const Variant*> variants = chosen_variants(lab, arguments);
  if (const auto metric = arguments.value("formula")) {
    if (arguments.has("latex")) {
      fmt::print("{}", labs::latex_text(lab, variants, *metric));
    } else {
      print_page(labs::derivation_page(lab, variants, *metric), arguments, console);
    }
    return 0;
  }
  const bool asked = arguments.has("formulas") || !arguments.names("variant").empty();
  page::Page page;
  if (asked) {
    for (const Variant* variant : variants) {
      append(page, labs::variant_page(lab, *variant, arguments.has("formulas")));
    }
  } else {
    const bool told = run::has_lab_file(lab, "README.md");
    page = labs::overview_page(lab, told ? run::read_text(handout, "the handout") : std::string());
  }
  page.blocks.push_back({labs::params_table(lab, variants), page::Rank::kMain, true});
  append(page, {reading::lab_tables(lab, cases_of(variants, asked), asked)});
  if (!asked) add_next(lab, page);
  page.blocks.push_back(page::paragraph("The handout:  " + handout));
  page.blocks.push_back(page::sentence("The kernels:  " + kernels));
  print_page(page, arguments, console);
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
           {"handout", "", "Print the handout"},
           {"answers", "", "Print what a good answer to the handout's questions shows"},
           {"raw", "", "With --handout or --answers: the Markdown as it is"},
           page_option()},
          "  lab show 3\n  lab show 3 --handout\n  lab show 3 --sass --variant stride",
          run_show,
          true};
}

}  // namespace lab::cli
