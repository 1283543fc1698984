#include "harness/record/inject/counters.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include "harness/record/inject/recorder.h"
#include "harness/record/variables.h"

namespace lab::record {

namespace {

// A session's start takes longer the more ranges it has room for; each end of one waits for the
// GPU and reads all counters.
constexpr std::size_t kRanges = 256;
// AutoRange names the launches itself; CUPTI's sample pushes one range around them all the same.
constexpr const char* kRangeName = "r";

thread_local bool in_call = false;

/// While it lives, this thread's calls are not the program's.
class OurCall {
 public:
  OurCall() : before_(std::exchange(in_call, true)) {}
  ~OurCall() { in_call = before_; }
  OurCall(const OurCall&) = delete;
  OurCall& operator=(const OurCall&) = delete;

 private:
  bool before_;
};

template <typename Params>
Params sized(std::size_t bytes) {
  Params params{};
  params.structSize = bytes;
  return params;
}
#define LAB_SIZED(name) sized<CUpti_##name##_Params>(CUpti_##name##_Params_STRUCT_SIZE)

std::vector<std::string> split_names(std::string_view names) {
  std::vector<std::string> list;
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    if (!name.empty()) list.emplace_back(name);
  }
  return list;
}

std::vector<const char*> pointers(const std::vector<std::string>& names) {
  std::vector<const char*> list;
  for (const std::string& name : names) list.push_back(name.c_str());
  return list;
}

// A GPU has its counters once, and two processes that read them wait for each other for ever. The
// lock is this process's alone, not its forks', and goes with it.
bool lock_counters() {
  const char* const path = std::getenv(kLockVariable);
  if (path == nullptr) return false;
  const int file = ::open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return false;
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  // Out of the way of the program's own descriptors. Closing either of them would end the lock.
  constexpr int kFrom = 500;
  const int held = ::fcntl(file, F_DUPFD_CLOEXEC, kFrom);
  ::close(file);
  return held >= 0 && ::fcntl(held, F_SETLK, &whole) == 0;
}

}  // namespace

bool is_counting_call() { return in_call; }

/// An enabled profiler with its image of counters.
struct Counters::Session {
  CUcontext context = nullptr;
  CUpti_Profiler_Host_Object* host = nullptr;
  CUpti_RangeProfiler_Object* profiler = nullptr;
  std::vector<std::uint8_t> config;
  std::vector<std::uint8_t> image;
  bool running = false;
  std::vector<std::uint32_t> correlations;  // of the launches since it was started
};

Counters::Counters(const CuptiCalls& calls, const char* metrics)
    : calls_(calls), metrics_(split_names(metrics)) {}
Counters::~Counters() = default;

void Counters::fail(const Failure& failure) {
  failed_ = true;
  if (session_) session_->running = false;
  tell(failure);
  // Kernels that are not counted may be traced.
  static_cast<void>(calls_.ActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
}

void Counters::tell(const Failure& failure) const {
  if (Recorder* const recorder = Recorder::current()) {
    recorder->trouble({failure.problem, static_cast<std::uint32_t>(failure.code), 0},
                      failure.text.empty() ? result_name(calls_, failure.code) : failure.text);
  }
}

// Throws Failure, which the callers catch: nothing of it leaves this file.
#define LAB_COUNTER_CALL(function, params, what)                           \
  do {                                                                     \
    const CUptiResult code = calls_.function(&(params));                   \
    if (code != CUPTI_SUCCESS)                                             \
      throw Failure{Problem::kNotCounted, code,                            \
                    std::string(what) + ": " + result_name(calls_, code)}; \
  } while (false)

CUpti_Profiler_Host_Object* Counters::new_host(const Chip& chip) const {
  auto host = LAB_SIZED(Profiler_Host_Initialize);
  host.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  host.pChipName = chip.name.c_str();
  host.pCounterAvailabilityImage = chip.availability.data();
  LAB_COUNTER_CALL(ProfilerHostInitialize, host, "cuptiProfilerHostInitialize");
  return host.pHostObject;
}

Counters::Chip Counters::chip_of(CUcontext context) const {
  auto initialise = LAB_SIZED(Profiler_Initialize);
  LAB_COUNTER_CALL(ProfilerInitialize, initialise, "cuptiProfilerInitialize");
  std::uint32_t device = 0;
  calls_.GetDeviceId(context, &device);
  auto chip = LAB_SIZED(Device_GetChipName);
  chip.deviceIndex = device;
  LAB_COUNTER_CALL(DeviceGetChipName, chip, "cuptiDeviceGetChipName");
  // Where this process may not read counters, it is said here.
  auto available = LAB_SIZED(Profiler_GetCounterAvailability);
  available.ctx = context;
  LAB_COUNTER_CALL(ProfilerGetCounterAvailability, available,
                   "cuptiProfilerGetCounterAvailability");
  std::vector<std::uint8_t> image(available.counterAvailabilityImageSize);
  available.pCounterAvailabilityImage = image.data();
  LAB_COUNTER_CALL(ProfilerGetCounterAvailability, available,
                   "cuptiProfilerGetCounterAvailability");
  return {chip.pChipName, std::move(image)};
}

CUptiResult Counters::add(CUpti_Profiler_Host_Object* host,
                          const std::vector<std::string>& metrics) const {
  std::vector<const char*> names = pointers(metrics);
  auto add = LAB_SIZED(Profiler_Host_ConfigAddMetrics);
  add.pHostObject = host;
  add.ppMetricNames = names.data();
  add.numMetrics = names.size();
  return calls_.ProfilerHostConfigAddMetrics(&add);
}

std::vector<std::uint8_t> Counters::config_of(CUpti_Profiler_Host_Object* host) const {
  auto size = LAB_SIZED(Profiler_Host_GetConfigImageSize);
  size.pHostObject = host;
  LAB_COUNTER_CALL(ProfilerHostGetConfigImageSize, size, "cuptiProfilerHostGetConfigImageSize");
  std::vector<std::uint8_t> image(size.configImageSize);
  auto config = LAB_SIZED(Profiler_Host_GetConfigImage);
  config.pHostObject = host;
  config.configImageSize = image.size();
  config.pConfigImage = image.data();
  LAB_COUNTER_CALL(ProfilerHostGetConfigImage, config, "cuptiProfilerHostGetConfigImage");
  return image;
}

std::size_t Counters::passes_of(std::vector<std::uint8_t>& config) const {
  auto passes = LAB_SIZED(Profiler_Host_GetNumOfPasses);
  passes.configImageSize = config.size();
  passes.pConfigImage = config.data();
  LAB_COUNTER_CALL(ProfilerHostGetNumOfPasses, passes, "cuptiProfilerHostGetNumOfPasses");
  return passes.numOfPasses;
}

void Counters::release(CUpti_Profiler_Host_Object* host) const {
  if (host == nullptr) return;
  auto release = LAB_SIZED(Profiler_Host_Deinitialize);
  release.pHostObject = host;
  static_cast<void>(calls_.ProfilerHostDeinitialize(&release));
}

// Each metric, in their order, that fits the pass of those before it.
void Counters::choose(const Chip& chip, Session& session) {
  std::vector<std::string> chosen;
  for (const std::string& metric : metrics_) {
    CUpti_Profiler_Host_Object* const host = new_host(chip);
    chosen.push_back(metric);
    const CUptiResult code = add(host, chosen);
    std::vector<std::uint8_t> config;
    if (code == CUPTI_SUCCESS) config = config_of(host);
    if (code == CUPTI_SUCCESS && passes_of(config) == 1) {
      release(std::exchange(session.host, host));
      session.config = std::move(config);
      continue;
    }
    release(host);
    chosen.pop_back();
    tell({code == CUPTI_SUCCESS ? Problem::kSeveralPasses : Problem::kNoMetric, code, metric});
  }
  metrics_ = std::move(chosen);
  names_.clear();
  if (metrics_.empty()) throw Failure{Problem::kNotCounted, CUPTI_SUCCESS, "no metric is left"};
  for (const std::string& metric : metrics_) names_ += (names_.empty() ? "" : ",") + metric;
}

void Counters::open(CUcontext context) {
  static const bool kLocked = lock_counters();
  if (!kLocked) {
    throw Failure{Problem::kNotCounted, CUPTI_SUCCESS, "another process counts on this machine"};
  }
  session_ = std::make_unique<Session>();
  Session& session = *session_;
  session.context = context;
  choose(chip_of(context), session);
  auto enable = LAB_SIZED(RangeProfiler_Enable);
  enable.ctx = context;
  LAB_COUNTER_CALL(RangeProfilerEnable, enable, "cuptiRangeProfilerEnable");
  session.profiler = enable.pRangeProfilerObject;
  std::vector<const char*> names = pointers(metrics_);
  auto room = LAB_SIZED(RangeProfiler_GetCounterDataSize);
  room.pRangeProfilerObject = session.profiler;
  room.pMetricNames = names.data();
  room.numMetrics = names.size();
  room.maxNumOfRanges = kRanges;
  room.maxNumRangeTreeNodes = kRanges;
  LAB_COUNTER_CALL(RangeProfilerGetCounterDataSize, room, "cuptiRangeProfilerGetCounterDataSize");
  session.image.resize(room.counterDataSize);
}

void Counters::start() {
  Session& session = *session_;
  auto empty = LAB_SIZED(RangeProfiler_CounterDataImage_Initialize);
  empty.pRangeProfilerObject = session.profiler;
  empty.counterDataSize = session.image.size();
  empty.pCounterData = session.image.data();
  LAB_COUNTER_CALL(RangeProfilerCounterDataImageInitialize, empty,
                   "cuptiRangeProfilerCounterDataImageInitialize");
  auto set = LAB_SIZED(RangeProfiler_SetConfig);
  set.pRangeProfilerObject = session.profiler;
  set.configSize = session.config.size();
  set.pConfig = session.config.data();
  set.counterDataImageSize = session.image.size();
  set.pCounterDataImage = session.image.data();
  set.range = CUPTI_AutoRange;
  set.replayMode = CUPTI_UserReplay;
  set.maxRangesPerPass = kRanges;
  set.numNestingLevels = 1;
  set.minNestingLevel = 1;
  set.targetNestingLevel = 1;
  LAB_COUNTER_CALL(RangeProfilerSetConfig, set, "cuptiRangeProfilerSetConfig");
  auto begin = LAB_SIZED(RangeProfiler_Start);
  begin.pRangeProfilerObject = session.profiler;
  LAB_COUNTER_CALL(RangeProfilerStart, begin, "cuptiRangeProfilerStart");
  auto push = LAB_SIZED(RangeProfiler_PushRange);
  push.pRangeProfilerObject = session.profiler;
  push.pRangeName = kRangeName;
  LAB_COUNTER_CALL(RangeProfilerPushRange, push, "cuptiRangeProfilerPushRange");
  session.running = true;
}

void Counters::finish() {
  Session& session = *session_;
  session.running = false;
  auto pop = LAB_SIZED(RangeProfiler_PopRange);
  pop.pRangeProfilerObject = session.profiler;
  LAB_COUNTER_CALL(RangeProfilerPopRange, pop, "cuptiRangeProfilerPopRange");
  auto stop = LAB_SIZED(RangeProfiler_Stop);
  stop.pRangeProfilerObject = session.profiler;
  LAB_COUNTER_CALL(RangeProfilerStop, stop, "cuptiRangeProfilerStop");
  auto decode = LAB_SIZED(RangeProfiler_DecodeData);
  decode.pRangeProfilerObject = session.profiler;
  LAB_COUNTER_CALL(RangeProfilerDecodeData, decode, "cuptiRangeProfilerDecodeData");
  auto info = LAB_SIZED(RangeProfiler_GetCounterDataInfo);
  info.pCounterDataImage = session.image.data();
  info.counterDataImageSize = session.image.size();
  LAB_COUNTER_CALL(RangeProfilerGetCounterDataInfo, info, "cuptiRangeProfilerGetCounterDataInfo");
  const std::vector<std::uint32_t> launches = std::exchange(session.correlations, {});
  // Values that may be another launch's are none.
  if (info.numTotalRanges != launches.size()) {
    throw Failure{Problem::kNotCounted, CUPTI_SUCCESS,
                  std::to_string(info.numTotalRanges) + " ranges of " +
                      std::to_string(launches.size()) + " launches"};
  }
  std::vector<const char*> names = pointers(metrics_);
  std::vector<double> values(metrics_.size());
  for (std::size_t range = 0; range < launches.size(); ++range) {
    auto evaluate = LAB_SIZED(Profiler_Host_EvaluateToGpuValues);
    evaluate.pHostObject = session.host;
    evaluate.pCounterDataImage = session.image.data();
    evaluate.counterDataImageSize = session.image.size();
    evaluate.rangeIndex = range;
    evaluate.ppMetricNames = names.data();
    evaluate.numMetrics = names.size();
    evaluate.pMetricValues = values.data();
    LAB_COUNTER_CALL(ProfilerHostEvaluateToGpuValues, evaluate,
                     "cuptiProfilerHostEvaluateToGpuValues");
    if (Recorder* const recorder = Recorder::current()) {
      recorder->counted(launches[range], names_, values);
    }
  }
}
#undef LAB_COUNTER_CALL
#undef LAB_SIZED

void Counters::before_launch(CUcontext context, std::uint32_t correlation) {
  mutex_.lock();
  if (failed_) return;
  const OurCall ours;
  try {
    if (!session_) open(context);
    if (session_->context != context) {
      throw Failure{Problem::kNotCounted, CUPTI_SUCCESS, "a second context launches"};
    }
    if (session_->running && session_->correlations.size() == kRanges) finish();
    if (!session_->running) start();
    session_->correlations.push_back(correlation);
  } catch (const Failure& failure) {
    fail(failure);
  }
}

void Counters::after_launch(bool launched) {
  if (!launched && session_ && session_->running && !session_->correlations.empty()) {
    session_->correlations.pop_back();
  }
  mutex_.unlock();
}

void Counters::context_ends(CUcontext context) {
  const std::lock_guard<std::recursive_mutex> guard(mutex_);
  pause();
  if (!session_ || session_->context != context) return;
  const OurCall ours;
  auto disable =
      sized<CUpti_RangeProfiler_Disable_Params>(CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
  disable.pRangeProfilerObject = session_->profiler;
  if (session_->profiler != nullptr) static_cast<void>(calls_.RangeProfilerDisable(&disable));
  release(session_->host);
  session_.reset();
}

void Counters::pause() {
  const std::lock_guard<std::recursive_mutex> guard(mutex_);
  if (failed_ || !session_ || !session_->running) return;
  const OurCall ours;
  try {
    finish();
  } catch (const Failure& failure) {
    fail(failure);
  }
}

}  // namespace lab::record
