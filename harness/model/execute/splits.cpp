#include "harness/model/execute/splits.h"

#include <algorithm>
#include <cstring>

#include "harness/model/execute/block.h"
#include "harness/model/execute/warp.h"

namespace lab::model {

std::uint32_t Splits::make(std::uint32_t parent) {
  std::uint32_t index = 0;
  if (free_.empty()) {
    index = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
    nodes_[index] = Split();
  }
  nodes_[index].parent = parent;
  if (parent != kNone) ++nodes_[parent].children;
  leaves_.push_back(index);
  return index;
}

void Splits::reset(Warp& warp) {
  nodes_.clear();
  free_.clear();
  leaves_.clear();
  released_ = false;
  current_ = make(kNone);
  Split& root = nodes_[current_];
  root.block = program_->entry_block;
  root.pc = &program_->code[program_->blocks[root.block].first];
  root.mask = warp.live;
}

void Splits::stop(Warp& warp) {
  nodes_.clear();
  free_.clear();
  leaves_.clear();
  warp.live = 0;
  warp.mask = 0;
}

void Splits::save(const Warp& warp, const Ins* pc, std::uint32_t block, Split::State state) {
  Split& split = nodes_[current_];
  split.state = state;
  split.pc = pc;
  split.block = block;
  split.mask = warp.mask;
  split.rpc = warp.rpc;
}

void Splits::drop_leaf(std::uint32_t leaf) {
  if (leaves_.back() == leaf) {  // the split that runs is nearly always the last
    leaves_.pop_back();
  } else {
    leaves_.erase(std::find(leaves_.begin(), leaves_.end(), leaf));
  }
}

const Ins* Splits::resume(Warp& warp) {
  std::size_t at = leaves_.size();
  while (at > 0 && nodes_[leaves_[at - 1]].state != Split::State::kReady) --at;
  if (at == 0) return nullptr;
  current_ = leaves_[at - 1];
  const Split& split = nodes_[current_];
  warp.mask = split.mask;
  warp.rpc = split.rpc;
  if (split.block != kNone) ++warp.entered[split.block];
  return split.pc;
}

void Splits::part(Warp& warp, std::uint32_t meet) {
  if (leaves_.back() != current_) {  // behind it there are only parked ones
    drop_leaf(current_);
    leaves_.push_back(current_);
  }
  // Sides of the branch that end where this split would take its place.
  if (meet == kNone || meet == warp.rpc) return;
  save(warp, &program_->code[program_->blocks[meet].first], meet, Split::State::kWaits);
  leaves_.pop_back();
  current_ = make(current_);
  nodes_[current_].mask = warp.mask;
  warp.rpc = meet;
}

void Splits::set_aside(const Warp& warp, std::uint32_t lanes, const Ins* pc, std::uint32_t block) {
  leaves_.pop_back();
  Split& side = nodes_[make(nodes_[current_].parent)];
  side.pc = pc;
  side.block = block;
  side.mask = lanes;
  side.rpc = warp.rpc;
  leaves_.push_back(current_);
}

const Ins* Splits::diverge(Warp& warp, const Ins* ins, std::uint32_t taken) {
  part(warp, ins->extra);
  const bool only_taken = ins->next_block == warp.rpc;
  if (!only_taken && ins->block != warp.rpc) set_aside(warp, taken, ins->target, ins->block);
  warp.mask = only_taken ? taken : warp.mask & ~taken;
  ++warp.entered[only_taken ? ins->block : ins->next_block];
  return only_taken ? ins->target : ins + 1;
}

const Ins* Splits::peel(Warp& warp, const Ins* ins, std::uint32_t who, const Ins* to) {
  part(warp, ins->extra);
  set_aside(warp, warp.mask & ~who, ins, kNone);
  warp.mask = who;
  return to;
}

void Splits::wake(Warp& warp, Split& parent) {
  if (parent.call == kNone) return;
  copy_lanes(warp, program_->calls[parent.call].results, parent.call_mask & parent.mask);
  parent.call = kNone;
}

const Ins* Splits::finish(Warp& warp) {
  std::uint32_t done = current_;
  drop_leaf(done);
  for (;;) {
    const std::uint32_t parent = nodes_[done].parent;
    nodes_[done].state = Split::State::kFree;
    free_.push_back(done);
    if (parent == kNone || --nodes_[parent].children > 0) break;
    if (nodes_[parent].mask != 0) {
      wake(warp, nodes_[parent]);
      nodes_[parent].state = Split::State::kReady;
      leaves_.push_back(parent);
      break;
    }
    done = parent;
  }
  return resume(warp);
}

const Ins* Splits::arrive(Warp& warp) { return finish(warp); }

const Ins* Splits::exit_lanes(Warp& warp, std::uint32_t gone, const Ins* next) {
  warp.live &= ~gone;
  warp.mask &= ~gone;
  for (Split& split : nodes_) split.mask &= ~gone;
  return warp.mask != 0 ? next : finish(warp);
}

const Ins* Splits::return_lanes(Warp& warp, std::uint32_t gone, const Ins* next) {
  warp.mask &= ~gone;
  for (std::uint32_t at = nodes_[current_].parent; at != kNone; at = nodes_[at].parent) {
    if (nodes_[at].call != kNone) break;
    nodes_[at].mask &= ~gone;
  }
  return warp.mask != 0 ? next : finish(warp);
}

const Ins* Splits::call(Warp& warp, std::uint32_t call, std::uint32_t who, const Ins* next) {
  const Call& what = program_->calls[call];
  copy_lanes(warp, what.arguments, who);
  save(warp, next, kNone, Split::State::kWaits);
  nodes_[current_].call = call;
  nodes_[current_].call_mask = who;
  drop_leaf(current_);
  Split& child = nodes_[make(current_)];
  child.mask = who;
  child.block = what.entry_block;
  child.pc = what.entry;
  return resume(warp);
}

const Ins* Splits::park(Warp& warp, const Ins* next, Split::State state) {
  save(warp, next, kNone, state);
  return resume(warp);
}

void Splits::release(Split::State state) {
  std::size_t released = 0;
  for (const std::uint32_t leaf : leaves_) {
    if (nodes_[leaf].state != state) continue;
    nodes_[leaf].state = Split::State::kReady;
    ++released;
  }
  if (released > 1) join();
}

void Splits::join() {
  const auto meets = [](const Split& a, const Split& b) {
    return a.state == Split::State::kReady && b.state == Split::State::kReady && a.pc == b.pc &&
           a.block == b.block && a.rpc == b.rpc && a.parent == b.parent;
  };
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    Split& one = nodes_[leaves_[i]];
    for (std::size_t j = leaves_.size() - 1; j > i; --j) {
      Split& other = nodes_[leaves_[j]];
      if (!meets(one, other)) continue;
      one.mask |= other.mask;
      released_ = false;
      other.state = Split::State::kFree;
      if (other.parent != kNone) --nodes_[other.parent].children;
      free_.push_back(leaves_[j]);
      leaves_.erase(leaves_.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

std::uint32_t Splits::mask_of(Split::State state) const {
  std::uint32_t mask = 0;
  for (const std::uint32_t leaf : leaves_)
    mask |= nodes_[leaf].state == state ? nodes_[leaf].mask : 0;
  return mask;
}

const Ins* Splits::parked_at(Split::State state) const {
  for (const std::uint32_t leaf : leaves_) {
    if (nodes_[leaf].state == state) return nodes_[leaf].pc;
  }
  return nullptr;
}

std::uint32_t Splits::ready_count() const {
  return static_cast<std::uint32_t>(std::count_if(
      leaves_.begin(), leaves_.end(),
      [this](std::uint32_t leaf) { return nodes_[leaf].state == Split::State::kReady; }));
}

std::uint32_t Splits::mask_below(std::uint32_t node) const {
  std::uint32_t mask = 0;
  for (const std::uint32_t leaf : leaves_) {
    for (std::uint32_t at = nodes_[leaf].parent; at != kNone; at = nodes_[at].parent) {
      if (at == node) mask |= nodes_[leaf].mask;
    }
  }
  return mask;
}

bool Splits::release_waiting_lanes(const Warp& warp) {
  bool any = false;
  const auto count = static_cast<std::uint32_t>(nodes_.size());
  for (std::uint32_t node = 0; node < count; ++node) {
    if (nodes_[node].state != Split::State::kWaits || nodes_[node].call != kNone) continue;
    const std::uint32_t waiting = nodes_[node].mask & warp.live & ~mask_below(node);
    if (waiting == 0) continue;
    Split& leaf = nodes_[make(nodes_[node].parent)];
    leaf.pc = nodes_[node].pc;
    leaf.block = nodes_[node].block;
    leaf.rpc = nodes_[node].rpc;
    leaf.mask = waiting;
    nodes_[node].mask &= ~waiting;
    any = true;
  }
  released_ = released_ || any;
  return any;
}

bool Splits::rotate(Warp& warp, const Ins* pc, std::uint32_t block, bool releases) {
  save(warp, pc, block, Split::State::kReady);
  const auto ready = [this](std::uint32_t leaf) {
    return leaf != current_ && nodes_[leaf].state == Split::State::kReady;
  };
  const bool others = std::any_of(leaves_.begin(), leaves_.end(), ready);
  if (!others && !(releases && release_waiting_lanes(warp))) return false;
  drop_leaf(current_);
  leaves_.insert(leaves_.begin(), current_);
  return true;
}

void copy_lanes(const Warp& warp, const std::vector<Call::Copy>& copies, std::uint32_t mask) {
  const Block& block = *warp.block;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (((mask >> lane) & 1U) == 0) continue;
    std::byte* own = block.local + (std::size_t{warp.index} * kLanes + lane) * block.local_bytes;
    for (const Call::Copy& copy : copies) std::memcpy(own + copy.to, own + copy.from, copy.bytes);
  }
}

}  // namespace lab::model
