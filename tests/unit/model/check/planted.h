// Kernels with one planted mistake each are reported at their line; the same kernels without it
// report nothing.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/backend.h"
#include "harness/core/record.h"

namespace lab::model::planted {

struct Given {
  std::string kernel = "k";
  Launch launch = {{1, 1, 1}, {64, 1, 1}, 0};
  std::vector<ArgSpec> args = {};
  Checks checks = Checks::kAuto;
  int threads = 2;
};

[[nodiscard]] BufferSpec out_f32(std::uint64_t count);
[[nodiscard]] BufferSpec in_f32(std::uint64_t count);
[[nodiscard]] BufferSpec out_i32(std::uint64_t count);
[[nodiscard]] BufferSpec zeroed_i32(const std::string& name, std::uint64_t count);

/// The model's record of a kernel of `source`, which is compiled as `planted.cu`.
[[nodiscard]] CaseRecord run(const std::string& source, const Given& given);

using Lines = std::vector<std::string>;
/// Kind and source line of each finding: "shared_race: out[i] = tile[63 - i];".
[[nodiscard]] Lines summary(const CaseRecord& record);
/// The same of each remark.
[[nodiscard]] Lines remarks(const CaseRecord& record);

/// Nothing is found, with every checker at work.
void expect_clean(const std::string& source, const Given& given);

/// Replaces the one `what` in `text`.
[[nodiscard]] std::string with(std::string text, const std::string& what, const std::string& by);

/// Two warps turn 64 numbers round in shared memory.
extern const std::string kReverse;

}  // namespace lab::model::planted
