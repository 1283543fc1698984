// The driver loads this library in cuInit, where CUDA_INJECTION64_PATH names it, and calls
// InitializeInjection. From then on CUPTI calls back at each launch.
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <utility>

#include "harness/record/inject/activities.h"
#include "harness/record/inject/counters.h"
#include "harness/record/inject/cupti.h"
#include "harness/record/inject/ranges.h"
#include "harness/record/inject/recorder.h"
#include "harness/record/inject/watched.h"
#include "harness/record/variables.h"

namespace lab::record {

namespace {

using Role = Watched::Role;

CuptiCalls calls;
decltype(&::cuStreamIsCapturing) is_capturing = nullptr;

// Null: none were asked for.
Counters* counters = nullptr;

// While this is 0, no launch asks whether its stream is one of them.
std::atomic<int> captures = 0;
std::atomic<bool> exiting = false;

/// Takes records over now and then, so that a process that is killed loses few: as often as costs
/// a twentieth of the time at most.
class Flusher {
 public:
  void launched() { waiting_.store(true, std::memory_order_relaxed); }
  void maybe() {
    constexpr Time kShare = 20;
    const Time begun = now();
    if (!waiting_.load(std::memory_order_relaxed) || begun < next_.load() || exiting) return;
    if (busy_.test_and_set()) return;
    waiting_ = false;
    flush_activities(calls, false);
    const Time ended = now();
    next_ = ended + (ended - begun) * kShare;
    busy_.clear();
  }

 private:
  std::atomic<bool> waiting_ = false;
  std::atomic<Time> next_ = 0;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};
Flusher flusher;

// Runs before CUDA's own exit handlers: it was registered after them.
void take_the_rest() {
  exiting = true;
  if (Recorder::current() == nullptr) return;
  if (counters != nullptr) counters->pause();
  flush_activities(calls, true);
}
void write_the_end() {
  if (Recorder* const recorder = Recorder::current()) recorder->end();
}
void register_at_first_launch() {
  static const int kRegistered = std::atexit(take_the_rest);
  static_cast<void>(kRegistered);
}

bool captured(const Called& call, bool per_thread) {
  if (captures.load(std::memory_order_relaxed) == 0 || is_capturing == nullptr) return false;
  const CUstream stream = per_thread && call.stream == nullptr ? CU_STREAM_PER_THREAD : call.stream;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return is_capturing(stream, &status) == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void launched(const Watched& watched, const CUpti_CallbackData& data, Recorder& recorder) {
  const Called call = watched.called(data.functionParams);
  Launch launch;
  launch.correlation = data.correlationId;
  launch.entry = call.entry;
  launch.result =
      static_cast<std::uint32_t>(*static_cast<const CUresult*>(data.functionReturnValue));
  launch.captured = captured(call, watched.per_thread) ? 1 : 0;
  launch.shape = call.shape;
  launch.dynamic_shared = call.dynamic_shared;
  launch.thread = thread_number();
  launch.start = *data.correlationData;
  launch.end = now();
  recorder.launch(launch, call.entry == Entry::kGraph ? nullptr : data.symbolName, open_ranges());
  flusher.launched();
}

// Says of the launch that this thread is in; another thread may begin or end a capture meanwhile.
thread_local bool counted = false;

// A launch that runs one kernel.
bool runs_kernel(const Watched& watched, const CUpti_CallbackData& data) {
  if (watched.role != Role::kLaunch) return false;
  const Called call = watched.called(data.functionParams);
  return call.entry != Entry::kGraph && !captured(call, watched.per_thread);
}

void before(const Watched& watched, const CUpti_CallbackData& data) {
  if (watched.role == Role::kLaunch) {
    register_at_first_launch();
    *data.correlationData = now();
  }
  if (counters == nullptr) return;
  counted = runs_kernel(watched, data);
  if (counted) {
    counters->before_launch(data.context, data.correlationId);
  } else if (watched.role == Role::kLaunch || watched.role == Role::kBeginCapture) {
    // Neither a graph nor the capture of one is survived by a session.
    if (captures.load() == 0) counters->pause();
  }
}

void after(const Watched& watched, const CUpti_CallbackData& data, Recorder& recorder) {
  const bool succeeded = *static_cast<const CUresult*>(data.functionReturnValue) == CUDA_SUCCESS;
  switch (watched.role) {
    case Role::kLaunch:
      if (std::exchange(counted, false)) counters->after_launch(succeeded);
      return launched(watched, data, recorder);
    case Role::kWait:
      return flusher.maybe();
    case Role::kBeginCapture:
      captures += succeeded ? 1 : 0;
      return;
    case Role::kEndCapture:
      // An error ends the capture, too.
      if (captures.load() > 0) --captures;
      return;
  }
}

void on_driver(CUpti_CallbackId id, const CUpti_CallbackData& data, Recorder& recorder) {
  const Watched* const watched = find_watched(id);
  if (watched == nullptr || is_counting_call()) return;
  if (data.callbackSite == CUPTI_API_ENTER) return before(*watched, data);
  after(*watched, data, recorder);
}

void on_resource(CUpti_CallbackId id, const CUpti_ResourceData& data, Recorder& recorder) {
  if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
    if (counters != nullptr) counters->context_ends(data.context);
    return flush_activities(calls, false);
  }
  if (id != CUPTI_CBID_RESOURCE_MODULE_LOADED || data.resourceDescriptor == nullptr) return;
  const auto& loaded = *static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor);
  const std::uint64_t print =
      loaded.pCubin == nullptr ? 0 : fingerprint(loaded.pCubin, loaded.cubinSize);
  recorder.module({loaded.moduleId, 0, loaded.cubinSize, print, now()});
}

void CUPTIAPI on_callback(void* /*user*/, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                          const void* data) {
  Recorder* const recorder = Recorder::current();
  if (recorder == nullptr) return;
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    on_driver(id, *static_cast<const CUpti_CallbackData*>(data), *recorder);
  } else if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    on_resource(id, *static_cast<const CUpti_ResourceData*>(data), *recorder);
  }
}

CUptiResult enable(CUpti_SubscriberHandle subscriber) {
  watch_all(calls, subscriber);
  CUptiResult code = CUPTI_SUCCESS;
  for (const CUpti_CallbackId id :
       {CUPTI_CBID_RESOURCE_MODULE_LOADED, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING}) {
    if (code == CUPTI_SUCCESS)
      code = calls.EnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, id);
  }
  return code;
}

void start(Recorder& recorder) {
  CUpti_SubscriberHandle subscriber = nullptr;
  CUptiResult code = calls.Subscribe(&subscriber, on_callback, nullptr);
  Problem problem = Problem::kBusy;
  if (code == CUPTI_SUCCESS) {
    problem = Problem::kRefused;
    code = start_activities(calls, counters == nullptr);
    if (code == CUPTI_SUCCESS) code = enable(subscriber);
  }
  if (code == CUPTI_SUCCESS) return;
  recorder.trouble({problem, static_cast<std::uint32_t>(code), 0}, result_name(calls, code));
}

void begin_recording() {
  const char* const folder = std::getenv(kFolderVariable);
  if (folder == nullptr || Recorder::current() != nullptr) return;
  const char* const metrics = std::getenv(kMetricsVariable);
  const bool counting = metrics != nullptr && *metrics != '\0';
  const std::string missing = load_cupti(std::getenv(kLibrariesVariable), counting, calls);
  std::uint32_t version = 0;
  if (missing.empty()) calls.GetVersion(&version);
  Recorder* const recorder = Recorder::begin(folder, version);
  if (recorder == nullptr) return;
  std::atexit(write_the_end);
  if (!missing.empty()) return recorder->trouble({Problem::kNoCupti, 0, 0}, missing);
  if (void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD)) {
    is_capturing = reinterpret_cast<decltype(is_capturing)>(dlsym(driver, "cuStreamIsCapturing"));
  }
  // Never freed: threads may launch until the process is gone.
  if (counting) counters = new Counters(calls, metrics);
  start(*recorder);
}

}  // namespace

}  // namespace lab::record

/// Called by the driver. What is wrong is said in the recording: the program goes on in any case.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  try {
    lab::record::begin_recording();
  } catch (...) {
    return 0;
  }
  return 1;
}
