// Work that is kept to be done later: what a stream captures, and the nodes of graphs.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "harness/programs/guest/runtime/calls.h"

/// A node of a graph: its work, behind that of others.
struct CUgraphNode_st {
  enum cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  lab::program::Site site = 0;
  std::function<int(lab::program::Site)> run;  // empty: nothing is to be done
  std::vector<CUgraphNode_st*> before;
  // Of a graph that can be launched: the line of nodes that it is in, and the event behind it.
  std::uint64_t line = 0;
  std::uint64_t done = 0;
};

namespace lab::program {

using Nodes = std::vector<std::unique_ptr<CUgraphNode_st>>;

/// A stream that nothing is done in: what goes into it is captured.
[[nodiscard]] cudaStream_t new_scratch();
void drop_scratch(cudaStream_t stream);
/// Until `end_capture`, what goes into a stream becomes nodes, one behind the other, and so does
/// what goes into streams that wait for its events, behind what these were recorded behind.
void begin_capture(cudaStream_t stream);
[[nodiscard]] bool is_captured(cudaStream_t stream);
/// Empty where nothing is captured.
std::unique_ptr<Nodes> end_capture(cudaStream_t stream);
/// The event is recorded in the stream that is being worked on.
void record(Entry& entry, cudaEvent_t event);
/// What comes next in the line that is being worked on waits for the event.
void wait_for(Entry& entry, cudaEvent_t event);
/// Does the nodes' work in a stream; the first error.
int run_in_stream(Entry& entry, cudaStream_t stream,
                  const std::vector<const CUgraphNode_st*>& nodes);

}  // namespace lab::program
