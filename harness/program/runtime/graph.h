// Work that is kept to be done later: what a stream captures, and the nodes of graphs.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "harness/program/runtime/calls.h"

/// A node of a graph: its work, behind that of others.
struct CUgraphNode_st {
  enum cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  lab::program::Site site = 0;
  std::function<int(lab::program::Site)> run;  // empty: nothing is to be done
  std::vector<CUgraphNode_st*> before;
};

namespace lab::program {

using Nodes = std::vector<std::unique_ptr<CUgraphNode_st>>;

/// Until `end_capture`, what goes into a stream becomes nodes, one behind the other, and so does
/// what goes into streams that wait for its events.
void begin_capture(cudaStream_t stream);
[[nodiscard]] bool is_captured(cudaStream_t stream);
/// Empty where nothing is captured.
std::unique_ptr<Nodes> end_capture(cudaStream_t stream);
/// The event is recorded in the stream that is being worked on.
void record(cudaEvent_t event);
/// Does the nodes' work in a stream, or keeps it where that is captured; the first error.
int run_in_stream(cudaStream_t stream, const std::vector<const CUgraphNode_st*>& nodes);

}  // namespace lab::program
