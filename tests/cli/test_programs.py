"""Files as people bring them: whole programs, what they include, every kind of argument."""
import json
import os
import struct
import subprocess
import sys
import unittest

from support import LAB, LabTest, needs_toolkit

PROGRAM = r"""#include <iostream>
#include "util.h"
struct Row { int n; float* data; char tag; };
__constant__ float weight[3];
__device__ int offset;

__global__ void scale(Row row, float* out, const float* view, bool on) {
  int i = threadIdx.x;
  if (i < row.n && on) out[i] = row.data[i] * weight[i % 3] + offset + FACTOR * view[0];
  if (i == 0) printf("n = %d\n", row.n);
}
__global__ void bump(float** rows) { rows[blockIdx.x][threadIdx.x] += 1; }

int main() {
  CHECK(cudaDeviceSynchronize());
  std::cout << "done" << std::endl;
}
"""
UTIL = """#pragma once
#include <cstdlib>
#if !defined(__linux__) && !defined(_WIN32)
#error a system that nobody knows
#endif
#define FACTOR 10
#define CHECK(call) if ((call) != cudaSuccess) std::exit(1)
inline void check(cudaError_t error) { std::cerr << error; }
"""
# Each half of the warp names itself, in one instruction.
HALVES = r"""__global__ void halves(int* out) {
  __shared__ int words[32];
  int lane = threadIdx.x;
  unsigned mask = lane < 16 ? 0x0000ffffu : 0xffff0000u;
  words[lane] = lane;
  __syncwarp(mask);
  out[lane] = words[lane ^ 1];
}
"""
ARGS = ("--kernel", "scale", "--grid", "1", "--block", "4", "--arg", "{i32=4, f32[4]=iota, i8=1}",
        "--arg", "f32[5]=zero", "--arg", "arg1+4", "--arg", "bool=true",
        "--symbol", "weight=f32[3]=ones", "--symbol", "offset=i32=5")


@needs_toolkit
class Programs(LabTest):
    def setUp(self):
        super().setUp()
        self.write("program.cu", PROGRAM)
        self.write("util.h", UTIL)

    def probed(self, *words):
        return json.loads(self.good("probe", *words, "--backend", "model", "--json"))["runs"][0]

    def test_every_kind_of_argument(self):
        text = self.good("probe", "program.cu", *ARGS, "--dump", "1=out.bin")
        self.assertIn("n = 4", text)
        values = struct.unpack("5f", (self.folder / "out.bin").read_bytes())
        # data[i] * 1 + 5 + 10 * 0: the view is of the last element, which nobody writes.
        self.assertEqual(values, (5.0, 6.0, 7.0, 8.0, 0.0))

    def test_the_record_says_what_was_done_with_host_code(self):
        facts = self.probed("program.cu", *ARGS)["cases"][0]["facts"]
        self.assertRegex(facts["host_code"], r"^(compiled by nvcc|left out, NVRTC) \d")

    def test_a_changed_header_changes_the_kernel(self):
        first = self.probed("program.cu", *ARGS)["cases"][0]["facts"]["ptx_sha256"]
        self.write("util.h", UTIL.replace("FACTOR 10", "FACTOR 20"))
        second = self.probed("program.cu", *ARGS)["cases"][0]["facts"]["ptx_sha256"]
        self.assertNotEqual(first, second)
        self.good("probe", "program.cu", *ARGS)
        rows = json.loads(self.good("query", "--format", "json",
                                    "SELECT name FROM included_sources ORDER BY run_id DESC"))
        self.assertEqual(rows[0]["name"], "util.h")

    def test_several_kernels_are_listed(self):
        result = self.lab("probe", "program.cu", "--grid", "1", "--block", "4")
        self.assertEqual(result.status, 2)
        self.assertIn("defines 2 kernels: name one", result.err)
        self.assertIn("__global__ void bump(float** rows)", result.err)

    def test_a_launch_that_is_left_out_shows_what_the_kernel_takes(self):
        result = self.lab("probe", "program.cu", "--kernel", "bump")
        self.assertEqual(result.status, 2)
        self.assertIn("needs --grid", result.err)
        self.assertIn("__global__ void bump(float** rows)", result.err)
        self.assertNotIn("scale", result.err, "the other kernel was not asked for")

    def test_a_kernel_that_does_not_compile_does_not_stop_another(self):
        # As a texture reference, which left CUDA with version 12: programs that have one beside other
        # kernels are still about. No compiler ever knew these names.
        self.write("old.cu", "texture_of_old<float> image;\n"
                   "__global__ void sampled(float* out) { out[0] = fetch_of_old(image, 0); }\n"
                   "__global__ void plain(float* out) { out[threadIdx.x] = 2; }\n")
        launch = ("--grid", "1", "--block", "4", "--arg", "f32[4]=zero")
        self.good("probe", "old.cu", "--kernel", "plain", *launch, "--dump", "0=out.bin")
        values = struct.unpack("4f", (self.folder / "out.bin").read_bytes())
        self.assertEqual(values, (2.0, 2.0, 2.0, 2.0))
        result = self.lab("probe", "old.cu", "--kernel", "sampled", *launch)
        self.assertEqual(result.status, 2)
        self.assertIn("old.cu(1): error", result.err)

    def test_kernels_name_types_of_the_libraries_that_a_host_calls(self):
        self.write("spectrum.cu", "#include <cufft.h>\n#include <cublas_v2.h>\n"
                   "__global__ void power(cufftReal* out, const cufftComplex* z) {\n"
                   "  cufftComplex c = z[threadIdx.x];\n"
                   "  out[threadIdx.x] = c.x * c.x + c.y * c.y;\n}\n"
                   "int main() { cufftHandle plan; cufftDestroy(plan); }\n")
        self.good("probe", "spectrum.cu", "--grid", "1", "--block", "2", "--arg", "f32[2]=zero",
                  "--arg", "f32[4]=iota", "--dump", "0=out.bin")
        # 0^2 + 1^2 and 2^2 + 3^2.
        self.assertEqual(struct.unpack("2f", (self.folder / "out.bin").read_bytes()), (1.0, 13.0))

    def test_a_kernel_that_a_condition_leaves_out(self):
        self.write("either.cu", "#ifdef WIDE\n__global__ void wide(float* a) { a[0] = 1; }\n"
                   "#endif\n__global__ void narrow(float* a) { a[0] = 2; }\n")
        launch = ("--kernel", "wide", "--grid", "1", "--block", "1", "--arg", "f32[1]=zero")
        result = self.lab("probe", "either.cu", *launch)
        self.assertEqual(result.status, 2)
        self.assertIn("defines kernel 'wide' where #if leaves it out", result.err)
        self.good("probe", "either.cu", *launch, "-D", "WIDE")

    def test_a_header_that_is_not_found_comes_first(self):
        self.write("lost.cu", "#include \"cuda_helper.h\"\n"
                   "__global__ void k(float* a) { a[CEIL(2, 1)] = 1; }\nint main() {}\n")
        launch = ("--grid", "1", "--block", "1", "--arg", "f32[2]=zero")
        result = self.lab("probe", "lost.cu", *launch)
        self.assertEqual(result.status, 2)
        self.assertTrue(result.err.startswith("error: lost.cu(1): cuda_helper.h was not found\n"),
                        result.err)
        self.assertIn("hint: -I FOLDER says where cuda_helper.h is", result.err)
        (self.folder / "inc").mkdir()
        self.write("inc/cuda_helper.h", "#define CEIL(a, b) ((a) / (b) - 1)\n")
        self.good("probe", "lost.cu", *launch, "-I", "inc")

    def test_kernels_that_macros_make_run(self):
        self.write("made.cu", "#define OP(name, op) \\\n  __global__ void name##_kernel(float* a) { \\\n"
                   "    a[threadIdx.x] = a[threadIdx.x] op 3; }\nOP(add, +)\nOP(mul, *)\n"
                   "int main() { add_kernel<<<1, 4>>>(nullptr); }\n")
        launch = ("--grid", "1", "--block", "4", "--arg", "f32[4]=iota")
        result = self.lab("probe", "made.cu", *launch)
        self.assertEqual(result.status, 2)
        self.assertIn("__global__ void mul_kernel(float* a)", result.err)
        self.good("probe", "made.cu", "--kernel", "mul_kernel", *launch, "--dump", "0=out.bin")
        values = struct.unpack("4f", (self.folder / "out.bin").read_bytes())
        self.assertEqual(values, (0.0, 3.0, 6.0, 9.0))

    def test_a_template_gets_the_arguments_of_the_files_own_launch(self):
        self.write("tile.cu", "template <typename T, int N> __global__ void tile(T* a) {\n"
                   "  a[threadIdx.x] = N; }\n"
                   "int main() { const int kEdge = 8; tile<float, kEdge><<<1, 4>>>(nullptr); }\n")
        run = self.probed("tile.cu", "--grid", "1", "--block", "4", "--arg", "f32[4]=zero")
        self.assertEqual(run["cases"][0]["kernel"], "tile<float, 8>")

    def test_shared_memory_that_was_not_given_is_named(self):
        self.write("turn.cu", "__global__ void turn(float* a) {\n"
                   "  extern __shared__ float s[];\n  s[threadIdx.x] = a[threadIdx.x];\n"
                   "  __syncthreads();\n  a[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];\n}\n"
                   "int main() { turn<<<1, 32, 32 * sizeof(float)>>>(nullptr); }\n")
        launch = ("--grid", "1", "--block", "32", "--arg", "f32[32]=iota")
        result = self.lab("probe", "turn.cu", *launch)
        self.assertEqual(result.status, 2)
        self.assertIn("turn uses dynamic shared memory (extern __shared__), and --shared was not "
                      "given", result.err)
        # 32 floats of 4 bytes.
        self.assertIn("turn.cu(7) launches it with 32 * sizeof(float): --shared 128", result.err)
        self.good("probe", "turn.cu", *launch, "--shared", "128")
        self.assertEqual(self.lab("probe", "turn.cu", *launch, "--shared", "0").status, 1)

    def test_a_second_kernel_of_a_file_is_not_compiled_again(self):
        # Nothing is compiled where the compiler's folder of results has the file's.
        def entries():
            return sorted(path.name for path in cache.rglob("*") if path.is_file())
        cache = self.folder / "cache"
        self.write("two.cu", "__global__ void one(int* a) { a[0] = 1; }\n"
                   "__global__ void two(int* a) { a[0] = 2; }\n")
        launch = ("--grid", "1", "--block", "1", "--arg", "i32[1]=zero")
        environment = self.environment(XDG_CACHE_HOME=str(cache))
        self.good("probe", "two.cu", "--kernel", "one", *launch, env=environment)
        before = entries()
        self.assertEqual(len(before), 1)
        self.good("probe", "two.cu", "--kernel", "two", *launch, env=environment)
        self.assertEqual(entries(), before)

    @unittest.skipIf(os.environ.get("LAB_SANITIZED"), "a sanitizer's program needs more memory")
    def test_a_large_file_is_not_held_many_times(self):
        # A program and its worker take under 100 MB each without it. Of the 40 MB of the file each
        # holds three at most: while it is written, the buffer, the message and the message's bytes.
        self.write("first.cu", "__global__ void first(const char* a, char* b) { b[0] = a[0]; }\n")
        (self.folder / "large.bin").write_bytes(bytes(40_000_000))
        measure = ("import resource, subprocess, sys\n"
                   "status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode\n"
                   "print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n")
        result = subprocess.run(
            [sys.executable, "-c", measure, LAB, "probe", "first.cu", "--grid", "1", "--block", "1",
             "--backend", "model", "--arg", "u8[40000000]=@large.bin", "--arg", "u8[1]=zero"],
            cwd=self.folder, env=self.environment(), capture_output=True, check=True, text=True)
        status, kilobytes = map(int, result.stdout.split())
        self.assertEqual(status, 0, result.stderr)
        self.assertLess(kilobytes, 100_000 + 3 * 40_000)

    def test_map_and_explain_take_files(self):
        words = ("program.cu", "--kernel", "bump", "--grid", "2", "--block", "4",
                 "--arg", "ptr[2]={f32[4]=iota, f32[4]=zero}")
        self.assertIn("program.cu:12", self.good("map", *words))
        self.assertIn("rows[blockIdx.x]", self.good("explain", *words))

    def test_halves_of_a_warp_that_name_themselves_are_no_race(self):
        self.write("halves.cu", HALVES)
        run = self.probed("halves.cu", "--grid", "1", "--block", "32", "--arg", "i32[32]=zero",
                          "--check", "full")
        self.assertEqual(run["cases"][0]["findings"], [])
        self.write("halves.cu", HALVES.replace("lane ^ 1", "lane ^ 16"))
        result = self.lab("probe", "halves.cu", "--grid", "1", "--block", "32",
                          "--arg", "i32[32]=zero", "--check", "full")
        self.assertEqual(result.status, 1, "the other half's words are not ordered")


if __name__ == "__main__":
    unittest.main()
