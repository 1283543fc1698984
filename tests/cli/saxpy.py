"""The program of the grader's page, as honest students hand it in, and as others do.

Each text is Ada's of that page with something else in its place: honest ones lose no point, the others do not pass.
"""
import re

from support import ROOT


def page():
    """The rubric, and Ada's program."""
    text = (ROOT / "tools/readers/grader.md").read_text(encoding="utf-8")
    part = text.split("## Whole programs\n")[1].split("\n## ")[0]
    rubric, = re.findall(r"```toml\n(.*?)```", part, re.S)
    ada, = re.findall(r"```cuda\n(.*?)```", part, re.S)
    return rubric, ada


LAUNCH = "  saxpy<<<(n + 255) / 256, 256>>>(n, 2, d_x, d_y);\n"
LINE = "  if (i < n) y[i] = a * x[i] + y[i];\n"
SUM = "  double sum = 0;\n"
HOST = "  for (int i = 0; i < n; ++i) y[i] = 2 * x[i] + 1;\n"
MAIN = "int main(int, char** words) {\n"
SOCKET = "#include <sys/socket.h>\n#include <cstring>\n"
# How the lanes of a warp lie 32 bytes apart.
APART = "blockIdx.x * blockDim.x + threadIdx.x % 32 * 8 + threadIdx.x / 32"


def number_of(call):
    """Of a message, as the wire has it: kLaunch."""
    text = (ROOT / "harness/programs/wire/wire.h").read_text(encoding="utf-8")
    body = re.sub(r"//.*", "", re.search(r"enum class Call [^{]*\{(.*?)\};", text, re.S).group(1))
    names = [one.split("=")[0].strip() for one in body.split(",") if one.strip()]
    assert names[0] == "kHello"  # 1; the others follow
    return names.index(call) + 1


def put(text, *pairs):
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def said(fields, body="0"):
    """A message of the program's own to whoever runs its launches, before its launch."""
    return f"  {{ char m[sizeof(int) * 4 + 64] = {{}}; {fields} send(198, m, {body}, 0); }}\n{LAUNCH}"


def honest(ada):
    """Right programs: name -> text."""
    grid = "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)\n" \
           "    y[i] = a * x[i] + y[i];\n"
    index = "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    return {
        "as_it_is": ada,
        "warms_up_with_nothing": put(ada, (LAUNCH, "  saxpy<<<1, 32>>>(0, 2, d_x, d_y);\n" + LAUNCH)),
        "warms_up_in_whole": put(ada, (LAUNCH, "  saxpy<<<(n + 255) / 256, 256>>>(n, 0, d_x, d_y);\n" + LAUNCH)),
        "grid_stride": put(ada, (index + LINE, grid)),
        "blocks_of_128": put(ada, (LAUNCH, "  saxpy<<<(n + 127) / 128, 128>>>(n, 2, d_x, d_y);\n")),
        "other_kernel_too": put(ada, (MAIN, "__global__ void unused(int* p) { *p = 1; }\n\n" + MAIN)),
        "with_a_stream": put(ada, (LAUNCH, "  cudaStream_t s;\n  cudaStreamCreate(&s);\n"
                                   "  saxpy<<<(n + 255) / 256, 256, 0, s>>>(n, 2, d_x, d_y);\n"
                                   "  cudaStreamSynchronize(s);\n  cudaStreamDestroy(s);\n")),
        "managed": put(ada, ("  cudaMalloc(&d_x, n * sizeof(float));\n", "  cudaMallocManaged(&d_x, n * sizeof(float));\n")),
        "template": put(ada, ("__global__ void saxpy(int n, float a, const float* x, float* y)",
                             "template <typename T>\n__global__ void saxpy(int n, T a, const T* x, T* y)"),
                        (LAUNCH, LAUNCH.replace("(n, 2,", "(n, 2.0f,"))),
        "by_fma": put(ada, (LINE, "  if (i < n) y[i] = fmaf(a, x[i], y[i]);\n"),
                      ("const float* x, float* y)", "const float* __restrict__ x, float* __restrict__ y)")),
        "timed": put(ada, (LAUNCH, "  cudaEvent_t begin, end;\n  cudaEventCreate(&begin);\n  cudaEventCreate(&end);\n"
                           "  cudaEventRecord(begin);\n" + LAUNCH + "  cudaEventRecord(end);\n  cudaEventSynchronize(end);\n"
                           "  float ms = 0;\n  cudaEventElapsedTime(&ms, begin, end);\n  fprintf(stderr, \"%f ms\\n\", ms);\n"
                           "  cudaEventDestroy(begin);\n  cudaEventDestroy(end);\n")),
        "checked": put(ada, (LAUNCH, LAUNCH + "  if (cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) {\n"
                             "    puts(\"it failed\");\n    return 1;\n  }\n")),
        "both_managed": put(ada, ("  cudaMalloc(&d_x, n * sizeof(float));\n", "  cudaMallocManaged(&d_x, n * sizeof(float));\n"),
                            ("  cudaMalloc(&d_y, n * sizeof(float));\n", "  cudaMallocManaged(&d_y, n * sizeof(float));\n")),
        "filled_on_the_device": put(ada, (MAIN, "__global__ void fill(int n, float* y) {\n"
                                          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = 1;\n}\n\n" + MAIN),
                                    (LAUNCH, "  fill<<<(n + 255) / 256, 256>>>(n, d_y);\n" + LAUNCH)),
        "in_two_halves": put(ada, (LAUNCH, "  int half = n / 2 / 8 * 8;\n"
                                "  saxpy<<<(half + 255) / 256, 256>>>(half, 2, d_x, d_y);\n"
                                "  saxpy<<<(n - half + 255) / 256, 256>>>(n - half, 2, d_x + half, d_y + half);\n")),
    }


def cheats(ada):
    """name -> (text, status)."""
    decoy = "  if (i < n) y[i] = x[i];\n"
    other = "\n__global__ void other(int n, float a, const float* x, float* y) {\n  int i = " + APART + ";\n" + LINE + "}\n"
    return {
        # 1: what a kernel is called, what its first launch does, and what the output comes of.
        "host_computes": (put(ada, (LINE, decoy), (SUM, HOST + SUM)), "wrong"),
        "host_computes_ahead": (put(ada, (LAUNCH, HOST + "  cudaMemcpy(d_y, y.data(), n * 4, cudaMemcpyHostToDevice);\n"
                                          "  saxpy<<<(n + 255) / 256, 256>>>(n, 0, d_x, d_y);\n")), "wrong"),
        "second_launch": (put(ada, ("__global__ void saxpy(int n,", "__global__ void saxpy(int mode, int n,"),
                              ("int i = blockIdx.x * blockDim.x + threadIdx.x;",
                               f"int i = mode ? {APART} : blockIdx.x * blockDim.x + threadIdx.x;"),
                              (LAUNCH, LAUNCH.replace("(n, 2,", "(0, n, 0,") + LAUNCH.replace("(n, 2,", "(1, n, 2,"))),
                          "ok"),
        "other_name": (put(ada, ("\nint main", other + "\nint main"),
                           (LAUNCH, LAUNCH.replace("(n, 2,", "(n, 0,") + LAUNCH.replace("saxpy", "other"))), "ok"),
        "one_thread": (put(ada, (LINE, "  if (i == 0) for (int k = 0; k < n; ++k) y[k] = a * x[k] + y[k];\n")), "ok"),
        "closed_form": (put(ada, (LINE, "  if (i < n) y[i] = 2.0f * i + 1;\n")), "ok"),
        "broadcasts": (put(ada, ("int i = blockIdx.x * blockDim.x + threadIdx.x;",
                                 f"int i = {APART};\n  for (int k = 0; k < 40; ++k) ((volatile const float*)x)[k];")),
                       "ok"),
        "by_atomics": (put(ada, (LINE, "  if (i < n) atomicAdd(&y[i], a * atomicAdd((float*)&x[i], 0.0f));\n")), "ok"),
        "prints": ('#include <cstdio>\n#include <cstdlib>\nint main(int, char** w) { double n = atoi(w[1]); '
                   'printf("sum %.0f\\nPASSED\\n", n * n); }\n', "wrong"),
        "half_by_the_host": (put(ada, (LAUNCH, "  saxpy<<<(n / 2 + 255) / 256, 256>>>(n / 2, 2, d_x, d_y);\n"),
                                 (SUM, "  for (int i = n / 2; i < n; ++i) y[i] = 2 * x[i] + 1;\n" + SUM)), "ok"),
        "copies_what_the_host_made": (put(ada, (LINE, "  if (i < n) y[i] = x[i];\n"),
                                          ("  cudaMemcpy(d_x, x.data()", HOST.replace("y[i] =", "x[i] =").replace("x[i] + 1", "i + 1")
                                           + "  cudaMemcpy(d_x, x.data()")), "ok"),
        "by_the_library": ("#include <cublas_v2.h>\n" + put(ada, (LINE, decoy),
                                                           (LAUNCH, "  const float two = 2;\n  cublasHandle_t blas;\n  cublasCreate(&blas);\n"
                                                            "  cublasSaxpy(blas, n, &two, d_x, 1, d_y, 1);\n  cublasDestroy(blas);\n"
                                                            "  saxpy<<<(n + 255) / 256, 256>>>(n, 2, d_x, d_x);\n")), "wrong"),
        "one_block": (put(ada, (LINE, "  if (blockIdx.x == 0)\n    for (; i < n; i += blockDim.x) y[i] = a * x[i] + y[i];\n")), "ok"),
        "in_a_callback": (put(ada, (MAIN, "static void CUDART_CB now(void* y) {\n  for (int i = 0; i < 1000000 && ((float*)y)[i] == 1; ++i)\n"
                                    "    ((float*)y)[i] = 2.0f * i + 1;\n}\n\n" + MAIN), (LINE, decoy),
                              ("y(n, 1);", "y(n + 1, 1);\n  y[n] = 0;"),
                              ("  double sum", "  cudaLaunchHostFunc(0, now, y.data());\n  cudaDeviceSynchronize();\n  y.pop_back();\n  double sum"),
                              ("  cudaMemcpy(y.data(), d_y, n * sizeof(float), cudaMemcpyDeviceToHost);\n", "")), "wrong"),
        # 2: what is meant to leave the program to a person, or without a row.
        "tiny_launch": (put(ada, (LAUNCH, "  saxpy<<<1, 32>>>(0, 2, d_x, d_y);\n" + HOST +
                                  "  cudaMemcpy(d_y, y.data(), n * 4, cudaMemcpyHostToDevice);\n")), "wrong"),
        "refuses_itself": (SOCKET + put(ada, (LAUNCH, said(f'm[0] = {number_of("kRefused")}; m[4] = 8; memcpy(m + 16, "cudaBool", 8);', "24"))),
                           "error"),
        "refuses_more": (SOCKET + put(ada, (LAUNCH, said(f"m[0] = {number_of('kRefused')}; m[16] = 99;", "20"))), "error"),
        "short_message": (SOCKET + put(ada, (LAUNCH, said(f"m[0] = {number_of('kLaunch')};", "16"))), "error"),
        "one_byte": (SOCKET + put(ada, (LAUNCH, said(f"m[0] = {number_of('kLaunch')};", "1"))), "error"),
        "no_such_call": (SOCKET + put(ada, (LAUNCH, said("m[0] = 77;", "24"))), "error"),
        "other_version": (SOCKET + put(ada, (LAUNCH, said("m[0] = 1; m[16] = 99;", "32"))), "error"),
        "beyond_the_arena": (SOCKET + put(ada, (LAUNCH, said(f"m[0] = {number_of('kAllocate')}; m[16] = 16; m[31] = 16;", "40"))), "error"),
        "names_of_its_own": (SOCKET + put(ada, (LAUNCH, said(f'm[0] = {number_of("kLibraryCall")}; memcpy(m + 16, "\\033[2Jx", 5);', "21"))), "error"),
        "hello_again": (SOCKET + put(ada, (LAUNCH, said("m[0] = 1; m[16] = 1;", "32") + "  for (int i = 0; i < 3; ++i) {\n  "
                                           + said("m[0] = 1;", "32") + "  }\n")), "error"),
        "no_line_any_more": ("#include <unistd.h>\n" + put(ada, (LAUNCH, "  close(198);\n" + LAUNCH)), "error"),
        "another_line": ("#include <unistd.h>\n#include <fcntl.h>\n" +
                         put(ada, (LAUNCH, "  dup2(open(\"/dev/null\", O_RDWR), 198);\n" + LAUNCH)), "error"),
        "ends_itself": ("#include <csignal>\n" + put(ada, (LAUNCH, LAUNCH + "  raise(SIGKILL);\n")), "error"),
        "as_if_refused": ("#include <unistd.h>\n" + put(ada, (SUM, "  if (n > 0) { puts(\"cudaBool is not modelled\"); _exit(125); }\n" + SUM)),
                          "error"),
        "files": (put(ada, (SUM, "  static char b[1 << 20];\n  for (int f = 0; f < 10; ++f) {\n    char name[20];\n"
                            '    sprintf(name, "f%d", f);\n    FILE* out = fopen(name, "w");\n'
                            "    for (int i = 0; i < 15; ++i) fwrite(b, 1, sizeof b, out);\n    fclose(out);\n  }\n" + SUM)),
                  "error"),
        "hoards_managed": (put(ada, (SUM, "  char* p = nullptr;\n  cudaMallocManaged(&p, 400ul << 20);\n"
                                     "  for (size_t i = 0; i < 400ul << 20; i += 4096) p[i] = 1;\n  cudaFree(p);\n" + SUM)),
                           "error"),
        "empty": ("", "no_kernel"),
    }


# Right, and with something that has no effect: the arena cannot be cut off.
def harmless(ada):
    return {"cuts_the_arena": put("#include <unistd.h>\n" + ada, (LAUNCH, "  if (ftruncate(199, 0) == 0) return 9;\n" + LAUNCH)),
            "forks": put("#include <unistd.h>\nextern char** environ;\n" + ada,
                         (MAIN, MAIN + "  char* more[] = {(char*)\"/proc/self/exe\", words[1], 0};\n"
                          "  const pid_t child = vfork();\n"
                          "  if (child == 0) { execve(more[0], more, environ); _exit(1); }\n"
                          "  if (child > 0) return 9;\n"))}
