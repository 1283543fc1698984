#include "harness/formula/functions.h"

#include <algorithm>
#include <numeric>

#include "harness/core/error.h"
#include "harness/formula/patterns.h"

namespace lab::language {
namespace {

using Values = std::vector<Value>;

const Expr& at(const Values& values, std::size_t i) { return number_of(values[i]); }
Expr at(const Values& values, std::size_t i, int otherwise) {
  return i < values.size() ? number_of(values[i]) : Expr(otherwise);
}

bool is_number(const Expr& expression) { return expression.operation() == Operation::kNumber; }
double value_of(const Expr& number) { return number.node().number; }

// Lines of 128 bytes of n elements in order, cut into warps. Up to 4 bytes per lane a warp has one
// line; above it has whole lines, so that the cuts do not matter.
Expr lines_in_order(const Expr& n, const Expr& bytes) {
  if (!is_number(bytes)) return floor(n / 32) * max(1, bytes / 4) + ceil(n % 32 * bytes / 128);
  return value_of(bytes) <= 4 ? ceil(n / 32) : ceil(n * bytes / 128);
}

// Wavefronts, too: 32 banks of 4 bytes are a line.
Value in_order(const Values& values) {
  const Expr& n = at(values, 0);
  const Expr& bytes = at(values, 1);
  const Expr lines = lines_in_order(n, bytes);
  return Access{ceil(n / 32), ceil(n * bytes / 32), n * bytes, lines,
                Access::Shared{lines, lines, std::nullopt}};
}

Value strided(const Values& values) {
  const Expr& n = at(values, 0);
  const Expr& stride = at(values, 1);
  const Expr& bytes = at(values, 2);
  const Expr first = at(values, 3, 0);
  return Access{ceil(n / 32), strided_sectors(n, first, stride, bytes),
                choose(equal(stride, 0), ceil(n / 32), n) * bytes,
                strided_lines(n, first, stride, bytes), std::nullopt};
}

Value rows_of(const Values& values) {
  const Expr& rows = at(values, 0);
  const Expr& length = at(values, 1);
  const Expr& bytes = at(values, 2);
  return Access{rows * ceil(length / 32), along_rows(rows, length, bytes, Unit::kSector),
                rows * length * bytes, along_rows(rows, length, bytes, Unit::kLine), std::nullopt};
}

Value columns_of(const Values& values) {
  const Expr& height = at(values, 0);
  const Expr& width = at(values, 1);
  const Expr& bytes = at(values, 2);
  return Access{width * ceil(height / 32), down_columns(height, width, bytes, Unit::kSector),
                height * width * bytes, down_columns(height, width, bytes, Unit::kLine),
                std::nullopt};
}

Value pairs_of(const Values& values) {
  const Expr& rows = at(values, 0);
  const Expr& length = at(values, 1);
  return Access{ceil(rows / 2) * ceil(length / 16), by_pairs(rows, length, Unit::kSector),
                4 * rows * length, by_pairs(rows, length, Unit::kLine), std::nullopt};
}

// A width is whole sectors, a quarter of a line or more: after four of them lines are cut alike.
int phases_of_width(const Expr& width) {
  if (!is_number(width)) return 4;
  return 32 / std::gcd(32, static_cast<int>(value_of(width)));
}

Value groups_of(const Values& values) {
  const Expr& rows = at(values, 0);
  const Expr& length = at(values, 1);
  const Group group = {at(values, 2), at(values, 3), phases_of_width(at(values, 3))};
  return Access{ceil(rows / group.rows) * ceil(length / group.width),
                by_groups(rows, length, group, Unit::kSector), 4 * rows * length,
                by_groups(rows, length, group, Unit::kLine), std::nullopt};
}

Value scattered(const Values& values) {
  const Expr& n = at(values, 0);
  const Expr& run = at(values, 1);
  const Expr& bytes = at(values, 2);
  const auto units = [&](int unit) {
    return floor(n / run) * max(1, run * bytes / unit) + ceil(n % run * bytes / unit);
  };
  return Access{ceil(n / 32), units(32), n * bytes, units(128), std::nullopt};
}

Value one_address(const Values& values) {
  return Access{1, 1, at(values, 0), Expr(1), Access::Shared{1, 1, std::nullopt}};
}

Value spaced(const Values& values) {
  const Expr& n = at(values, 0);
  const Expr& stride = at(values, 1);
  const Expr& bytes = at(values, 2);
  const Expr first = at(values, 3, 0);
  const auto units = [&](int unit) {
    return choose(
        stride * bytes >= unit, n,
        floor(((n - 1) * stride + first) * bytes / unit) - floor(first * bytes / unit) + 1);
  };
  return Region{units(32), units(64)};
}

Value lines_of_access(const Values& values) {
  const Access& access = access_of(values[0]);
  if (access.lines) return *access.lines;
  throw input_error("the lines of this access are not known");
}

// Of lists of addresses; what they count is worked out case by case (see addresses.h).
Value touched_by_addresses(const Values& values) {
  static_cast<void>(at(values, 1));
  return Access{1, "sectors", "asked", Expr("lines"), std::nullopt};
}

Value banks_of_addresses(const Values& values) {
  static_cast<void>(at(values, 1));
  return Access{1, 0, 0, std::nullopt, Access::Shared{"passes", "groups", Expr("passes_sass")}};
}

constexpr std::string_view kSpan =
    "each row is cut into warps, and each warp touches its first sector to its last; added up over "
    "the places within a sector at which a row may begin";

constexpr Function kFunctions[] = {
    {"min", "a, b", "number", "the smaller of two", "", 2, 2,
     [](const Values& v) -> Value { return min(at(v, 0), at(v, 1)); }},
    {"max", "a, b", "number", "the larger of two", "", 2, 2,
     [](const Values& v) -> Value { return max(at(v, 0), at(v, 1)); }},
    {"gcd", "a, b", "number", "the greatest common divisor; gcd(a, 0) is a", "", 2, 2,
     [](const Values& v) -> Value { return gcd(at(v, 0), at(v, 1)); }},
    {"ceil", "a", "number", "rounded up", "", 1, 1,
     [](const Values& v) -> Value { return ceil(at(v, 0)); }},
    {"floor", "a", "number", "rounded down", "", 1, 1,
     [](const Values& v) -> Value { return floor(at(v, 0)); }},
    {"if", "condition, then, else", "number",
     "`then` where the condition holds, else `else`: both numbers, accesses or regions",
     "the part that is not taken need not be defined", 3, 3,
     [](const Values& v) -> Value { return choose_value(at(v, 0), v[1], v[2]); }},
    {"units_of_ranges", "count, pitch, first, span, unit", "number",
     "how many units of `unit` bytes `count` ranges of `span` bytes touch, added up range by range",
     "range i begins at byte first + i pitch; the floors are summed in logarithmic time", 5, 5,
     [](const Values& v) -> Value {
       return units_of_ranges(at(v, 0), at(v, 1), at(v, 2), at(v, 3), at(v, 4));
     }},
    {"in_order", "n, b", "access",
     "lanes access n neighbouring elements of b bytes, from the beginning of a line on",
     "ceil(n b / 32) sectors; in shared memory one wavefront per line of 128 bytes", 2, 2,
     in_order},
    {"strided", "n, s, b, first = 0", "access",
     "lane i accesses element first + i s, n elements of b bytes in all",
     "while the step is shorter than a sector, a warp touches every sector from its first to its "
     "last; beyond, each lane has its own. Full warps begin 32 s apart, so all cost the same",
     3, 4, strided},
    {"along_rows", "r, c, b", "access",
     "a warp accesses 32 neighbours of a row; all of a matrix of r x c elements of b bytes", kSpan,
     3, 3, rows_of},
    {"down_columns", "r, c, b", "access",
     "a warp accesses 32 neighbours of a column; all of a matrix of r x c elements of b bytes",
     "one sector per lane, unless rows are so short that lanes share sectors", 3, 3, columns_of},
    {"in_pairs", "r, c", "access",
     "a warp accesses 16 floats of each of two rows; all of a matrix of r x c floats",
     "in each row the first sector to the last; short rows share sectors", 2, 2, pairs_of},
    {"in_groups", "r, c, h, w", "access",
     "a warp accesses w floats of each of h rows; all of a matrix of r x c floats",
     "in each row the first sector to the last; short rows share sectors", 4, 4, groups_of},
    {"scattered", "n, run, b", "access",
     "n elements of b bytes in runs of `run` neighbours, each run in a line of its own",
     "the sectors of each run, added up", 3, 3, scattered},
    {"one_address", "b", "access", "a single lane, or all lanes at one address: b bytes",
     "one sector, one wavefront", 1, 1, one_address},
    {"touched", "addresses, b", "access", "one lane at each address of a list, b bytes each",
     "the distinct sectors and lines of these bytes", 2, 2, touched_by_addresses},
    {"banks", "addresses, b", "access", "the same list as places in shared memory",
     "for each group of lanes, as many wavefronts as its busiest bank has distinct words", 2, 2,
     banks_of_addresses},
    {"requests", "access", "number", "requests of an access: instructions, one per warp", "", 1, 1,
     [](const Values& v) -> Value { return access_of(v[0]).requests; }},
    {"sectors", "access", "number", "its sectors of 32 bytes", "", 1, 1,
     [](const Values& v) -> Value { return access_of(v[0]).sectors; }},
    {"lines", "access", "number", "its lines of 128 bytes, counted for each instruction", "", 1, 1,
     lines_of_access},
    {"bytes", "access", "number", "the distinct bytes that each instruction asks for", "", 1, 1,
     [](const Values& v) -> Value { return access_of(v[0]).bytes; }},
    {"run", "bytes", "region", "neighbouring bytes from an aligned address on", "", 1, 1,
     [](const Values& v) -> Value { return run_of(at(v, 0)); }},
    {"spaced", "n, s, b, first = 0", "region",
     "n elements of b bytes, from element `first` on every s-th",
     "while the step is shorter than a unit, every unit from the first to the last; beyond, one "
     "per element",
     3, 4, spaced},
    {"blocks_of", "region", "number", "blocks of 64 bytes of a region", "", 1, 1,
     [](const Values& v) -> Value { return region_of(v[0]).blocks; }},
};

}  // namespace

std::span<const Function> functions() { return kFunctions; }

const Function* find_function(std::string_view name) {
  const auto all = functions();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Function& f) { return f.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace lab::language
