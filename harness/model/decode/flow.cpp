#include "harness/model/decode/decode.h"

namespace lab::model {
namespace {

using ptx::kNoIndex;
using Edges = std::vector<std::vector<std::uint32_t>>;

bool only_leaves(const ptx::Function& function, const ptx::Block& block) {
  if (block.first != block.last || !block.successors.empty()) return false;
  const ptx::Op op = function.instructions[block.first].op;
  return op == ptx::Op::kRet || op == ptx::Op::kExit || op == ptx::Op::kTrap;
}

Edges edges_that_count(const ptx::Function& function) {
  Edges edges(function.blocks.size());
  for (std::size_t i = 0; i < function.blocks.size(); ++i) {
    const auto& all = function.blocks[i].successors;
    for (const std::uint32_t to : all) {
      if (!only_leaves(function, function.blocks[to])) edges[i].push_back(to);
    }
    if (edges[i].empty()) edges[i] = all;
  }
  return edges;
}

/// Post-dominators by Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", on the
/// reversed graph with node `exit` behind all blocks that leave.
class PostDominators {
 public:
  explicit PostDominators(const Edges& edges)
      : edges_(edges), exit_(static_cast<std::uint32_t>(edges.size())) {
    number_from_exit();
    solve();
  }
  /// kNoIndex: the exit; also where the exit can't be reached.
  [[nodiscard]] std::uint32_t of(std::uint32_t block) const {
    return up_[block] == exit_ ? kNoIndex : up_[block];
  }
  [[nodiscard]] bool reaches_exit(std::uint32_t block) const { return rank_[block] != kNoIndex; }

 private:
  void number_from_exit() {
    Edges into(edges_.size() + 1);
    for (std::uint32_t i = 0; i < exit_; ++i) {
      for (const std::uint32_t to : edges_[i]) into[to].push_back(i);
      if (edges_[i].empty()) into[exit_].push_back(i);
    }
    // Postorder of a depth-first walk; an explicit stack, since kernels have thousands of blocks.
    rank_.assign(edges_.size() + 1, kNoIndex);
    std::vector<bool> seen(edges_.size() + 1);
    std::vector<std::pair<std::uint32_t, std::size_t>> walk = {{exit_, 0}};
    seen[exit_] = true;
    while (!walk.empty()) {
      auto& [node, next] = walk.back();
      if (next < into[node].size()) {
        const std::uint32_t to = into[node][next++];
        if (!seen[to]) {
          seen[to] = true;
          walk.emplace_back(to, 0);
        }
        continue;
      }
      rank_[node] = static_cast<std::uint32_t>(order_.size());
      order_.push_back(node);
      walk.pop_back();
    }
  }

  void solve() {
    up_.assign(edges_.size() + 1, kNoIndex);
    up_[exit_] = exit_;
    for (bool changed = true; changed;) {
      changed = false;
      for (auto node = order_.rbegin(); node != order_.rend(); ++node) {
        if (*node == exit_) continue;
        const std::uint32_t found = meet_of_successors(*node);
        changed = changed || found != up_[*node];
        up_[*node] = found;
      }
    }
  }

  std::uint32_t meet_of_successors(std::uint32_t node) const {
    if (edges_[node].empty()) return exit_;
    std::uint32_t met = kNoIndex;
    for (const std::uint32_t to : edges_[node]) {
      if (up_[to] == kNoIndex) continue;
      met = met == kNoIndex ? to : intersect(met, to);
    }
    return met;
  }

  std::uint32_t intersect(std::uint32_t a, std::uint32_t b) const {
    while (a != b) {
      while (rank_[a] < rank_[b]) a = up_[a];
      while (rank_[b] < rank_[a]) b = up_[b];
    }
    return a;
  }

  const Edges& edges_;
  std::uint32_t exit_;
  std::vector<std::uint32_t> rank_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> up_;
};

}  // namespace

std::vector<std::uint32_t> meeting_points(const ptx::Function& function) {
  const Edges edges = edges_that_count(function);
  const PostDominators found(edges);
  std::vector<std::uint32_t> points(function.blocks.size(), kNoIndex);
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    // In a loop whose only ways out were ignored, blocks meet where they do with those ways.
    points[i] = found.reaches_exit(i) ? found.of(i) : function.blocks[i].post_dominator;
  }
  return points;
}

}  // namespace lab::model
