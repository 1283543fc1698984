#include "harness/run/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "harness/core/record_fields.h"

namespace lab::run {

namespace {

// From best to worst.
constexpr std::array<CaseStatus, 8> kBestFirst = {
    CaseStatus::kOk,      CaseStatus::kSkipped, CaseStatus::kRefused, CaseStatus::kTimeout,
    CaseStatus::kFinding, CaseStatus::kWrong,   CaseStatus::kError,   CaseStatus::kNotCompiled,
};

auto rank(CaseStatus status) { return std::find(kBestFirst.begin(), kBestFirst.end(), status); }

bool did_not_run(CaseStatus status) {
  return status == CaseStatus::kSkipped || status == CaseStatus::kInterrupted;
}

std::optional<bool> both_correct(std::optional<bool> a, std::optional<bool> b) {
  if (!a) return b;
  if (!b) return a;
  return *a && *b;
}

std::string both_reasons(const std::string& model, const std::string& gpu) {
  if (model == gpu || gpu.empty()) return model;
  if (model.empty()) return fmt::format("GPU: {}", gpu);
  return fmt::format("model: {}; GPU: {}", model, gpu);
}

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// The GPU's values stand: they were measured.
void merge_facts(CaseFacts& out, const CaseFacts& gpu) {
  visit_fields(gpu, [&](const auto& field, const auto& value) {
    if (value != std::remove_cvref_t<decltype(value)>{}) out.*field.member = value;
  });
}

}  // namespace

CaseStatus worse(CaseStatus a, CaseStatus b) { return rank(a) < rank(b) ? b : a; }

CaseRecord merge(CaseRecord model, const CaseRecord& gpu) {
  CaseRecord out = std::move(model);
  // A skipped half says only that the other did the work.
  if (did_not_run(out.status)) {
    out.status = gpu.status;
    out.reason = gpu.reason;
  } else if (!did_not_run(gpu.status)) {
    out.status = worse(out.status, gpu.status);
    out.reason = both_reasons(out.reason, gpu.reason);
  }
  out.correct = both_correct(out.correct, gpu.correct);
  if (out.kernel.empty()) out.kernel = gpu.kernel;
  if (out.launch == Launch{}) out.launch = gpu.launch;
  if (out.arch.empty()) out.arch = gpu.arch;
  merge_facts(out.facts, gpu.facts);
  add_notes(out.notes, gpu.notes);
  append(out.findings, gpu.findings);
  append(out.remarks, gpu.remarks);
  append(out.observations, gpu.observations);
  append(out.lines, gpu.lines);
  append(out.accesses, gpu.accesses);
  if (gpu.timing) out.timing = gpu.timing;
  if (!out.kernel_facts) out.kernel_facts = gpu.kernel_facts;
  return out;
}

}  // namespace lab::run
