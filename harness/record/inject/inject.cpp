// The driver loads this library in cuInit, where CUDA_INJECTION64_PATH names it, and calls
// InitializeInjection. From then on CUPTI calls back at each launch.
#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <utility>

#include "harness/record/inject/activities.h"
#include "harness/record/inject/counters.h"
#include "harness/record/inject/cupti.h"
#include "harness/record/inject/ranges.h"
#include "harness/record/inject/recorder.h"
#include "harness/record/variables.h"

namespace lab::record {

namespace {

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

// What of a launch its function's parameters say.
struct Called {
  Entry entry;
  Shape shape = {};
  std::uint32_t dynamic_shared = 0;
  CUstream stream = nullptr;
};

// cuLaunchKernel, cuLaunchCooperativeKernel and their _ptsz have members of the same names.
template <typename Params>
Called called_plainly(Entry entry, const void* params) {
  const auto& p = *static_cast<const Params*>(params);
  return {entry,
          {{p.gridDimX, p.gridDimY, p.gridDimZ}, {p.blockDimX, p.blockDimY, p.blockDimZ}},
          p.sharedMemBytes,
          p.hStream};
}

template <typename Params>
Called called_with_config(const void* params) {
  const CUlaunchConfig* config = static_cast<const Params*>(params)->config;
  if (config == nullptr) return {Entry::kExtended};
  return {Entry::kExtended,
          {{config->gridDimX, config->gridDimY, config->gridDimZ},
           {config->blockDimX, config->blockDimY, config->blockDimZ}},
          config->sharedMemBytes,
          config->hStream};
}

Called called_for_several(const void* params) {
  const auto& p = *static_cast<const cuLaunchCooperativeKernelMultiDevice_params*>(params);
  if (p.launchParamsList == nullptr || p.numDevices == 0) return {Entry::kSeveral};
  const CUDA_LAUNCH_PARAMS& first = p.launchParamsList[0];
  return {Entry::kSeveral,
          {{first.gridDimX, first.gridDimY, first.gridDimZ},
           {first.blockDimX, first.blockDimY, first.blockDimZ}},
          first.sharedMemBytes,
          first.hStream};
}

Called called_old(const void* params) {
  const auto& p = *static_cast<const cuLaunchGrid_params*>(params);
  return {Entry::kOld,
          {{static_cast<unsigned>(p.grid_width), static_cast<unsigned>(p.grid_height), 1}, {}}};
}

/// What a driver function is to us.
struct Watched {
  CUpti_CallbackId id;
  enum class Role : unsigned char { kLaunch, kWait, kBeginCapture, kEndCapture } role;
  Called (*called)(const void* params) = nullptr;
  bool per_thread = false;  ///< its null stream is the thread's own
};

// cuCtxSynchronize_v2, by its number: headers before CUDA 13 lack the name.
constexpr CUpti_CallbackId kContextSynchronize = 800;

#define LAB_ID(name) CUPTI_DRIVER_TRACE_CBID_##name
using Role = Watched::Role;
constexpr std::array kWatched = {
    Watched{LAB_ID(cuLaunchKernel), Role::kLaunch,
            [](const void* p) { return called_plainly<cuLaunchKernel_params>(Entry::kKernel, p); }},
    Watched{
        LAB_ID(cuLaunchKernel_ptsz), Role::kLaunch,
        [](const void* p) { return called_plainly<cuLaunchKernel_ptsz_params>(Entry::kKernel, p); },
        true},
    Watched{LAB_ID(cuLaunchKernelEx), Role::kLaunch, called_with_config<cuLaunchKernelEx_params>},
    Watched{LAB_ID(cuLaunchKernelEx_ptsz), Role::kLaunch,
            called_with_config<cuLaunchKernelEx_ptsz_params>, true},
    Watched{LAB_ID(cuLaunchCooperativeKernel), Role::kLaunch,
            [](const void* p) {
              return called_plainly<cuLaunchCooperativeKernel_params>(Entry::kCooperative, p);
            }},
    Watched{LAB_ID(cuLaunchCooperativeKernel_ptsz), Role::kLaunch,
            [](const void* p) {
              return called_plainly<cuLaunchCooperativeKernel_ptsz_params>(Entry::kCooperative, p);
            },
            true},
    Watched{LAB_ID(cuLaunchCooperativeKernelMultiDevice), Role::kLaunch, called_for_several},
    Watched{LAB_ID(cuLaunch), Role::kLaunch,
            [](const void*) {
              return Called{Entry::kOld, {{1, 1, 1}, {}}};
            }},
    Watched{LAB_ID(cuLaunchGrid), Role::kLaunch, called_old},
    // It begins as cuLaunchGrid does.
    Watched{LAB_ID(cuLaunchGridAsync), Role::kLaunch, called_old},
    Watched{LAB_ID(cuGraphLaunch), Role::kLaunch,
            [](const void*) { return Called{Entry::kGraph}; }},
    Watched{LAB_ID(cuGraphLaunch_ptsz), Role::kLaunch,
            [](const void*) { return Called{Entry::kGraph}; }, true},
    Watched{LAB_ID(cuCtxSynchronize), Role::kWait},
    Watched{kContextSynchronize, Role::kWait},
    Watched{LAB_ID(cuStreamSynchronize), Role::kWait},
    Watched{LAB_ID(cuStreamSynchronize_ptsz), Role::kWait},
    Watched{LAB_ID(cuEventSynchronize), Role::kWait},
    Watched{LAB_ID(cuMemcpyDtoH_v2), Role::kWait},
    Watched{LAB_ID(cuMemcpyDtoH_v2_ptds), Role::kWait},
    Watched{LAB_ID(cuStreamBeginCapture), Role::kBeginCapture},
    Watched{LAB_ID(cuStreamBeginCapture_ptsz), Role::kBeginCapture},
    Watched{LAB_ID(cuStreamBeginCapture_v2), Role::kBeginCapture},
    Watched{LAB_ID(cuStreamBeginCapture_v2_ptsz), Role::kBeginCapture},
    Watched{LAB_ID(cuStreamBeginCaptureToGraph), Role::kBeginCapture},
    Watched{LAB_ID(cuStreamBeginCaptureToGraph_ptsz), Role::kBeginCapture},
    Watched{LAB_ID(cuStreamEndCapture), Role::kEndCapture},
    Watched{LAB_ID(cuStreamEndCapture_ptsz), Role::kEndCapture},
};
#undef LAB_ID

const Watched* find(CUpti_CallbackId id) {
  for (const Watched& one : kWatched) {
    if (one.id == id) return &one;
  }
  return nullptr;
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

// Of the launch that this thread is in. Meanwhile another thread may begin or end a capture.
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
  const Watched* const watched = find(id);
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
  for (const Watched& one : kWatched) {
    // An older CUPTI does not know the newest functions, and a driver of its age has none of them.
    static_cast<void>(calls.EnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, one.id));
  }
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
