// Every function of CUDA's runtime is either in our library or refused with a reason.
#include "harness/programs/build/refused.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "harness/core/files.h"
#include "harness/core/text.h"
#include "harness/programs/build/elf.h"

namespace lab::program {
namespace {

// The functions that cuda_runtime_api.h of CUDA 13.0 declares, one a line.
const std::string kCalls = read_file("tests/fixtures/cuda/runtime_calls.txt", "a list");

TEST(Refused, NoFunctionOfTheRuntimeIsUnknown) {
  const std::string library = read_file(LAB_CUDART, "the runtime library");
  std::set<std::string_view> known;
  for (const ElfSymbol& symbol : symbols_of(library, SHT_DYNSYM)) {
    if (symbol.defined) known.insert(symbol.name);
  }
  std::size_t calls = 0;
  std::size_t there = 0;
  for (const std::string_view name : split(trim(kCalls), '\n')) {
    ++calls;
    there += known.contains(name) ? 1 : 0;
    EXPECT_TRUE(is_call_of_cuda(name)) << name;
    EXPECT_TRUE(known.contains(name) || !why_refused(name).empty()) << name;
  }
  EXPECT_EQ(calls, 310U);
  EXPECT_GT(there, 150U);
}

TEST(Refused, OtherLibrariesNamesAreKnown) {
  EXPECT_TRUE(is_call_of_cuda("cuMemAlloc"));
  EXPECT_TRUE(is_call_of_cuda("cublasSgemmEx"));
  EXPECT_FALSE(is_call_of_cuda("cube"));
  EXPECT_FALSE(is_call_of_cuda("currentTime"));
  EXPECT_FALSE(is_call_of_cuda("cudaless"));
  EXPECT_EQ(refused_text("cudaIpcGetMemHandle"), "cudaIpcGetMemHandle (there is no other process)");
  EXPECT_EQ(refused_text("cudaSomethingNew"), "cudaSomethingNew");
}

}  // namespace
}  // namespace lab::program
