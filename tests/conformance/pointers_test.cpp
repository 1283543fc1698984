// Calls through pointers, from CUDA source: tables of functions, lambdas, virtual functions.
#include "tests/conformance/suite.h"

namespace lab::conformance {
namespace {

class Pointers : public Suite {
 protected:
  Pointers() : Suite("pointers.cu") {}

  std::vector<float> floats(const std::string& kernel, std::vector<ArgSpec> args) {
    args.insert(args.begin(), out(kF32, 32));
    return buffer<float>(run(kernel, line(1, 32), std::move(args)), 0);
  }
  std::vector<std::string> architectures() const { return runnable({"sm_75", "sm_90", "sm_120"}); }
};
INSTANTIATE_TEST_SUITE_P(Backends, Pointers, backends(), backend_name);

TEST_P(Pointers, EachLaneCallsItsOwnFunction) {
  for (const std::string& arch : architectures()) {
    compile_for(arch);
    const auto values = floats("by_lane", {in(kF32, 32)});
    for (std::size_t t = 0; t < 32; ++t) {
      const auto x = static_cast<float>(t);
      EXPECT_EQ(values[t], t % 2 == 0 ? x + 2 : x * 2) << arch << ' ' << t;
    }
  }
}

TEST_P(Pointers, FromMemoryConstantsAndArguments) {
  for (const std::string& arch : architectures()) {
    compile_for(arch);
    const auto values = floats("by_argument", {in(kF32, 32), scalar_i32(2)});
    for (std::size_t t = 0; t < 32; ++t) {
      // Lane 31 - t's number + 2; then times 3 for the first ten, plus 3 for the next; less t.
      const auto mirrored = static_cast<float>(33 - t);
      const float then = t < 10 ? mirrored * 3 : t < 20 ? mirrored + 3 : mirrored;
      EXPECT_EQ(values[t], then - static_cast<float>(t)) << arch << ' ' << t;
    }
  }
}

TEST_P(Pointers, CountsOfWhatIsCalledAreTheMachineCodes) {
  // The called function's store and load of shared memory: one each, side by side.
  const auto got = run("by_argument", line(1, 32), {out(kF32, 32), in(kF32, 32), scalar_i32(2)});
  EXPECT_EQ(value(got, "shared_store_wavefronts_sass"), 1);
  EXPECT_EQ(value(got, "shared_load_wavefronts_sass"), 1);
}

TEST_P(Pointers, LambdasAreFunctions) {
  const auto values = floats("lambdas", {});
  for (std::size_t t = 0; t < 32; ++t) {
    EXPECT_EQ(values[t], static_cast<float>(t) + (t % 3 == 0 ? -1.0F : 1.0F)) << t;
  }
}

TEST_P(Pointers, VirtualFunctionsAreThoseOfTheObject) {
  for (const std::string& arch : architectures()) {
    compile_for(arch);
    const auto values = floats("shapes", {});
    for (std::size_t t = 0; t < 32; ++t) {
      const auto side = static_cast<float>(t);
      EXPECT_EQ(values[t], t % 2 == 0 ? side * side * 10 : 40 * side + 1) << arch << ' ' << t;
    }
  }
}

}  // namespace
}  // namespace lab::conformance
