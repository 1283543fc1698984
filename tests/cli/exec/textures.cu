// An image read through textures: points, between points, beyond the edges, volumes and layers; and
// written through a surface.
#include "check.h"

__global__ void sample(cudaTextureObject_t image, float* out, const float* at, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex2D<float>(image, at[2 * i], at[2 * i + 1]);
}

__global__ void row(cudaTextureObject_t line, float* out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<float>(line, i - 1);
}

__global__ void volume(cudaTextureObject_t box, float* out) {
  out[threadIdx.x] =
      tex3D<float>(box, threadIdx.x % 2 + 0.5f, threadIdx.x / 2 % 2 + 0.5f, threadIdx.x / 4 + 0.5f);
}

__global__ void layers(cudaTextureObject_t stack, float* out) {
  out[threadIdx.x] = tex2DLayered<float>(stack, threadIdx.x % 2 + 0.5f, threadIdx.x / 2 % 2 + 0.5f,
                                         threadIdx.x / 4);
}

__global__ void colours(cudaTextureObject_t picture, float4* out) {
  out[threadIdx.x] = tex2D<float4>(picture, threadIdx.x + 0.5f, 0.5f);
}

__global__ void invert(cudaSurfaceObject_t picture, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float old;
  surf2Dread(&old, picture, x * sizeof(float), y);
  surf2Dwrite(-old, picture, x * sizeof(float), y);
}

cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureAddressMode beyond,
                               cudaTextureFilterMode filter, bool normalised,
                               cudaTextureReadMode read = cudaReadModeElementType) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how = {};
  for (auto& mode : how.addressMode) mode = beyond;
  how.filterMode = filter;
  how.readMode = read;
  how.normalizedCoords = normalised;
  cudaTextureObject_t object = 0;
  CHECK(cudaCreateTextureObject(&object, &resource, &how, nullptr));
  return object;
}

void show(const char* name, cudaTextureObject_t image, const float* at, int n) {
  float *d_at, *d_out, out[16];
  CHECK(cudaMalloc(&d_at, 2 * n * sizeof(float)));
  CHECK(cudaMalloc(&d_out, n * sizeof(float)));
  CHECK(cudaMemcpy(d_at, at, 2 * n * sizeof(float), cudaMemcpyHostToDevice));
  sample<<<1, 32>>>(image, d_out, d_at, n);
  CHECK(cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
  printf("%s:", name);
  for (int i = 0; i < n; ++i) printf(" %g", out[i]);
  printf("\n");
  CHECK(cudaFree(d_at));
  CHECK(cudaFree(d_out));
  CHECK(cudaDestroyTextureObject(image));
}

int main() {
  const int width = 4, height = 3;
  float image[height][width];
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) image[y][x] = 10 * y + x;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, image, sizeof image[0], sizeof image[0], height,
                            cudaMemcpyHostToDevice));

  const float points[] = {0.5f, 0.5f, 3.9f, 2.9f, -5, 1, 9, 9};
  show("points", texture_of(array, cudaAddressModeClamp, cudaFilterModePoint, false), points, 4);
  show("border", texture_of(array, cudaAddressModeBorder, cudaFilterModePoint, false), points, 4);
  const float between[] = {1, 0.5f, 1, 1, 4, 2.5f, 1.75f, 2.5f};
  show("between", texture_of(array, cudaAddressModeClamp, cudaFilterModeLinear, false), between, 4);
  show("to zero", texture_of(array, cudaAddressModeBorder, cudaFilterModeLinear, false), between,
       4);
  const float turns[] = {0.125f, 0.5f, 1.125f, 0.5f, -0.125f, 0.5f, 2.375f, 0.5f};
  show("again", texture_of(array, cudaAddressModeWrap, cudaFilterModePoint, true), turns, 4);
  show("mirror", texture_of(array, cudaAddressModeMirror, cudaFilterModePoint, true), turns, 4);

  cudaResourceDesc whole = {};
  whole.resType = cudaResourceTypeArray;
  whole.res.array.array = array;
  cudaSurfaceObject_t surface;
  CHECK(cudaCreateSurfaceObject(&surface, &whole));
  invert<<<dim3(1, 1), dim3(16, 16)>>>(surface, width, height);
  CHECK(cudaMemcpy2DFromArray(image, sizeof image[0], array, 0, 0, sizeof image[0], height,
                              cudaMemcpyDeviceToHost));
  printf("surface: %g %g\n", image[1][2], image[2][3]);
  CHECK(cudaDestroySurfaceObject(surface));
  CHECK(cudaFreeArray(array));

  // Linear memory and memory with a pitch.
  float *d_line, *d_out, out[8];
  CHECK(cudaMalloc(&d_out, sizeof out));
  CHECK(cudaMalloc(&d_line, 4 * sizeof(float)));
  CHECK(cudaMemcpy(d_line, image[2], 4 * sizeof(float), cudaMemcpyHostToDevice));
  cudaResourceDesc linear = {};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear.devPtr = d_line;
  linear.res.linear.desc = format;
  linear.res.linear.sizeInBytes = 4 * sizeof(float);
  cudaTextureDesc plain = {};
  plain.readMode = cudaReadModeElementType;
  cudaTextureObject_t line;
  CHECK(cudaCreateTextureObject(&line, &linear, &plain, nullptr));
  row<<<1, 32>>>(line, d_out, 6);
  CHECK(cudaMemcpy(out, d_out, 6 * sizeof(float), cudaMemcpyDeviceToHost));
  printf("fetched: %g %g %g %g %g %g\n", out[0], out[1], out[2], out[3], out[4], out[5]);
  CHECK(cudaDestroyTextureObject(line));
  CHECK(cudaFree(d_line));
  float* d_plane;
  size_t pitch;
  CHECK(cudaMallocPitch(&d_plane, &pitch, sizeof image[0], height));
  CHECK(cudaMemcpy2D(d_plane, pitch, image, sizeof image[0], sizeof image[0], height,
                     cudaMemcpyHostToDevice));
  cudaResourceDesc plane = {};
  plane.resType = cudaResourceTypePitch2D;
  plane.res.pitch2D.devPtr = d_plane;
  plane.res.pitch2D.desc = format;
  plane.res.pitch2D.width = width;
  plane.res.pitch2D.height = height;
  plane.res.pitch2D.pitchInBytes = pitch;
  cudaTextureObject_t pitched;
  CHECK(cudaCreateTextureObject(&pitched, &plane, &plain, nullptr));
  const float there[] = {2.5f, 1.5f};
  show("pitched", pitched, there, 1);
  CHECK(cudaFree(d_plane));

  // Eight values as a volume and as two layers.
  float eight[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  for (unsigned flags : {0u, unsigned(cudaArrayLayered)}) {
    cudaArray_t box;
    CHECK(cudaMalloc3DArray(&box, &format, make_cudaExtent(2, 2, 2), flags));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(eight, 2 * sizeof(float), 2, 2);
    copy.dstArray = box;
    copy.extent = make_cudaExtent(2, 2, 2);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    cudaTextureObject_t object = texture_of(box, cudaAddressModeClamp, cudaFilterModePoint, false);
    if (flags == 0) {
      volume<<<1, 8>>>(object, d_out);
    } else {
      layers<<<1, 8>>>(object, d_out);
    }
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    printf("%s: %g %g %g\n", flags == 0 ? "volume" : "layers", out[0], out[3], out[6]);
    CHECK(cudaDestroyTextureObject(object));
    CHECK(cudaFreeArray(box));
  }
  CHECK(cudaFree(d_out));

  // Bytes that are read as fractions of 255.
  uchar4 pixels[2] = {{255, 0, 51, 102}, {0, 255, 153, 204}};
  cudaChannelFormatDesc bytes = cudaCreateChannelDesc<uchar4>();
  cudaArray_t picture;
  CHECK(cudaMallocArray(&picture, &bytes, 2, 1));
  CHECK(cudaMemcpyToArray(picture, 0, 0, pixels, sizeof pixels, cudaMemcpyHostToDevice));
  cudaTextureObject_t object = texture_of(picture, cudaAddressModeClamp, cudaFilterModePoint, false,
                                          cudaReadModeNormalizedFloat);
  float4 *d_colours, seen[2];
  CHECK(cudaMalloc(&d_colours, sizeof seen));
  colours<<<1, 2>>>(object, d_colours);
  CHECK(cudaMemcpy(seen, d_colours, sizeof seen, cudaMemcpyDeviceToHost));
  printf("fractions: %g %g %g\n", seen[0].x, seen[0].z, seen[1].w);
  CHECK(cudaDestroyTextureObject(object));
  CHECK(cudaFreeArray(picture));
  CHECK(cudaFree(d_colours));
}
