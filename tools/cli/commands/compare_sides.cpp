#include "tools/cli/commands/compare_sides.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/labs/registry.h"
#include "harness/run/kernels.h"
#include "harness/run/parameters.h"
#include "harness/run/places.h"
#include "tools/cli/arguments/probe_options.h"
#include "tools/cli/arguments/run_options.h"
#include "tools/cli/commands/lab_run.h"
#include "tools/cli/commands/single_case.h"

namespace lab::cli {

namespace {

constexpr std::string_view kOwn = "lab:";

bool is_own(const std::string& word) { return word.starts_with(kOwn); }

std::string own_variant(const std::string& word) { return word.substr(kOwn.size()); }

// `transpose` of `transpose<float, 32>`.
std::string base_name(const std::string& kernel) { return kernel.substr(0, kernel.find('<')); }

// How many parameters each kernel of a text has, by name; 0: not known.
std::map<std::string, std::size_t> parameter_counts(const KernelText& text) {
  std::map<std::string, std::size_t> counts;
  for (const run::KernelName& one : run::kernel_names(text)) {
    counts[base_name(one.name)] = run::parameters_of(one.signature).size();
  }
  return counts;
}

// Variants of a lab whose kernel the file defines, in the lab's order: that a person's own kernel
// is called `naive`, too, does not make it the lab's.
std::vector<std::string> variants_in(const Lab& lab, const KernelText& text) {
  const std::map<std::string, std::size_t> counts = parameter_counts(text);
  std::vector<std::string> variants;
  for (const Variant& variant : lab.variants) {
    if (variant.points.empty() || !variant.library.empty()) continue;
    const Params& point = variant.points.front();
    const auto found = counts.find(base_name(variant.kernel(point)));
    if (found == counts.end()) continue;
    if (found->second == 0 || found->second == variant.args(point).size()) {
      variants.push_back(variant.name);
    }
  }
  return variants;
}

bool has_variant(const Lab& lab, const std::string& name) {
  return std::any_of(lab.variants.begin(), lab.variants.end(),
                     [&](const Variant& variant) { return variant.name == name; });
}

/// A side as the user gave it, read but not run.
struct Side {
  std::string word;
  std::optional<RunRecord> stored = {};
  std::optional<KernelText> file = {};
};

Side side_of(const std::string& word, const Arguments& arguments) {
  Side side{word};
  if (is_own(word)) return side;
  if (is_to_be_run(word)) {
    side.file = run::read_source(word, {});
  } else {
    db::Store store = db::Store::open(database_path(arguments), db::Mode::kReadOnly);
    side.stored = store.load_run(word);
  }
  return side;
}

bool may_be_of(const Side& side, const Lab& lab) {
  if (side.stored) return side.stored->lab == lab.number;
  if (side.file) return !variants_in(lab, *side.file).empty();
  return has_variant(lab, own_variant(side.word));
}

const Lab& lab_of(const std::array<Side, 2>& sides, const Arguments& arguments) {
  if (const auto name = arguments.value("lab")) return find_lab(*name);
  std::vector<const Lab*> fits;
  for (const Lab& lab : all_labs()) {
    if (may_be_of(sides[0], lab) && may_be_of(sides[1], lab)) fits.push_back(&lab);
  }
  if (fits.size() == 1) return *fits.front();
  std::vector<std::string> numbers;
  for (const Lab* lab : fits) numbers.push_back(lab->called());
  const bool files = sides[0].file && sides[1].file;
  const std::string_view none =
      files ? "no lab has the kernels of both: --grid, --block and --arg, as lab probe takes them, "
              "run two files of your own"
            : "no lab has the kernels of both; --lab N names one, lab show N lists its variants";
  throw input_error(
      fmt::format("it is not clear of which lab '{}' and '{}' are", sides[0].word, sides[1].word),
      fits.empty() ? std::string(none)
                   : fmt::format("--lab N with one of {}", fmt::join(numbers, ", ")));
}

// Where one side names a variant, the other is run as the same where it can be.
std::vector<std::string> variants_of(const Side& side, const Side& other, const Lab& lab,
                                     const Arguments& arguments) {
  if (is_own(side.word)) return {find_variant(lab, own_variant(side.word)).name};
  std::vector<std::string> all = variants_in(lab, *side.file);
  std::vector<std::string> named = arguments.names("variant");
  if (!named.empty()) {
    for (const std::string& name : named) static_cast<void>(find_variant(lab, name));
    return named;
  }
  if (!is_own(other.word)) return all;
  const std::string wanted = own_variant(other.word);
  if (all.size() == 1 || std::find(all.begin(), all.end(), wanted) != all.end()) {
    return {all.size() == 1 ? all.front() : wanted};
  }
  throw input_error(fmt::format("'{}' is none of the variants of '{}'", wanted, side.word),
                    fmt::format("--variant with one of {}", fmt::join(all, ", ")));
}

// The same points as the other side's cases, as far as both read the same parameters.
std::vector<CaseRequest> cases_like(const RunRecord& other, std::vector<CaseRequest> own) {
  std::vector<CaseRequest> cases;
  for (const CaseRecord& record : other.cases) {
    const bool same = std::any_of(own.begin(), own.end(), [&](const CaseRequest& request) {
      return request.variant == record.variant;
    });
    for (CaseRequest request : own) {
      if (same && request.variant != record.variant) continue;
      for (const auto& [name, value] : record.params.all()) {
        if (request.params.has(name)) request.params.set(name, value);
      }
      const bool known = std::any_of(cases.begin(), cases.end(), [&](const CaseRequest& one) {
        return one.variant == request.variant && one.params == request.params;
      });
      if (known) continue;
      request.index = static_cast<int>(cases.size());
      cases.push_back(std::move(request));
    }
  }
  return cases;
}

/// Runs the sides of one lab.
class SideRuns {
 public:
  SideRuns(const Lab& lab, const Arguments& arguments, const Console& console)
      : lab_(lab),
        arguments_(arguments),
        console_(console),
        backend_(backend_from(arguments, run::Backends::kAuto)),
        engines_(workers_from(arguments, console, backend_)) {}

  /// At the points of `like` where that is known.
  RunRecord run(const Side& side, const Side& other, const RunRecord* like) {
    run::Selection selection = selection_from(arguments_);
    selection.variants = variants_of(side, other, lab_, arguments_);
    selection.for_gpu = run::uses_gpu(backend_);
    // Parameters that this side's variants do not read are the other's.
    std::erase_if(selection.sweeps, [&](const auto& sweep) {
      return std::none_of(
          selection.variants.begin(), selection.variants.end(), [&](const auto& name) {
            const auto& reads = find_variant(lab_, name).reads;
            return std::find(reads.begin(), reads.end(), sweep.first) != reads.end();
          });
    });
    std::vector<CaseRequest> cases = run::plan_cases(lab_, selection);
    if (like != nullptr) cases = cases_like(*like, std::move(cases));
    return run_lab({&lab_, std::move(cases), side.file}, arguments_, engines_, console_).run;
  }

 private:
  const Lab& lab_;
  const Arguments& arguments_;
  const Console& console_;
  run::Backends backend_;
  run::EngineSet engines_;
};

}  // namespace

bool is_to_be_run(const std::string& word) { return is_own(word) || names_kernel_file(word); }

namespace {

// Two files with a launch: the kernel of each, of no lab.
std::pair<RunRecord, RunRecord> run_probes(const Arguments& arguments, const Console& console) {
  const run::Backends backend = backend_from(arguments, run::Backends::kAuto);
  const auto& words = arguments.positionals();
  RunRecord first = run_probe_case(words[0], arguments, console, {}, backend);
  return {std::move(first), run_probe_case(words[1], arguments, console, {}, backend)};
}

}  // namespace

namespace {

bool is_of_lab(const RunRecord& run) { return run.lab != 0 || !run.lab_id.empty(); }

std::string kernel_of(const RunRecord& run) {
  return run.cases.empty() ? std::string() : base_name(run.cases.front().kernel);
}

// The types of what its kernel takes, where its source says so.
std::vector<std::string> parameter_types(const RunRecord& run) {
  std::vector<std::string> types;
  for (const run::KernelName& one : run::kernel_names(source_of(run))) {
    if (base_name(one.name) != kernel_of(run)) continue;
    for (const run::Parameter& parameter : run::parameters_of(one.signature)) {
      types.push_back(parameter.type);
    }
  }
  return types;
}

// Two versions of a kernel in one file, such as a naive and a tiled one, take the same arguments.
bool are_versions(const RunRecord& first, const RunRecord& second) {
  const std::vector<std::string> types = parameter_types(first);
  return first.source_name == second.source_name && !types.empty() &&
         types == parameter_types(second);
}

}  // namespace

bool are_of_one_kernel(const RunRecord& first, const RunRecord& second) {
  return is_of_lab(first) || is_of_lab(second) || kernel_of(first) == kernel_of(second);
}

void require_related(const RunRecord& first, const RunRecord& second) {
  const auto what = [](const RunRecord& run) {
    if (is_of_lab(run)) return "lab " + run.called();
    return run.cases.empty() ? std::string("a probe") : kernel_of(run);
  };
  const bool related = first.called() == second.called() &&
                       (are_of_one_kernel(first, second) || are_versions(first, second));
  if (related) return;
  throw input_error(
      fmt::format("the two are of different things: {} and {}", what(first), what(second)),
      "what is compared is two runs of one lab, or of one kernel, or of two of a file that take "
      "the same parameters");
}

std::pair<RunRecord, RunRecord> run_sides(const Arguments& arguments, const Console& console) {
  const auto& words = arguments.positionals();
  if (arguments.has("grid")) {
    if (!names_kernel_file(words[0]) || !names_kernel_file(words[1])) {
      throw input_error("--grid is for two files of no lab");
    }
    return run_probes(arguments, console);
  }
  const std::array<Side, 2> sides = {side_of(words[0], arguments), side_of(words[1], arguments)};
  const Lab& lab = lab_of(sides, arguments);
  for (const auto& [name, text] : selection_from(arguments).sweeps) {
    static_cast<void>(parse_sweep(find_param(lab, name), text));  // for its error
  }
  SideRuns runs(lab, arguments, console);
  // A stored side says at which points the other runs.
  const std::size_t leads = sides[1].stored ? 1 : 0;
  const Side& lead = sides[leads];
  const Side& follower = sides[1 - leads];
  RunRecord led = lead.stored ? *lead.stored : runs.run(lead, follower, nullptr);
  RunRecord followed = runs.run(follower, lead, &led);
  if (leads == 1) std::swap(led, followed);
  return {std::move(led), std::move(followed)};
}

std::vector<Option> side_options() {
  std::vector<Option> options = {
      {"lab", "LAB", "The lab of files and of lab:VARIANT, where several labs fit"},
      {"param", "NAME=VALUES", "Values of a parameter for what is run, as lab run takes them",
       true}};
  for (Option& option : lab_run_options()) options.push_back(std::move(option));
  options.push_back({"kernel", "NAME", "Of two files of no lab: the kernel that both define"});
  for (Option& option : probe_option_rows()) options.push_back(std::move(option));
  for (Option& option : compile_option_rows()) options.push_back(std::move(option));
  return options;
}

}  // namespace lab::cli
