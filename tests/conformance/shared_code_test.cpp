// One text for both compilers: what the host makes of ordinary code, lanes make of it too.
#include "tests/conformance/suite.h"

namespace lab::conformance {
namespace {

namespace host {
#define SHARED inline
#include "tests/conformance/shared_code.inc"
#undef SHARED
}  // namespace host

class SharedCode : public Suite {
 protected:
  SharedCode() : Suite("shared_code.inc") {}
};
INSTANTIATE_TEST_SUITE_P(Backends, SharedCode, backends(), backend_name);

TEST_P(SharedCode, GivesTheHostsNumbers) {
  std::ifstream stream(std::string(LAB_SOURCE_DIR) + "/tests/conformance/shared_code.inc");
  const std::string text = "#define SHARED __device__ inline\n" +
                           std::string(std::istreambuf_iterator<char>(stream), {}) +
                           "extern \"C\" __global__ void k(Long* out) {\n"
                           "  Long t = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "  everything(t, out + kResults * t);\n}\n";
  constexpr std::size_t kThreads = 192;
  for (const std::string& arch : runnable({"sm_75", "sm_90", "sm_120"})) {
    compile_for(arch);
    const auto got =
        run_text({"shared.cu", text}, "k", line(3, 64), {out(kU64, host::kResults * kThreads)});
    const auto values = buffer<host::Long>(got, 0);
    for (std::size_t t = 0; t < kThreads; ++t) {
      host::Long want[host::kResults];
      host::everything(t, want);
      for (std::size_t k = 0; k < host::kResults; ++k) {
        EXPECT_EQ(values.at(t * host::kResults + k), want[k])
            << arch << ": result " << k << " of " << t;
      }
    }
  }
}

}  // namespace
}  // namespace lab::conformance
