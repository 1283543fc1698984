#include "harness/run/fix.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab::run {

namespace {

// What a kernel may declare, and what a launch may ask for: CUDA C++ Programming Guide, table of
// technical specifications, 9.0.
constexpr std::uint64_t kMostStatic = 48 * 1024;
constexpr std::uint64_t kMostDynamic = 227 * 1024;

bool is_global(const TracedArray& array) { return array.space == Space::kGlobal; }

// `tile` of `_ZZ4kernPfE4tile`.
std::string source_name(const TracedArray& array) {
  const std::string name = symbol_signature(array.name);
  const std::size_t last = name.rfind("::");
  return last == std::string::npos ? name : name.substr(last + 2);
}

/// The extents' product as far as they are known, and how many are not.
struct Product {
  std::uint64_t known = 1;
  std::size_t unknown = 0;
};

Product product(const std::vector<source::Extent>& extents) {
  Product all;
  for (const source::Extent& extent : extents) {
    all.known *= extent.value.value_or(1);
    all.unknown += extent.value ? 0 : 1;
  }
  return all;
}

// The number that `count` equal factors make `product`; empty: there is none.
std::optional<std::uint64_t> root(std::uint64_t product, std::size_t count) {
  if (count == 1) return product;
  for (std::uint64_t one = 1; one * one <= product; ++one) {
    if (count == 2 && one * one == product) return one;
  }
  return {};
}

// Extents that the text does not tell, such as a template's, follow from the array's bytes: one, or
// two that are written alike. Empty: the declaration cannot be this array's.
std::optional<source::SharedArray> with_extents(source::SharedArray declared,
                                                const TracedArray& array, std::uint32_t narrowest) {
  const Product all = product(declared.extents);
  const auto type = source::bytes_of_type(declared.type);
  if (all.known == 0 || array.bytes % all.known != 0) return {};
  const std::uint64_t rest = array.bytes / all.known;
  if (all.unknown == 0) return !type || *type == rest ? std::optional(declared) : std::nullopt;
  const std::uint32_t element = type.value_or(narrowest);
  const auto one = rest % element == 0 ? root(rest / element, all.unknown) : std::nullopt;
  if (!one) return {};
  const std::string* text = nullptr;
  for (source::Extent& extent : declared.extents) {
    if (extent.value) continue;
    if (text != nullptr && *text != extent.text) return {};
    text = &extent.text;
    extent.value = one;
  }
  return declared;
}

// Of several that can be it, since kernels of a text may each have a `tile`, the last one above the
// first line that uses it.
std::optional<source::SharedArray> declaration_of(const std::vector<source::SharedArray>& all,
                                                  const TracedArray& array, const std::string& name,
                                                  int first_line, std::uint32_t narrowest) {
  std::optional<source::SharedArray> found;
  for (const source::SharedArray& one : all) {
    if (one.is_dynamic != array.name.empty()) continue;
    if (!one.is_dynamic && one.name != name) continue;
    const auto whole = one.is_dynamic ? std::optional(one) : with_extents(one, array, narrowest);
    if (whole && (!found || one.line <= first_line)) found = whole;
  }
  return found;
}

std::uint32_t narrowest(const std::vector<layout::Use>& uses) {
  std::uint32_t bytes = layout::kMatrixRowBytes;
  for (const layout::Use& use : uses) bytes = std::min(bytes, use.unit);
  return std::max(bytes, 1U);
}

// An element as declared, where no access is narrower or wider than what it can be a part of;
// else what the narrowest access takes, so that fields of structures can part.
std::uint32_t element_of(const std::optional<source::SharedArray>& declared,
                         const TracedArray& array, const std::vector<layout::Use>& uses) {
  if (declared) {
    if (const auto bytes = source::bytes_of_type(declared->type)) return *bytes;
    const std::uint64_t bytes = array.bytes / product(declared->extents).known;
    const bool simple = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
    if (!declared->is_dynamic && simple) return static_cast<std::uint32_t>(bytes);
  }
  return narrowest(uses);
}

void add_columns(const ArrayFix& fix, const FixOptions& options, layout::Problem& problem) {
  if (options.row) {
    problem.columns = {*options.row};
  } else if (fix.declared && fix.declared->extents.size() > 1 &&
             fix.declared->extents.back().value) {
    problem.columns = {*fix.declared->extents.back().value};
  } else {
    problem.columns = layout::suggested_columns(problem);
  }
}

/// The uses of one array, with the numbers of their instructions.
class Uses {
 public:
  void add(const TracedAccess& traced) {
    layout::Use use;
    use.rule = traced.rule;
    use.bytes = static_cast<std::uint32_t>(traced.access.bytes_per_lane);
    use.unit =
        static_cast<std::uint32_t>(std::min(traced.unit_bytes, traced.access.bytes_per_lane));
    use.offset = traced.access.address;
    use.times = traced.times;
    const std::pair key(traced.access.line, traced.access.op);
    const std::pair site(traced.access.line, traced.access.text);
    use.site = sites_.emplace(site, static_cast<int>(sites_.size())).first->second;
    by_line_[key].push_back(use);
    all_.push_back(use);
  }

  [[nodiscard]] const std::vector<layout::Use>& all() const { return all_; }
  [[nodiscard]] int first_line() const { return by_line_.begin()->first.first; }

  [[nodiscard]] std::vector<UsedLine> lines(std::uint32_t element) const {
    std::vector<UsedLine> lines;
    for (const auto& [key, uses] : by_line_) {
      UsedLine line{key.first, key.second};
      for (const layout::Use& use : uses) line.requests += use.times;
      line.cost = layout::cost(uses, element, {}).value_or(0);
      line.least = layout::least(uses);
      lines.push_back(line);
    }
    std::stable_sort(lines.begin(), lines.end(), [](const UsedLine& a, const UsedLine& b) {
      return a.cost - a.least > b.cost - b.least;
    });
    return lines;
  }

 private:
  std::map<std::pair<int, std::string>, int> sites_;
  std::map<std::pair<int, AccessOp>, std::vector<layout::Use>> by_line_;
  std::vector<layout::Use> all_;
};

std::uint64_t most_bytes(const TracedArray& array, const std::vector<TracedArray>& all) {
  if (is_global(array)) return ~std::uint64_t{0};
  std::uint64_t others = 0;
  for (const TracedArray& one : all) others += is_global(one) ? 0 : one.bytes;
  others -= array.bytes;
  const std::uint64_t most = array.name.empty() ? kMostDynamic : kMostStatic;
  return std::max(most > others ? most - others : 0, array.bytes);
}

std::uint64_t gain(const ArrayFix& fix) {
  if (fix.solution.better.empty()) return 0;
  return fix.solution.now.cost - fix.solution.better.front().cost;
}

void require_array(const std::vector<ArrayFix>& fixes, const std::string& name) {
  if (name.empty() || !fixes.empty()) return;
  throw input_error(fmt::format("the kernel accesses no array '{}'", name),
                    "lab fix without --array lists those that it does");
}

}  // namespace

std::vector<ArrayFix> arrays_of(const CaseOutcome& outcome, const KernelText& source,
                                const FixOptions& options) {
  std::vector<source::SharedArray> declared = source::shared_arrays_of(source.text);
  for (const IncludedText& one : source.included) {
    for (source::SharedArray& array : source::shared_arrays_of(one.text)) {
      declared.push_back(std::move(array));
    }
  }
  std::map<int, Uses> uses;
  for (const TracedAccess& traced : outcome.traced) {
    if (traced.array < 0 || traced.rule == CostRule::kUncounted) continue;
    uses[traced.array].add(traced);
  }
  std::vector<ArrayFix> fixes;
  for (const auto& [number, of_array] : uses) {
    ArrayFix fix;
    fix.array = outcome.arrays[static_cast<std::size_t>(number)];
    if (options.shared_alone && is_global(fix.array)) continue;
    fix.name = source_name(fix.array);
    if (!is_global(fix.array)) {
      fix.declared = declaration_of(declared, fix.array, fix.name, of_array.first_line(),
                                    narrowest(of_array.all()));
      if (fix.declared) fix.name = fix.declared->name;
    }
    if (!options.array.empty() && fix.name != options.array) continue;
    layout::Problem& problem = fix.problem;
    problem.global = is_global(fix.array);
    problem.bytes = fix.array.bytes;
    problem.uses = of_array.all();
    problem.element = element_of(fix.declared, fix.array, problem.uses);
    problem.most_bytes = options.forbidden == Forbidden::kPadding
                             ? fix.array.bytes
                             : most_bytes(fix.array, outcome.arrays);
    add_columns(fix, options, problem);
    fix.lines = of_array.lines(problem.element);
    fixes.push_back(std::move(fix));
  }
  require_array(fixes, options.array);
  return fixes;
}

std::vector<ArrayFix> fixes_of(const CaseOutcome& outcome, const KernelText& source,
                               const FixOptions& options) {
  std::vector<ArrayFix> fixes = arrays_of(outcome, source, options);
  for (ArrayFix& fix : fixes) fix.solution = layout::solve(fix.problem);
  std::stable_sort(fixes.begin(), fixes.end(),
                   [](const ArrayFix& a, const ArrayFix& b) { return gain(a) > gain(b); });
  return fixes;
}

}  // namespace lab::run
