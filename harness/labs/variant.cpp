#include "harness/labs/variant.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/core/unicode.h"
#include "harness/labs/arrays.h"
#include "harness/labs/call.h"
#include "harness/labs/keys.h"
#include "harness/labs/points.h"
#include "harness/labs/theory.h"
#include "harness/reading/generations/pattern.h"
#include "harness/reading/generations/tables.h"

namespace lab::labs {
namespace {

bool is_addresses(const ParamSpec& spec) { return static_cast<bool>(spec.accepts); }

// ---- the launch
// -----------------------------------------------------------------------------------

struct LaunchFormulas {
  std::vector<WholeFormula> grid, block, dynamic_shared;
};

std::uint32_t extent(const WholeFormula& formula, const FormulaNames& names, std::int64_t least) {
  const std::int64_t value = formula.value(names);
  if (value < least || value > std::numeric_limits<std::int32_t>::max()) {
    throw input_error(fmt::format("a launch of {} = {}", formula.text.text, value),
                      fmt::format("from {} to 2147483647", least), formula.text.place);
  }
  return static_cast<std::uint32_t>(value);
}

Dim3 dim3_of(const std::vector<WholeFormula>& formulas, const FormulaNames& names) {
  Dim3 dim;
  std::uint32_t* const parts[] = {&dim.x, &dim.y, &dim.z};
  for (std::size_t i = 0; i < std::min(formulas.size(), std::size(parts)); ++i) {
    *parts[i] = extent(formulas[i], names, 1);
  }
  return dim;
}

std::vector<WholeFormula> whole_formulas(Scope& scope, const Section& table, std::string_view key,
                                         std::size_t most, Uses& uses) {
  std::vector<WholeFormula> formulas;
  for (const PlacedText& text : table.formulas(key)) {
    formulas.push_back(whole_formula(scope, text));
    add_uses(formulas.back().formula, uses);
  }
  if (formulas.size() > most) {
    throw table.wrong(key, fmt::format("'{}' has {} extents at most", key, most));
  }
  return formulas;
}

/// Reads one variant, part by part. `uses` collects the names of all that it reads.
class VariantReader {
 public:
  VariantReader(const Lab& lab, const VariantText& text)
      : lab_(lab), text_(text), table_(text.table), scope_(scope_of(lab, text)) {
    table_.expect_only(keys_of(KeyOf::kVariant));
    variant_.name = text.name;
  }

  Variant read() {
    variant_.summary = table_.text("summary").value_or("");
    if (variant_.summary.empty()) {
      throw table_.wrong("summary", fmt::format("variant '{}' has no summary", text_.name));
    }
    read_options();
    variant_.merged = table_.has("merged") && table_.flag("merged");
    read_launch();
    read_kernel_name();
    const Uses before_launch = uses_;
    read_arrays();
    variant_.theory = read_theory(scope_, table_.section("theory"), uses_);
    read_reference();
    read_checks();
    read_findings();
    // From there on `blocks` is the launch's, whatever parameter has that name.
    for (const LaunchName& one : launch_names()) {
      const std::string name(one.name);
      if (!before_launch.contains(name)) uses_.erase(name);
    }
    read_points_of_it();
    return std::move(variant_);
  }

 private:
  // A lab may be anybody's, and a compiler's options name files, too.
  void read_options() {
    constexpr std::string_view kHarmless[] = {
        "--ptxas-options=", "--maxrregcount=", "--fmad=", "--use_fast_math", "--ftz=", "-D"};
    variant_.options = table_.texts("options");
    for (const std::string& option : variant_.options) {
      const bool known =
          std::any_of(std::begin(kHarmless), std::end(kHarmless),
                      [&](std::string_view harmless) { return option.starts_with(harmless); });
      if (!known || option.find_first_of(" /\t\n") != std::string::npos) {
        throw table_.wrong("options", fmt::format("a lab may not ask for '{}'", safe_line(option)),
                           fmt::format("one of {}", fmt::join(kHarmless, ", ")));
      }
    }
  }

  void read_launch() {
    LaunchFormulas formulas{whole_formulas(scope_, table_, "grid", 3, uses_),
                            whole_formulas(scope_, table_, "block", 3, uses_),
                            whole_formulas(scope_, table_, "dynamic_shared", 1, uses_)};
    variant_.library = table_.text("library").value_or("");
    variant_.needs_gpu = !variant_.library.empty();
    if (!variant_.needs_gpu && (formulas.grid.empty() || formulas.block.empty())) {
      throw table_.wrong("grid", fmt::format("variant '{}' needs 'grid' and 'block'", text_.name));
    }
    variant_.launch = [formulas = std::move(formulas)](const Params& params) {
      const FormulaNames names = numbers_of(params);
      Launch launch{dim3_of(formulas.grid, names), dim3_of(formulas.block, names), 0};
      if (!formulas.dynamic_shared.empty()) {
        launch.dynamic_shared_bytes = extent(formulas.dynamic_shared.front(), names, 0);
      }
      return launch;
    };
  }

  void read_kernel_name() {
    const auto text = table_.formula("kernel");
    const KernelOf kernel =
        text ? read_kernel(scope_, *text, uses_)
             : KernelOf([name = text_.name](const FormulaNames&) { return name; });
    variant_.kernel = [kernel, library = variant_.needs_gpu](const Params& params) {
      return library ? std::string() : kernel(numbers_of(params));
    };
  }

  // ---- buffers and arguments --------------------------------------------------------------------

  void read_buffers(std::string_view key, Direction direction) {
    const Section table = table_.section(key);
    for (const std::string& name : table.keys()) {
      if (!is_plain_name(name)) {
        throw table.wrong(name, fmt::format("'{}' is not a name", name), kPlainNames);
      }
      const PlacedText text = *table.formula(name);
      known_.buffers.push_back(name);
      buffers_.emplace_back(name, read_buffer(scope_, name, text, direction, uses_));
      if (direction == Direction::kOut && first_output_.empty()) first_output_ = name;
    }
  }

  void read_arrays() {
    for (const ParamSpec& spec : lab_.params) {
      if (is_addresses(spec)) known_.addresses.push_back(spec.name);
    }
    read_buffers("inputs", Direction::kIn);
    read_buffers("outputs", Direction::kOut);
    scope_.offer(known_.buffers);
    const auto text = table_.formula("arguments");
    if (!text)
      throw table_.wrong("arguments", fmt::format("variant '{}' has no arguments", text_.name));
    const auto arguments = read_arguments(scope_, *text, known_, uses_);
    const bool addresses = std::any_of(arguments.begin(), arguments.end(),
                                       [](const auto& one) { return !one.addresses.empty(); });
    variant_.args = [arguments, buffers = buffers_,
                     launch = variant_.launch](const Params& params) {
      const FormulaNames names = formula_names(params, launch(params));
      std::vector<ArgSpec> args;
      for (const ArgumentFormula& one : arguments) append(one, buffers, params, names, args);
      return args;
    };
    if (addresses) read_pattern_of_lanes();
  }

  using NamedBuffers = std::vector<std::pair<std::string, BufferOf>>;

  // Of a lane that is off, -1.
  static std::vector<ScalarSpec> addresses_of(const Params& params) {
    std::vector<ScalarSpec> numbers;
    for (const auto& address : pattern_of(params)) {
      numbers.push_back(scalar_i32(address ? static_cast<std::int64_t>(*address) : -1));
    }
    return numbers;
  }

  static void append(const ArgumentFormula& one, const NamedBuffers& buffers, const Params& params,
                     const FormulaNames& names, std::vector<ArgSpec>& args) {
    if (!one.addresses.empty()) {
      for (const ScalarSpec& address : addresses_of(params)) args.emplace_back(address);
      return;
    }
    for (const auto& [name, make] : buffers) {
      if (name == one.buffer) return args.push_back(make(names).spec);
    }
    args.emplace_back(one.scalar(names));
  }

  // The published rules count a list of addresses case by case: no formula has these numbers.
  void read_pattern_of_lanes() {
    variant_.counts = counts_of_pattern;
    variant_.launch = [launch = variant_.launch](const Params& params) {
      require_aligned(pattern_of(params), static_cast<std::uint32_t>(params.number("bytes")));
      return launch(params);
    };
  }

  // ---- what is expected -------------------------------------------------------------------------

  // A thread for each element of the first output, or of the buffer that `for` names.
  void read_reference() {
    const auto text = table_.formula("reference");
    if (!text) return;
    const CallText call = split_call(*text);
    const std::string over = table_.text("for").value_or(first_output_);
    if (std::find(known_.buffers.begin(), known_.buffers.end(), over) == known_.buffers.end()) {
      throw table_.wrong(table_.has("for") ? "for" : "reference",
                         fmt::format("there is no buffer '{}'", over),
                         suggestion(over, known_.buffers));
    }
    variant_.reference = [kernel = read_kernel(scope_, call.kernel, uses_),
                          arguments = read_arguments(scope_, call.arguments, known_, uses_), over,
                          buffers = buffers_, launch = variant_.launch](const Params& params) {
      const FormulaNames names = formula_names(params, launch(params));
      const TypedBuffer counted = buffer_called(buffers, over, names);
      const auto elements = counted.spec.count / static_cast<std::uint64_t>(counted.parts);
      ReferenceCall made{kernel(names), thread_each(elements), {}};
      for (const ArgumentFormula& one : arguments) append(one, params, names, made.args);
      return std::optional(std::move(made));
    };
  }

  static Launch thread_each(std::uint64_t elements) {
    constexpr std::uint64_t kBlock = 256;
    const std::uint64_t blocks = std::max<std::uint64_t>(1, (elements + kBlock - 1) / kBlock);
    return {{static_cast<std::uint32_t>(blocks)}, {kBlock}, 0};
  }

  static void append(const ArgumentFormula& one, const Params& params, const FormulaNames& names,
                     std::vector<CallArgument>& args) {
    if (!one.addresses.empty()) {
      for (const ScalarSpec& address : addresses_of(params)) args.emplace_back(address);
    } else if (!one.buffer.empty()) {
      args.emplace_back(one.buffer);
    } else {
      args.emplace_back(one.scalar(names));
    }
  }

  void read_checks() {
    if (const auto check = table_.formula("check")) {
      for (const PlacedText& word : split_list(*check)) read_tolerance(word);
    }
    if (const auto terms = table_.formula("terms")) {
      const WholeFormula formula = whole_formula(scope_, *terms);
      add_uses(formula.formula, uses_);
      variant_.terms = [formula](const Params& params) {
        return formula.value(numbers_of(params));
      };
    }
    read_unchecked();
  }

  void read_tolerance(const PlacedText& word) {
    if (word.text == "exact") return;
    const std::size_t blank = word.text.find(' ');
    const std::string kind = word.text.substr(0, blank);
    double* const into = kind == "relative"   ? &variant_.tolerance.relative
                         : kind == "absolute" ? &variant_.tolerance.absolute
                                              : nullptr;
    const auto number = into == nullptr || blank == std::string::npos
                            ? std::nullopt
                            : number_in(word.text.substr(blank + 1));
    if (!number || !(*number >= 0)) {
      throw input_error(fmt::format("'{}' is not a tolerance", word.text),
                        "exact, relative 1e-5, or absolute 1e-6", word.place);
    }
    *into = *number;
  }

  static std::optional<double> number_in(const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return end == text.c_str() || *end != '\0' ? std::nullopt : std::optional(value);
  }

  /// Elements of a buffer from `first` on, `every` so many; without that it is one element.
  struct Places {
    std::string buffer;
    WholeFormula first;
    std::optional<WholeFormula> every;
  };

  void read_unchecked() {
    const Section table = table_.section("unchecked");
    std::vector<Places> all;
    for (const std::string& buffer : table.keys()) {
      const auto formulas = whole_formulas(scope_, table, buffer, 2, uses_);
      if (std::find(known_.buffers.begin(), known_.buffers.end(), buffer) == known_.buffers.end()) {
        throw table.wrong(buffer, fmt::format("there is no buffer '{}'", buffer),
                          suggestion(buffer, known_.buffers));
      }
      all.push_back({buffer, formulas.front(),
                     formulas.size() > 1 ? std::optional(formulas[1]) : std::nullopt});
    }
    if (all.empty()) return;
    const bool blocks_race = table_.has("blocks_race") && table_.flag("blocks_race");
    variant_.unchecked = [all, blocks_race, buffers = buffers_,
                          launch = variant_.launch](const Params& params) {
      const FormulaNames names = formula_names(params, launch(params));
      std::vector<Unchecked> ranges;
      for (const Places& places : all) {
        const TypedBuffer buffer = buffer_called(buffers, places.buffer, names);
        add_ranges(places, buffer, names, blocks_race, ranges);
      }
      return ranges;
    };
  }

  static TypedBuffer buffer_called(const NamedBuffers& buffers, const std::string& name,
                                   const FormulaNames& names) {
    const auto found = std::find_if(buffers.begin(), buffers.end(),
                                    [&](const auto& one) { return one.first == name; });
    return found->second(names);
  }

  static void add_ranges(const Places& places, const TypedBuffer& buffer, const FormulaNames& names,
                         bool blocks_race, std::vector<Unchecked>& ranges) {
    const std::int64_t first = places.first.value(names);
    if (first < 0) return;
    const std::int64_t every = places.every ? places.every->value(names) : 0;
    // Elements as the file has them: a float4 is four of the buffer's.
    const auto parts = static_cast<std::uint64_t>(buffer.parts);
    const auto count = static_cast<std::int64_t>(buffer.spec.count / parts);
    constexpr std::int64_t kMostPlaces = 1 << 20;
    if (every > 0 && (count - first) / every > kMostPlaces) {
      throw input_error(fmt::format("more than {} elements are unchecked", kMostPlaces), {},
                        places.first.text.place);
    }
    for (std::int64_t at = first; at < count; at += every) {
      ranges.push_back(
          {buffer.spec.name, static_cast<std::uint64_t>(at) * parts, parts, blocks_race});
      if (every <= 0) break;
    }
  }

  void read_findings() {
    for (const TomlTable& one : table_.tables("finds")) {
      one.expect_only(keys_of(KeyOf::kFinding));
      variant_.expected_findings.push_back({one.required("kind", "such as shared_race"),
                                            one.required("line", "a part of the line")});
    }
    variant_.model_only = !variant_.expected_findings.empty();
  }

  // ---- points -----------------------------------------------------------------------------------

  void read_points_of_it() {
    std::vector<ParamSpec> taken;
    for (const ParamSpec& spec : lab_.params) {
      if (!uses_.contains(spec.name)) continue;
      variant_.reads.push_back(spec.name);
      taken.push_back(spec);
    }
    std::vector<PlacedText> sweeps = table_.formulas("points");
    if (sweeps.empty()) sweeps.push_back({"", {}});
    variant_.points = read_points(taken, sweeps);
    variant_.gpu_points = read_points(taken, table_.formulas("gpu_points"));
    std::vector<Params> all = variant_.points;
    all.insert(all.end(), variant_.gpu_points.begin(), variant_.gpu_points.end());
    variant_.telling = pick_points(taken, table_.formulas("telling"), all);
  }

  const Lab& lab_;
  const VariantText& text_;
  const Section& table_;
  Scope scope_;
  Variant variant_;
  Uses uses_;
  ArgumentNames known_;
  NamedBuffers buffers_;
  std::string first_output_;
};

}  // namespace

Scope scope_of(const Lab& lab, const VariantText& text) {
  std::set<std::string> names;
  for (const LaunchName& one : launch_names()) names.emplace(one.name);
  for (const ParamSpec& spec : lab.params) names.insert(spec.name);
  return {text.where, std::move(names)};
}

Variant read_variant(const Lab& lab, const VariantText& text) {
  return VariantReader(lab, text).read();
}

std::vector<TheoryRow> read_written(const Lab& lab, const VariantText& text) {
  Scope scope = scope_of(lab, text);
  Uses unused;
  return read_theory(scope, text.table.section("as_written"), unused);
}

}  // namespace lab::labs
