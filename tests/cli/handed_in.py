"""Kernels that students hand in: right ones in other words, and those that stand a lab on its head.

Each is a lab's solution with something else in its place, so that it says what it differs in.
"""
import re

from cheats import TASKS

from support import ROOT

PRINTED = '  if (threadIdx.x == 0) printf("block %d\\n", blockIdx.x);\n'
PRINTED_MORE = '  printf("%d %f %s\\n", threadIdx.x, 1.5, "here");\n'


def first_do(text, statement):
    begin = re.search(r"__global__ void \w+\([^)]*\) \{\n", text).end()
    return text[:begin] + statement + text[begin:]


def put(text, *pairs):
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


# Lab -> name -> what stands in the solution, and what in its place.
HONEST = {
    1: {"early_out": [("  if (i < n) out[i]", "  if (i >= n) return;\n  out[i]")],
        "named_place": [("  if (i < n) out[i] = in[full ? first + (5 * i + 3) % 32 : i];",
                         "  int from = i;\n  if (full) from = first + (i * 5 + 3 & 31);\n  if (i < n) out[i] = in[from];")],
        "ldg": [("= in[full ? first + (5 * i + 3) % 32 : i];", "= *(&in[full ? first + (5 * i + 3) % 32 : i]);")]},
    2: {"by_pointer": [("  const float4 v = p[i];", "  const float4 v = *(p + i);")],
        "ldg": [("  const float4 v = p[i];", "  const float4 v = __ldg(p + i);")],
        "other_order": [("  x[i] = v.x;\n  y[i] = v.y;\n", "  y[i] = v.y;\n  x[i] = v.x;\n")]},
    3: {"sum": [("(lane ^ y)", "(lane + y) % 32"), ("(x ^ lane)", "(x + lane) % 32")],
        "difference": [("(lane ^ y)", "(lane - y & 31)"), ("(x ^ lane)", "(x - lane & 31)")],
        "times": [("(lane ^ y)", "(lane + 3 * y) % 32"), ("(x ^ lane)", "(x + 3 * lane) % 32")]},
    4: {"one_more": [("kTile + (sizeof(T) < 4 ? 4 / sizeof(T) : 1)", "kTile + (4 + sizeof(T) - 1) / sizeof(T)")],
        "four_bytes": [("kTile + (sizeof(T) < 4 ? 4 / sizeof(T) : 1)", "kTile + (sizeof(T) == 1 ? 4 : 1)")],
        "unrolled": [("  for (int j = 0; j < kTile; j += kRows) {\n    if (x < rows", "#pragma unroll\n"
                      "  for (int j = 0; j < kTile; j += kRows) {\n    if (x < rows")]},
    5: {"address": [("atomicAdd(&a[k], 1.0f);", "atomicAdd(a + k, 1.0f);")],
        "one": [("atomicAdd(&a[k], 1.0f);", "atomicAdd(&a[k], float(1));")]},
    6: {"other_order": [("p[k * kThreads + threadIdx.x]", "p[threadIdx.x + kThreads * k]")]},
    7: {"rolled": [("#pragma unroll\n    for (int k = 0; k < 32; ++k) {", "#pragma unroll 4\n    for (int k = 0; k < 32; ++k) {")],
        "by_name": [("sum[r] += tile_a[ty + 8 * r][k] * element;", "sum[r] = tile_a[ty + 8 * r][k] * element + sum[r];")]},
    8: {"unrolled": [("#pragma unroll 1\n", "")],
        "unrolled_4": [("#pragma unroll 1\n", "#pragma unroll 4\n")],
        "by_pointer": [("sum += in[row * cols + x];", "sum += *(in + row * cols + x);")]},
    9: {"by_if": [("    case 2:\n      return l ^ 1;\n", "    case 2:\n      return l % 2 ? l - 1 : l + 1;\n")]},
    10: {"while": [("  for (int i = 0; i < hops; ++i) at = next[at];", "  while (hops-- > 0) at = next[at];")],
         "ldg": [("at = next[at];", "at = __ldg(&next[at]);")],
         "unrolled": [("  for (int i = 0; i < hops; ++i) at", "#pragma unroll 8\n  for (int i = 0; i < hops; ++i) at")]},
    11: {"register": [("  for (int step = kThreads / 2; step > 0; step /= 2) {\n    if (t < step) s[t] = s[t] + s[t + step];\n",
                       "  float sum = s[t];\n  for (int step = kThreads / 2; step > 0; step /= 2) {\n"
                       "    if (t < step) s[t] = sum = sum + s[t + step];\n")],
         "plus": [("s[t] = s[t] + s[t + step];", "s[t] += s[t + step];")],
         "shifted": [("step > 0; step /= 2", "step > 0; step >>= 1")]},
    12: {"while": [("    __syncthreads();\n    for (int k", "    __syncthreads();\n#pragma unroll 4\n    for (int k")]},
}

SKIP = """
extern "C" __global__ void chase(const unsigned* next, unsigned* last, int hops) {
  const unsigned step = next[0];
  unsigned at = step, words = 0;
  int i = 1;
  for (; i < hops && words == 0; ++i) {
    const unsigned to = next[at];
    if (to < at) words = at + step - to;
    at = to;
  }
  for (; i < hops; ++i) asm volatile("{ .reg .u32 u; ld.volatile.global.u32 u, [%0]; }" ::"l"(next));
  if (words) at = (unsigned)((unsigned long long)step * hops % words);
  *last = at;
}
"""
SCATTERED = """
template <typename T>
__global__ void copy_permuted(const T* in, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + (threadIdx.x % 8) * (blockDim.x / 8) + threadIdx.x / 8;
  const int first = i / 32 * 32;
  const bool full = first + 32 <= n;
  if (i < n) out[i] = in[full ? first + (5 * i + 3) % 32 : i];
}
"""
# One load of 16 bytes that nobody needs; what is stored came by copies of 4 bytes.
BY_COPIES = """
extern "C" __global__ void to_soa(const float4* p, float* x, float* y, float* z, float* w, int n) {
  __shared__ float words[256 * 4];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < 4; ++k) {
    const unsigned to = (unsigned)__cvta_generic_to_shared(words + threadIdx.x * 4 + k);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"((const float*)(p + i) + k));
  }
  asm volatile("{ .reg .f32 a, b, c, d; ld.volatile.global.v4.f32 {a, b, c, d}, [%0]; }" ::"l"(p + i));
  asm volatile("cp.async.wait_all;" ::: "memory");
  volatile float* v = words + threadIdx.x * 4;
  x[i] = v[0];
  y[i] = v[1];
  z[i] = v[2];
  w[i] = v[3];
}
"""
# The table is filled and read, and what is stored comes from registers.
BESIDE = [("p[k * kThreads + threadIdx.x] = power;", "p[k * kThreads + threadIdx.x] = power;\n"
           "    out[blockIdx.x * kThreads * kPowers + k * kThreads + threadIdx.x] = power;"),
          ("out[i] = shared[i]", "{ volatile const float* v = shared; float unused = v[i]; }")]
PADDING = [("words[32 * 32]", "words[32 * 33]"), ("tile[y * 32 + (lane ^ y)]", "tile[y * 33 + lane]"),
           ("tile[lane * 32 + (x ^ lane)]", "tile[lane * 33 + x]")]

CHEATS = {1: {"scattered": SCATTERED}, 2: {"by_copies": BY_COPIES}, 10: {"skip": SKIP}}
CHANGED = {3: {"padding": PADDING}, 6: {"beside_the_table": BESIDE}}


def kernel_called(text, name):
    """(template's head, types of its parameters); None: it is not there."""
    found = re.search(r"(template <[^>]*>\s*)?(?:extern \"C\" )?__global__ void (?:__launch_bounds__\([^)]*\)\s*)?"
                      + name + r"\(([^)]*)\)", text)
    if not found:
        return None
    types = [re.sub(r"\s*\w+$", "", " ".join(one.split())) for one in found.group(2).split(",")]
    return (found.group(1) or "").strip(), types


def other_kernels(lab):
    """The lab's other kernels that take what the solution takes, as hand-ins: name -> text."""
    text = next(ROOT.glob(f"labs/{lab:02}_*/kernels.cu")).read_text(encoding="utf-8")
    wanted = re.search(r"void (\w+)\(", TASKS[lab][0]).group(1)
    kind = kernel_called(text, wanted)
    names = re.findall(r"__global__ void (?:__launch_bounds__\([^)]*\)\s*)?(\w+)\(", text)
    all_of_them = {}
    for name in names:
        if name == wanted or kernel_called(text, name) != kind:
            continue
        renamed = re.sub(rf"\b{wanted}\b", wanted + "_own", text)
        all_of_them[name] = re.sub(rf"\b{name}\b", wanted, renamed)
    return all_of_them
