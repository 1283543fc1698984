// Launches that cannot be: each is refused in words, before anything runs.
#include <gtest/gtest.h>

#include "tests/unit/model/case/ptx_case.h"

namespace lab::model {
namespace {

using ptx_case::buffer;
using ptx_case::PtxCase;
using ptx_case::run;

struct BadLaunch {
  Launch launch;
  const char* reason;
};

TEST(Launch, SizesThatNoGpuTakesAreRefused) {
  const BadLaunch launches[] = {
      {{{1, 1, 1}, {0, 1, 1}, 0},
       "the launch has no threads; grid and block "
       "sizes are at least 1"},
      {{{0, 1, 1}, {32, 1, 1}, 0},
       "the launch has no threads; grid and "
       "block sizes are at least 1"},
      {{{1, 1, 0}, {32, 1, 1}, 0},
       "the launch has no threads; grid and "
       "block sizes are at least 1"},
      {{{1, 1, 1}, {1025, 1, 1}, 0},
       "a block of 1025 x 1 x 1 threads is too large; a block has at most 1024 threads, and at "
       "most "
       "64 in z"},
      {{{1, 1, 1}, {32, 32, 2}, 0},
       "a block of 32 x 32 x 2 threads is too large; a block has at most 1024 threads, and at most "
       "64 in z"},
      {{{1, 1, 1}, {1, 1, 65}, 0},
       "a block of 1 x 1 x 65 threads is too large; a block has at most 1024 threads, and at most "
       "64 in z"},
      {{{1, 65536, 1}, {32, 1, 1}, 0},
       "a grid of 1 x 65536 x 1 blocks is too large; at most 2147483647 blocks in x, 65535 in y "
       "and in z"},
      {{{1, 1, 70000}, {32, 1, 1}, 0},
       "a grid of 1 x 1 x 70000 blocks is too large; at most 2147483647 blocks in x, 65535 in y "
       "and in z"},
      {{{1, 1, 1}, {32, 1, 1}, 232449},
       "0 bytes of static and 232449 of dynamic shared memory are too many: the GPU that is "
       "modelled (sm_90) has 232448 per block; use smaller tiles"},
  };
  for (const BadLaunch& bad : launches) {
    const CaseOutcome outcome = run({.body = "ret;", .launch = bad.launch});
    EXPECT_EQ(outcome.record.status, CaseStatus::kError);
    EXPECT_EQ(outcome.record.reason, bad.reason);
    EXPECT_TRUE(outcome.record.observations.empty());  // no counts of what did not run
    EXPECT_TRUE(outcome.dumped.empty());
  }
}

TEST(Launch, MoreSharedMemoryThanTheGpuHasIsRefused) {
  // 300 KiB, and 48 KiB that leave 227 - 48 = 179 KiB for the launch's.
  const auto reason = [](std::uint32_t bytes, std::uint32_t dynamic) {
    const std::string before = ".shared .align 4 .b8 tile[" + std::to_string(bytes) + "];\n";
    return run({.body = "st.shared.u32 [tile], %t;\nret;",
                .before = before,
                .launch = {{1, 1, 1}, {1, 1, 1}, dynamic}})
        .record.reason;
  };
  EXPECT_EQ(reason(300 * 1024, 0),
            "the kernel has 307200 bytes of static shared memory: the GPU that is modelled has "
            "room for 49152 per block; declare it extern __shared__ and give its size at the "
            "launch: up to 232448 bytes");
  EXPECT_EQ(reason(48 * 1024, 179 * 1024 + 16),
            "49152 bytes of static and 183312 of dynamic shared memory are too many: the GPU that "
            "is modelled (sm_90) has 232448 per block; use smaller tiles");
  EXPECT_EQ(reason(48 * 1024, 179 * 1024), "");
}

TEST(Launch, TheLargestSizesRun) {
  const Launch launches[] = {{{1, 1, 1}, {1024, 1, 1}, 0},
                             {{1, 1, 1}, {16, 1, 64}, 0},
                             {{1, 3, 65535}, {1, 1, 1}, 0},
                             {{1, 1, 1}, {32, 1, 1}, 227 * 1024}};
  for (const Launch& launch : launches) {
    const CaseOutcome outcome = run({.body = "ret;", .launch = launch});
    EXPECT_EQ(outcome.record.status, CaseStatus::kOk) << outcome.record.reason;
  }
}

/// A kernel `c` of clusters of so many blocks.
PtxCase clustered(const std::string& cluster, const std::string& body, std::uint32_t blocks) {
  return {.body = "ret;",
          .before =
              ".visible .entry c(.param .u64 p, .param .u64 q, .param .u32 n)\n"
              ".explicitcluster .reqnctapercluster " +
              cluster + "\n{\n.reg .b32 %r<9>;\n.shared .b32 s;\n" + body + "\nret;\n}\n",
          .launch = {{blocks, 1, 1}, {32, 1, 1}, 0},
          .kernel = "c"};
}

TEST(Launch, GridsAreMadeOfWholeClusters) {
  EXPECT_EQ(run(clustered("2, 1, 1", "", 3)).record.reason,
            "a grid of 3 x 1 x 1 blocks is not made of whole clusters of 2 x 1 x 1; make each of "
            "its sizes a multiple of the cluster's");
  EXPECT_EQ(run(clustered("16, 1, 1", "", 16)).record.reason,
            "a cluster of 16 x 1 x 1 blocks is too large; a cluster has at most 8 blocks");
  EXPECT_EQ(run(clustered("2, 1, 1", "", 4)).record.status, CaseStatus::kOk);
}

// Loads of other blocks' shared memory are no shared loads, and no zero is shown for them. The
// stores are the block's own: one per warp of 4 blocks.
TEST(Launch, AccessesBetweenBlocksAreNotCounted) {
  const std::string sync = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
  const CaseRecord record =
      run(clustered(
              "2, 1, 1",
              "st.shared.u32 [s], 5;\n" + sync +
                  "mapa.shared::cluster.u32 %r1, s, 0;\nld.shared::cluster.u32 %r2, [%r1];\n" +
                  sync,
              4))
          .record;
  EXPECT_EQ(record.status, CaseStatus::kOk) << record.reason;
  EXPECT_EQ(record.notes.checkers, Looked::kFull);
  int seen = 0;
  for (const Observation& o : record.observations) {
    if (o.metric.starts_with("shared_load_")) {
      const auto* missing = std::get_if<Missing>(&o.value);
      ASSERT_NE(missing, nullptr) << o.metric;
      EXPECT_NE(missing->detail.find("not measured"), std::string::npos) << missing->detail;
      ++seen;
    }
    if (o.metric == "shared_store_requests") {
      EXPECT_EQ(std::get<double>(o.value), 4);
      ++seen;
    }
  }
  EXPECT_EQ(seen, 5);
}

TEST(Launch, BoundsOfTheKernelCount) {
  PtxCase given{.body = "ret;", .launch = {{1, 1, 1}, {96, 1, 1}, 0}};
  CaseOutcome outcome;
  BatchRequest batch;
  std::string text = ptx_run::entry("ret;");
  text.insert(text.find(")\n{") + 1, "\n.maxntid 64, 1, 1\n");
  batch.source = {"k.ptx", text};
  CaseRequest request;
  request.job = Job{"k", given.launch, given.args};
  batch.cases = {request};
  BatchSink sink;
  sink.finished = [&](CaseOutcome done) { outcome = std::move(done); };
  ModelBackend(ptx_case::pass).run(batch, sink);
  EXPECT_EQ(outcome.record.reason,
            "a block of 96 threads is more than the kernel's __launch_bounds__(64); use smaller "
            "blocks");
}

TEST(Launch, ArgumentsMustFitTheParameters) {
  PtxCase few{.body = "ret;"};
  few.args.pop_back();
  EXPECT_EQ(run(few).record.reason,
            "the kernel takes 3 parameters, 2 arguments are given; give one argument for each "
            "parameter, in their order");
  PtxCase many{.body = "ret;"};
  many.args.push_back(scalar_i32(1));
  EXPECT_EQ(run(many).record.reason,
            "the kernel takes 3 parameters, 4 arguments are given; give one argument for each "
            "parameter, in their order");
  PtxCase wide{.body = "ret;"};
  wide.args[2] = scalar_f64(1);
  EXPECT_EQ(run(wide).record.reason,
            "parameter 2 of the kernel has 4 bytes, its argument 8; parameters count from 0; a "
            "pointer has 8 bytes");
  PtxCase narrow{.body = "ret;"};
  narrow.args[0] = scalar_i32(1);
  EXPECT_EQ(run(narrow).record.reason,
            "parameter 0 of the kernel has 8 bytes, its argument 4; parameters count from 0; a "
            "pointer has 8 bytes");
}

TEST(Launch, AnUnknownKernelIsNamed) {
  const CaseRecord record = run({.body = "ret;", .kernel = "other"}).record;
  EXPECT_EQ(record.status, CaseStatus::kError);
  EXPECT_EQ(record.reason, "the compiled source has no kernel 'other'");
}

// Its name is the user's: no sentence decides that the model lacks an instruction.
TEST(Launch, AKernelThatIsCalledLikeARefusalIsNone) {
  const CaseRecord record = run({.body = "ret;", .kernel = "not modelled"}).record;
  EXPECT_EQ(record.status, CaseStatus::kError);
  EXPECT_EQ(record.reason, "the compiled source has no kernel 'not modelled'");
}

struct Refused {
  const char* text;
  const char* what;  ///< the beginning of the reason
};
TEST(Launch, InstructionsThatAreNotModelledAreNamedWithTheirLine) {
  const Refused refused[] = {
      {"wgmma.fence.sync.aligned;", "k.ptx:18: 'wgmma' is not modelled"},
      {"tex.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2, %f3, %f4}];",
       "k.ptx:18: the modifier '.cube' of 'tex' is not modelled"},
  };
  for (const Refused& each : refused) {
    const CaseRecord record = run({.body = std::string(each.text) + "\nret;"}).record;
    EXPECT_EQ(record.status, CaseStatus::kRefused) << record.reason;
    EXPECT_NE(record.reason.find("not modelled"), std::string::npos) << record.reason;
    EXPECT_TRUE(record.observations.empty());
  }
}

TEST(Launch, ABatchGoesOnBehindABadCase) {
  BatchRequest batch;
  batch.source = {"k.ptx", ptx_run::entry("st.global.u32 [%mine], %t;\nret;")};
  const PtxCase good;
  CaseRequest first;
  first.index = 0;
  first.job = Job{"k", {{1, 1, 1}, {2000, 1, 1}, 0}, good.args};
  CaseRequest second;
  second.index = 1;
  second.job = Job{"k", good.launch, good.args};
  batch.cases = {first, second};
  std::vector<CaseRecord> records;
  BatchSink sink;
  sink.finished = [&](CaseOutcome done) { records.push_back(std::move(done.record)); };
  ModelBackend(ptx_case::pass).run(batch, sink);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].status, CaseStatus::kError);
  EXPECT_EQ(records[1].status, CaseStatus::kOk);
  EXPECT_EQ(records[1].index, 1);
}

TEST(Launch, SourceThatDoesNotParseEndsTheBatch) {
  try {
    run({.body = "add.u32 %r1, %r2;\nret;"});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), lab::Fault::kInput);
    ASSERT_TRUE(error.place().has_value());
    EXPECT_EQ(error.place()->file, "k.ptx");
  }
}

}  // namespace
}  // namespace lab::model
