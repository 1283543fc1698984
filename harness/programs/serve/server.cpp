#include "harness/programs/serve/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/launch_facts.h"
#include "harness/core/metric_keys.h"
#include "harness/core/text.h"
#include "harness/model/case/case.h"
#include "harness/programs/serve/cases.h"
#include "harness/programs/serve/device.h"
#include "harness/programs/serve/explain.h"
#include "harness/programs/serve/images.h"
#include "harness/programs/serve/kernels.h"
#include "harness/programs/serve/memory.h"
#include "harness/programs/serve/message.h"
#include "harness/programs/serve/repeats.h"
#include "harness/programs/serve/streams.h"
#include "harness/programs/wire/errors.h"
#include "metrics/expectation.h"
#include "metrics/machine.h"

namespace lab::program {
namespace {

std::vector<KernelText> texts_of(const ProgramRequest& request) {
  std::vector<KernelText> all = request.others;
  for (const ProgramUnit& unit : request.units) all.push_back(unit.source);
  return all;
}

// What the launch would take on the GPU, told to the program's events; no number where nobody can
// say.
double nanoseconds_of(const CaseRecord& record, const metrics::Machine& machine) {
  return metrics::expect_time(record, machine)
      .ns.value_or(std::numeric_limits<double>::quiet_NaN());
}

// Of a launch that no GPU begins: as CUDA 13 answers on an H200 for all but clusters and blocks
// that wait for each other, which its documentation names.
int error_of(LaunchLimit limit) {
  switch (limit) {
    case LaunchLimit::kRegisters:
      return kLaunchOutOfResources;
    case LaunchLimit::kClusterSize:
    case LaunchLimit::kClusterGrid:
      return kInvalidClusterSize;
    case LaunchLimit::kBlocksAtOnce:
      return kCooperativeTooLarge;
    default:
      return kInvalidValue;
  }
}

// cudaErrorInvalidValue (1): invalid argument
std::string error_words(int error) {
  const ErrorRow* const row = find_error(error);
  return row == nullptr ? fmt::format("unknown error {}", error)
                        : fmt::format("{} ({}): {}", row->name, error, row->text);
}

std::string words_of(RefusedCall call) {
  switch (call) {
    case RefusedCall::kRandomGenerator:
      return "curandCreateGenerator of a generator other than XORWOW and Philox";
    case RefusedCall::kProgrammaticEvent:
      return "cudaLaunchAttributeProgrammaticEvent";
    case RefusedCall::kPreferredCluster:
      return "cudaLaunchAttributePreferredClusterDimension";
    case RefusedCall::kCompletionEvent:
      return "cudaLaunchAttributeLaunchCompletionEvent";
    case RefusedCall::kUpdatableNode:
      return "cudaLaunchAttributeDeviceUpdatableKernelNode";
    case RefusedCall::kNewerAttribute:
      return "a launch attribute of a newer CUDA";
  }
  throw ProtocolFault("a refusal of its own");
}

// What the runtime returns for what the model found.
int error_of(const CaseRecord& record) {
  switch (record.status) {
    case CaseStatus::kTimeout:
      return kLaunchTimeout;
    case CaseStatus::kRefused:
      return kNotSupported;
    case CaseStatus::kError:
      return kInvalidConfiguration;
    default:
      break;
  }
  for (const Finding& finding : record.findings) {
    if (finding.kind == FindingKind::kAssert) return kAssert;
    if (finding.kind == FindingKind::kTrap) return kLaunchFailure;
    if (finding.kind == FindingKind::kMisaligned) return kMisalignedAddress;
    if (ends_the_launch(finding)) return kIllegalAddress;
  }
  return kSuccess;
}

// How far a launch is, told now and then, and at its end where anything was told.
class Told {
 public:
  Told(const Service& service, std::uint64_t launch) : service_(service), launch_(launch) {}
  ~Told() {
    if (any_) service_.progress(launch_, 1);
  }
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;
  void operator()(double fraction) {
    const auto now = Clock::now();
    if (!service_.progress || now - last_ < std::chrono::milliseconds(200)) return;
    service_.progress(launch_, std::min(fraction, 0.999));
    last_ = now;
    any_ = true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  const Service& service_;
  std::uint64_t launch_;
  Clock::time_point last_ = Clock::now();
  bool any_ = false;
};

class Server {
 public:
  Server(const ProgramRequest& request, const Service& service, ProgramReport& report)
      : request_(request),
        service_(service),
        report_(report),
        kernels_(request.units),
        memory_(service.arena),
        lines_(texts_of(request), service.locate),
        streams_([this](std::uint64_t address) { return described(address); }),
        cases_(request.each_launch, request.totals),
        machine_(request.modelled_gpu.empty() ? metrics::data_sheet(request.arch)
                                              : metrics::data_sheet_named(request.modelled_gpu)) {}

  void handle(const Message& message) {
    switch (message.head.call) {
      case Call::kHello:
        base_ = message.as<Hello>().base;
        if (message.as<Hello>().version != kWireVersion) {
          throw ProtocolFault("a version of the runtime library that is not this one's");
        }
        return;
      case Call::kKernel: {
        const auto kernel = message.as<Kernel>();
        return kernels_.name_kernel(kernel.handle, unit_at(kernel.unit), message.text<Kernel>());
      }
      case Call::kVariable: {
        const auto variable = message.as<Variable>();
        return kernels_.name_variable(variable.handle, unit_at(variable.unit),
                                      message.text<Variable>());
      }
      case Call::kAllocate:
        return allocate(message);
      case Call::kFree:
        return free(message);
      case Call::kWritten:
        return host_writes(message);
      case Call::kRead:
        return host_reads(message);
      case Call::kLaunch:
        return launch(message);
      case Call::kKernelFacts:
        return tell_kernel(message.as<AskKernel>());
      case Call::kResident:
        return tell_resident(message.as<AskResident>());
      case Call::kAskShared:
        return ask_shared(message.as<AskShared>());
      case Call::kVariableFacts:
        return tell_variable(message.as<AskVariable>());
      case Call::kPeek:
        return peek(message);
      case Call::kPoke:
        return poke(message);
      case Call::kError:
        if (!failed_) {
          failed_ = Failed{message.as<ErrorCall>().error, line_of(message),
                           std::exchange(refused_launch_, {}), report_.findings.size()};
        }
        return;
      case Call::kUnwaited:
        return unwaited(message);
      case Call::kHostTouches:
        return host_touches(message);
      case Call::kImage:
        return make_image(message.as<MakeImage>());
      case Call::kDropImage:
        repeats_.changed();
        return images_.drop(message.as<DropImage>().handle);
      case Call::kDevice: {
        const DeviceFacts facts = device_facts(machine_).value_or(DeviceFacts{});
        return answer(kSuccess, &facts, sizeof facts);
      }
      case Call::kLibraryCall:
        return count_library_call(message.text<LibraryCalled>());
      case Call::kLibraryUse:
        return library_uses(message);
      case Call::kErrorAsked:
        failed_.reset();
        return;
      case Call::kStream:
        return streams_.stream(message.as<StreamCall>(), message.head.site, line_of(message));
      case Call::kWork:
        return streams_.work(message.as<WorkCall>(), line_of(message));
      case Call::kRecord:
        return streams_.record(message.as<RecordCall>());
      case Call::kStreamWaits:
        return streams_.waits(message.as<StreamWaits>());
      case Call::kHostWaits:
        return host_waits(message);
      case Call::kSourceChanged:
        return source_changed(message);
      case Call::kHostUse: {
        const auto used = message.as<HostUse>();
        return use(WorkKind::kCopy, used, used.writes != 0, line_of(message));
      }
      case Call::kRefused:
        report_.refused = words_of(message.as<Refused>().what);
        return;
      default:
        throw ProtocolFault("a call that there is none of");
    }
  }

  void end(const std::function<void(CaseOutcome)>& finished) {
    print_held();
    for (const auto& [base, owned] : memory_.live()) {
      if (owned.kind != MemoryKind::kDevice) continue;
      find(FindingKind::kLeak,
           fmt::format("{} bytes of '{}' were never freed", owned.bytes, owned.name), owned.line);
    }
    // What was found there, or in a kernel, says more than that a call failed.
    const bool told =
        failed_ && failed_->launch.empty() &&
        (failed_->error >= kIllegalAddress ||
         std::any_of(report_.findings.begin(), report_.findings.end(), [&](const Finding& one) {
           return one.line == failed_->line.number && one.file == failed_->line.file;
         }));
    if (failed_ && !told) tell_failed();
    report_.launches = cases_.launches();
    if (request_.totals) report_.totals = cases_.totals();
    report_.measured = cases_.measured();
    cases_.hand_over(finished);
  }

 private:
  // Before what may have come of it.
  void tell_failed() {
    const std::string& launch = failed_->launch;
    find(launch.empty() ? FindingKind::kUncheckedError : FindingKind::kInvalidLaunch,
         launch.empty() ? fmt::format("a call failed with {} and the program never looked",
                                      error_words(failed_->error))
                        : launch + "; the program never looked for an error",
         failed_->line);
    const auto before = static_cast<std::ptrdiff_t>(failed_->findings);
    std::rotate(report_.findings.begin() + before, report_.findings.end() - 1,
                report_.findings.end());
  }

  // Names are those of functions of CUDA's libraries, of which there are some hundreds.
  void count_library_call(const std::string& name) {
    constexpr std::size_t kMostNames = 1000;
    constexpr std::size_t kLongest = 80;
    const bool plain = !name.empty() && name.size() <= kLongest &&
                       std::all_of(name.begin(), name.end(), [](unsigned char c) {
                         return std::isalnum(c) != 0 || c == '_';
                       });
    if (!plain || report_.library_calls.size() >= kMostNames) {
      throw ProtocolFault("a library call that there is none of");
    }
    ++report_.library_calls[name];
  }

  const Line& line_of(const Message& message) { return line_at(message.head.site); }
  const Line& line_at(Site site) { return lines_.of(site > base_ ? site - base_ : 0); }

  // "byte 8 of 'x'".
  [[nodiscard]] std::string described(std::uint64_t address) const {
    if (const Owned* owned = memory_.find(address)) {
      return fmt::format("byte {} of '{}'", address - owned->base, owned->name);
    }
    const model::Allocation* variable = kernels_.memory().find(address);
    return variable == nullptr
               ? fmt::format("the host's memory at {:#x}", address)
               : fmt::format("byte {} of '{}'", address - variable->base, variable->name);
  }

  // The work under way uses memory: what another may do to it meanwhile is a mistake.
  void use(WorkKind kind, const std::string& name, const Line& line, Uses uses) {
    if (astray_) return;
    for (Streams::Mistake& one : streams_.use(kind, name, line, std::move(uses))) {
      find(FindingKind::kMissingSync, std::move(one.text), one.line);
    }
  }
  void use(WorkKind kind, const Range& range, bool writes, const Line& line) {
    const Spans spans = {{range.address, range.address + range.bytes}};
    use(kind, "", line, writes ? Uses{{}, spans, {}} : Uses{spans, {}, {}});
  }

  void host_waits(const Message& message) {
    const auto wait = message.as<HostWaits>();
    streams_.host_waits(wait);
    print_held();
    if (wait.asks == 0) return;
    const auto asked = message.tail<HostWaits>();
    std::vector<std::uint8_t> done(asked.size() / sizeof(std::uint64_t));
    for (std::size_t i = 0; i < done.size(); ++i) {
      std::uint64_t number = 0;
      std::memcpy(&number, asked.data() + i * sizeof number, sizeof number);
      done[i] = streams_.is_done(number) ? 1 : 0;
    }
    answer(kSuccess, done.data(), done.size());
  }

  // As much as CUDA keeps (cudaLimitPrintfFifoSize), until the host waits.
  void hold(const std::string& text) {
    constexpr std::size_t kMostHeld = std::size_t{1} << 20U;
    held_ += text;
    if (held_.size() > kMostHeld) print_held();
  }
  void print_held() {
    if (!held_.empty()) service_.print(std::exchange(held_, {}));
  }

  void source_changed(const Message& message) {
    const auto what = message.as<SourceChanged>();
    const Owned* const owned = memory_.find(what.address);
    const std::string place = line_at(what.seen).place();
    find(FindingKind::kMissingSync,
         fmt::format("the host changes {}, which this copy reads, and has not waited for the "
                     "copy{}: cudaStreamSynchronize or cudaEventSynchronize before the change",
                     owned == nullptr ? "the memory" : "'" + owned->name + "'",
                     place.empty() ? "" : fmt::format(" (changed by {})", place)),
         line_of(message));
  }

  void find(FindingKind kind, std::string text, const Line& line) {
    Finding finding;
    finding.kind = kind;
    finding.message = std::move(text);
    finding.file = line.file;
    finding.line = line.number;
    finding.source = line.text;
    for (Finding& known : report_.findings) {
      if (known.kind == kind && known.line == line.number && known.file == line.file &&
          known.message == finding.message) {
        ++known.count;
        return;
      }
    }
    report_.findings.push_back(std::move(finding));
  }

  void answer(int error, const void* tail = nullptr, std::size_t bytes = 0, double ns = 0) {
    send_answer(service_.socket, {error, static_cast<std::uint32_t>(bytes), ns}, tail);
  }

  void allocate(const Message& message) {
    const auto asked = message.as<Allocate>();
    const std::uint64_t offset = asked.address - kArenaBase;
    if (offset > kArenaBytes || asked.bytes > kArenaBytes - offset) {
      throw ProtocolFault("an allocation beyond the device's memory");
    }
    if (memory_.overlaps(asked.address, asked.bytes)) {
      throw ProtocolFault("an allocation where another one lies");
    }
    constexpr std::uint64_t kOfAnyGpu = std::uint64_t{1} << 38U;
    if (asked.bytes > kOfAnyGpu - std::min(kOfAnyGpu, memory_.bytes())) {
      throw ProtocolFault("more memory than any GPU has");
    }
    const Line& line = line_of(message);
    Owned owned;
    owned.base = asked.address;
    owned.bytes = asked.bytes;
    owned.kind = asked.kind;
    owned.line = line;
    owned.name = allocated_name(line.text, calls_before(line, message.head.site));
    ++allocations_;
    if (owned.name.empty() && !line.file.empty()) {
      owned.name = fmt::format("the memory of {}", line.place());
    }
    if (owned.name.empty()) owned.name = fmt::format("allocation {}", allocations_);
    memory_.allocate(std::move(owned));
    repeats_.changed();
    if (asked.in_stream != 0) {
      use(WorkKind::kAllocation, {asked.address, asked.bytes}, true, line);
    }
  }

  /// As ProgramUnit has it: an address is that in the program's file.
  [[nodiscard]] std::uint64_t unit_at(std::uint64_t unit) const {
    return unit > request_.units.size() ? unit - base_ : unit;
  }

  /// Other calls of the line that were made before this one was made for the first time.
  std::size_t calls_before(const Line& line, Site site) {
    std::vector<Site>& sites = allocating_[{line.file, line.number}];
    const auto known = std::find(sites.begin(), sites.end(), site);
    const auto before = static_cast<std::size_t>(known - sites.begin());
    if (known == sites.end()) sites.push_back(site);
    return before;
  }

  void free(const Message& message) {
    const auto call = message.as<Free>();
    const std::uint64_t base = call.address;
    const Line& line = line_of(message);
    repeats_.changed();
    frees(call, line);
    if (memory_.release(base, line.place()) != nullptr) return;
    const Owned* before = memory_.freed(base);
    const std::string text =
        before != nullptr ? fmt::format("'{}' is freed twice{}", before->name, freed_text(*before))
        : memory_.find(base) != nullptr
            ? fmt::format("cudaFree of an address inside '{}', not at its beginning",
                          memory_.find(base)->name)
            : fmt::format("cudaFree of {:#x}, which is no device memory", base);
    find(FindingKind::kUseAfterFree, text, line);
  }

  // Others may still use it.
  void frees(const Free& call, const Line& line) {
    const auto at = memory_.live().find(call.address);
    if (at == memory_.live().end() || call.by == FreedBy::kHost) return;
    const Range whole{call.address, at->second.bytes};
    if (call.by == FreedBy::kStream) return use(WorkKind::kRelease, whole, true, line);
    auto mistake = streams_.free_at_once({whole.address, whole.address + whole.bytes}, line);
    if (mistake) find(FindingKind::kMissingSync, std::move(mistake->text), line);
  }

  static std::string freed_text(const Owned& owned) {
    return owned.freed.empty() ? "" : fmt::format(" (first at {})", owned.freed);
  }

  // Where a copy or a fill does not fit.
  bool fits(const Range& range, const std::string& what, const Line& line) {
    const Owned* owned = memory_.find(range.address);
    if (owned == nullptr) {
      const Owned* before = memory_.freed(range.address);
      if (before != nullptr) {
        find(FindingKind::kUseAfterFree,
             fmt::format("{} '{}', which was freed at {}", what, before->name, before->freed),
             line);
      } else if (range.address == 0) {
        find(FindingKind::kOutOfBounds, what + " at a null pointer", line);
      } else if (range.address - kArenaBase >= kArenaBytes) {
        find(
            FindingKind::kHostPointer,
            fmt::format("{} at {:#x}, an address of the host's memory, where device memory belongs",
                        what, range.address),
            line);
      }
      return false;
    }
    const std::uint64_t left = owned->base + owned->bytes - range.address;
    if (range.bytes <= left) return true;
    find(FindingKind::kOutOfBounds,
         fmt::format("{} {} bytes at byte {} of '{}', which has {}{}", what, range.bytes,
                     range.address - owned->base, owned->name, owned->bytes,
                     owned->line.file.empty() ? "" : " (" + owned->line.place() + ")"),
         line);
    return false;
  }

  void host_writes(const Message& message) {
    const auto range = message.as<Written>();
    if (range.same == 0) repeats_.changed();
    const Line& line = line_of(message);
    if (!fits(range, "the host writes", line)) return;
    memory_.written(range.address, range.bytes);
    if (range.aside != 0) return;
    // What a copy brings back to where it came from, a reader may take either way.
    const bool quiet = range.same != 0 && memory_.find(range.address)->kind == MemoryKind::kPinned;
    use(range.fill != 0 ? WorkKind::kFill : WorkKind::kCopy, range, !quiet, line);
  }

  void library_uses(const Message& message) {
    const auto range = message.as<LibraryUse>();
    const std::string name = "the call of " + message.text<LibraryUse>();
    const Line& line = line_of(message);
    const bool writes = range.writes != 0;
    if (range.bytes == 0 || !fits(range, name + (writes ? " writes" : " reads"), line)) return;
    if (writes) {
      repeats_.changed();
      memory_.written(range.address, range.bytes);
    } else if (!astray_ && !memory_.any_written(range.address, range.bytes)) {
      find(FindingKind::kUninitialised,
           fmt::format("{} reads {} bytes of '{}', which nobody has written", name, range.bytes,
                       memory_.find(range.address)->name),
           line);
    }
    const Spans spans = {{range.address, range.address + range.bytes}};
    use(WorkKind::kLibrary, name, line, writes ? Uses{{}, spans, {}} : Uses{spans, {}, {}});
  }

  void unwaited(const Message& message) {
    const auto what = message.as<Unwaited>();
    const std::uint64_t address = what.address;
    if (address == 0) return ends_unwaited(what.launches);
    const Owned* const owned = memory_.find(address);
    if (owned == nullptr) return;
    find(FindingKind::kMissingSync,
         fmt::format(
             "the host uses byte {} of '{}', which {} has changed, and has not waited for it",
             address - owned->base, owned->name, changer_of(what.work)),
         line_of(message));
  }

  void host_touches(const Message& message) {
    const auto what = message.as<HostTouches>();
    const std::string does = what.writes != 0 ? "writes" : "reads";
    const Owned* owned = memory_.find(what.address);
    if (owned == nullptr) owned = memory_.freed(what.address);
    const std::string place =
        owned == nullptr ? fmt::format("{:#x}", what.address)
                         : fmt::format("byte {} of '{}'", what.address - owned->base, owned->name);
    find(FindingKind::kDevicePointer,
         fmt::format("the host {} {}, memory that the GPU alone reaches", does, place),
         line_of(message));
  }

  [[nodiscard]] std::string changer_of(std::uint64_t work) const {
    std::string name = streams_.named(work);
    if (!name.empty()) return name;
    return last_kernel_.empty() ? "a copy" : last_kernel_;
  }

  void ends_unwaited(std::uint64_t launches) {
    if (!printed_ || printed_->launch + launches <= launches_) return;
    find(FindingKind::kMissingSync,
         fmt::format("the program ends and has not waited for {}: on a GPU, what it prints is lost",
                     printed_->kernel),
         printed_->line);
  }

  void host_reads(const Message& message) {
    const auto read = message.as<Read>();
    const Line& line = line_of(message);
    const bool rows = read.rows > 1 && read.pitch >= read.bytes && read.pitch < kArenaBytes &&
                      read.rows < kArenaBytes / read.pitch;
    const CopiedRows copied{0, read.bytes, rows ? read.rows : 1, rows ? read.pitch : 0};
    const std::uint64_t span = (copied.rows - 1) * copied.pitch + copied.bytes;
    if (!fits({read.address, span}, "the host reads", line)) return;
    host_reads_unwritten(read.address, copied, line);
    constexpr std::uint64_t kMostRows = std::uint64_t{1} << 20U;
    if (copied.rows > kMostRows) return;
    Uses uses;
    for (std::uint64_t row = 0; row < copied.rows; ++row) {
      const std::uint64_t at = read.address + row * copied.pitch;
      uses.reads.push_back({at, at + read.bytes});
    }
    use(WorkKind::kCopy, "", line, std::move(uses));
  }

  void host_reads_unwritten(std::uint64_t address, CopiedRows copied, const Line& line) {
    const Owned& owned = *memory_.find(address);
    if (astray_ || owned.shadow == nullptr) return;
    copied.first = address - owned.base;
    const std::uint64_t all = copied.bytes * copied.rows;
    const model::check::Holes holes = holes_in(*owned.shadow, owned.base, copied);
    if (holes.bytes == 0) return;
    if (holes.bytes == all) {
      return find(FindingKind::kUninitialised,
                  fmt::format("the host copies {} bytes of '{}', which nobody has written", all,
                              owned.name),
                  line);
    }
    if (owned.writer == nullptr) return;
    const auto why = explain_holes(holes, owned.base, copied, *owned.writer, owned.name);
    if (why) find(FindingKind::kUninitialised, *why, line);
  }

  void tell_kernel(const AskKernel& ask) {
    const KnownKernel* kernel = kernels_.kernel(ask.kernel);
    if (kernel == nullptr) return answer(kInvalidDeviceFunction);
    KernelFacts facts = facts_of(*kernel);
    facts.asked_shared = asked_shared(ask.kernel, needs_of(*kernel));
    answer(kSuccess, &facts, sizeof facts);
  }

  // Of the GPU whose times are expected.
  [[nodiscard]] const GpuLimits& limits() const {
    return limits_of(machine_.arch.empty() ? request_.arch : machine_.arch);
  }

  [[nodiscard]] std::uint64_t asked_shared(std::uint64_t kernel, const KernelNeeds& needs) const {
    const auto at = asked_shared_.find(kernel);
    return at != asked_shared_.end()              ? at->second
           : needs.static_shared < kSharedUnasked ? kSharedUnasked - needs.static_shared
                                                  : 0;
  }

  void tell_resident(const AskResident& ask) {
    const KnownKernel* kernel = kernels_.kernel(ask.kernel);
    if (kernel == nullptr) return answer(kInvalidDeviceFunction);
    const KernelNeeds needs = needs_of(*kernel);
    const bool fits = ask.threads <= kMostThreadsOfBlock &&
                      (needs.max_threads == 0 || ask.threads <= needs.max_threads) &&
                      needs.static_shared + ask.shared_bytes <= limits().shared_per_block;
    ResidentBlocks resident;
    if (fits) {
      resident.blocks =
          residency({ask.threads, needs.registers, needs.static_shared + ask.shared_bytes},
                    limits())
              .blocks;
    }
    answer(kSuccess, &resident, sizeof resident);
  }

  void ask_shared(const AskShared& ask) {
    const KnownKernel* kernel = kernels_.kernel(ask.kernel);
    if (kernel == nullptr) return answer(kInvalidDeviceFunction);
    const std::uint64_t most = limits().shared_per_block;
    const std::uint64_t own = needs_of(*kernel).static_shared;
    const auto bytes = static_cast<std::uint64_t>(ask.bytes);
    if (ask.bytes < 0 || bytes > most || own > most - bytes) return answer(kInvalidValue);
    asked_shared_[ask.kernel] = bytes;
    answer(kSuccess);
  }

  static bool asks_cluster(const LaunchCall& call) { return call.cluster[0] != 0; }

  // A kernel that was compiled for clusters of one size is launched in no others.
  static void require_cluster_of(const std::array<std::uint32_t, 3>& compiled,
                                 const LaunchCall& call) {
    if (compiled[0] == 0 || std::equal(compiled.begin(), compiled.end(), call.cluster)) return;
    throw LaunchRefused(
        LaunchLimit::kClusterSize,
        fmt::format(
            "the launch asks for clusters of {} x {} x {} blocks, the kernel for {} x {} x {}",
            call.cluster[0], call.cluster[1], call.cluster[2], compiled[0], compiled[1],
            compiled[2]),
        "leave out one of the two, or make them the same");
  }

  // Whether the GPU begins it: says why not.
  bool begins(const KnownKernel& kernel, const LaunchCall& call, const Launch& launch) {
    try {
      KernelNeeds needs = needs_of(kernel);
      if (asks_cluster(call)) require_cluster_of(needs.cluster, call);
      if (asks_cluster(call)) needs.cluster = {call.cluster[0], call.cluster[1], call.cluster[2]};
      require_shape(needs, launch);
      require_room(needs, launch, limits());
      const auto asked = asked_shared_.find(call.kernel);
      require_asked(needs, launch, asked == asked_shared_.end() ? 0 : asked->second);
      if (call.cooperative != 0) {
        const auto sms = static_cast<std::uint64_t>(machine_.size.sms);
        const std::uint64_t blocks = residency(block_needs(needs, launch), limits()).blocks;
        if (sms > 0) require_at_once(launch, sms, blocks);
      }
    } catch (const LaunchRefused& refused) {
      refuse(kernel, launch, refused, error_of(refused.limit()));
      return false;
    }
    return true;
  }

  void refuse(const KnownKernel& kernel, const Launch& launch, const Error& why, int error) {
    refused_launch_ = fmt::format("{} is not launched with {}: {}: {}", kernel.name,
                                  shape_text(launch), error_words(error), one_line(why));
    answer(error);
  }

  void tell_variable(const AskVariable& ask) {
    const auto facts = kernels_.variable(ask.variable);
    if (!facts) return answer(kInvalidSymbol);
    answer(kSuccess, &*facts, sizeof *facts);
  }

  void make_image(const MakeImage& asked) {
    const std::uint64_t handle = images_.make(asked, memory_);
    if (handle == 0) return answer(kInvalidValue);
    repeats_.changed();
    answer(kSuccess, &handle, sizeof handle);
  }

  std::byte* variable_at(const Range& range) {
    const model::Allocation* at = kernels_.memory().find(range.address);
    return at != nullptr && at->contains(range.address, range.bytes)
               ? at->host + (range.address - at->base)
               : nullptr;
  }

  void peek(const Message& message) {
    const auto range = message.as<Peek>();
    const std::byte* from = range.bytes <= kMostTail ? variable_at(range) : nullptr;
    if (from == nullptr) return answer(kInvalidValue);
    if (range.aside == 0) use(WorkKind::kCopy, range, false, line_of(message));
    answer(kSuccess, from, range.bytes);
  }

  void poke(const Message& message) {
    const auto range = message.as<Poke>();
    const auto tail = message.tail<Poke>();
    std::byte* const into = tail.size() == range.bytes ? variable_at(range) : nullptr;
    if (into == nullptr) return answer(kInvalidValue);
    if (std::memcmp(into, tail.data(), tail.size()) != 0) repeats_.changed();
    std::memcpy(into, tail.data(), tail.size());
    if (range.aside == 0) use(WorkKind::kCopy, range, true, line_of(message));
    answer(kSuccess);
  }

  void launch(const Message& message) {
    const auto call = message.as<LaunchCall>();
    const KnownKernel* kernel = kernels_.kernel(call.kernel);
    if (kernel == nullptr) return answer(kInvalidDeviceFunction);
    ++launches_;
    refused_launch_.clear();
    CaseOutcome outcome;
    CaseRecord& record = outcome.record;
    record.kernel = kernel->name;
    record.arch = request_.arch;
    record.launch = {{call.grid[0], call.grid[1], call.grid[2]},
                     {call.block[0], call.block[1], call.block[2]},
                     static_cast<std::uint32_t>(std::min<std::uint64_t>(call.shared_bytes, ~0U))};
    if (!begins(*kernel, call, record.launch)) return;
    if (request_.withheld) return answer(kSuccess);
    // All that a launch depends on beside memory: the record of the call, and the arguments.
    const std::string name = message.body();
    if (may_be_left_out()) {
      if (const auto ns = repeats_.still(name, memory_)) {
        cases_.add_again(name);
        const auto known = footprints_.find(name);
        if (known != footprints_.end()) {
          use(WorkKind::kLaunch, kernel->name, line_of(message), known->second);
        }
        return answer(kSuccess, nullptr, 0, *ns);
      }
    }
    const auto tail = message.tail<LaunchCall>();
    if (request_.runs_on == LaunchesRunOn::kGpu) {
      return launch_on_gpu(*kernel, call, tail, record, name);
    }
    std::optional<GpuLaunched> measured;
    if (service_.gpu && (request_.each_launch || !cases_.knows(record))) {
      const char* const model_alone = of_model_alone(call);
      measured = model_alone != nullptr ? not_for_gpu(record, model_alone)
                                        : service_.gpu(gpu_launch(*kernel, call, tail, record));
    }
    auto looked = Looked::kFull;
    try {
      const Ran ran =
          run(*kernel, name, call, {tail.begin(), tail.end()}, line_of(message), outcome);
      looked = ran.looked;
      if (ran.printed) printed_ = Printed{launches_, kernel->name, line_of(message)};
    } catch (const NotModelled& refusal) {
      record.status = CaseStatus::kRefused;
      record.reason = one_line(refusal) + "; what is found after it is left out";
      astray_ = true;
    } catch (const Error& error) {
      // No GPU begins such a launch. Programs that look at errors see this one.
      const auto* const refused = dynamic_cast<const LaunchRefused*>(&error);
      return refuse(*kernel, record.launch, error,
                    refused == nullptr ? kInvalidConfiguration : error_of(refused->limit()));
    }
    for (Finding& finding : record.findings) explain(memory_, finding);
    if (astray_) record.findings.clear();
    const int error = error_of(record);
    const double ns = measured && measured->error == kSuccess ? measured->nanoseconds
                                                              : nanoseconds_of(record, machine_);
    cases_.add(std::move(outcome), looked, name);
    if (measured) cases_.add_measured(std::move(measured->record));
    answer(error, nullptr, 0, ns);
  }

  GpuLaunch gpu_launch(const KnownKernel& kernel, const LaunchCall& call,
                       std::span<const std::byte> arguments, const CaseRecord& record) const {
    GpuLaunch launch;
    launch.unit = static_cast<std::uint64_t>(kernel.unit - request_.units.data());
    launch.name = kernel.name;
    launch.compiled = kernel.compiled;
    launch.launch = record.launch;
    launch.cooperative = call.cooperative != 0;
    launch.arguments.assign(arguments.begin(), arguments.end());
    const KernelFacts facts = facts_of(kernel);
    for (std::uint32_t i = 0; i < facts.parameter_count; ++i) {
      launch.offsets.push_back(facts.parameters[i].offset);
    }
    for (const auto& [base, owned] : memory_.live()) launch.memory.push_back({base, owned.bytes});
    launch.variables = variables_of(kernel, kernels_.memory());
    launch.measured = request_.each_launch || !cases_.knows(record);
    launch.kept = request_.runs_on == LaunchesRunOn::kGpu;
    return launch;
  }

  // Null: a GPU takes it as well.
  [[nodiscard]] const char* of_model_alone(const LaunchCall& call) const {
    if (images_.any()) {
      // Only the model knows the handles by which kernels read textures.
      return "the program's textures and surfaces are the model's (--backend model)";
    }
    return asks_cluster(call) ? "clusters that a launch asks for are the model's (--backend model)"
                              : nullptr;
  }
  static GpuLaunched not_for_gpu(const CaseRecord& record, const char* why) {
    GpuLaunched launched;
    launched.record = record;
    launched.record.status = CaseStatus::kSkipped;
    launched.record.reason = why;
    launched.error = kNotSupported;
    return launched;
  }

  // The program goes on with what the GPU leaves: nobody knows what was written and what was not.
  void launch_on_gpu(const KnownKernel& kernel, const LaunchCall& call,
                     std::span<const std::byte> arguments, const CaseRecord& record,
                     const std::string& name) {
    last_kernel_ = kernel.name;
    const char* const model_alone = of_model_alone(call);
    GpuLaunched launched = model_alone != nullptr
                               ? not_for_gpu(record, model_alone)
                               : service_.gpu(gpu_launch(kernel, call, arguments, record));
    if (launched.error == kInvalidConfiguration) {
      refused_launch_ = fmt::format("{} is not launched: {}", kernel.name, launched.record.reason);
      return answer(kInvalidValue);
    }
    set_variables(launched.variables, kernels_.memory());
    memory_.settle(false, {});
    repeats_.changed();
    CaseOutcome outcome;
    outcome.record = std::move(launched.record);
    cases_.add(std::move(outcome), Looked::kFull, name);
    answer(launched.error, nullptr, 0, launched.nanoseconds);
  }

  [[nodiscard]] bool may_be_left_out() const {
    return !request_.exact && !request_.each_launch && request_.checks != Checks::kFull;
  }

  // Checkers cost several times what a launch does: launches of known shapes have them for so many
  // warp instructions in all, which take some seconds.
  [[nodiscard]] Checks checks_of(const CaseRecord& record) const {
    constexpr double kMostRechecked = 100e6;
    const bool enough = rechecked_ > kMostRechecked && cases_.knows(record);
    return enough && may_be_left_out() ? Checks::kOff : request_.checks;
  }

  // Pinned memory stays where it is; managed memory moves to where it is used.
  [[nodiscard]] bool is_given(MemoryKind kind, const std::vector<std::byte>& parameters) const {
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= parameters.size(); at += 8) {
      std::uint64_t address = 0;
      std::memcpy(&address, parameters.data() + at, sizeof address);
      const Owned* const owned = memory_.find(address);
      if (owned != nullptr && owned->kind == kind) return true;
    }
    return false;
  }

  void note_footprint(const std::string& name, const model::check::Footprint& footprint) {
    constexpr std::size_t kMostKept = 1024;
    if (footprints_.size() > kMostKept) footprints_.clear();
    footprints_[name] = {footprint.reads(), footprint.writes(), footprint.atomics()};
  }

  struct Ran {
    bool printed = false;
    Looked looked = Looked::kFull;
  };
  Ran run(const KnownKernel& kernel, const std::string& name, const LaunchCall& call,
          std::vector<std::byte> parameters, const Line& line, CaseOutcome& outcome) {
    BatchRequest batch;
    batch.source = kernel.unit->source;
    batch.arch = request_.arch;
    batch.threads = request_.threads;
    batch.checks = checks_of(outcome.record);
    batch.habits = request_.totals;  // which working threads are counted with
    if (request_.command.seconds > 0) batch.timeout_s = request_.command.seconds;
    batch.sample_above = request_.sample ? kSampleAbove : 0;
    note_compiled({}, kernel.loaded->compiled, outcome.record);
    model::GlobalMemory memory = kernels_.memory();
    model::check::GlobalShadows shadows;
    memory_.place_in(memory, shadows);
    images_.place_in(memory, memory_);
    std::array<std::byte, 64> workspace{};
    const std::uint64_t address = memory.add(parameters, "kernel parameters", -1, false);
    const bool facts_first = cases_.may_be_new(outcome.record, name);
    const bool together = streams_.several() && request_.checks != Checks::kOff;
    // One that repeats another and is not checked any more touches what that did.
    const bool watched_launch =
        together && (batch.checks != Checks::kOff || !footprints_.contains(name));
    model::check::Footprint footprint;
    const model::LaunchPlace place{memory,
                                   parameters,
                                   address,
                                   *kernel.variables,
                                   [&] {
                                     const auto bytes =
                                         static_cast<std::uint32_t>(workspace.size());
                                     std::memcpy(workspace.data(), &bytes, sizeof bytes);
                                     return memory.add(workspace, "the grid's barrier");
                                   },
                                   std::move(shadows),
                                   facts_first,
                                   watched_launch ? &footprint : nullptr,
                                   cases_.may_be_new(outcome.record, name),
                                   {call.cluster[0], call.cluster[1], call.cluster[2]}};
    model::CaseHooks hooks;
    bool printed = false;
    hooks.print = [&](const std::string& text) {
      printed = true;
      hold(text);
    };
    hooks.cancelled = service_.late;
    Told told(service_, cases_.count() + 1);
    hooks.progress = [&](double fraction) { told(fraction); };
    const bool repeated = cases_.knows(outcome.record);
    last_kernel_ = kernel.name;
    if (may_be_left_out()) repeats_.before(name, memory);
    const auto begun = std::chrono::steady_clock::now();
    const auto [seen, stopped_in] =
        run_in_place(batch, place, {*kernel.loaded, kernel.compiled}, hooks, outcome);
    const bool left_out = seen == Looked::kOff && request_.checks != Checks::kOff;
    const Looked looked = left_out ? Looked::kBudget : seen;
    outcome.record.notes.checkers = looked;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    if (watched_launch) note_footprint(name, footprint);
    if (together) use(WorkKind::kLaunch, kernel.name, line, footprints_[name]);
    CaseRecord& record = outcome.record;
    if (record.status == CaseStatus::kInterrupted) {
      record.status = CaseStatus::kTimeout;
      record.reason = "the program had its time before this launch came to its end" +
                      (stopped_in.empty() ? "" : ": it was " + stopped_in);
    }
    if (!facts_first) record.kernel_facts = cases_.facts_of(record, name);
    if (record.kernel_facts) {
      record.kernel_facts->managed = is_given(MemoryKind::kManaged, parameters);
    }
    if (is_given(MemoryKind::kPinned, parameters)) {
      record.kernel_facts = lab::KernelFacts();
      record.kernel_facts->absent = "it uses the host's memory, over a bus that no rule knows";
    }
    const bool watched = lab::watched(looked);
    if (repeated && watched) rechecked_ += instructions_of(record);
    // One that did not come to its end would have written more.
    memory_.settle(watched && record.status != CaseStatus::kTimeout,
                   [&] { return writer_of(kernel, record.launch, parameters, line.place()); });
    const bool silent = record.status == CaseStatus::kOk && record.findings.empty() && !printed;
    repeats_.after(name, {took.count(), nanoseconds_of(record, machine_), silent}, memory, memory_);
    return {printed, looked};
  }

  const ProgramRequest& request_;
  const Service& service_;
  ProgramReport& report_;
  Kernels kernels_;
  ProgramMemory memory_;
  Images images_;
  Lines lines_;
  Streams streams_;
  std::map<std::string, Uses> footprints_;  // of launches, by the launch with its arguments
  Cases cases_;
  metrics::Machine machine_;
  std::map<std::pair<std::string, int>, std::vector<Site>> allocating_;  ///< by place
  /// The last launch that printed.
  struct Printed {
    std::uint64_t launch = 0;
    std::string kernel;
    Line line;
  };
  std::optional<Printed> printed_;
  std::string held_;  // what kernels have printed since the host has waited
  std::uint64_t launches_ = 0;
  std::string last_kernel_;
  Repeats repeats_;
  double rechecked_ = 0;  // warp instructions of launches of known shapes that checkers saw
  std::uint64_t base_ = 0;
  std::uint64_t allocations_ = 0;
  bool astray_ = false;  // a kernel was refused: others meet what it would have left, and do not
  std::string refused_launch_;  // why the last launch did not begin; empty: it did
  // An error that nobody has asked for, and the launch that it refused; empty: it was another call.
  struct Failed {
    int error = 0;
    Line line;
    std::string launch;
    std::size_t findings = 0;  // that there were before it
  };
  std::optional<Failed> failed_;
  std::map<std::uint64_t, std::uint64_t> asked_shared_;  // bytes, by kernel
};

}  // namespace

void serve(const ProgramRequest& request, const Service& service,
           const std::function<void(CaseOutcome)>& finished, ProgramReport& report) {
  Server server(request, service, report);
  try {
    while (const auto message = next_message(service.socket, service.late)) server.handle(*message);
  } catch (const ProtocolFault& fault) {
    report.broken = fault.what();
  }
  server.end(finished);
}

}  // namespace lab::program
