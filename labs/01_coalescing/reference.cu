// What lab 1's kernels should leave. A thread for each element of the output, but for those that
// are left out: they keep what they held.

// Element i comes from i * stride + offset.
template <typename T>
__global__ void gathered(const T* in, T* out, int n, int stride, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = in[i * stride + offset];
}

// Which of n elements that are put `stride` apart comes to place `place`; -1: none. At stride 0 all
// come to one place, and the last one stays.
__device__ int element_at(int place, int n, int stride, int offset) {
  if (stride == 0) return place == offset ? n - 1 : -1;
  const int i = (place - offset) / stride;
  const bool is_there = place >= offset && i < n && i * stride + offset == place;
  return is_there ? i : -1;
}

template <typename T>
__global__ void spread(const T* in, T* out, int n, int stride, int offset) {
  const int place = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = element_at(place, n, stride, offset);
  if (i < 0) return;
  out[place] = in[i];
}

template <typename T>
__global__ void shifted(const T* in, T* out, int n, int stride, int offset) {
  const int place = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = element_at(place, n, stride, offset);
  if (i < 0) return;
  out[place] = in[place];
}

template <typename T>
__global__ void reversed(const T* in, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = in[n - 1 - i];
}

// Each 32 elements in another order; a rest in order.
template <typename T>
__global__ void permuted(const T* in, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int first = i / 32 * 32;
  out[i] = in[first + 32 <= n ? first + (5 * i + 3) % 32 : i];
}

// Runs of `run` neighbours, each from one of 32768 places.
template <typename T>
__global__ void hashed(const T* in, T* out, int n, int run) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned place = static_cast<unsigned>(i / run) * 2654435769u >> 17;
  out[i] = in[place * run + i % run];
}

// The first `some` of every `of` elements.
template <typename T>
__global__ void copied_by_some(const T* in, T* out, int n, int of, int some) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || i % of >= some) return;
  out[i] = in[i];
}
