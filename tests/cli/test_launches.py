"""lab exec: launches of one shape that differ, and what a copy takes along that no launch has written."""
import json
import re
import shutil
import unittest

from support import LabTest
from test_exec import CLANG

# One kernel, one shape, an argument that decides what it costs.
STRIDES = """__global__ void copy(const float* in, float* out, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i * stride];
}
int main() {
  const int n = 1024;
  float *in, *out;
  cudaMalloc(&in, n * 32 * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, n * 32 * sizeof(float));
  for (STEPS) copy<<<n / 256, 256>>>(in, out, stride);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
"""

# A program whose line 10 is the first of `launch`; 64 x 64 floats that only the kernel writes.
GRID = """__global__ void square(float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) c[INDEX] = i + j;
}
int main() {
  const int n = 64;
  static float h[n * n];
  float* c;
  cudaMalloc(&c, sizeof h);
  LAUNCH
  cudaMemcpy(h, c, sizeof h, cudaMemcpyDeviceToHost);
  cudaFree(c);
}
"""
# Threads of x write rows (i * n + j) or columns (j * n + i): how many of 4,096 are left, and which
# is the first.
ONE_DIMENSION = {
    # 64 threads write c[0], c[64], ...: only j = 0.
    "neither grid nor block has a y": ("i * n + j", "square<<<2, 32>>>(c, n);", "4,032", 1,
                                       "threadIdx.y in line 3, but grid and block have a y of 1"),
    # Rows 0 to 3, whose other 60 are left.
    "the block has none": ("j * n + i", "square<<<dim3(4, 4), 16>>>(c, n);", "3,840", 256,
                           "threadIdx.y in line 3, but the block has a y of 1"),
    # Rows 0 to 15.
    "the grid has none": ("j * n + i", "square<<<4, dim3(16, 16)>>>(c, n);", "3,072", 1024,
                          "blockIdx.y in line 3, but the grid has a y of 1"),
}

LINE = """__global__ void twice(float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = 2 * i;
}
int main() {
  const int n = COUNT;
  static float h[n];
  float* c;
  cudaMalloc(&c, sizeof h);
  LAUNCH
  cudaMemcpy(h, c, sizeof h, cudaMemcpyDeviceToHost);
  cudaFree(c);
}
"""
TOO_FEW = {
    # 3 blocks of 256 threads write 768 of 1,000.
    "rounded down": ("1000", "twice<<<n / 256, 256>>>(c, n);", "232 of the 1,000 floats", 768, "(n + 255) / 256"),
    # The kernel is told of 4,096 elements and has 128 threads.
    "one block": ("4096", "twice<<<1, 128>>>(c, n);", "3,968 of the 4,096 floats", 128, "(n + 127) / 128"),
}

# Programs in which nobody has to write all that is copied.
MEANT = {
    "the border of a stencil": """__global__ void blur(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && j > 0 && i < n - 1 && j < n - 1) y[j * n + i] = x[j * n + i - 1] + x[(j + 1) * n + i];
}
int main() {
  const int n = 16;
  static float h[n * n];
  float *x, *y;
  cudaMalloc(&x, sizeof h);
  cudaMalloc(&y, sizeof h);
  cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
  blur<<<1, dim3(16, 16)>>>(x, y, n);
  cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(y);
}
""",
    "a list with room for more": """__global__ void even(const int* x, int n, int* list, int* count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] % 2 == 0) list[atomicAdd(count, 1)] = x[i];
}
int main() {
  const int n = 500;
  static int h[n];
  int *x, *list, *count;
  cudaMalloc(&x, sizeof h);
  cudaMalloc(&list, sizeof h);
  cudaMalloc(&count, 4);
  cudaMemset(count, 0, 4);
  for (int i = 0; i < n; ++i) h[i] = i < 256 ? 2 * i : 1;
  cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
  even<<<1, 256>>>(x, 256, list, count);
  even<<<1, 256>>>(x + 256, n - 256, list, count);
  cudaMemcpy(h, list, sizeof h, cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(list);
  cudaFree(count);
}
""",
    "room for the largest case": LINE.replace("COUNT", "4096").replace("LAUNCH", "twice<<<1, 256>>>(c, 200);"),
    "padding of rows": """__global__ void ramp(float* c, size_t pitch, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < width) ((float*)((char*)c + j * pitch))[i] = i;
}
int main() {
  static char h[512 * 8];
  float* c;
  size_t pitch;
  cudaMallocPitch(&c, &pitch, 100 * sizeof(float), 8);
  ramp<<<dim3(7, 2), dim3(16, 4)>>>(c, pitch, 100);
  cudaMemcpy(h, c, pitch * 8, cudaMemcpyDeviceToHost);
  cudaFree(c);
}
""",
    "padding of a struct": """struct Pair { char tag; double value; };
__global__ void fill(Pair* c) {
  c[threadIdx.x].tag = 1;
  c[threadIdx.x].value = threadIdx.x;
}
int main() {
  static Pair h[256];
  Pair* c;
  cudaMalloc(&c, sizeof h);
  fill<<<1, 256>>>(c);
  cudaMemcpy(h, c, sizeof h, cudaMemcpyDeviceToHost);
  cudaFree(c);
}
""",
    "a triangle": """__global__ void lower(float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i <= j && j < n) c[j * n + i] = 1;
}
int main() {
  const int n = 64;
  static float h[n * n];
  float* c;
  cudaMalloc(&c, sizeof h);
  lower<<<dim3(1, n), 64>>>(c, n);
  cudaMemcpy(h, c, sizeof h, cudaMemcpyDeviceToHost);
  cudaFree(c);
}
""",
    "an index that a header takes of all axes": """#include <cooperative_groups.h>
__global__ void some(float* c) {
  const auto i = cooperative_groups::this_grid().thread_rank();
  if (i % 4 == 0) c[i] = i;
}
int main() {
  static float h[256];
  float* c;
  cudaMalloc(&c, sizeof h);
  some<<<4, 64>>>(c);
  cudaMemcpy(h, c, sizeof h, cudaMemcpyDeviceToHost);
  cudaFree(c);
}
""",
    "a row that is not the last": GRID.replace("INDEX", "j * n + i").replace(
        "LAUNCH", "square<<<dim3(4, 4), dim3(16, 16)>>>(c, n);"),
}


# Blocks of a cluster read each other's shared memory; a sum behind a barrier of the grid; a template.
WITH_ATTRIBUTES = """#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void turn(const int* in, int* out, int add) {
  __shared__ int s[64];
  extern __shared__ int more[];
  cg::cluster_group cluster = cg::this_cluster();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = in[i];
  more[threadIdx.x] = add;
  SYNC
  const int* other = cluster.map_shared_rank(s, (cluster.block_rank() + 1) % cluster.num_blocks());
  out[i] = other[threadIdx.x] + more[threadIdx.x];
  cluster.sync();
}
__global__ void sum(int* x, int* all) {
  x[blockIdx.x * blockDim.x + threadIdx.x] += 1;
  cg::this_grid().sync();
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  for (int i = 0; i < 256; ++i) *all += x[i];
}
template <typename T>
__global__ void scale(T* x, T by) {
  x[blockIdx.x * blockDim.x + threadIdx.x] *= by;
}
int main() {
  int h[256], *in, *out, *all;
  for (int i = 0; i < 256; ++i) h[i] = i;
  cudaMalloc(&in, sizeof h);
  cudaMalloc(&out, sizeof h);
  cudaMalloc(&all, sizeof(int));
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
  cudaMemset(all, 0, sizeof(int));
  cudaLaunchAttribute attributes[2];
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(4);
  config.blockDim = dim3(64);
  config.dynamicSmemBytes = 64 * sizeof(int);
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = 2;
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim.x = 2;
  attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = 1;
  cudaDeviceSynchronize();
  cudaLaunchKernelEx(&config, turn, (const int*)in, out, 1000);
  MORE
  cudaFree(in);
  cudaFree(out);
  cudaFree(all);
  cudaStreamDestroy(stream);
}
"""


@unittest.skipUnless(CLANG, "no clang to compile the host part")
class Attributes(LabTest):
    """cudaLaunchKernelEx: what a launch asks for beside its shape."""

    def said(self, more, *words, sync="cluster.sync();", status=0):
        self.write("app.cu", WITH_ATTRIBUTES.replace("MORE", more).replace("SYNC", sync))
        done = self.lab("exec", "app.cu", "--no-store", *words)
        self.assertEqual(done.status, status, done)
        return done.out

    SHOW = """cudaStreamSynchronize(stream);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d %d %d\\n", h[0], h[64], h[255]);
"""

    def test_a_cluster_has_the_size_that_the_launch_asks_for(self):
        # Blocks 0 and 1 read each other, and so do 2 and 3: 64, 0 and 191, and 1,000 more.
        self.assertEqual(self.said(self.SHOW).split("\n")[0], "1064 1000 1191")
        # In clusters of four, block 3 reads block 0.
        four = "attributes[0].val.clusterDim.x = 4;\ncudaLaunchKernelEx(&config, turn, in, out, 1000);\n" + self.SHOW
        self.assertEqual(self.said(four).split("\n")[0], "1064 1128 1063")
        # Without the attribute each block is a cluster of its own.
        none = "config.numAttrs = 0;\ncudaLaunchKernelEx(&config, turn, in, out, 1000);\n" + self.SHOW
        self.assertEqual(self.said(none).split("\n")[0], "1000 1064 1255")

    def test_a_race_in_such_a_cluster_is_found(self):
        said = self.said(self.SHOW, sync="__syncthreads();", status=1)
        self.assertIn("app.cu:13 ", said)
        self.assertIn("with no cluster.sync() between", said)

    def test_a_grid_that_is_no_whole_clusters_is_not_launched(self):
        said = self.said("config.gridDim = dim3(3);\n"
                         "puts(cudaGetErrorName(cudaLaunchKernelEx(&config, turn, in, out, 1)));\n" + self.SHOW)
        self.assertEqual(said.split("\n")[:2], ["cudaErrorInvalidClusterSize", "1064 1000 1191"])

    def test_a_kernel_with_clusters_of_its_own_is_launched_in_no_others(self):
        text = WITH_ATTRIBUTES.replace("void turn", "void __cluster_dims__(4, 1, 1) turn").replace("SYNC", "cluster.sync();")
        self.write("app.cu", text.replace("MORE", "puts(cudaGetErrorName(cudaGetLastError()));"))
        self.assertEqual(self.lab("exec", "app.cu", "--no-store").out.split("\n")[0], "cudaErrorInvalidClusterSize")

    def test_a_cooperative_launch(self):
        # 0 + ... + 255 = 32,640, and 1 more for each of 256.
        cooperative = """attributes[0].id = cudaLaunchAttributeCooperative;
  attributes[0].val.cooperative = VALUE;
  config.numAttrs = 1;
  config.dynamicSmemBytes = 0;
  cudaLaunchKernelEx(&config, sum, in, all);
  cudaStreamSynchronize(stream);
  cudaMemcpy(h, all, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\\n", h[0]);
"""
        self.assertEqual(self.said(cooperative.replace("VALUE", "1")).split("\n")[0], "32896")
        # 132 multiprocessors hold 32 such blocks each: 4,224 and no more may wait for each other.
        large = """attributes[0].id = cudaLaunchAttributeCooperative;
  attributes[0].val.cooperative = 1;
  config.numAttrs = 1;
  config.gridDim = dim3(4225);
  puts(cudaGetErrorName(cudaLaunchKernelEx(&config, sum, in, all)));
"""
        self.assertEqual(self.said(large).split("\n")[0], "cudaErrorCooperativeLaunchTooLarge")

    def test_arguments_are_converted_and_the_stream_is_the_configurations(self):
        # 3 of double to float; a copy in the default stream does not wait for a non-blocking one.
        scale = """float* f;
  cudaMalloc(&f, 256 * sizeof(float));
  cudaMemset(f, 0, 256 * sizeof(float));
  cudaDeviceSynchronize();
  config.numAttrs = 0;
  cudaLaunchKernelEx(&config, scale<float>, f, 3.0);
  WAIT
  float g[256];
  cudaMemcpy(g, f, sizeof g, cudaMemcpyDeviceToHost);
  cudaFree(f);
"""
        self.assertIn("scale<float>", self.said(scale.replace("WAIT", "cudaStreamSynchronize(stream);")))
        said = self.said(scale.replace("WAIT", ""), status=1)
        self.assertIn("cudaMemcpy(g, f, sizeof g", said)

    def test_errors_are_in_the_launchs_line(self):
        said = self.said("config.blockDim = dim3(2000);\n  cudaLaunchKernelEx(&config, turn, in, out, 1);", status=1)
        line = 1 + (self.folder / "app.cu").read_text().split("\n").index("  cudaLaunchKernelEx(&config, turn, in, out, 1);")
        self.assertIn(f"app.cu:{line} ", said)

    def test_attributes_that_mean_something_else_are_refused_by_name(self):
        for name in ("PreferredClusterDimension", "ProgrammaticEvent", "LaunchCompletionEvent"):
            said = self.said(f"attributes[1].id = cudaLaunchAttribute{name};\n"
                             "puts(cudaGetErrorName(cudaLaunchKernelEx(&config, turn, in, out, 1)));", status=1)
            self.assertEqual(said.split("\n")[0], "cudaErrorNotSupported")
            self.assertIn(f"cudaLaunchAttribute{name} is not modelled", said)

    @unittest.skipUnless(shutil.which("nvcc"), "no nvcc")
    def test_by_nvcc_it_is_the_same(self):
        self.assertEqual(self.said(self.SHOW, "--compiler", "nvcc").split("\n")[0], "1064 1000 1191")


@unittest.skipUnless(CLANG, "no clang to compile the host part")
class Launches(LabTest):
    def run_of(self, text, *words):
        self.write("app.cu", text)
        done = self.lab("exec", "app.cu", "--json", "--no-store", *words)
        return json.loads(done.out[done.out.index("{"):])["runs"][0]

    def test_launches_that_cost_something_else_are_rows_of_their_own(self):
        # 32 lanes of 4 bytes at strides of 1, 2, 4, 8 and more floats: 4, 8, 16, 32 sectors.
        text = STRIDES.replace("STEPS", "int stride = 1; stride <= 32; stride *= 2")
        run = self.run_of(text)
        rows = [case["metrics"]["global_load_sectors_per_request"]["model"] for case in run["cases"]]
        self.assertEqual(list(zip(rows, run["program"]["launches"])), [(4, 1), (8, 1), (16, 1), (32, 3)])
        self.write("app.cu", text)
        said = self.good("exec", "app.cu")
        self.assertRegex(said, r"copy +4 x 256 +1 +4\.0 ")
        self.assertRegex(said, r"copy +4 x 256 +1 +8\.0 ")
        self.assertRegex(said, r"copy +4 x 256 +3 +32\.0 ")
        self.assertEqual(self.count("SELECT count(*) FROM cases WHERE kernel = 'copy'"), 4)

    def test_launches_that_cost_the_same_are_one_row(self):
        run = self.run_of(STRIDES.replace("STEPS", "int i = 0, stride = 2; i < 6; ++i"))
        self.assertEqual(run["program"]["launches"], [6])

    def test_the_last_of_many_rows_says_its_range(self):
        # Lanes 32, 31, ... lanes load: one sector less for every eight. Of 32 launches there are four
        # numbers of sectors of loads, and as many of stores: not more than eight rows.
        text = """__global__ void some(const float* in, float* out, int step) {
  for (int i = threadIdx.x; i < 1024; i += step) out[i] = in[i];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 4096);
  cudaMalloc(&out, 4096);
  cudaMemset(in, 0, 4096);
  for (int step = 32; step < 32 * 12; step += 32) some<<<1, 32>>>(in, out, step);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
"""
        # 1,024 / step requests: 32, 16, 11, 8, 7, 6, 5, 4, and 4, 4, 3 with the eighth.
        run = self.run_of(text)
        requests = [case["metrics"]["global_load_requests"]["model"] for case in run["cases"]]
        self.assertEqual(requests, [32, 16, 11, 8, 7, 6, 5, 4])
        self.assertEqual(run["program"]["launches"], [1, 1, 1, 1, 1, 1, 1, 4])
        self.write("app.cu", text)
        said = re.sub(r"\s+", " ", self.good("exec", "app.cu", "--no-store"))
        self.assertIn("the row is the first of 4 launches; they count 3 to 4 global_load_requests, where the "
                      "first has 4", said)

    def holes(self, text):
        return [one for one in self.run_of(text)["program"]["findings"] if one["kind"] == "uninitialised"]

    def test_a_copy_of_what_a_launch_without_y_left_out_is_a_finding(self):
        for name, (index, launch, holes, first, why) in ONE_DIMENSION.items():
            with self.subTest(name):
                found, = self.holes(GRID.replace("INDEX", index).replace("LAUNCH", launch))
                self.assertEqual(found["line"], 12)
                self.assertIn("nobody has written %s of the 4,096 floats of 'c'" % holes, found["message"])
                self.assertIn("the first at index %d: square (app.cu:11)" % first, found["message"])
                self.assertIn(why, found["message"])

    def test_rows_copied_by_their_pitch_are_one_copy(self):
        text = GRID.replace("INDEX", "i * n + j").replace("LAUNCH", "square<<<2, 32>>>(c, n);").replace(
            "cudaMemcpy(h, c, sizeof h,", "cudaMemcpy2D(h, 128, c, 256, 128, 64,")
        found, = self.holes(text)
        # Half of each row is copied: 2,048 floats, of which the first of each row was written.
        self.assertIn("1,984 of the 2,048 floats", found["message"])
        self.assertEqual(found["count"], 1)

    def test_a_grid_that_is_too_small_is_a_finding_at_the_copy(self):
        for name, (count, launch, holes, first, cure) in TOO_FEW.items():
            with self.subTest(name):
                found, = self.holes(LINE.replace("COUNT", count).replace("LAUNCH", launch))
                self.assertEqual(found["line"], 11)
                self.assertIn(holes, found["message"])
                self.assertIn("the first at index %d: twice (app.cu:10)" % first, found["message"])
                self.assertIn(cure, found["message"])

    def test_what_nobody_has_to_write_is_no_finding(self):
        for name, text in MEANT.items():
            with self.subTest(name):
                self.assertEqual(self.run_of(text)["program"]["findings"], [])


if __name__ == "__main__":
    unittest.main()
