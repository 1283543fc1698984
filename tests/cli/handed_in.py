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

# More of each, as students of a course write the same kernel.
LOAD_1 = "  if (i < n) out[i] = in[full ? first + (5 * i + 3) % 32 : i];"
BODY_2 = "  const float4 v = p[i];\n  x[i] = v.x;\n  y[i] = v.y;\n  z[i] = v.z;\n  w[i] = v.w;\n"
PAD_4 = "kTile + (sizeof(T) < 4 ? 4 / sizeof(T) : 1)"
STEP_11 = "    if (t < step) s[t] = s[t] + s[t + step];"
MORE = {
    1: {"two_branches": [(LOAD_1, "  if (full) {\n    out[i] = in[first + (5 * i + 3) % 32];\n  } else if (i < n) {\n    out[i] = in[i];\n  }")],
        "by_lane": [(LOAD_1, "  const int lane = threadIdx.x & 31;\n  if (i < n) out[i] = in[full ? first + ((5 * lane + 3) & 31) : i];")],
        "by_pointers": [(LOAD_1, "  const T* from = in + (full ? first + (5 * i + 3) % 32 : i);\n  T* to = out + i;\n  if (i < n) *to = *from;")],
        "grid_stride": [(LOAD_1, "  for (int k = i; k < n; k += gridDim.x * blockDim.x)\n    out[k] = in[full ? first + (5 * k + 3) % 32 : k];")],
        "a_value": [(LOAD_1, "  T value = T();\n  if (i < n) value = in[full ? first + (5 * i + 3) % 32 : i];\n  if (i < n) out[i] = value;")]},
    2: {"guarded": [("  if (i >= n) return;\n" + BODY_2, "  if (i < n) {\n" + BODY_2 + "  }\n")],
        "an_array": [(BODY_2, "  const float4 v = p[i];\n  const float f[4] = {v.x, v.y, v.z, v.w};\n"
                      "  x[i] = f[0];\n  y[i] = f[1];\n  z[i] = f[2];\n  w[i] = f[3];\n")],
        "last_first": [(BODY_2, "  const float4 v = p[i];\n  w[i] = v.w;\n  z[i] = v.z;\n  y[i] = v.y;\n  x[i] = v.x;\n")],
        "four_numbers": [(BODY_2, "  float a, b, c, d;\n  { const float4 v = p[i]; a = v.x; b = v.y; c = v.z; d = v.w; }\n"
                          "  x[i] = a;\n  y[i] = b;\n  z[i] = c;\n  w[i] = d;\n")],
        "own_index": [("= index();", "= blockIdx.x * blockDim.x + threadIdx.x;")]},
    3: {"mirrored": [("(lane ^ y)", "(lane ^ (31 - y))"), ("(x ^ lane)", "(x ^ (31 - lane))")],
        "half_a_turn": [("(lane ^ y)", "(lane + y + 16) % 32"), ("(x ^ lane)", "(x + lane + 16) % 32")],
        "five_times": [("(lane ^ y)", "(lane + 5 * y) % 32"), ("(x ^ lane)", "(x + 5 * lane) % 32")],
        "a_place": [("tile[lane * 32 + (x ^ lane)]", "*place"), ("    float sum = 0;\n", "    float sum = 0;\n    volatile float* place = tile + lane * 32 + (x ^ lane);\n")],
        "a_function": [("(lane ^ y)", "kept(y, lane)"), ("(x ^ lane)", "kept(lane, x)"),
                       ("extern \"C\"", "__device__ int kept(int row, int column) { return column ^ row; }\n\nextern \"C\"")]},
    4: {"three_words": [(PAD_4, "kTile + (sizeof(T) < 4 ? 12 / sizeof(T) : 3)")],
        "in_one_row": [("tile[kTile][" + PAD_4 + "];", "words[kTile * (" + PAD_4 + ")];\n  const int pitch = " + PAD_4 + ";"),
                       ("tile[threadIdx.y + j][threadIdx.x]", "words[(threadIdx.y + j) * pitch + threadIdx.x]"),
                       ("tile[threadIdx.x][threadIdx.y + j]", "words[threadIdx.x * pitch + threadIdx.y + j]")],
        "from_pointers": [("    if (x < cols && y + j < rows) tile", "    const T* from = in + (size_t)(y + j) * cols + x;\n    if (x < cols && y + j < rows) tile"),
                          ("= in[(y + j) * cols + x];", "= *from;")],
        "rows_outside": [("if (x < cols && y + j < rows)", "if (y + j < rows && x < cols)"), ("if (x < rows && y + j < cols)", "if (y + j < cols && x < rows)")]},
    5: {"mask": [("i % 4 == 3 ? 0 : i", "(i & 3) == 3 ? 0 : i")],
        "early_out": [("  if (i < n) atomicAdd(&a[k], 1.0f);", "  if (i >= n) return;\n  atomicAdd(&a[k], 1.0f);")],
        "a_pointer": [("  if (i < n) atomicAdd(&a[k], 1.0f);", "  float* to = i % 4 == 3 ? a : a + i;\n  if (i < n) atomicAdd(to, 1.0f);")],
        "two_branches": [("  if (i < n) atomicAdd(&a[k], 1.0f);", "  if (i < n && i % 4 == 3) atomicAdd(a, 1.0f);\n"
                          "  if (i < n && i % 4 != 3) atomicAdd(a + i, 1.0f);")],
        "old_value": [("  if (i < n) atomicAdd(&a[k], 1.0f);", "  float old = 0;\n  if (i < n) old = atomicAdd(&a[k], 1.0f);\n  if (old < -1) a[k] = 0;")]},
    6: {"a_place": [("  float power = x;\n", "  float power = x;\n  volatile float* to = p + threadIdx.x;\n"),
                    ("    p[k * kThreads + threadIdx.x] = power;", "    *to = power;\n    to += kThreads;")],
        "unrolled": [("  for (int k = 0; k < kPowers; ++k) {", "#pragma unroll\n  for (int k = 0; k < kPowers; ++k) {")],
        "backwards": [("    power *= x;\n    p[k * kThreads + threadIdx.x] = power;", "    p[k * kThreads + threadIdx.x] = power * x;\n    power = power * x;")],
        "plain_pointer": [("  volatile float* p = pinned(powers);", "  float* p = powers;")]},
    # Padded rows of A are none here: the compiler reads them word by word, which costs two thirds more.
    7: {"padded_b": [("tile_b[32][32]", "tile_b[32][33]")],
        "by_fma": [("sum[r] += tile_a[ty + 8 * r][k] * element;", "sum[r] = fmaf(tile_a[ty + 8 * r][k], element, sum[r]);")],
        "loads_apart": [("      tile_a[ty + r][tx] = first + r < n && t + tx < m ? a[(first + r) * m + t + tx] : 0;\n",
                         "      float from_a = 0;\n      if (first + r < n && t + tx < m) from_a = a[(first + r) * m + t + tx];\n      tile_a[ty + r][tx] = from_a;\n")],
        "four_names": [("#pragma unroll\n    for (int k = 0; k < 32; ++k) {", "#pragma unroll 8\n    for (int k = 0; k < 32; ++k) {")]},
    8: {"xor": [("__shfl_down_sync(", "__shfl_xor_sync(")],
        "row_pointer": [("  float sum = 0;\n", "  float sum = 0;\n  const float* from = in + (size_t)row * cols;\n"), ("in[row * cols + x]", "from[x]")],
        "warp_size": [("x += 32", "x += warpSize")],
        "halved": [("step /= 2", "step >>= 1")]},
    9: {"arithmetic": [("      return l ^ 1;\n", "      return l + 1 - 2 * (l & 1);\n"), ("l * 7 % 16", "(7 * l) & 15")],
        "a_pointer": [("  if (e >= 0) out[blockIdx.x * blockDim.x + threadIdx.x] = in[first + e];",
                       "  const T* from = in + first;\n  if (e >= 0) out[blockIdx.x * blockDim.x + threadIdx.x] = from[e];")],
        "early_out": [("  if (e >= 0) out[blockIdx.x * blockDim.x + threadIdx.x] = in[first + e];",
                       "  if (e < 0) return;\n  out[blockIdx.x * blockDim.x + threadIdx.x] = in[first + e];")]},
    10: {"do_while": [("  for (int i = 0; i < hops; ++i) at = next[at];", "  int i = hops;\n  if (i > 0) do { at = next[at]; } while (--i > 0);")],
         "a_pointer": [("  for (int i = 0; i < hops; ++i) at = next[at];\n  *last = at;",
                        "  const unsigned* from = next;\n  for (int i = 0; i < hops; ++i) { at = *from; from = next + at; }\n  *last = at;")],
         "one_thread": [("  unsigned at = 0;\n", "  if (threadIdx.x != 0) return;\n  unsigned at = 0;\n")],
         "size_t": [("  unsigned at = 0;", "  size_t at = 0;"), ("  *last = at;", "  *last = (unsigned)at;")]},
    11: {"halved": [("step /= 2", "step >>= 1")],
         "into_itself": [(STEP_11, "    if (t < step) s[t] += s[t + step];")],
         "two_values": [(STEP_11, "    if (t < step) {\n      const float mine = s[t], other = s[t + step];\n      s[t] = mine + other;\n    }")],
         "last_by_all": [("  if (t == 0) sums", "  if (t < 1) sums")]},
    12: {"by_fma": [("sum += tile_a[ty][k] * tile_b[k][tx];", "sum = fmaf(tile_a[ty][k], tile_b[k][tx], sum);")],
         "padded": [("tile_a[kTile][kTile]", "tile_a[kTile][kTile + 1]"), ("tile_b[kTile][kTile]", "tile_b[kTile][kTile + 1]")],
         "unrolled": [("    for (int k = 0; k < kTile; ++k) sum", "#pragma unroll\n    for (int k = 0; k < kTile; ++k) sum")],
         "named_loads": [("    tile_a[ty][tx] = a[row * n + t + tx];", "    const float from_a = a[row * n + t + tx];\n    tile_a[ty][tx] = from_a;")]},
}
for lab, variants in MORE.items():
    HONEST[lab].update(variants)

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

# Each store meets 32 words of one bank, so that no load does.
CONFLICT_MOVED = [("tile[y * 32 + (lane ^ y)]", "tile[lane * 32 + y]"), ("tile[lane * 32 + (x ^ lane)]", "tile[x * 32 + lane]")]
# The sum is known: one thread adds it.
KNOWN_SUM = [("  if (i < n) atomicAdd(&a[k], 1.0f);", "  if (i < n && i % 4 != 3) atomicAdd(&a[i], i == 0 ? 1.0f + n / 4 : 1.0f);")]
# Every thread takes part, and one adds up.
ONE_ADDS = [("  for (int step = kThreads / 2; step > 0; step /= 2) {\n    if (t < step) s[t] = s[t] + s[t + step];\n"
             "    __syncthreads();\n  }\n", "  if (t == 0)\n    for (int k = 1; k < kThreads; ++k) s[0] = s[0] + s[k];\n")]
# Columns of the tile without a conflict, by writing the output along columns.
ALONG_COLUMNS = [("tile[threadIdx.x][threadIdx.y + j];", "tile[threadIdx.y + j][threadIdx.x];"),
                 ("if (x < rows && y + j < cols) out[(y + j) * rows + x]", "if (y + j < rows && x < cols) out[x * rows + y + j]"),
                 ("  x = blockIdx.y * kTile + threadIdx.x;\n  y = blockIdx.x * kTile + threadIdx.y;\n", "")]
# Half of the lanes read a row, each two elements that lie side by side.
HALF_A_WARP = [("  for (int x = lane; x < cols; x += 32) {\n    sum += in[row * cols + x];\n  }",
                "  if (lane < 16)\n    for (int x = 2 * lane; x < cols; x += 32) {\n      sum += in[row * cols + x];\n"
                "      if (x + 1 < cols) sum += in[row * cols + x + 1];\n    }")]
# The tile of B is filled, and B is read from global memory.
B_FROM_GLOBAL = [("const float element = tile_b[k][tx];",
                  "volatile float unused = tile_b[k][tx];\n      const float element = t + k < m && col < p ? b[(t + k) * p + col] : 0;")]
# More words, rows of an array, sums of indices: padding all the same.
PADDING_BY_THREE = [("words[32 * 32]", "words[32 * 35]"), ("tile[y * 32 + (lane ^ y)]", "tile[y * 35 + lane]"),
                  ("tile[lane * 32 + (x ^ lane)]", "tile[lane * 35 + x]")]
PADDING_OF_ROWS = [("__shared__ float words[32 * 32];", "__shared__ float rows_of[32][33];\n  float* words = &rows_of[0][0];"),
                   ("tile[y * 32 + (lane ^ y)]", "tile[y * 33 + lane]"), ("tile[lane * 32 + (x ^ lane)]", "tile[lane * 33 + x]")]
PADDING_BEHIND_BLOCKS = [("words[32 * 32]", "words[32 * 32 + 32]"), ("tile[y * 32 + (lane ^ y)]", "tile[y * 32 + y + lane]"),
                         ("tile[lane * 32 + (x ^ lane)]", "tile[lane * 32 + lane + x]")]

CHEATS = {1: {"scattered": SCATTERED}, 2: {"by_copies": BY_COPIES}, 10: {"skip": SKIP}}
CHANGED = {3: {"padding": PADDING, "padding_by_three": PADDING_BY_THREE, "padding_of_rows": PADDING_OF_ROWS,
               "padding_by_sums": PADDING_BEHIND_BLOCKS, "conflict_moved": CONFLICT_MOVED},
           4: {"along_columns": ALONG_COLUMNS}, 5: {"known_sum": KNOWN_SUM}, 6: {"beside_the_table": BESIDE}, 7: {"b_from_global": B_FROM_GLOBAL},
           8: {"half_a_warp": HALF_A_WARP}, 11: {"one_adds": ONE_ADDS}}


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
