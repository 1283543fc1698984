#include "harness/reading/program_reading.h"

#include <algorithm>
#include <set>
#include <string>

namespace lab::reading {
namespace {

bool same_mistake(const Finding& a, const Finding& b) {
  return a.kind == b.kind && a.line == b.line && a.file == b.file;
}

void add_once(std::vector<Finding>& all, const Finding& finding) {
  const bool known = std::any_of(
      all.begin(), all.end(), [&](const Finding& other) { return same_mistake(other, finding); });
  if (!known) all.push_back(finding);
}

std::vector<metrics::Advice> dearest_of(const std::vector<ProgramCase>& cases) {
  const ProgramCase* most = nullptr;
  double time = 0;
  for (const ProgramCase& one : cases) {
    const auto& expected = one.record->expected;
    if (one.diagnosis.advice.empty() || !expected || !expected->ns) continue;
    const double all = *expected->ns * static_cast<double>(one.launches);
    if (all <= time) continue;
    time = all;
    most = &one;
  }
  if (most == nullptr) return {};
  return {most->diagnosis.advice.front()};
}

}  // namespace

ProgramReading read_program(const RunRecord& run, const ProgramReport& report,
                            const metrics::Machine& machine, const LayoutsOfCases& layouts) {
  ProgramReading read;
  std::set<std::string> kernels;
  for (const CaseRecord& record : run.cases) {
    const auto index = static_cast<std::size_t>(record.index);
    if (index >= report.launches.size()) continue;  // of the host's code
    const std::uint64_t launches = report.launches[index];
    metrics::Trials trials;
    if (const auto tried = layouts.find(record.index); tried != layouts.end()) {
      trials.layouts_known = true;
      trials.layouts = tried->second;
    }
    read.cases.push_back(
        {&record, launches, metrics::diagnose(record, machine, Forbidden::kNothing, trials)});
    kernels.insert(record.kernel);
    read.launches += launches;
    read.timed = read.timed || record.timing.has_value();
    for (const Finding& finding : record.findings) add_once(read.findings, finding);
    for (const Finding& remark : record.remarks) add_once(read.remarks, remark);
  }
  read.kernels = kernels.size();
  read.findings.insert(read.findings.end(), report.findings.begin(), report.findings.end());
  const bool mistaken =
      std::any_of(read.findings.begin(), read.findings.end(),
                  [](const Finding& finding) { return finding.kind != FindingKind::kLeak; });
  if (!mistaken) read.dearest = dearest_of(read.cases);
  return read;
}

}  // namespace lab::reading
