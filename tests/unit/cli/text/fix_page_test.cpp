#include "harness/run/fix_page.h"

#include <gtest/gtest.h>

#include "harness/core/metric_keys.h"
#include "harness/model/layout/shapes.h"
#include "tests/unit/cli/sample_run.h"
#include "tools/cli/text/page_text.h"

namespace lab::cli {
namespace {

constexpr Terminal kScreen{false, false, false, 120};
constexpr const char* kSource =
    "__global__ void k(float* out) {\n"
    "  __shared__ float tile[32][32];\n"
    "  tile[threadIdx.y][threadIdx.x] = 1;\n"
    "  out[threadIdx.x] = tile[threadIdx.x][threadIdx.y];\n";

// A tile that 32 warps fill by rows and read by columns: 32 * 1 and 32 * 32 wavefronts.
run::ArrayFix rows_and_columns() {
  const layout::Tile tile{4, 32, 32};
  run::ArrayFix fix;
  fix.name = "tile";
  fix.array = {"tile", Space::kShared, 4096};
  fix.declared = source::shared_arrays_of(kSource).front();
  fix.problem.bytes = 4096;
  fix.problem.element = 4;
  fix.problem.columns = {32};
  int site = 0;
  for (const char* order : {"store:row", "column"}) {
    for (const layout::Use& use : layout::uses_of(order, tile, site)) {
      fix.problem.uses.push_back(use);
    }
    ++site;
  }
  fix.solution = layout::solve(fix.problem);
  fix.lines = {{4, AccessOp::kLoad, 32, 1024, 32}, {3, AccessOp::kStore, 32, 32, 32}};
  return fix;
}

RunRecord run_with(double sectors) {
  RunRecord run;
  run.source_name = "k.cu";
  run.source_text = kSource;
  CaseRecord& record = run.cases.emplace_back();
  record.kernel = "k";
  record.launch = {{1, 1, 1}, {32, 32, 1}, 0};
  record.observations = {
      observed(std::string(metric::kGlobalLoadSectors), SourceOf::kModel, sectors)};
  return run;
}

std::string text_of(const CaseRecord* exchanged) {
  return page_text(run::fix_page(run_with(32), {rows_and_columns()}, exchanged), kScreen);
}

// With a word of padding 64 wavefronts are left: 1,056 - 64 = 992.
TEST(FixPage, TheDeclarationChanges) {
  const std::string text = text_of(nullptr);
  EXPECT_NE(text.find("\n  as it is                     1,056  4,096\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("\n  k.cu:2\n"
                      "  - __shared__ float tile[32][32];\n"
                      "  + __shared__ float tile[32][33];\n"
                      "Saves 992 of 1,056 wavefronts, counted over every access of the one block. "
                      "No layout takes fewer: no conflict is left.\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("exchanged"), std::string::npos);
}

// The exchange of x and y, which changes no array, is told first if it helps and last if not.
TEST(FixPage, TheOtherOrderOfThreadsStandsWhereItBelongs) {
  const std::string better = text_of(&run_with(8).cases.front());
  const std::size_t told = better.find("32 -> 8 sectors. Better in all. Write threadIdx.y");
  EXPECT_LT(told, better.find("tile[32][32]: shared memory")) << better;
  const std::string worse = text_of(&run_with(64).cases.front());
  const std::size_t vain = worse.find("32 -> 64 sectors. No gain.");
  ASSERT_NE(vain, std::string::npos) << worse;
  EXPECT_GT(vain, worse.find("Saves 992"));
}

TEST(FixPage, AKernelWithoutArrays) {
  const std::string text = page_text(run::fix_page(run_with(32), {}, nullptr), kScreen);
  EXPECT_NE(text.find("\n\nThe kernel accesses no array in global or shared memory.\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace lab::cli
