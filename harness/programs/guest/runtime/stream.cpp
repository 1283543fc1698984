// Streams and events. Work is done in the order of the calls, which is one of the orders in which a
// GPU may do it.
#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "harness/programs/guest/runtime/graph.h"

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
  std::uint64_t id = 0;                      ///< 0: the default stream's
  std::vector<CUgraphNode_st*> behind = {};  ///< of what is kept: what comes next waits for these
};
struct CUevent_st {
  unsigned flags = 0;
  bool recorded = false;
  double at_ns = 0;
  std::uint64_t untimed = 0;  ///< works before it, of all streams, whose time nobody knows
  std::shared_ptr<Capture> capture = {};  ///< that it was recorded in
  std::uint64_t id = lab::program::new_id();
  std::vector<CUgraphNode_st*> behind = {};  ///< what it was recorded behind there
};
namespace {

CUstream_st& default_stream() {
  static auto* stream = new CUstream_st;
  return *stream;
}

// A blocking stream, one for each thread.
CUstream_st& per_thread_stream() {
  static thread_local CUstream_st* own = nullptr;
  if (own != nullptr) return *own;
  own = new CUstream_st;
  own->clock.kind = lab::program::StreamKind::kBlocking;
  own->id = lab::program::new_id();
  Entry entry(0);
  entry.line().note(lab::program::StreamCall{own->id, lab::program::StreamOrder::kPerThread}, 0);
  return *own;
}

CUstream_st& stream_of(cudaStream_t stream) {
  const bool own =
      stream == nullptr ? lab::program::is_default_per_thread() : stream == cudaStreamPerThread;
  if (own) return per_thread_stream();
  return stream == nullptr || stream == cudaStreamLegacy ? default_stream() : *stream;
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

CUstream_st& stream_worked_on() { return worked_on == nullptr ? stream_of(nullptr) : *worked_on; }

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

namespace {

std::uint64_t works = 0;
std::uint64_t line_of_work = 0;
bool graph_runs = false;

}  // namespace

std::uint64_t new_id() {
  static std::uint64_t last = 0;
  return ++last;
}
std::uint64_t current_work() { return works; }
std::uint64_t current_line() { return line_of_work; }
bool in_graph() { return graph_runs; }

std::uint64_t begin_work_in(Entry& entry, std::uint64_t line) {
  line_of_work = line;
  entry.line().note(WorkCall{line, ++works}, entry.site());
  return works;
}
std::uint64_t begin_work(Entry& entry, cudaStream_t stream) {
  return begin_work_in(entry, stream_of(stream).id);
}
void host_waits_for_stream(Entry& entry, cudaStream_t stream) {
  host_waits(entry, WaitFor::kStream, stream_of(stream).id);
}

cudaError_t do_or_keep(Entry& entry, cudaStream_t stream, std::function<int(Site)> work) {
  CUstream_st& in = stream_of(stream);
  if (!is_open(in)) {
    const InStream here(in);
    begin_work_in(entry, in.id);
    return entry.end(work(entry.site()));
  }
  auto node = std::make_unique<CUgraphNode_st>();
  node->type = cudaGraphNodeTypeKernel;
  node->site = entry.site();
  node->run = std::move(work);
  node->before = std::exchange(in.behind, {node.get()});
  in.capture->work.push_back(std::move(node));
  return entry.end(kSuccess);
}

cudaStream_t new_scratch() {
  auto* stream = new CUstream_st;
  begin_capture(stream);
  return stream;
}
void drop_scratch(cudaStream_t stream) { delete stream; }
void begin_capture(cudaStream_t stream) {
  stream_of(stream).capture = std::make_shared<Capture>();
  stream_of(stream).behind.clear();
}
bool is_captured(cudaStream_t stream) { return is_open(stream_of(stream)); }
std::unique_ptr<Nodes> end_capture(cudaStream_t stream) {
  CUstream_st& in = stream_of(stream);
  if (!is_open(in)) return nullptr;
  in.capture->open = false;
  return std::make_unique<Nodes>(std::move(in.capture->work));
}

void record(Entry& entry, cudaEvent_t event) {
  entry.line().note(RecordCall{event->id, current_line()}, entry.site());
  event->recorded = true;
  event->at_ns = timeline().ready(stream_worked_on().clock);
  event->untimed = timeline().untimed();
}

void wait_for(Entry& entry, cudaEvent_t event) {
  entry.line().note(StreamWaits{current_line(), event->id}, entry.site());
}

// Each node waits for those that it depends on, and the stream for all of them.
int run_in_stream(Entry& entry, cudaStream_t stream,
                  const std::vector<const CUgraphNode_st*>& nodes) {
  CUstream_st& in = stream_of(stream);
  const InStream here(in);
  const std::uint64_t start = new_id();
  // A graph is not launched beside itself (Programming Guide, "Launching an Executable Graph").
  for (const CUgraphNode_st* one : nodes) {
    entry.line().note(StreamWaits{in.id, one->done}, entry.site());
  }
  entry.line().note(RecordCall{start, in.id}, entry.site());
  graph_runs = true;
  int error = kSuccess;
  for (const CUgraphNode_st* one : nodes) {
    if (error != kSuccess) break;
    entry.line().note(StreamWaits{one->line, start}, entry.site());
    for (const CUgraphNode_st* before : one->before) {
      if (before->line != one->line) {
        entry.line().note(StreamWaits{one->line, before->done}, entry.site());
      }
    }
    Entry of_node(one->site);
    begin_work_in(of_node, one->line);
    error = one->run ? one->run(one->site) : 0;
    entry.line().note(RecordCall{one->done, one->line}, entry.site());
  }
  for (const CUgraphNode_st* one : nodes) {
    entry.line().note(StreamWaits{in.id, one->done}, entry.site());
  }
  graph_runs = false;
  entry.line().note(RecordCall{start, 0, 1}, entry.site());
  return error;
}

// A function of the host's, called by a stream, sees what came before it there. What it tells the
// rest of the program nobody sees: all of it may know as much.
void wait_in_stream(Site site) {
  Entry later(site);
  host_waits(later, WaitFor::kWork, current_work());
}

int make_stream(Entry& entry, cudaStream_t* stream, unsigned flags, int priority) {
  *stream = new CUstream_st{flags, priority, nullptr, {}};
  const bool blocks = (flags & cudaStreamNonBlocking) == 0;
  (*stream)->clock.kind = blocks ? StreamKind::kBlocking : StreamKind::kNonBlocking;
  (*stream)->id = new_id();
  entry.line().note(
      StreamCall{(*stream)->id, blocks ? StreamOrder::kBlocking : StreamOrder::kNonBlocking},
      entry.site());
  return kSuccess;
}

}  // namespace lab::program

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  Entry entry(LAB_SITE);
  return entry.end(lab::program::make_stream(entry, stream, flags, priority));
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  Entry entry(LAB_SITE);
  return entry.end(lab::program::make_stream(entry, stream, cudaStreamDefault, 0));
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  Entry entry(LAB_SITE);
  return entry.end(lab::program::make_stream(entry, stream, flags, 0));
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  Entry entry(LAB_SITE);
  if (stream == nullptr) return entry.end(cudaErrorInvalidResourceHandle);
  entry.line().note(lab::program::StreamCall{stream->id, lab::program::StreamOrder::kGone},
                    entry.site());
  delete stream;
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  Entry entry(LAB_SITE);
  lab::program::host_waits_for_stream(entry, stream);
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
    if (in.capture != event->capture) in.behind.clear();
    in.capture = event->capture;
    in.behind.insert(in.behind.end(), event->behind.begin(), event->behind.end());
  } else if (!is_open(in)) {
    entry.line().note(lab::program::StreamWaits{in.id, event->id}, entry.site());
    in.clock.end_ns = std::max(in.clock.end_ns, event->at_ns);
  }
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned int) {
  Entry entry(LAB_SITE);
  return do_or_keep(entry, stream, [=](Site site) {
    lab::program::wait_in_stream(site);  // it is called behind what came before
    callback(stream, cudaSuccess, data);
    return static_cast<int>(lab::program::kSuccess);
  });
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  Entry entry(LAB_SITE);
  return do_or_keep(entry, stream, [=](Site site) {
    lab::program::wait_in_stream(site);
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
  event->behind = is_open(in) ? in.behind : std::vector<CUgraphNode_st*>{};
  event->recorded = event->capture == nullptr;  // in a graph it has no time
  if (event->recorded) {
    entry.line().note(lab::program::RecordCall{event->id, in.id}, entry.site());
    event->at_ns = lab::program::timeline().ready(in.clock);
    event->untimed = lab::program::timeline().untimed();
  }
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int) {
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  Entry entry(LAB_SITE);
  if (event == nullptr) return entry.end(cudaErrorInvalidResourceHandle);
  lab::program::host_waits(entry, lab::program::WaitFor::kEvent, event->id);
  lab::program::timeline().host_until(event->at_ns);
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  Entry entry(LAB_SITE);
  if (event == nullptr) return entry.end(cudaErrorInvalidResourceHandle);
  entry.line().note(lab::program::RecordCall{event->id, 0, 1}, entry.site());
  delete event;
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  Entry entry(LAB_SITE);
  if (start == nullptr || stop == nullptr || !start->recorded || !stop->recorded) {
    return entry.end(cudaErrorInvalidResourceHandle);
  }
  // It has an answer where both are over.
  lab::program::host_waits(entry, lab::program::WaitFor::kEvent, start->id);
  lab::program::host_waits(entry, lab::program::WaitFor::kEvent, stop->id);
  // Work between the two whose time nobody knows: no number is better than one that is made up.
  const double ns = stop->untimed == start->untimed ? stop->at_ns - start->at_ns
                                                    : std::numeric_limits<double>::quiet_NaN();
  *milliseconds = static_cast<float>(ns / 1e6);
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
