#include "harness/run/kernels.h"

#include <gtest/gtest.h>

#include "harness/core/error.h"

namespace lab::run {
namespace {

TEST(Signatures, OneLineEachWithoutBodies) {
  EXPECT_EQ(kernel_signatures("// comment\nextern \"C\" __global__ void a(float* p,\n"
                              "                               int n) {\n}\n"
                              "template <typename T>\n__global__ void b(T* p) { p[0] = 1; }\n"),
            (std::vector<std::string>{"extern \"C\" __global__ void a(float* p, int n)",
                                      "__global__ void b(T* p)"}));
}

std::string only(const std::string& text) {
  try {
    return only_kernel({"dir/a.cu", text, {}, {}});
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kInput);
    return render(error);
  }
}

TEST(OnlyKernel, OfATemplateHasTheArgumentsOfTheFilesLaunch) {
  const std::string tile = "template <typename T, int N> __global__ void tile(T* a) {}\n";
  EXPECT_EQ(only(tile + "int main() { tile<float, 8><<<1, 8>>>(a); }\n"), "tile<float, 8>");
  EXPECT_EQ(only(tile), "tile") << "the compiler's error says what to write";
  EXPECT_EQ(only(tile + "int main() { tile<float, 8><<<1, 8>>>(a); tile<int, 4><<<1, 8>>>(b); }\n"),
            "error: 'dir/a.cu' launches tile with 2 sets of arguments: name one\n"
            "hint: --kernel 'tile<float, 8>'; there are\n  tile<float, 8>\n  tile<int, 4>\n");
  EXPECT_EQ(named_kernel({"a.cu", tile + "auto k = tile<int, 2>;\n", {}, {}}, "tile"),
            "tile<int, 2>");
  EXPECT_EQ(named_kernel({"a.cu", tile + "auto k = tile<int, 2>;\n", {}, {}}, "tile<int, 3>"),
            "tile<int, 3>");
}

TEST(OnlyKernel, OfAMacroHasTheNameThatItMakes) {
  EXPECT_EQ(only("#define MAKE(name) __global__ void name##_kernel(int* a) {}\nMAKE(add)\n"),
            "add_kernel");
}

TEST(OnlyKernel, MayBeInAHeaderThatIsNotFound) {
  EXPECT_EQ(only("#include <cuda_runtime.h>\n#include \"kernels.cuh\"\nint main() {}\n"),
            "error: 'dir/a.cu' defines no kernel\n"
            "hint: dir/a.cu(2): kernels.cuh was not found, which may define it: -I FOLDER says "
            "where it is\n");
  EXPECT_EQ(only("int main() {}\n"),
            "error: 'dir/a.cu' defines no kernel\n"
            "hint: a kernel is a function with __global__ before it\n");
}

}  // namespace
}  // namespace lab::run
