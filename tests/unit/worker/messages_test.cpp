// Every field of every record goes through the wire and back.
#include "harness/box/worker/messages.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace lab::worker {
namespace {

template <typename Message>
Message request_round(const Message& message) {
  return std::get<Message>(decode_request(encode(Request(message))));
}

template <typename Message>
Message reply_round(const Message& message) {
  return std::get<Message>(decode_reply(encode(Reply(message))));
}

CaseRecord full_record() {
  CaseRecord r;
  r.index = 7;
  r.variant = "stride";
  r.params = {{"stride", std::int64_t{-3}}, {"type", std::string("float")}};
  r.kernel = "k<float, 32>";
  r.launch = {{4, 5, 6}, {32, 2, 1}, 4096};
  r.status = CaseStatus::kFinding;
  r.correct = false;
  r.reason = "out[5]: got 3";
  r.arch = "sm_90";
  r.facts.access_level = AccessLevel::kSass;
  r.facts.sampled_blocks = 1ULL << 40;
  r.facts.counter_cache = Cache::kWarm;
  r.facts.carveout = CaseFacts::kDriversChoice;
  r.facts.compile_options = "-O0";
  r.facts.ptx_sha256 = "aa";
  r.facts.cubin_sha256 = "bb";
  r.notes.checkers = Looked::kFull;
  r.findings = {{FindingKind::kSharedRace,
                 "a race",
                 "k",
                 "mine.cu",
                 12,
                 "s[t] = 1;",
                 {1, 2, 3},
                 {4, 5, 6},
                 0xFFFFFFFFFFFFFFF0ULL,
                 9}};
  r.observations = {{"shared_load_requests", SourceOf::kModel, 16777216.0, 1.5, 2.5, 3, 2},
                    {"l1_hit_rate",
                     SourceOf::kCupti,
                     Missing{NoValue::kNoPermission, "not measured: no GPU"},
                     {},
                     {},
                     0,
                     0}};
  r.verdicts = {{"shared_load_requests", 4.0, 5.0, "blocks * 32", Level::kAsCompiled, 6.0, 1.25,
                 7.5, SourceOf::kSass, VerdictKind::kExplained, "arbitration"}};
  r.timing = Timing{10.5, 9.0,   12.0,  {9.0, 10.5, 12.0}, "cuda events", Cache::kCold, 3, 1980.0,
                    40.0, 300.5, "none"};
  Access access;
  access.sequence = 1ULL << 60;
  access.line = 3;
  access.text = "ld.shared.f32";
  access.space = Space::kShared;
  access.op = AccessOp::kLoad;
  access.bytes_per_lane = 16;
  for (std::size_t i = 0; i < 32; ++i) access.address[i] = i == 3 ? -1 : static_cast<int>(i) * 4;
  access.buffer = "in";
  access.sectors = 1;
  access.wavefronts = 2;
  access.conflicts = 4;
  r.accesses = {access};
  r.lines = {{"mine.cu", 12, "global_load_sectors", SourceOf::kSass, 8.0}};
  r.kernel_facts.emplace().warp.global_rounds = 4097;
  r.kernel_facts->stores.merged_whole = 0.5;
  r.kernel_facts->hot.loads = 3;
  r.kernel_facts->registers = 255;
  r.expected.emplace().ns = 264000.5;
  r.expected->sets = TimeTerm::kL2Stores;
  return r;
}

TEST(Messages, CaseRecordWhole) {
  CaseOutcome message;
  message.record = full_record();
  message.dumped = {{"a", {std::byte{1}}}, {"b", {}}, {"c", {std::byte{0}, std::byte{255}}}};
  const CaseOutcome back = reply_round(message);
  const CaseRecord& got = back.record;
  const CaseRecord want = full_record();
  EXPECT_EQ(got.index, want.index);
  EXPECT_EQ(got.variant, want.variant);
  EXPECT_EQ(got.params, want.params);
  EXPECT_EQ(got.kernel, want.kernel);
  EXPECT_EQ(got.launch, want.launch);
  EXPECT_EQ(got.status, want.status);
  EXPECT_EQ(got.correct, want.correct);
  EXPECT_EQ(got.reason, want.reason);
  EXPECT_EQ(got.arch, want.arch);
  EXPECT_EQ(got.facts, want.facts);
  EXPECT_EQ(got.findings, want.findings);
  EXPECT_EQ(got.observations, want.observations);
  EXPECT_EQ(got.verdicts, want.verdicts);
  EXPECT_EQ(got.timing, want.timing);
  EXPECT_EQ(got.accesses, want.accesses);
  EXPECT_EQ(got.lines, want.lines);
  EXPECT_EQ(back.dumped, message.dumped);
}

TEST(Messages, EmptyCaseRecord) { EXPECT_EQ(reply_round(CaseOutcome{}).record, CaseRecord{}); }

// The program indexes tables by such values.
TEST(Messages, AValueThatItsTypeLacksIsAnError) {
  CaseOutcome message;
  message.record.accesses.resize(1);
  message.record.accesses[0].space = Space::kParam;  // the last
  EXPECT_NO_THROW((void)reply_round(message));
  message.record.accesses[0].space = static_cast<Space>(kWordsOf<Space>.size());
  EXPECT_THROW((void)reply_round(message), Error);
}

TEST(Messages, ValuesThatJsonTextLacks) {
  CaseOutcome message;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {infinity, -infinity, std::nan(""), 0.1, 9007199254740993.0}) {
    message.record.observations.push_back({"m", SourceOf::kModel, value, {}, {}, 1, 0});
  }
  const auto back = reply_round(message).record.observations;
  ASSERT_EQ(back.size(), 5U);
  EXPECT_EQ(back[0].number(), infinity);
  EXPECT_EQ(back[1].number(), -infinity);
  EXPECT_TRUE(std::isnan(back[2].number()));
  EXPECT_EQ(back[3].number(), 0.1);
  EXPECT_EQ(back[4].number(), 9007199254740993.0);
  message.record.reason = "caf\xe9";  // Latin-1
  EXPECT_EQ(reply_round(message).record.reason, "caf\xe9");
}

TEST(Messages, BatchWhole) {
  AskBatch message;
  message.backend = BackendKind::kGpu;
  BatchRequest& b = message.batch;
  b.lab = 3;
  b.source = {"mine.cu", std::string("__global__ \0 caf\xe9", 16)};
  b.reference = {"reference.cu", "__global__"};
  b.arch = "sm_75";
  b.metrics = {"dram__bytes_read.sum"};
  b.seed = 0xFFFFFFFFFFFFFFFFULL;
  b.threads = 2;
  b.checks = Checks::kFull;
  b.sample_above = 12;
  b.timeout_s = 1.5;
  b.warp = {3U, 4294967295U};
  b.access_level = AccessLevel::kPtx;
  b.gpu = {Cache::kWarm, 5, false, false, true, true, Cache::kCold, 50, true, 2};
  CaseRequest plain;
  plain.index = 1;
  plain.variant = "stride";
  plain.params = {{"stride", std::int64_t{2}}};
  CaseRequest probe;
  probe.index = 2;
  BufferSpec buffer{"out", ElementType::kF64, 1ULL << 40, Direction::kInOut, {}};
  buffer.fill = {Fill::Kind::kBytes, 42, {std::byte{9}, std::byte{8}}};
  probe.job = Job{"k<3>",
                  {{1, 2, 3}, {4, 5, 6}, 7},
                  {buffer, ScalarSpec{ElementType::kU64, 0xFFFFFFFFFFFFFFFEULL}},
                  {"out", "n"}};
  probe.job->options = {"-O0"};
  probe.job->runs_on = RunsOn::kModelAlone;
  probe.job->library = "cublas_sgemm";
  probe.job->expected = {ReferenceCall{"sums<float>", {{7}, {256}, 0}, {"in", scalar_f32(0.25F)}},
                         {0.5, 1e-4},
                         {{"out", 1, 2, true}},
                         {{"shared_race", "s["}},
                         {"cycles"}};
  b.cases = {plain, probe};

  const AskBatch back = request_round(message);
  const BatchRequest& g = back.batch;
  EXPECT_EQ(back.backend, BackendKind::kGpu);
  EXPECT_EQ(g.lab, 3);
  EXPECT_EQ(g.source.name, b.source.name);
  EXPECT_EQ(g.source.text, b.source.text);
  EXPECT_EQ(g.reference.name, "reference.cu");
  EXPECT_EQ(g.reference.text, "__global__");
  EXPECT_EQ(g.arch, b.arch);
  EXPECT_EQ(g.metrics, b.metrics);
  EXPECT_EQ(g.seed, b.seed);
  EXPECT_EQ(g.threads, 2);
  EXPECT_EQ(g.checks, Checks::kFull);
  EXPECT_EQ(g.sample_above, 12U);
  EXPECT_EQ(g.timeout_s, 1.5);
  EXPECT_EQ(g.warp, b.warp);
  EXPECT_EQ(g.access_level, AccessLevel::kPtx);
  EXPECT_EQ(g.gpu, b.gpu);
  ASSERT_EQ(g.cases.size(), 2U);
  EXPECT_EQ(g.cases[0].index, 1);
  EXPECT_EQ(g.cases[0].variant, "stride");
  EXPECT_EQ(g.cases[0].params, plain.params);
  EXPECT_FALSE(g.cases[0].job.has_value());
  ASSERT_TRUE(g.cases[1].job.has_value());
  const Job& p = *g.cases[1].job;
  EXPECT_EQ(p.kernel, "k<3>");
  EXPECT_EQ(p.launch, probe.job->launch);
  EXPECT_EQ(p.dump, (std::vector<std::string>{"out", "n"}));
  const auto& got = std::get<BufferSpec>(p.args.at(0));
  EXPECT_EQ(got.name, "out");
  EXPECT_EQ(got.type, ElementType::kF64);
  EXPECT_EQ(got.count, 1ULL << 40);
  EXPECT_EQ(got.direction, Direction::kInOut);
  EXPECT_EQ(got.fill.kind, Fill::Kind::kBytes);
  EXPECT_EQ(got.fill.seed, 42U);
  EXPECT_EQ(got.fill.bytes, buffer.fill.bytes);
  const auto& scalar = std::get<ScalarSpec>(p.args.at(1));
  EXPECT_EQ(scalar.type, ElementType::kU64);
  EXPECT_EQ(scalar.bits, 0xFFFFFFFFFFFFFFFEULL);
  EXPECT_EQ(p.options, std::vector<std::string>{"-O0"});
  EXPECT_EQ(p.runs_on, RunsOn::kModelAlone);
  EXPECT_EQ(p.library, "cublas_sgemm");
  EXPECT_EQ(p.expected, probe.job->expected);
}

// Contents of any length come back, each to its own place.
TEST(Messages, ContentsKeepTheirPlaces) {
  const auto filled = [](std::size_t bytes, int value) {
    BufferSpec buffer{"b", ElementType::kU8, bytes, Direction::kIn, {}};
    buffer.fill.kind = Fill::Kind::kBytes;
    buffer.fill.bytes = std::vector<std::byte>(bytes, std::byte(value));
    return buffer;
  };
  AskBatch message;
  CaseRequest request;
  request.job = Job{};
  const std::vector<std::size_t> sizes = {100'000, 0, 7, 4096, 70'000};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    request.job->args.emplace_back(filled(sizes[i], static_cast<int>(i) + 1));
  }
  message.batch.cases = {request};
  const AskBatch back = request_round(message);
  const auto& args = back.batch.cases.at(0).job->args;
  ASSERT_EQ(args.size(), sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const SharedBytes& bytes = std::get<BufferSpec>(args[i]).fill.bytes;
    ASSERT_EQ(bytes.size(), sizes[i]);
    for (const std::byte one : bytes) ASSERT_EQ(one, std::byte(i + 1));
  }
}

TEST(Messages, CompileWhole) {
  const CompileRequest ask{{"a.cu", "text"}, {"k", "k<1>"}, "sm_80", {"-O0"}, true};
  const CompileRequest back = request_round(ask);
  EXPECT_EQ(back.source.name, "a.cu");
  EXPECT_EQ(back.source.text, "text");
  EXPECT_EQ(back.kernels, ask.kernels);
  EXPECT_EQ(back.arch, "sm_80");
  EXPECT_EQ(back.options, ask.options);
  EXPECT_TRUE(back.partial);
  const Compiled done{"ptx", {0, 255}, "log", {"_Z1k", ""}, 0.25, true, "why"};
  const Compiled got = reply_round(done);
  EXPECT_EQ(got.ptx, "ptx");
  EXPECT_EQ(got.cubin, done.cubin);
  EXPECT_EQ(got.log, "log");
  EXPECT_EQ(got.lowered, done.lowered);
  EXPECT_EQ(got.seconds, 0.25);
  EXPECT_TRUE(got.from_cache);
  EXPECT_EQ(got.no_lines, "why");
}

TEST(Messages, SmallOnes) {
  EXPECT_EQ(request_round(AskHello{5}).protocol, 5);
  const AskEnvironment both = request_round(AskEnvironment{true, true});
  EXPECT_TRUE(both.gpu);
  EXPECT_TRUE(both.counters);
  EXPECT_FALSE(request_round(AskEnvironment{}).gpu);
  const AskChipMetrics ask = request_round(AskChipMetrics{"GH100", {"a", "b"}, true});
  EXPECT_EQ(ask.chip, "GH100");
  EXPECT_EQ(ask.metrics, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(ask.list);

  const Hello hello = reply_round(Hello{3, 99});
  EXPECT_EQ(hello.protocol, 3);
  EXPECT_EQ(hello.pid, 99);
  const Environment machine = reply_round(Environment{{{"cpu", "x"}}, "sm_90"});
  EXPECT_EQ(machine.values.at("cpu"), "x");
  EXPECT_EQ(machine.gpu_arch, "sm_90");
  const EnvironmentItem item = reply_round(EnvironmentItem{"gpu", "H200"});
  EXPECT_EQ(item.key + item.value, "gpuH200");
  const Progress progress = reply_round(Progress{4, 0.5});
  EXPECT_EQ(progress.index, 4);
  EXPECT_EQ(progress.fraction, 0.5);
  (void)reply_round(Done{});
  (void)reply_round(Spent{});
  (void)request_round(AskCalibrate{});
  const Ceiling ceiling{"dram_read", 4.2e12, "byte/s", "a sweep of an eighth of the memory"};
  EXPECT_EQ(reply_round(std::vector<Ceiling>{ceiling}), std::vector<Ceiling>{ceiling});
}

TEST(Messages, ChipMetricsWhole) {
  const ChipMetrics metrics = reply_round(
      ChipMetrics{"GH100", {"GH100", "TU102"}, {"x"}, 3, {{"name", "what", "byte", "counter"}}});
  EXPECT_EQ(metrics.chip, "GH100");
  EXPECT_EQ(metrics.chips, (std::vector<std::string>{"GH100", "TU102"}));
  EXPECT_EQ(metrics.lacking, std::vector<std::string>{"x"});
  EXPECT_EQ(metrics.passes, 3);
  ASSERT_EQ(metrics.list.size(), 1U);
  EXPECT_EQ(metrics.list[0].name, "name");
  EXPECT_EQ(metrics.list[0].description, "what");
  EXPECT_EQ(metrics.list[0].unit, "byte");
  EXPECT_EQ(metrics.list[0].counter, "counter");
}

TEST(Messages, ErrorsKeepPlaceAndHint) {
  const Failed failed =
      reply_round(Failed{Fault::kInput, "expected a \";\"", "add it", Place{"a.cu", 3, 7, "a[0]"}});
  EXPECT_EQ(failed.fault, Fault::kInput);
  EXPECT_EQ(failed.message, "expected a \";\"");
  EXPECT_EQ(failed.hint, "add it");
  ASSERT_TRUE(failed.place.has_value());
  EXPECT_EQ(failed.place->file, "a.cu");
  EXPECT_EQ(failed.place->line, 3);
  EXPECT_EQ(failed.place->column, 7);
  EXPECT_EQ(failed.place->text, "a[0]");
  EXPECT_FALSE(reply_round(Failed{}).place.has_value());
}

TEST(Messages, WhatIsNoMessageIsAnError) {
  EXPECT_THROW((void)decode_reply({}), Error);
  EXPECT_THROW((void)decode_reply({0x82, 0x18, 99, 0x80}), Error);  // [99, []]: no such kind
  EXPECT_THROW((void)decode_reply({0x82, 6, 0x80}), Error);  // [6, []]: progress without members
  Frame frame = encode(Reply(Compiled{}));
  frame.pop_back();
  EXPECT_THROW((void)decode_reply(frame), Error);
}

// Numbers of a kind, or of a size, that the member does not have: [6, [index, 0.0]].
TEST(Messages, NumbersThatDoNotFitAreErrors) {
  const auto progress = [](const Frame& index) {
    Frame frame = {0x82, 6, 0x82};
    frame.insert(frame.end(), index.begin(), index.end());
    const Frame zero = {0xfb, 0, 0, 0, 0, 0, 0, 0, 0};
    frame.insert(frame.end(), zero.begin(), zero.end());
    return frame;
  };
  EXPECT_EQ(std::get<Progress>(decode_reply(progress({0x20}))).index, -1);
  EXPECT_THROW((void)decode_reply(progress({0x1a, 0x80, 0, 0, 0})), Error);                 // 2^31
  EXPECT_THROW((void)decode_reply(progress({0xfb, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0})), Error);  // 1.0
  EXPECT_THROW((void)decode_reply(progress({0xf6})), Error);                                // null
}

}  // namespace
}  // namespace lab::worker
