// Streams and events. Work is done in the order of the calls, which is one of the orders in which a
// GPU may do it.
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "harness/program/runtime/graph.h"

using lab::program::Entry;
using lab::program::Site;

// What is kept for a graph, of the stream that it began in and of those that wait for its events.
struct Capture {
  lab::program::Nodes work;
  bool open = true;
};

struct CUstream_st {
  unsigned flags = 0;
  int priority = 0;
  std::shared_ptr<Capture> capture;  ///< closed, or null: its work is done at once
  lab::program::StreamClock clock;
};
struct CUevent_st {
  unsigned flags = 0;
  bool recorded = false;
  double at_ns = 0;
  std::shared_ptr<Capture> capture = {};  ///< that it was recorded in
};
namespace {

CUstream_st& default_stream() {
  static auto* stream = new CUstream_st;
  return *stream;
}

CUstream_st& stream_of(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread
             ? default_stream()
             : *stream;
}

bool is_open(const CUstream_st& stream) {
  return stream.capture != nullptr && stream.capture->open;
}

// The stream that is being worked on; null: a call that blocks.
CUstream_st* worked_on = nullptr;

class InStream {
 public:
  explicit InStream(CUstream_st& stream) : before_(std::exchange(worked_on, &stream)) {}
  ~InStream() { worked_on = before_; }
  InStream(const InStream&) = delete;
  InStream& operator=(const InStream&) = delete;

 private:
  CUstream_st* before_;
};

CUstream_st& stream_worked_on() { return worked_on == nullptr ? default_stream() : *worked_on; }

}  // namespace

namespace lab::program {

Timeline& timeline() {
  static auto* one = new Timeline;
  return *one;
}

void wait_for_taken() { timeline().host_until(stream_worked_on().clock.end_ns); }

void take(Engine engine, double nanoseconds, double share) {
  timeline().queue(stream_worked_on().clock, engine, nanoseconds, share);
  if (worked_on == nullptr) wait_for_taken();
}

cudaError_t do_or_keep(Entry& entry, cudaStream_t stream, std::function<int(Site)> work) {
  CUstream_st& in = stream_of(stream);
  if (!is_open(in)) {
    const InStream here(in);
    return entry.end(work(entry.site()));
  }
  auto node = std::make_unique<CUgraphNode_st>();
  node->type = cudaGraphNodeTypeKernel;
  node->site = entry.site();
  node->run = std::move(work);
  Nodes& work_so_far = in.capture->work;
  if (!work_so_far.empty()) node->before = {work_so_far.back().get()};
  work_so_far.push_back(std::move(node));
  return entry.end(kSuccess);
}

void begin_capture(cudaStream_t stream) { stream_of(stream).capture = std::make_shared<Capture>(); }
bool is_captured(cudaStream_t stream) { return is_open(stream_of(stream)); }
std::unique_ptr<Nodes> end_capture(cudaStream_t stream) {
  CUstream_st& in = stream_of(stream);
  if (!is_open(in)) return nullptr;
  in.capture->open = false;
  return std::make_unique<Nodes>(std::move(in.capture->work));
}

void record(cudaEvent_t event) {
  event->recorded = true;
  event->at_ns = timeline().ready(stream_worked_on().clock);
}

int run_in_stream(cudaStream_t stream, const std::vector<const CUgraphNode_st*>& nodes) {
  const InStream here(stream_of(stream));
  for (const CUgraphNode_st* one : nodes) {
    const int error = one->run ? one->run(one->site) : 0;
    if (error != 0) return error;
  }
  return kSuccess;
}

}  // namespace lab::program

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  Entry entry(LAB_SITE);
  *stream = new CUstream_st{flags, priority, nullptr, {}};
  (*stream)->clock.kind = (flags & cudaStreamNonBlocking) != 0
                              ? lab::program::StreamKind::kNonBlocking
                              : lab::program::StreamKind::kBlocking;
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  Entry entry(LAB_SITE);
  if (stream == nullptr) return entry.end(cudaErrorInvalidResourceHandle);
  delete stream;
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  Entry entry(LAB_SITE);
  lab::program::host_waits();
  auto& times = lab::program::timeline();
  times.host_until(times.ready(stream_of(stream).clock));
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  Entry entry(LAB_SITE);
  if (event == nullptr) return entry.end(cudaErrorInvalidResourceHandle);
  CUstream_st& in = stream_of(stream);
  // Waiting for work that is being kept, a stream's own is kept behind it.
  if (event->capture != nullptr && event->capture->open) {
    in.capture = event->capture;
  } else if (!is_open(in)) {
    in.clock.end_ns = std::max(in.clock.end_ns, event->at_ns);
  }
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned int) {
  Entry entry(LAB_SITE);
  return do_or_keep(entry, stream, [=](Site) {
    lab::program::host_waits();  // it is called behind what came before
    callback(stream, cudaSuccess, data);
    return static_cast<int>(lab::program::kSuccess);
  });
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  Entry entry(LAB_SITE);
  return do_or_keep(entry, stream, [=](Site) {
    lab::program::host_waits();
    function(data);
    return static_cast<int>(lab::program::kSuccess);
  });
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  *priority = stream_of(stream).priority;
  return cudaSuccess;
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags) {
  *flags = stream_of(stream).flags;
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  Entry entry(LAB_SITE);
  *event = new CUevent_st{flags};
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  Entry entry(LAB_SITE);
  if (event == nullptr) return entry.end(cudaErrorInvalidResourceHandle);
  const CUstream_st& in = stream_of(stream);
  event->capture = is_open(in) ? in.capture : nullptr;
  event->recorded = event->capture == nullptr;  // in a graph it has no time
  if (event->recorded) event->at_ns = lab::program::timeline().ready(in.clock);
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int) {
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  Entry entry(LAB_SITE);
  lab::program::host_waits();
  if (event == nullptr) return entry.end(cudaErrorInvalidResourceHandle);
  lab::program::timeline().host_until(event->at_ns);
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  Entry entry(LAB_SITE);
  if (event == nullptr) return entry.end(cudaErrorInvalidResourceHandle);
  delete event;
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  Entry entry(LAB_SITE);
  if (start == nullptr || stop == nullptr || !start->recorded || !stop->recorded) {
    return entry.end(cudaErrorInvalidResourceHandle);
  }
  *milliseconds = static_cast<float>((stop->at_ns - start->at_ns) / 1e6);
  return entry.end(lab::program::kSuccess);
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  *id = reinterpret_cast<std::uintptr_t>(&stream_of(stream));
  return cudaSuccess;
}
cudaError_t cudaStreamGetDevice(cudaStream_t, int* device) {
  *device = 0;
  return cudaSuccess;
}
// Windows of L2 that are kept and priorities change no result.
cudaError_t cudaStreamCopyAttributes(cudaStream_t, cudaStream_t) { return cudaSuccess; }

}  // extern "C"
