// The fields of what is asked of a backend and what it answers, beside the records themselves.
#pragma once

#include "harness/core/backend.h"
#include "harness/core/binary.h"
#include "harness/core/compiled.h"
#include "harness/core/record_fields.h"
#include "harness/core/whole_program.h"

namespace lab {

template <>
inline constexpr auto kFieldsOf<Fill> = described<Fill>(field("kind", &Fill::kind),
                                                        field("seed", &Fill::seed),
                                                        field("bytes", &Fill::bytes),
                                                        field("step", &Fill::step));

template <>
inline constexpr auto kFieldsOf<PointerSpec> =
    described<PointerSpec>(field("at", &PointerSpec::at), field("buffer", &PointerSpec::buffer),
                           field("offset", &PointerSpec::offset));

template <>
inline constexpr auto kFieldsOf<ImageSpec> =
    described<ImageSpec>(field("kind", &ImageSpec::kind), field("outside", &ImageSpec::outside),
                         field("width", &ImageSpec::width), field("height", &ImageSpec::height),
                         field("channels", &ImageSpec::channels));

template <>
inline constexpr auto kFieldsOf<BufferSpec> = described<BufferSpec>(
    field("name", &BufferSpec::name), field("type", &BufferSpec::type),
    field("count", &BufferSpec::count), field("direction", &BufferSpec::direction),
    field("fill", &BufferSpec::fill), field("pointers", &BufferSpec::pointers),
    field("image", &BufferSpec::image));

template <>
inline constexpr auto kFieldsOf<BytesSpec> = described<BytesSpec>(field("bytes", &BytesSpec::bytes),
                                                                  field("pointers",
                                                                        &BytesSpec::pointers));

template <>
inline constexpr auto kFieldsOf<SymbolSpec> =
    described<SymbolSpec>(field("name", &SymbolSpec::name), field("value", &SymbolSpec::value));

template <>
inline constexpr auto kFieldsOf<ScalarSpec> =
    described<ScalarSpec>(field("type", &ScalarSpec::type), field("bits", &ScalarSpec::bits));

template <>
inline constexpr auto kFieldsOf<KernelText> = described<KernelText>(
    field("name", &KernelText::name), field("text", &KernelText::text),
    field("included", &KernelText::included), field("options", &KernelText::options));

template <>
inline constexpr auto kFieldsOf<Tolerance> = described<Tolerance>(
    field("absolute", &Tolerance::absolute), field("relative", &Tolerance::relative));

template <>
inline constexpr auto kFieldsOf<Unchecked> = described<Unchecked>(
    field("buffer", &Unchecked::buffer), field("first", &Unchecked::first),
    field("count", &Unchecked::count), field("across_blocks", &Unchecked::across_blocks));

template <>
inline constexpr auto kFieldsOf<ExpectedFinding> = described<ExpectedFinding>(
    field("kind", &ExpectedFinding::kind), field("line_has", &ExpectedFinding::line_has));

template <>
inline constexpr auto kFieldsOf<ReferenceCall> = described<ReferenceCall>(
    field("kernel", &ReferenceCall::kernel), field("launch", &ReferenceCall::launch),
    field("args", &ReferenceCall::args));

template <>
inline constexpr auto kFieldsOf<Expected> = described<Expected>(
    field("reference", &Expected::reference), field("tolerance", &Expected::tolerance),
    field("unchecked", &Expected::unchecked), field("findings", &Expected::findings),
    field("metrics", &Expected::metrics), field("most_shared", &Expected::most_shared));

template <>
inline constexpr auto kFieldsOf<Job> = described<Job>(
    field("kernel", &Job::kernel), field("launch", &Job::launch), field("args", &Job::args),
    field("dump", &Job::dump), field("buffers", &Job::buffers), field("symbols", &Job::symbols),
    field("options", &Job::options), field("runs_on", &Job::runs_on),
    field("library", &Job::library), field("expected", &Job::expected));

template <>
inline constexpr auto kFieldsOf<CaseRequest> = described<CaseRequest>(
    field("index", &CaseRequest::index), field("variant", &CaseRequest::variant),
    field("params", &CaseRequest::params), field("job", &CaseRequest::job));

template <>
inline constexpr auto kFieldsOf<GpuOptions> = described<GpuOptions>(
    field("cache", &GpuOptions::cache), field("repeat", &GpuOptions::repeat),
    field("counters", &GpuOptions::counters), field("timing", &GpuOptions::timing),
    field("lines", &GpuOptions::lines), field("stalls", &GpuOptions::stalls),
    field("timing_cache", &GpuOptions::timing_cache), field("launches", &GpuOptions::launches),
    field("host_timer", &GpuOptions::host_timer), field("carveout", &GpuOptions::carveout));

template <>
inline constexpr auto kFieldsOf<BatchRequest> = described<BatchRequest>(
    field("lab", &BatchRequest::lab), field("source", &BatchRequest::source),
    field("cases", &BatchRequest::cases), field("reference", &BatchRequest::reference),
    field("arch", &BatchRequest::arch), field("metrics", &BatchRequest::metrics),
    field("seed", &BatchRequest::seed), field("threads", &BatchRequest::threads),
    field("checks", &BatchRequest::checks), field("depth", &BatchRequest::depth),
    field("sample_above", &BatchRequest::sample_above),
    field("timeout_s", &BatchRequest::timeout_s), field("warp", &BatchRequest::warp),
    field("access_level", &BatchRequest::access_level), field("trace", &BatchRequest::trace),
    field("exchange_threads", &BatchRequest::exchange_threads),
    field("habits", &BatchRequest::habits),
    field("withhold_shared", &BatchRequest::withhold_shared), field("gpu", &BatchRequest::gpu));

template <>
inline constexpr auto kFieldsOf<TracedArray> = described<TracedArray>(
    field("name", &TracedArray::name), field("space", &TracedArray::space),
    field("bytes", &TracedArray::bytes), field("untraced", &TracedArray::untraced));

template <>
inline constexpr auto kFieldsOf<TracedAccess> = described<TracedAccess>(
    field("access", &TracedAccess::access), field("rule", &TracedAccess::rule),
    field("array", &TracedAccess::array), field("unit_bytes", &TracedAccess::unit_bytes),
    field("warp", &TracedAccess::warp), field("times", &TracedAccess::times));

template <>
inline constexpr auto kFieldsOf<CaseOutcome> = described<CaseOutcome>(
    field("record", &CaseOutcome::record), field("dumped", &CaseOutcome::dumped),
    field("arrays", &CaseOutcome::arrays), field("traced", &CaseOutcome::traced));

template <>
inline constexpr auto kFieldsOf<CompileRequest> = described<CompileRequest>(
    field("source", &CompileRequest::source), field("kernels", &CompileRequest::kernels),
    field("arch", &CompileRequest::arch), field("options", &CompileRequest::options),
    field("partial", &CompileRequest::partial));

template <>
inline constexpr auto kFieldsOf<Compiled> = described<Compiled>(
    field("ptx", &Compiled::ptx), field("cubin", &Compiled::cubin), field("log", &Compiled::log),
    field("lowered", &Compiled::lowered), field("seconds", &Compiled::seconds),
    field("from_cache", &Compiled::from_cache), field("no_lines", &Compiled::no_lines),
    field("way", &Compiled::way), field("alone", &Compiled::alone),
    field("ptx_sha256", &Compiled::ptx_sha256), field("cubin_sha256", &Compiled::cubin_sha256));

template <>
inline constexpr auto kFieldsOf<Place> = described<Place>(field("file", &Place::file),
                                                          field("line", &Place::line),
                                                          field("column", &Place::column),
                                                          field("text", &Place::text));

template <>
inline constexpr auto kFieldsOf<Command> = described<Command>(
    field("words", &Command::words), field("called", &Command::called),
    field("environment", &Command::environment), field("folder", &Command::folder),
    field("read", &Command::read), field("write", &Command::write),
    field("streams", &Command::streams), field("log", &Command::log),
    field("log_errors", &Command::log_errors), field("starts_others", &Command::starts_others),
    field("memory_bytes", &Command::memory_bytes), field("address_bytes", &Command::address_bytes),
    field("file_bytes", &Command::file_bytes), field("disk_bytes", &Command::disk_bytes),
    field("seconds", &Command::seconds));

template <>
inline constexpr auto kFieldsOf<CommandEnd> =
    described<CommandEnd>(field("status", &CommandEnd::status),
                          field("signal", &CommandEnd::signal), field("late", &CommandEnd::late),
                          field("over", &CommandEnd::over), field("most", &CommandEnd::most));

template <>
inline constexpr auto kFieldsOf<ProgramUnit> = described<ProgramUnit>(
    field("source", &ProgramUnit::source), field("kernels", &ProgramUnit::kernels),
    field("compiled", &ProgramUnit::compiled), field("registers_as", &ProgramUnit::registers_as));

template <>
inline constexpr auto kFieldsOf<BinaryQuestion> = described<BinaryQuestion>(
    field("name", &BinaryQuestion::name), field("kind", &BinaryQuestion::kind),
    field("bytes", &BinaryQuestion::bytes), field("arch", &BinaryQuestion::arch),
    field("known", &BinaryQuestion::known));

template <>
inline constexpr auto kFieldsOf<BinaryFacts> = described<BinaryFacts>(
    field("kernels", &BinaryFacts::kernels), field("host_clock", &BinaryFacts::host_clock),
    field("runtimes", &BinaryFacts::runtimes), field("units", &BinaryFacts::units));

template <>
inline constexpr auto kFieldsOf<ProgramRequest> = described<ProgramRequest>(
    field("command", &ProgramRequest::command), field("units", &ProgramRequest::units),
    field("others", &ProgramRequest::others), field("arch", &ProgramRequest::arch),
    field("modelled_gpu", &ProgramRequest::modelled_gpu),
    field("threads", &ProgramRequest::threads), field("checks", &ProgramRequest::checks),
    field("each_launch", &ProgramRequest::each_launch), field("exact", &ProgramRequest::exact),
    field("sample", &ProgramRequest::sample), field("runs_on", &ProgramRequest::runs_on),
    field("gpu", &ProgramRequest::gpu), field("totals", &ProgramRequest::totals),
    field("withheld", &ProgramRequest::withheld));

template <>
inline constexpr auto kFieldsOf<ProgramReport> = described<ProgramReport>(
    field("end", &ProgramReport::end), field("findings", &ProgramReport::findings),
    field("launches", &ProgramReport::launches), field("refused", &ProgramReport::refused),
    field("broken", &ProgramReport::broken), field("totals", &ProgramReport::totals),
    field("measured", &ProgramReport::measured),
    field("library_calls", &ProgramReport::library_calls));

template <>
inline constexpr auto kFieldsOf<MemoryRange> = described<MemoryRange>(
    field("address", &MemoryRange::address), field("bytes", &MemoryRange::bytes));

template <>
inline constexpr auto kFieldsOf<VariableBytes> = described<VariableBytes>(
    field("name", &VariableBytes::name), field("bytes", &VariableBytes::bytes),
    field("address", &VariableBytes::address), field("constant", &VariableBytes::constant));

template <>
inline constexpr auto kFieldsOf<GpuLaunch> = described<GpuLaunch>(
    field("unit", &GpuLaunch::unit), field("name", &GpuLaunch::name),
    field("compiled", &GpuLaunch::compiled), field("launch", &GpuLaunch::launch),
    field("cooperative", &GpuLaunch::cooperative), field("arguments", &GpuLaunch::arguments),
    field("offsets", &GpuLaunch::offsets), field("memory", &GpuLaunch::memory),
    field("variables", &GpuLaunch::variables), field("measured", &GpuLaunch::measured),
    field("kept", &GpuLaunch::kept));

template <>
inline constexpr auto kFieldsOf<GpuLaunched> = described<GpuLaunched>(
    field("record", &GpuLaunched::record), field("error", &GpuLaunched::error),
    field("nanoseconds", &GpuLaunched::nanoseconds), field("variables", &GpuLaunched::variables));

}  // namespace lab
