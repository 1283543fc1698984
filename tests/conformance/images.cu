// Point reads of textures, reads and writes of surfaces.

// Outside of linear memory there are zeros.
extern "C" __global__ void fetches(float* out, cudaTextureObject_t linear) {
  const int i = threadIdx.x;
  out[i] = tex1Dfetch<float>(linear, i - 2);
}

// Half a texel for each thread, from four before the first.
extern "C" __global__ void along(float* out, cudaTextureObject_t clamped,
                                 cudaTextureObject_t bordered) {
  const int i = threadIdx.x;
  const float x = 0.5f * i - 4;
  out[i] = tex1D<float>(clamped, x);
  out[blockDim.x + i] = tex1D<float>(bordered, x);
}

// A picture transposed, with one more row and column on each side.
extern "C" __global__ void across(float* out, cudaTextureObject_t picture, int height) {
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  out[x * height + y] = tex2D<float>(picture, x - 1 + 0.5f, y - 1 + 0.25f);
}

// Channels of bytes, some of them signed, and halves.
extern "C" __global__ void channels(int* out, cudaTextureObject_t colours,
                                    cudaTextureObject_t pairs, cudaTextureObject_t halves) {
  const int i = threadIdx.x;
  const uchar4 c = tex2D<uchar4>(colours, i % 8, i / 8);
  const char2 p = tex1Dfetch<char2>(pairs, i);
  out[i] = c.x + 256 * c.y + 65536 * c.z + 16777216 * (c.w & 127);
  out[blockDim.x + i] = 1000 * p.x + p.y;
  out[2 * blockDim.x + i] = static_cast<int>(2 * tex1D<float>(halves, i));
}

// A picture turned by half, in place of a second one.
extern "C" __global__ void turned(cudaSurfaceObject_t to, cudaSurfaceObject_t from, int width,
                                  int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const float v = surf2Dread<float>(from, x * 4, y);
  surf2Dwrite(v + 0.5f, to, (width - 1 - x) * 4, height - 1 - y);
}

// Outside of a surface: the nearest element, or zero and nothing written.
extern "C" __global__ void outside(int* out, cudaSurfaceObject_t line) {
  const int i = threadIdx.x;
  const short2 near = surf1Dread<short2>(line, (i - 4) * 4, cudaBoundaryModeClamp);
  const short2 none = surf1Dread<short2>(line, (i - 4) * 4, cudaBoundaryModeZero);
  out[i] = near.x * 100 + near.y;
  out[blockDim.x + i] = none.x * 100 + none.y;
  __syncthreads();
  surf1Dwrite(make_short2(-1, i), line, (i * 2 - 4) * 4, cudaBoundaryModeZero);
}
