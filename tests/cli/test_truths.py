"""lab exec: programs that once ended otherwise than on a GPU. What is right is what nvcc 13 and an H200 print of the
same program, or follows from C++."""
import pathlib
import re
import tempfile
import unittest

from support import LabTest
from test_exec import CLANG, NVCC

# Line 6 is the first of PART.
MAIN = """#include <cstdio>
%s
__global__ void put(int* to) { *to = 4; }
int main() {
  int h = 0, *d; cudaMalloc(&d, 4); put<<<1, 1>>>(d);
  PART
  cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); printf("%%d\\n", h); cudaFree(d);
}
"""


@unittest.skipUnless(CLANG, "no clang")
class AsOnAGpu(LabTest):
    def ran(self, *words, status=0):
        done = self.lab("exec", *words, "--no-store")
        self.assertEqual(done.status, status, done.out + done.err)
        return done.out

    def compilers(self):
        for name in ["clang"] + (["nvcc"] if NVCC else []):
            with self.subTest(compiler=name):
                yield name

    def test_kernels_print_when_the_host_waits(self):
        self.write("order.cu", """#include <cstdio>
__global__ void say(int n) { printf("kernel %d\\n", n); }
int main() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  int *d, h;
  cudaMalloc(&d, 4);
  printf("a\\n");
  say<<<1, 1>>>(1);
  printf("b\\n");
  cudaDeviceSynchronize();
  printf("c\\n");
  say<<<1, 1, 0, s>>>(2);
  say<<<1, 1, 0, s>>>(3);
  printf("d\\n");
  cudaStreamSynchronize(s);
  printf("e\\n");
  say<<<1, 1>>>(4);
  printf("f\\n");
  cudaMemset(d, 0, 4);
  cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
  printf("g\\n");
  cudaStreamDestroy(s);
  cudaFree(d);
}
""")
        for compiler in self.compilers():
            said = self.ran("order.cu", "--compiler", compiler).split("---")[0].split("\n")
            self.assertEqual(said[:-1], ["a", "b", "kernel 1", "c", "d", "kernel 2", "kernel 3", "e", "f", "kernel 4", "g"])

    def test_much_that_a_kernel_prints_is_whole(self):
        # 64 * 1,024 lines of 32 bytes are 2 MiB, which is more than is held back.
        self.write("much.cu", """#include <cstdio>
__global__ void say() { printf("%031d\\n", blockIdx.x * 1024 + threadIdx.x); }
int main() { say<<<64, 1024>>>(); cudaDeviceSynchronize(); printf("end\\n"); }
""")
        lines = self.ran("much.cu").split("---")[0].split("\n")
        self.assertEqual(sorted(lines[:65536]), ["%031d" % i for i in range(65536)])
        self.assertEqual(lines[65536], "end")

    def test_a_library_that_is_included_and_not_called_is_not_missed(self):
        for header in ("cufft.h", "cusparse.h", "cusolverDn.h", "nvml.h", "cudnn.h", "nvrtc.h"):
            with self.subTest(header):
                self.write("app.cu", MAIN.replace("PART", "") % ("#include <%s>" % header))
                self.assertTrue(self.ran("app.cu", "--compiler", "clang").startswith("4\n"))

    def test_a_call_of_such_a_library_is_refused_by_its_name(self):
        self.write("app.cu", MAIN.replace("PART", "cufftHandle plan; cufftPlan1d(&plan, 8, CUFFT_C2C, 1);") %
                   "#include <cufft.h>")
        done = self.lab("exec", "app.cu", "--no-store")
        self.assertEqual(done.status, 2)
        self.assertRegex(done.err, r"app\.cu:6:\d+: cufftHandle is not modelled")

    def test_quoted_headers_are_read_wherever_they_lie(self):
        self.write("common/deep/util.h", "#pragma once\n#include \"../more.h\"\n")
        self.write("common/more.h", "#include <cuda_runtime.h>\ninline int more() { return 9; }\n")
        self.write("a/b/c/d/e/main.cu", MAIN.replace("PART", "printf(\"%%d\\n\", more());") %
                   "#include \"../../../../../common/deep/util.h\"")
        self.write("a/b/c/d/e/k.cu", "__global__ void k(int* a) { *a = 5; }\nvoid launch(int* d) { k<<<1, 1>>>(d); }\n")
        self.write("a/b/c/d/e/t.cpp", """#include "../../../../../common/deep/util.h"
#include <cstdio>
void launch(int* d);
int main() {
  int h = 0, *d;
  cudaMalloc(&d, 4);
  launch(d);
  cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
  printf("%d %d\\n", h, more());
  cudaFree(d);
}
""")
        folder = "a/b/c/d/e/"
        for compiler in self.compilers():
            self.assertTrue(self.ran(folder + "main.cu", "--compiler", compiler).startswith("9\n4\n"))
            self.assertTrue(self.ran(folder + "t.cpp", folder + "k.cu", "--compiler", compiler).startswith("5 9\n"))

    def test_a_file_that_the_box_keeps_away_is_told_with_the_option(self):
        # A name that a macro makes is not seen before the compiler runs.
        other = tempfile.TemporaryDirectory()
        self.addCleanup(other.cleanup)
        (pathlib.Path(other.name) / "util.h").write_text("inline int more() { return 9; }\n")
        self.write("k.cu", "__global__ void k() {}\nvoid launch() { k<<<1, 1>>>(); }\n")
        self.write("t.cpp", "#define ELSEWHERE \"%s/util.h\"\n#include ELSEWHERE\n#include <cstdio>\n"
                            "void launch();\nint main() { launch(); printf(\"%%d\\n\", more()); }\n" % other.name)
        words = ["t.cpp", "k.cu", "--compiler", "clang"]
        done = self.lab("exec", *words, "--no-store")
        if done.status == 0:
            self.skipTest("no box on this machine")
        self.assertIn("Permission denied", done.err)
        self.assertIn("-I FOLDER", done.err)
        self.assertTrue(self.ran(*words, "-I", other.name).startswith("9\n"))

    @unittest.skipUnless(NVCC, "no nvcc")
    def test_lambdas_of_the_device(self):
        self.write("lambda.cu", """#include <cstdio>
template <typename F> __global__ void each(int* x, F f) { x[threadIdx.x] = f(threadIdx.x); }
constexpr int twice(int n) { return 2 * n; }
int main() {
  int *x, h[32];
  cudaMalloc(&x, sizeof h);
  each<<<1, 32>>>(x, [] __device__(int i) { return twice(i) + 1; });
  cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d\\n", h[31]);
  cudaFree(x);
}
""")
        self.assertTrue(self.ran("lambda.cu").startswith("63\n"))

    def test_products_of_several_types(self):
        # A is [[1, 2], [3, 4]] by columns, B the same: A B = [[1 + 2 * 3, ...]]: columns (7, 10), (15, 22). Twice that,
        # and three times the 1 of C: 17, 23, 33, 47. 2,049 is no half: between 2,048 and 2,050 the even digit stays.
        self.write("gemm.cu", """#include <cstdio>
#include <cublas_v2.h>
#include <cuda_fp16.h>
template <typename T, typename C, typename S>
void run(cublasHandle_t h, cudaDataType in, cudaDataType out, cublasComputeType_t sums, float scale) {
  T a[4] = {T(1.f), T(2.f), T(3.f), T(4.f)}, *d;
  C c[4] = {C(1.f), C(1.f), C(1.f), C(1.f)}, *e;
  cudaMalloc(&d, sizeof a); cudaMalloc(&e, sizeof c);
  cudaMemcpy(d, a, sizeof a, cudaMemcpyHostToDevice); cudaMemcpy(e, c, sizeof c, cudaMemcpyHostToDevice);
  S alpha = 2 * scale, beta = 3;
  int status = cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &alpha, d, in, 2, d, in, 2, &beta, e, out, 2, sums,
                            CUBLAS_GEMM_DEFAULT);
  cudaMemcpy(c, e, sizeof c, cudaMemcpyDeviceToHost);
  printf("%d: %g %g %g %g\\n", status, (double)(float)c[0], (double)(float)c[1], (double)(float)c[2], (double)(float)c[3]);
  cudaFree(d); cudaFree(e);
}
int main() {
  cublasHandle_t h;
  cublasCreate(&h);
  run<float, float, float>(h, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 1);
  run<double, double, double>(h, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, 1);
  run<__half, __half, float>(h, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, 1);
  run<__half, float, float>(h, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 1);
  run<__half, __half, float>(h, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, 1023.f / 7);
  run<float, float, float>(h, CUDA_R_32F, CUDA_R_64F, CUBLAS_COMPUTE_32F, 1);
  cublasDestroy(h);
}
""")
        said = self.ran("gemm.cu", "--compiler", "clang").split("\n")
        self.assertEqual(said[:4], ["0: 17 23 33 47"] * 4)
        # 2 * 1023 / 7 * 7 + 3 = 2,049.
        self.assertTrue(said[4].startswith("0: 2048 "), said[4])
        self.assertEqual(said[5], "15: 1 1 1 1")  # CUBLAS_STATUS_NOT_SUPPORTED

    def test_a_launch_that_failed_is_told_before_what_came_of_it(self):
        self.write("large.cu", """#include <cstdio>
__global__ void fillAll(float* a) { a[threadIdx.x] = 1; }
int main() {
  float h[4], *d;
  cudaMalloc(&d, 16);
  fillAll<<<1, 5000>>>(d);
  cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost);
  cudaFree(d);
}
""")
        text = re.sub(r"\s+", " ", self.ran("large.cu", status=1))
        first = text.index("fillAll is not launched with")
        second = text.index("The host copies 16 bytes of 'd', which nobody has written")
        self.assertLess(first, second)
        self.assertNotIn("thread 0", text)  # nobody but the host did it

    def test_a_launch_changes_memory_once(self):
        # Some blocks run twice, for the facts of the launch's time.
        self.write("once.cu", """#include <cstdio>
__device__ int counted;
__global__ void plain(int* x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
__global__ void wide(int4* x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int4 v = x[i];
  x[i] = make_int4(v.x + 1, v.y + 1, v.z + 1, v.w + 1);
}
__global__ void bytes(unsigned char* x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
__global__ void atomics(int* x) { atomicAdd(x + blockIdx.x, 1); atomicAdd(&counted, 1); }
__global__ void image(cudaSurfaceObject_t s) {
  int v;
  surf2Dread(&v, s, threadIdx.x * 4, blockIdx.x);
  surf2Dwrite(v + 1, s, threadIdx.x * 4, blockIdx.x);
}
int main() {
  int *x, h[260] = {}, all = 0, sum = 0;
  cudaMalloc(&x, sizeof h);
  cudaMemset(x, 0, sizeof h);
  plain<<<2, 128>>>(x);
  wide<<<2, 32>>>((int4*)x);
  bytes<<<10, 101>>>((unsigned char*)x);
  atomics<<<4, 64>>>(x);
  cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
  for (int v : h) sum += v & 255, sum += v >> 8 & 255, sum += v >> 16 & 255, sum += v >> 24 & 255;
  cudaMemcpyFromSymbol(&all, counted, 4);
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaMallocArray(&array, &format, 32, 8, cudaArraySurfaceLoadStore);
  int zeros[256] = {}, seen[256], ones = 0;
  cudaMemcpy2DToArray(array, 0, 0, zeros, 128, 128, 8, cudaMemcpyHostToDevice);
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = array;
  cudaSurfaceObject_t s;
  cudaCreateSurfaceObject(&s, &what);
  image<<<8, 32>>>(s);
  cudaMemcpy2DFromArray(seen, 128, array, 0, 0, 128, 8, cudaMemcpyDeviceToHost);
  for (int v : seen) ones += v;
  printf("%d %d %d\\n", sum, all, ones);
  cudaDestroySurfaceObject(s);
  cudaFreeArray(array);
  cudaFree(x);
}
""")
        # 256 + 256 additions to words, 1,010 to bytes, 4 * 64 by atomics; 256 texels.
        self.assertTrue(self.ran("once.cu", "--compiler", "clang").startswith("1778 256 256\n"))

    def test_a_time_that_nobody_knows_is_no_number(self):
        self.write("time.cu", """#include <cstdio>
#include <cooperative_groups.h>
__global__ void waits(int* x) { cooperative_groups::this_grid().sync(); x[threadIdx.x] = 1; }
__global__ void plain(int* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void late(float* x) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float s = 1;
  for (int k = 0; k < (blockIdx.x % 64 < 8 || blockIdx.x < 256 || blockIdx.x > 800 ? 2 : 2000); ++k) s = s * 1.01f + i;
  x[i] = s;
}
int main() {
  int* x;
  cudaMalloc(&x, 1024 * 256 * 4);
  cudaEvent_t e[5];
  for (auto& one : e) cudaEventCreate(&one);
  void* args[] = {&x};
  cudaEventRecord(e[0]);
  plain<<<4, 256>>>(x);
  cudaEventRecord(e[1]);
  cudaLaunchCooperativeKernel((void*)waits, dim3(2), dim3(32), args, 0, 0);
  cudaEventRecord(e[2]);
  plain<<<4, 256>>>(x);
  cudaEventRecord(e[3]);
  late<<<1024, 256>>>((float*)x);
  cudaEventRecord(e[4]);
  cudaDeviceSynchronize();
  for (int i = 0; i < 4; ++i) {
    float ms;
    cudaEventElapsedTime(&ms, e[i], e[i + 1]);
    printf(ms > 0 && ms < 1 ? "known " : ms != ms ? "unknown " : "wrong ");
  }
  cudaFree(x);
}
""")
        # Few of the blocks that are looked at have all 2,000 rounds: their facts are scaled to what the
        # whole launch executed, so that its time is known. Blocks that wait for each other have none.
        self.assertTrue(self.ran("time.cu").startswith("known unknown known known"))

    def test_no_time_is_below_what_memory_takes(self):
        # 400 MB at 4,800 GB/s, the peak of the data sheet, take 83 us.
        self.write("large.cu", """#include <cstdio>
__global__ void sum(const float* a, float* s, int n) {
  float t = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) t += a[i];
  if (t < 0) *s = t;
}
int main() {
  const int n = 100000000;
  float *a, *s, ms;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&s, 4);
  cudaMemset(a, 0, n * 4);
  cudaEvent_t b, e;
  cudaEventCreate(&b);
  cudaEventCreate(&e);
  cudaEventRecord(b);
  sum<<<10240, 128>>>(a, s, n);
  cudaEventRecord(e);
  cudaEventSynchronize(e);
  cudaEventElapsedTime(&ms, b, e);
  printf(ms > 0.083 && ms < 0.4 ? "possible" : "%g ms", ms);
  cudaFree(a);
  cudaFree(s);
}
""")
        self.assertTrue(self.ran("large.cu").startswith("possible"))


if __name__ == "__main__":
    unittest.main()
