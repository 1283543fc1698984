#include "harness/reading/program_reading.h"

#include <algorithm>
#include <set>
#include <string>

#include "harness/reading/case_reading.h"

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

// A case with a mistake has no time: its cost is no matter.
std::optional<double> ns_of(const CaseRecord& record, std::uint64_t launches) {
  if (has_mistake(record)) return {};
  std::optional<double> one = record.expected ? record.expected->ns : std::nullopt;
  if (record.timing) one = record.timing->median_ns;
  return one ? std::optional(*one * static_cast<double>(launches)) : std::nullopt;
}

void rank_by_time(std::vector<ProgramCase>& cases) {
  double all = 0;
  bool known = true;
  for (const ProgramCase& one : cases) {
    known = known && one.ns;
    all += one.ns.value_or(0);
  }
  std::stable_sort(cases.begin(), cases.end(), [](const ProgramCase& a, const ProgramCase& b) {
    return a.ns.value_or(0) > b.ns.value_or(0);
  });
  if (!known || all <= 0) return;
  for (ProgramCase& one : cases) one.share = *one.ns / all;
}

// The first advice there is, by the time that its case takes.
std::vector<metrics::Advice> dearest_of(const std::vector<ProgramCase>& ranked) {
  for (const ProgramCase& one : ranked) {
    if (one.ns && !one.diagnosis.advice.empty()) return {one.diagnosis.advice.front()};
  }
  return {};
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
    read.cases.push_back({&record, launches,
                          metrics::diagnose(record, machine, Forbidden::kNothing, trials),
                          ns_of(record, launches)});
    kernels.insert(record.kernel);
    read.launches += launches;
    read.timed = read.timed || record.timing.has_value();
    for (const Finding& finding : record.findings) add_once(read.findings, finding);
    for (const Finding& remark : record.remarks) add_once(read.remarks, remark);
  }
  rank_by_time(read.cases);
  read.kernels = kernels.size();
  read.findings.insert(read.findings.end(), report.findings.begin(), report.findings.end());
  const bool mistaken =
      std::any_of(read.findings.begin(), read.findings.end(),
                  [](const Finding& finding) { return finding.kind != FindingKind::kLeak; });
  if (!mistaken) read.dearest = dearest_of(read.cases);
  return read;
}

}  // namespace lab::reading
