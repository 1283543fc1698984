// Streams, events and graphs. Work is done in the order of the calls, which is one of the orders in
// which a GPU may do it.
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "harness/program/runtime/calls.h"

using lab::program::Entry;
using lab::program::Site;

namespace {

struct Work {
  Site site = 0;
  std::function<int(Site)> run;
};
using Graph = std::vector<Work>;

// What is kept for a graph, of the stream that it began in and of those that wait for its events.
struct Capture {
  Graph work;
  bool open = true;
};

}  // namespace

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
struct CUgraph_st {
  Graph work;
};
struct CUgraphExec_st {
  Graph work;
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

bool is_captured(const CUstream_st& stream) {
  return stream.capture != nullptr && stream.capture->open;
}

// Makes a node of what `queue` puts into a stream.
template <typename Queue>
cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, Queue queue) {
  CUstream_st stream;
  stream.capture = std::make_shared<Capture>();
  const cudaError_t error = queue(&stream);
  for (Work& work : stream.capture->work) graph->work.push_back(std::move(work));
  if (node != nullptr) *node = reinterpret_cast<cudaGraphNode_t>(graph->work.size());
  return error;
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
  if (!is_captured(in)) {
    const InStream here(in);
    return entry.end(work(entry.site()));
  }
  in.capture->work.push_back({entry.site(), std::move(work)});
  return entry.end(kSuccess);
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
  } else if (!is_captured(in)) {
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
  event->capture = is_captured(in) ? in.capture : nullptr;
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

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode) {
  Entry entry(LAB_SITE);
  stream_of(stream).capture = std::make_shared<Capture>();
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  Entry entry(LAB_SITE);
  CUstream_st& in = stream_of(stream);
  if (!is_captured(in)) return entry.end(cudaErrorStreamCaptureUnmatched);
  *graph = new CUgraph_st{std::move(in.capture->work)};
  in.capture->open = false;
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus* status) {
  *status =
      is_captured(stream_of(stream)) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long) {
  Entry entry(LAB_SITE);
  *exec = new CUgraphExec_st{graph->work};
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  Entry entry(LAB_SITE);
  const InStream here(stream_of(stream));
  for (const Work& one : exec->work) {
    const int error = one.run(one.site);
    if (error != 0) return entry.end(error);
  }
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  Entry entry(LAB_SITE);
  *count = graph->work.size();
  return entry.end(nodes == nullptr ? lab::program::kSuccess : lab::program::kNotSupported);
}
// Nodes run in the order in which they were added: those that they come behind are there then.
cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int) {
  *graph = new CUgraph_st;
  return cudaSuccess;
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t*,
                                   size_t, const struct cudaKernelNodeParams* kernel) {
  Entry entry(LAB_SITE);
  return add_node(node, graph, [&](cudaStream_t stream) {
    return lab::program::launch_from(
        entry, kernel->func, {kernel->gridDim, kernel->blockDim, kernel->sharedMemBytes, stream},
        kernel->kernelParams);
  });
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t*,
                                   size_t, const struct cudaMemcpy3DParms* copy) {
  return add_node(node, graph,
                  [&](cudaStream_t stream) { return cudaMemcpy3DAsync(copy, stream); });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t*, size_t, void* to, const void* from,
                                     size_t bytes, enum cudaMemcpyKind kind) {
  return add_node(node, graph, [&](cudaStream_t stream) {
    return cudaMemcpyAsync(to, from, bytes, kind, stream);
  });
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t*,
                                   size_t, const struct cudaMemsetParams* fill) {
  return add_node(node, graph, [&](cudaStream_t stream) {
    return cudaMemset2DAsync(fill->dst, std::max(fill->pitch, fill->width * fill->elementSize),
                             static_cast<int>(fill->value), fill->width * fill->elementSize,
                             fill->height, stream);
  });
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t*,
                                 size_t, const struct cudaHostNodeParams* call) {
  return add_node(node, graph, [&](cudaStream_t stream) {
    return cudaLaunchHostFunc(stream, call->fn, call->userData);
  });
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t*,
                                  size_t) {
  return add_node(node, graph, [](cudaStream_t) { return cudaSuccess; });
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t*, size_t, cudaGraph_t child) {
  Entry entry(LAB_SITE);
  const Graph parts = child->work;
  return add_node(node, graph, [&](cudaStream_t stream) {
    const auto run = [parts](Site) {
      for (const Work& one : parts) {
        const int error = one.run(one.site);
        if (error != 0) return error;
      }
      return static_cast<int>(cudaSuccess);
    };
    return lab::program::do_or_keep(entry, stream, run);
  });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  delete exec;
  return cudaSuccess;
}

}  // extern "C"
