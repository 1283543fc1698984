#include "harness/kernel/ptx/cfg.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"

namespace lab::ptx {

namespace {

using Graph = std::vector<std::vector<std::uint32_t>>;

bool leaves_function(const Instruction& i) {
  return i.op == Op::kRet || i.op == Op::kExit || i.op == Op::kTrap;
}
bool ends_block(const Instruction& i) {
  return i.op == Op::kBra || i.op == Op::kBrx || leaves_function(i);
}
bool falls_through(const Instruction& i) { return !ends_block(i) || i.guard != kNoIndex; }

// Instructions that the last instruction of a block can branch to.
std::vector<std::uint32_t> targets(const Function& function, const Instruction& last) {
  if (last.op == Op::kBra) return {last.operands[0].target};
  if (last.op == Op::kBrx) return function.branch_targets[last.operands[1].target].targets;
  return {};
}

std::vector<std::uint32_t> block_of_instruction(const Function& function) {
  const std::size_t count = function.instructions.size();
  std::vector<bool> starts(count + 1, false);
  starts[0] = true;
  for (std::size_t i = 0; i < count; ++i) {
    const Instruction& instruction = function.instructions[i];
    if (ends_block(instruction)) starts[i + 1] = true;
    if (instruction.op == Op::kBra) starts[instruction.operands[0].target] = true;
  }
  for (const BranchTargets& list : function.branch_targets) {
    for (const std::uint32_t target : list.targets) starts[target] = true;
  }
  std::vector<std::uint32_t> blocks(count);
  std::uint32_t block = kNoIndex;
  for (std::size_t i = 0; i < count; ++i) {
    if (starts[i]) ++block;
    blocks[i] = block;
  }
  return blocks;
}

// Distinct successors: branch targets in their order, then the next block.
void add_successors(const Function& function, const std::vector<std::uint32_t>& block_of,
                    Block& block) {
  const Instruction& last = function.instructions[block.last];
  std::vector<std::uint32_t>& out = block.successors;
  for (const std::uint32_t target : targets(function, last)) out.push_back(block_of[target]);
  if (falls_through(last) && block.last + 1 < block_of.size()) {
    out.push_back(block_of[block.last + 1]);
  }
  if (out.size() < 2) return;
  std::vector<std::uint32_t> sorted = out;
  std::sort(sorted.begin(), sorted.end());
  std::vector<bool> seen(sorted.size(), false);
  const auto is_repeated = [&](std::uint32_t node) {
    const auto at = static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), node) -
                                             sorted.begin());
    const bool repeated = seen[at];
    seen[at] = true;
    return repeated;
  };
  out.erase(std::remove_if(out.begin(), out.end(), is_repeated), out.end());
}

// Lengauer-Tarjan from `root`, on a graph given by its reversed edges.
class Dominators {
 public:
  Dominators(const Graph& forward, const Graph& backward, std::uint32_t root)
      : forward_(forward), backward_(backward), nodes_(forward.size()) {
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) nodes_[i].label = i;
    number(root);
  }

  std::vector<std::uint32_t> run() {
    std::vector<std::vector<std::uint32_t>> bucket(nodes_.size());
    for (std::size_t i = order_.size(); i-- > 1;) {
      const std::uint32_t w = order_[i];
      for (const std::uint32_t v : backward_[w]) {
        if (nodes_[v].semi == kNoIndex) continue;
        nodes_[w].semi = std::min(nodes_[w].semi, nodes_[evaluate(v)].semi);
      }
      bucket[order_[nodes_[w].semi]].push_back(w);
      const std::uint32_t parent = nodes_[w].parent;
      nodes_[w].ancestor = parent;
      for (const std::uint32_t v : bucket[parent]) {
        const std::uint32_t u = evaluate(v);
        nodes_[v].dominator = nodes_[u].semi < nodes_[v].semi ? u : parent;
      }
      bucket[parent].clear();
    }
    return finish();
  }

 private:
  struct Node {
    std::uint32_t semi = kNoIndex;  // depth-first number; of the semi-dominator later
    std::uint32_t parent = kNoIndex;
    std::uint32_t ancestor = kNoIndex;
    std::uint32_t label = 0;
    std::uint32_t dominator = kNoIndex;
  };

  // Depth-first numbers. The stack is explicit, since a text can nest as deep as it is long.
  void number(std::uint32_t root) {
    struct Visit {
      std::uint32_t node;
      std::size_t next;
    };
    std::vector<Visit> stack;
    const auto enter = [&](std::uint32_t node, std::uint32_t parent) {
      nodes_[node].semi = static_cast<std::uint32_t>(order_.size());
      nodes_[node].parent = parent;
      order_.push_back(node);
      stack.push_back({node, 0});
    };
    enter(root, kNoIndex);
    while (!stack.empty()) {
      Visit& top = stack.back();
      if (top.next == forward_[top.node].size()) {
        stack.pop_back();
        continue;
      }
      const std::uint32_t from = top.node;
      const std::uint32_t child = forward_[from][top.next++];
      if (nodes_[child].semi == kNoIndex) enter(child, from);
    }
  }

  // The node with the least semi-dominator on the path up; shortens the path.
  std::uint32_t evaluate(std::uint32_t v) {
    if (nodes_[v].ancestor == kNoIndex) return v;
    std::vector<std::uint32_t> path;
    for (std::uint32_t u = v; nodes_[nodes_[u].ancestor].ancestor != kNoIndex;
         u = nodes_[u].ancestor) {
      path.push_back(u);
    }
    for (std::size_t i = path.size(); i-- > 0;) {
      Node& node = nodes_[path[i]];
      const Node& above = nodes_[node.ancestor];
      if (nodes_[above.label].semi < nodes_[node.label].semi) node.label = above.label;
      node.ancestor = above.ancestor;
    }
    return nodes_[v].label;
  }

  std::vector<std::uint32_t> finish() {
    std::vector<std::uint32_t> result(nodes_.size(), kNoIndex);
    for (std::size_t i = 1; i < order_.size(); ++i) {
      const std::uint32_t w = order_[i];
      if (nodes_[w].dominator != order_[nodes_[w].semi]) {
        nodes_[w].dominator = nodes_[nodes_[w].dominator].dominator;
      }
      result[w] = nodes_[w].dominator;
    }
    return result;
  }

  const Graph& forward_;
  const Graph& backward_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> order_;
};

// Loops that nothing leaves, by Tarjan's strongly connected components: those with no edge out.
class EndlessLoops {
 public:
  explicit EndlessLoops(const Graph& graph) : graph_(graph), nodes_(graph.size()) {
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
      if (nodes_[i].number == kNoIndex) walk(i);
    }
  }

  /// By node: the one of its loop that a walk from node 0 comes to first; kNoIndex: it is in none.
  [[nodiscard]] std::vector<std::uint32_t> heads() const {
    std::vector<bool> is_left(graph_.size(), false);
    for (std::uint32_t i = 0; i < graph_.size(); ++i) {
      const bool leaves = std::any_of(graph_[i].begin(), graph_[i].end(), [&](std::uint32_t to) {
        return nodes_[to].head != nodes_[i].head;
      });
      if (leaves || graph_[i].empty()) is_left[nodes_[i].head] = true;
    }
    std::vector<std::uint32_t> heads(graph_.size(), kNoIndex);
    for (std::uint32_t i = 0; i < graph_.size(); ++i) {
      if (!is_left[nodes_[i].head]) heads[i] = nodes_[i].head;
    }
    return heads;
  }

 private:
  struct Node {
    std::uint32_t number = kNoIndex;
    std::uint32_t low = kNoIndex;
    std::uint32_t head = kNoIndex;  // of its component, once that is known
  };
  struct Visit {
    std::uint32_t node;
    std::size_t next;
  };

  void enter(std::uint32_t node) {
    nodes_[node].number = nodes_[node].low = next_number_++;
    open_.push_back(node);
    stack_.push_back({node, 0});
  }

  // The stack is explicit, since a text can nest as deep as it is long.
  void walk(std::uint32_t root) {
    enter(root);
    while (!stack_.empty()) {
      Visit& top = stack_.back();
      const std::uint32_t from = top.node;
      if (top.next == graph_[from].size()) {
        stack_.pop_back();
        if (!stack_.empty()) lower(stack_.back().node, nodes_[from].low);
        if (nodes_[from].low == nodes_[from].number) close(from);
        continue;
      }
      const std::uint32_t to = graph_[from][top.next++];
      if (nodes_[to].number == kNoIndex) {
        enter(to);
      } else if (nodes_[to].head == kNoIndex) {
        lower(from, nodes_[to].number);
      }
    }
  }
  void lower(std::uint32_t node, std::uint32_t low) {
    nodes_[node].low = std::min(nodes_[node].low, low);
  }
  void close(std::uint32_t head) {
    while (nodes_[head].head == kNoIndex) {
      nodes_[open_.back()].head = head;
      open_.pop_back();
    }
  }

  const Graph& graph_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> open_;
  std::vector<Visit> stack_;
  std::uint32_t next_number_ = 0;
};

}  // namespace

std::vector<std::uint32_t> endless_loops(const Graph& successors, const std::vector<bool>& leaves) {
  Graph forward = successors;
  const auto exit = static_cast<std::uint32_t>(successors.size());
  for (std::uint32_t i = 0; i < exit; ++i) {
    if (leaves[i]) forward[i].push_back(exit);
  }
  forward.emplace_back();
  std::vector<std::uint32_t> heads = EndlessLoops(forward).heads();
  heads.pop_back();
  return heads;
}

std::vector<std::uint32_t> post_dominators(const Graph& successors,
                                           const std::vector<bool>& leaves) {
  const auto exit = static_cast<std::uint32_t>(successors.size());
  Graph forward = successors;
  for (std::uint32_t i = 0; i < exit; ++i) {
    if (leaves[i]) forward[i].push_back(exit);
  }
  forward.emplace_back();
  // Of a loop that nothing leaves, lanes meet where a round ends: ways back to its head lead to a
  // node of their own, behind which is the exit.
  const std::vector<std::uint32_t> heads = endless_loops(successors, leaves);
  std::vector<std::uint32_t> head_of(forward.size(), kNoIndex);
  std::vector<std::uint32_t> end_of(forward.size(), kNoIndex);
  for (std::uint32_t i = 0; i < exit; ++i) {
    for (std::uint32_t& to : forward[i]) {
      if (heads[i] == kNoIndex || to != heads[i]) continue;
      if (end_of[to] == kNoIndex) {
        end_of[to] = static_cast<std::uint32_t>(head_of.size());
        head_of.push_back(to);
      }
      to = end_of[to];
    }
  }
  forward.resize(head_of.size(), {exit});
  Graph backward(forward.size());
  for (std::uint32_t i = 0; i < forward.size(); ++i) {
    for (const std::uint32_t to : forward[i]) backward[to].push_back(i);
  }
  std::vector<std::uint32_t> result = Dominators(backward, forward, exit).run();
  result.resize(exit);
  for (std::uint32_t& node : result) {
    if (node != kNoIndex && node >= exit) node = head_of[node];
  }
  return result;
}

void build_blocks(Function& function) {
  constexpr std::size_t kMostEdges = 1'000'000;
  const std::vector<std::uint32_t> block_of = block_of_instruction(function);
  for (std::uint32_t i = 0; i < block_of.size(); ++i) {
    if (block_of[i] == function.blocks.size()) function.blocks.push_back({i, i, {}, kNoIndex});
    function.blocks.back().last = i;
  }
  Graph successors;
  std::vector<bool> leaves;
  std::size_t edges = 0;
  for (Block& block : function.blocks) {
    add_successors(function, block_of, block);
    edges += block.successors.size();
    if (edges > kMostEdges) {
      throw input_error(
          fmt::format("function '{}' has more than {} branches", function.name, kMostEdges));
    }
    successors.push_back(block.successors);
    leaves.push_back(leaves_function(function.instructions[block.last]));
  }
  const std::vector<std::uint32_t> meet = post_dominators(successors, leaves);
  const std::vector<std::uint32_t> heads = endless_loops(successors, leaves);
  for (std::size_t i = 0; i < meet.size(); ++i) {
    function.blocks[i].post_dominator = meet[i];
    function.blocks[i].endless = heads[i] != kNoIndex;
  }
}

}  // namespace lab::ptx
