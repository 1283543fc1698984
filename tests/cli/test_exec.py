"""Whole programs without a GPU: lab exec. The programs are in exec/, in the style of courses."""
import ctypes
import glob
import json
import os
import re
import shutil
import subprocess
import unittest

from support import LAB, ROOT, LabTest

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "exec")
CLANG = any(shutil.which(name) for name in
            ("clang++-14", "clang++-15", "clang++-16", "clang++-17", "clang++-18", "clang++-19", "clang++"))

NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")

# A program with its files, the arguments behind --, and what its output has.
PASSING = {
    "vector_add": (["vector_add.cu"], [], "PASSED"),
    "saxpy_events": (["saxpy_events.cu"], [], "time is positive, worst 0"),
    "reduction": (["reduction.cu"], [], "sum = 29994 (expected 29994)"),
    "reduction, its argument": (["reduction.cu"], ["1000"], "sum = 2997 (expected 2997)"),
    "matmul_tiled": (["matmul_tiled.cu"], [], "PASSED"),
    "histogram": (["histogram.cu"], [], "20000 values"),
    "stencil_constant": (["stencil_constant.cu"], [], "PASSED"),
    "transpose_pitched": (["transpose_pitched.cu"], [], "PASSED"),
    "streams_pinned": (["streams_pinned.cu"], [], "PASSED"),
    "streams side by side": (["streams_overlap.cu"], [],
                             "one stream 87.1 us, two 65.9 us, unpinned 200.4 us, with the default "
                             "stream 87.1 us\n132 blocks: 0.50 of the time of one stream\n"
                             "133 blocks: 1.00 of the time of one stream\n"),
    "managed": (["managed.cu"], [], "sum 55, calls 7"),
    "graph": (["graph.cu"], [], "PASSED"),
    "a graph's nodes": (["graph_nodes.cu"], [], "PASSED"),
    "the samples' headers": (["sample_headers.cu"], ["--n=64"], "n 64: PASSED"),
    "properties": (["properties.cu"], [], "NVIDIA H200, compute capability 9.0"),
    "errors": (["errors.cu"], [], "invalid argument"),
    # As CUDA 13 answers on an H200. Of 64 Ki registers, 1,024 threads may have 64 each; `unbound`
    # has 124 (128 as they are given out: 512 threads). 227 KB are 232,448 bytes.
    "refused launches": (["refused_launches.cu"], [], """2048 threads: invalid argument
1024 threads: no error
no block: invalid argument
grid y 70000: invalid argument
block z 128: invalid argument
beyond launch bounds: invalid argument
within launch bounds: no error
48 KB: no error
48 KB + 4: invalid argument
16 KB of its own and 32 KB: no error
16 KB of its own and 32 KB + 4: invalid argument
ask 100000: no error
100000: no error
120000: invalid argument
ask 300000: invalid argument
240000: invalid argument
ask 216064: no error
ask 216065: invalid argument
registers, 512 threads: no error
registers, 1024 threads: too many resources requested for launch
registers within bounds: no error
sync: no error
"""),
    # As CUDA 13 answers on an H200: 132 multiprocessors hold 2,048 threads each, which are 8 blocks of
    # 256, so that 1,056 are there at once. A grid has at most 65,535 blocks in y and z, a block 64
    # threads in z. A cluster has at most 8 blocks where the kernel allows no more.
    "refused shapes": (["refused_shapes.cu"], [], """1056 at once: 0
1057 at once: 720
grid y 65535: 0
grid y 65536: 1
grid z 65535: 0
grid z 65536: 1
block z 64: 0
block z 65: 1
block 0: 1
4 blocks in pairs: 0
3 blocks in pairs: 912
a cluster of 8: 0
a cluster of 16: 912
"""),
    "cooperative": (["cooperative.cu"], [], "14304"),
    # log2 of 256 and of 512.
    "a source that includes one": (["parts.cu"], [], "8 9 5\n"),
    "memory pools": (["pools.cu"], [],
                     "the default is current 1\nkept 1048576, reused 1\n"
                     "the own keeps 0, is current 1\nwindow of 128, 0.5\nPASSED\n"),
    "asynchronous copies": (["pipeline.cu"], [], "PASSED"),
    "groups": (["groups.cu"], [], "wrong 0, sums 1 5 21\nPASSED\n"),
    # Elements are 10 y + x in a picture of 4 x 3. Between texels: half of one each way, a quarter
    # of the way, and beyond the edge half of 23 and half of the border's 0. From 0 to 1: texels
    # 0, 4, -1 and 9 of 4 are 0, 0, 3, 1 where the row goes on, 0, 3, 0, 1 where it goes back.
    # Fractions: 255, 51 and 204 of 255.
    "textures": (["textures.cu"], [], """points: 0 23 10 23
border: 0 23 0 0
between: 0.5 5.5 23 21.25
to zero: 0.5 5.5 11.5 21.25
again: 10 10 13 11
mirror: 10 13 10 11
surface: -12 -23
fetched: 0 -20 -21 -22 -23 0
pitched: -12
volume: 0 3 6
layers: 0 3 6
fractions: 1 0.2 0.8
"""),
    # What NVIDIA's cuRAND 10.4 gives for these calls, by its host generators.
    "cuRAND on the host": (["random_host.cu"], [], """624778773 3522650202 1867875844 2376999986
then 0.720851, pi is near 3.14: 1
normal 0.78097 -1.80158 -0.28085 1.93903
double 0.434898804388413 0.811845211130019 0.455165230486129
normal double 0.3587397985245 -0.0914953997736 1.4438503460965
log normal 2.18360 0.75514
offset 3732235839
546353992 3665621163 2053518784 1792181383
then 0.425136, pi is near 3.14: 1
normal -1.61649 1.22916 -1.56054 1.18663
double 0.853468995430014 0.112275573300343 0.215647646504003
normal double -0.5395266959073 1.0081967077373 -1.4806033316311
log normal 0.19859 0.21002
offset 1392278645
"""),
    # The first words of subsequences 0, 1, 2 are the first three that the library gives, and the
    # second word of subsequence 0 is its word 4096: 1867875844 / 2^32 + 2^-33. Of Philox, block 0
    # of subsequences 0 and 1, and block 1 of subsequence 0, which begins with 2666454581.
    "cuRAND in kernels": (["random_kernels.cu"], [],
                          "words 624778773 3522650202 2363946744\nuniform 0.434899, normal "),
    "cuRAND's Philox": (["random_kernels.cu"], [],
                        "philox 546353992 3507855656, then 0.620832\n"),
    # Derived in the file's comments: 1 5 + 2 6 + 3 7 + 4 8, the root of 30, ...
    "cuBLAS": (["blas.cu"], [], """dot 70, norm 5.4772, sum 10, largest 4
axpy 7 10 13 16
scal 2 2 6 4
A B: 22 28 49 64
2 A^T B^T: 18 38 102
A^T: 1 3 5 2 4 6
gemv 45 58
square 7 10 15 22
"""),
    # 2048 threads of a multiprocessor by 256; a launch has at most 48 KB that it did not ask for, as an H200 said.
    "occupancy": (["occupancy.cu"], [], "blocks 8, best block 1024, grid 264, room 49152, "
                                        "threads 1024\nPASSED"),
    "mapped": (["mapped.cu"], [], "PASSED"),
    "symbols": (["symbols.cu"], [], "counted 67, table 1 3 5 7\nPASSED"),
    "volumes": (["volumes.cu"], [], "123 134 233\nPASSED"),
    # As the same loop does on the CPU, in float.
    "jacobi": (["jacobi.cu"], [], "49 steps, 84.080"),
    "sparse": (["sparse.cu"], [], "PASSED"),
    "a graph that changes": (["graph_changes.cu"], [], "PASSED"),
    "two files": (["two_files.cu", "two_files_kernels.cu", "two_files_host.cpp"], [], "PASSED"),
}

# The body of main, and what is found: kind of line, and words of the sentence.
HEAD = """#include <cstdio>
__global__ void add(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + 1;
}
int main() {
  float host[64] = {}, *d_in, *d_out;
  cudaMalloc(&d_in, 64 * sizeof(float));
  cudaMalloc(&d_out, 64 * sizeof(float));
"""
TAIL = """
  cudaDeviceSynchronize();
  printf("end\\n");
}
"""
COPY_IN = "  cudaMemcpy(d_in, host, sizeof host, cudaMemcpyHostToDevice);\n"
FREE = "  cudaFree(d_in);\n  cudaFree(d_out);\n"
# 10 is the first line of the part.
FOUND = {
    "one element too many": (COPY_IN + "  add<<<3, 32>>>(d_out, d_in, 65);\n" + FREE,
                             "wrong.cu:4", "reads d_in[64]: d_in has 64 elements; it was allocated at wrong.cu:8"),
    "never written": ("  add<<<2, 32>>>(d_out, d_in, 64);\n" + FREE,
                      "wrong.cu:4", "read of d_in[0], which nobody has written"),
    "read by the host, never written": (
        "  cudaMemcpy(host, d_out, sizeof host, cudaMemcpyDeviceToHost);\n" + FREE,
        "wrong.cu:10", "256 bytes of 'd_out', which nobody has written"),
    "use after free": (COPY_IN + "  cudaFree(d_in);\n  add<<<2, 32>>>(d_out, d_in, 64);\n",
                       "wrong.cu:4", "byte 0 of 'd_in', which was freed at wrong.cu:11"),
    "freed twice": (FREE + "  cudaFree(d_in);\n", "wrong.cu:12",
                    "'d_in' is freed twice (first at wrong.cu:10)"),
    "a copy that is too long": (
        "  cudaMemcpy(d_in, host, 2 * sizeof host, cudaMemcpyHostToDevice);\n" + FREE,
        "wrong.cu:10", "512 bytes at byte 0 of 'd_in', which has 256 (wrong.cu:8)"),
    "a host's pointer": ("  add<<<2, 32>>>(d_out, host, 64);\n" + FREE,
                         "wrong.cu:4", "an address of the host's memory"),
    "a null pointer": ("  add<<<2, 32>>>(d_out, nullptr, 64);\n" + FREE,
                       "wrong.cu:4", "a null pointer"),
    "too many threads": (COPY_IN + "  add<<<1, 2048>>>(d_out, d_in, 64);\n" + FREE,
                         "wrong.cu:11", "2048 x 1 x 1 threads is too large"),
    "no block": (COPY_IN + "  add<<<0, 64>>>(d_out, d_in, 64);\n"
                 "  add<<<1, 64>>>(d_out, d_in, 64);\n" + FREE,
                 "wrong.cu:11", "a grid of 0 x 1 x 1 blocks of 64 x 1 x 1 threads: "
                 "cudaErrorInvalidValue (1): invalid argument"),
    "shared memory that was not asked for": (
        COPY_IN + "  add<<<1, 64, 60000>>>(d_out, d_in, 64);\n" + FREE, "wrong.cu:11",
        "60000 of dynamic shared memory are more than the 49152 that a block has without asking"),
    # The host waits for nothing between launch and use. What the kernel left as it was it may use.
    "a missing synchronisation": (
        COPY_IN + "  float* m;\n  cudaMallocManaged(&m, 256);\n  m[63] = 5;\n"
        "  add<<<1, 32>>>(m, d_in, 32);\n  printf(\"%g\\n\", m[63]);\n"
        "  printf(\"%g\\n\", m[8]);\n  cudaFree(m);\n" + FREE,
        "wrong.cu:16", "byte 32 of 'm', which add has changed, and has not waited for it"),
    "pinned memory without waiting": (
        COPY_IN + "  float* p;\n  cudaMallocHost(&p, 256);\n  add<<<1, 32>>>(p, d_in, 32);\n"
        "  printf(\"%g\\n\", p[8]);\n  cudaFreeHost(p);\n" + FREE,
        "wrong.cu:14", "byte 32 of 'p', which add has changed, and has not waited for it"),
    "freed by another address than it was given": (
        "  cudaFree(d_in + 1);\n" + FREE, "wrong.cu:10",
        "an address inside 'd_in', not at its beginning"),
    "an error that nobody looks at": ("  cudaSetDevice(9);\n" + FREE, "wrong.cu:10",
                                      "cudaErrorInvalidDevice (101): invalid device ordinal and the program "
                                      "never looked"),
}


# Kernels that race, with the line of the race.
RACES = {
    "between warps of a block": ("""  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = tile[63 - threadIdx.x];""", "<<<1, 64>>>", 5,
                                 "line 4 writes, line 5 reads in another warp"),
    "between blocks": ("""  if (threadIdx.x == 0) out[0] = blockIdx.x;
  out[blockIdx.x + 1] = threadIdx.x;""", "<<<2, 1>>>", 3, "race at d_out[0]"),
}

F, ZERO = "f32[4096]=iota", "f32[4096]=zero"
# The ten exercises: grid, block and arguments as the program has them.
EXERCISES = {
    "vector_add": ("16", "256", [F, F, ZERO, "4096"]),
    "reduce_modulo": ("16", "256", [F, "f32[16]=zero"]),
    "reduce_sequential": ("16", "256", [F, "f32[16]=zero"]),
    "reduce_shuffle": ("16", "256", [F, "f32[16]=zero"]),
    "histogram": ("4", "128", ["u32[4096]=iota", "u32[64]=zero", "4096"]),
    "scan": ("16", "256", ["i32[4096]=iota", "i32[4096]=zero"]),
    "transpose_naive": ("2,2", "32,8", [F, ZERO, "64"]),
    "transpose_tile<0>": ("2,2", "32,8", [F, ZERO, "64"]),
    "transpose_tile<1>": ("2,2", "32,8", [F, ZERO, "64"]),
    "product": ("4,4", "16,16", [F, F, ZERO, "64"]),
    "stencil": ("2,8", "32,8", [F, ZERO, "64"]),
    "bodies": ("2", "128", ["f32[1024]=iota", "f32[1024]=zero", "256"]),
    "bitonic": ("8", "512", ["i32[4096]=iota"]),
    "black_scholes": ("4", "128", [F, F, "arg0", ZERO, "4096"]),
}


@unittest.skipUnless(CLANG, "no clang to compile the host part")
class Programs(LabTest):
    def executed(self, *words, status=0):
        done = self.lab("exec", *words)
        self.assertEqual(done.status, status, done.out + done.err)
        return done

    def test_programs_of_courses(self):
        for name, (files, arguments, output) in PASSING.items():
            with self.subTest(name):
                paths = [os.path.join(FOLDER, one) for one in files]
                done = self.executed(*paths, "--no-store", "--", *arguments)
                own, _, report = done.out.partition("---\n")
                self.assertIn(output, own)
                self.assertIn("exit 0, checked: no finding", report)

    def test_groups_need_no_toolkit(self):
        # The compiler alone, as a machine without a toolkit has it: no header lies beside it.
        root, = [one["found"] for one in json.loads(self.lab("doctor", "--json").out)["checks"]
                 if one["name"] == "CUDA toolkit"]
        libraries = glob.glob(os.path.join(root, "lib64", "libnvrtc*.so*"))
        if not libraries:
            self.skipTest("no toolkit: what the other test compiles is this")
        bare = os.path.join(str(self.folder), "bare", "lib64")
        os.makedirs(bare)
        for library in libraries:
            if "alt" in library:
                continue
            target = os.path.join(bare, os.path.basename(library))
            try:
                os.link(os.path.realpath(library), target)
            except OSError:
                shutil.copy(library, target)
        for name, output in (("groups", "wrong 0, sums 1 5 21\nPASSED\n"), ("cooperative", "14304"),
                             ("pipeline", "PASSED"),
                             ("halves", "2048 2052 2.5 13653 6 -2 1.5 17.5 1 1 2\n")):
            done = self.lab("exec", os.path.join(FOLDER, name + ".cu"), "--no-store",
                            "--compiler", "clang", env=self.environment(CUDA_HOME=os.path.dirname(bare)))
            self.assertIn(output, done.out, done.err)
            self.assertIn("exit 0, checked: no finding", done.out)

    def test_findings_name_pointer_and_line(self):
        for name, (part, place, words) in FOUND.items():
            with self.subTest(name):
                self.write("wrong.cu", HEAD + part + TAIL)
                done = self.lab("exec", "wrong.cu", "--no-store")
                self.assertEqual(done.status, 1, done.out + done.err)
                report = done.out.partition("---\n")[2]
                text = re.sub(r"\s+", " ", report)
                self.assertIn(place + " ", text)
                for word in words.split("|"):
                    self.assertIn(word, text)

    def test_errors_that_no_call_gives_have_their_names(self):
        # Headers that came with the samples of CUDA 5 to 9 name them all.
        self.write("old.cu", """#include <cstdio>
int main() {
  const cudaError_t old[] = {cudaErrorPriorLaunchFailure, cudaErrorStartupFailure,
                             cudaErrorTextureNotBound, cudaErrorApiFailureBase};
  for (cudaError_t one : old) printf("%d %s\\n", one, cudaGetErrorName(one));
  printf("%s\\n", cudaGetErrorString(cudaErrorPriorLaunchFailure));
}
""")
        own = self.executed("old.cu", "--no-store", "--compiler", "clang").out.partition("---\n")[0]
        self.assertEqual(own, "53 cudaErrorPriorLaunchFailure\n127 cudaErrorStartupFailure\n"
                              "24 cudaErrorTextureNotBound\n10000 cudaErrorApiFailureBase\n"
                              "unspecified launch failure in prior launch\n")

    def test_a_finding_hides_no_later_one(self):
        # The launch reads what nobody has written; the copy behind it reads something else.
        self.write("twice.cu", HEAD + "  float* d_new;\n  cudaMalloc(&d_new, 256);\n"
                   "  add<<<2, 32>>>(d_in, d_out, 64);\n"
                   "  cudaMemcpy(host, d_new, 256, cudaMemcpyDeviceToHost);\n  cudaFree(d_new);\n" + FREE + TAIL)
        text = re.sub(r"\s+", " ", self.lab("exec", "twice.cu", "--no-store").out)
        self.assertIn("d_out[0], which nobody has written", text)
        self.assertIn("256 bytes of 'd_new', which nobody has written", text)

    def test_what_a_refused_kernel_leaves_is_not_told_as_unwritten(self):
        # A predicate in place of cp.async's source size is not modelled.
        copy = HEAD.replace("__global__ void add", """
__global__ void copy(float* out, const float* in) {
  __shared__ float tile[32];
  unsigned to = __cvta_generic_to_shared(tile + threadIdx.x);
  asm volatile("{ .reg .pred p; setp.eq.u32 p, %2, 99; cp.async.ca.shared.global [%0], [%1], 4, p; }" :: "r"(to), "l"(in + threadIdx.x), "r"(threadIdx.x));
  asm volatile("cp.async.wait_all;");
  out[threadIdx.x] = tile[threadIdx.x];
}
__global__ void add""")
        body = COPY_IN + "  LAUNCH\n  cudaMemcpy(host, d_out, 128, cudaMemcpyDeviceToHost);\n" + FREE
        self.write("refused.cu", copy + body.replace("LAUNCH", "copy<<<1, 32>>>(d_out, d_in);") + TAIL)
        done = self.lab("exec", "refused.cu", "--no-store")
        self.assertIn("copy: refused.cu:6: the instruction", done.out)
        self.assertIn("is not modelled", done.out)
        self.assertIn("what is found after it is left out", re.sub(r"\s+", " ", done.out))
        self.assertNotIn("nobody has written", done.out)
        # Without that launch nobody has.
        self.write("none.cu", copy + body.replace("LAUNCH", "") + TAIL)
        self.assertIn("'d_out', which nobody has written", self.lab("exec", "none.cu", "--no-store").out)

    def test_a_read_that_the_compiler_moves_has_the_line_that_uses_it(self):
        # sinf's loop has the line of its own; the loads before it have none.
        self.write("moved.cu", """__global__ void waves(float* x) {
  float sum = 0;
  for (int i = 0; i < 100; ++i) {
    sum += sinf(x[threadIdx.x] + i);
  }
  x[threadIdx.x] = sum;
}
int main() {
  float* x;
  cudaMalloc(&x, 128);
  waves<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
}
""")
        done = self.lab("exec", "moved.cu", "--no-store")
        self.assertIn("moved.cu:4   sum += sinf(x[threadIdx.x] + i);", done.out)
        self.assertIn("thread 0: read of x[0], which nobody has", done.out)
        self.assertNotIn("uses the value", done.out)
    def test_races_name_the_line(self):
        for name, (body, launch, line, words) in RACES.items():
            with self.subTest(name):
                self.write("race.cu", "#include <cstdio>\n__global__ void race(int* out) {\n" + body +
                           "\n}\nint main() {\n  int* d_out;\n  cudaMalloc(&d_out, 256);\n"
                           "  race" + launch + "(d_out);\n  cudaDeviceSynchronize();\n"
                           "  cudaFree(d_out);\n}\n")
                done = self.lab("exec", "race.cu", "--no-store")
                self.assertEqual(done.status, 1, done.out + done.err)
                text = re.sub(r"\s+", " ", done.out)
                self.assertIn("race.cu:%d " % line, text)
                self.assertIn(words, text)

    def test_an_index_that_wrapped_is_no_use_of_what_lies_there(self):
        # Thread 2,099,203 is the first whose product is above 2^31 - 1: 2,099,203 * 1,023 =
        # 2,147,484,669, which is -2,147,482,627 as an int: -2,047 * 2^20 - 1,047,555. old lies there.
        self.write("wrap.cu", """#include <cstdio>
__global__ void scale(float* data, int n, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 2099200;
  int at = (i * stride) % n;
  data[at] *= 2.0f;
}
int main() {
  float *old, *data;
  const int n = 1 << 20;
  cudaMalloc(&old, 4 * n);
  cudaMalloc(&data, 4 * n);
  cudaMemset(data, 0, 4 * n);
  cudaFree(old);
  scale<<<1, 32>>>(data, n, 1023);
  printf("%s\\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(data);
}
""".replace("\\\\", "\\"))
        done = self.lab("exec", "wrap.cu", "--no-store")
        text = re.sub(r"\s+", " ", done.out)
        self.assertIn("2,099,203 * 1,023 does not fit 32 bits: the index is -1,047,555", text)
        self.assertNotIn("freed", text)
        self.assertIn("cudaErrorIllegalAddress", text)

    def test_each_file_has_its_own_kernels(self):
        # Of one name: static ones, hidden ones, overloads, with constants of one name beside them, and
        # one template. main.cu has no kernel.
        kernels = """
__constant__ static float factor = %d;
static __global__ void work(float* x) { *x *= factor; }
namespace { __global__ void hidden(float* x) { *x += %d; } }
template <typename T> __global__ void both(T* x) { *x += 1000; }
"""
        self.write("a.cu", kernels % (2, 1) + """
__global__ void over(float* x) { *x += 100; }
__global__ void over(float* x, int n) { *x += n; }
void a(float* x) {
  work<<<1, 1>>>(x); hidden<<<1, 1>>>(x); over<<<1, 1>>>(x); over<<<1, 1>>>(x, 7); both<<<1, 1>>>(x);
}
""")
        self.write("b.cu", kernels % (3, 10000) + """
__global__ void over(int* x, float* y) { *y += 5; }
void b(float* x) { work<<<1, 1>>>(x); hidden<<<1, 1>>>(x); over<<<1, 1>>>(0, x); both<<<1, 1>>>(x); }
""")
        self.write("main.cu", """#include <cstdio>
void a(float*);
void b(float*);
int main() {
  float *x, h = 1;
  cudaMalloc(&x, 4);
  cudaMemcpy(x, &h, 4, cudaMemcpyHostToDevice);
  a(x);
  b(x);
  cudaMemcpy(&h, x, 4, cudaMemcpyDeviceToHost);
  printf("%g\\n", h);
  cudaFree(x);
}
""")
        names = {"work (a.cu)", "work (b.cu)", "hidden (a.cu)", "hidden (b.cu)", "over(float*)",
                 "over(float*, int)", "over (b.cu)", "both<float>"}
        for compiler in ["clang"] + (["nvcc"] if NVCC else []):
            for files in (["main.cu", "a.cu", "b.cu"], ["b.cu", "main.cu", "a.cu"]):
                with self.subTest(compiler=compiler, files=files):
                    done = self.lab("exec", *files, "--compiler", compiler, "--no-store", "--json")
                    cases = json.loads(done.out[done.out.index("{"):])["runs"][0]["cases"]
                    self.assertEqual({one["kernel"] for one in cases}, names)
                    # (1 * 2 + 1 + 100 + 7 + 1000) * 3 + 10000 + 5 + 1000.
                    self.assertIn("14335", done.out + done.err)

    def test_device_memory_that_the_host_uses(self):
        # 11 is the line of the part. Beside a GPU the host ends by signal 11, too.
        for part, text in (("d_in[3] = 1;", "the host writes byte 12 of 'd_in', memory that the GPU alone reaches"),
                           ('printf("%g", d_out[5]);', "the host reads byte 20 of 'd_out', memory"),
                           ("memset(d_in, 0, 4);", "the host writes byte 0 of 'd_in', memory"),
                           ("cudaFree(d_in); d_in[1] = 1;", "the host writes byte 4 of 'd_in', memory")):
            with self.subTest(part):
                self.write("touch.cu", "#include <cstring>\n" + HEAD + part + FREE + TAIL)
                done = self.lab("exec", "touch.cu", "--no-store")
                self.assertEqual(done.status, 139, done.out + done.err)
                said = re.sub(r"\s+", " ", done.out).lower()
                self.assertIn(text.lower(), said)
                if not part.startswith("memset"):  # which is a library's
                    self.assertIn("touch.cu:11 ", said)

    def test_a_programs_own_handler_of_signal_11_is_called(self):
        self.write("own.cu", """#include <csignal>
#include <cstdio>
#include <cstdlib>
int main() {
  float* x;
  cudaMalloc(&x, 4);
  signal(SIGSEGV, [](int) { puts("mine"); fflush(stdout); _Exit(7); });
  *x = 1;
}
""")
        done = self.lab("exec", "own.cu", "--no-store")
        self.assertIn("mine", done.out)
        self.assertEqual(done.status, 7)

    def test_what_is_found_on_the_hosts_side_is_in_the_database(self):
        self.write("wrong.cu", HEAD + FREE + "  cudaFree(d_in);\n" + TAIL)
        self.assertEqual(self.lab("exec", "wrong.cu").status, 1)
        rows = json.loads(self.good(
            "query", "--format", "json", "SELECT c.variant, c.status, f.kind, f.file, f.line "
            "FROM findings f JOIN cases c ON c.id = f.case_id"))
        self.assertEqual(rows, [{"variant": "host code", "status": 3, "kind": 15,
                                 "file": "wrong.cu", "line": 12}])
        self.assertIn("freed twice", self.good("report", "--output", "-"))

    def test_a_program_that_ends_without_waiting_loses_what_its_kernels_print(self):
        text = ("#include <cstdio>\n__global__ void hello() { printf(\"hello\\n\"); }\nint main() {\n"
                "  hello<<<1, 1>>>();\n%s}\n")
        self.write("waits.cu", text % "  cudaDeviceSynchronize();\n")
        self.executed("waits.cu", "--no-store")
        self.write("ends.cu", text % "")
        done = self.executed("ends.cu", "--no-store", status=1)
        self.assertIn("ends.cu:4 ", done.out)
        self.assertIn("has not waited for hello", re.sub(r"\s+", " ", done.out))

    def test_libraries_are_said_to_be_uncounted_and_their_memory_is_checked(self):
        head = ("#include <cublas_v2.h>\nint main() {\n  cublasHandle_t blas;\n"
                "  cublasCreate(&blas);\n  float host[8] = {}, one = 1, *x, *y;\n"
                "  cudaMalloc(&x, 32);\n  cudaMalloc(&y, 32);\n"
                "  cudaMemset(x, 0, 32);\n")
        tail = "  cudaFree(x);\n  cudaFree(y);\n  cublasDestroy(blas);\n}\n"
        calls = {
            "cublasScopy(blas, 8, x, 1, y, 1);": "",
            "cublasSaxpy(blas, 8, &one, x, 1, y, 1);": "cublasSaxpy reads 32 bytes of 'y', which nobody",
            "cublasScopy(blas, 9, x, 1, y, 1);": "cublasScopy reads 36 bytes at byte 0 of 'x', which has 32",
            "cublasScopy(blas, 8, host, 1, y, 1);": "an address of the host's memory",
        }
        for call, found in calls.items():
            with self.subTest(call):
                self.write("blas.cu", head + "  " + call + "\n" + tail)
                done = self.lab("exec", "blas.cu", "--no-store")
                text = re.sub(r"\s+", " ", done.out)
                self.assertRegex(text, r"Worked out on the CPU and not counted: cublasS\w+ \(1 call\)")
                self.assertEqual(done.status, 1 if found else 0, text)
                self.assertIn("blas.cu:9 " if found else "no finding", text)
                self.assertIn(found, text)

    def test_launches_of_one_shape_that_cost_something_else_are_told(self):
        self.write("loop.cu", "__global__ void turn(int* x, int n) {\n"
                   "  for (int i = 0; i < n; ++i) x[threadIdx.x] += i;\n}\nint main() {\n"
                   "  int* x;\n  cudaMalloc(&x, 128);\n  cudaMemset(x, 0, 128);\n"
                   "  for (int n = 64; n > 0; n /= 2) turn<<<1, 32>>>(x, n);\n"
                   "  cudaDeviceSynchronize();\n  cudaFree(x);\n}\n")
        text = re.sub(r"\s+", " ", self.executed("loop.cu", "--no-store").out)
        self.assertRegex(text, r"the row is the first of 7 launches; they execute 0\.\d+ to 1 times")

    def test_the_gpu_can_be_another(self):
        path = os.path.join(FOLDER, "properties.cu")
        done = self.executed(path, "--gpu", "A100", "--no-store")
        self.assertIn("NVIDIA A100 80GB, compute capability 8.0", done.out)
        adds = os.path.join(FOLDER, "vector_add.cu")
        self.assertIn("us: expected on an A100 80GB, one launch",
                      self.executed(adds, "--gpu", "A100", "--no-store").out)
        ran = json.loads(self.executed(adds, "--gpu", "A100", "--no-store", "--json").out)["runs"][0]
        self.assertEqual(ran["run"]["arch"], "sm_80")
        self.assertEqual(self.lab("exec", path, "--gpu", "Voodoo2").status, 2)

    def test_host_clocks_are_said_to_be_of_this_machine(self):
        self.write("timed.cu", "#include <chrono>\n__global__ void k(int* x) { x[0] = 1; }\n"
                   "int main(int n, char**) {\n  int* x;\n  cudaMalloc(&x, 4);\n"
                   "  auto t = std::chrono::steady_clock::now();\n  k<<<1, 1>>>(x);\n"
                   "  cudaDeviceSynchronize();\n  cudaFree(x);\n"
                   "  return std::chrono::steady_clock::now() < t;\n}\n")
        self.assertIn("times that the program takes by std::chrono: of this CPU",
                      self.executed("timed.cu", "--no-store").out)
        self.assertNotIn("of this CPU", self.executed(os.path.join(FOLDER, "vector_add.cu"),
                                                      "--no-store").out)

    def test_a_launch_through_a_null_pointer_fails_as_on_a_gpu(self):
        self.write("null.cu", """#include <cstdio>
__global__ void k(int* x) { *x = 1; }
int main() {
  k<<<1, 1>>>(nullptr);
  printf("%s\\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return cudaGetLastError() == cudaErrorIllegalAddress ? 0 : 3;
}
""")
        done = self.lab("exec", "null.cu", "--no-store")
        self.assertIn("an illegal memory access was encountered\n---\n", done.out)
        self.assertIn("1 launch, exit 0", done.out)

    def launched(self, *words):
        """The cases of kernels: what the host forgot to free is a case of its own."""
        cases = json.loads(self.executed(*words, "--json", "--no-store").out)["runs"][0]["cases"]
        return [case for case in cases if case["kernel"]]

    def test_lanes_vote_once_for_all_atomics_of_a_loop(self):
        # The compiler unrolls the loop, lets lanes choose one of them once, and adds their number
        # four times: each warp makes one access in each of 8 rounds.
        self.write("count.cu", """__global__ void count(int* x, int rounds) {
  for (int i = 0; i < rounds; ++i) atomicAdd(x, 1);
}
int main() {
  int* x;
  cudaMalloc(&x, 4);
  cudaMemset(x, 0, 4);
  count<<<1, 64>>>(x, 8);
  cudaDeviceSynchronize();
}
""")
        case, = self.launched("count.cu")
        self.assertEqual(case["metrics"]["global_reduction_sectors"]["model"], 2 * 8)

    def test_no_time_is_expected_of_a_kernel_that_uses_the_hosts_memory(self):
        # On an H100 such a kernel took thirty times what the rules say of the GPU's own memory.
        for call, known in (("cudaMalloc(&x, 4096)", True), ("cudaHostAlloc(&x, 4096, 0)", False)):
            self.write("where.cu", """__global__ void k(int* x) { x[threadIdx.x] = threadIdx.x; }
int main() {
  int* x;
  CALL;
  k<<<1, 1024>>>(x);
  cudaDeviceSynchronize();
}
""".replace("CALL", call))
            case, = self.launched("where.cu")
            self.assertEqual(case["expected_time"]["ns"] is not None, known, case["expected_time"])
            if not known:
                self.assertIn("uses the host's memory", case["expected_time"]["reason"])

    def test_memory_that_is_never_freed_is_told_and_no_mistake(self):
        self.write("leak.cu", HEAD + COPY_IN + TAIL)
        done = self.executed("leak.cu", "--no-store")
        self.assertIn("256 bytes of 'd_in' were never freed", done.out)
        self.assertIn("leak.cu:8", done.out)
        program = json.loads(self.executed("leak.cu", "--no-store", "--json").out)["runs"][0]["program"]
        self.assertEqual((program["status"], program["signal"], program["timed_out"]), (0, 0, False))
        self.assertEqual(program["launches"], [])
        self.assertEqual([(one["kind"], one["file"], one["line"]) for one in program["findings"]],
                         [("leak", "leak.cu", 8), ("leak", "leak.cu", 9)])

    def test_a_page_is_a_document_without_the_programs_words(self):
        done = self.executed(os.path.join(FOLDER, "vector_add.cu"), "--no-store", "--page", "json")
        page = json.loads(done.out)["page"]
        self.assertIn("exit 0, checked: no finding", page[0]["words"][0]["text"])
        self.assertIn("table", [block["kind"] for block in page])
        self.assertIn("PASSED", done.err)
        markdown = self.executed(os.path.join(FOLDER, "vector_add.cu"), "--no-store", "--page", "md").out
        self.assertRegex(markdown, r"\A1 kernel, 1 launch, ")

    def test_a_programs_status_and_files_are_its_own(self):
        shutil.copy(os.path.join(FOLDER, "printf_files.cu"), str(self.folder / "printf_files.cu"))
        shutil.copy(os.path.join(FOLDER, "check.h"), str(self.folder / "check.h"))
        done = self.executed("printf_files.cu", "--no-store", "--keep", "kept", "--", "one", "two",
                             status=2)
        own = done.out.partition("---\n")[0].splitlines()
        self.assertEqual(own[0], "before")
        self.assertEqual(sorted(own[1:5]), ["block %d thread %d of 3" % (b, t)
                                            for b in range(2) for t in range(2)])
        self.assertEqual(own[5:], ["after", "#include <fstream>"])
        with open(str(self.folder / "kept/written.txt"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "from the program\n")
        self.assertFalse(os.path.exists(str(self.folder / "written.txt")))

    def test_counts_are_those_of_probe(self):
        path = os.path.join(FOLDER, "exercises.cu")
        ran = json.loads(self.executed(path, "--json", "--no-store").out)
        self.assertEqual(ran["runs"][0]["program"]["findings"], [])
        cases = {case["kernel"]: case for case in ran["runs"][0]["cases"]}
        self.assertEqual(sorted(cases), sorted(EXERCISES))
        for kernel, (grid, block, arguments) in EXERCISES.items():
            with self.subTest(kernel):
                self.assertEqual(cases[kernel]["status"], "ok")
                probed = json.loads(self.lab(
                    "probe", path, "--kernel", kernel, "--grid", grid, "--block", block,
                    "--no-store", "--json", "--backend", "model",
                    *sum((["--arg", one] for one in arguments), [])).out)
                of_exec = cases[kernel]["metrics"]
                of_probe = probed["runs"][0]["cases"][0]["metrics"]
                counted = [key for key, value in of_probe.items() if value.get("model") is not None]
                self.assertGreater(len(counted), 10)
                for key in counted:
                    self.assertEqual(of_exec[key]["model"], of_probe[key]["model"], key)
        # 4096 elements by warps of 32 lanes that read 128 bytes, which are 4 sectors: 128 requests.
        self.assertEqual(cases["scan"]["metrics"]["global_load_requests"]["model"], 128)
        self.assertEqual(cases["scan"]["metrics"]["global_load_sectors"]["model"], 512)
        # A column of 32 rows of 33 words lies in 32 banks, one of 32 rows of 32 words in one.
        for kernel, ways in (("transpose_tile<0>", 32), ("transpose_tile<1>", 1)):
            self.assertEqual(cases[kernel]["metrics"]["shared_load_ways"]["model"], ways)

    @unittest.skipUnless(NVCC, "no nvcc")
    def test_nvcc_sees_what_lies_above_and_the_libraries(self):
        """A header beside the program's folder, which the box must let the compiler read, and a call of cuBLAS,
        which our library has: 2 * 3 + 4 = 10."""
        self.write("common.h", "const int kCount = 1;\n")
        (self.folder / "deep").mkdir()
        self.write("deep/app.cu", """#include "../common.h"
#include <cublas_v2.h>
#include <cstdio>
int main() {
  float x = 3, y = 4, two = 2, *dx, *dy;
  cudaMalloc(&dx, 4);
  cudaMalloc(&dy, 4);
  cudaMemcpy(dx, &x, 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dy, &y, 4, cudaMemcpyHostToDevice);
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSaxpy(handle, kCount, &two, dx, 1, dy, 1);
  cublasDestroy(handle);
  cudaMemcpy(&y, dy, 4, cudaMemcpyDeviceToHost);
  printf("%g\\n", y);
  cudaFree(dx);
  cudaFree(dy);
}
""")
        done = self.lab("exec", "app.cu", "--compiler", "nvcc", "--no-store",
                        folder=self.folder / "deep")
        self.assertEqual((done.status, done.out.split("\n")[0]), (0, "10"), done)

    def test_hosts_overflow_as_nvcc_leaves_it(self):
        """46341 * 46341 is over 2^31: with the host's part optimized by what C++ leaves open, the comparison with what
        memory holds is true. nvcc does not optimize it: -2147479015 on both sides."""
        self.write("app.cu", """#include <cstdio>
#include <cstdlib>
int main(int argc, char**) {
  int wrong = 0;
  int* held = (int*)malloc(65537 * sizeof(int));
  for (int i = 0; i < 65537; i++) held[i] = (int)((unsigned)i * (unsigned)i);
  for (int i = 0; i < 65537; i++) wrong += held[i] != i * i || (i * i < 0) != (held[i] < 0);
  printf("%d wrong\\n", wrong);
  free(held);
}
""")
        self.assertEqual(self.good("exec", "app.cu", "--no-store").split("\n")[0], "0 wrong")

    @unittest.skipUnless(NVCC, "no nvcc")
    def test_a_program_of_nvcc_runs_as_it_is(self):
        shutil.copy(os.path.join(FOLDER, "by_nvcc.cu"), str(self.folder / "by_nvcc.cu"))
        build = NVCC + " -o app by_nvcc.cu"
        built = json.loads(self.executed("--json", "--no-store", "--build", build, "--", "./app",
                                         "128").out)["runs"][0]
        case, = built["cases"]
        # 128 threads are 4 warps, each of which reads and writes 128 bytes; one counts the launch.
        self.assertEqual(case["kernel"], "scale<float>")
        self.assertEqual(case["metrics"]["global_load_requests"]["model"], 5)
        self.assertEqual(case["metrics"]["global_store_sectors"]["model"], 17)
        probed = json.loads(self.lab(
            "probe", "by_nvcc.cu", "--kernel", "scale<float>", "--grid", "1", "--block", "128",
            "--no-store", "--json", "--backend", "model", "--arg", "f32[128]=iota", "--arg", "f32=2",
            "--arg", "i32=128").out)["runs"][0]["cases"][0]
        for key, value in probed["metrics"].items():
            if value.get("model") is not None:
                self.assertEqual(case["metrics"][key]["model"], value["model"], key)
        # The program is there now: one element too many is found, on a line of the source.
        done = self.lab("exec", "./app", "--no-store", "--", "129", "129")
        text = re.sub(r"\s+", " ", done.out)
        self.assertIn("by_nvcc.cu:8 if (i < n) data[i] *= factor;", text)
        self.assertIn("reads element 128 of allocation 1, which has 128.", text)
        self.assertEqual(done.status, 1)

    def test_programs_that_cannot_run_are_refused_by_name(self):
        done = self.executed("/bin/true", status=2)
        self.assertIn("/bin/true is no CUDA program: it asks for no libcudart", done.err)
        self.assertIn("nvcc -cudart shared", done.err)
        done = self.executed(status=2)
        self.assertIn("lab exec --build make -- ./app", done.err)
        done = self.executed("--build", "exit 3", "--", "./app", status=2)
        self.assertIn("the build ended with status 3", done.err)

    def test_the_first_hour_is_as_the_page_says(self):
        page = (ROOT / "tools/readers/programs.md").read_text(encoding="utf-8")
        program, = re.findall(r"```cuda\n(.*?)```", page, re.S)
        self.write("app.cu", program)
        sessions = re.findall(r"```console\n(.*?)```", page, re.S)
        steps = [step.split("\n", 1) for one in sessions for step in re.split(r"^\$ ", one, flags=re.M)[1:]]
        self.assertEqual(len(steps), 4)
        environment = self.environment(PATH=os.path.dirname(LAB) + ":" + os.environ["PATH"], COLUMNS="80")
        for command, said in steps:
            done = subprocess.run(command, shell=True, cwd=self.folder, env=environment,
                                  capture_output=True, text=True, check=False)
            self.assertEqual(re.sub(r"clang\+\+-\d+", "clang++", done.stdout), said, command + done.stderr)

    def test_one_case_for_each_kernel_and_shape(self):
        path = os.path.join(FOLDER, "streams_pinned.cu")
        self.executed(path)
        self.assertIn("1 kernel, 4 launches", self.executed(path, "--no-store").out)
        rows = self.lab("query", "SELECT kernel, grid_x FROM cases").out
        self.assertEqual(rows.count("scale"), 1)
        each = json.loads(self.executed(path, "--each", "--json", "--no-store").out)
        self.assertEqual(len(each["runs"][0]["cases"]), 4)

    def test_host_code_is_boxed(self):
        secret = self.write("inside.txt", "own\n")
        self.assertTrue(os.path.exists(secret))
        self.write("spy.cu", """#include <cstdio>
#include <cstdlib>
#include <sys/socket.h>
#include <unistd.h>
int main() {
  printf("own %d\\n", fopen("inside.txt", "r") != nullptr);
  printf("passwd %d\\n", fopen("/etc/passwd", "r") != nullptr);
  printf("folder %d\\n", fopen("FOLDER/made.txt", "w") != nullptr);
  printf("socket %d\\n", socket(AF_INET, SOCK_STREAM, 0) >= 0);
  printf("fork %d\\n", fork() >= 0);
}
""".replace("FOLDER", str(self.folder)))
        own = self.executed("spy.cu", "--no-store").out.partition("---\n")[0]
        self.assertEqual(own, "own 1\npasswd 0\nfolder 0\nsocket 0\nfork 0\n")
        # One that is trusted may read and reach what its user may.
        own = self.executed("spy.cu", "--no-store", "--no-sandbox").out.partition("---\n")[0]
        self.assertEqual(own.splitlines()[:4], ["own 1", "passwd 1", "folder 1", "socket 1"])

    def test_what_does_not_compile_is_told_with_its_line(self):
        self.write("bad.cu", "__global__ void k() {}\nint main() {\n  int x = y;\n}\n")
        done = self.executed("bad.cu", status=2)
        self.assertIn("bad.cu:3:11: error: use of undeclared identifier 'y'", done.err)
        self.write("shared.cu", "int main() {\n  cudaIpcCloseMemHandle(0);\n}\n")
        done = self.executed("shared.cu", status=2)
        self.assertIn("shared.cu:2:3: cudaIpcCloseMemHandle is not modelled: there is no other "
                      "process", done.err)
        self.write("blas.cu", "#include <cublas_v2.h>\nint main() {\n  cublasStrsm(0);\n}\n")
        done = self.executed("blas.cu", status=2)
        self.assertIn("blas.cu:3:3: cublasStrsm is not modelled: of cuBLAS there are axpy", done.err)
        self.write("nested.cu", "__global__ void child(int* x) { x[0] = 1; }\n"
                   "__global__ void parent(int* x) {\n  // child<<<1, 1>>> of x\n"
                   "  child<<<1, 1>>>(x);\n}\nint main() {\n  parent<<<1, 1>>>(nullptr);\n}\n")
        done = self.executed("nested.cu", status=2)
        self.assertIn("nested.cu:4: a kernel that launches kernels", done.err)
        self.assertIn("launch the inner kernel from the host", done.err)
        self.write("fft.cu", "#include <cufft.h>\nint main() {\n  cufftDestroy(0);\n}\n")
        done = self.executed("fft.cu", status=2)
        self.assertIn("fft.cu:3:3: cufftDestroy is not modelled", done.err)
        done = self.executed("notes.txt", status=2)
        self.assertIn("lab exec app.cu -- 1024", done.err)

    def test_a_program_that_never_ends_is_ended(self):
        self.write("loop.cu", "int main() { for (volatile int i = 0;; ++i) {} }\n")
        done = self.lab("exec", "loop.cu", "--timeout", "1", "--no-store")
        self.assertEqual(done.status, 137)
        self.assertIn("stopped: it had its time", done.out)

    def test_a_leak_stands_below_advice_and_a_mistake_before_it(self):
        program = """__global__ void transpose(const float* in, float* out, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 1 << 20);
  cudaMalloc(&out, 1 << 20);
  cudaMemset(in, 0, 1 << 20);
  transpose<<<dim3(16, 16), dim3(32, 32)>>>(in, out, 512);
  cudaDeviceSynchronize();
  cudaFree(in);
}
"""
        self.write("leaks.cu", program)
        said = self.lab("exec", "leaks.cu", "--no-store").out
        # A store has lanes 512 * 4 bytes apart.
        self.assertIn("neighbouring lanes are 2048 bytes apart", re.sub(r"\s+", " ", said))
        self.assertLess(said.index("leaks.cu:3   out[x * n + y]"), said.index("were never freed"))
        self.write("leaks.cu", program.replace("in[y * n + x]", "in[y * n + x + 1]"))
        said = self.lab("exec", "leaks.cu", "--no-store").out
        self.assertIn("reads in[262144]: in has 262,144 elements", re.sub(r"\s+", " ", said))
        self.assertNotIn("What to change", said)

    def test_a_kernel_that_had_its_time_is_stopped_in_its_loop(self):
        # 2^40 rounds: no machine ends them in a second.
        self.write("loop.cu", "__global__ void sum(float* x, int n) {\n"
                              "  float s = 0;\n  for (long long i = 0; i < 1ll << 40; i += n) s += x[i & 31];\n"
                              "  x[threadIdx.x] = s;\n}\nint main() {\n  float* x;\n"
                              "  cudaMalloc(&x, 128);\n  cudaMemset(x, 0, 128);\n  sum<<<1, 32>>>(x, 1);\n"
                              "  const cudaError_t error = cudaDeviceSynchronize();\n  cudaFree(x);\n"
                              "  return error != cudaSuccess;\n}\n")
        done = self.lab("exec", "loop.cu", "--timeout", "2", "--no-store")
        self.assertIn("came to its end: it was in the loop of line 3, 'i < 1ll << 40'", " ".join(done.out.split()))


def cuda_runtime():
    """The real library of CUDA 13, which names errors without a GPU; None: there is none."""
    found = sorted(glob.glob("/usr/local/cuda*/lib64/libcudart.so.13"))
    if not found:
        return None
    library = ctypes.CDLL(found[-1])
    for call in (library.cudaGetErrorName, library.cudaGetErrorString):
        call.restype = ctypes.c_char_p
    return library


class ErrorTexts(unittest.TestCase):
    @unittest.skipUnless(cuda_runtime(), "needs CUDA 13")
    def test_are_those_of_the_runtime(self):
        with open(os.path.join(ROOT, "harness", "programs", "guest", "include", "lab_errors.inc")) as file:
            rows = re.findall(r'LAB_ERROR\(\s*(\w+),\s*(\d+),\s*((?:"[^"]*"\s*)+)\)', file.read())
        ours = {int(number): (name, "".join(re.findall(r'"([^"]*)"', text))) for name, number, text in rows}
        none = ("unrecognized error code", "unrecognized error code")
        library = cuda_runtime()
        for number in range(1000):
            real = (library.cudaGetErrorName(number).decode(), library.cudaGetErrorString(number).decode())
            self.assertEqual(ours.get(number, none), real, number)


if __name__ == "__main__":
    unittest.main()
