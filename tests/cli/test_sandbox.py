"""What a kernel of someone else's can reach: nothing but the toolkit's headers and its own."""
import ctypes
import json
import os
import re
import shutil
import unittest

from support import LAB, LabTest, needs_toolkit

PROBE = ("--kernel", "k", "--grid", "1", "--block", "32", "--arg", "f32[32]=zero", "--no-store")
PLAIN = 'extern "C" __global__ void k(float* out) { out[threadIdx.x] = 7; }\n'


def landlock_version():
    # landlock_create_ruleset(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION)
    return ctypes.CDLL(None).syscall(444, None, 0, 1)


@needs_toolkit
@unittest.skipUnless(landlock_version() >= 1, "this kernel has no Landlock")
class Sandbox(LabTest):
    def environment(self, **more):
        # A cache of its own: what is found there was compiled without the attack.
        return super().environment(XDG_CACHE_HOME=str(self.folder / "cache"), **more)

    def probe(self, text, *words, name="k.cu", **how):
        self.write(name, text)
        return self.lab("probe", name, *PROBE, *words, **how)

    def test_includes_of_others_files(self):
        secret = self.write("secret.txt", "float secret_of_the_grader = 42;\n")
        (self.folder / "bob.cu").write_text('__device__ float solution() { return 42; }\n')
        (self.folder / "link.h").symlink_to(secret)
        for name in ("/etc/passwd", "/proc/self/environ", "/proc/self/maps", "/proc/1/cmdline",
                     "secret.txt", "bob.cu", "./bob.cu", "link.h", "../../../../etc/passwd",
                     str(secret), "/dev/stdin"):
            # A name that a macro makes is the compiler's alone to read.
            for line in ('#include "{}"', "#include <{}>", '#define F "{}"\n#include F'):
                text = f"{line.format(name)}\n{PLAIN}"
                result = self.probe(text, env=self.environment(GRADERS_KEY="sesame-4711"))
                # What is not to be had is left out, as a host's header is: the rest may compile.
                self.assertIn(result.status, (0, 2), (name, result))
                for told in ("root:", "sesame", "secret_of", "solution"):
                    self.assertNotIn(told, result.out + result.err)

    def test_a_solution_is_not_to_be_had_by_include(self):
        (self.folder / "bob.cu").write_text("__device__ float solution() { return 42; }\n")
        kernel = 'extern "C" __global__ void k(float* out) { out[threadIdx.x] = solution(); }\n'
        for name in ("bob.cu", "./bob.cu", str(self.folder / "bob.cu")):
            result = self.probe(f'#include "{name}"\n' + kernel)
            self.assertEqual((result.status, result.out), (2, ""), (name, result))
            self.assertRegex(result.err, 'identifier "solution" is undefined|Permission denied')

    def test_a_folder_that_is_searched_is_closed_too(self):
        (self.folder / "deep").mkdir()
        (self.folder / "deep" / "x.cu").write_text("#define V 1\n")
        result = self.probe('#include "deep/x.cu"\nextern "C" __global__ void k(float* out) '
                            "{ out[threadIdx.x] = V; }\n")
        self.assertEqual(result.status, 2, result)

    def test_headers_are_not_read_from_anywhere(self):
        # A header by its ending, of others all the same: what lies far away, or behind a link.
        for folder in ("proj/a/b/c/d", "bob"):
            (self.folder / folder).mkdir(parents=True)
        self.write("bob/sol.cuh", "#define SOLUTION 271828182\n")
        (self.folder / "proj/a/b/c/d/link").symlink_to(self.folder / "bob")
        kernel = 'extern "C" __global__ void k(float* out) { out[threadIdx.x] = SOLUTION; }\n'
        where = self.folder / "proj/a/b/c/d"
        far = "../" * 5 + "bob/sol.cuh"
        for name in (far, str(self.folder / "bob/sol.cuh"), "link/sol.cuh"):
            (where / "k.cu").write_text(f'#include "{name}"\n{kernel}')
            result = self.lab("probe", "k.cu", *PROBE, folder=where)
            self.assertEqual((result.status, result.out), (2, ""), (name, result))
            self.assertIn('identifier "SOLUTION" is undefined', result.err)
            self.assertNotIn("271828182", result.err)
        # A folder that the user names is the user's choice.
        (where / "k.cu").write_text('#include "sol.cuh"\n' + kernel)
        result = self.lab("probe", "k.cu", *PROBE, "-I", str(self.folder / "bob"), folder=where)
        self.assertEqual(result.status, 0, result)

    def test_a_header_beside_ones_own_folder_is_found(self):
        (self.folder / "kernels").mkdir()
        self.write("common.h", "#define VALUE 7\n")
        self.write("kernels/k.cu", '#include "../common.h"\nextern "C" __global__ void k(float* out) '
                                   "{ out[threadIdx.x] = VALUE; }\n")
        for words in (("kernels/k.cu",), (str(self.folder / "kernels/k.cu"),), ("kernels/../kernels/k.cu",)):
            self.assertEqual(self.lab("probe", *words, *PROBE).status, 0, words)
        self.assertEqual(self.lab("probe", "k.cu", *PROBE, folder=self.folder / "kernels").status, 0)

    def test_the_compiler_does_not_tell_which_files_there_are(self):
        # A macro's name reaches NVRTC, which asks the system for it in the box.
        self.write("there.h", "#define X 1\n")
        (self.folder / "folder").mkdir()
        texts = []
        for name in ("there.h", "folder", "there.h/x", "nothing.h"):
            path = self.folder / "far/../" / name
            result = self.probe(f'#define P "{path}"\n#include P\n{PLAIN}')
            self.assertEqual((result.status, result.out), (2, ""), result)
            texts.append(result.err.replace(str(path), "PATH"))
            asked = f'#if __has_include("{path}")\n#error there is one\n#endif\n{PLAIN}'
            self.assertEqual(self.probe(asked).status, 0, name)
        self.assertEqual(len(set(texts)), 1, texts)

    def test_all_labs_run_in_the_box_as_without(self):
        # The box allows a list of system calls: what a lab needs and the list lacks would be seen.
        def closing(number, *more):
            out = self.good("run", number, "--no-store", *more, env=self.environment())
            return re.search(r"^\d+ cases: .*$", out, re.M)[0]
        for lab in self.json("list")["labs"]:
            boxed = closing(lab["number"])
            shutil.rmtree(self.folder / "cache", ignore_errors=True)
            self.assertEqual(boxed, closing(lab["number"], "--no-sandbox"), lab["number"])

    def test_headers_of_ones_own_are_found(self):
        (self.folder / "inner").mkdir()
        self.write("mine.cuh", '#pragma once\n#include "inner/more.h"\n')
        self.write("inner/more.h", "#define VALUE 7\n")
        result = self.probe('#include "mine.cuh"\nextern "C" __global__ void k(float* out) '
                            "{ out[threadIdx.x] = VALUE; }\n", "--dump", "0=out.bin")
        self.assertEqual(result.status, 0, result)
        self.write("inner/more.h", "#define VALUE \n")  # changed: it is compiled anew
        self.assertEqual(self.lab("probe", "k.cu", *PROBE).status, 2)

    def test_headers_of_the_toolkit_are_found(self):
        result = self.probe("#include <cuda_fp16.h>\n#include <cooperative_groups.h>\n" + PLAIN)
        self.assertEqual(result.status, 0, result)

    def test_without_the_box_the_same_is_reached(self):
        compilers = [c["found"] for c in self.json("doctor")["checks"] if "NVRTC" in c["found"]]
        if compilers[0].startswith("NVRTC 11."):
            self.skipTest("NVRTC 11 reads no file by an absolute name")
        text = '#define F "/proc/self/comm"\n#include F\n' + PLAIN
        self.assertIn("lab-worker", self.probe(text, "--no-sandbox").err)

    def test_doctor_says_that_there_is_one(self):
        checks = {c["name"]: c["works"] for c in self.json("doctor")["checks"]}
        self.assertEqual(checks["sandbox"], "yes")

    def test_a_compile_bomb_is_its_sources_error(self):
        # 2^40 instantiations; 10^9 words of macros. Half a minute of a person's time each: here
        # the system allows five seconds.
        bombs = {
            "templates": "template <int N, int M> struct F { static const int v = F<N - 1, 2 * M>::v"
                         " + F<N - 1, 2 * M + 1>::v; };\ntemplate <int M> struct F<0, M> "
                         "{ static const int v = M; };\n__device__ int x = F<40, 0>::v;\n" + PLAIN,
            "macros": "#define A xxxxxxxxxx\n" + "".join(
                f"#define {b} {(a + ' ') * 10}\n" for a, b in zip("ABCDEFGHI", "BCDEFGHIJ")) +
                      "const char* s = J;\n" + PLAIN,
        }
        for name, text in bombs.items():
            # Five for the compiler, and what the others take.
            with self.spends_at_most(20):
                result = self.probe(text, prefix=("bash", "-c", 'ulimit -t 5; exec "$@"', "bash"))
            self.assertEqual((result.status, result.out), (2, ""), (name, result.err[:400]))
            self.assertIn("error: k.cu", result.err)

    def test_a_flood_of_printf_is_bounded(self):
        flood = ('#include <cstdio>\nextern "C" __global__ void k(float* out) {\n'
                 '  for (int i = 0; i < 20000; ++i) printf("%d of a flood that never ends\\n", i);\n}\n')
        self.write("flood.cu", flood)
        result = self.lab("probe", "flood.cu", *PROBE, "--json")
        self.assertIn(result.status, (0, 1), result.err[:300])
        self.assertLess(len(result.out), 200_000)

    def test_the_same_text_gives_the_same_bytes_anywhere(self):
        shas = set()
        for i, folder in enumerate(("a", "b/c")):
            where = self.folder / folder
            where.mkdir(parents=True)
            (where / "k.cu").write_text(PLAIN)
            os.utime(where / "k.cu", (1000 + i, 1000 + i))
            env = self.environment()
            env["XDG_CACHE_HOME"] = str(where / "cache")
            result = self.lab("probe", "k.cu", *PROBE, "--json", folder=where, env=env)
            self.assertEqual(result.status, 0, result)
            shas.add(json.loads(result.out)["runs"][0]["cases"][0]["facts"]["cubin_sha256"])
        self.assertEqual(len(shas), 1)


if __name__ == "__main__":
    unittest.main()
