// Lab 3: what a stride costs in shared memory, and the cures.
#include "harness/core/lab.h"
#include "labs/build.h"
#include "labs/labs.h"

namespace lab::labs {
namespace {

constexpr std::int64_t kThreads = 256;  // as in kernels.cu
constexpr std::int64_t kBroadcastWords = 32 * 32;

std::vector<ParamSpec> parameters() {
  return {
      {"stride", "distance of neighbouring threads' words", std::int64_t{1}, 0, 33},
      {"distinct", "different words that a warp's lanes read, all in one bank", std::int64_t{1}, 1,
       32},
      {"loads", "how often each thread reads its word", std::int64_t{32}, 1, 65536},
      {"blocks", "blocks of 256 threads", std::int64_t{16}, 1, 65535},
  };
}

std::vector<Params> points(const std::string& name, std::int64_t first, std::int64_t last,
                           std::int64_t blocks) {
  return product(
      {{name, integers(first, last)}, {"loads", {std::int64_t{32}}}, {"blocks", {blocks}}});
}

Launch launch(const Params& params) { return line(params.number("blocks"), kThreads); }

std::int64_t stride_words(const Params& params) {
  return (kThreads - 1) * params.number("stride") + 1;
}

std::vector<ArgSpec> args(const Params& params, std::int64_t words, const std::string& scalar) {
  const auto outputs = count_of(params.number("blocks") * kThreads);
  return {input("in", ElementType::kF32, count_of(words)),
          output("out", ElementType::kF32, outputs), scalar_i32(params.number(scalar)),
          scalar_i32(params.number("loads"))};
}

// out[i] is the word of thread i, added up `loads` times in the kernel's order.
template <typename WordOf>
void reference(const Params& params, Buffers& buffers, WordOf word_of) {
  const auto in = buffers.f32("in");
  const auto out = buffers.f32("out");
  for (std::size_t i = 0; i < out.size(); ++i) {
    const float value = in[count_of(word_of(static_cast<std::int64_t>(i) % kThreads))];
    float sum = 0;
    for (std::int64_t load = 0; load < params.number("loads"); ++load) sum += value;
    out[i] = sum;
  }
}

// Every block copies `words` words from `in` to its tile, one after the other, then each thread
// reads `loads` times at `ways` wavefronts a warp, and writes one result.
std::vector<TheoryRow> theory(const std::string& words, const std::string& ways,
                              const std::string& why) {
  const std::string fills = "blocks * ceil(" + words + " / 32)";
  const std::string reads = "blocks * warps * loads";
  return rows({
      shared_rows(Op::kLoad, {reads, reads + " * " + ways, reads, {}, why}),
      shared_rows(Op::kStore, {fills, fills, fills, {}, "Neighbouring words: no conflict."}),
      {shared_conflicts(reads + " * (" + ways + " - 1)", "The loads' alone: the fill has none.")},
      global_rows(Op::kLoad, {fills, "blocks * ceil(" + words + " / 8)", "blocks * 4 * " + words,
                              fills, "Eight neighbouring words a sector."}),
      global_rows(Op::kStore, {"blocks * warps", "blocks * warps * 4", "blocks * threads * 4",
                               "blocks * warps", "A warp's 32 floats are four sectors."}),
  });
}

Variant stride() {
  Variant v;
  v.name = "stride";
  v.summary = "thread t reads word t * stride: gcd(stride, 32)-way conflicts";
  v.kernel = kernel("stride");
  v.reads = {"stride", "loads", "blocks"};
  v.points = points("stride", 0, 33, 16);
  v.launch = launch;
  v.args = [](const Params& p) { return args(p, stride_words(p), "stride"); };
  v.reference = [](const Params& p, Buffers& buffers) {
    reference(p, buffers, [&](std::int64_t thread) { return thread * p.number("stride"); });
  };
  v.theory = theory("((threads - 1) * stride + 1)", "if(stride == 0, 1, gcd(stride, 32))",
                    "32 words at stride s fall into 32 / gcd(s, 32) banks, gcd(s, 32) in each; at "
                    "stride 0 all lanes read one word.");
  return v;
}

Variant broadcast() {
  Variant v;
  v.name = "broadcast";
  v.summary = "a warp reads `distinct` different words of one bank; lanes of one word share it";
  v.kernel = kernel("broadcast");
  v.reads = {"distinct", "loads", "blocks"};
  v.points = points("distinct", 1, 32, 16);
  v.launch = launch;
  v.args = [](const Params& p) { return args(p, kBroadcastWords, "distinct"); };
  v.reference = [](const Params& p, Buffers& buffers) {
    reference(p, buffers, [&](std::int64_t thread) { return thread % p.number("distinct") * 32; });
  };
  v.theory =
      theory("1024", "distinct",
             "One bank gives its words one after the other, each to all lanes that want it.");
  return v;
}

}  // namespace

Lab bank_conflicts() {
  Lab lab;
  lab.number = 3;
  lab.id = "bank_conflicts";
  lab.folder = "03_bank_conflicts";
  lab.title = "Bank conflicts";
  lab.summary = "N-way conflicts in shared memory and their cures";
  lab.params = parameters();
  lab.variants = {stride(), broadcast()};
  lab.headline = {"shared_load_ways", "shared_load_wavefronts_sass", "shared_bank_conflicts"};
  return lab;
}

}  // namespace lab::labs
