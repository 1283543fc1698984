#include "harness/formula/patterns.h"

namespace lab::language {
namespace {

int bytes_of(Unit unit) { return unit == Unit::kSector ? 32 : 128; }

std::string named(Unit unit, const std::string& what) {
  return (unit == Unit::kSector ? "sectors_of_" : "lines_of_") + what;
}

// In how many places of a unit a full warp may begin. 32 steps of whole elements are whole sectors,
// so all full warps begin alike within a sector. A line has four sectors.
int phases_of(Unit unit) { return bytes_of(unit) / 32; }

/// `count` accesses of several lanes each. Access i begins `pitch` elements behind access i - 1,
/// lanes are `step` elements of `bytes` apart.
struct Accesses {
  Expr count;
  Expr pitch;
  Expr step;
  Expr bytes;
};

// While the step is shorter than a unit no unit between the first and the last is skipped; when it
// is not, lanes share none.
Expr touched(const Accesses& accesses, const Expr& first, const Expr& lanes, Unit unit) {
  const auto& bytes = accesses.bytes;
  auto dense = units_of_ranges(accesses.count, accesses.pitch * bytes, first * bytes,
                               ((lanes - 1) * accesses.step + 1) * bytes, bytes_of(unit));
  if (same(accesses.step, 1)) return dense;
  return choose(accesses.step * bytes >= bytes_of(unit), accesses.count * lanes, dense);
}

// The same where accesses of `extent` lanes are cut into warps of 32: warp k begins at element
// 32 k step, and the last one has extent % 32 lanes.
Expr touched_by_warps(const Accesses& accesses, const Expr& extent, Unit unit) {
  const int phases = phases_of(unit);
  const auto warps = floor(extent / 32);
  Expr sum = 0;
  for (int phase = 0; phase < phases; ++phase) {
    const auto alike = phases == 1 ? warps : floor((warps + (phases - 1 - phase)) / phases);
    sum = sum + alike * touched(accesses, 32 * phase * accesses.step, 32, unit);
  }
  const auto first = phases == 1 ? Expr(0) : warps % phases * 32 * accesses.step;
  const auto rest = extent % 32;
  return sum + choose(equal(rest, 0), 0, touched(accesses, first, rest, unit));
}

// Groups of `group` rows that begin `first` elements into rows of `length`, `width` lanes each.
// While the gap from one row to the next is shorter than a unit, none between them is skipped.
Expr group_touched(const Expr& rows, const Expr& length, const Expr& group, const Expr& first,
                   const Expr& width, Unit unit) {
  const auto span = [&](const Expr& of) { return (of - 1) * length + width; };
  const auto rest = rows % group;
  const auto each = touched({rows, length, 1, 4}, first, width, unit);
  const auto full = touched({floor(rows / group), group * length, 1, 4}, first, span(group), unit);
  const auto last = touched({1, 0, 1, 4}, (rows - rest) * length + first, span(rest), unit);
  return choose((length - width) * 4 >= bytes_of(unit), each,
                full + choose(equal(rest, 0), 0, last));
}

}  // namespace

Expr strided_sectors(const Expr& n, const Expr& first, const Expr& stride, const Expr& bytes) {
  const auto per_sector = term("G", 32 / bytes, "elements of a sector");
  const auto begin = first % per_sector;
  const auto full = term("full", min(32, bytes * stride + (begin >= stride)),
                         "sectors of a full warp, in which no sector is skipped up to stride G");
  const auto lanes = n % 32;
  const auto rest =
      choose(stride * bytes >= 32, lanes, floor((begin + (lanes - 1) * stride) / per_sector) + 1);
  const auto last = term("last", choose(equal(lanes, 0), 0, rest),
                         "sectors of the last warp's n % 32 lanes, from its first to its last");
  return floor(n / 32) * full + last;
}

Expr strided_lines(const Expr& n, const Expr& first, const Expr& stride, const Expr& bytes) {
  const auto warps = floor(n / 32);
  const auto all = touched({warps, 32 * stride, stride, bytes}, first, 32, Unit::kLine);
  const auto last =
      touched({1, 0, stride, bytes}, first + warps * 32 * stride, n % 32, Unit::kLine);
  return function("lines_of_stride", {n, first, stride, bytes},
                  all + choose(equal(n % 32, 0), 0, last),
                  "each warp from its first line to its last; a line per lane where the stride is "
                  "a line or more");
}

Expr along_rows(const Expr& rows, const Expr& length, const Expr& bytes, Unit unit) {
  const auto sum = touched_by_warps({rows, length, 1, bytes}, length, unit);
  const auto whole = unit == Unit::kSector
                         ? choose(equal(length * bytes % 32, 0), rows * length * bytes / 32, sum)
                         : sum;
  return function(named(unit, "rows"), {rows, length, bytes}, whole,
                  "rows of `length` elements end to end, cut into warps of 32: each from its "
                  "first to its last, counted for every place at which a row may begin");
}

Expr down_columns(const Expr& height, const Expr& width, const Expr& bytes, Unit unit) {
  const auto sum = touched_by_warps({width, 1, width, bytes}, height, unit);
  return function(named(unit, "columns"), {height, width, bytes},
                  choose(width * bytes >= bytes_of(unit), width * height, sum),
                  "lanes are a row apart: one for each lane, unless rows are so short that lanes "
                  "share some");
}

Expr in_runs_of_32(const Expr& count, const Expr& first, const Expr& bytes, Unit unit) {
  return touched({count, 32, 1, bytes}, first, 32, unit);
}

Expr by_groups(const Expr& rows, const Expr& length, const Group& group, Unit unit) {
  const auto& width = group.width;
  const auto cut = floor(length / width);
  // A width is whole sectors: all full cuts begin alike. Lines are cut in some places in turn.
  const int phases = unit == Unit::kSector ? 1 : group.phases;
  Expr sum = 0;
  for (int phase = 0; phase < phases; ++phase) {
    const auto cuts = phases == 1 ? cut : floor((cut + (phases - 1 - phase)) / phases);
    sum = sum + cuts * group_touched(rows, length, group.rows, phase * width, width, unit);
  }
  const auto rest = length % width;
  const auto first = phases == 1 ? Expr(0) : cut % phases * width;
  const auto all =
      sum + choose(equal(rest, 0), 0, group_touched(rows, length, group.rows, first, rest, unit));
  return function(named(unit, "groups"), {rows, length, group.rows, width}, all,
                  "warps that take `width` neighbours from each of some rows, `length` words long; "
                  "the rows of a group share what lies between them where rows are short");
}

Expr by_pairs(const Expr& rows, const Expr& length, Unit unit) {
  const auto sum = by_groups(rows, length, {2, 16, 2}, unit);
  return function(named(unit, "pairs"), {rows, length}, sum.args().front(),
                  "warps of two rows of 16 lanes");
}

}  // namespace lab::language
