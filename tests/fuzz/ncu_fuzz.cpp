// Any bytes are a report or an input error; what a report says is matched and observed.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/core/error.h"
#include "harness/ncu/match.h"
#include "harness/ncu/observe.h"

namespace {

lab::RunRecord a_run() {
  lab::RunRecord run;
  run.lab = 3;
  for (const std::int64_t stride : {1, 2}) {
    lab::CaseRecord record;
    record.variant = "stride";
    record.params.set("stride", stride);
    record.kernel = "stride";
    record.launch = {{16}, {256}, 0};
    run.cases.push_back(record);
  }
  run.cases.push_back({});  // a library's case: it has no kernel
  run.cases.back().variant = "geam";
  return run;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const lab::RunRecord run = a_run();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const lab::ncu::Report report = lab::ncu::read_report(bytes, "fuzz.csv");
    const lab::ncu::Matching matching = lab::ncu::match(run, report);
    std::size_t launches = matching.unmatched.size();
    for (const lab::ncu::Match& match : matching.matches) {
      launches += match.launches.size();
      (void)lab::ncu::observe(report, match, run.cases[match.case_at].kernel.empty(), "GH100");
    }
    // Every launch is in one case or listed; those of timing loops may give way.
    if (launches > report.launches.size()) std::abort();
  } catch (const lab::Error& error) {
    if (error.fault() != lab::Fault::kInput) std::abort();
  }
  return 0;
}
