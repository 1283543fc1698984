// Lab 2: an array of structures, or a structure of arrays.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "harness/core/lab.h"
#include "harness/core/parallel.h"
#include "labs/build.h"
#include "labs/labs.h"
#include "labs/touch.h"

namespace lab::labs {
namespace {

constexpr std::int64_t kThreads = 256;
constexpr std::int64_t kRecords = 8192;
constexpr std::int64_t kManyRecords = std::int64_t{1} << 22;
constexpr float kStep = 0.25F;  // of time

std::vector<ParamSpec> parameters() {
  return {
      {"n", "records, one per thread", kRecords, 1, kManyRecords},
      {"fields", "floats of a record", std::int64_t{8}, 1, 16},
      {"words", "doubles of a number", std::int64_t{4}, 2, 8, {}, {2, 4, 8}},
      {"records",
       "records in random order, a power of two",
       kRecords,
       1024,
       262144,
       {},
       {1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144}},
  };
}

// ---- formulas -------------------------------------------------------------------------------
// 32 records of any size fill whole sectors: every full warp begins on one.

struct Moved {
  GlobalCost load, store;
  Traffic traffic;
  Expr needed;
};

std::vector<TheoryRow> theory(const Moved& moved) {
  return rows({global_rows(Op::kLoad, moved.load),
               global_rows(Op::kStore, moved.store),
               traffic_rows(moved.traffic),
               {{"needed_bytes", moved.needed, "What the task reads and writes, each once."}}});
}

Expr n() { return "n"; }

// `count` arrays of elements of `bytes`, in order: each warp makes one request per array.
GlobalCost arrays(const Expr& count, int bytes) {
  const auto units = [&](int unit) { return count * ceil(n() / (unit / bytes)); };
  return {count * ceil(n() / 32), units(32), count * n() * bytes, units(128),
          "Neighbouring threads, neighbouring elements: nothing is wasted."};
}

Expr once(const Expr& bytes) { return ceil(bytes / 32); }
Expr blocks64(const Expr& bytes) { return ceil(bytes / 64); }

const char* const kWhyTraffic = "Each sector at least once; at most as often as warps ask for it.";

// Arrays that are read and written in order: everything moves once.
Traffic each_once(const GlobalCost& load, const Expr& blocks, const GlobalCost& store) {
  return {load.sectors, load.sectors, blocks, store.sectors, store.sectors, 0, kWhyTraffic};
}

std::vector<TheoryRow> update_aos_theory() {
  const std::string why = "Records of 32 bytes: each lane's field is in a sector of its own.";
  return theory({{6 * ceil(n() / 32), 6 * n(), 24 * n(), 6 * ceil(n() / 4), why},
                 {3 * ceil(n() / 32), 3 * n(), 12 * n(), 3 * ceil(n() / 4), why},
                 {n(), 6 * n(), ceil(n() / 2), n(), 3 * n(), ceil(n() / 2), kWhyTraffic},
                 36 * n()});
}

std::vector<TheoryRow> update_soa_theory() {
  const auto load = arrays(6, 4);
  const auto store = arrays(3, 4);
  return theory({load, store, each_once(load, 6 * ceil(n() / 16), store), 36 * n()});
}

std::vector<TheoryRow> update_float4_theory() {
  const auto load = arrays(2, 16);
  const auto store = arrays(1, 16);
  return theory({load, store, each_once(load, 2 * ceil(n() / 4), store), 36 * n()});
}

std::vector<TheoryRow> to_soa_theory() {
  const auto load = arrays(1, 16);
  const auto store = arrays(4, 4);
  return theory({load, store, each_once(load, ceil(n() / 4), store), 32 * n()});
}

std::vector<TheoryRow> field_aos_theory() {
  const Expr fields("fields");
  const GlobalCost load = {ceil(n() / 32), strided_sectors(n(), 0, fields, 4), n() * 4,
                           strided_lines(n(), 0, fields, 4),
                           "A field of neighbouring records is a stride of `fields` floats."};
  const auto blocks = choose(fields >= 16, n(), floor((n() - 1) * fields / 16) + 1);
  const auto store = arrays(1, 4);
  return theory({load, store, each_once(load, blocks, store), 8 * n()});
}

std::vector<TheoryRow> field_soa_theory() {
  const auto cost = arrays(1, 4);
  return theory({cost, cost, each_once(cost, ceil(n() / 16), cost), 8 * n()});
}

std::vector<TheoryRow> random_theory(bool aos) {
  const Expr records("records");
  GlobalCost load = {
      8 * records / 32,
      8 * records,
      32 * records,
      {},
      "The lanes' records are at least eight apart: a sector for each lane, in any layout."};
  if (aos) load.lines = 8 * records;
  const auto sectors = records / 8;
  return theory(
      {load,
       {records / 32, sectors, 4 * records, records / 32, "The results are written in order."},
       {records, 8 * records, records / 2, sectors, sectors, 0,
        "A record's eight fields are one sector as a structure, which L1 may keep for "
        "all eight; as arrays they are in eight."},
       36 * records});
}

// Fields 0, 1 and 2 of records of three floats: a warp's 32 records are 12 sectors and 3 lines.
std::vector<TheoryRow> float3_direct_theory() {
  const auto bytes = 12 * n();
  const auto q = term("q", n() % 32 - 1, "the last warp's last lane");
  const auto field = [&](int f) { return floor((3 * q + f) / 8); };
  const auto last = term("last", choose(equal(n() % 32, 0), 0, field(0) + field(1) + field(2) + 3),
                         "sectors of the last warp, field by field");
  const auto lines = [](int f) { return strided_lines(n(), f, 3, 4); };
  const GlobalCost cost = {3 * ceil(n() / 32), 3 * 12 * floor(n() / 32) + last, bytes,
                           lines(0) + lines(1) + lines(2),
                           "Each of the three fields touches all 12 sectors of a warp's records."};
  return theory({cost,
                 cost,
                 {once(bytes), cost.sectors, blocks64(bytes), once(bytes), cost.sectors,
                  blocks64(bytes), kWhyTraffic},
                 24 * n()});
}

std::vector<TheoryRow> float3_shared_theory() {
  const auto floats = 3 * n();
  const GlobalCost cost = {ceil(floats / 32), ceil(floats / 8), 12 * n(), ceil(floats / 32),
                           "The block's floats come and go in order."};
  const auto shared = ceil(floats / 32) + 3 * ceil(n() / 32);
  const SharedCost free = {shared, shared, shared, {}, "Strides 1 and 3 are odd: no conflict."};
  return rows({theory({cost, cost, each_once(cost, blocks64(12 * n()), cost), 24 * n()}),
               shared_rows(Op::kLoad, free),
               shared_rows(Op::kStore, free),
               {shared_conflicts(0, "Strides 1 and 3 are odd.")}});
}

std::vector<TheoryRow> numbers_theory(bool split) {
  const Expr words("words");
  const auto bytes = 8 * n() * words;
  GlobalCost cost = {words * ceil(n() / 32), words * ceil(n() / 4), bytes, words * ceil(n() / 16),
                     "Neighbouring threads, neighbouring doubles."};
  if (split) {
    return theory({cost, cost, each_once(cost, words * ceil(n() / 8), cost), 2 * bytes});
  }
  cost.sectors = words * choose(equal(words, 2), ceil(n() / 2), n());
  cost.lines = words * ceil(n() * words / 16);
  cost.why = "A word of neighbouring numbers is a stride of `words` doubles.";
  return theory({cost,
                 cost,
                 {once(bytes), cost.sectors, blocks64(bytes), once(bytes), cost.sectors,
                  blocks64(bytes), kWhyTraffic},
                 2 * bytes});
}

std::vector<TheoryRow> mixed_theory(bool aos) {
  const auto in = [](int elements) { return ceil(n() / elements); };
  const auto store = arrays(1, 8);
  if (aos) {
    const GlobalCost load = {
        4 * in(32), 4 * in(2), 15 * n(), 4 * in(8),
        "Records of 16 bytes: each field touches all 16 sectors of a warp's records."};
    return theory({load,
                   store,
                   {in(2), load.sectors, in(4), store.sectors, store.sectors, 0, kWhyTraffic},
                   23 * n()});
  }
  const GlobalCost load = {4 * in(32), in(32) + in(16) + in(8) + in(4), 15 * n(),
                           3 * in(32) + in(16),
                           "An array for each field: 1, 2, 4 and 8 sectors "
                           "per warp."};
  return theory({load, store, each_once(load, in(64) + in(32) + in(16) + in(8), store), 23 * n()});
}

// ---- data -------------------------------------------------------------------------------------

BufferSpec updated(const std::string& name, std::uint64_t count) {
  auto spec = input(name, ElementType::kF32, count);
  spec.direction = Direction::kInOut;
  return spec;
}

std::int64_t number(const Params& p) { return p.number("n"); }

// Records of char, short, int and double as they lie in memory, with a hole behind the char.
std::vector<std::byte> mixed_records(std::int64_t n) {
  std::vector<std::byte> bytes(count_of(16 * n));
  std::uint64_t state = 7;
  for (std::int64_t i = 0; i < n; ++i) {
    auto* record = &bytes[count_of(16 * i)];
    const auto random = split_mix64(state);
    const auto number = static_cast<double>(split_mix64(state) >> 11) * 0x1p-53;
    std::memcpy(record, &random, 8);
    std::memcpy(record + 8, &number, 8);
  }
  return bytes;
}

template <typename T>
T field(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, &bytes[at], sizeof value);
  return value;
}

double mixed_sum(double d, std::int32_t c, std::int16_t b, std::int8_t a) { return d + c + b + a; }

// The position moves: x += vx * dt in one rounding, as the compiler's fma has it.
void move(float& position, float velocity) { position = std::fmaf(velocity, kStep, position); }

std::size_t shuffled(std::size_t i, std::size_t n) { return i * 249525U & (n - 1); }

// ---- variants -------------------------------------------------------------------------------

Variant base(const std::string& name, const std::string& summary, std::vector<TheoryRow> rows_) {
  Variant v;
  v.name = name;
  v.summary = summary;
  v.kernel = kernel(name);
  v.reads = {"n"};
  v.points = {{{"n", kRecords}}, {{"n", std::int64_t{5003}}}};
  v.gpu_points = {{{"n", kManyRecords}}};
  v.telling = points_with(v, {{"n", {kRecords, kManyRecords}}});
  v.launch = [](const Params& p) { return line(ceil_div(number(p), kThreads), kThreads); };
  v.theory = std::move(rows_);
  return v;
}

Variant update_aos() {
  auto v = base("update_aos", "particles as structures of 8 floats: 6 are read, 3 written",
                update_aos_theory());
  v.telling = {};  // the ragged number too
  v.args = [](const Params& p) {
    return std::vector<ArgSpec>{updated("p", count_of(8 * number(p))), scalar_i32(number(p)),
                                scalar_f32(kStep)};
  };
  v.reference = [](const Params&, Buffers& buffers) {
    const auto p = buffers.f32("p");
    each_index(p.size() / 8, [&](std::size_t i) {
      for (std::size_t f = 0; f < 3; ++f) move(p[8 * i + f], p[8 * i + 3 + f]);
    });
  };
  return v;
}

Variant update_soa() {
  auto v = base("update_soa", "particles as arrays: 6 are read, 3 written", update_soa_theory());
  v.args = [](const Params& p) {
    const auto n = count_of(number(p));
    return std::vector<ArgSpec>{updated("x", n),
                                updated("y", n),
                                updated("z", n),
                                input("vx", ElementType::kF32, n),
                                input("vy", ElementType::kF32, n),
                                input("vz", ElementType::kF32, n),
                                scalar_i32(number(p)),
                                scalar_f32(kStep)};
  };
  v.reference = [](const Params&, Buffers& buffers) {
    for (const char* axis : {"x", "y", "z"}) {
      const auto position = buffers.f32(axis);
      const auto velocity = buffers.f32(std::string("v") + axis);
      each_index(position.size(), [&](std::size_t i) { move(position[i], velocity[i]); });
    }
  };
  return v;
}

Variant update_float4() {
  auto v = base("update_float4", "particles as two arrays of float4", update_float4_theory());
  v.args = [](const Params& p) {
    const auto n = count_of(4 * number(p));
    return std::vector<ArgSpec>{updated("position", n), input("velocity", ElementType::kF32, n),
                                scalar_i32(number(p)), scalar_f32(kStep)};
  };
  v.reference = [](const Params&, Buffers& buffers) {
    const auto position = buffers.f32("position");
    const auto velocity = buffers.f32("velocity");
    each_index(position.size(), [&](std::size_t i) {
      if (i % 4 != 3) move(position[i], velocity[i]);
    });
  };
  return v;
}

Variant to_soa() {
  auto v = base("to_soa", "structures of 4 floats become four arrays", to_soa_theory());
  v.args = [](const Params& p) {
    const auto n = count_of(number(p));
    return std::vector<ArgSpec>{
        input("p", ElementType::kF32, 4 * n), output("x", ElementType::kF32, n),
        output("y", ElementType::kF32, n),    output("z", ElementType::kF32, n),
        output("w", ElementType::kF32, n),    scalar_i32(number(p))};
  };
  v.reference = [](const Params&, Buffers& buffers) {
    const auto in = buffers.f32("p");
    std::size_t field = 0;
    for (const char* name : {"x", "y", "z", "w"}) {
      const auto out = buffers.f32(name);
      each_index(out.size(), [&](std::size_t i) { out[i] = in[4 * i + field]; });
      ++field;
    }
  };
  return v;
}

Variant field_aos() {
  auto v = base("field_aos", "one field of records of `fields` floats", field_aos_theory());
  v.reads = {"n", "fields"};
  v.points = product({{"n", {kRecords}}, {"fields", integers(1, 16)}});
  v.gpu_points = product({{"n", {kManyRecords}}, {"fields", integers(1, 16)}});
  v.telling = points_with(v, {{"fields", {1, 2, 3, 4, 6, 7, 8, 16}}});
  v.args = [](const Params& p) {
    const auto n = number(p);
    const auto fields = p.number("fields");
    return std::vector<ArgSpec>{input("records", ElementType::kF32, count_of(n * fields)),
                                output("out", ElementType::kF32, count_of(n)), scalar_i32(n),
                                scalar_i32(fields)};
  };
  v.reference = [](const Params& p, Buffers& buffers) {
    const auto records = buffers.f32("records");
    const auto out = buffers.f32("out");
    const auto fields = count_of(p.number("fields"));
    each_index(out.size(), [&](std::size_t i) { out[i] = records[i * fields]; });
  };
  return v;
}

Variant field_soa() {
  auto v = base("field_soa", "the same field as an array", field_soa_theory());
  v.args = [](const Params& p) {
    const auto n = count_of(number(p));
    return std::vector<ArgSpec>{input("column", ElementType::kF32, n),
                                output("out", ElementType::kF32, n), scalar_i32(number(p))};
  };
  v.reference = [](const Params&, Buffers& buffers) {
    const auto column = buffers.f32("column");
    std::copy(column.begin(), column.end(), buffers.f32("out").begin());
  };
  return v;
}

Variant random_order(bool aos) {
  auto v = base(aos ? "random_aos" : "random_soa",
                aos ? "all fields of records in random order: structures"
                    : "all fields of records in random order: arrays",
                random_theory(aos));
  v.reads = {"records"};
  v.points = {{{"records", kRecords}}};
  v.gpu_points = {{{"records", std::int64_t{262144}}}};
  v.telling = {};
  v.launch = [](const Params& p) { return line(p.number("records") / kThreads, kThreads); };
  v.args = [aos](const Params& p) {
    const auto n = p.number("records");
    return std::vector<ArgSpec>{input(aos ? "p" : "columns", ElementType::kF32, count_of(8 * n)),
                                output("out", ElementType::kF32, count_of(n)), scalar_i32(n)};
  };
  v.reference = [aos](const Params&, Buffers& buffers) {
    const auto out = buffers.f32("out");
    const auto in = buffers.f32(aos ? "p" : "columns");
    const auto n = out.size();
    each_index(n, [&](std::size_t i) {
      const auto k = shuffled(i, n);
      float sum = in[aos ? 8 * k : k];
      for (std::size_t f = 1; f < 8; ++f) sum += in[aos ? 8 * k + f : f * n + k];
      out[i] = sum;
    });
  };
  return v;
}

Variant float3(const std::string& name, const std::string& summary,
               std::vector<TheoryRow> theory_rows) {
  auto v = base(name, summary, std::move(theory_rows));
  v.gpu_points.push_back({{"n", std::int64_t{1} << 20}});  // 4096 blocks of 256
  v.args = [](const Params& p) {
    const auto count = count_of(3 * number(p));
    return std::vector<ArgSpec>{input("in", ElementType::kF32, count),
                                output("out", ElementType::kF32, count), scalar_i32(number(p))};
  };
  v.reference = [](const Params&, Buffers& buffers) {
    const auto in = buffers.f32("in");
    const auto out = buffers.f32("out");
    each_index(out.size(), [&](std::size_t i) { out[i] = in[i] + 2; });
  };
  return v;
}

// Each array of a split number begins on a line.
std::int64_t pitch_of(const Params& p) { return ceil_div(number(p), 16) * 16; }

Variant numbers(bool split) {
  const std::string name = split ? "numbers_split" : "numbers_one";
  auto v = base(name,
                split ? "numbers of `words` doubles as that many arrays"
                      : "numbers of `words` doubles as one array",
                numbers_theory(split));
  v.kernel = [name](const Params& p) {
    return name + "<" + std::to_string(p.number("words")) + ">";
  };
  v.reads = {"n", "words"};
  const std::vector<ParamValue> sizes = {std::int64_t{2}, std::int64_t{4}, std::int64_t{8}};
  v.points = product({{"n", {kRecords, std::int64_t{5003}}}, {"words", sizes}});
  v.gpu_points = product({{"n", {kManyRecords}}, {"words", sizes}});
  v.telling = points_with(v, {{"n", {kRecords, kManyRecords}}});
  v.args = [split](const Params& p) {
    const auto count = count_of((split ? pitch_of(p) : number(p)) * p.number("words"));
    std::vector<ArgSpec> args = {input("in", ElementType::kF64, count),
                                 output("out", ElementType::kF64, count), scalar_i32(number(p))};
    if (split) args.emplace_back(scalar_i32(pitch_of(p)));
    return args;
  };
  v.reference = [split](const Params& p, Buffers& buffers) {
    const auto in = buffers.f64("in");
    const auto out = buffers.f64("out");
    const auto pitch = count_of(pitch_of(p));
    const auto used = count_of(number(p));
    each_index(out.size(), [&](std::size_t i) {
      if (!split || i % pitch < used) out[i] = 2 * in[i];
    });
  };
  return v;
}

Variant mixed_aos() {
  auto v = base("mixed_aos", "records of char, short, int and double", mixed_theory(true));
  v.args = [](const Params& p) {
    Fill fill;
    fill.kind = Fill::Kind::kBytes;
    fill.bytes = mixed_records(number(p));
    return std::vector<ArgSpec>{
        BufferSpec{"in", ElementType::kU8, count_of(16 * number(p)), Direction::kIn, fill},
        output("out", ElementType::kF64, count_of(number(p))), scalar_i32(number(p))};
  };
  v.reference = [](const Params&, Buffers& buffers) {
    const std::span<const std::byte> in = buffers.raw("in");
    const auto out = buffers.f64("out");
    each_index(out.size(), [&](std::size_t i) {
      out[i] = mixed_sum(field<double>(in, 16 * i + 8), field<std::int32_t>(in, 16 * i + 4),
                         field<std::int16_t>(in, 16 * i + 2), field<std::int8_t>(in, 16 * i));
    });
  };
  return v;
}

Variant mixed_soa() {
  auto v = base("mixed_soa", "the same fields as four arrays", mixed_theory(false));
  v.args = [](const Params& p) {
    const auto n = count_of(number(p));
    return std::vector<ArgSpec>{
        input("a", ElementType::kI8, n),     input("b", ElementType::kI16, n),
        input("c", ElementType::kI32, n),    input("d", ElementType::kF64, n),
        output("out", ElementType::kF64, n), scalar_i32(number(p))};
  };
  v.reference = [](const Params&, Buffers& buffers) {
    const auto a = buffers.as<std::int8_t>("a");
    const auto b = buffers.as<std::int16_t>("b");
    const auto c = buffers.i32("c");
    const auto d = buffers.f64("d");
    const auto out = buffers.f64("out");
    each_index(out.size(), [&](std::size_t i) { out[i] = mixed_sum(d[i], c[i], b[i], a[i]); });
  };
  return v;
}

// Loads are not kept in L1: what it hides of a layout's price shows in the difference.
Variant past_l1(Variant v) {
  v.name += "_no_l1";
  v.summary += ", loads past L1";
  v.options = {"--ptxas-options=-dlcm=cg"};
  return v;
}

}  // namespace

Lab layout() {
  const auto direct = float3("float3_direct", "vectors of three floats, each thread its own",
                             float3_direct_theory());
  Lab lab;
  lab.number = 2;
  lab.id = "layout";
  lab.folder = "02_layout";
  lab.title = "Layout";
  lab.summary = "an array of structures, or a structure of arrays";
  lab.params = parameters();
  lab.variants = {
      update_aos(),
      past_l1(update_aos()),
      update_soa(),
      update_float4(),
      to_soa(),
      field_aos(),
      field_soa(),
      random_order(true),
      random_order(false),
      direct,
      past_l1(direct),
      float3("float3_shared", "the same through shared memory: global memory in order",
             float3_shared_theory()),
      numbers(false),
      numbers(true),
      mixed_aos(),
      mixed_soa(),
  };
  lab.headline = {"global_load_sectors_per_request", "global_load_efficiency",
                  "global_store_efficiency", "effective_bandwidth"};
  return lab;
}

}  // namespace lab::labs
