// Lab 5: participation. Every thread adds 1 to an element of `a`; in the variants every fourth
// thread does something else. Blocks have 256 threads.

// Only the first `active` lanes of each warp.
extern "C" __global__ void lanes(float* a, int n, int active) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % 32 < active) a[i] += 1;
}

// All threads, each on its own element.
extern "C" __global__ void all_threads(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += 1;
}

// Every fourth thread idles.
extern "C" __global__ void three_of_four(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % 4 != 3) a[i] += 1;
}

// Every fourth thread adds to a[0]. They all race there: its value is anybody's guess.
extern "C" __global__ void rest_on_first(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int k = i % 4 == 3 ? 0 : i;
  if (i < n) a[k] += 1;
}

// Every fourth thread adds to its block's first element: as many races as there are blocks.
extern "C" __global__ void rest_on_block(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int k = i % 4 == 3 ? blockIdx.x * blockDim.x : i;
  if (i < n) a[k] += 1;
}

// ---- the same as branches, as one would write them; the thread that idles is the first of four --

extern "C" __global__ void add_index(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += i;
}

extern "C" __global__ void branch_idle(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if ((i & 3) != 0) a[i]++;
}

extern "C" __global__ void branch_first(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if ((i & 3) != 0) {
    a[i]++;
  } else {
    a[0]++;
  }
}

extern "C" __global__ void branch_block(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if ((i & 3) != 0) {
    a[i]++;
  } else {
    a[blockIdx.x * blockDim.x]++;
  }
}

// ---- the exercise as it is printed: as many threads as elements, and nobody asks for n ----------
// That changes what the compiler makes. With no early return to the side, it turns the two sides of
// the last branch into one access whose address is chosen.

extern "C" __global__ void printed_index(float* a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] += i;
}

extern "C" __global__ void printed_idle(float* a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if ((i & 3) != 0) a[i]++;
}

extern "C" __global__ void printed_first(float* a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if ((i & 3) != 0) {
    a[i]++;
  } else {
    a[0]++;
  }
}

extern "C" __global__ void printed_block(float* a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if ((i & 3) != 0) {
    a[i]++;
  } else {
    a[blockIdx.x * blockDim.x]++;
  }
}

// ---- with atomics ---------------------------------------------------------------------------------

// The same three with atomics: nothing is lost, and waiting for each other costs time.
extern "C" __global__ void atomic_all(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&a[i], 1.0f);
}

//@ starter
extern "C" __global__ void atomic_first(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int k = i % 4 == 3 ? 0 : i;
  //@ yours
  if (i < n) atomicAdd(&a[k], 1.0f);
  //@ instead // How many additions to a[0] are lost here? Run it: it says what it got and what it expected.
  //@ instead if (i < n) a[k] += 1;
  //@ end
}
//@ end

extern "C" __global__ void atomic_block(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int k = i % 4 == 3 ? blockIdx.x * blockDim.x : i;
  if (i < n) atomicAdd(&a[k], 1.0f);
}
