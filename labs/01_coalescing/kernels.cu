// Lab 1: coalescing. A warp's access to global memory costs as many 32-byte sectors as its lanes
// touch, whatever the order of the lanes. Each kernel copies n elements of type T, one per thread.

template <typename T>
__global__ void copy_load(const T* in, T* out, int n, int stride, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i * stride + offset];
}

template <typename T>
__global__ void copy_store(const T* in, T* out, int n, int stride, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i * stride + offset] = in[i];
}

template <typename T>
__global__ void copy_both(const T* in, T* out, int n, int stride, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i * stride + offset] = in[i * stride + offset];
}

template <typename T>
__global__ void copy_reverse(const T* in, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[n - 1 - i];
}

// Each full warp reads its 32 elements in another order; an incomplete one reads them in order.
//@ starter
template <typename T>
__global__ void copy_permuted(const T* in, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int first = i / 32 * 32;
  const bool full = first + 32 <= n;
  //@ yours
  if (i < n) out[i] = in[full ? first + (5 * i + 3) % 32 : i];
  //@ instead // Yours to write: the one load and the one store of thread i, where i < n.
  //@ end
}
//@ end

// Each run of `run` neighbours comes from one of 32768 places, chosen by a hash of the run's
// number. An index array would do the same, but its own loads would blur the count.
template <typename T>
__global__ void gather(const T* in, T* out, int n, int run) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int place = static_cast<unsigned>(i / run) * 2654435769u >> 17;
  if (i < n) out[i] = in[place * run + i % run];
}

// Only the first `active` lanes of a warp take part.
template <typename T>
__global__ void first_lanes(const T* in, T* out, int n, int active) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % 32 < active) out[i] = in[i];
}

// Of every four lanes only the first `keep` take part.
template <typename T>
__global__ void spread_lanes(const T* in, T* out, int n, int keep) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % 4 < keep) out[i] = in[i];
}
