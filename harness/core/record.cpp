// Records as people read them.
#include "harness/core/record.h"

#include <fmt/format.h>

#include "harness/core/backend.h"
#include "harness/core/compiled.h"
#include "harness/core/text.h"

namespace lab {

std::map<std::string, std::string> facts_text(const CaseRecord& record) {
  const CaseFacts& facts = record.facts;
  std::map<std::string, std::string> out = texts_of(record.notes);
  if (facts.access_level) out["access_level"] = name_of(*facts.access_level);
  if (facts.sampled_blocks) {
    out["sampled"] = fmt::format("{}/{}", *facts.sampled_blocks, record.launch.grid.count());
  }
  if (facts.counter_cache) out["counter_cache"] = name_of(*facts.counter_cache);
  if (facts.carveout) {
    const bool asked = *facts.carveout != CaseFacts::kDriversChoice;
    out["carveout"] = asked ? fmt::format("{} %", *facts.carveout) : "chosen by the driver";
  }
  if (facts.blocks_per_sm) out["blocks_per_sm"] = fmt::format("{}", *facts.blocks_per_sm);
  if (!facts.compile_options.empty()) out["compile_options"] = facts.compile_options;
  if (!facts.ptx_sha256.empty()) out["ptx_sha256"] = facts.ptx_sha256;
  if (!facts.cubin_sha256.empty()) out["cubin_sha256"] = facts.cubin_sha256;
  return out;
}

bool timed_otherwise(const Timing& timing) {
  const std::string_view method = timing.method;
  return method.substr(0, kHostTimer.size()) == kHostTimer ||
         (method.size() > kInARow.size() &&
          method.substr(method.size() - kInARow.size()) == kInARow);
}

std::string method_text(const Timing& timing) {
  std::string text = fmt::format("{}, {} L2, {} {} after {} warm-ups", timing.method,
                                 name_of(timing.cache), timing.samples_ns.size(),
                                 timed_otherwise(timing) ? "times" : "launches", timing.warm_ups);
  if (timing.sm_clock_mhz) text += fmt::format(", SM clock {:.0f} MHz", *timing.sm_clock_mhz);
  return text;
}

KernelText source_of(const RunRecord& run) {
  KernelText source{run.source_name, run.source_text, run.included, {}};
  if (run.compile_options.empty()) return source;
  for (const std::string_view option : split(run.compile_options, ' ')) {
    source.options.emplace_back(option);
  }
  return source;
}

void set_source(const KernelText& source, RunRecord& run) {
  run.source_name = source.name;
  run.source_text = source.text;
  run.included = source.included;
  run.compile_options = fmt::format("{}", fmt::join(source.options, " "));
}

void note_compiled(const std::vector<std::string>& options, const Compiled& compiled,
                   CaseRecord& record) {
  CaseFacts& facts = record.facts;
  if (!compiled.way.empty()) record.notes.host_code = compiled.way;
  facts.compile_options = fmt::format("{}", fmt::join(options, " "));
  facts.ptx_sha256 = compiled.ptx_sha256;
  facts.cubin_sha256 = compiled.cubin_sha256;
}

}  // namespace lab
