// Graphs: nodes in an order in which none comes before what it depends on.
#include "harness/programs/guest/runtime/graph.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

using lab::program::Entry;
using lab::program::Nodes;
using lab::program::Site;

struct CUgraph_st {
  Nodes nodes;
};
struct CUgraphExec_st {
  Nodes nodes;                                           // in the order of their work
  std::map<const CUgraphNode_st*, CUgraphNode_st*> own;  // of the graph's nodes
};

namespace lab::program {
namespace {

/// Copies of the nodes, behind each other as they depend, else as they were added.
void copy_ordered(const Nodes& from, Nodes& to,
                  std::map<const CUgraphNode_st*, CUgraphNode_st*>& own) {
  while (to.size() < from.size()) {
    const std::size_t done = to.size();
    for (const auto& node : from) {
      if (own.contains(node.get())) continue;
      const bool ready = std::all_of(node->before.begin(), node->before.end(),
                                     [&](CUgraphNode_st* one) { return own.contains(one); });
      if (!ready) continue;
      to.push_back(std::make_unique<CUgraphNode_st>(*node));
      own[node.get()] = to.back().get();
      for (CUgraphNode_st*& one : to.back()->before) one = own.at(one);
    }
    if (to.size() == done) return;  // a ring
  }
}

/// Makes a node of what `queue` puts into a stream.
template <typename Queue>
cudaError_t add_node(cudaGraphNode_t* made, cudaGraph_t graph, const cudaGraphNode_t* before,
                     std::size_t count, cudaGraphNodeType type, Queue queue) {
  cudaStream_t const stream = new_scratch();
  const cudaError_t error = queue(stream);
  const auto captured = end_capture(stream);
  drop_scratch(stream);
  if (error != cudaSuccess) return error;
  auto node = captured->empty() ? std::make_unique<CUgraphNode_st>() : std::move(captured->front());
  node->type = type;
  node->before.assign(before, before + count);
  if (made != nullptr) *made = node.get();
  graph->nodes.push_back(std::move(node));
  return cudaSuccess;
}

// A node that comes behind one other alone is in its line, where no other is yet.
void set_lines(Entry& entry, Nodes& nodes) {
  std::set<const CUgraphNode_st*> continued;
  for (const auto& node : nodes) {
    node->done = new_id();
    const bool follows = node->before.size() == 1 && continued.insert(node->before.front()).second;
    node->line = follows ? node->before.front()->line : new_id();
    if (!follows) entry.line().note(StreamCall{node->line, StreamOrder::kNode}, entry.site());
  }
}

std::vector<const CUgraphNode_st*> pointers_to(const Nodes& nodes) {
  std::vector<const CUgraphNode_st*> all;
  for (const auto& node : nodes) all.push_back(node.get());
  return all;
}

cudaError_t list(const std::vector<cudaGraphNode_t>& all, cudaGraphNode_t* nodes, size_t* count) {
  if (nodes != nullptr) {
    const std::size_t room = std::min(*count, all.size());
    std::copy_n(all.begin(), room, nodes);
    std::fill(nodes + room, nodes + *count, nullptr);
    *count = room;
  } else {
    *count = all.size();
  }
  return cudaSuccess;
}

cudaError_t queue_kernel(Entry& entry, const cudaKernelNodeParams& kernel, cudaStream_t stream) {
  return launch_from(entry, kernel.func,
                     {kernel.gridDim, kernel.blockDim, kernel.sharedMemBytes, stream},
                     kernel.kernelParams);
}

/// The node's work becomes what `queue` puts into a stream.
template <typename Queue>
cudaError_t replace(CUgraphNode_st* node, Queue queue) {
  CUgraph_st scratch;
  cudaGraphNode_t made = nullptr;
  const cudaError_t error = add_node(&made, &scratch, nullptr, 0, node->type, queue);
  if (error == cudaSuccess) node->run = made->run;
  return error;
}

CUgraphNode_st* node_of(cudaGraphExec_t exec, cudaGraphNode_t node) {
  const auto at = exec->own.find(node);
  return at == exec->own.end() ? nullptr : at->second;
}

}  // namespace
}  // namespace lab::program

using lab::program::add_node;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode) {
  Entry entry(LAB_SITE);
  lab::program::begin_capture(stream);
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  Entry entry(LAB_SITE);
  auto nodes = lab::program::end_capture(stream);
  if (nodes == nullptr) return entry.end(cudaErrorStreamCaptureUnmatched);
  *graph = new CUgraph_st{std::move(*nodes)};
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus* status) {
  *status = lab::program::is_captured(stream) ? cudaStreamCaptureStatusActive
                                              : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode*) { return cudaSuccess; }

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int) {
  *graph = new CUgraph_st;
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
  *clone = new CUgraph_st;
  std::map<const CUgraphNode_st*, CUgraphNode_st*> own;
  lab::program::copy_ordered(graph->nodes, (*clone)->nodes, own);
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long) {
  Entry entry(LAB_SITE);
  auto made = std::make_unique<CUgraphExec_st>();
  lab::program::copy_ordered(graph->nodes, made->nodes, made->own);
  if (made->nodes.size() != graph->nodes.size()) return entry.end(lab::program::kInvalidValue);
  lab::program::set_lines(entry, made->nodes);
  *exec = made.release();
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  Entry entry(LAB_SITE);
  if (exec == nullptr) return entry.end(lab::program::kInvalidValue);
  for (const auto& node : exec->nodes) {
    entry.line().note(lab::program::StreamCall{node->line, lab::program::StreamOrder::kGone}, 0);
    entry.line().note(lab::program::RecordCall{node->done, 0, 1}, 0);
  }
  delete exec;
  return cudaSuccess;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  Entry entry(LAB_SITE);
  if (exec == nullptr) return entry.end(lab::program::kInvalidValue);
  return entry.end(
      lab::program::run_in_stream(entry, stream, lab::program::pointers_to(exec->nodes)));
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  std::vector<cudaGraphNode_t> all;
  for (const auto& node : graph->nodes) all.push_back(node.get());
  return lab::program::list(all, nodes, count);
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  std::vector<cudaGraphNode_t> roots;
  for (const auto& node : graph->nodes) {
    if (node->before.empty()) roots.push_back(node.get());
  }
  return lab::program::list(roots, nodes, count);
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType* type) {
  *type = node->type;
  return cudaSuccess;
}
cudaError_t lab_cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t* from,
                                         const cudaGraphNode_t* to, size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i]->before.push_back(from[i]);
  return cudaSuccess;
}
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  // Its graph keeps its place, and what came behind it comes behind what was before it.
  node->run = nullptr;
  node->type = cudaGraphNodeTypeEmpty;
  return cudaSuccess;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* before, size_t count,
                                   const struct cudaKernelNodeParams* kernel) {
  Entry entry(LAB_SITE);
  return add_node(node, graph, before, count, cudaGraphNodeTypeKernel, [&](cudaStream_t stream) {
    return lab::program::queue_kernel(entry, *kernel, stream);
  });
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaKernelNodeParams* kernel) {
  Entry entry(LAB_SITE);
  return lab::program::replace(node, [&](cudaStream_t stream) {
    return lab::program::queue_kernel(entry, *kernel, stream);
  });
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams* kernel) {
  Entry entry(LAB_SITE);
  CUgraphNode_st* const own = lab::program::node_of(exec, node);
  if (own == nullptr) return entry.end(lab::program::kInvalidValue);
  return lab::program::replace(
      own, [&](cudaStream_t stream) { return lab::program::queue_kernel(entry, *kernel, stream); });
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* before, size_t count,
                                   const struct cudaMemcpy3DParms* copy) {
  return add_node(node, graph, before, count, cudaGraphNodeTypeMemcpy,
                  [&](cudaStream_t stream) { return cudaMemcpy3DAsync(copy, stream); });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* before, size_t count, void* to,
                                     const void* from, size_t bytes, enum cudaMemcpyKind kind) {
  return add_node(node, graph, before, count, cudaGraphNodeTypeMemcpy, [&](cudaStream_t stream) {
    return cudaMemcpyAsync(to, from, bytes, kind, stream);
  });
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                               const void* from, size_t bytes,
                                               enum cudaMemcpyKind kind) {
  Entry entry(LAB_SITE);
  CUgraphNode_st* const own = lab::program::node_of(exec, node);
  if (own == nullptr) return entry.end(lab::program::kInvalidValue);
  return lab::program::replace(
      own, [&](cudaStream_t stream) { return cudaMemcpyAsync(to, from, bytes, kind, stream); });
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* before, size_t count,
                                   const struct cudaMemsetParams* fill) {
  Entry entry(LAB_SITE);
  return add_node(node, graph, before, count, cudaGraphNodeTypeMemset, [&](cudaStream_t stream) {
    return do_or_keep(entry, stream, [how = *fill](Site site) {
      Entry later(site);
      return lab::program::fill_rows(later, how);
    });
  });
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* before, size_t count,
                                 const struct cudaHostNodeParams* call) {
  return add_node(node, graph, before, count, cudaGraphNodeTypeHost, [&](cudaStream_t stream) {
    return cudaLaunchHostFunc(stream, call->fn, call->userData);
  });
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* before, size_t count) {
  return add_node(node, graph, before, count, cudaGraphNodeTypeEmpty,
                  [](cudaStream_t) { return cudaSuccess; });
}
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* before, size_t count,
                                        cudaEvent_t event) {
  Entry entry(LAB_SITE);
  return add_node(node, graph, before, count, cudaGraphNodeTypeEventRecord,
                  [&](cudaStream_t stream) {
                    return do_or_keep(entry, stream, [event](Site site) {
                      Entry later(site);
                      lab::program::record(later, event);
                      return static_cast<int>(lab::program::kSuccess);
                    });
                  });
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* before, size_t count,
                                      cudaEvent_t event) {
  Entry entry(LAB_SITE);
  return add_node(node, graph, before, count, cudaGraphNodeTypeWaitEvent, [&](cudaStream_t stream) {
    return do_or_keep(entry, stream, [event](Site site) {
      Entry later(site);
      lab::program::wait_for(later, event);
      return static_cast<int>(lab::program::kSuccess);
    });
  });
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* before, size_t count,
                                       cudaGraph_t child) {
  cudaGraphExec_t exec = nullptr;
  const cudaError_t error = cudaGraphInstantiateWithFlags(&exec, child, 0);
  if (error != cudaSuccess) return error;
  const std::shared_ptr<CUgraphExec_st> own(exec);
  cudaGraphNode_t made = nullptr;
  const cudaError_t added = cudaGraphAddEmptyNode(&made, graph, before, count);
  if (added != cudaSuccess) return added;
  made->type = cudaGraphNodeTypeGraph;
  made->run = [own](Site) {
    for (const auto& one : own->nodes) {
      const int failed = one->run ? one->run(one->site) : 0;
      if (failed != 0) return failed;
    }
    return 0;
  };
  if (node != nullptr) *node = made;
  return cudaSuccess;
}

}  // extern "C"
