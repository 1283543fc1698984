// The meaning of names: special registers, registers, variables, labels and their blocks.
#include <gtest/gtest.h>

#include "harness/kernel/ptx/grammar.h"
#include "tests/unit/ptx/support.h"

namespace lab::ptx {
namespace {

using Kind = Operand::Kind;

Function function_of(const std::string& body) {
  return parse(kernel(body), "x.ptx").functions.at(0);
}

struct SpecialCase {
  const char* name;
  Special special;
  int bits;
  int component = 0;
};
class SpecialRegisters : public testing::TestWithParam<SpecialCase> {};

TEST_P(SpecialRegisters, AreReadByMov) {
  const SpecialCase& row = GetParam();
  const std::string wide = "mov.u64 %rd1, " + std::string(row.name) + ";";
  const std::string narrow = "mov.u32 %r1, " + std::string(row.name) + ";";
  const Operand operand = function_of(row.bits == 64 ? wide : narrow).instructions[0].operands[1];
  EXPECT_EQ(operand.kind, Kind::kSpecial);
  EXPECT_EQ(operand.special, row.special);
  EXPECT_EQ(operand.component, row.component);
  // Its width is its own.
  EXPECT_NE(error_of(kernel(row.bits == 64 ? narrow : wide)), "") << row.name;
}

INSTANTIATE_TEST_SUITE_P(
    Ptx, SpecialRegisters,
    testing::Values(
        SpecialCase{"%tid.x", Special::kTid, 32}, SpecialCase{"%tid.y", Special::kTid, 32, 1},
        SpecialCase{"%tid.z", Special::kTid, 32, 2}, SpecialCase{"%ntid.x", Special::kNtid, 32},
        SpecialCase{"%ctaid.w", Special::kCtaid, 32, 3},
        SpecialCase{"%nctaid.z", Special::kNctaid, 32, 2},
        SpecialCase{"%laneid", Special::kLaneid, 32}, SpecialCase{"%warpid", Special::kWarpid, 32},
        SpecialCase{"%nwarpid", Special::kNwarpid, 32}, SpecialCase{"%smid", Special::kSmid, 32},
        SpecialCase{"%nsmid", Special::kNsmid, 32}, SpecialCase{"%gridid", Special::kGridid, 64},
        SpecialCase{"%lanemask_eq", Special::kLanemaskEq, 32},
        SpecialCase{"%lanemask_le", Special::kLanemaskLe, 32},
        SpecialCase{"%lanemask_lt", Special::kLanemaskLt, 32},
        SpecialCase{"%lanemask_ge", Special::kLanemaskGe, 32},
        SpecialCase{"%lanemask_gt", Special::kLanemaskGt, 32},
        SpecialCase{"%clock", Special::kClock, 32}, SpecialCase{"%clock_hi", Special::kClockHi, 32},
        SpecialCase{"%clock64", Special::kClock64, 64},
        SpecialCase{"%globaltimer", Special::kGlobaltimer, 64},
        SpecialCase{"%globaltimer_lo", Special::kGlobaltimerLo, 32},
        SpecialCase{"%globaltimer_hi", Special::kGlobaltimerHi, 32},
        SpecialCase{"%dynamic_smem_size", Special::kDynamicSmemSize, 32},
        SpecialCase{"%total_smem_size", Special::kTotalSmemSize, 32},
        SpecialCase{"%reserved_smem_offset_begin", Special::kReservedSmem, 32},
        SpecialCase{"%reserved_smem_offset_1", Special::kReservedSmem, 32, 1},
        SpecialCase{"%clusterid.x", Special::kClusterid, 32, 0},
        SpecialCase{"%nclusterid.y", Special::kNclusterid, 32, 1},
        SpecialCase{"%cluster_ctaid.z", Special::kClusterCtaid, 32, 2},
        SpecialCase{"%cluster_nctaid.x", Special::kClusterNctaid, 32, 0},
        SpecialCase{"%cluster_ctarank", Special::kClusterCtarank, 32},
        SpecialCase{"%cluster_nctarank", Special::kClusterNctarank, 32},
        SpecialCase{"%envreg0", Special::kEnvreg, 32},
        SpecialCase{"%envreg31", Special::kEnvreg, 32, 31}));

TEST(SpecialRegisterNames, OfMonitorsAreRefused) {
  for (const char* name : {"%pm0", "%pm7", "%aggr_smem_size"}) {
    const Function k = function_of("mov.u32 %r1, " + std::string(name) + ";");
    ASSERT_TRUE(k.refusal.has_value()) << name;
    EXPECT_EQ(k.refusal->what, "registers of performance monitors and of graphs are not modelled");
  }
  EXPECT_TRUE(function_of("mov.u64 %rd1, %pm3_64;").refusal.has_value());
  EXPECT_NE(error_of(kernel("mov.u32 %r1, %pm8;")), "");
  EXPECT_NE(error_of(kernel("mov.u32 %r1, %tid.q;")), "");
}

TEST(SpecialRegisterNames, CanBeHidden) {
  // A register that is declared with the name of a special one is that register.
  const Function k = function_of(".reg .b32 %warpid;\nmov.b32 %r1, %warpid;");
  EXPECT_EQ(k.instructions[0].operands[1].kind, Kind::kRegister);
}

TEST(RegisterNames, FollowTheirRange) {
  EXPECT_EQ(error_of(kernel("mov.b32 %r8, %r0;")), "");
  EXPECT_NE(error_of(kernel("mov.b32 %r9, %r0;")), "");  // %r<9> has 0 to 8
  EXPECT_NE(error_of(kernel("mov.b32 %r00, %r0;")), "");
  EXPECT_NE(error_of(kernel("mov.b32 %r18446744073709551616, %r0;")), "");
  // A prefix that ends in digits: a1<20> has a10 to a119.
  const Function k = function_of(".reg .b32 a1<20>;\nmov.b32 a119, a10;");
  EXPECT_EQ(k.registers[k.instructions[0].operands[0].reg].name, "a119");
}

TEST(RegisterNames, CarryTheirType) {
  const Function k = function_of(".reg .f16x2 q;\n.reg .u64 w;\nmov.b32 q, 1; mov.b64 w, 2;");
  EXPECT_EQ(k.registers[0].type, Type::kF16x2);
  EXPECT_EQ(k.registers[1].type, Type::kU64);
}

TEST(Addresses, AreABaseAndAnOffset) {
  const Function k = function_of(
      ".shared .align 8 .b8 s[64];\n"
      "ld.shared.u32 %r1, [s];\nld.shared.u32 %r1, [s+8];\nld.shared.u32 %r1, [%r2+-4];\n"
      "ld.shared.u32 %r1, [%r2-4];\nld.shared.u32 %r1, [%rd1+0x10];\nld.shared.u32 %r1, [40];\n"
      "mov.u64 %rd2, s;\nmov.u64 %rd2, s+12;");
  const auto at = [&](std::size_t i) { return k.instructions[i].operands[1]; };
  EXPECT_EQ(at(0).home, Home::kLocal);
  EXPECT_EQ(at(0).symbol, 0U);
  EXPECT_EQ(at(0).reg, kNoIndex);
  EXPECT_EQ(at(1).offset, 8);
  EXPECT_EQ(at(2).offset, -4);
  EXPECT_EQ(at(2).symbol, kNoIndex);
  EXPECT_EQ(at(3).offset, -4);
  EXPECT_EQ(at(4).offset, 16);
  EXPECT_EQ(at(5).offset, 40);
  EXPECT_EQ(at(5).reg, kNoIndex);
  EXPECT_EQ(at(6).kind, Kind::kSymbol);
  EXPECT_EQ(at(7).offset, 12);
}

struct Bad {
  const char* body;
  const char* message;
};
TEST(Addresses, HaveToBeWhole) {
  constexpr Bad kBad[] = {
      {"ld.u32 %r1, [%rd1;", "expected ']' after the address, found ';'"},
      {"ld.u32 %r1, [%rd1+%r2];", "expected a number, found '%r2'"},
      {"ld.u32 %r1, [%rd1+1.5];", "an offset must be an integer"},
      {"ld.u32 %r1, [%tid.x];", "'%tid' is not an address"},
      {"ld.u32 %r1, [];", "expected a number, found ']'"},
      {"ld.u32 %r1, [%h1];", "operand 2 of 'ld' must be an address in brackets"},
      {"ld.u32 %r1, [-4];", "an address must be an integer from 0 to"},
      {"ld.v2.u32 {%r1, %r2, [%rd1];", "expected an operand, found '['"},
      {"ld.v2.u32 {}, [%rd1];", "expected an operand, found '}'"},
      {"ld.v2.u32 {%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1}, [%rd1];", "a vector has at most 8 parts"},
      {"mov.b32 %r1, !%r2;", "operand 2 of 'mov' must be"},
      {"add.s32 %r1,,%r2;", "expected an operand, found ','"},
      {"add.s32 %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r1;", "too many operands"},
      {"@%p1", "expected an instruction, found 'ret'"},
      {"@!;", "expected a predicate after '@', found ';'"},
      {"17;", "expected an instruction, found '17'"},
  };
  for (const Bad& bad : kBad) {
    const std::string text = error_of(kernel(bad.body));
    if (std::string(bad.body) == "@%p1") continue;  // `@%p1 ret;` is whole
    EXPECT_NE(text.find(bad.message), std::string::npos) << bad.body << "\n" << text;
  }
}

TEST(Labels, AreOfTheirBlock) {
  // The inner L hides the outer one; a branch before it in the same block goes to it too.
  const Function k = function_of("L: { bra L; mov.b32 %r1, %r2; L: bra L; } bra L;");
  EXPECT_EQ(k.instructions[0].operands[0].target, 2U);
  EXPECT_EQ(k.instructions[2].operands[0].target, 2U);
  EXPECT_EQ(k.instructions[3].operands[0].target, 0U);
}

TEST(Labels, OfListsMeetTheirInstructions) {
  const Function k =
      function_of("{ TT: .branchtargets A, B, A; brx.idx %r1, TT; A: mov.b32 %r1, %r2; } B:");
  ASSERT_EQ(k.branch_targets.size(), 1U);
  EXPECT_EQ(k.branch_targets[0].name, "TT");
  EXPECT_EQ(k.branch_targets[0].targets, (std::vector<std::uint32_t>{1, 2, 1}));
}

TEST(Labels, HaveToBeThere) {
  EXPECT_EQ(error_of(kernel("bra NOWHERE;")),
            "x.ptx:6:5: error: no label 'NOWHERE' in this function or block\n  bra NOWHERE;\n"
            "      ^\n");
  EXPECT_NE(error_of(kernel("TT: .branchtargets A; brx.idx %r1, TT;")), "");
  EXPECT_NE(error_of(kernel("{ L: } bra L;")), "");
  EXPECT_NE(error_of(kernel("bra %r1;")), "");
}

}  // namespace
}  // namespace lab::ptx
