// The fields of the records that are stored. Where records of a kind have a table, `name` is the
// column; a Dim3 is three columns, name_x to name_z; a record inside another is laid flat.
#pragma once

#include "harness/core/ceiling.h"
#include "harness/core/describe.h"
#include "harness/core/record.h"

namespace lab {

template <>
inline constexpr auto kFieldsOf<Dim3> = described<Dim3>(field("x", &Dim3::x), field("y", &Dim3::y),
                                                        field("z", &Dim3::z));

template <>
inline constexpr auto kFieldsOf<Launch> = described<Launch>(
    field("grid", &Launch::grid), field("block", &Launch::block),
    field("dynamic_shared_bytes", &Launch::dynamic_shared_bytes, Trait::kNone, "shared_bytes"));

template <>
inline constexpr auto kFieldsOf<Finding> = described<Finding>(
    field("kind", &Finding::kind), field("message", &Finding::message),
    field("kernel", &Finding::kernel, Trait::kNullable),
    field("file", &Finding::file, Trait::kNullable),
    field("line", &Finding::line, Trait::kNullable),
    field("source", &Finding::source, Trait::kNullable), field("block", &Finding::block),
    field("thread", &Finding::thread), field("address", &Finding::address),
    field("count", &Finding::count), field("op", &Finding::op), field("space", &Finding::space),
    field("array", &Finding::array, Trait::kNullable),
    field("cause", &Finding::cause, Trait::kNullable), field("element", &Finding::element),
    field("last_element", &Finding::last_element), field("elements", &Finding::elements),
    field("other_file", &Finding::other_file, Trait::kNullable),
    field("other_line", &Finding::other_line, Trait::kNullable),
    field("other_source", &Finding::other_source, Trait::kNullable));

template <>
inline constexpr auto kFieldsOf<Missing> = described<Missing>(field("reason", &Missing::reason),
                                                              field("detail", &Missing::detail));

/// The value's columns are value, missing and missing_detail.
template <>
inline constexpr auto kFieldsOf<Observation> = described<Observation>(
    field("metric", &Observation::metric), field("source", &Observation::source),
    field("value", &Observation::value), field("min", &Observation::min),
    field("max", &Observation::max), field("samples", &Observation::samples),
    field("pass", &Observation::pass));

template <>
inline constexpr auto kFieldsOf<Verdict> = described<Verdict>(
    field("metric", &Verdict::metric), field("theory", &Verdict::theory),
    field("theory_high", &Verdict::theory_high),
    field("formula", &Verdict::formula, Trait::kNullable), field("level", &Verdict::level),
    field("target", &Verdict::target), field("excess", &Verdict::excess),
    field("measured", &Verdict::measured), field("measured_source", &Verdict::measured_source),
    field("kind", &Verdict::kind, Trait::kNullable, "verdict"),
    field("reason", &Verdict::reason, Trait::kNullable), field("longer", &Verdict::longer),
    field("longer_because", &Verdict::longer_because, Trait::kNullable));

template <>
inline constexpr auto kFieldsOf<Timing> = described<Timing>(
    field("median_ns", &Timing::median_ns), field("min_ns", &Timing::min_ns),
    field("max_ns", &Timing::max_ns),
    field("samples_ns", &Timing::samples_ns, Trait::kNone, "samples"),
    field("method", &Timing::method), field("cache", &Timing::cache),
    field("warm_ups", &Timing::warm_ups), field("sm_clock_mhz", &Timing::sm_clock_mhz),
    field("temperature_c", &Timing::temperature_c), field("power_w", &Timing::power_w),
    field("throttle_reasons", &Timing::throttle_reasons, Trait::kNullable));

template <>
inline constexpr auto kFieldsOf<Access> = described<Access>(
    field("sequence", &Access::sequence), field("line", &Access::line),
    field("text", &Access::text), field("space", &Access::space), field("op", &Access::op),
    field("bytes_per_lane", &Access::bytes_per_lane),
    field("buffer", &Access::buffer, Trait::kNullable), field("addresses", &Access::address),
    field("sectors", &Access::sectors), field("wavefronts", &Access::wavefronts),
    field("conflicts", &Access::conflicts));

template <>
inline constexpr auto kFieldsOf<LineObservation> = described<LineObservation>(
    field("file", &LineObservation::file), field("line", &LineObservation::line),
    field("metric", &LineObservation::metric), field("source", &LineObservation::source),
    field("value", &LineObservation::value));

template <>
inline constexpr auto kFieldsOf<CaseFacts> = described<CaseFacts>(
    field("access_level", &CaseFacts::access_level),
    field("sampled_blocks", &CaseFacts::sampled_blocks),
    field("counter_cache", &CaseFacts::counter_cache), field("carveout", &CaseFacts::carveout),
    field("blocks_per_sm", &CaseFacts::blocks_per_sm),
    field("compile_options", &CaseFacts::compile_options, Trait::kNullable),
    field("ptx_sha256", &CaseFacts::ptx_sha256, Trait::kNullable),
    field("cubin_sha256", &CaseFacts::cubin_sha256, Trait::kNullable));

template <>
inline constexpr auto kFieldsOf<WarpFacts> = described<WarpFacts>(
    field("instructions", &WarpFacts::instructions),
    field("issue_cycles", &WarpFacts::issue_cycles),
    field("global_rounds", &WarpFacts::global_rounds),
    field("shared_rounds", &WarpFacts::shared_rounds),
    field("global_atomic_rounds", &WarpFacts::global_atomic_rounds),
    field("shared_atomic_rounds", &WarpFacts::shared_atomic_rounds),
    field("global_hidden", &WarpFacts::global_hidden),
    field("shared_hidden", &WarpFacts::shared_hidden),
    field("other_cycles", &WarpFacts::other_cycles), field("barriers", &WarpFacts::barriers),
    field("fp64", &WarpFacts::fp64), field("special", &WarpFacts::special),
    field("tensor", &WarpFacts::tensor), field("global_loads", &WarpFacts::global_loads),
    field("shared_loads", &WarpFacts::shared_loads), field("stores", &WarpFacts::stores),
    field("phases", &WarpFacts::phases));

template <>
inline constexpr auto kFieldsOf<StoreFacts> = described<StoreFacts>(
    field("stored_sectors", &StoreFacts::sectors), field("partly_stored", &StoreFacts::partly),
    field("filled_up", &StoreFacts::filled), field("empty_bytes", &StoreFacts::empty_bytes),
    field("stored_lines", &StoreFacts::lines), field("stored_bytes", &StoreFacts::stored_bytes),
    field("distinct_bytes", &StoreFacts::distinct_bytes),
    field("sent_sectors", &StoreFacts::sent_sectors), field("sent_lines", &StoreFacts::sent_lines),
    field("merged_sectors", &StoreFacts::merged_sectors),
    field("merged_lines", &StoreFacts::merged_lines),
    field("merged_whole", &StoreFacts::merged_whole));

template <>
inline constexpr auto kFieldsOf<HotFacts> = described<HotFacts>(
    field("hot_float_adds", &HotFacts::float_adds),
    field("hot_integer_adds", &HotFacts::integer_adds), field("hot_stores", &HotFacts::stores),
    field("hot_loads", &HotFacts::loads));

template <>
inline constexpr auto kFieldsOf<KernelFacts> = described<KernelFacts>(
    field("absent", &KernelFacts::absent, Trait::kNullable), field("blocks", &KernelFacts::blocks),
    field("warp", &KernelFacts::warp), field("store", &KernelFacts::stores),
    field("hot", &KernelFacts::hot), field("past_l1", &KernelFacts::past_l1),
    field("reloaded", &KernelFacts::reloaded), field("line_gap", &KernelFacts::line_gap),
    field("tag_cycles", &KernelFacts::tag_cycles), field("data_cycles", &KernelFacts::data_cycles),
    field("restored_bytes", &KernelFacts::restored_bytes),
    field("copied_bytes", &KernelFacts::copied_bytes), field("managed", &KernelFacts::managed),
    field("registers", &KernelFacts::registers), field("shared_bytes", &KernelFacts::shared_bytes));

template <>
inline constexpr auto kFieldsOf<ExpectedTime> = described<ExpectedTime>(
    field("ns", &ExpectedTime::ns), field("sets", &ExpectedTime::sets),
    field("reason", &ExpectedTime::reason, Trait::kNullable),
    field("gpu", &ExpectedTime::gpu, Trait::kNullable),
    field("origin", &ExpectedTime::origin, Trait::kNullable),
    field("calibrated", &ExpectedTime::calibrated), field("within", &ExpectedTime::within),
    field("off", &ExpectedTime::off));

template <>
inline constexpr auto kFieldsOf<CaseRecord> = described<CaseRecord>(
    field("position", &CaseRecord::index, Trait::kNone, ""), field("variant", &CaseRecord::variant),
    field("params", &CaseRecord::params), field("kernel", &CaseRecord::kernel, Trait::kNullable),
    field("launch", &CaseRecord::launch), field("status", &CaseRecord::status),
    field("correct", &CaseRecord::correct), field("reason", &CaseRecord::reason, Trait::kNullable),
    field("arch", &CaseRecord::arch, Trait::kNullable),
    field("how", &CaseRecord::facts, Trait::kNone, ""),
    field("facts", &CaseRecord::notes, Trait::kNone, ""),
    field("findings", &CaseRecord::findings, Trait::kApart, ""),
    field("remarks", &CaseRecord::remarks, Trait::kApart, ""),
    field("observations", &CaseRecord::observations, Trait::kApart, ""),
    field("verdicts", &CaseRecord::verdicts, Trait::kApart, ""),
    field("timing", &CaseRecord::timing, Trait::kApart, ""),
    field("kernel_facts", &CaseRecord::kernel_facts, Trait::kApart, ""),
    field("expected", &CaseRecord::expected, Trait::kApart, ""),
    field("accesses", &CaseRecord::accesses, Trait::kApart, ""),
    field("lines", &CaseRecord::lines, Trait::kApart, ""));

template <>
inline constexpr auto kFieldsOf<IncludedText> =
    described<IncludedText>(field("name", &IncludedText::name), field("text", &IncludedText::text));

template <>
inline constexpr auto kFieldsOf<RunRecord> = described<RunRecord>(
    field("id", &RunRecord::id, Trait::kApart), field("uuid", &RunRecord::uuid),
    field("lab", &RunRecord::lab), field("lab_id", &RunRecord::lab_id, Trait::kNullable),
    field("folder", &RunRecord::folder, Trait::kNullable),
    field("backend", &RunRecord::backend, Trait::kNullable),
    field("gpu", &RunRecord::gpu, Trait::kNullable),
    field("arch", &RunRecord::arch, Trait::kNullable), field("started_at", &RunRecord::started_at),
    field("student", &RunRecord::student, Trait::kNullable), field("status", &RunRecord::status),
    field("program_version", &RunRecord::program_version, Trait::kNullable),
    field("source_name", &RunRecord::source_name, Trait::kNullable, "source"),
    field("source_text", &RunRecord::source_text, Trait::kApart, ""),
    field("included", &RunRecord::included, Trait::kApart, ""),
    field("compile_options", &RunRecord::compile_options, Trait::kNullable),
    field("source_is_labs_own", &RunRecord::source_is_labs_own), field("seed", &RunRecord::seed),
    field("missing_cases", &RunRecord::missing_cases, Trait::kNone, ""),
    field("environment", &RunRecord::environment, Trait::kApart),
    field("cases", &RunRecord::cases, Trait::kApart, ""),
    field("at_gpu_size", &RunRecord::at_gpu_size, Trait::kApart, ""));

template <>
inline constexpr auto kFieldsOf<Ceiling> = described<Ceiling>(field("name", &Ceiling::name),
                                                              field("value", &Ceiling::value),
                                                              field("unit", &Ceiling::unit),
                                                              field("method", &Ceiling::method));

}  // namespace lab
