// Lab 5: what idle lanes save, and what many lanes on one address cost.
#include "harness/core/lab.h"
#include "labs/build.h"
#include "labs/labs.h"

namespace lab::labs {
namespace {

constexpr std::int64_t kThreads = 256;
constexpr std::int64_t kSmall = 262144;
constexpr std::int64_t kThreeMillion = 3 * 1024 * 1024;

std::vector<ParamSpec> parameters() {
  return {
      {"n", "elements, one per thread", kSmall, 1, std::int64_t{1} << 24},
      {"blocks", "blocks of 256 threads, one element per thread", kSmall / kThreads, 1, 65536},
      {"active", "lanes of a warp that take part, the first ones", std::int64_t{32}, 1, 32},
  };
}

// ---- formulas -------------------------------------------------------------------------------

Expr n() { return "n"; }
Expr requests() { return ceil(n() / 32); }
Expr sectors() { return ceil(n() / 8); }

// Warps with four lanes or more, which have a lane that goes elsewhere; and blocks with one.
Expr warps_with_rest() { return floor((n() + 28) / 32); }
Expr blocks_with_rest() { return floor((n() + 252) / 256); }

// Loads and stores alike: each thread reads an element and writes it back. `distinct` sectors are
// touched in all, in `blocks` of 64 bytes, or at most as many.
std::vector<TheoryRow> read_and_write(const GlobalCost& cost, const Expr& distinct,
                                      const Expr& blocks, bool at_most) {
  return rows({global_rows(Op::kLoad, cost), global_rows(Op::kStore, cost),
               traffic_rows({distinct, cost.sectors, blocks, distinct, cost.sectors, 0,
                             "Each sector at least once, at most as often as warps ask for it.",
                             at_most})});
}
std::vector<TheoryRow> read_and_write(const GlobalCost& cost) {
  return read_and_write(cost, sectors(), ceil(n() / 16), false);
}

// Each thread but the fourth has its own element; the fourth ones of `extra` warps touch a sector
// that no other lane of their warp touches.
GlobalCost with_rest(const Expr& extra, const std::string& why) {
  return {requests(), sectors() + extra, (n() - floor(n() / 4) + extra) * 4, requests() + extra,
          why};
}

std::vector<TheoryRow> lanes_theory() {
  const Expr active("active");
  const auto of_last = min(n() % 32, active);
  const auto cost = [&](int floats) {
    return floor(n() / 32) * ceil(active / floats) + ceil(of_last / floats);
  };
  const GlobalCost each = {requests(), cost(8), (floor(n() / 32) * active + of_last) * 4, cost(32),
                           "Sectors behind the last active lane are not touched."};
  return read_and_write(each, cost(8), cost(8), true);
}

std::vector<TheoryRow> all_theory() {
  return read_and_write(
      {requests(), sectors(), n() * 4, requests(), "Eight neighbouring floats per sector."});
}

std::vector<TheoryRow> three_theory() {
  return read_and_write({requests(), sectors(), (n() - floor(n() / 4)) * 4, requests(),
                         "Each sector still has an active lane: idling saves nothing."});
}

std::vector<TheoryRow> first_theory() {
  return read_and_write(with_rest(max(0, warps_with_rest() - 1),
                                  "One more sector, that of a[0], in every warp but the first."));
}

std::vector<TheoryRow> block_theory() {
  return read_and_write(
      with_rest(warps_with_rest() - blocks_with_rest(),
                "One more sector, the block's first, in every warp but the block's first."));
}

// As branches: two requests of each warp, one of the three lanes of every four, one of the others.
// The lane that leaves the three is the first of every four here.
Expr three_requests() { return floor((n() + 30) / 32); }  // warps with two lanes or more
Expr three_sectors() { return floor((n() + 6) / 8); }
Expr three_blocks() { return floor((n() + 14) / 16); }
Expr three_bytes() { return (n() - ceil(n() / 4)) * 4; }

std::vector<TheoryRow> branch_idle_theory() {
  return read_and_write({three_requests(), three_sectors(), three_bytes(), three_requests(),
                         "Each sector still has an active lane: idling saves nothing."},
                        three_sectors(), three_blocks(), false);
}

// `distinct` sectors are touched in all, in `blocks` of 64 bytes.
std::vector<TheoryRow> branch_theory(const Expr& distinct, const Expr& blocks,
                                     const std::string& why) {
  const auto others = requests();
  return read_and_write({three_requests() + others, three_sectors() + others,
                         three_bytes() + 4 * others, three_requests() + others, why},
                        distinct, blocks, false);
}

std::vector<TheoryRow> branch_first_theory() {
  return branch_theory(max(1, three_sectors()), max(1, three_blocks()),
                       "Both sides of the branch are a request: four sectors for the three lanes "
                       "of every four, and that of a[0] for the others.");
}

std::vector<TheoryRow> branch_block_theory() {
  const auto alone = equal(n() % 256, 1);  // a last block of one thread
  return branch_theory(three_sectors() + alone, three_blocks() + alone,
                       "Both sides of the branch are a request: four sectors for the three lanes "
                       "of every four, and the block's first for the others.");
}

// The exercise as it is printed: whole blocks of eight warps. `cost` is a block's.
std::vector<TheoryRow> printed_theory(const GlobalCost& cost) {
  const Expr blocks("blocks");
  return read_and_write({blocks * cost.requests, blocks * cost.sectors, blocks * cost.bytes,
                         blocks * *cost.lines, cost.why},
                        blocks * 32, blocks * 16, false);
}

std::vector<TheoryRow> atomic_theory(const Expr& reductions, const std::string& why) {
  return {{"global_reduction_sectors", reductions, why},
          {"global_load_requests", 0, "An atomic whose result is not used reads nothing."},
          {"global_store_requests", 0, "An atomic is not a store."}};
}

// ---- data -------------------------------------------------------------------------------------

std::int64_t elements(const Params& p) {
  return p.has("blocks") ? kThreads * p.number("blocks") : p.number("n");
}

Launch launch(const Params& p) { return line(ceil_div(elements(p), kThreads), kThreads); }

using Target = std::function<std::int64_t(std::int64_t i)>;  // -1: the thread idles

std::int64_t own(std::int64_t i) { return i; }
std::int64_t first_of_all(std::int64_t i) { return i % 4 == 3 ? 0 : i; }
std::int64_t first_of_block(std::int64_t i) { return i % 4 == 3 ? i / kThreads * kThreads : i; }
std::int64_t three(std::int64_t i) { return i % 4 == 3 ? -1 : i; }
// As the branches have it.
std::int64_t branch_three(std::int64_t i) { return i % 4 != 0 ? i : -1; }
std::int64_t branch_first_of_all(std::int64_t i) { return i % 4 != 0 ? i : 0; }
std::int64_t branch_first_of_block(std::int64_t i) {
  return i % 4 != 0 ? i : i / kThreads * kThreads;
}

std::function<void(const Params&, Buffers&)> adding(const Target& target) {
  return [target](const Params& p, Buffers& buffers) {
    const auto a = buffers.f32("a");
    for (std::int64_t i = 0; i < elements(p); ++i) {
      if (const auto k = target(i); k >= 0) a[count_of(k)] += 1;
    }
  };
}

std::vector<Unchecked> first_element(const Params&) { return {{"a", 0, 1, true}}; }

std::vector<Unchecked> first_elements(const Params& p) {
  std::vector<Unchecked> unchecked;
  for (std::int64_t i = 0; i < elements(p); i += kThreads) {
    unchecked.push_back({"a", count_of(i), 1});
  }
  return unchecked;
}

Variant base(const std::string& name, const std::string& summary, const Target& target,
             std::vector<TheoryRow> theory) {
  Variant v;
  v.name = name;
  v.summary = summary;
  v.kernel = kernel(name);
  v.reads = {"n"};
  v.points = {{{"n", kSmall}}};
  v.gpu_points = {{{"n", kThreeMillion}}};
  v.launch = launch;
  v.args = [](const Params& p) {
    return std::vector<ArgSpec>{zeroed("a", ElementType::kF32, count_of(p.number("n"))),
                                scalar_i32(p.number("n"))};
  };
  v.reference = adding(target);
  v.theory = std::move(theory);
  return v;
}

Variant lanes() {
  auto v = base("lanes", "the first `active` lanes of each warp add 1 to their elements", own,
                lanes_theory());
  v.reads = {"n", "active"};
  v.points = product({{"n", {std::int64_t{8192}}}, {"active", integers(1, 32)}});
  v.gpu_points = product({{"n", {kThreeMillion}}, {"active", integers(1, 32)}});
  v.telling = points_with(v, {{"active", {1, 2, 4, 8, 9, 16, 17, 32}}});
  v.args = [](const Params& p) {
    return std::vector<ArgSpec>{zeroed("a", ElementType::kF32, count_of(p.number("n"))),
                                scalar_i32(p.number("n")), scalar_i32(p.number("active"))};
  };
  v.reference = [](const Params& p, Buffers& buffers) {
    const auto active = p.number("active");
    adding([active](std::int64_t i) { return i % 32 < active ? i : -1; })(p, buffers);
  };
  return v;
}

Variant adding_index(Variant v) {
  v.reference = [](const Params& p, Buffers& buffers) {
    const auto a = buffers.f32("a");
    for (std::int64_t i = 0; i < elements(p); ++i) a[count_of(i)] += static_cast<float>(i);
  };
  return v;
}

Variant printed(const std::string& name, const std::string& summary, const Target& target,
                const GlobalCost& of_block) {
  auto v = base(name, summary, target, printed_theory(of_block));
  v.reads = {"blocks"};
  v.points = {{{"blocks", kSmall / kThreads}}};
  v.gpu_points = {{{"blocks", kThreeMillion / kThreads}}};
  v.args = [](const Params& p) {
    return std::vector<ArgSpec>{zeroed("a", ElementType::kF32, count_of(elements(p)))};
  };
  return v;
}

Variant racing(Variant v, std::function<std::vector<Unchecked>(const Params&)> unchecked) {
  v.unchecked = std::move(unchecked);
  return v;
}

}  // namespace

Lab participation() {
  const std::string own_why = "Each address is hit by one lane: as many sectors as a store's.";
  const std::string hot_why =
      "Lanes on one address count one after the other: every fourth lane adds one, and the "
      "others touch the sectors of their own elements.";
  const auto hot = sectors() + floor(n() / 4);
  Lab lab;
  lab.number = 5;
  lab.id = "participation";
  lab.folder = "05_participation";
  lab.title = "Participation";
  lab.summary = "what idle lanes save, and what many lanes on one address cost";
  lab.params = parameters();
  lab.variants = {
      lanes(),
      base("all_threads", "every thread adds 1 to its own element", own, all_theory()),
      base("three_of_four", "every fourth thread idles", three, three_theory()),
      racing(base("rest_on_first", "every fourth thread adds to a[0]: a race", first_of_all,
                  first_theory()),
             first_element),
      racing(base("rest_on_block", "every fourth thread adds to its block's first: races",
                  first_of_block, block_theory()),
             first_elements),
      adding_index(base("add_index", "every thread adds its number to its own element: a[i] += i",
                        own, all_theory())),
      base("branch_idle", "if ((i & 3) != 0) a[i]++", branch_three, branch_idle_theory()),
      racing(base("branch_first", "the same, else a[0]++: a race", branch_first_of_all,
                  branch_first_theory()),
             first_element),
      racing(base("branch_block", "the same, else the block's first element: races",
                  branch_first_of_block, branch_block_theory()),
             first_elements),
      adding_index(printed("printed_index", "the exercise as printed, case 0: a[i] += i", own,
                           {8, 32, 1024, 8, "Eight warps, four sectors each."})),
      printed("printed_idle", "case 1: if ((i & 3) != 0) a[i]++", branch_three,
              {8, 32, 768, 8, "Each sector still has an active lane: idling saves nothing."}),
      racing(printed("printed_first", "case 2: the same, else a[0]++: a race", branch_first_of_all,
                     {16, Expr(32) + 8, 800, 16,
                      "Both sides of the branch are a request: four sectors for the three lanes of "
                      "each four, and that of a[0] for the others."}),
             first_element),
      racing(printed("printed_block", "case 3: the same, else a[blockIdx.x * blockDim.x]++: races",
                     branch_first_of_block,
                     {8, Expr(32) + 7, 800, Expr(8) + 7,
                      "The compiler makes one request of both sides: four sectors, and the block's "
                      "first in every warp but the block's first."}),
             first_elements),
      base("atomic_all", "every thread adds 1 to its own element, atomically", own,
           atomic_theory(sectors(), own_why)),
      base("atomic_first", "every fourth thread adds to a[0], atomically", first_of_all,
           atomic_theory(hot, hot_why)),
      base("atomic_block", "every fourth thread adds to its block's first, atomically",
           first_of_block, atomic_theory(hot, hot_why)),
  };
  lab.headline = {"global_load_sectors_per_request", "global_store_efficiency",
                  "global_reduction_sectors"};
  return lab;
}

}  // namespace lab::labs
