#include "tools/cli/json/json_record.h"

#include "tools/cli/json/json_values.h"

namespace lab::cli {
namespace {

using record::Problem;

const char* problem_name(Problem problem) {
  switch (problem) {
    case Problem::kNoCupti:
      return "no_cupti";
    case Problem::kBusy:
      return "busy";
    case Problem::kRefused:
      return "refused";
    case Problem::kDropped:
      return "dropped";
    case Problem::kFull:
      return "full";
    case Problem::kTexts:
      return "too_many_names";
    case Problem::kNotCounted:
      return "not_counted";
    case Problem::kSeveralPasses:
      return "several_passes";
    case Problem::kNoMetric:
      return "no_metric";
  }
  return "other";
}

const char* copied_name(record::Copied what) {
  switch (what) {
    case record::Copied::kToDevice:
      return "to_gpu";
    case record::Copied::kFromDevice:
      return "from_gpu";
    case record::Copied::kWithin:
      return "within_gpu";
    case record::Copied::kBetween:
      return "between_gpus";
    case record::Copied::kSet:
      return "memset";
    case record::Copied::kOther:
      break;
  }
  return "other";
}

Json counter_json(const record::CounterSum& one) {
  return {{"metric", one.metric},
          {"launches", one.launches},
          {"sum", number_json(one.sum)},
          {"least", number_json(one.least)},
          {"most", number_json(one.most)}};
}

Json kernel_json(const record::KernelRow& row) {
  // Neither is known of a launch alone.
  const auto traced = [&](std::uint64_t value) { return row.traced ? Json(value) : Json(nullptr); };
  const auto timed = [&](std::uint64_t value) {
    return row.launches > 0 ? Json(value) : Json(nullptr);
  };
  return {{"kernel", row.kernel},
          {"signature", row.signature},
          {"mangled", row.mangled},
          {"grid", row.shape.grid},
          {"block", row.shape.block},
          {"cluster", row.cluster[0] > 0 ? Json(row.cluster) : Json(nullptr)},
          {"registers", traced(row.registers)},
          {"static_shared_bytes", traced(row.static_shared)},
          {"dynamic_shared_bytes", row.dynamic_shared},
          {"launches", row.launches},
          {"untimed", row.untimed},
          {"of_graphs", row.of_graphs},
          {"share", number_json(row.share)},
          {"total_ns", timed(row.total_ns)},
          {"mean_ns", row.launches == 0 ? Json(nullptr) : number_json(row.mean_ns())},
          {"shortest_ns", timed(row.shortest_ns)},
          {"longest_ns", timed(row.longest_ns)},
          {"counters", list_of(row.counters, counter_json)}};
}

Json gpu_json(const record::GpuUse& use) {
  Json gaps = list_of(use.longest, [](const record::Gap& gap) -> Json {
    return {{"start_ns", gap.start_ns},
            {"length_ns", gap.length_ns},
            {"after", gap.before},
            {"before", gap.after}};
  });
  return {{"name", text_json(use.name)},    {"span_ns", use.span_ns},
          {"kernels_ns", use.kernels_ns},   {"copies_ns", use.copies_ns},
          {"idle_ns", use.idle_ns()},       {"gaps", use.gaps},
          {"longest_gaps", std::move(gaps)}};
}

Json copy_json(const record::CopyRow& row) {
  return {{"what", copied_name(row.what)},
          {"count", row.count},
          {"bytes", row.bytes},
          {"total_ns", row.total_ns}};
}

Json range_json(const record::RangeRow& row) {
  return {{"range", row.path},      {"times", row.times},   {"launches", row.launches},
          {"kernels", row.kernels}, {"gpu_ns", row.gpu_ns}, {"host_ns", row.host_ns}};
}

Json launches_json(const record::LaunchCounts& counts) {
  return {{"all", counts.all},       {"graphs", counts.graphs},   {"captured", counts.captured},
          {"failed", counts.failed}, {"untimed", counts.untimed}, {"host_ns", counts.host_ns}};
}

Json process_json(const record::ProcessRow& row) {
  Json troubles = list_of(row.troubles, [](const record::Told& told) -> Json {
    return {{"problem", problem_name(told.trouble.problem)},
            {"code", told.trouble.code},
            {"count", told.trouble.count},
            {"text", text_json(told.text)}};
  });
  return {{"process", row.process},
          {"command", row.command},
          {"launches", launches_json(row.launches)},
          {"kernels", row.kernels},
          {"modules", row.modules},
          {"ended", row.ended},
          {"troubles", std::move(troubles)}};
}

}  // namespace

std::string recording_json(const record::RecordStory& story) {
  const record::Summary& summary = story.summary;
  Json program = nullptr;
  if (story.end) {
    program = {{"status", story.end->signal == 0 ? Json(story.end->status) : Json(nullptr)},
               {"signal", story.end->signal != 0 ? Json(story.end->signal) : Json(nullptr)}};
  }
  return printed({{"recording",
                   {{"program", std::move(program)},
                    {"launches", launches_json(summary.launches)},
                    {"kernels_run", summary.kernels_run},
                    {"kernels_ns", summary.kernels_ns},
                    {"launches_counted", summary.launches_counted},
                    {"kernels", list_of(summary.kernels, kernel_json)},
                    {"gpus", list_of(summary.gpus, gpu_json)},
                    {"copies", list_of(summary.copies, copy_json)},
                    {"ranges", list_of(summary.ranges, range_json)},
                    {"processes", list_of(summary.processes, process_json)},
                    {"damage", text_json(summary.damage)}}}});
}

}  // namespace lab::cli
