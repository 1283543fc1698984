"""Advice after a run: 148 kernels with one planted fault each, the same cured, and 112 with none."""
import concurrent.futures
import json
import re
import sys
import unittest

from support import LabTest, ROOT, needs_toolkit, nvrtc_version

sys.path.insert(0, str(ROOT / "tests/cli/advice"))
from planted import good_kernels, pairs  # pylint: disable=wrong-import-position

# What advice of a rule says, whatever the numbers.
WORDS = {"per_block": "once per warp", "histogram": "A histogram per block|a histogram per block", "private_tile": "nothing is exchanged",
         "tile_reloads": "Read it there", "needless_waits": "where nobody writes", "shared_conflicts": "words of bank", "strided": "bytes apart", "structures": "structure of arrays",
         "misaligned": "into a sector", "scattered": "in no order", "same_address": "change|adds",
         "partial_warps": r"lanes( work|\.)", "local_memory": "local memory, which goes through L1 and L2 to DRAM",
         "block_shape": "a warp is one row", "vectors": "at once", "narrow": "neighbours at once", "reuse": "tile",
         "reloads": "into a register", "accumulates_in_memory": "in a register", "constant_lanes": "different constants",
         "double_arithmetic": "0.5f", "idle_threads": "threads work", "unwritten": "nobody writes",
         "return_before_barrier": "let every thread reach"}
# The metrics of which a cure saves what advice says, by its unit.
UNITS = {"wavefronts": ("shared_load_wavefronts", "shared_store_wavefronts", "shared_atomic_wavefronts"),
         "sectors": ("global_load_sectors", "global_store_sectors"),
         "requests": ("global_load_requests", "global_store_requests"),
         "local requests": ("local_load_requests", "local_store_requests")}
# What is true as well of a planted fault, told after it.
ALSO = {"product_reads_columns_of_a": ["reuse"], "matMulSwapped": ["reuse"], "tenByTen": ["partial_warps"],
        "bankOfFilters": ["structures"],
        # Each thread reads its own word back, and one sum per warp goes to global memory.
        "shared_stride_two": ["private_tile"], "returns_before_a_barrier": ["private_tile"],
        "returns_at_the_edge": ["private_tile"], "laterWarpsConflict": ["tile_reloads"], "histogramOfBytes": ["narrow"]}

# Of these NVRTC 11 makes other code than 12 and 13: it has no branch in the first.
OF_NVRTC_11 = {"evenOdd", "bigStack", "reduceNeighboredLess"}


@needs_toolkit
class Advice(LabTest):
    def probed(self, kernel):
        """The case of one kernel, with the bytes that it leaves in its last array."""
        given = [word for option, word in zip(kernel.launch, kernel.launch[1:]) if option == "--arg"]
        arrays = [n for n, word in enumerate(given) if "[" in word]
        output = self.folder / f"{kernel.file}.{kernel.name}.bin"
        printed = self.good("probe", *kernel.words(), "--dump", f"{arrays[-1]}={output}", "--threads", 1,
                            "--no-store", "--json")
        return json.loads(printed)["runs"][0]["cases"][0], output.read_bytes()

    def all_probed(self, those):
        with concurrent.futures.ThreadPoolExecutor(2) as two:
            return list(two.map(self.probed, those))

    def test_a_planted_fault_is_named_and_its_cure_gains_what_advice_says(self):
        both = pairs()
        self.assertEqual(len(both), 148)
        faults = self.all_probed(fault for fault, _ in both)
        cures = self.all_probed(cure for _, cure in both)
        missed = []
        for (fault, cure), (before, was), (after, now) in zip(both, faults, cures):
            if fault.name in OF_NVRTC_11 and nvrtc_version() == 11:
                continue
            with self.subTest(fault.name):
                first = before["advice"][0] if before["advice"] else {}
                named = first and (first["line"] or 0) == fault.line
                if (not named or first["rule"] != fault.rule or
                        not re.search(WORDS[fault.rule], f"{first['finding']}. {first['cure']}")):
                    missed.append(f"{fault.name}, line {fault.line}, {fault.rule}: {first}")
                    continue
                self.assertEqual([one["rule"] for one in before["advice"][1:]], ALSO.get(fault.name, []))
                self.assertEqual((before["status"], after["status"]), ("ok", "ok"))
                if cure.same:
                    self.assertEqual(was, now, "the cure writes something else")
                self.assertNotIn(first["rule"], [one["rule"] for one in after["advice"]], "the cure is told again")
                if first["unit"] in UNITS:
                    # What the model counts of the unit's metrics in both.
                    counted = [sum(case["metrics"][metric]["model"] or 0 for metric in UNITS[first["unit"]])
                               for case in (before, after)]
                    # To the digit where it was tried on the fault's own accesses.
                    if first["proof"] == "tried":
                        self.assertEqual(counted[0] - counted[1], first["saved"], fault.name)
                    else:
                        self.assertAlmostEqual(counted[0] - counted[1], first["saved"], delta=0.05 * first["saved"])
                if first["known"] != "unknown":
                    # Expected anew of the cured kernel.
                    gained = 1 - after["filled_ns"] / before["filled_ns"]
                    near = 0.15 * max(gained, first["gain"], 0.1)
                    grown = (after["metrics"]["instructions"]["model"] /
                             before["metrics"]["instructions"]["model"])
                    # A cure that has more instructions, such as for i + i / 32, may gain less than was said, and
                    # one that has fewer, or other blocks, more.
                    if grown <= 1.02:
                        self.assertGreaterEqual(gained, first["gain"] - near)
                    if grown >= 1 and cure.launch == fault.launch:
                        self.assertLessEqual(gained, first["gain"] + near)
        # Five may be told otherwise; today none is.
        self.assertEqual(missed, [])

    def test_good_kernels_are_left_alone(self):
        good = good_kernels()
        self.assertEqual(len(good), 112)
        with concurrent.futures.ThreadPoolExecutor(2) as two:
            texts = list(two.map(lambda kernel: self.good("probe", *kernel.words(), "--no-store"), good))
        for kernel, printed in zip(good, texts):
            with self.subTest(kernel.name):
                self.assertIn("found none worth a change", " ".join(printed.split()))

    def test_what_was_not_counted_may_cost_anything(self):
        # PTX alone does not say which stores the compiler makes of a matrix.
        self.write("tile.ptx", """.version 8.0
.target sm_90
.address_size 64
.visible .entry tile(.param .u64 out) {
.reg .b64 %rd<3>; .reg .f32 %f<2>;
ld.param.u64 %rd1, [out];
cvta.to.global.u64 %rd2, %rd1;
mov.f32 %f1, 0f3F800000;
wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd2], {%f1, %f1, %f1, %f1, %f1, %f1, %f1, %f1};
ret; }
""")
        said = self.good("probe", "tile.ptx", "--kernel", "tile", "--grid", 1, "--block", 32, "--arg", "f32[256]=zero",
                         "--no-store")
        self.assertIn("Nothing to say about accesses that were not counted: tile.ptx:9: wmma.store", said)
        self.assertNotIn("found none", said)
        self.assertRegex(said, r"global_store_requests +- ")

    def test_a_large_launch_has_advice_and_no_all_clear(self):
        # 32,768 warps that go round 400 times are more than 50 million instructions.
        self.write("large.cu", """__global__ void strided(const float* in, float* out, int rounds) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < rounds; ++k) {
    sum += in[(8 * i + k) & 0xfffff];
  }
  out[i] = sum;
}
__global__ void one_works(float* out, int rounds) {
  float sum = 0;
  if (threadIdx.x % 256 != 7) return;
  for (int k = 0; k < rounds; ++k) {
    sum = sum * 1.5f + k;
  }
  out[blockIdx.x] = sum;
}
""")
        words = ("probe", "large.cu", "--grid", 4096, "--block", 256, "--no-store", "--kernel")
        said = self.good(*words, "strided", "--arg", "f32[1048576]=zero", "--arg", "f32[1048576]=zero",
                         "--arg", "i32=400")
        # Lanes 32 bytes apart: each in a sector of its own.
        self.assertRegex(said, r"What to change:\n  large\.cu:5 .*\n    neighbouring lanes are 32 bytes apart")
        # Of a sample nobody knows what all threads do.
        said = self.good(*words, "one_works", "--arg", "f32[4096]=zero", "--arg", "i32=6000")
        self.assertNotIn("found none", said)

    def test_the_text_says_where_and_what_stays(self):
        fault = {fault.name: fault for fault, _ in pairs()}
        said = " ".join(self.good("probe", *fault["naive_transpose"].words(), "--no-store").split())
        place = f"faults.cu:{fault['naive_transpose'].line} out[x * n + y + j] = v;"
        self.assertIn(place, said)
        # 65,536 sectors are stored where 262,144 bytes fill 8,192; 8,192 more are loaded.
        self.assertIn("Saves 57,344 of 73,728 sectors", said)
        # No row is to be padded where each step of a tree has another stride.
        said = " ".join(self.good("probe", *fault["interleaved_strided"].words(), "--no-store").split())
        self.assertIn("Let neighbouring lanes take neighbouring words in each step (s[t] and s[t + d])", said)
        # A fifth sector in each warp's request is the next warp's first: nothing takes longer for that.
        said = " ".join(self.good("probe", *fault["misaligned_copy"].words(), "--no-store").split())
        self.assertIn("Saves 128 of 1,152 sectors; the time of many such blocks stays: what sets it is block starts.", said)
        # Nor for a store of blocks this small: of 79 ns until the next starts, L2 takes their sectors in 25.
        said = " ".join(self.good("probe", *fault["misaligned_store"].words(), "--no-store").split())
        self.assertIn("Saves 128 of 1,152 sectors; the time of many such blocks stays: what sets it is block starts.", said)
        # L1 sets the time of this one, and nobody has measured how many lines it looks up per clock.
        said = " ".join(self.good("probe", *fault["transpose_reads_columns"].words(), "--no-store").split())
        self.assertRegex(said, r"Saves [\d,]+ of [\d,]+ sectors, at most \d+ % of the expected time of many such blocks\.")


DIFF = """__global__ void diff(const float* in, float* out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) out[i] = in[i + 1] - in[i];
}
"""
LAUNCH = ("--grid", 4, "--block", 256, "--arg", "f32[1000]=iota", "--arg", "f32[1000]=zero", "--arg")


@needs_toolkit
class Probe(LabTest):
    def test_a_finding_comes_first_with_thread_element_and_cure(self):
        # Thread 1000 - 1 - 3 * 256 = 231 of the fourth block reads one element past the last.
        done = self.lab("probe", self.write("diff.cu", DIFF), *LAUNCH, "i32=1000", "--no-store")
        self.assertEqual(done.status, 1)
        self.assertIn("if (i < n) out[i] = in[i + 1] - in[i];\n"
                      "    Block 3, thread 231 reads in[1000]: in has 1,000 elements.\n"
                      "    Guard the access", done.out)
        self.assertLess(done.out.index("Block 3"), done.out.index("global_load_requests"))
        # What a kernel has none of is asked for.
        self.assertNotIn("shared_load_requests", done.out)
        done = self.lab("probe", self.write("diff.cu", DIFF), *LAUNCH, "i32=1000", "--no-store", "--metrics", "all")
        self.assertIn("shared_load_requests", done.out)

    def test_the_command_that_searches_is_whole(self):
        fault = {fault.name: fault for fault, _ in pairs()}["indices_exchanged"]
        said = self.good("probe", *fault.words(), "--no-store", env=self.environment(COLUMNS="80"))
        command = said[said.index("lab fix"):].split("\n\n")[0].replace("\\\n", " ")
        self.good(*command.replace("'", "").split()[1:])

    def test_bad_input_is_refused_and_not_stored(self):
        file = self.write("diff.cu", DIFF)
        whole = (*LAUNCH, "i32=1000")
        for words, message in (((*LAUNCH, "f32=1000"), "argument 2 is 'int n', and --arg gives it f32"),
                               (LAUNCH[:-1], "the kernel has 3 parameters, and --arg gives 2"),
                               (("--grid", 1, "--block", 2048), "--block 2048,1,1 has 2048 threads"),
                               (("--grid", "1,65536", "--block", 32), "--grid 1,65536,1 is too large"),
                               # 227 KiB and a byte.
                               ((*whole, "--shared", 232449), "--shared"),
                               ((*whole, "--symbol", "w=f32=1"),
                                "no kernel uses a __constant__ or __device__ variable 'w'")):
            done = self.lab("probe", file, *words)
            self.assertEqual(done.status, 2, done)
            self.assertIn(message, done.err)
        self.assertFalse((self.folder / "lab.db").exists())

    def test_two_files_are_compared_and_unrelated_kernels_are_not(self):
        first = self.write("a.cu", DIFF)
        second = self.write("b.cu", DIFF.replace("i + 1", "i"))
        other = self.write("c.cu", DIFF.replace("diff", "other"))
        # 32 loads less of one element each warp: 64 requests -> 32.
        said = self.good("compare", second, second, *LAUNCH, "i32=1000")
        self.assertIn("no difference", said)
        done = self.lab("compare", first, second, *LAUNCH, "i32=1000")
        self.assertRegex(done.out, r"requests, read +64 +32 ")
        self.assertNotIn("alone", done.out)
        done = self.lab("compare", second, other, *LAUNCH, "i32=1000")
        self.assertEqual(done.status, 2)
        self.assertIn("the two are of different things: diff and other", done.err)

    def test_kernels_of_one_file_are_compared_where_they_take_the_same(self):
        half = DIFF.replace("diff", "half").replace("in[i + 1] - in[i]", "in[i] / 2")
        fill = "__global__ void fill(float* out) { out[threadIdx.x] = 1; }\n"
        file = self.write("all.cu", DIFF.replace("i + 1", "i / 2") + half + fill)
        for kernel in ("half", "diff"):
            self.good("probe", file, "--kernel", kernel, *LAUNCH, "i32=1000")
        self.good("probe", file, "--kernel", "fill", "--grid", 1, "--block", 32, "--arg", "f32[32]=zero")
        self.good("probe", file, "--kernel", "half", *LAUNCH, "i32=1000")
        self.assertIn("\ndiff and half\n", self.good("compare", 2, 4))
        done = self.lab("compare", 2, 3)
        self.assertEqual(done.status, 2)
        self.assertIn("the two are of different things: diff and fill", done.err)
        # Not the run before, which is of another kernel.
        self.assertRegex(self.good("compare"), r"A: run 1 .*\nB: run 4 ")

    def test_a_kernel_that_is_called_as_a_labs_is_not_the_labs(self):
        # Lab 7 has a kernel `naive` with six parameters.
        for name in ("a.cu", "b.cu"):
            self.write(name, DIFF.replace("diff", "naive"))
        self.fails(2, "error: it is not clear of which lab 'a.cu' and 'b.cu' are\n"
                      "hint: no lab has the kernels of both: --grid, --block and --arg, as lab probe takes them, run "
                      "two files of your own\n", "compare", "a.cu", "b.cu")

    def test_the_last_two_runs_of_ones_own_file(self):
        for text in (DIFF.replace("i + 1", "i"), DIFF.replace("in[i + 1] - ", "")):
            self.good("probe", self.write("mine.cu", text), *LAUNCH, "i32=1000")
        self.assertRegex(self.good("compare"), r"A: run 1 .*\nB: run 2 ")


if __name__ == "__main__":
    unittest.main()
