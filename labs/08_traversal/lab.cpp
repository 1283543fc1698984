// Lab 8: the same row sums along rows and down columns.
#include <array>
#include <span>

#include "harness/core/lab.h"
#include "harness/core/parallel.h"
#include "labs/build.h"
#include "labs/labs.h"
#include "labs/touch.h"

namespace lab::labs {
namespace {

constexpr std::int64_t kThreads = 256;

std::vector<ParamSpec> parameters() {
  return {
      {"rows", "rows of the matrix", std::int64_t{512}, 1, 16384},
      {"cols", "columns of the matrix", std::int64_t{128}, 1, 16384},
  };
}

Expr row_count() { return "rows"; }
Expr cols() { return "cols"; }

// `filled` blocks of sums are written a sum at a time, which leaves sectors partly written.
std::vector<TheoryRow> theory(const GlobalCost& load, const GlobalCost& store,
                              const Expr& filled = 0) {
  const auto all = row_count() * cols();
  return rows({global_rows(Op::kLoad, load),
               global_rows(Op::kStore, store),
               traffic_rows({ceil(all / 8), load.sectors, ceil(all / 16), ceil(row_count() / 8),
                             store.sectors, filled,
                             "Each sector at least once; at most as often as warps ask for it."}),
               {{"needed_bytes", (row_count() * cols() + row_count()) * 4,
                 "Each element is read once, each sum written once."}}});
}

GlobalCost one_sum_per_thread() {
  return {ceil(row_count() / 32), ceil(row_count() / 8), row_count() * 4, ceil(row_count() / 32),
          "Neighbouring threads write neighbouring sums."};
}

Expr all_bytes() { return row_count() * cols() * 4; }

std::vector<TheoryRow> thread_theory() {
  return theory(
      {cols() * ceil(row_count() / 32), down_columns(row_count(), cols(), 4, Unit::kSector),
       all_bytes(), down_columns(row_count(), cols(), 4, Unit::kLine),
       "Lanes read elements that are a whole row apart: a sector each."},
      one_sum_per_thread());
}

std::vector<TheoryRow> warp_theory() {
  return theory({row_count() * ceil(cols() / 32), along_rows(row_count(), cols(), 4, Unit::kSector),
                 all_bytes(), along_rows(row_count(), cols(), 4, Unit::kLine),
                 "Lanes read neighbours of one row."},
                {row_count(), row_count(), row_count() * 4, row_count(),
                 "One lane of a warp writes its sum."},
                ceil(row_count() / 16));
}

std::vector<TheoryRow> column_theory() {
  return theory({cols() * ceil(row_count() / 32), along_rows(cols(), row_count(), 4, Unit::kSector),
                 all_bytes(), along_rows(cols(), row_count(), 4, Unit::kLine),
                 "Lanes read neighbours of one column, which lie side by side here."},
                one_sum_per_thread());
}

// ---- references, in the kernels' order of additions -------------------------------------------

// For a thread: fewer are not worth one.
std::uint64_t least_rows(std::uint64_t cols) { return (std::uint64_t{1} << 16) / cols + 1; }

void sum_in_order(const Params& p, Buffers& buffers, bool by_columns) {
  const auto in = buffers.f32("in");
  const auto sums = buffers.f32("sums");
  const auto rows = count_of(p.number("rows"));
  const auto cols = count_of(p.number("cols"));
  in_parts(rows, least_rows(cols), [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t y = begin; y < end; ++y) {
      float sum = 0;
      for (std::uint64_t x = 0; x < cols; ++x) sum += in[by_columns ? x * rows + y : y * cols + x];
      sums[y] = sum;
    }
  });
}

// 32 lanes take every 32nd element each, then fold: lane l adds lane l + 16, l + 8, ...
float warp_sum(std::span<const float> row) {
  std::array<float, 32> lanes{};
  for (std::size_t x = 0; x < row.size(); ++x) lanes[x % 32] += row[x];
  for (std::size_t step = 16; step > 0; step /= 2) {
    const auto before = lanes;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      // A lane beyond the last reads its own value.
      lanes[lane] += before[lane + step < 32 ? lane + step : lane];
    }
  }
  return lanes[0];
}

void sum_by_warps(const Params& p, Buffers& buffers) {
  const auto in = buffers.f32("in");
  const auto sums = buffers.f32("sums");
  const auto cols = count_of(p.number("cols"));
  in_parts(sums.size(), least_rows(cols), [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t y = begin; y < end; ++y) sums[y] = warp_sum(in.subspan(y * cols, cols));
  });
}

Variant base(const std::string& name, const std::string& summary, std::int64_t threads_a_row) {
  Variant v;
  v.name = name;
  v.summary = summary;
  v.kernel = kernel(name);
  v.reads = {"rows", "cols"};
  v.points = {{{"rows", std::int64_t{512}}, {"cols", std::int64_t{128}}},
              {{"rows", std::int64_t{301}}, {"cols", std::int64_t{97}}}};
  v.gpu_points = {{{"rows", std::int64_t{8192}}, {"cols", std::int64_t{8192}}}};
  v.launch = [threads_a_row](const Params& p) {
    return line(ceil_div(p.number("rows") * threads_a_row, kThreads), kThreads);
  };
  v.args = [](const Params& p) {
    const auto count_rows = p.number("rows");
    return std::vector<ArgSpec>{
        input("in", ElementType::kF32, count_of(count_rows * p.number("cols"))),
        output("sums", ElementType::kF32, count_of(count_rows)), scalar_i32(count_rows),
        scalar_i32(p.number("cols"))};
  };
  v.terms = [](const Params& p) { return p.number("cols"); };
  return v;
}

}  // namespace

Lab traversal() {
  auto threads = base("thread_per_row", "a thread adds up a row", 1);
  threads.reference = [](const Params& p, Buffers& b) { sum_in_order(p, b, false); };
  threads.theory = thread_theory();
  auto warps = base("warp_per_row", "a warp adds up a row, and folds its lanes by shuffles", 32);
  warps.reference = sum_by_warps;
  warps.theory = warp_theory();
  auto columns = base("column_major", "a thread adds up a row of a matrix kept by columns", 1);
  columns.reference = [](const Params& p, Buffers& b) { sum_in_order(p, b, true); };
  columns.theory = column_theory();

  Lab lab;
  lab.number = 8;
  lab.id = "traversal";
  lab.folder = "08_traversal";
  lab.title = "Traversal";
  lab.summary = "rows against columns: the same sums three ways";
  lab.params = parameters();
  lab.variants = {threads, warps, columns};
  lab.headline = {"global_load_sectors_per_request", "global_load_efficiency", "l1_hit_rate",
                  "effective_bandwidth"};
  return lab;
}

}  // namespace lab::labs
