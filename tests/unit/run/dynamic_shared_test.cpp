// Which kernels of a PTX text use dynamic shared memory.
#include "harness/run/dynamic_shared.h"

#include <gtest/gtest.h>

#include "harness/core/error.h"

namespace lab::run {
namespace {

constexpr const char* kPtx = R"(.version 8.0
.func helper
()
;
.extern .shared .align 16 .b8 s[];
.extern .shared .align 16 .b8 tile[];
.visible .entry direct(
	.param .u64 p
)
{
	mov.u32 	%r1, s;
	ret;
}
.visible .entry after_braces(
)
{
	{add.f16 %h1,%h2,%h3;
}
	mov.u32 	%r1, s;
	ret;
}
.visible .entry direct2(
	.param .u64 p
)
{
	mov.u32 	%r1, s_other;
	ret;
}
.visible .entry calls(
	.param .u64 p
)
{
	call.uni helper, ();
	ret;
}
.func helper
()
{
	mov.u32 	%r1, tile;
	ret;
}
)";

TEST(DynamicShared, IsUsedByNameOrInAFunction) {
  EXPECT_TRUE(uses_dynamic_shared(kPtx, "direct"));
  EXPECT_TRUE(uses_dynamic_shared(kPtx, "after_braces")) << "inline assembly has braces of its own";
  EXPECT_FALSE(uses_dynamic_shared(kPtx, "direct2")) << "s_other is another name";
  EXPECT_TRUE(uses_dynamic_shared(kPtx, "calls"));
  EXPECT_FALSE(uses_dynamic_shared(kPtx, "none"));
  EXPECT_FALSE(uses_dynamic_shared(".visible .entry k(\n)\n{\n}\n", "k"));
}

std::string told(const std::string& source) {
  Compiled compiled;
  compiled.ptx = kPtx;
  compiled.lowered = {"direct"};
  try {
    require_no_dynamic_shared(compiled, {"k.cu", source, {}, {}}, "direct", "--shared ");
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kInput);
    return render(error);
  }
  return {};
}

TEST(DynamicShared, TheErrorSaysWhatTheFileGives) {
  const std::string error =
      "error: direct uses dynamic shared memory (extern __shared__), and --shared was not given\n";
  EXPECT_EQ(told("int main() {\n  direct<<<1, 64, 64 * sizeof(float)>>>(p);\n}\n"),
            error + "hint: k.cu(2) launches it with 64 * sizeof(float): --shared 256\n");
  EXPECT_EQ(told("void run(int n) { direct<<<1, n, n * 4>>>(p); }\n"),
            error + "hint: k.cu(1) launches it with n * 4: --shared BYTES\n");
  EXPECT_EQ(told(""),
            error + "hint: --shared BYTES gives it its size; --shared 0 runs it without\n");
}

}  // namespace
}  // namespace lab::run
