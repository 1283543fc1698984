// The kernels that ceilings are measured with, as machine code.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "harness/gpu/measure/calibrate.h"
#include "harness/kernel/compile/nvrtc.h"
#include "harness/kernel/cubin/cubin.h"
#include "metrics/kernel_time.h"

namespace lab::gpu {
namespace {

Compiled compiled(const std::string& arch) {
  auto settings = compile::default_settings();
  settings.cache = LAB_SOURCE_DIR "/build/test-cache/lab/compile";
  return compile::nvrtc_compile(ceiling_request(arch), settings);
}

// Of all that an older and a newer GPU lack nothing is asked.
TEST(Ceilings, KernelsCompileForAllArchitectures) {
  for (const char* arch : {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_120"}) {
    EXPECT_FALSE(compiled(arch).cubin.empty()) << arch;
  }
}

TEST(Ceilings, HaveNamesOfTheirOwnAndSayHowTheyAreMeasured) {
  std::set<std::string_view> names;
  for (const CeilingRow& row : ceiling_rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.method.empty()) << row.name;
    EXPECT_FALSE(row.unit.empty()) << row.name;
    EXPECT_NE(row.measure, nullptr) << row.name;
  }
}

// A rate that nobody measures would be an H200's for ever.
TEST(Ceilings, AreAllThatRulesOfTimeReckonWith) {
  const std::vector<CeilingRow> rows = ceiling_rows();
  for (const std::string_view name : metrics::ceilings_of_rates()) {
    const bool measured = std::any_of(rows.begin(), rows.end(),
                                      [&](const CeilingRow& row) { return row.name == name; });
    EXPECT_TRUE(measured || name == "sm_clock") << name;
  }
}

// What the loop of a kernel holds: the compiler must neither fold nor drop it. Bits 0 to 8 of an
// instruction are its operation (CUDA Binary Utilities, "Instruction Set Reference", and nvdisasm
// of sm_90).
struct Holds {
  const char* kernel;
  std::uint16_t opcode;
  int least;
};
constexpr Holds kHolds[] = {
    {"lab_issue", 0x023, 256},          // FFMA
    {"lab_issue_double", 0x02b, 256},   // DFMA
    {"lab_issue_logic", 0x012, 256},    // LOP3
    {"lab_issue_logic", 0x019, 256},    // SHF
    {"lab_issue_product", 0x024, 256},  // IMAD
    {"lab_issue_special", 0x108, 256},  // MUFU
    {"lab_issue_tensor", 0x03c, 16},    // HMMA
    {"lab_shared", 0x184, 32},          // LDS
    {"lab_l1", 0x181, 8},               // LDG
    {"lab_read", 0x181, 4},
    {"lab_read_apart", 0x181, 4},
    {"lab_store_apart", 0x186, 1},  // STG
    {"lab_store_line", 0x186, 1},
    {"lab_store_one", 0x186, 1},
    {"lab_load_one", 0x181, 1},
    {"lab_barriers", 0x11d, 1},       // BAR
    {"lab_chase_loaded", 0x181, 10},  // the ring's, the word that ends it, eight of the others'
};

TEST(Ceilings, KernelsHoldWhatTheyMeasure) {
  const Compiled all = compiled("sm_90");
  const cubin::Image image = cubin::read(all.cubin);
  for (const Holds& one : kHolds) {
    const cubin::Function* function = image.find(one.kernel);
    ASSERT_NE(function, nullptr) << one.kernel;
    const auto holds = std::count_if(function->code.begin(), function->code.end(),
                                     [&](const cubin::Issue& i) { return i.opcode == one.opcode; });
    EXPECT_GE(holds, one.least) << one.kernel << ": " << function->code.size();
  }
}

}  // namespace
}  // namespace lab::gpu
