// The labs' references, which the model runs, against the same computed in C++: a model that checks
// itself would prove nothing. LAB_SANITIZED leaves out most of the points.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/classes/labtest/points.h"
#include "harness/core/output_check.h"
#include "harness/core/resolve.h"
#include "harness/kernel/compile/nvrtc.h"
#include "harness/labs/registry.h"
#include "harness/model/case/backend.h"
#include "tests/support/lab_batch.h"
#include "tests/support/references/references.h"

namespace lab {
namespace {

using references::HostReference;

#ifdef LAB_SANITIZED
constexpr std::size_t kEach = 16;
constexpr int kDrawn = 1;
#else
constexpr std::size_t kEach = 1;
constexpr int kDrawn = 20;
#endif

/// A case whose reference is run by itself.
struct Called {
  const Variant* variant = nullptr;
  Params point;
  Job job;   ///< the variant's
  Job call;  ///< of its reference
};

std::vector<Params> points_of(const Lab& lab, const Variant& variant) {
  std::vector<Params> points;
  for (std::size_t i = 0; i < variant.points.size(); i += kEach) {
    points.push_back(variant.points[i]);
  }
  for (Params& drawn : labtest::drawn_points(lab, variant, kDrawn))
    points.push_back(std::move(drawn));
  return points;
}

std::vector<Called> calls_of(const Lab& lab) {
  std::vector<Called> calls;
  for (const Variant& variant : lab.variants) {
    if (!variant.reference) continue;
    for (const Params& point : points_of(lab, variant)) {
      Job job = make_job(variant, point, 5);
      Job call = reference_job(job);
      for (const auto& [name, buffer] : buffers_of(call)) call.dump.push_back(name);
      calls.push_back({&variant, point, std::move(job), std::move(call)});
    }
  }
  return calls;
}

Buffers computed(const Lab& lab, const Called& called) {
  Buffers buffers = initial_buffers(called.job);
  references::all().at(lab.id).at(called.variant->name)(called.point, buffers);
  return buffers;
}

// Bit for bit, inputs as well: both leave them as they were.
void expect_equal(const Lab& lab, const Called& called, const CaseOutcome& outcome) {
  SCOPED_TRACE(called.variant->name + " " + called.point.text());
  ASSERT_EQ(outcome.record.status, CaseStatus::kOk) << outcome.record.reason;
  Buffers want = computed(lab, called);
  for (const auto& [name, bytes] : outcome.dumped) {
    const auto wanted = want.raw(name);
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), wanted.begin(), wanted.end()))
        << called.call.kernel << " leaves something else in " << name;
  }
}

class LabReferences : public testing::TestWithParam<const Lab*> {};

TEST_P(LabReferences, LeaveWhatIsComputedInCpp) {
  const Lab& lab = *GetParam();
  const std::vector<Called> calls = calls_of(lab);
  BatchRequest batch;
  batch.source = batch_of_lab(lab).reference;
  batch.checks = Checks::kOff;
  for (const Called& called : calls) {
    CaseRequest request;
    request.index = static_cast<int>(batch.cases.size());
    request.job = called.call;
    batch.cases.push_back(std::move(request));
  }
  std::size_t compared = 0;
  BatchSink sink;
  sink.finished = [&](const CaseOutcome& outcome) {
    expect_equal(lab, calls.at(static_cast<std::size_t>(outcome.record.index)), outcome);
    ++compared;
  };
  model::ModelBackend([](const CompileRequest& r) {
    return compile::nvrtc_compile(r);
  }).run(batch, sink);
  EXPECT_EQ(compared, calls.size());
}

TEST_P(LabReferences, AreThereForAllThatIsNotBrokenOnPurpose) {
  const references::OfLab& known = references::all().at(GetParam()->id);
  std::size_t found = 0;
  for (const Variant& variant : GetParam()->variants) {
    EXPECT_EQ(static_cast<bool>(variant.reference), !variant.model_only) << variant.name;
    EXPECT_EQ(known.contains(variant.name), !variant.model_only) << variant.name;
    found += known.count(variant.name);
  }
  EXPECT_EQ(found, known.size());
}

// What the reference leaves is what is called correct, and one wrong element is not.
TEST_P(LabReferences, TellARightResultFromAWrongOne) {
  for (const Variant& variant : GetParam()->variants) {
    if (!variant.reference) continue;
    SCOPED_TRACE(variant.name);
    const Params& point = variant.points.back();
    const Called called{&variant, point, make_job(variant, point, 7), {}};
    Buffers after = computed(*GetParam(), called);
    Buffers want = computed(*GetParam(), called);
    EXPECT_EQ(check_outputs(called.job, after, want).reason, "");
    for (const ArgSpec& arg : called.job.args) {
      const auto* buffer = std::get_if<BufferSpec>(&arg);
      if (buffer == nullptr || buffer->direction == Direction::kIn) continue;
      const auto bytes = after.raw(buffer->name);
      bytes.back() ^= std::byte{0x40};
      EXPECT_EQ(check_outputs(called.job, after, want).correct, false) << buffer->name;
      bytes.back() ^= std::byte{0x40};
    }
  }
}

std::vector<const Lab*> labs() {
  std::vector<const Lab*> labs;
  for (const Lab& lab : all_labs()) {
    if (references::all().contains(lab.id)) labs.push_back(&lab);
  }
  return labs;
}

std::string name_of_lab(const testing::TestParamInfo<const Lab*>& info) { return info.param->id; }

INSTANTIATE_TEST_SUITE_P(Labs, LabReferences, testing::ValuesIn(labs()), name_of_lab);

TEST(References, OfAllShippedLabsAreHeldAgainstCpp) {
  EXPECT_EQ(labs().size(), references::all().size());
}

}  // namespace
}  // namespace lab
