// Instructions as rows: a text, what its sources hold, and what its result must be. All rows of a
// table become one kernel in PTX, so that a GPU can be asked the same.
//
// Sources are %h1 %r1 %d1 %p1, %h2 ... (16, 32, 64 bits, predicate: operand 1, operand 2, ...; each
// file holds the operand's low bits); the result is %h0, %r0, %d0 or %p0, whichever is named first.
#pragma once

#include <bit>
#include <string>
#include <vector>

#include "tests/conformance/suite.h"

namespace lab::conformance {

struct Row {
  std::string text;
  std::vector<std::uint64_t> in;
  std::uint64_t want = 0;
};

/// The bits of a number, as operands and results are written.
inline std::uint64_t f(float value) { return std::bit_cast<std::uint32_t>(value); }
inline std::uint64_t d(double value) { return std::bit_cast<std::uint64_t>(value); }
/// A signed 32-bit or 16-bit result: its low bits, zero above.
inline std::uint64_t s32(std::int64_t value) { return static_cast<std::uint32_t>(value); }
inline std::uint64_t s16(std::int64_t value) { return static_cast<std::uint16_t>(value); }
inline std::uint64_t s64(std::int64_t value) { return static_cast<std::uint64_t>(value); }

inline constexpr std::uint64_t kNan32 = 0x7fffffff;          ///< the NaN that arithmetic makes
inline constexpr std::uint64_t kNan64 = 0xfff8000000000000;  ///< of an f64 operation
inline constexpr std::uint64_t kInf32 = 0x7f800000;
inline constexpr std::uint64_t kInf64 = 0x7ff0000000000000;
inline constexpr std::uint64_t kMin32 = 0x80000000;
inline constexpr std::uint64_t kMin64 = 0x8000000000000000;

inline constexpr std::size_t kSources = 4;

/// Code that loads a row's operands, executes it, and stores the result as 64 bits.
inline std::string row_code(const Row& row, std::size_t index) {
  std::string code;
  for (std::size_t i = 0; i < row.in.size(); ++i) {
    const std::string n = std::to_string(i + 1);
    const std::string at = std::to_string((index * kSources + i) * 8);
    code += "ld.global.u64 %d" + n + ", [%in+" + at + "];\ncvt.u32.u64 %r" + n + ", %d" + n +
            ";\ncvt.u16.u64 %h" + n + ", %d" + n + ";\nsetp.ne.u64 %p" + n + ", %d" + n + ", 0;\n";
  }
  code += row.text + (row.text.front() == '{' ? "\n" : ";\n");
  const std::size_t names[] = {row.text.find("%h0"), row.text.find("%r0"), row.text.find("%d0"),
                               row.text.find("%p0")};
  const char* const widen[] = {"cvt.u64.u16 %v, %h0;\n", "cvt.u64.u32 %v, %r0;\n",
                               "mov.b64 %v, %d0;\n", "selp.u64 %v, 1, 0, %p0;\n"};
  std::size_t first = 0;
  for (std::size_t i = 1; i < 4; ++i) first = names[i] < names[first] ? i : first;
  return code + widen[first] + "st.global.u64 [%mine+" + std::to_string(index * 256) + "], %v;\n";
}

inline std::string row_kernel(const std::vector<Row>& rows, const std::string& target) {
  std::string text = ".version 8.6\n.target " + target +
                     "\n.address_size 64\n.visible .entry rows(.param .u64 k_out, .param .u64 "
                     "k_in)\n{\n.reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<9>;\n"
                     ".reg .b64 %d<9>;\n.reg .b64 %in, %mine, %at, %v;\n.reg .b32 %t;\n"
                     "ld.param.u64 %mine, [k_out];\ncvta.to.global.u64 %mine, %mine;\n"
                     "ld.param.u64 %in, [k_in];\ncvta.to.global.u64 %in, %in;\n"
                     "mov.u32 %t, %tid.x;\nmul.wide.u32 %at, %t, 8;\nadd.s64 %mine, %mine, %at;\n";
  for (std::size_t i = 0; i < rows.size(); ++i) text += row_code(rows[i], i);
  return text + "ret;\n}\n";
}

/// A table's suite: 32 lanes execute every row with the same operands.
class Rows : public Suite {
 protected:
  Rows() : Suite("rows.ptx") {}

  void expect(const std::vector<Row>& rows, const std::string& target = "sm_90") {
    std::vector<std::uint64_t> operands(rows.size() * kSources);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::copy(rows[i].in.begin(), rows[i].in.end(), &operands[i * kSources]);
    }
    const auto got = run_text({"rows.ptx", row_kernel(rows, target)}, "rows", line(1, 32),
                              {out(kU64, rows.size() * 32), given(kU64, operands)});
    if (got.record.status != CaseStatus::kOk) return;  // said by run_text
    const auto values = buffer<std::uint64_t>(got, 0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t t = 0; t < 32; ++t) {
        if (values.at(i * 32 + t) == rows[i].want) continue;
        ADD_FAILURE() << std::hex << "row " << i << ", lane " << t << ": " << rows[i].text
                      << "\n  of " << operands[i * kSources] << ' ' << operands[i * kSources + 1]
                      << ' ' << operands[i * kSources + 2] << "\n  is " << values.at(i * 32 + t)
                      << ", not " << rows[i].want;
        break;
      }
    }
  }
};

}  // namespace lab::conformance
