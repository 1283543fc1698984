// Theory speaks of the machine code. Each memory instruction of each variant's PTX must be one of
// the machine code, of the same width, unless the variant is declared merged.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "harness/kernel/compile/nvrtc.h"
#include "harness/kernel/cubin/sass_map.h"
#include "harness/kernel/ptx/parser.h"
#include "harness/labs/registry.h"
#include "harness/run/starter.h"

namespace lab {
namespace {

using cubin::Fate;

KernelText own_source(const Lab& lab, const std::string& file) {
  const auto path = "labs/" + lab.folder + "/" + file;
  const std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return {path, text.str()};
}

bool is_access(const ptx::Instruction& instruction) {
  const bool memory = instruction.op == ptx::Op::kLd || instruction.op == ptx::Op::kSt ||
                      instruction.op == ptx::Op::kAtom || instruction.op == ptx::Op::kRed;
  return memory &&
         (instruction.space == ptx::Space::kGlobal || instruction.space == ptx::Space::kShared ||
          instruction.space == ptx::Space::kGeneric);
}

struct Counts {
  int kept = 0;
  int changed = 0;
  std::string what;  // of those that are not kept
};

Counts count(const ptx::Function& function, const std::vector<Fate>& fates) {
  Counts counts;
  for (std::size_t i = 0; i < function.instructions.size(); ++i) {
    if (!is_access(function.instructions[i])) continue;
    if (fates[i].kind == Fate::Kind::kKept) {
      ++counts.kept;
      continue;
    }
    ++counts.changed;
    counts.what += " PTX line " + std::to_string(function.instructions[i].where.ptx_line) +
                   ": fate " + std::to_string(static_cast<int>(fates[i].kind));
  }
  return counts;
}

// The kernels of a lab's variants at all their default points, by compile options.
std::map<std::vector<std::string>, std::set<std::string>> kernels_of(const Lab& lab) {
  std::map<std::vector<std::string>, std::set<std::string>> kernels;
  for (const auto& variant : lab.variants) {
    if (variant.needs_gpu) continue;
    for (const auto& point : variant.points) {
      kernels[variant.options].insert(variant.kernel(point));
    }
  }
  return kernels;
}

std::set<std::string> merged_kernels(const Lab& lab) {
  std::set<std::string> kernels;
  for (const auto& variant : lab.variants) {
    if (!variant.merged || variant.needs_gpu) continue;
    for (const auto& point : variant.points) kernels.insert(variant.kernel(point));
  }
  return kernels;
}

class MachineCode : public testing::TestWithParam<int> {};

TEST_P(MachineCode, KeepsTheAccessesOfThePtxUnlessDeclaredMerged) {
  const auto& lab = all_labs()[static_cast<std::size_t>(GetParam())];
  const auto merged = merged_kernels(lab);
  for (const auto& [options, names] : kernels_of(lab)) {
    const CompileRequest request{own_source(lab, "kernels.cu"),
                                 std::vector<std::string>(names.begin(), names.end()), "sm_90",
                                 options};
    const auto compiled = compile::nvrtc_compile(request);
    const auto module = ptx::parse(compiled.ptx, lab.folder);
    const auto image = cubin::read(cubin::Bytes(compiled.cubin.data(), compiled.cubin.size()));
    for (std::size_t k = 0; k < request.kernels.size(); ++k) {
      const auto map = cubin::sass_map(image, compiled.lowered[k], module);
      ASSERT_EQ(map.absent, "") << lab.folder;
      for (std::size_t f = 0; f < module.functions.size(); ++f) {
        if (module.functions[f].name != compiled.lowered[k]) continue;
        const auto counts = count(module.functions[f], map.functions[f]);
        EXPECT_EQ(counts.changed > 0, merged.count(request.kernels[k]) > 0)
            << lab.folder << ' ' << request.kernels[k] << ':' << counts.what;
        EXPECT_GT(counts.kept + counts.changed, 0) << lab.folder << ' ' << request.kernels[k];
      }
    }
  }
}

// A starter is a part left out, not an error: it compiles, and its kernel is a variant's.
TEST_P(MachineCode, StartersCompile) {
  const auto& lab = all_labs()[static_cast<std::size_t>(GetParam())];
  const KernelText starter{lab.folder, run::starter_of(lab).text};
  bool defines_one = false;
  for (const auto& variant : lab.variants) {
    if (variant.needs_gpu) continue;
    const auto kernel = variant.kernel(variant.points.front());
    if (starter.text.find(" " + kernel.substr(0, kernel.find('<')) + "(") == std::string::npos) {
      continue;
    }
    defines_one = true;
    EXPECT_NO_THROW((void)compile::nvrtc_compile({starter, {kernel}})) << kernel;
  }
  EXPECT_TRUE(defines_one) << starter.name;
}

INSTANTIATE_TEST_SUITE_P(Labs, MachineCode, testing::Range(0, static_cast<int>(all_labs().size())),
                         [](const auto& parameter) {
                           return all_labs()[static_cast<std::size_t>(parameter.param)].id;
                         });

}  // namespace
}  // namespace lab
