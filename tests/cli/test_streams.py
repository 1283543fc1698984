"""lab exec: what streams, copies and the host do to the same bytes in no order (harness/programs/serve/order.h)."""
import json
import re
import shutil
import unittest

from support import LabTest
from test_exec import CLANG

# The programs' beginning and end: two streams that do not wait for the default one.
HEAD = """#include <cstdio>
__global__ void fill(float* x, int n, float v) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = v + i;
}
__global__ void twice(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = 2 * x[i];
}
__global__ void every_other(float* x, int n, int first) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + first;
  if (i < n) x[i] = i;
}
__global__ void count(unsigned* bins, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[i % 16], 1u);
}
int main() {
  const int n = 1000;
  const size_t bytes = n * sizeof(float);
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEvent_t done;
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  float *x, *y, *h;
  cudaMalloc(&x, bytes);
  cudaMalloc(&y, bytes);
  cudaMallocHost(&h, bytes);
  for (int i = 0; i < n; ++i) h[i] = i;
"""
TAIL = """
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
  cudaFreeHost(h);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
  cudaEventDestroy(done);
}
"""
FIRST = HEAD.count("\n") + 1

# The body, the line in it of the finding and of the work that it names.
FAULTY = {
    "event behind nothing": ("""  cudaEventRecord(done, a);
  fill<<<4, 256, 0, a>>>(x, n, 1);
  cudaStreamWaitEvent(b, done, 0);
  twice<<<4, 256, 0, b>>>(x, y, n);
""", 4, 2),
    "copy in then other stream": ("""  cudaMemcpyAsync(x, h, bytes, cudaMemcpyHostToDevice, a);
  twice<<<4, 256, 0, b>>>(x, y, n);
""", 2, 1),
    "host waits for the wrong one": ("""  fill<<<4, 256, 0, a>>>(x, n, 1);
  cudaStreamSynchronize(b);
  twice<<<4, 256, 0, b>>>(x, y, n);
""", 3, 1),
    "overwritten while copied": ("""  fill<<<4, 256, 0, a>>>(x, n, 1);
  cudaMemcpyAsync(h, x, bytes, cudaMemcpyDeviceToHost, a);
  cudaEventRecord(done, a);
  fill<<<4, 256, 0, a>>>(y, n, 1);
  cudaStreamWaitEvent(b, done, 0);
  fill<<<4, 256, 0, b>>>(x, n, 2);
  cudaMemcpyAsync(h, y, bytes, cudaMemcpyDeviceToHost, b);
""", 7, 4),
    "memset of the default stream": ("""  cudaMemset(x, 0, bytes);
  twice<<<4, 256, 0, a>>>(x, y, n);
""", 2, 1),
    "default kernel then non blocking": ("""  fill<<<4, 256>>>(x, n, 1);
  twice<<<4, 256, 0, a>>>(x, y, n);
""", 2, 1),
    "freed while used": ("""  float* t;
  cudaMallocAsync(&t, bytes, a);
  fill<<<4, 256, 0, a>>>(t, n, 1);
  cudaFreeAsync(t, b);
""", 4, 3),
    "used before it is there": ("""  float* t;
  cudaMallocAsync(&t, bytes, a);
  fill<<<4, 256, 0, b>>>(t, n, 1);
  cudaStreamSynchronize(b);
  cudaFreeAsync(t, a);
""", 3, 2),
    "pool memory freed by the host": ("""  float* t;
  cudaMallocAsync(&t, bytes, a);
  fill<<<4, 256, 0, a>>>(t, n, 1);
  cudaFree(t);
""", 4, 3),
    "source changed": ("""  cudaMemcpyAsync(x, h, bytes, cudaMemcpyHostToDevice, a);
  for (int i = 0; i < n; ++i) h[i] = -i;
  cudaMemcpyAsync(y, h, bytes, cudaMemcpyHostToDevice, b);
""", 1, 3),
    "result used after waiting for another": ("""  fill<<<4, 256, 0, a>>>(x, n, 1);
  cudaMemcpyAsync(h, x, bytes, cudaMemcpyDeviceToHost, a);
  cudaStreamSynchronize(b);
  printf("%g\\n", h[5]);
""", 4, None),
    "double buffer without the event back": ("""  float* buffer[2] = {x, y};
  cudaEvent_t full[2];
  for (auto& one : full) cudaEventCreate(&one);
  float* out;
  cudaMalloc(&out, bytes);
  for (int i = 0; i < 4; ++i) {
    cudaMemcpyAsync(buffer[i % 2], h, bytes, cudaMemcpyHostToDevice, a);
    cudaEventRecord(full[i % 2], a);
    cudaStreamWaitEvent(b, full[i % 2], 0);
    twice<<<4, 256, 0, b>>>(buffer[i % 2], out, n);
  }
  cudaDeviceSynchronize();
  cudaFree(out);
""", 7, 10),
    "graph branches that meet": ("""  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  cudaEventRecord(done, a);
  cudaStreamWaitEvent(b, done, 0);
  fill<<<4, 256, 0, a>>>(x, n, 1);
  twice<<<4, 256, 0, b>>>(x, y, n);
  cudaEventRecord(done, b);
  cudaStreamWaitEvent(a, done, 0);
  cudaStreamEndCapture(a, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, a);
  cudaStreamSynchronize(a);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
""", 7, 6),
    "graph then other stream": ("""  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  fill<<<4, 256, 0, a>>>(x, n, 1);
  cudaStreamEndCapture(a, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, a);
  twice<<<4, 256, 0, b>>>(x, y, n);
  cudaDeviceSynchronize();
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
""", 8, 4),
    "halves that overlap": ("""  fill<<<4, 256, 0, a>>>(x, 501, 1);
  fill<<<4, 256, 0, b>>>(x + 500, 500, 1);
""", 2, 1),
    "memset against atomics": ("""  unsigned* bins;
  cudaMalloc(&bins, 64);
  cudaMemsetAsync(bins, 0, 64, a);
  count<<<4, 256, 0, b>>>(bins, n);
  cudaDeviceSynchronize();
  cudaFree(bins);
""", 4, 3),
}
RIGHT = {
    "event between": """  fill<<<4, 256, 0, a>>>(x, n, 1);
  cudaEventRecord(done, a);
  cudaStreamWaitEvent(b, done, 0);
  twice<<<4, 256, 0, b>>>(x, y, n);
  cudaStreamSynchronize(b);
  cudaMemcpy(h, y, bytes, cudaMemcpyDeviceToHost);
""",
    "host between": """  fill<<<4, 256, 0, a>>>(x, n, 1);
  cudaStreamSynchronize(a);
  twice<<<4, 256, 0, b>>>(x, y, n);
  cudaEventRecord(done, b);
  while (cudaEventQuery(done) == cudaErrorNotReady) {}
  cudaMemcpy(h, y, bytes, cudaMemcpyDeviceToHost);
""",
    "halves of one array": """  fill<<<4, 256, 0, a>>>(x, 333, 1);
  fill<<<4, 256, 0, b>>>(x + 333, n - 333, 1);
""",
    "every other element": """  every_other<<<2, 256, 0, a>>>(x, n, 0);
  every_other<<<2, 256, 0, b>>>(x, n, 1);
""",
    "both read": """  cudaMemcpy(x, h, bytes, cudaMemcpyHostToDevice);
  float* z;
  cudaMalloc(&z, bytes);
  twice<<<4, 256, 0, a>>>(x, y, n);
  twice<<<4, 256, 0, b>>>(x, z, n);
  cudaDeviceSynchronize();
  cudaFree(z);
""",
    "atomics of two streams": """  unsigned* bins;
  cudaMalloc(&bins, 64);
  cudaMemset(bins, 0, 64);
  cudaDeviceSynchronize();
  count<<<4, 256, 0, a>>>(bins, n);
  count<<<4, 256, 0, b>>>(bins, n);
  cudaDeviceSynchronize();
  cudaFree(bins);
""",
    "blocking streams and the default one": """  cudaStream_t c, d;
  cudaStreamCreate(&c);
  cudaStreamCreate(&d);
  cudaMemset(x, 0, bytes);
  fill<<<4, 256, 0, c>>>(x, n, 1);
  twice<<<4, 256>>>(x, y, n);
  twice<<<4, 256, 0, d>>>(y, x, n);
  cudaMemcpy(h, x, bytes, cudaMemcpyDeviceToHost);
  cudaStreamDestroy(c);
  cudaStreamDestroy(d);
""",
    "double buffer": """  float* buffer[2] = {x, y};
  cudaEvent_t full[2], empty[2];
  for (auto& one : full) cudaEventCreate(&one);
  for (auto& one : empty) cudaEventCreate(&one);
  float* out;
  cudaMalloc(&out, bytes);
  for (int i = 0; i < 6; ++i) {
    cudaStreamWaitEvent(a, empty[i % 2], 0);
    cudaMemcpyAsync(buffer[i % 2], h, bytes, cudaMemcpyHostToDevice, a);
    cudaEventRecord(full[i % 2], a);
    cudaStreamWaitEvent(b, full[i % 2], 0);
    twice<<<4, 256, 0, b>>>(buffer[i % 2], out, n);
    cudaEventRecord(empty[i % 2], b);
  }
  cudaStreamSynchronize(b);
  cudaMemcpy(h, out, bytes, cudaMemcpyDeviceToHost);
  cudaFree(out);
""",
    "pool memory handed on": """  float* t;
  cudaMallocAsync(&t, bytes, a);
  fill<<<4, 256, 0, a>>>(t, n, 1);
  cudaEventRecord(done, a);
  cudaStreamWaitEvent(b, done, 0);
  twice<<<4, 256, 0, b>>>(t, y, n);
  cudaFreeAsync(t, b);
""",
    "pool memory freed by a host that waited": """  float* t;
  cudaMallocAsync(&t, bytes, a);
  fill<<<4, 256, 0, a>>>(t, n, 1);
  cudaStreamSynchronize(a);
  cudaFree(t);
""",
    "free waits": """  float* t;
  cudaMalloc(&t, bytes);
  fill<<<4, 256, 0, a>>>(t, n, 1);
  cudaFree(t);
""",
    "source changed behind an event": """  for (int i = 0; i < 3; ++i) {
    cudaEventSynchronize(done);
    for (int k = 0; k < n; ++k) h[k] = i * k;
    cudaMemcpyAsync(x, h, bytes, cudaMemcpyHostToDevice, a);
    cudaEventRecord(done, a);
    twice<<<4, 256, 0, a>>>(x, y, n);
  }
""",
    "down and up again": """  cudaMemcpyAsync(x, h, bytes, cudaMemcpyHostToDevice, a);
  twice<<<4, 256, 0, a>>>(x, y, n);
  cudaMemcpyAsync(h, y, bytes, cudaMemcpyDeviceToHost, a);
  cudaStreamSynchronize(a);
  for (int i = 0; i < n; ++i) h[i] += 1;
  cudaMemcpyAsync(x, h, bytes, cudaMemcpyHostToDevice, b);
""",
    "pageable memory is staged": """  static float own[1000];
  cudaMemcpyAsync(x, own, bytes, cudaMemcpyHostToDevice, a);
  for (int i = 0; i < n; ++i) own[i] = i;
  twice<<<4, 256, 0, a>>>(x, y, n);
  cudaMemcpyAsync(own, y, bytes, cudaMemcpyDeviceToHost, a);
  printf("%g\\n", own[5]);
""",
    "graph of two branches": """  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  cudaEventRecord(done, a);
  cudaStreamWaitEvent(b, done, 0);
  fill<<<4, 256, 0, a>>>(x, n, 1);
  fill<<<4, 256, 0, b>>>(y, n, 1);
  cudaEventRecord(done, b);
  cudaStreamWaitEvent(a, done, 0);
  twice<<<4, 256, 0, a>>>(x, y, n);
  cudaStreamEndCapture(a, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int i = 0; i < 3; ++i) cudaGraphLaunch(exec, a);
  cudaGraphLaunch(exec, b);
  cudaStreamSynchronize(b);
  cudaMemcpy(h, y, bytes, cudaMemcpyDeviceToHost);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
""",
    "a host function waits": """  fill<<<4, 256, 0, a>>>(x, n, 1);
  cudaMemcpyAsync(h, x, bytes, cudaMemcpyDeviceToHost, a);
  cudaLaunchHostFunc(a, [](void* at) { static_cast<float*>(at)[0] += 1; }, h);
  cudaStreamSynchronize(a);
  printf("%g\\n", h[0]);
""",
    "three stages by a chain of events": """  cudaStream_t c;
  cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking);
  cudaMemcpyAsync(x, h, bytes, cudaMemcpyHostToDevice, a);
  cudaEventRecord(done, a);
  cudaStreamWaitEvent(b, done, 0);
  twice<<<4, 256, 0, b>>>(x, y, n);
  cudaEventRecord(done, b);
  cudaStreamWaitEvent(c, done, 0);
  cudaMemcpyAsync(h, y, bytes, cudaMemcpyDeviceToHost, c);
  cudaStreamSynchronize(c);
  printf("%g\\n", h[7]);
  cudaStreamDestroy(c);
""",
}

# Whole programs, the lines of their findings and a part of the text of each.
PROGRAMS = {
    "two streams": ("""#include <cstdio>
__global__ void fill(float* x) { x[threadIdx.x] = 3; }
__global__ void twice(const float* x, float* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }
int main() {
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  float *x, *y, h[64];
  cudaMalloc(&x, sizeof h);
  cudaMalloc(&y, sizeof h);
  fill<<<1, 64, 0, a>>>(x);
  twice<<<1, 64, 0, b>>>(x, y);
  cudaStreamSynchronize(b);
  cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
  printf("%g\\n", h[5]);
  cudaFree(x);
  cudaFree(y);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
}
""", [(12, "twice in stream b reads byte 0 of 'x', which fill in stream a writes (app.cu:11)")]),
    "a copy of the default stream": ("""#include <cstdio>
__global__ void fill(float* x) { x[threadIdx.x] = 3; }
int main() {
  cudaStream_t a;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  float *x, h[64];
  cudaMalloc(&x, sizeof h);
  cudaMemset(x, 0, sizeof h);
  cudaDeviceSynchronize();
  fill<<<1, 64, 0, a>>>(x);
  cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
  printf("%g\\n", h[5]);
  cudaFree(x);
  cudaStreamDestroy(a);
}
""", [(11, 'which fill in stream a writes (app.cu:10)')]),
    "a variable is set anew": ("""#include <cstdio>
__constant__ float c[64];
__device__ float g[64];
__global__ void use(float* y) { y[threadIdx.x] = c[threadIdx.x % 3] + g[threadIdx.x]; }
int main() {
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking); cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  float *y, *h;
  cudaMalloc(&y, 256);
  cudaMallocHost(&h, 256);
  for (int i = 0; i < 64; ++i) h[i] = i;
  cudaMemcpyToSymbol(g, h, 256);
  use<<<1, 64, 0, a>>>(y);
  cudaMemcpyToSymbolAsync(g, h, 256, 0, cudaMemcpyHostToDevice, b);
  cudaDeviceSynchronize();
  cudaFree(y); cudaFreeHost(h);
}
""", [(14, "writes byte 0 of 'g', which use in stream a reads (app.cu:13)")]),
    "a constant is set anew": ("""#include <cstdio>
__constant__ float c[64];
__global__ void use(float* y) { y[threadIdx.x] = c[threadIdx.x % 3]; }
int main() {
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  float *y, *h;
  cudaMalloc(&y, 256);
  cudaMallocHost(&h, 256);
  for (int i = 0; i < 64; ++i) h[i] = i;
  cudaMemcpyToSymbol(c, h, 256);
  use<<<1, 64, 0, a>>>(y);
  cudaMemcpyToSymbolAsync(c, h, 256, 0, cudaMemcpyHostToDevice, b);
  cudaDeviceSynchronize();
  cudaFree(y); cudaFreeHost(h);
}
""", [(14, "writes byte 0 of 'c', which use in stream a reads (app.cu:13)")]),
    "default streams of two threads": ("""#include <cstdio>
#include <thread>
__global__ void fill(float* x) { x[threadIdx.x] = threadIdx.x; }
__global__ void twice(const float* x, float* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }
int main() {
  float *x, *y;
  cudaMalloc(&x, 256);
  cudaMalloc(&y, 256);
  std::thread one([&] { fill<<<1, 64, 0, cudaStreamPerThread>>>(x); });
  one.join();
  std::thread two([&] { twice<<<1, 64, 0, cudaStreamPerThread>>>(x, y); });
  two.join();
  cudaDeviceSynchronize();
  cudaFree(x); cudaFree(y);
}
""", [(11, "which fill in a thread's default stream writes (app.cu:9)")]),
    "default streams of two threads, one waited for": ("""#include <cstdio>
#include <thread>
__global__ void fill(float* x) { x[threadIdx.x] = threadIdx.x; }
__global__ void twice(const float* x, float* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }
int main() {
  float *x, *y;
  cudaMalloc(&x, 256);
  cudaMalloc(&y, 256);
  std::thread one([&] { fill<<<1, 64, 0, cudaStreamPerThread>>>(x); cudaStreamSynchronize(cudaStreamPerThread); });
  one.join();
  std::thread two([&] { twice<<<1, 64, 0, cudaStreamPerThread>>>(x, y); });
  two.join();
  fill<<<1, 64>>>(y);
  cudaDeviceSynchronize();
  cudaFree(x); cudaFree(y);
}
""", []),
    "two cooperative launches": ("""#include <cooperative_groups.h>
#include <cstdio>
__global__ void steps(float* x, int n) {
  auto grid = cooperative_groups::this_grid();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = i;
  grid.sync();
  const float next = x[(i + 1) % n];
  grid.sync();
  x[i] = next;
}
int main() {
  cudaStream_t s[2];
  for (auto& one : s) cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  float* x;
  int n = 128;
  cudaMalloc(&x, 512);
  void* arguments[] = {&x, &n};
  for (int i = 0; i < 2; ++i) cudaLaunchCooperativeKernel((void*)steps, 2, 64, arguments, 0, s[i]);
  cudaDeviceSynchronize();
  cudaFree(x);
}
""", [(19, 'steps in stream one (number 1) writes (app.cu:19)')]),
    "cooperative launches on buffers of their own": ("""#include <cooperative_groups.h>
#include <cstdio>
__global__ void steps(float* x, int n) {
  auto grid = cooperative_groups::this_grid();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = i;
  grid.sync();
  const float next = x[(i + 1) % n];
  grid.sync();
  x[i] = next;
}
int main() {
  cudaStream_t s[2];
  for (auto& one : s) cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  float* x[2];
  int n = 128;
  for (auto& one : x) cudaMalloc(&one, 512);
  for (int i = 0; i < 4; ++i) {
    void* arguments[] = {&x[i % 2], &n};
    cudaLaunchCooperativeKernel((void*)steps, 2, 64, arguments, 0, s[i % 2]);
  }
  float h[128];
  cudaStreamSynchronize(s[0]);
  cudaMemcpy(h, x[0], 512, cudaMemcpyDeviceToHost);
  cudaStreamSynchronize(s[1]);
  printf("%g\\n", h[3]);
  for (auto& one : x) cudaFree(one);
}
""", []),
    "managed memory of another stream": ("""#include <cstdio>
__global__ void fill(float* x) { x[threadIdx.x] = threadIdx.x + 1; }
int main() {
  cudaStream_t a, b;
  cudaStreamCreate(&a); cudaStreamCreate(&b);
  float *x, *y;
  cudaMallocManaged(&x, 256);
  cudaMallocManaged(&y, 256);
  fill<<<1, 64, 0, a>>>(x);
  fill<<<1, 64, 0, b>>>(y);
  cudaStreamSynchronize(a);
  printf("%g\\n", x[3]);
  printf("%g\\n", y[3]);
  cudaDeviceSynchronize();
  cudaFree(x); cudaFree(y);
}
""", [(13, "byte 12 of 'y', which fill has changed, and has not waited")]),
    "managed memory, stream by stream": ("""#include <cstdio>
__global__ void fill(float* x) { x[threadIdx.x] += threadIdx.x + 1; }
int main() {
  cudaStream_t a, b;
  cudaStreamCreate(&a); cudaStreamCreate(&b);
  float *x;
  cudaMallocManaged(&x, 512);
  for (int i = 0; i < 128; ++i) x[i] = i;
  fill<<<1, 64, 0, a>>>(x);
  fill<<<1, 64, 0, b>>>(x + 64);
  cudaStreamSynchronize(a);
  printf("%g\\n", x[3]);
  x[3] = 5;
  fill<<<1, 64, 0, a>>>(x);
  cudaStreamSynchronize(b);
  printf("%g\\n", x[70]);
  x[70] = 1;
  cudaStreamSynchronize(a);
  printf("%g\\n", x[3]);
  cudaFree(x);
}
""", []),
    "registered memory": ("""#include <cstdio>
#include <cstdlib>
__global__ void fill(float* x) { x[threadIdx.x] = threadIdx.x; }
int main() {
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  float* h = (float*)malloc(4096);
  for (int i = 0; i < 1024; ++i) h[i] = 2 * i;
  cudaHostRegister(h, 4096, 0);
  float *x, *y;
  cudaMalloc(&x, 256); cudaMalloc(&y, 256);
  fill<<<1, 64, 0, a>>>(x);
  cudaMemcpyAsync(h, x, 256, cudaMemcpyDeviceToHost, a);
  cudaMemcpyAsync(y, h, 256, cudaMemcpyHostToDevice, b);
  cudaDeviceSynchronize();
  cudaHostUnregister(h);
  cudaFree(x); cudaFree(y); free(h);
}
""", [(15, 'which the copy in stream a writes (app.cu:14)')]),
    "registered memory that the host changes": ("""#include <cstdio>
#include <cstdlib>
int main() {
  cudaStream_t a;
  cudaStreamCreate(&a);
  float* h = (float*)malloc(4096);
  for (int i = 0; i < 1024; ++i) h[i] = 2 * i;
  cudaHostRegister(h, 4096, 0);
  float *x;
  cudaMalloc(&x, 256);
  cudaMemcpyAsync(x, h, 256, cudaMemcpyHostToDevice, a);
  h[3] = 1;
  cudaStreamSynchronize(a);
  cudaHostUnregister(h);
  cudaFree(x); free(h);
}
""", [(11, '(changed by app.cu:13)')]),
    "cuBLAS in another stream": ("""#include <cublas_v2.h>
#include <cstdio>
__global__ void fill(float* x) { x[threadIdx.x] = threadIdx.x; }
int main() {
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  float *x, sum;
  cudaMalloc(&x, 256);
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSetStream(handle, b);
  fill<<<1, 64, 0, a>>>(x);
  cublasSasum(handle, 64, x, 1, &sum);
  cublasDestroy(handle);
  cudaFree(x);
}
""", [(14, "the call of cublasSasum in stream b reads byte 0 of 'x', which fill in stream a writes (app.cu:13)")]),
    "chunks that read their neighbours": ("""#include <cstdio>
__global__ void blur(const float* x, float* y, int from, int n) {
  const int i = from + blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
}
int main() {
  const int n = 4096, each = n / 4;
  cudaStream_t streams[4];
  for (int i = 0; i < 4; ++i) cudaStreamCreate(&streams[i]);
  float *h, *x, *y;
  cudaMallocHost(&h, n * 4);
  for (int i = 0; i < n; ++i) h[i] = i;
  cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4);
  for (int i = 0; i < 4; ++i) {
    cudaMemcpyAsync(x + i * each, h + i * each, each * 4, cudaMemcpyHostToDevice, streams[i]);
    blur<<<4, 256, 0, streams[i]>>>(x, y, i * each, n);
  }
  cudaDeviceSynchronize();
  cudaFree(x); cudaFree(y); cudaFreeHost(h);
}
""", [(4, 'nobody has written'), (15, 'which blur in stream streams[i] (number 1) reads (app.cu:16)')]),
    "chunks of their own": ("""#include <cstdio>
__global__ void twice(float* x, int from, int n) {
  const int i = from + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
int main() {
  const int n = 4001, each = 1001;
  cudaStream_t streams[4];
  for (int i = 0; i < 4; ++i) cudaStreamCreate(&streams[i]);
  char *h, *x;
  float* f;
  cudaMallocHost(&h, n * 4);
  for (int i = 0; i < n; ++i) ((float*)h)[i] = i;
  cudaMalloc(&f, n * 4);
  for (int i = 0; i < 4; ++i) {
    const int count = i < 3 ? each : n - 3 * each;
    cudaMemcpyAsync(f + i * each, h + i * each * 4, count * 4, cudaMemcpyHostToDevice, streams[i]);
    twice<<<4, 256, 0, streams[i]>>>(f, i * each, i * each + count);
    cudaMemcpyAsync(h + i * each * 4, f + i * each, count * 4, cudaMemcpyDeviceToHost, streams[i]);
  }
  for (int i = 0; i < 4; ++i) { cudaStreamSynchronize(streams[i]); printf("%g\\n", ((float*)h)[i * each]); }
  cudaFree(f); cudaFreeHost(h);
}
""", []),
    "left and right halves of rows": ("""#include <cstdio>
__global__ void left(float* x, size_t pitch) { ((float*)((char*)x + blockIdx.x * pitch))[threadIdx.x] = threadIdx.x; }
int main() {
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  float *x, *h;
  size_t pitch;
  cudaMallocPitch(&x, &pitch, 64 * 4, 8);
  cudaMallocHost(&h, 64 * 4 * 8);
  left<<<8, 32, 0, a>>>(x, pitch);
  left<<<8, 32, 0, b>>>(x + 32, pitch);
  cudaMemcpy2DAsync(h, 256, x, pitch, 128, 8, cudaMemcpyDeviceToHost, a);
  cudaMemcpy2DAsync(h + 32, 256, x + 32, pitch, 128, 8, cudaMemcpyDeviceToHost, b);
  cudaDeviceSynchronize();
  printf("%g %g\\n", h[5], h[40]);
  cudaFree(x); cudaFreeHost(h);
}
""", []),
    "whole rows of two halves": ("""#include <cstdio>
__global__ void left(float* x, size_t pitch) { ((float*)((char*)x + blockIdx.x * pitch))[threadIdx.x] = threadIdx.x; }
int main() {
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  float *x, *h;
  size_t pitch;
  cudaMallocPitch(&x, &pitch, 64 * 4, 8);
  cudaMallocHost(&h, 64 * 4 * 8);
  left<<<8, 32, 0, a>>>(x, pitch);
  left<<<8, 32, 0, b>>>(x + 32, pitch);
  cudaMemcpy2DAsync(h, 256, x, pitch, 256, 8, cudaMemcpyDeviceToHost, a);
  cudaDeviceSynchronize();
  printf("%g %g\\n", h[5], h[40]);
  cudaFree(x); cudaFreeHost(h);
}
""", [(13, "reads byte 128 of 'x', which left in stream b writes (app.cu:12)")]),
}

# Where 0 is each thread's own default stream: it waits for the legacy one, as that one for it, and for no other.
# `a` is a blocking stream. A body, and the line in it of the finding and of the work that it names.
PER_THREAD = """#include <cstdio>
#include <thread>
__global__ void fill(float* x) { x[threadIdx.x] = threadIdx.x; }
__global__ void twice(const float* x, float* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }
int main() {
  float *x, *y, *h;
  cudaStream_t a;
  cudaEvent_t done;
  cudaStreamCreate(&a);
  cudaEventCreate(&done);
  cudaMalloc(&x, 256);
  cudaMalloc(&y, 256);
  cudaMallocHost(&h, 256);
  for (int i = 0; i < 64; ++i) h[i] = i;
BODY
  cudaDeviceSynchronize();
  cudaFree(x); cudaFree(y); cudaFreeHost(h);
  cudaEventDestroy(done); cudaStreamDestroy(a);
}
"""
FAULTY_PER_THREAD = {
    "two threads": ("""  std::thread([&] { fill<<<1, 64>>>(x); }).join();
  std::thread([&] { twice<<<1, 64>>>(x, y); }).join();""", 2, 1),
    "a blocking stream is not waited for": ("""  fill<<<1, 64, 0, a>>>(x);
  twice<<<1, 64>>>(x, y);""", 2, 1),
    "nor by a copy that blocks": ("""  fill<<<1, 64, 0, a>>>(x);
  cudaMemcpy(h, x, 256, cudaMemcpyDeviceToHost);""", 2, 1),
    "nor is this one by it": ("""  cudaMemcpyAsync(x, h, 256, cudaMemcpyHostToDevice);
  twice<<<1, 64, 0, a>>>(x, y);""", 2, 1),
    "an event of another thread's": ("""  std::thread([&] { fill<<<1, 64>>>(x); }).join();
  cudaEventRecord(done);
  cudaStreamWaitEvent(a, done, 0);
  twice<<<1, 64, 0, a>>>(x, y);""", 4, 1),
    "a launch without the arrows": ("""  fill<<<1, 64, 0, a>>>(x);
  void* arguments[] = {&x, &y};
  cudaLaunchKernel((const void*)twice, dim3(1), dim3(64), arguments, 0, 0);""", 3, 1),
}
RIGHT_PER_THREAD = {
    "one thread": """  fill<<<1, 64>>>(x);
  twice<<<1, 64>>>(x, y);
  cudaMemcpy(h, y, 256, cudaMemcpyDeviceToHost);""",
    "the legacy stream": """  fill<<<1, 64>>>(x);
  twice<<<1, 64, 0, cudaStreamLegacy>>>(x, y);
  fill<<<1, 64>>>(y);""",
    "an event": """  fill<<<1, 64>>>(x);
  cudaEventRecord(done);
  cudaStreamWaitEvent(a, done, 0);
  twice<<<1, 64, 0, a>>>(x, y);""",
    "a thread that waits": """  std::thread([&] { fill<<<1, 64>>>(x); cudaStreamSynchronize(0); }).join();
  std::thread([&] { twice<<<1, 64>>>(x, y); }).join();""",
    "a stream that is waited for": """  fill<<<1, 64, 0, a>>>(x);
  cudaStreamSynchronize(a);
  cudaMemcpyAsync(h, x, 256, cudaMemcpyDeviceToHost);
  cudaStreamSynchronize(0);
  h[0] = 1;""",
}
ITS_FIRST = PER_THREAD[:PER_THREAD.index("BODY")].count("\n")


@unittest.skipUnless(CLANG, "no clang to compile the host part")
class Streams(LabTest):
    def found(self, text, *words):
        self.write("app.cu", text)
        done = self.lab("exec", "app.cu", "--json", "--no-store", *words)
        self.assertIn("{", done.out, done.err)
        run = json.loads(done.out[done.out.index("{"):])["runs"][0]
        self.assertEqual(run["program"]["status"], 0, done)
        kernels = [one for case in run["cases"] if case["kernel"] for one in case["findings"]]
        return sorted(run["program"]["findings"] + kernels, key=lambda one: one["line"])

    def test_what_nothing_orders_is_a_finding_with_both_lines(self):
        for name, (body, line, other) in FAULTY.items():
            with self.subTest(name):
                found, = self.found(HEAD + body + TAIL)
                self.assertEqual((found["kind"], found["line"]), ("missing_sync", FIRST - 1 + line))
                if other is not None:
                    self.assertIn("app.cu:%d" % (FIRST - 1 + other), found["message"])

    def test_what_is_in_order_is_none(self):
        for name, body in RIGHT.items():
            with self.subTest(name):
                self.assertEqual(self.found(HEAD + body + TAIL), [])

    def test_whole_programs(self):
        for name, (text, expected) in PROGRAMS.items():
            with self.subTest(name):
                found = self.found(text)
                self.assertEqual([one["line"] for one in found], [line for line, _ in expected], found)
                for one, (_, words) in zip(found, expected):
                    self.assertIn(words, one["message"])

    def per_thread(self, faulty, right, *words):
        own = ("--default-stream", "per-thread", *words)
        for name in faulty:
            body, line, other = FAULTY_PER_THREAD[name]
            with self.subTest(name):
                found, = self.found(PER_THREAD.replace("BODY", body), *own)
                self.assertEqual((found["kind"], found["line"]), ("missing_sync", ITS_FIRST + line))
                self.assertIn(f"app.cu:{ITS_FIRST + other}", found["message"])
        for name in right:
            with self.subTest(name):
                self.assertEqual(self.found(PER_THREAD.replace("BODY", RIGHT_PER_THREAD[name]), *own), [])

    def test_each_thread_has_a_default_stream_where_it_is_compiled_so(self):
        self.per_thread(FAULTY_PER_THREAD, RIGHT_PER_THREAD)
        body, line, _ = FAULTY_PER_THREAD["two threads"]
        found, = self.found(PER_THREAD.replace("BODY", body), "-D", "CUDA_API_PER_THREAD_DEFAULT_STREAM")
        self.assertEqual(found["line"], ITS_FIRST + line)
        # All of it is in order where 0 is the legacy stream.
        for name, (body, _, _) in FAULTY_PER_THREAD.items():
            with self.subTest(name):
                self.assertEqual(self.found(PER_THREAD.replace("BODY", body)), [])

    @unittest.skipUnless(shutil.which("nvcc"), "no nvcc")
    def test_by_nvcc_it_is_the_same(self):
        # nvcc takes seconds for each: a launch, a copy that blocks, an event of the thread's own stream.
        self.per_thread(["two threads", "nor by a copy that blocks"], ["an event"], "--compiler", "nvcc")

    def test_a_mistake_of_a_loop_is_told_once(self):
        found, = self.found(HEAD + """  for (int i = 0; i < 3; ++i) {
    fill<<<4, 256, 0, a>>>(x, n, i);
    twice<<<4, 256, 0, b>>>(x, y, n);
    cudaDeviceSynchronize();
  }
""" + TAIL)
        self.assertEqual((found["line"], found["count"]), (FIRST + 2, 3))

    def test_the_cure_fits_the_streams(self):
        cures = {
            "cudaStreamWaitEvent": "  fill<<<4, 256, 0, a>>>(x, n, 1);\n  twice<<<4, 256, 0, b>>>(x, y, n);\n",
            "Synchronise stream a before": "  fill<<<4, 256, 0, a>>>(x, n, 1);\n"
                                           "  cudaMemcpy(h, x, bytes, cudaMemcpyDeviceToHost);\n",
            "make one node of the graph depend on the other": FAULTY["graph branches that meet"][0],
        }
        for cure, body in cures.items():
            with self.subTest(cure):
                found, = self.found(HEAD + body + TAIL)
                self.assertIn(cure, found["message"])

    def test_nothing_is_followed_without_checks(self):
        self.write("app.cu", PROGRAMS["two streams"][0])
        self.assertIn("no finding", re.sub(r"\s+", " ", self.good("exec", "app.cu", "--no-store", "--check", "off")))


if __name__ == "__main__":
    unittest.main()
