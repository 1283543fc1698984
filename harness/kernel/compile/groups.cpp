#include "harness/kernel/compile/groups.h"

namespace lab::compile {

// A group is a set of lanes of a warp, a block or the grid. Tiles of a size known at compile time
// have their shuffles' width as a constant.
const char* const kCooperativeGroups = R"(#pragma once
namespace cooperative_groups {
#define LAB_GROUP __device__ __forceinline__
namespace lab {
LAB_GROUP unsigned threads() { return blockDim.x * blockDim.y * blockDim.z; }
LAB_GROUP unsigned rank() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
LAB_GROUP unsigned lane() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
LAB_GROUP unsigned lanes_below() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}
LAB_GROUP unsigned long long blocks() {
  return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
}
LAB_GROUP unsigned long long block() {
  return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}
// Two words that a cooperative launch finds at the address in two of its registers; the second is
// the barrier's. Each meeting turns its highest bit: blocks but the first add 1, the first the rest.
LAB_GROUP volatile unsigned* barrier() {
  unsigned low, high;
  asm("mov.u32 %0, %%envreg2;" : "=r"(low));
  asm("mov.u32 %0, %%envreg1;" : "=r"(high));
  unsigned long long at = (unsigned long long)high << 32 | low;
  return at == 0 ? nullptr : (volatile unsigned*)at + 1;
}
LAB_GROUP void meet() {
  volatile unsigned* arrived = barrier();
  if (arrived == nullptr) __trap();
  __syncthreads();
  if (rank() == 0) {
    unsigned others = (unsigned)blocks() - 1;
    unsigned mine = block() == 0 ? 0x80000000u - others : 1u;
    __threadfence();
    unsigned before = atomicAdd((unsigned*)arrived, mine);
    while (((before ^ *arrived) & 0x80000000u) == 0) {
    }
    __threadfence();
  }
  __syncthreads();
}
// The lane that has the n-th bit of `mask`.
LAB_GROUP unsigned nth(unsigned mask, unsigned n) {
  for (; n > 0; --n) mask &= mask - 1;
  return __ffs(mask) - 1;
}
// The bits of `bits` at the places of `mask`, side by side.
LAB_GROUP unsigned packed(unsigned bits, unsigned mask) {
  if (mask == 0xffffffffu) return bits;
  unsigned made = 0;
  for (unsigned n = 0; mask != 0; mask &= mask - 1, ++n) {
    made |= (bits >> (__ffs(mask) - 1) & 1u) << n;
  }
  return made;
}
}  // namespace lab

class thread_group {
 public:
  enum Kind { kBlock, kLanes, kGrid };
  LAB_GROUP thread_group(Kind kind, unsigned mask = 0) : kind_(kind), mask_(mask) {}
  LAB_GROUP void sync() const {
    if (kind_ == kBlock) __syncthreads();
    if (kind_ == kLanes) __syncwarp(mask_);
    if (kind_ == kGrid) lab::meet();
  }
  LAB_GROUP unsigned long long size() const {
    if (kind_ == kLanes) return __popc(mask_);
    return kind_ == kBlock ? lab::threads() : lab::blocks() * lab::threads();
  }
  LAB_GROUP unsigned long long num_threads() const { return size(); }
  LAB_GROUP unsigned long long thread_rank() const {
    if (kind_ == kLanes) return __popc(mask_ & lab::lanes_below());
    return kind_ == kBlock ? lab::rank() : lab::block() * lab::threads() + lab::rank();
  }
  LAB_GROUP bool is_valid() const { return kind_ != kGrid || lab::barrier() != nullptr; }
  LAB_GROUP unsigned get_type() const { return kind_; }
  LAB_GROUP unsigned lab_mask() const { return mask_; }

 private:
  Kind kind_;
  unsigned mask_;
};

class thread_block {
 public:
  LAB_GROUP operator thread_group() const { return thread_group(thread_group::kBlock); }
  LAB_GROUP static void sync() { __syncthreads(); }
  LAB_GROUP static unsigned size() { return lab::threads(); }
  LAB_GROUP static unsigned num_threads() { return lab::threads(); }
  LAB_GROUP static unsigned thread_rank() { return lab::rank(); }
  LAB_GROUP static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  LAB_GROUP static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  LAB_GROUP static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  LAB_GROUP static dim3 dim_threads() { return group_dim(); }
};
LAB_GROUP thread_block this_thread_block() { return thread_block(); }

class grid_group {
 public:
  LAB_GROUP operator thread_group() const { return thread_group(thread_group::kGrid); }
  LAB_GROUP void sync() const { lab::meet(); }
  LAB_GROUP bool is_valid() const { return lab::barrier() != nullptr; }
  LAB_GROUP static unsigned long long size() { return lab::blocks() * lab::threads(); }
  LAB_GROUP static unsigned long long num_threads() { return size(); }
  LAB_GROUP static unsigned long long thread_rank() {
    return lab::block() * lab::threads() + lab::rank();
  }
  LAB_GROUP static unsigned long long num_blocks() { return lab::blocks(); }
  LAB_GROUP static unsigned long long block_rank() { return lab::block(); }
  LAB_GROUP static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  LAB_GROUP static dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  LAB_GROUP static dim3 group_dim() { return dim_blocks(); }
};
LAB_GROUP grid_group this_grid() { return grid_group(); }

// Lanes of a warp, whichever they are.
class coalesced_group {
 public:
  LAB_GROUP explicit coalesced_group(unsigned mask) : mask_(mask) {}
  LAB_GROUP operator thread_group() const { return thread_group(thread_group::kLanes, mask_); }
  LAB_GROUP void sync() const { __syncwarp(mask_); }
  LAB_GROUP unsigned size() const { return __popc(mask_); }
  LAB_GROUP unsigned num_threads() const { return size(); }
  LAB_GROUP unsigned thread_rank() const { return __popc(mask_ & lab::lanes_below()); }
  LAB_GROUP unsigned meta_group_size() const { return 1; }
  LAB_GROUP unsigned meta_group_rank() const { return 0; }
  template <class T>
  LAB_GROUP T shfl(T value, unsigned from) const {
    return __shfl_sync(mask_, value, size() == 32 ? from : lab::nth(mask_, from));
  }
  template <class T>
  LAB_GROUP T shfl_down(T value, unsigned by) const {
    if (size() == 32) return __shfl_down_sync(0xffffffffu, value, by);
    unsigned to = thread_rank() + by;
    return __shfl_sync(mask_, value, to < size() ? lab::nth(mask_, to) : lab::lane());
  }
  template <class T>
  LAB_GROUP T shfl_up(T value, unsigned by) const {
    if (size() == 32) return __shfl_up_sync(0xffffffffu, value, by);
    unsigned me = thread_rank();
    return __shfl_sync(mask_, value, me >= by ? lab::nth(mask_, me - by) : lab::lane());
  }
  LAB_GROUP int any(int is) const { return __any_sync(mask_, is); }
  LAB_GROUP int all(int is) const { return __all_sync(mask_, is); }
  LAB_GROUP unsigned ballot(int is) const {
    return lab::packed(__ballot_sync(mask_, is), mask_);
  }
  template <class T>
  LAB_GROUP unsigned match_any(T value) const {
    return lab::packed(__match_any_sync(mask_, value), mask_);
  }
  template <class T>
  LAB_GROUP unsigned match_all(T value, int& all) const {
    return lab::packed(__match_all_sync(mask_, value, &all), mask_);
  }
  LAB_GROUP unsigned lab_mask() const { return mask_; }

 private:
  unsigned mask_;
};
LAB_GROUP coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <unsigned Size, class Parent = void>
class thread_block_tile {
  static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0,
                "tiles of more than a warp come with the CUDA toolkit");

 public:
  thread_block_tile() = default;
  template <class Other>
  LAB_GROUP thread_block_tile(const thread_block_tile<Size, Other>&) {}
  LAB_GROUP operator thread_group() const { return thread_group(thread_group::kLanes, mask()); }
  LAB_GROUP operator coalesced_group() const { return coalesced_group(mask()); }
  LAB_GROUP static void sync() { __syncwarp(mask()); }
  LAB_GROUP static constexpr unsigned size() { return Size; }
  LAB_GROUP static constexpr unsigned num_threads() { return Size; }
  LAB_GROUP static unsigned thread_rank() { return lab::rank() & (Size - 1); }
  LAB_GROUP static unsigned meta_group_size() { return (lab::threads() + Size - 1) / Size; }
  LAB_GROUP static unsigned meta_group_rank() { return lab::rank() / Size; }
  template <class T>
  LAB_GROUP T shfl(T value, int from) const {
    return __shfl_sync(mask(), value, from, Size);
  }
  template <class T>
  LAB_GROUP T shfl_down(T value, unsigned by) const {
    return __shfl_down_sync(mask(), value, by, Size);
  }
  template <class T>
  LAB_GROUP T shfl_up(T value, unsigned by) const {
    return __shfl_up_sync(mask(), value, by, Size);
  }
  template <class T>
  LAB_GROUP T shfl_xor(T value, unsigned with) const {
    return __shfl_xor_sync(mask(), value, with, Size);
  }
  LAB_GROUP int any(int is) const { return __any_sync(mask(), is); }
  LAB_GROUP int all(int is) const { return __all_sync(mask(), is); }
  LAB_GROUP unsigned ballot(int is) const { return __ballot_sync(mask(), is) >> first(); }
  template <class T>
  LAB_GROUP unsigned match_any(T value) const {
    return __match_any_sync(mask(), value) >> first();
  }
  template <class T>
  LAB_GROUP unsigned match_all(T value, int& all) const {
    return __match_all_sync(mask(), value, &all) >> first();
  }
  LAB_GROUP static unsigned lab_mask() { return mask(); }

 private:
  LAB_GROUP static unsigned first() { return lab::lane() & ~(Size - 1); }
  LAB_GROUP static unsigned mask() { return (0xffffffffu >> (32 - Size)) << first(); }
};
template <unsigned Size, class Parent>
LAB_GROUP thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}
LAB_GROUP thread_group tiled_partition(const thread_group& parent, unsigned size) {
  unsigned first = lab::lane() & ~(size - 1);
  unsigned mask = (0xffffffffu >> (32 - size)) << first;
  return thread_group(thread_group::kLanes,
                      parent.get_type() == thread_group::kLanes ? mask & parent.lab_mask() : mask);
}
template <class Group>
LAB_GROUP coalesced_group binary_partition(const Group& group, bool is) {
  unsigned mask = group.lab_mask(), with = __ballot_sync(mask, is);
  return coalesced_group(is ? with : mask & ~with);
}
template <class Group, class T>
LAB_GROUP coalesced_group labeled_partition(const Group& group, T label) {
  return coalesced_group(__match_any_sync(group.lab_mask(), label));
}

template <class T = void>
struct plus {
  template <class U>
  LAB_GROUP U operator()(U a, U b) const { return a + b; }
};
template <class T = void>
struct less {
  template <class U>
  LAB_GROUP U operator()(U a, U b) const { return b < a ? b : a; }
};
template <class T = void>
struct greater {
  template <class U>
  LAB_GROUP U operator()(U a, U b) const { return a < b ? b : a; }
};
template <class T = void>
struct bit_and {
  template <class U>
  LAB_GROUP U operator()(U a, U b) const { return a & b; }
};
template <class T = void>
struct bit_or {
  template <class U>
  LAB_GROUP U operator()(U a, U b) const { return a | b; }
};
template <class T = void>
struct bit_xor {
  template <class U>
  LAB_GROUP U operator()(U a, U b) const { return a ^ b; }
};

template <unsigned Size, class Parent, class T, class Op>
LAB_GROUP T reduce(const thread_block_tile<Size, Parent>& group, T value, Op op) {
  for (unsigned with = Size / 2; with > 0; with /= 2) {
    value = op(value, group.shfl_xor(value, with));
  }
  return value;
}
template <class T, class Op>
LAB_GROUP T reduce(const coalesced_group& group, T value, Op op) {
  unsigned size = group.size(), rank = group.thread_rank();
  for (unsigned by = 1; by < size; by *= 2) {
    T other = group.shfl_down(value, by);
    if (rank + by < size) value = op(value, other);
  }
  return group.shfl(value, 0);
}
template <class Group, class T, class Op>
LAB_GROUP T inclusive_scan(const Group& group, T value, Op op) {
  unsigned rank = group.thread_rank();
  for (unsigned by = 1; by < group.size(); by *= 2) {
    T other = group.shfl_up(value, by);
    if (rank >= by) value = op(other, value);
  }
  return value;
}
template <class Group, class T>
LAB_GROUP T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}
template <class Group, class T, class Op>
LAB_GROUP T exclusive_scan(const Group& group, T value, Op op) {
  T before = group.shfl_up(inclusive_scan(group, value, op), 1);
  return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T>
LAB_GROUP T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

template <class Group>
LAB_GROUP void sync(const Group& group) { group.sync(); }
LAB_GROUP dim3 group_index(const thread_block&) { return thread_block::group_index(); }
LAB_GROUP dim3 thread_index(const thread_block&) { return thread_block::thread_index(); }
template <class Group>
LAB_GROUP auto thread_rank(const Group& group) -> decltype(group.thread_rank()) {
  return group.thread_rank();
}
template <class Group>
LAB_GROUP auto group_size(const Group& group) -> decltype(group.size()) { return group.size(); }

#if __CUDA_ARCH__ >= 900
class cluster_group {
 public:
  LAB_GROUP static void sync() {
    barrier_arrive();
    barrier_wait();
  }
  LAB_GROUP static void barrier_arrive() { __cluster_barrier_arrive(); }
  LAB_GROUP static void barrier_wait() { __cluster_barrier_wait(); }
  LAB_GROUP static unsigned block_rank() { return __clusterRelativeBlockRank(); }
  LAB_GROUP static unsigned num_blocks() { return __clusterSizeInBlocks(); }
  LAB_GROUP static dim3 block_index() { return __clusterRelativeBlockIdx(); }
  LAB_GROUP static dim3 dim_blocks() { return __clusterDim(); }
  LAB_GROUP static unsigned num_threads() { return num_blocks() * lab::threads(); }
  LAB_GROUP static unsigned size() { return num_threads(); }
  LAB_GROUP static unsigned thread_rank() { return block_rank() * lab::threads() + lab::rank(); }
  template <class T>
  LAB_GROUP static T* map_shared_rank(T* at, int rank) {
    return (T*)__cluster_map_shared_rank((void*)at, rank);
  }
};
LAB_GROUP cluster_group this_cluster() { return cluster_group(); }
#endif
#undef LAB_GROUP
}  // namespace cooperative_groups
)";

}  // namespace lab::compile
