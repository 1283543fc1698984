// Races in global memory, between blocks and between warps.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "harness/kernel/ptx/parser.h"
#include "harness/model/check/global_checker.h"
#include "harness/model/check/global_races.h"
#include "harness/model/decode/decode.h"
#include "harness/model/execute/warp.h"
#include "harness/model/instructions/handlers.h"
#include "tests/unit/model/check/planted.h"

namespace lab::model::planted {
namespace {

Given blocks(std::uint32_t count, std::vector<ArgSpec> args) {
  return {.launch = {{count, 1, 1}, {64, 1, 1}, 0}, .args = std::move(args), .threads = 1};
}

TEST(PlantedGlobalRace, BlocksThatWriteDifferentValuesToOneWord) {
  const std::string source = R"(
extern "C" __global__ void k(int* out) {
  if (threadIdx.x == 0) out[1] = blockIdx.x;
}
)";
  const CaseRecord record = run(source, blocks(3, {zeroed_i32("out", 2)}));
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_EQ(record.findings[0].kind, FindingKind::kGlobalRace);
  EXPECT_EQ(record.findings[0].message,
            "race at out[1]: line 3 writes different values in several blocks at once");
  EXPECT_EQ(record.findings[0].count, 2U);  // blocks 1 and 2
  // One value from all of them is not a mistake, and neither are atomics.
  expect_clean(with(source, "= blockIdx.x", "= 7"), blocks(3, {zeroed_i32("out", 2)}));
  expect_clean(with(source, "out[1] = blockIdx.x", "atomicAdd(&out[1], blockIdx.x)"),
               blocks(3, {zeroed_i32("out", 2)}));
}

TEST(PlantedGlobalRace, ABlockReadsWhatAnotherWrites) {
  const std::string source = R"(
extern "C" __global__ void k(int* out, int* tmp) {
  int i = blockIdx.x * 64 + threadIdx.x;
  tmp[i] = i;
  __syncthreads();
  out[i] = tmp[(i + 64) % 256];
}
)";
  const CaseRecord record =
      run(source, blocks(4, {zeroed_i32("out", 256), zeroed_i32("tmp", 256)}));
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_NE(record.findings[0].message.find(
                ": line 4 writes, line 6 reads in another block, and nothing orders the two"),
            std::string::npos)
      << record.findings[0].message;
  EXPECT_EQ(record.findings[0].count, 256U);
  // Within a block the barrier orders them.
  const std::string own = with(source, "(i + 64) % 256", "i ^ 63");
  expect_clean(own, blocks(4, {zeroed_i32("out", 256), zeroed_i32("tmp", 256)}));
  const CaseRecord without = run(with(own, "__syncthreads();", ""),
                                 blocks(4, {zeroed_i32("out", 256), zeroed_i32("tmp", 256)}));
  ASSERT_EQ(without.findings.size(), 1U);
  EXPECT_EQ(without.findings[0].message,
            "race at tmp[32]: line 4 writes, line 6 reads in another warp, with no "
            "__syncthreads() between");
}

// The last block to finish adds what all blocks have left: a fence, then a ticket.
TEST(PlantedGlobalRace, AFenceAndATicketOrderBlocks) {
  const std::string source = R"(
extern "C" __global__ void k(int* out, int* part, int* ticket) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = blockIdx.x + 1;
    __threadfence();
    last = atomicAdd(ticket, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x > 0) return;
  int sum = 0;
  for (int i = 0; i < gridDim.x; ++i) sum += part[i];
  out[0] = sum;
}
)";
  const auto given = [] {
    return blocks(8, {zeroed_i32("out", 1), zeroed_i32("part", 8), zeroed_i32("ticket", 1)});
  };
  expect_clean(source, given());
  const CaseRecord record = run(with(source, "__threadfence();", ""), given());
  ASSERT_EQ(record.findings.size(), 1U);
  EXPECT_NE(record.findings[0].message.find("line 5 writes, line 12 reads in another block"),
            std::string::npos)
      << record.findings[0].message;
}

// As when two cores store at about the same time: both have noted it, and memory has neither yet.
TEST(PlantedGlobalRace, WhatIsStoredCountsBeforeItIsInMemory) {
  const ptx::Module module = ptx::parse(
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %rd<2>;\n.reg .b32 %r<3>;\n"
      "ld.param.u64 %rd1, [p];\nst.global.v2.u32 [%rd1], {%r1, %r2};\nret;\n}\n",
      "k.ptx");
  std::array<std::byte, 8> bytes{};
  GlobalMemory memory;
  const std::uint64_t out = memory.add(bytes, "out", 0);
  DecodeRequest request;
  request.module = &module;
  request.entry = module.find_entry("k");
  request.parameters.resize(8);
  request.parameter_address = memory.add(request.parameters, "parameters", -1, false);
  const Program program = decode(request, best_table());
  const auto site = std::find_if(program.sites.begin(), program.sites.end(),
                                 [](const Site& s) { return s.op == AccessOp::kStore; });
  ASSERT_NE(site, program.sites.end());

  check::GlobalRaces races(program, memory, 4);
  check::GlobalChecker checker(program, races);
  check::Clocks clocks;
  const auto races_with_earlier = [&](std::uint64_t block, std::uint32_t first,
                                      std::uint32_t second) {
    std::vector<std::byte> frame(4096);
    Warp warp;
    warp.bank[static_cast<std::size_t>(Bank::kFrame)] = frame.data();
    std::memcpy(warp.at(site->registers[0]), &first, 4);
    std::memcpy(warp.at(site->registers[1]), &second, 4);
    std::array<std::uint64_t, 32> address{out};
    AccessEvent event;
    event.warp = &warp;
    event.site = &*site;
    event.mask = 1;
    event.address = address.data();
    clocks.begin(1);
    checker.begin(block);
    std::vector<Fault> found;
    checker.access(event, clocks, found);
    return !found.empty();
  };
  EXPECT_FALSE(races_with_earlier(0, 7, 8));
  EXPECT_FALSE(races_with_earlier(1, 7, 8));
  EXPECT_TRUE(races_with_earlier(2, 7, 9));  // the second word differs
}

}  // namespace
}  // namespace lab::model::planted
