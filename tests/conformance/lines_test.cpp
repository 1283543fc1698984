// Source lines of inlined code, in the PTX and in the machine code that a compiler makes of one
// source: a student reads lines of the own file, whatever headers it calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/core/text.h"
#include "harness/kernel/compile/nvrtc.h"
#include "harness/kernel/cubin/cubin.h"
#include "harness/kernel/ptx/parser.h"
#include "harness/model/case/backend.h"
#include "tests/conformance/compiler.h"

namespace lab::conformance {
namespace {

// Line 1 is the first of this text.
constexpr const char* kSource = R"(#include <cooperative_groups.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;
__device__ __forceinline__ float first(const float* p) { return p[0]; }
__device__ __forceinline__ float both(const float* p) {
  return first(p)
       + first(p + 1);
}
extern "C" __global__ void mixed(float* out, const float* in, __half2* h, float* sum) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = both(in + t);
  cg::this_thread_block().sync();
  float v = s[63 - t];
  h[t] = __hadd2(h[t], __float2half2_rn(v));
  out[t] = __ldcs(in + t);
  atomicAdd(sum,
            v);
  auto store = [=](int i) { out[64 + i] = v; };
  store(t);
}
)";
constexpr const char* kName = "mixed.cu";

Compiled compiled_for(const std::string& arch) {
  CompileRequest request;
  request.source = {kName, kSource};
  request.arch = arch;
  return compile::nvrtc_compile(request);
}

class Lines : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    for (const std::string& why : {lacking(Needs::kToolkitHeaders), lacking(GetParam())}) {
      if (!why.empty()) GTEST_SKIP() << why;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Architectures, Lines, ::testing::Values("sm_75", "sm_90", "sm_120"),
                         [](const auto& each) { return std::string(each.param); });

/// Lines of the own file on which an opcode stands in the PTX.
std::set<std::uint32_t> lines_of(const ptx::Module& module, ptx::Op op, ptx::Space space) {
  std::set<std::uint32_t> lines;
  for (const ptx::Instruction& i : module.functions.at(module.find_entry("mixed")).instructions) {
    if (i.op != op || i.space != space) continue;
    EXPECT_EQ(module.files[i.where.file].substr(module.files[i.where.file].rfind('/') + 1), kName);
    lines.insert(i.where.line);
  }
  return lines;
}

TEST_P(Lines, OfThePtxAreTheStudents) {
  const ptx::Module module = ptx::parse(compiled_for(GetParam()).ptx, kName);
  using Set = std::set<std::uint32_t>;
  // An own function keeps the line that it was written on (4); __ldcs (16) is a header's, and the
  // addition of halves loads at the line that names the array (15).
  EXPECT_EQ(lines_of(module, ptx::Op::kLd, ptx::Space::kGlobal), (Set{4, 15, 16}));
  EXPECT_EQ(lines_of(module, ptx::Op::kLd, ptx::Space::kShared), Set{14});
  EXPECT_EQ(lines_of(module, ptx::Op::kSt, ptx::Space::kShared), Set{12});
  // A lambda's store stands in the lambda (19).
  EXPECT_EQ(lines_of(module, ptx::Op::kSt, ptx::Space::kGlobal), (Set{15, 16, 19}));
  // The barrier of cooperative_groups stands two headers deep.
  const Set barriers = lines_of(module, ptx::Op::kBarrier, ptx::Space::kGeneric);
  const Set older = lines_of(module, ptx::Op::kBar, ptx::Space::kGeneric);
  EXPECT_EQ(barriers.empty() ? older : barriers, Set{13});
}

TEST_P(Lines, OfTheMachineCodeAreThoseOfThePtx) {
  const Compiled compiled = compiled_for(GetParam());
  const ptx::Module module = ptx::parse(compiled.ptx, kName);
  const cubin::Image image = cubin::read(compiled.cubin);
  std::map<std::uint32_t, std::uint32_t> line_of;  // by PTX line
  for (const ptx::Instruction& i : module.functions.at(module.find_entry("mixed")).instructions) {
    line_of[i.where.ptx_line] = i.where.line;
  }
  const cubin::Function* machine = image.find("mixed");
  ASSERT_NE(machine, nullptr);
  int seen = 0;
  for (const cubin::MemoryInstruction& one : machine->instructions) {
    if (one.access.kind == cubin::Kind::kLoadConst || line_of.count(one.ptx_line) == 0) continue;
    EXPECT_EQ(one.source_line, line_of[one.ptx_line]) << "PTX line " << one.ptx_line;
    const std::string& file = image.files.at(one.source_file);
    EXPECT_EQ(file.substr(file.rfind('/') + 1), kName);
    ++seen;
  }
  EXPECT_GE(seen, 10);  // 2 + 1 + 1 loads of global memory, 1 of shared, 1 + 3 stores, 1 atomic
}

CaseRecord run(const KernelText& source, const std::string& kernel, std::vector<ArgSpec> args,
               std::uint32_t blocks = 1) {
  BatchRequest batch;
  batch.source = source;
  CaseRequest request;
  request.job = Job{kernel, {{blocks, 1, 1}, {64, 1, 1}, 0}, std::move(args), {}};
  batch.cases = {request};
  CaseRecord record;
  BatchSink sink;
  sink.environment = [](const std::string&, const std::string&) {};
  sink.progress = [](int, double) {};
  sink.cancelled = [] { return false; };
  sink.finished = [&](CaseOutcome done) { record = std::move(done.record); };
  model::ModelBackend([](const CompileRequest& r) {
    return compile::nvrtc_compile(r);
  }).run(batch, sink);
  return record;
}
BufferSpec zeroed(const char* name, std::uint64_t count, ElementType type) {
  return {name, type, count, Direction::kInOut, {Fill::Kind::kZero}};
}

TEST(LinesOfFindings, AreTheStudents) {
  if (const std::string why = lacking(Needs::kToolkitHeaders); !why.empty()) GTEST_SKIP() << why;
  // `h` has one element less than there are threads, and `out` none for the lambda's stores.
  const CaseRecord record =
      run({kName, kSource}, "mixed",
          {zeroed("out", 64, ElementType::kF32), zeroed("in", 65, ElementType::kF32),
           zeroed("h", 63, ElementType::kU32), zeroed("sum", 1, ElementType::kF32)});
  std::map<int, std::string> found;
  for (const Finding& finding : record.findings) found[finding.line] = finding.source;
  const std::map<int, std::string> want = {{15, "h[t] = __hadd2(h[t], __float2half2_rn(v));"},
                                           {19, "auto store = [=](int i) { out[64 + i] = v; };"}};
  EXPECT_EQ(found, want) << record.reason;
}

TEST(LinesOfRefusals, AreTheStudents) {
  if (const std::string why = lacking(Needs::kToolkitHeaders); !why.empty()) GTEST_SKIP() << why;
  const CaseRecord record =
      run({"wait.cu",
           "#include <cooperative_groups.h>\n#include <cuda/barrier>\n"
           "extern \"C\" __global__ void __cluster_dims__(2, 1, 1) k(float* out) {\n"
           "  __shared__ cuda::barrier<cuda::thread_scope_block> bar;\n"
           "  __shared__ float x;\n"
           "  init(&bar, 1);\n"
           "  out[0] = *cooperative_groups::this_cluster().map_shared_rank(&x, 1);\n}\n"},
          "k", {zeroed("out", 1, ElementType::kF32)}, 2);
  EXPECT_EQ(name_of(record.status), "refused");
  EXPECT_NE(record.reason.find("wait.cu:6: the instruction 'mbarrier.init"), std::string::npos)
      << record.reason;
}

}  // namespace
}  // namespace lab::conformance
