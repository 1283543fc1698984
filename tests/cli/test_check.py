"""lab check: requirements and baselines of kernels, as continuous integration runs them."""
import json
import re
import unittest
import xml.etree.ElementTree as xml

from support import LabTest, ROOT, needs_toolkit

SAXPY = """extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
"""
FILE = """arch = ["sm_80", "sm_90"]

[[case]]
name = "saxpy"
file = "saxpy.cu"
grid = 64
block = 256
args = ["i32=16384", "f32=2", "f32[16384]=iota", "f32[16384]=ones"]

  [[case.require]]
  metric = "global_load_sectors_per_request"
  at_most = 4
"""

# Kernels that each break in ways of their own: name, launch, text.
TRANSPOSE = ("grid = [4, 4]\nblock = [32, 8]",
             ["f32[16384]=random:1", "f32[16384]=zero", "i32=128"], """
__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][32 + 1];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
""")
SWIZZLE = ("grid = 4\nblock = [32, 32]", ["f32[1024]=random:2", "f32[4096]=zero"], """
__global__ void columns(const float* in, float* out) {
  __shared__ float tile[32 * 32];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y * 32 + (x ^ y)] = in[y * 32 + x];
  __syncthreads();
  out[blockIdx.x * 1024 + y * 32 + x] = tile[x * 32 + (y ^ x)];
}
""")
COPY = ("grid = 16\nblock = 256", ["f32[16384]=random:3", "f32[16384]=zero", "i32=16384"], """
__global__ void scale(const float* __restrict__ in, float* __restrict__ out, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i + 3 >= n) return;
  float4 v = *reinterpret_cast<const float4*>(in + i);
  v.x *= 2; v.y *= 2; v.z *= 2; v.w *= 2;
  *reinterpret_cast<float4*>(out + i) = v;
}
""")
SUM = ("grid = 8\nblock = 256", ["f32[2048]=random:4", "f32[8]=zero"], """
__global__ void sum(const float* in, float* out) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (t < step) s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
""")
PRODUCT = ("grid = [2, 2]\nblock = [32, 32]",
           ["f32[4096]=random:5", "f32[4096]=random:6", "f32[4096]=zero", "i32=64"], """
__global__ void product(const float* a, const float* b, float* c, int n) {
  __shared__ float as[32][32], bs[32][32];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 32 + ty, col = blockIdx.x * 32 + tx;
  float sum = 0;
  for (int t = 0; t < n; t += 32) {
    as[ty][tx] = a[row * n + t + tx];
    bs[ty][tx] = b[(t + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += as[ty][k] * bs[k][tx];
    __syncthreads();  // the next tiles
  }
  c[row * n + col] = sum;
}
""")
BINS = ("grid = 8\nblock = 256", ["u32[2048]=random:7", "u32[64]=zero"], """
__global__ void bins(const unsigned* in, unsigned* out) {
  __shared__ unsigned mine[64];
  const int t = threadIdx.x;
  if (t < 64) mine[t] = 0;
  __syncthreads();
  atomicAdd(&mine[in[blockIdx.x * 256 + t] % 64], 1u);
  __syncthreads();  // all are counted
  if (t < 64) atomicAdd(&out[t], mine[t]);
}
""")
STENCIL = ("grid = 16\nblock = 256", ["f32[4096]=random:8", "f32[4096]=zero", "i32=4096"], """
__global__ void stencil(const float* in, float* out, int n) {
  __shared__ float s[258];
  const int i = blockIdx.x * 256 + threadIdx.x, t = threadIdx.x + 1;
  s[t] = in[i];
  if (threadIdx.x == 0) s[0] = i > 0 ? in[i - 1] : 0;
  if (threadIdx.x == 255) s[257] = i + 1 < n ? in[i + 1] : 0;
  __syncthreads();
  out[i] = 0.25f * s[t - 1] + 0.5f * s[t] + 0.25f * s[t + 1];
}
""")
BARRIER = "__syncthreads();\n"
# What a hand slips to: (kernel, what stood there, what stands there now).
MUTATIONS = [
    (TRANSPOSE, "[32 + 1]", "[32]"),
    (TRANSPOSE, "[32 + 1]", "[32 + 2]"),
    (TRANSPOSE, BARRIER, "\n"),
    (TRANSPOSE, "tile[threadIdx.x][threadIdx.y + j]", "tile[threadIdx.y + j][threadIdx.x]"),
    (TRANSPOSE, "in[(y + j) * n + x]", "in[x * n + y + j]"),
    (TRANSPOSE, "out[(y + j) * n + x]", "out[x * n + y + j]"),
    (TRANSPOSE, "x = blockIdx.y * 32 + threadIdx.x;", "x = blockIdx.x * 32 + threadIdx.x;"),
    (TRANSPOSE, "int j = 0; j < 32; j += 8) tile", "int j = 0; j < 24; j += 8) tile"),
    (TRANSPOSE, "out[(y + j) * n + x] =", "if (x + 1 < n) out[(y + j) * n + x] ="),
    (SWIZZLE, "(x ^ y)] = in", "x] = in"),
    (SWIZZLE, "(y ^ x)];", "y];"),
    (SWIZZLE, "blockIdx.x * 1024", "blockIdx.x * 512"),
    (SWIZZLE, BARRIER, "\n"),
    (SWIZZLE, "x ^ y", "x ^ (y & 15)"),
    (SWIZZLE, "in[y * 32 + x]", "in[x * 32 + y]"),
    (COPY, "float4 v = *reinterpret_cast<const float4*>(in + i);",
     "float4 v = {in[i], in[i + 1], in[i + 2], in[i + 3]};"),
    (COPY, "*reinterpret_cast<float4*>(out + i) = v;",
     "float2* to = reinterpret_cast<float2*>(out + i); to[0] = {v.x, v.y}; to[1] = {v.z, v.w};"),
    (COPY, "v.w *= 2;", ""),
    (COPY, "i + 3 >= n", "i + 7 >= n"),
    (COPY, "if (i + 3 >= n) return;", "if (i >= n / 2) return;"),
    (COPY, "threadIdx.x) * 4;", "threadIdx.x) * 4 + 1;"),
    (SUM, "    " + BARRIER, ""),
    (SUM, "s[t] += s[t + step]", "s[t] += s[2 * t + step]"),
    (SUM, "step = 128", "step = 64"),
    (SUM, "if (t < step) s[t] += s[t + step];", "if (t % (256 / step) == 0) s[t] += s[t + 128 / step];"),
    (SUM, "if (t < step)", "if (t <= step)"),
    (SUM, "if (t == 0) out", "out"),
    (SUM, "__shared__ float s[256]", "__shared__ float s[512]"),
    (PRODUCT, "bs[k][tx]", "bs[tx][k]"),
    (PRODUCT, "as[ty][k]", "as[k][ty]"),
    (PRODUCT, "    " + BARRIER, "\n"),
    (PRODUCT, "    __syncthreads();  // the next tiles\n", ""),
    (PRODUCT, "a[row * n + t + tx]", "a[(t + tx) * n + row]"),
    (PRODUCT, "as[ty][k] * bs[k][tx]", "a[row * n + t + k] * bs[k][tx]"),
    (BINS, "  __syncthreads();  // all are counted\n", ""),
    (BINS, "atomicAdd(&mine[in[blockIdx.x * 256 + t] % 64], 1u);",
     "mine[in[blockIdx.x * 256 + t] % 64] += 1;"),
    (BINS, "&mine[in[blockIdx.x * 256 + t] % 64]", "&out[in[blockIdx.x * 256 + t] % 64]"),
    (STENCIL, BARRIER, "\n"),
    (STENCIL, "i > 0 ? in[i - 1] : 0", "in[i - 1]"),
    (STENCIL, "s[t - 1] + 0.5f * s[t]", "in[i > 0 ? i - 1 : 0] + 0.5f * s[t]"),
]


def case_of(name, kernel):
    launch, args, _ = kernel
    listed = ", ".join(f'"{arg}"' for arg in args)
    return f'[[case]]\nname = "{name}"\nfile = "{name}.cu"\n{launch}\nargs = [{listed}]\n\n'


@needs_toolkit
class Check(LabTest):
    def setUp(self):
        super().setUp()
        self.write("saxpy.cu", SAXPY)
        self.write("kernels.toml", FILE)

    def edit(self, old, new, name="saxpy.cu"):
        text = (self.folder / name).read_text()
        self.assertIn(old, text)
        self.write(name, text.replace(old, new))

    def test_stores_of_a_matrix_are_stores(self):
        # A lane has 8 elements of 16 x 16, in pairs that follow each other: four stores of 8 bytes per lane.
        self.write("tile.cu", """extern "C" __global__ void tile(float* out) {
  asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%0], {%1, %1, %1, %1, %1, %1, %1, %1}, 16;"
               :: "l"(out), "f"(1.0f));
}
""")
        case = """[[case]]
name = "tile"
file = "tile.cu"
grid = 1
block = 32
args = ["f32[256]=zero"]

  [[case.require]]
  metric = "global_store_requests"
  equals = """
        self.write("none.toml", case + "0\n")
        none = self.lab("check", "none.toml")
        self.assertEqual(none.status, 1)
        self.assertIn("global_store_requests is 4, wanted = 0", none.out)
        self.write("four.toml", case + "4\n")
        self.good("check", "four.toml", "--allow-missing")
        said = self.good("explain", "tile.cu", "--grid", 1, "--block", 32, "--arg", "f32[256]=zero")
        self.assertIn("1 wmma.store.d.sync.aligned.row.m16n16k16.global.f32 compiled to 4 STG.64", said)

    def test_requirements(self):
        out = self.good("check", "kernels.toml", "--allow-missing")
        # A check asks for all checkers; its kernel has no reference.
        looked = ("       Checked: bounds, alignment, barriers, unwritten reads, races, copies. Not\n"
                  "       checked: results (no reference to compare with).\n")
        self.assertEqual(out, f"ok     saxpy, sm_80\n{looked}ok     saxpy, sm_90\n{looked}2 checks: 2 ok, 0 failed.\n"
                              "2 not compared with kernels.baseline.toml: --update writes it, --allow-missing does\n"
                              "without.\n")
        self.assertEqual(self.lab("check", "kernels.toml").status, 1)  # nothing was compared
        self.edit("x[i]", "x[2 * i % n]")
        done = self.lab("check", "kernels.toml", "--arch", "sm_90")
        # y is read in order: 4 sectors a request; x with stride 2: 8. On average 6.
        self.assertEqual((done.status, done.out.splitlines()[:3]), (1, [
            "failed saxpy, sm_90",
            "       global_load_sectors_per_request <= 4: global_load_sectors_per_request is",
            "       6, wanted <= 4"]), done)
        # Line 3 has the loads.
        self.assertEqual(done.out.splitlines()[3], "       saxpy.cu:3")
        done = self.lab("check", "kernels.toml", "--arch", "sm_90", "--annotations")
        self.assertEqual(done.err, "::error file=saxpy.cu,line=3::saxpy, sm_90: global_load_sectors_per_request <= 4: "
                         "global_load_sectors_per_request is 6, wanted <= 4\n")

    def test_what_is_not_compared_is_no_success(self):
        self.good("check", "kernels.toml", "--update", "--arch", "sm_90")
        self.good("check", "kernels.toml", "--arch", "sm_90")
        self.assertEqual(self.lab("check", "kernels.toml", "--arch", "sm_80").status, 1)
        self.good("check", "kernels.toml", "--arch", "sm_80", "--allow-missing")
        self.edit('name = "saxpy"', 'name = "axpy"', "kernels.toml")
        done = self.lab("check", "kernels.toml", "--arch", "sm_90")
        self.assertEqual(done.status, 1)
        self.assertIn("The baseline has saxpy, sm_90, which no case is: renamed?", done.out)
        self.fails(2, "error: 'sm_9' is not an architecture\nhint: write sm_ and two or three digits: sm_90, sm_100\n",
                   "check", "kernels.toml", "--arch", "sm_9")

    def test_baseline_names_what_changed(self):
        self.good("check", "kernels.toml", "--update")
        self.good("check", "kernels.toml")
        # Another wording, a moved line: the same code.
        self.edit("  if (i < n) y[i] += a * x[i];", "  // y\n  if (i < n) y[i] = y[i] + a * x[i];")
        self.good("check", "kernels.toml")
        # Nor do line breaks within a statement change it.
        self.edit("y[i] = y[i] + a * x[i];", "y[i] =\n      y[i] +\n      a * x[i];")
        self.good("check", "kernels.toml")
        self.edit("a * x[i]", "a * x[i + n % 2] + x[i / 2]")
        done = self.lab("check", "kernels.toml", "--json")
        self.assertEqual(done.status, 1)
        problems = json.loads(done.out)["checks"][1]["problems"]
        # The line that stores is line 4 now, below the comment; what no line says stands at the case.
        self.assertIn(("kernels.toml", 3), {(one["file"], one["line"]) for one in problems})
        changes = "\n".join(json.loads(done.out)["checks"][1]["changes"])
        # 16384 threads, three loads in place of two: 512 requests more.
        self.assertIn("global_load_requests: 1024 -> 1536", changes)
        self.assertIn("arg3 holds another result", changes)
        self.assertIn("2 LDG, 1 STG -> gone", changes)

    def test_junit(self):
        self.edit("at_most = 4", "at_most = 3", "kernels.toml")
        self.assertEqual(self.lab("check", "kernels.toml", "--junit", "out.xml").status, 1)
        suite = xml.parse(self.folder / "out.xml").getroot()[0]
        # Each architecture: it runs, its status, its metric, its baseline (skipped).
        self.assertEqual([suite.get(key) for key in ("tests", "failures", "skipped")], ["8", "2", "2"])
        self.assertEqual({test.get("classname") for test in suite}, {"saxpy sm_80", "saxpy sm_90"})
        # What is read is never written over.
        self.assertEqual(self.lab("check", "kernels.toml", "--junit", "kernels.toml").status, 2)
        self.assertIn("at_most = 3", (self.folder / "kernels.toml").read_text())

    def test_what_is_wrong_is_told_with_its_place(self):
        for old, new, told in [
                ("at_most", "at_mst", "kernels.toml:12:3: error: there is no key 'at_mst' here\n"
                 "    at_mst = 4\n    ^\nhint: did you mean 'at_most'?\n"),
                ("block = 256", "block = 0", "kernels.toml:7:9: error: "),
                ("grid = 64", "grid = ", "kernels.toml:6:"),
                ("f32[16384]=ones", "f33[16384]=ones", "kernels.toml:8:8: error: "),
                ('"saxpy.cu"', '"none.cu"', "kernels.toml:5:8: error: "),
                ("global_load_sectors_per_request", "global_load_sectors_per_requests",
                 "kernels.toml:11:12: error: "),
                ("at_most = 4", "", "a metric needs a bound")]:
            with self.subTest(new):
                self.write("kernels.toml", FILE.replace(old, new))
                done = self.lab("check", "kernels.toml")
                self.assertEqual((done.status, done.out), (2, ""), done)
                self.assertIn(told, done.err)

    def test_what_does_not_compile_fails_and_the_rest_runs(self):
        self.write("bad.cu", "extern \"C\" __global__ void k(float* x) { x[0] = oops; }\n")
        self.write("kernels.toml", '[[case]]\nname = "bad"\nfile = "bad.cu"\ngrid = 1\nblock = 32\n'
                                   'args = ["f32[4]=zero"]\n' + FILE.split("\n\n", 1)[1])
        done = self.lab("check", "kernels.toml")
        self.assertEqual(done.status, 1)
        self.assertIn('identifier "oops" is undefined', done.out)
        self.assertIn("ok     saxpy", done.out)

    def test_dynamic_shared_memory_that_was_forgotten_is_named(self):
        self.write("turn.cu", 'extern __shared__ float s[];\nextern "C" __global__ void turn(float* x) {\n'
                              "  s[threadIdx.x] = x[threadIdx.x];\n  __syncthreads();\n"
                              "  x[threadIdx.x] = s[31 - threadIdx.x];\n}\n")
        case = ('[[case]]\nname = "turn"\nfile = "turn.cu"\ngrid = 1\nblock = 32\nargs = ["f32[32]=iota"]\n{}'
                '  [[case.require]]\n  status = "ok"\n')
        self.write("kernels.toml", case.format(""))
        done = self.lab("check", "kernels.toml")
        self.assertEqual(done.status, 1)
        self.assertIn("turn uses dynamic shared memory (extern __shared__), and shared was not given", done.out)
        self.assertIn("shared = BYTES gives it its size", done.out)
        self.write("kernels.toml", case.format("shared = 128\n"))
        self.good("check", "kernels.toml", "--allow-missing")

    def test_mutations_are_caught(self):
        """Each mutation is a case of its own; the baseline is of the kernels as they were."""
        names = [f"m{number:02}" for number in range(len(MUTATIONS))]
        for name, (kernel, old, new) in zip(names, MUTATIONS):
            self.assertIn(old, kernel[2])
            self.write(f"{name}.cu", kernel[2])
        self.write("all.toml", "".join(case_of(name, one[0]) for name, one in zip(names, MUTATIONS)))
        self.good("check", "all.toml", "--update")
        for name, (kernel, old, new) in zip(names, MUTATIONS):
            self.write(f"{name}.cu", kernel[2].replace(old, new, 1))
        done = self.lab("check", "all.toml")
        caught = re.findall(r"^failed (m\d+)", done.out, re.M)
        missed = [MUTATIONS[names.index(name)][1:] for name in names if name not in caught]
        self.assertEqual(len(MUTATIONS), 40)
        self.assertGreaterEqual(len(caught), 38, missed)

    def test_the_same_bytes_each_time(self):
        seen = set()
        for _ in range(5):
            self.good("check", "kernels.toml", "--update")
            seen.add((self.folder / "kernels.baseline.toml").read_bytes())
        self.assertEqual(len(seen), 1)


@needs_toolkit
class OwnLabs(LabTest):
    def test_every_lab_keeps_to_its_theory(self):
        out = self.good("check", ROOT / "labs" / "check.toml", "--allow-missing")
        self.assertRegex(out, r"\d+ checks: \d+ ok, 0 failed\.")
        text = (ROOT / "labs" / "check.toml").read_text()
        self.assertEqual(sorted(set(map(int, re.findall(r"^lab = (\d+)", text, re.M)))), list(range(1, 13)))


if __name__ == "__main__":
    unittest.main()
