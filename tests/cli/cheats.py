"""Kernels that do a lab's task with right results, and not what the lab is about.

Each lab's task is written once, element by element: `LOAD(p)` reads what the task reads. From it come
the cheats: one thread or one block does it all, no tile, all data by atomics, and the same beside
accesses that nobody needs, which look like those that a rubric counts.
"""

# Of words of any size: what an atomic that changes nothing returns.
BY_ATOMICS = """
template <typename T>
__device__ T by_atomics(const T* p) {
  union { unsigned word[(sizeof(T) + 3) / 4]; T value; } all;
  const unsigned long long at = (unsigned long long)p;
  for (int w = 0; w < (sizeof(T) + 3) / 4; ++w) all.word[w] = atomicOr((unsigned*)(at & ~3ULL) + w, 0);
  if (sizeof(T) < 4) all.word[0] >>= 8 * (at & 3);
  return all.value;
}
"""
TOUCH = """
template <typename T>
__device__ void touch(const T* p) {
  if constexpr (sizeof(T) == 16) {
    unsigned a, b, c, d;
    asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p));
  } else if constexpr (sizeof(T) == 8) {
    unsigned long long unused = *(volatile const unsigned long long*)p;
  } else if constexpr (sizeof(T) == 1) {
    unsigned char unused = *(volatile const unsigned char*)p;
  } else if constexpr (sizeof(T) == 4) {
    unsigned unused = *(volatile const unsigned*)p;
  }
}
"""
THREAD = ("((blockIdx.y * gridDim.x + blockIdx.x) * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x")
ALL_THREADS = "gridDim.x * gridDim.y * blockDim.x * blockDim.y"
IN_BLOCK = "threadIdx.y * blockDim.x + threadIdx.x"
PRODUCT = """    float sum = 0;
    for (int k = 0; k < {m}; ++k) sum += LOAD(a + i / {p} * {m} + k) * LOAD(b + k * {p} + i % {p});
    c[i] = sum;
"""

# Lab -> (the kernel's head, elements, what makes element i, whether a tile is what the lab is about,
# the place that a dummy load of element i reads).
TASKS = {
    1: ("template <typename T>\n__global__ void copy_permuted(const T* in, T* out, int n)", "n",
        "    const int first = i / 32 * 32;\n"
        "    out[i] = LOAD(in + (first + 32 <= n ? first + (5 * i + 3) % 32 : i));\n", False, "in + i"),
    2: ('extern "C" __global__ void to_soa(const float4* p, float* x, float* y, float* z, float* w, int n)', "n",
        "    const float4 v = LOAD(p + i);\n    x[i] = v.x;\n    y[i] = v.y;\n    z[i] = v.z;\n    w[i] = v.w;\n",
        False, "p + i"),
    3: ('extern "C" __global__ void column_swizzled(const float* in, float* out, int passes)', "gridDim.x * 1024",
        "    float sum = 0;\n    for (int k = 0; k < passes; ++k) sum += LOAD(in + i % 32 * 32 + i / 32 % 32);\n"
        "    out[i] = sum;\n", True, "in + i % 1024"),
    4: ("template <typename T, int kRows>\n__global__ void padded(const T* in, T* out, int rows, int cols)",
        "rows * cols", "    out[i] = LOAD(in + i % rows * cols + i / rows);\n", True, "in + i"),
    # The sum is known without an addition.
    5: ('extern "C" __global__ void atomic_first(float* a, int n)', "n",
        "    if (i % 4 < 3) a[i] = LOAD(a + i) + (i == 0 ? 1 + n / 4 : 1);\n", True, "a + i"),
    6: ("template <int kThreads>\n__global__ void power_major(const float* in, float* out)",
        "gridDim.x * kThreads * 32",
        "    const float x = LOAD(in + i / (kThreads * 32) * kThreads + i % kThreads);\n    float power = x;\n"
        "    for (int k = i / kThreads % 32; k >= 0; --k) power *= x;\n    out[i] = power;\n", True,
        "in + i / (kThreads * 32) * kThreads + i % kThreads"),
    7: ('extern "C" __global__ void register_tiled(const float* a, const float* b, float* c, int n, int m, int p)',
        "n * p", PRODUCT.format(m="m", p="p"), True, "a + i % (n * m)"),
    8: ('extern "C" __global__ void warp_per_row(const float* in, float* sums, int rows, int cols)', "rows",
        "    float sum = 0;\n    for (int x = 0; x < cols; ++x) sum += LOAD(in + i * cols + x);\n    sums[i] = sum;\n",
        True, "in + i"),
    9: ("template <typename T>\n__global__ void figure(const T* in, T* out, int figure)", "gridDim.x * 32",
        "    const int e = element<T>(figure, i % 16);\n"
        "    if (e >= 0) out[i] = LOAD(in + i / 32 * 128 + i % 32 / 16 * 64 + e);\n", False,
        "in + i / 32 * 128 + i % 32"),
    10: ('extern "C" __global__ void chase(const unsigned* next, unsigned* last, int hops)', "1",
         "    unsigned at = 0;\n    for (int k = 0; k < hops; ++k) { TOUCH(next + at); at = LOAD(next + at); }\n"
         "    *last = at;\n", False, "next"),
    11: ('extern "C" __global__ void sequential(const float* in, float* sums, int n)', "gridDim.x",
         "    float sum = 0;\n    for (int k = i * 256; k < n && k < i * 256 + 256; ++k) sum += LOAD(in + k);\n"
         "    sums[i] = sum;\n", True, "in + i"),
    12: ('extern "C" __global__ void product(const float* a, const float* b, float* c, int n)', "n * n",
         PRODUCT.format(m="n", p="n"), True, "a + i"),
}
# Of figures the places stay what the lab has: they are the task.
HELPERS = {9: ("template <typename T>\n__device__ int element(", "\ntemplate <typename T>\n__global__")}

# What the kernel sees of the sizes that a rubric names.
SEEN = {1: ["n"], 2: ["n"], 3: ["passes", "blocks"], 4: ["rows", "cols"], 5: ["n"], 6: ["blocks"], 7: ["n", "m", "p"],
        8: ["rows", "cols"], 9: ["blocks"], 10: ["hops"], 11: ["n"], 12: ["size"]}
CALLED = {"blocks": "gridDim.x", "size": "n"}


def kernel(lab, who, load, before="", right=""):
    """`who`: (condition of those that work, first element, step)."""
    head, count, body, _, _ = TASKS[lab]
    condition, first, step = who
    helper = ""
    if lab in HELPERS:
        begin = right.index(HELPERS[lab][0])
        helper = right[begin:right.index(HELPERS[lab][1], begin + 1)]
    touch = "touch(p)" if "touch(" in before else "0"
    return (f"#define LOAD(p) {load}\n#define TOUCH(p) {touch}\n{BY_ATOMICS}{TOUCH}{helper}\n{head} {{\n"
            "  __shared__ float words[1024];\n  volatile float* dummy = words;\n"
            f"  if ({condition}) return;\n  for (int i = {first}; i < {count}; i += {step}) {{\n{before}{body}  }}\n}}\n")


PLAIN = "(*(p))"
ATOMIC = "by_atomics(p)"
EACH = ("false", THREAD, ALL_THREADS)


def one_thread(lab, right):
    return kernel(lab, (f"{THREAD} > 0", "0", "1"), PLAIN, right=right)


def one_block(lab, right):
    return kernel(lab, ("blockIdx.x + blockIdx.y > 0", IN_BLOCK, "blockDim.x * blockDim.y"), PLAIN, right=right)


def no_tile(lab, right):
    return kernel(lab, EACH, PLAIN, right=right)


def atomics(lab, right):
    return kernel(lab, EACH, ATOMIC, right=right)


def dummies(lab, right):
    """The data by atomics; beside them a load in order and conflict-free words of a tile."""
    before = f"    touch({TASKS[lab][4]});\n"
    if lab == 5:
        before = "    atomicAdd(&a[i], 0.0f);\n"
    elif TASKS[lab][3] and lab != 8:
        before += f"    dummy[{IN_BLOCK}] = 0;\n    float unused = dummy[{IN_BLOCK}];\n"
    return kernel(lab, EACH, PLAIN if lab == 5 else ATOMIC, before, right)


def cheats_of(lab, right):
    """Name -> text. What is the lab's task itself is no cheat: one thread walks, threads copy."""
    makers = [atomics, dummies]
    if lab != 10:
        makers += [one_thread, one_block]
    if TASKS[lab][3]:
        makers.append(no_tile)
    return {make.__name__: make(lab, right) for make in makers}
