// The model's findings about textures and surfaces that are not as the kernel takes them.
#include <gtest/gtest.h>

#include "harness/core/looked.h"
#include "tests/unit/model/case/ptx_case.h"

namespace lab::model {
namespace {

using namespace ptx_case;
using Kind = ImageSpec::Kind;
using Outside = ImageSpec::Outside;

BufferSpec image(ElementType type, const ImageSpec& spec) {
  BufferSpec made = buffer("image", std::uint64_t{spec.width} * std::max(spec.height, 1U),
                           Fill::Kind::kIota, type);
  made.image = spec;
  return made;
}

/// k(out, in, n) with an image in place of `in`: its handle is in %in.
CaseRecord run_on(const std::string& body, const ArgSpec& argument) {
  PtxCase made;
  made.body =
      "mov.u32 %r1, %tid.x;\nmov.b32 %r2, 0;\n" + body + "\nst.global.u32 [%mine], %r3;\nret;";
  made.args = {buffer("out", 32, Fill::Kind::kZero), argument, scalar_u32(0)};
  return run(made).record;
}

const ImageSpec kPlane{Kind::kTexture, Outside::kClamp, 8, 4};
const char* const kRead = "tex.2d.v4.u32.f32 {%r3, %r4, %r5, %r6}, [%in, {%f1, %f2}];";

TEST(Images, OfAnotherKindAreNamed) {
  const struct {
    const char* body;
    ElementType type;
    ImageSpec spec;
    const char* reason;
  } rows[] = {
      {kRead, ElementType::kF32, kPlane, "'image' has elements of f32 and is read as integers"},
      {kRead,
       ElementType::kU32,
       {Kind::kTexture, Outside::kClamp, 32},
       "'image' has one dimension and is used with two dimensions"},
      {kRead,
       ElementType::kU32,
       {Kind::kSurface, Outside::kBorder, 8, 4},
       "'image' is a surface and used as a texture"},
      {"tex.1d.v4.u32.s32 {%r3, %r4, %r5, %r6}, [%in, {%r1}];",
       ElementType::kU32,
       {Kind::kTexture, Outside::kClamp, 32},
       "'image' is read by tex1Dfetch, which reads linear memory alone"},
      {"suld.b.2d.b32.trap {%r3}, [%in, {%r1, %r2}];", ElementType::kU32, kPlane,
       "'image' is a texture and used as a surface"},
  };
  for (const auto& row : rows) {
    const CaseRecord record = run_on(row.body, image(row.type, row.spec));
    EXPECT_EQ(record.status, CaseStatus::kFinding) << row.reason;
    ASSERT_FALSE(record.findings.empty()) << record.reason;
    EXPECT_EQ(record.findings[0].kind, FindingKind::kInvalidImage);
    EXPECT_EQ(record.findings[0].message, row.reason);
  }
}

// An ok says less then: no checker sees what they access.
TEST(Images, ARecordSaysThatItsKernelHasThem) {
  EXPECT_TRUE(run_on(kRead, image(ElementType::kU32, kPlane)).notes.images);
  EXPECT_FALSE(run_on("mov.b32 %r3, 0;", image(ElementType::kU32, kPlane)).notes.images);
}

TEST(Images, APointerIsNone) {
  const CaseRecord record = run_on(kRead, buffer("in", 32, Fill::Kind::kIota));
  ASSERT_FALSE(record.findings.empty()) << record.reason;
  EXPECT_EQ(record.findings[0].message.rfind("the object is neither a texture nor a surface", 0),
            0U);
}

TEST(Images, OutsideOfASurfaceIsATrap) {
  // Thread t reads byte 4 t of a row of 8 elements, 32 bytes.
  const CaseRecord record =
      run_on("shl.b32 %r4, %r1, 2;\nsuld.b.2d.b32.trap {%r3}, [%in, {%r4, %r2}];",
             image(ElementType::kU32, {Kind::kSurface, Outside::kBorder, 8, 4}));
  ASSERT_FALSE(record.findings.empty()) << record.reason;
  EXPECT_EQ(record.findings[0].kind, FindingKind::kOutOfBounds);
  EXPECT_EQ(record.findings[0].message,
            "out-of-bounds access of 4 bytes at byte 32 of row 0 of 'image', which has 4 rows of "
            "32 bytes");
  EXPECT_EQ(record.findings[0].thread, (Dim3{8, 0, 0}));
}

TEST(Images, SurfacesCountInBytes) {
  // x is the element's number here: a common slip.
  const CaseRecord record =
      run_on("suld.b.2d.b32.zero {%r3}, [%in, {%r1, %r2}];",
             image(ElementType::kU32, {Kind::kSurface, Outside::kBorder, 8, 4}));
  ASSERT_FALSE(record.findings.empty()) << record.reason;
  EXPECT_EQ(record.findings[0].kind, FindingKind::kMisaligned);
  EXPECT_NE(record.findings[0].message.find("x counts in bytes"), std::string::npos);
}

}  // namespace
}  // namespace lab::model
