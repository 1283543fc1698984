// Every form of every arithmetic instruction has a handler, and the handlers compiled for each
// instruction set of this processor compute the same.
#include "harness/model/instructions/handlers.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "harness/kernel/ptx/parser.h"
#include "harness/model/execute/warp.h"
#include "tests/unit/model/semantics/samples.h"

namespace lab::model {
namespace {

using Texts = std::vector<std::string>;

/// Registers named by width: %h 16, %r 32, %d 64 bits, %p predicates.
std::string kernel_of(const Texts& instructions) {
  std::string text =
      ".version 8.8\n.target sm_100\n.address_size 64\n.visible .entry k()\n{\n"
      ".reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n.reg .pred %p<9>;\n";
  for (const std::string& instruction : instructions) text += instruction + ";\n";
  return text + "ret;\n}\n";
}

/// The register file of a type.
std::string reg(const std::string& type, int number) {
  if (type == "pred") return "%p" + std::to_string(number);
  const std::string width = type.substr(type.find_first_of("0123456789"));
  const std::string file = width == "16"                      ? "%h"
                           : width == "64" || width == "32x2" ? "%d"
                           : width == "8"                     ? "%h"
                                                              : "%r";
  return file + std::to_string(number);
}
std::string twice(const std::string& type) {
  return type.substr(0, 1) + (type.substr(1) == "16" ? "32" : "64");
}

/// `op.type d, a, ...` with `sources` sources of the type.
void add(Texts& out, const std::string& op, const Texts& types, int sources) {
  for (const std::string& type : types) {
    std::string text = op + "." + type + " " + reg(type, 0);
    for (int i = 1; i <= sources; ++i) text += ", " + reg(type, i);
    out.push_back(text);
  }
}
void add_each(Texts& out, const Texts& ops, const Texts& types, int sources) {
  for (const std::string& op : ops) add(out, op, types, sources);
}

const Texts kInts = {"u16", "s16", "u32", "s32", "u64", "s64"};
const Texts kInts32 = {"u32", "s32"};
const Texts kWide = {"u32", "s32", "u64", "s64"};
const Texts kBits = {"b16", "b32", "b64"};
const Texts kHalves = {"f16", "f16x2", "bf16", "bf16x2"};
const Texts kRounds = {".rn", ".rz", ".rm", ".rp"};

Texts integer_forms() {
  Texts out;
  add_each(out, {"add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"}, kInts, 2);
  add_each(out, {"mad.lo", "mad.hi", "sad"}, kInts, 3);
  add_each(out, {"abs", "neg"}, {"s16", "s32", "s64"}, 1);
  for (const std::string type : {"u16", "s16", "u32", "s32"}) {
    const std::string wide = twice(type);
    out.push_back("mul.wide." + type + " " + reg(wide, 0) + ", " + reg(type, 1) + ", " +
                  reg(type, 2));
    out.push_back("mad.wide." + type + " " + reg(wide, 0) + ", " + reg(type, 1) + ", " +
                  reg(type, 2) + ", " + reg(wide, 3));
  }
  add_each(out, {"add.sat", "sub.sat"}, {"s32"}, 2);
  add_each(out, {"mad.hi.sat", "mad24.hi.sat"}, {"s32"}, 3);
  add_each(out, {"mul24.lo", "mul24.hi"}, kInts32, 2);
  add_each(out, {"mad24.lo", "mad24.hi"}, kInts32, 3);
  add_each(out, {"min.relu", "max.relu"}, {"s32"}, 2);
  add_each(out, {"add.cc", "addc", "addc.cc", "sub.cc", "subc", "subc.cc"}, kWide, 2);
  add_each(out, {"mad.lo.cc", "mad.hi.cc", "madc.lo", "madc.hi", "madc.lo.cc", "madc.hi.cc"}, kWide,
           3);
  for (const char* a : {"u32", "s32"}) {
    for (const char* b : {"u32", "s32"}) {
      const std::string types = std::string(a) + "." + b + " %r0, %r1, %r2, %r3";
      out.push_back("dp4a." + types);
      out.push_back("dp2a.lo." + types);
      out.push_back("dp2a.hi." + types);
    }
  }
  return out;
}

Texts bit_forms() {
  Texts out;
  add_each(out, {"and", "or", "xor"}, {"pred", "b16", "b32", "b64"}, 2);
  add(out, "not", {"pred", "b16", "b32", "b64"}, 1);
  add(out, "cnot", kBits, 1);
  for (const std::string type : {"b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64"}) {
    const std::string operands = " " + reg(type, 0) + ", " + reg(type, 1) + ", %r2";
    if (type[0] == 'b') out.push_back("shl." + type + operands);
    out.push_back("shr." + type + operands);
  }
  for (const char* shf : {"shf.l.wrap", "shf.l.clamp", "shf.r.wrap", "shf.r.clamp"}) {
    add(out, shf, {"b32"}, 3);
  }
  for (const char* op : {"popc", "clz", "brev"}) {
    out.push_back(std::string(op) + ".b32 %r0, %r1");
    out.push_back(std::string(op) + ".b64 " + (std::string(op) == "brev" ? "%d0" : "%r0") +
                  ", %d1");
  }
  for (const std::string& type : kWide) {
    out.push_back("bfind." + type + " %r0, " + reg(type, 1));
    out.push_back("bfind.shiftamt." + type + " %r0, " + reg(type, 1));
    out.push_back("bfe." + type + " " + reg(type, 0) + ", " + reg(type, 1) + ", %r2, %r3");
  }
  out.push_back("bfi.b32 %r0, %r1, %r2, %r3, %r4");
  out.push_back("bfi.b64 %d0, %d1, %d2, %r3, %r4");
  out.push_back("fns.b32 %r0, %r1, %r2, %r3");
  out.push_back("lop3.b32 %r0, %r1, %r2, %r3, 0x96");
  add_each(out, {"bmsk.clamp", "bmsk.wrap"}, {"b32"}, 2);
  add_each(out, {"szext.clamp", "szext.wrap"}, kInts32, 2);
  add(out, "prmt", {"b32"}, 3);
  for (const char* mode : {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}) {
    out.push_back("prmt.b32." + std::string(mode) + " %r0, %r1, %r2, %r3");
  }
  return out;
}

Texts float_forms() {
  Texts out;
  for (const std::string& round : kRounds) {
    for (const char* ftz : {"", ".ftz"}) {
      for (const char* sat : {"", ".sat"}) {
        add_each(out,
                 {"add" + round + ftz + sat, "sub" + round + ftz + sat, "mul" + round + ftz + sat},
                 {"f32"}, 2);
        add_each(out, {"fma" + round + ftz + sat, "mad" + round + ftz + sat}, {"f32"}, 3);
      }
      add(out, "div" + round + ftz, {"f32"}, 2);
      add_each(out, {"rcp" + round + ftz, "sqrt" + round + ftz}, {"f32"}, 1);
      add_each(out, {"add" + round + ftz, "mul" + round + ftz}, {"f32x2"}, 2);
      add(out, "fma" + round + ftz, {"f32x2"}, 3);
    }
    add_each(out, {"add" + round, "sub" + round, "mul" + round, "div" + round}, {"f64"}, 2);
    add_each(out, {"fma" + round, "mad" + round}, {"f64"}, 3);
    add_each(out, {"rcp" + round, "sqrt" + round}, {"f64"}, 1);
  }
  add_each(out, {"add", "sub", "mul"}, {"f32", "f64"}, 2);
  for (const char* ftz : {"", ".ftz"}) {
    const std::string f = ftz;
    add_each(out,
             {"div.approx" + f, "div.full" + f, "min" + f, "max" + f, "min" + f + ".NaN",
              "max" + f + ".NaN"},
             {"f32"}, 2);
    add_each(out,
             {"rcp.approx" + f, "sqrt.approx" + f, "rsqrt.approx" + f, "sin.approx" + f,
              "cos.approx" + f, "lg2.approx" + f, "ex2.approx" + f, "neg" + f, "abs" + f},
             {"f32"}, 1);
  }
  add_each(out, {"tanh.approx"}, {"f32", "f16", "f16x2", "bf16", "bf16x2"}, 1);
  add_each(out, {"rcp.approx.ftz", "rsqrt.approx", "rsqrt.approx.ftz", "neg", "abs"}, {"f64"}, 1);
  add_each(out, {"min", "max"}, {"f64"}, 2);
  add(out, "copysign", {"f32", "f64"}, 2);
  for (const char* which : {"finite", "infinite", "number", "notanumber", "normal", "subnormal"}) {
    out.push_back("testp." + std::string(which) + ".f32 %p0, %r1");
    out.push_back("testp." + std::string(which) + ".f64 %p0, %d1");
  }
  add_each(out, {"add", "sub", "mul", "add.rn", "min", "max", "min.NaN", "max.NaN"}, kHalves, 2);
  add_each(out, {"add.ftz", "sub.sat", "mul.ftz.sat", "min.ftz", "max.ftz.NaN"}, {"f16", "f16x2"},
           2);
  add_each(out, {"fma.rn", "fma.rn.relu"}, kHalves, 3);
  add_each(out, {"fma.rn.ftz", "fma.rn.sat", "fma.rn.ftz.sat", "fma.rn.ftz.relu"}, {"f16", "f16x2"},
           3);
  add_each(out, {"neg", "abs"}, kHalves, 1);
  add_each(out, {"ex2.approx"}, {"f16", "f16x2"}, 1);
  add_each(out, {"ex2.approx.ftz"}, {"bf16", "bf16x2"}, 1);
  return out;
}

Texts compare_forms() {
  Texts out;
  const auto setp = [&](const std::string& compare, const std::string& type) {
    const std::string operands = ", " + reg(type, 1) + ", " + reg(type, 2);
    out.push_back("setp." + compare + "." + type + " %p0" + operands);
    out.push_back("setp." + compare + ".and." + type + " %p0|%p1" + operands + ", %p2");
    out.push_back("setp." + compare + ".xor." + type + " %p0" + operands + ", !%p2");
    out.push_back("set." + compare + ".u32." + type + " %r0" + operands);
    out.push_back("set." + compare + ".or.s32." + type + " %r0" + operands + ", %p2");
  };
  for (const char* compare : {"eq", "ne"}) {
    for (const std::string& type : kBits) setp(compare, type);
  }
  for (const char* compare : {"eq", "ne", "lt", "le", "gt", "ge"}) {
    for (const std::string& type : kInts) setp(compare, type);
  }
  for (const char* compare : {"lo", "ls", "hi", "hs"}) {
    for (const char* type : {"u16", "u32", "u64"}) setp(compare, type);
  }
  for (const char* compare : {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu",
                              "geu", "num", "nan"}) {
    for (const char* type : {"f32", "f64", "f16", "bf16"}) setp(compare, type);
    for (const char* type : {"f16x2", "bf16x2"}) {
      const std::string head = std::string(compare) + "." + type;
      out.push_back("setp." + head + " %p0|%p1, %r1, %r2");
      out.push_back("set." + std::string(compare) + "." + type + "." + type + " %r0, %r1, %r2");
      out.push_back("set." + std::string(compare) + ".u32." + type + " %r0, %r1, %r2");
    }
    out.push_back("setp." + std::string(compare) + ".ftz.f32 %p0, %r1, %r2");
    out.push_back("set." + std::string(compare) + ".f32.f32 %r0, %r1, %r2");
    out.push_back("set." + std::string(compare) + ".f16.f16 %h0, %h1, %h2");
  }
  for (const char* type : {"b16", "b32", "b64", "u16", "s32", "u64", "f32", "f64"}) {
    const std::string d = reg(type, 0) + ", " + reg(type, 1) + ", " + reg(type, 2);
    out.push_back("selp." + std::string(type) + " " + d + ", %p1");
    out.push_back("slct." + std::string(type) + ".s32 " + d + ", %r3");
    out.push_back("slct." + std::string(type) + ".f32 " + d + ", %r3");
    out.push_back("slct.ftz." + std::string(type) + ".f32 " + d + ", %r3");
  }
  return out;
}

Texts convert_forms() {
  Texts out;
  const Texts ints = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
  const Texts floats = {"f16", "bf16", "f32", "f64"};
  const auto cvt = [&](const std::string& modifiers, const std::string& to,
                       const std::string& from) {
    out.push_back("cvt" + modifiers + "." + to + "." + from + " " + reg(to, 0) + ", " +
                  reg(from, 1));
  };
  for (const std::string& to : ints) {
    for (const std::string& from : ints) {
      cvt("", to, from);
      cvt(".sat", to, from);
    }
    for (const std::string& f : floats) {
      for (const char* round : {".rni", ".rzi", ".rmi", ".rpi"}) cvt(round, to, f);
      for (const std::string& round : kRounds) cvt(round, f, to);
    }
    cvt(".rzi.ftz", to, "f32");
    cvt(".rn.sat", "f32", to);
  }
  for (const std::string& round : kRounds) {
    cvt(round, "f32", "f64");
    cvt(round + ".ftz.sat", "f32", "f64");
  }
  for (const char* half : {"f16", "bf16"}) {
    cvt("", "f32", half);
    cvt(".ftz", "f32", half);
    for (const char* from : {"f32", "f64"}) {
      cvt(".rn", half, from);
      cvt(".rz", half, from);
    }
    cvt(".rn.relu", half, "f32");
    cvt(".rn.sat", half, "f32");
    for (const char* round : {".rn", ".rz", ".rn.relu", ".rz.relu"}) {
      out.push_back("cvt" + std::string(round) + "." + half + "x2.f32 %r0, %r1, %r2");
    }
  }
  cvt("", "f64", "f16");
  for (const char* same : {"f32", "f64", "f16"}) {
    for (const char* round : {".rni", ".rzi", ".rmi", ".rpi"}) cvt(round, same, same);
    cvt(".sat", same, same);
  }
  cvt("", "f64", "f32");
  cvt(".ftz", "f64", "f32");
  cvt(".ftz.sat", "f32", "f32");
  // Registers wider than the types.
  out.push_back("cvt.u16.u8 %r0, %r1");
  out.push_back("cvt.s8.s64 %d0, %d1");
  out.push_back("cvt.rzi.u8.f32 %r0, %r1");
  out.push_back("cvt.rn.f32.s8 %r0, %r1");
  out.push_back("cvt.pack.sat.u16.s32 %r0, %r1, %r2");
  out.push_back("cvt.pack.sat.s16.s32 %r0, %r1, %r2");
  out.push_back("cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3");
  out.push_back("cvt.pack.sat.s8.s32.b32 %r0, %r1, %r2, %r3");
  return out;
}

Texts warp_forms() {
  Texts out;
  for (const char* mode : {"idx", "up", "down", "bfly"}) {
    out.push_back("shfl.sync." + std::string(mode) + ".b32 %r0|%p0, %r1, %r2, %r3, -1");
    out.push_back("shfl.sync." + std::string(mode) + ".b32 %r0, %r1, 1, 31, %r2");
  }
  for (const char* mode : {"all", "any", "uni"}) {
    out.push_back("vote.sync." + std::string(mode) + ".pred %p0, %p1, -1");
  }
  out.push_back("vote.sync.ballot.b32 %r0, %p1, -1");
  out.push_back("match.any.sync.b32 %r0, %r1, -1");
  out.push_back("match.any.sync.b64 %r0, %d1, -1");
  out.push_back("match.all.sync.b32 %r0|%p0, %r1, -1");
  out.push_back("match.all.sync.b64 %r0, %d1, -1");
  for (const char* op : {"add.u32", "min.s32", "max.u32", "add.s32", "min.u32", "max.s32",
                         "and.b32", "or.b32", "xor.b32"}) {
    const std::string text = op;
    const auto dot = text.find('.');
    out.push_back("redux.sync" + ("." + text.substr(0, dot)) + text.substr(dot) + " %r0, %r1, -1");
  }
  out.push_back("activemask.b32 %r0");
  out.push_back("elect.sync %r0|%p0, -1");
  return out;
}

/// A parsed instruction of a module, with what a row looks at.
struct Parsed {
  ptx::Module module;
  [[nodiscard]] const ptx::Function& function() const { return module.functions.front(); }
};
Parsed parse(const Texts& instructions) {
  Parsed parsed{ptx::parse(kernel_of(instructions), "forms.ptx")};
  EXPECT_FALSE(parsed.function().refusal.has_value())
      << (parsed.function().refusal ? parsed.function().refusal->what : "");
  return parsed;
}

constexpr std::size_t kRegisterBytes = 256;  // room for 32 lanes of 8 bytes

/// The two destinations after the handler ran, with operands that hold `inputs`.
std::vector<std::byte> run(const Found& found, const std::vector<std::byte>& inputs,
                           std::uint32_t mask) {
  alignas(64) static std::array<std::byte, 8 * kRegisterBytes> frame;
  std::memcpy(frame.data(), inputs.data(), frame.size());
  const auto slot = [](std::uint32_t number) {
    return Slot(Bank::kFrame, number * static_cast<std::uint32_t>(kRegisterBytes));
  };
  std::array<Ins, 2> code{};
  code[0].fn = found.fn;
  code[0].imm = found.imm;
  code[0].d = slot(0);
  code[0].d2 = slot(1);
  code[0].a = slot(2);
  code[0].b = slot(3);
  code[0].c = slot(4);
  code[0].e = slot(5);
  Warp warp;
  for (auto& bank : warp.bank) bank = frame.data();
  warp.mask = mask;
  warp.live = kAllLanes;
  warp.carry = 0x5a5a1234U;
  EXPECT_EQ(found.fn(code.data(), warp), &code[1]);
  constexpr std::size_t kResults = 2 * kRegisterBytes;
  std::vector<std::byte> out(kResults + sizeof warp.carry);
  std::copy_n(frame.begin(), kResults, out.begin());
  std::memcpy(out.data() + kResults, &warp.carry, sizeof warp.carry);
  return out;
}

std::vector<std::byte> random_inputs(std::uint64_t seed) {
  std::vector<std::byte> bytes(8 * kRegisterBytes);
  semantics::test::Random random(seed);
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    const std::uint64_t value = random.next();
    std::memcpy(bytes.data() + at, &value, 8);
  }
  return bytes;
}

/// Lanes that exist and do not execute keep what the destination held.
void check_untouched(const std::string& form, const Found& found,
                     const std::vector<std::byte>& after, const std::vector<std::byte>& before,
                     std::uint32_t mask) {
  const std::size_t width = found.results[0];
  if (width == Found::kPredicate) {
    std::uint32_t now = 0;
    std::uint32_t then = 0;
    std::memcpy(&now, after.data(), sizeof now);
    std::memcpy(&then, before.data(), sizeof then);
    EXPECT_EQ(now & ~mask, then & ~mask) << form;
    return;
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (((mask >> lane) & 1U) != 0) continue;
    EXPECT_EQ(std::memcmp(after.data() + lane * width, before.data() + lane * width, width), 0)
        << form << " lane " << lane;
  }
}

/// The slot of a warp-wide operation's member mask; 0: it is none.
std::size_t member_slot(ptx::Op op) {
  switch (op) {
    case ptx::Op::kShfl:
      return 5;
    case ptx::Op::kVote:
    case ptx::Op::kMatch:
    case ptx::Op::kRedux:
      return 3;
    case ptx::Op::kElect:
      return 2;
    default:
      return 0;
  }
}

void check(const Texts& forms) {
  const Parsed parsed = parse(forms);
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const ptx::Instruction& ins = parsed.function().instructions.at(i);
    const Shape shape{ins, parsed.function()};
    std::vector<std::byte> first;
    for (const HandlerTable* table : all_tables()) {
      const Lookup find = table->rows[static_cast<std::size_t>(ins.op)];
      ASSERT_NE(find, nullptr) << forms[i];
      const Found found = find(shape);
      ASSERT_NE(found.fn, nullptr) << forms[i];
      std::vector<std::byte> results;
      for (const std::uint32_t mask : {0xffffffffU, 0x0ff0f00fU}) {
        auto inputs = random_inputs(i + 1);
        if (const std::size_t members = member_slot(ins.op); members != 0) {
          // Lanes that the mask names and that are elsewhere would be reported to a block.
          if (mask != kAllLanes) continue;
          std::memset(inputs.data() + members * kRegisterBytes, 0xff, kRegisterBytes);
        }
        const auto part = run(found, inputs, mask);
        check_untouched(forms[i], found, part, inputs, mask);
        results.insert(results.end(), part.begin(), part.end());
      }
      if (table == all_tables().front()) first = results;
      EXPECT_EQ(results, first) << forms[i];
    }
  }
}

TEST(Handlers, IntegerForms) { check(integer_forms()); }
TEST(Handlers, BitForms) { check(bit_forms()); }
TEST(Handlers, FloatForms) { check(float_forms()); }
TEST(Handlers, CompareForms) { check(compare_forms()); }
TEST(Handlers, ConvertForms) { check(convert_forms()); }
TEST(Handlers, WarpForms) { check(warp_forms()); }

}  // namespace
}  // namespace lab::model
