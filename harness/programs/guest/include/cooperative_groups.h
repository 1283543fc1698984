// Groups of threads, as types that a program's host part may name. Kernels are compiled elsewhere,
// with CUDA's own header.
#pragma once

#include "cuda_runtime.h"

namespace cooperative_groups {

#define LAB_DEVICE __attribute__((device))
struct LabGroup {
  LAB_DEVICE void sync() const;
  LAB_DEVICE unsigned long long size() const;
  LAB_DEVICE unsigned long long num_threads() const;
  LAB_DEVICE unsigned long long thread_rank() const;
  LAB_DEVICE unsigned meta_group_size() const;
  LAB_DEVICE unsigned meta_group_rank() const;
  LAB_DEVICE bool is_valid() const;
  template <class T>
  LAB_DEVICE T shfl(T value, int lane) const;
  template <class T>
  LAB_DEVICE T shfl_up(T value, int lane) const;
  template <class T>
  LAB_DEVICE T shfl_down(T value, int lane) const;
  template <class T>
  LAB_DEVICE T shfl_xor(T value, int lane) const;
  LAB_DEVICE int any(int predicate) const;
  LAB_DEVICE int all(int predicate) const;
  LAB_DEVICE unsigned ballot(int predicate) const;
};
struct thread_group : LabGroup {};
struct thread_block : LabGroup {
  LAB_DEVICE dim3 group_index() const;
  LAB_DEVICE dim3 thread_index() const;
  LAB_DEVICE dim3 group_dim() const;
};
struct grid_group : LabGroup {
  LAB_DEVICE dim3 group_dim() const;
};
struct multi_grid_group : LabGroup {};
struct cluster_group : LabGroup {
  LAB_DEVICE unsigned block_rank() const;
  LAB_DEVICE unsigned num_blocks() const;
};
struct coalesced_group : LabGroup {};
template <unsigned Size, class Parent = void>
struct thread_block_tile : LabGroup {};
template <class T>
struct plus {};
template <class T>
struct less {};
template <class T>
struct greater {};

LAB_DEVICE thread_block this_thread_block();
LAB_DEVICE grid_group this_grid();
LAB_DEVICE multi_grid_group this_multi_grid();
LAB_DEVICE cluster_group this_cluster();
LAB_DEVICE coalesced_group coalesced_threads();
template <unsigned Size, class Group>
LAB_DEVICE thread_block_tile<Size, Group> tiled_partition(const Group& group);
LAB_DEVICE thread_group tiled_partition(const LabGroup& group, unsigned size);
template <class Group>
LAB_DEVICE void sync(const Group& group);
template <class Group, class T, class F>
LAB_DEVICE T reduce(const Group& group, T value, F operation);
#undef LAB_DEVICE

}  // namespace cooperative_groups
