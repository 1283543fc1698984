#include "harness/labs/theory.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/metric_keys.h"
#include "harness/core/text.h"
#include "harness/labs/keys.h"
#include "harness/labs/rows.h"
#include "metrics/catalogue.h"

namespace lab::labs {
namespace {

using language::Access;

/// What a compound row is called, and what it speaks of.
struct Compound {
  std::string_view key;
  Op op;
  bool shared;
};
constexpr Compound kCompounds[] = {{"global_load", Op::kLoad, false},
                                   {"global_store", Op::kStore, false},
                                   {"shared_load", Op::kLoad, true},
                                   {"shared_store", Op::kStore, true}};
constexpr std::string_view kMoved = "moved";

class TheoryReader {
 public:
  TheoryReader(Scope& scope, const Section& theory) : scope_(scope), theory_(theory) {}

  std::vector<TheoryRow> read() {
    for (const Compound& compound : kCompounds) {
      if (theory_.has(compound.key)) compounds_[std::string(compound.key)] = rows_of(compound);
    }
    // Formulas of other rows may name what these define.
    for (const auto& [key, rows] : compounds_) define(rows);
    if (const auto conflicts = summed_conflicts()) {
      scope_.define_metric(std::string(metric::kSharedBankConflicts), conflicts->formula);
    }
    const std::vector<std::string> keys = theory_.keys();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      add(keys[i]);
      const bool more = std::any_of(keys.begin() + static_cast<std::ptrdiff_t>(i) + 1, keys.end(),
                                    [&](const std::string& key) { return is_shared(key); });
      if (is_shared(keys[i]) && !more) add_conflicts();
    }
    return std::move(rows_);
  }

 private:
  static bool is_shared(const std::string& key) {
    return key == "shared_load" || key == "shared_store";
  }

  void define(const std::vector<TheoryRow>& rows) {
    for (const TheoryRow& row : rows) {
      scope_.define_metric(row.metric, term(short_name(row.metric), row.formula, "of the launch"));
      bare_.insert_or_assign(row.metric, row.formula);
    }
  }

  // `lines` of global_load_lines.
  static std::string short_name(const std::string& metric) {
    for (const Compound& compound : kCompounds) {
      if (metric.starts_with(compound.key)) return metric.substr(compound.key.size() + 1);
    }
    return metric;
  }

  void add(const std::string& key) {
    if (const auto rows = compounds_.find(key); rows != compounds_.end()) return put(rows->second);
    if (key == kMoved) return put(moved());
    if (key == metric::kSharedBankConflicts && !has_formula(key)) return;
    put_explicit(metric_row(key));
  }

  // A row that a metric has by its own name stands where the others have it.
  void put(const std::vector<TheoryRow>& rows) {
    for (const TheoryRow& row : rows) {
      if (has_formula(row.metric)) {
        put_explicit(metric_row(row.metric));
      } else {
        rows_.push_back(row);
      }
    }
  }
  void put_explicit(TheoryRow row) {
    const bool known = std::any_of(rows_.begin(), rows_.end(), [&](const TheoryRow& other) {
      return other.metric == row.metric;
    });
    if (known) return;
    scope_.define_metric(row.metric, row.formula);
    rows_.push_back(std::move(row));
  }

  [[nodiscard]] bool has_formula(std::string_view key) const {
    const TomlKind kind = theory_.kind(key);
    return kind == TomlKind::kTable ? theory_.row(key).has("is") : kind != TomlKind::kNone;
  }

  // ---- accesses ---------------------------------------------------------------------------------

  Access whole_access(const PlacedText& formula) {
    return told_at(formula, [&] { return language::access_of(scope_.value(formula)); });
  }

  std::optional<Expr> part(const Section& row, std::string_view key) {
    const auto formula = row.formula(key);
    return formula ? std::optional(scope_.number(*formula)) : std::nullopt;
  }
  Expr needed(const Section& row, std::string_view row_key, std::string_view key) {
    if (auto found = part(row, key)) return *found;
    throw row.wrong(key, fmt::format("'{}' needs '{}'", row_key, key));
  }

  std::vector<TheoryRow> rows_of(const Compound& compound) {
    const std::string_view key = compound.key;
    const Section row = theory_.row(key);
    const std::string why = row.empty() ? std::string() : row.text("why").value_or("");
    const auto formula = row.empty() ? theory_.formula(key) : row.formula("is");
    if (compound.shared) {
      row.expect_only(keys_of(KeyOf::kSharedRow));
      const SharedCost cost = formula ? shared_cost(*formula) : shared_cost(row, key);
      costs_.emplace_back(compound.op, cost);
      return shared_rows(compound.op, cost, why);
    }
    row.expect_only(keys_of(KeyOf::kGlobalRow));
    if (formula) return global_rows(compound.op, whole_access(*formula), why);
    const Access access{needed(row, key, "requests"), needed(row, key, "sectors"),
                        needed(row, key, "bytes"), part(row, "lines"), std::nullopt};
    return global_rows(compound.op, access, why);
  }

  SharedCost shared_cost(const PlacedText& formula) {
    const Access access = whole_access(formula);
    if (!access.shared) {
      throw input_error("the banks of this access are not known",
                        "write { requests = ..., ways = ... } in its place", formula.place);
    }
    return {access.requests, *access.shared};
  }

  SharedCost shared_cost(const Section& row, std::string_view key) {
    SharedCost cost{needed(row, key, "requests"), {}, {}};
    const std::string_view said = row.nearer("wavefronts", "ways");
    // Beside wavefronts they may be said, too, where they are simpler than the quotient.
    if (row.nearer("ways", "wavefronts") == "ways") cost.ways = part(row, "ways");
    cost.wavefronts = {
        said == "wavefronts" ? *part(row, said) : cost.requests * cost.ways.value_or(1),
        part(row, "least").value_or(cost.requests), part(row, "wavefronts_sass")};
    return cost;
  }

  // ---- conflicts of both ------------------------------------------------------------------------

  [[nodiscard]] std::optional<TheoryRow> summed_conflicts() const {
    if (costs_.empty()) return {};
    Expr sum = 0;
    std::vector<Op> free;
    for (const auto& [op, cost] : costs_) {
      const Expr conflicts = cost.wavefronts.wavefronts - cost.wavefronts.least;
      if (always_equal(conflicts, 0)) free.push_back(op);
      sum = sum + conflicts;
    }
    return TheoryRow{std::string(metric::kSharedBankConflicts), sum, why_conflicts(free)};
  }

  // `free`: those of loads and stores that have none.
  [[nodiscard]] std::string why_conflicts(const std::vector<Op>& free) const {
    if (free.size() == costs_.size()) return "No two lanes meet in a bank.";
    if (free.empty()) return "Those of loads and stores together.";
    return free.front() == Op::kLoad ? "The stores' alone: the loads have none."
                                     : "The loads' alone: the stores have none.";
  }

  void add_conflicts() {
    auto row = summed_conflicts();
    if (!row || has_formula(row->metric)) return;
    const Section own = theory_.row(row->metric);
    if (const auto why = own.empty() ? std::nullopt : own.text("why")) row->why = *why;
    rows_.push_back(*std::move(row));
  }

  // ---- traffic ----------------------------------------------------------------------------------

  [[nodiscard]] Expr sectors_of(std::string_view metric) const {
    const auto found = bare_.find(metric);
    return found == bare_.end() ? Expr(0) : found->second;
  }

  struct Side {
    Expr sectors = 0;
    Expr blocks = 0;
  };
  // `read = REGION`, or `read_sectors` with `read_blocks`.
  Side side(const Section& row, const std::string& what) {
    const std::string by_sectors = what + "_sectors";
    const std::string_view said = row.nearer(by_sectors, what);
    if (said.empty()) return {};
    const PlacedText formula = *row.formula(said);
    if (said == by_sectors) {
      return {scope_.number(formula), part(row, what + "_blocks").value_or(0)};
    }
    const auto region =
        told_at(formula, [&] { return language::region_of(scope_.value(formula)); });
    return {region.sectors, part(row, what + "_blocks").value_or(region.blocks)};
  }

  std::vector<TheoryRow> moved() {
    const Section row = theory_.section(kMoved);
    row.expect_only(keys_of(KeyOf::kMovedRow));
    // Here a metric's name is its formula, not a term of its own.
    for (const auto& [metric, formula] : bare_) scope_.define_metric(metric, formula);
    const Side read = side(row, "read");
    const Side written = side(row, "written");
    Traffic traffic{read.sectors,
                    sectors_of(metric::kGlobalLoadSectors),
                    read.blocks,
                    written.sectors,
                    sectors_of(metric::kGlobalStoreSectors),
                    part(row, "filled").value_or(0),
                    row.has("scattered") && row.flag("scattered")};
    for (const auto& [metric, formula] : bare_) {
      scope_.define_metric(metric, term(short_name(metric), formula, "of the launch"));
    }
    return traffic_rows(traffic, row.text("why").value_or("Each sector at least once; at most as "
                                                          "often as warps ask for it."));
  }

  // ---- metrics by name --------------------------------------------------------------------------

  void require_metric(const std::string& key) const {
    std::vector<std::string> names = {std::string(kMoved)};
    for (const Compound& compound : kCompounds) names.emplace_back(compound.key);
    for (const metrics::Metric& metric : metrics::catalogue()) {
      if (metric.key == key) return;
      names.emplace_back(metric.key);
    }
    throw theory_.wrong(key, fmt::format("there is no metric '{}'", key), suggestion(key, names));
  }

  TheoryRow metric_row(const std::string& key) {
    require_metric(key);
    const Section row = theory_.row(key);
    row.expect_only(keys_of(KeyOf::kMetricRow));
    const std::vector<PlacedText> ends = row.empty() ? theory_.formulas(key) : row.formulas("is");
    if (ends.empty() || ends.size() > 2) {
      throw theory_.wrong(key,
                          fmt::format("'{}' is a formula, or a list of two: low and high", key));
    }
    TheoryRow made{key, scope_.number(ends.front()),
                   row.empty() ? std::string() : row.text("why").value_or("")};
    if (ends.size() == 2) made.high = scope_.number(ends.back());
    return made;
  }

  Scope& scope_;
  const Section& theory_;
  std::map<std::string, std::vector<TheoryRow>, std::less<>> compounds_;
  std::map<std::string, Expr, std::less<>> bare_;
  std::vector<std::pair<Op, SharedCost>> costs_;
  std::vector<TheoryRow> rows_;
};

}  // namespace

std::vector<TheoryRow> read_theory(Scope& scope, const Section& theory, Uses& uses) {
  std::vector<TheoryRow> rows = TheoryReader(scope, theory).read();
  for (const TheoryRow& row : rows) {
    add_uses(row.formula, uses);
    if (row.high) add_uses(*row.high, uses);
  }
  return rows;
}

}  // namespace lab::labs
