#include "harness/labs/lab_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/metric_keys.h"
#include "harness/core/text.h"
#include "harness/core/unicode.h"
#include "harness/labs/keys.h"
#include "harness/labs/rows.h"
#include "harness/labs/scope.h"
#include "harness/labs/screen.h"
#include "harness/labs/section.h"
#include "harness/labs/toml/table.h"
#include "harness/labs/variant.h"
#include "harness/reading/generations/pattern.h"
#include "harness/reading/generations/tables.h"
#include "metrics/catalogue.h"

namespace lab::labs {
namespace {

// ---- parameters
// -----------------------------------------------------------------------------------

// Beyond, numbers of formulas skip whole ones.
constexpr std::int64_t kMostNumber = std::int64_t{1} << 53;
constexpr std::size_t kMostVariants = 1000;
constexpr std::size_t kMostPointsOfLab = 200000;

void read_numbers(const TomlTable& table, ParamSpec& spec) {
  spec.fallback = table.whole("default", INT64_MIN, INT64_MAX).value_or(0);
  spec.only = table.wholes("values");
  const std::vector<std::int64_t> range = table.wholes("range");
  if (spec.only.empty() == range.empty() || (spec.only.empty() && range.size() != 2)) {
    throw table.wrong(
        table.has("range") ? "range" : "values",
        fmt::format("'{}' needs `range = [first, last]` or `values = [...]`", spec.name));
  }
  if (!range.empty()) {
    spec.min = range[0];
    spec.max = range[1];
  } else {
    spec.min = *std::min_element(spec.only.begin(), spec.only.end());
    spec.max = *std::max_element(spec.only.begin(), spec.only.end());
  }
  if (spec.min > spec.max || spec.min < -kMostNumber || spec.max > kMostNumber) {
    throw table.wrong(table.has("range") ? "range" : "values",
                      fmt::format("'{}' goes from {} to {}", spec.name, spec.min, spec.max),
                      "from the least to the greatest, and not beyond 2^53");
  }
  if (!table.has("default"))
    throw table.wrong("default", fmt::format("'{}' has no default", spec.name));
  static_cast<void>(
      table.placed("default", [&] { return parse_sweep(spec, to_text(spec.fallback)); }));
}

void read_addresses(const TomlTable& table, ParamSpec& spec) {
  spec.fallback = table.required("default", "32 addresses, such as 0..124+4");
  spec.accepts = [name = spec.name](std::string_view text) {
    static_cast<void>(read_pattern(text, name));
  };
  table.placed("default", [&] {
    spec.accepts(std::get<std::string>(spec.fallback));
    return 0;
  });
}

std::vector<ParamSpec> read_params(const TomlTable& root) {
  std::vector<ParamSpec> params;
  const auto table = root.table("parameters");
  if (!table) return params;
  for (const std::string& name : table->keys()) {
    const TomlTable one = *table->table(name);
    one.expect_only(keys_of(KeyOf::kParameter));
    ParamSpec spec{name, one.required("is", "what the parameter means"), std::int64_t{0}};
    const std::string kind = one.text("kind").value_or("number");
    if (kind == "addresses") {
      read_addresses(one, spec);
    } else if (kind == "number") {
      read_numbers(one, spec);
    } else {
      throw one.wrong("kind", fmt::format("there is no kind '{}'", kind), "number or addresses");
    }
    params.push_back(std::move(spec));
  }
  return params;
}

// ---- variants
// -------------------------------------------------------------------------------------

class LabReader {
 public:
  LabReader(const std::string& folder, const TomlTable& root)
      : root_(root), lab_(named_lab(folder)) {
    root.expect_plain_texts();
    root.expect_only(keys_of(KeyOf::kLab));
    lab_.title = root.required("title", "a word or two");
    lab_.summary = root.required("summary", "a line for `lab list`");
    lab_.lesson = root.text("lesson").value_or("");
    lab_.headline = root.texts("headline");
    for (const std::string& metric : lab_.headline) {
      root.placed("headline", [&] { return &metrics::at(metric); });
    }
    if (root.flag("generations").value_or(false)) lab_.tables = generation_tables;
    lab_.params = read_params(root);
  }

  Lab read() {
    require_names();
    const auto table = root_.table("variant");
    if (!table)
      throw root_.wrong("variant", "the lab has no variant", "begin one with [variant.name]");
    variants_ = *table;
    require_few(variants_->keys().size(), kMostVariants, "variants");
    std::size_t points = 0;
    for (const std::string& name : variants_->keys()) {
      const Variant& made = lab_.variants.emplace_back(read_variant(lab_, text_of(name)));
      points += made.points.size() + made.gpu_points.size();
      require_few(points, kMostPointsOfLab, "points");
    }
    for (const std::string& name : variants_->keys()) add_written(name);
    for (Variant& variant : lab_.variants) add_counter_of_all(variant.theory);
    if (const auto screen = root_.table("screen")) {
      lab_.screen = read_screen(*screen, lab_, [&](const std::string& variant) {
        return scope_of(lab_, text_of(variant));
      });
    }
    if (const auto goal = root_.table("goal")) lab_.goal = read_goal(*goal, lab_);
    if (const auto picture = root_.table("picture")) lab_.picture = read_picture(*picture, lab_);
    make_safe();
    return std::move(lab_);
  }

 private:
  void require_few(std::size_t count, std::size_t most, std::string_view what) const {
    if (count <= most) return;
    throw root_.wrong("variant", fmt::format("the lab has more than {} {}", most, what));
  }

  // They are printed, and formulas name them.
  static void require_name(const TomlTable& table, const std::string& name) {
    if (is_plain_name(name)) return;
    throw table.wrong(name, fmt::format("'{}' is not a name", safe_line(name)), kPlainNames);
  }

  void require_names() const {
    for (const char* key : {"parameters", "where", "variant"}) {
      const auto table = root_.table(key);
      if (!table) continue;
      for (const std::string& name : table->keys()) require_name(*table, name);
    }
  }

  // A lab's texts may be anybody's.
  void make_safe() {
    for (std::string* text : {&lab_.title, &lab_.summary, &lab_.lesson}) *text = safe_line(*text);
    for (ParamSpec& spec : lab_.params) spec.help = safe_line(spec.help);
    for (Variant& variant : lab_.variants) {
      variant.summary = safe_line(variant.summary);
      for (TheoryRow& row : variant.theory) row.why = safe_line(row.why);
    }
  }

  VariantText text_of(const std::string& name) const {
    Section where;
    if (const auto of_all = root_.table("where")) where = Section({*of_all});
    const Section table = layers_of(name);
    return {name, table, table.section("where").behind(where)};
  }

  Section layers_of(const std::string& name) const {
    std::vector<TomlTable> layers;
    std::vector<std::string> names;
    for (std::string next = name; !next.empty();) {
      const TomlTable table = *variants_->table(next);
      layers.push_back(table);
      names.push_back(next);
      next = table.text("like").value_or("");
      if (next.empty()) break;
      if (!variants_->has(next)) {
        throw table.wrong("like", fmt::format("there is no variant '{}'", next),
                          suggestion(next, variants_->keys()));
      }
      if (std::find(names.begin(), names.end(), next) != names.end()) {
        throw table.wrong("like",
                          fmt::format("variants take after each other in a circle: {} -> {}",
                                      fmt::join(names, " -> "), next));
      }
    }
    return Section(std::move(layers));
  }

  Variant& variant_called(const std::string& name) {
    return *std::find_if(lab_.variants.begin(), lab_.variants.end(),
                         [&](const Variant& variant) { return variant.name == name; });
  }

  // Where the compiler merges accesses, a row keeps the source's formula beside its own.
  void add_written(const std::string& name) {
    const VariantText text = text_of(name);
    const TomlKind kind = text.table.kind("as_written");
    if (kind == TomlKind::kNone) return;
    Variant& variant = variant_called(name);
    if (kind == TomlKind::kTable) return write_beside(variant.theory, read_written(lab_, text));
    const std::string other = *text.table.text("as_written");
    if (!variants_->has(other)) {
      throw text.table.wrong("as_written", fmt::format("there is no variant '{}'", other),
                             suggestion(other, variants_->keys()));
    }
    write_beside(variant.theory, variant_called(other).theory);
  }

  // Of the conflicts that addresses cause the hardware has a counter, too, so that theory says the
  // same of both.
  static void add_counter_of_all(std::vector<TheoryRow>& theory) {
    const auto sum = std::find_if(theory.begin(), theory.end(), [](const TheoryRow& row) {
      return row.metric == metric::kSharedBankConflicts;
    });
    if (sum == theory.end()) return;
    TheoryRow counter = *sum;
    counter.metric = metric::kSharedConflictsAll;
    theory.insert(sum + 1, std::move(counter));
  }

  const TomlTable& root_;
  Lab lab_;
  std::optional<TomlTable> variants_;
};

}  // namespace

Lab named_lab(const std::string& folder) {
  Lab lab;
  lab.folder = folder;
  lab.id = folder;
  const std::size_t digits = folder.find_first_not_of("0123456789");
  if (digits != std::string::npos && digits > 0 && digits < 4 && folder[digits] == '_') {
    std::from_chars(folder.data(), folder.data() + digits, lab.number);
    lab.id = folder.substr(digits + 1);
  }
  if (lab.number > 0) return lab;
  // Results are stored by number, and the same name is the same lab on any machine.
  constexpr unsigned kRoom = 9000;  // as views of a database take them
  unsigned hash = 2166136261U;      // FNV-1a, 32 bits
  for (const char c : folder) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  lab.number = kFirstOfNames + static_cast<int>(hash % kRoom);
  return lab;
}

Lab read_lab(const std::string& folder, const std::string& path, const std::string& text) {
  try {
    const TomlTable root = read_toml(path, text);
    return LabReader(folder, root).read();
  } catch (const Error& error) {
    throw with_line(error, path, text);
  }
}

}  // namespace lab::labs
