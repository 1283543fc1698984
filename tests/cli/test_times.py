"""Expected times of runs that use no GPU, beside what an H200 took (tests/fixtures/h200)."""
import html
import itertools
import json
import re
import sqlite3
import tarfile
import unittest

from support import LabTest, ROOT, needs_toolkit

# Cases of the fixture, as few as show the lab's lesson and as small as the model runs in seconds.
ASKED = {
    1: [("load,store", ["n=4194304", "stride=16"]), ("load", ["n=8388608", "stride=8"]),
        ("gather", ["n=2^24", "run=1,8"])],
    2: [("update_aos,update_soa,update_float4,field_soa,numbers_split,mixed_aos", ["n=2^22"]),
        ("field_aos", ["n=2^22", "fields=1,8,16"]), ("numbers_one", ["n=2^22", "words=2,4"])],
    4: [("read_coalesced,write_coalesced,shared_load,shared_load_O0,padded,copy_wide", ["rows=4096", "cols=4096"])],
    8: [("thread_per_row,warp_per_row,column_major", ["rows=8192", "cols=8192"])],
    10: [("strides", ["n=2^22", "stride=1,4,16"]), ("strides", ["n=2^21", "stride=64"]),
         ("chase", ["lines=64,65536"]), ("chase_shared", [])],
}


@needs_toolkit
class Times(LabTest):
    def measured(self):
        """{(lab, variant, parameters): ns} of the fixture."""
        with tarfile.open(ROOT / "tests/fixtures/h200/h200.db.tar.xz") as archive:
            (self.folder / "h200.db").write_bytes(archive.extractfile("h200.db").read())
        with sqlite3.connect(self.folder / "h200.db") as database:
            rows = database.execute("SELECT r.lab, c.variant, c.params, t.median_ns FROM runs r JOIN cases c ON"
                                    " c.run_id = r.id JOIN timings t ON t.case_id = c.id").fetchall()
        return {(lab, variant, json.dumps(json.loads(params), sort_keys=True)): ns for lab, variant, params, ns in rows}

    def expected(self, lab, variants, params):
        words = [word for param in params for word in ("--param", param)]
        found = {}
        for case in self.json("run", str(lab), "--variant", variants, "--no-store", *words)["runs"][0]["cases"]:
            self.assertEqual(case["status"], "ok", case["reason"])
            found[lab, case["variant"], json.dumps(case["params"], sort_keys=True)] = case["expected_time"]
        return found

    def test_come_in_the_order_in_which_an_h200_measured_them(self):
        measured = self.measured()
        for lab, asked in ASKED.items():
            times = {}
            for variants, params in asked:
                times.update(self.expected(lab, variants, params))
            both = [(measured[case], time["ns"], case) for case, time in times.items() if case in measured]
            self.assertGreaterEqual(len(both), 3, lab)
            for a, expected_a, case_a in both:
                for b, expected_b, case_b in both:
                    if a > 1.2 * b:  # most times are within 15 % of what is expected
                        self.assertGreater(expected_a, expected_b, (case_a, case_b))

    def test_screens_have_the_times_of_a_gpu_s_sizes_in_that_order(self):
        # Rows run at small sizes, where the launch is most of the time. The larger ones are not stored as cases.
        measured = self.measured()
        for lab in ASKED:
            run = self.json("run", str(lab))["runs"][0]
            rows = [(measured.get((lab, row["variant"], json.dumps(row["params"], sort_keys=True))), row)
                    for row in run["at_gpu_size"]]
            both = [(took, row["expected_time"]["ns"], row) for took, row in rows if took]
            self.assertGreaterEqual(len(both), 3, (lab, rows))
            print(lab, [(round(took / 1000, 1), round(ns / 1000, 1)) for took, ns, _ in both])
            for a, expected_a, row_a in both:
                for b, expected_b, row_b in both:
                    if a > 1.2 * b:
                        self.assertGreater(expected_a, expected_b, (row_a, row_b))
            self.assertEqual(self.json("query", f"SELECT count(*) n FROM lab{lab} WHERE params LIKE '%4194304%'")[0]["n"], 0)
        self.assertEqual(self.json("run", "4", "--variant", "padded")["runs"][0]["at_gpu_size"], [])

    def test_screen_report_and_query_have_the_same_times(self):
        for lab in ASKED:
            screen = self.good("run", str(lab), env=self.environment(COLUMNS="80"))
            stored = self.json("query", "SELECT variant, ns FROM larger_times WHERE run_id ="
                                        " (SELECT max(id) FROM runs) ORDER BY seq")
            self.assertGreaterEqual(len(stored), 3, lab)
            page = html.unescape(re.sub(r"<[^>]*>", " ", self.good("report", "--output", "-")))
            page = " ".join(page.split())
            lines = screen.splitlines()
            first = next(i for i, line in enumerate(lines) if re.match("  (us|GB/s): ", line))
            # To the first line that is none of a sentence: empty, or a number's derivation in columns.
            said = " ".join(line.strip() for line in itertools.takewhile(
                lambda line: line.strip() and "  " not in line.strip(), lines[first:]))
            for sentence in re.split(r"(?<=\.) ", said):
                self.assertIn(sentence, page)
            if not said.startswith("us"):
                continue
            # Three digits, or whole microseconds: 264.7 is 265.
            shown = [f"{us:,.0f}" if us >= 100 else f"{us:.3g}" for us in (row["ns"] / 1000 for row in stored)]
            times = re.findall(r"^  \w.* ([\d,.]+)(?: <--)?(?: +#+)?$", screen, re.M)
            self.assertEqual(times[:len(shown)], shown, screen)
            for time in shown:
                self.assertIn(f" {time} ", page)

    def test_a_naive_transpose_is_slow_wherever_it_is_shown(self):
        # An H200 took 263.3 and 38.7 us: bounds were 28 us for both.
        size = ["--param", "rows=4096", "--param", "cols=4096"]
        text = self.good("run", "4", "--variant", "read_coalesced,padded", *size, env=self.environment(COLUMNS="80"))
        self.assertRegex(text, r"expected on an H200\n.* us\n")
        self.assertNotIn("needed", text)
        naive, padded = [float(re.search(fr"\n  {name} .* ([\d.]+)\n", text)[1]) for name in ("read_coalesced", "padded")]
        self.assertAlmostEqual(naive, 263.3, delta=0.15 * 263.3)
        self.assertAlmostEqual(padded, 38.7, delta=0.15 * 38.7)
        rows = self.json("query", "SELECT variant, expected_us, sets, expected_on FROM lab4 ORDER BY expected_us DESC")
        self.assertEqual([(row["variant"], row["sets"], row["expected_on"]) for row in rows],
                         [("read_coalesced", "L2 stores", "NVIDIA H200"), ("padded", "DRAM", "NVIDIA H200")])
        case = self.json("compare", "last")["runs"][0]["cases"][0]["expected_time"]
        self.assertEqual(case["ns"], rows[0]["expected_us"] * 1000)
        self.assertRegex(case["text"], "^2[0-9]{2} us on an H200.*: a store touches 32 lines and fills its sectors to 13 %")
        self.good("report", "last", "--output", "r.html")
        page = (self.folder / "r.html").read_text()
        self.assertIn("expected on an H200", page)
        self.assertIn("a store touches 32 lines and fills its sectors to 13 %", page)

    def test_the_gpu_may_be_chosen_by_its_name(self):
        words = ["run", "4", "--variant", "padded", "--param", "rows=4096", "--param", "cols=4096"]
        times = {}
        for name in ("A100", "T4", "H200"):
            run = self.json(*words, "--gpu", name)["runs"][0]
            times[name] = run["cases"][0]["expected_time"]
            self.assertFalse(times[name]["calibrated"])
        # 134 MB at 2039 and at 320 GB/s of pins, 0.87 of that: 76 and 482 us, and the launch.
        self.assertAlmostEqual(times["A100"]["ns"] / 1000, 79, delta=8)
        self.assertAlmostEqual(times["T4"]["ns"] / 1000, 485, delta=30)
        self.assertIn("on an A100 80GB (data sheet: not calibrated): ", times["A100"]["text"])
        self.assertIn("on an H200, within 11 % (data sheet: not calibrated): ", times["H200"]["text"])
        self.assertEqual(self.json("query", "SELECT expected_on FROM lab4 ORDER BY run")[1]["expected_on"], "Tesla T4")
        self.fails(2, "error: no data sheet of a GPU 'A10'\nhint: did you mean 'A100'?\n", *words, "--gpu", "A10")

    def test_what_cannot_be_expected_has_a_reason(self):
        case = self.json("run", "4", "--variant", "geam")["runs"][0]["cases"][0]["expected_time"]
        self.assertEqual((case["ns"], case["sets"], case["reason"]), (None, None, "the model did not run it"))
        self.assertEqual(case["text"], "no time is expected: the model did not run it")


    # Facts of a time are those of the whole launch, whichever blocks were looked at more closely.

    def time_of(self, kernel, grid, block, *arguments, text):
        path = self.write("kernel.cu", text)
        words = [word for argument in arguments for word in ("--arg", argument)]
        run = self.json("probe", str(path), "--kernel", kernel, "--grid", str(grid), "--block", str(block), *words, "--check", "off",
                        "--db", "times.db")["runs"][0]
        return run["cases"][0]["expected_time"]

    def facts(self, columns):
        """Of the newest case."""
        with sqlite3.connect(self.folder / "times.db") as database:
            return database.execute(f"SELECT {columns} FROM kernel_facts ORDER BY case_id DESC LIMIT 1").fetchone()

    def test_blocks_that_do_little_do_not_stand_for_all(self):
        text = """extern "C" __global__ void late(float* o) {
          int i = blockIdx.x * 256 + threadIdx.x;
          float s = 1;
          for (int k = 0; k < (SHORT ? 2 : 2000); ++k) s = s * 1.01f + i;
          o[i] = s;
        }"""
        # One in a, of 4096 blocks, runs 2000 rounds of at least one instruction; 8 warps on each.
        for short, long_blocks in (("blockIdx.x % 64 < 8 || blockIdx.x < 256 || blockIdx.x > 3800", 4096 * 0.8), ("blockIdx.x < 4000", 95),
                                   ("blockIdx.x % 2", 2048), ("blockIdx.x > 200", 201)):
            self.time_of("late", 4096, 256, "f32[1048576]=zero", text=text.replace("SHORT", short))
            instructions = self.facts("instructions")[0]
            self.assertGreater(instructions, 2000 * long_blocks / 4096 * 0.9, short)
            self.assertLess(instructions, 2000 * long_blocks / 4096 * 4 + 60, short)

    def test_what_the_launch_leaves_is_not_what_it_met(self):
        text = """extern "C" __global__ void once(float* out) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (out[i] == 0) out[i] = 1;
        }
        extern "C" __global__ void ever(float* out) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (out[i] == 0) out[i] = 0.0f * i;
        }"""
        times = []
        for kernel in ("once", "ever"):
            times.append(self.time_of(kernel, 4096, 256, "f32[1048576]=zero", text=text)["ns"])
            self.assertEqual(self.facts("stores")[0], 1, kernel)
        self.assertAlmostEqual(times[0] / times[1], 1, delta=0.02)

    def test_no_loop_is_lost(self):
        # 128 rounds for each thread: 64 multiplications and additions for the sum, 128 for the output.
        text = """extern "C" __global__ void attention(const float* __restrict__ q, const float* __restrict__ k, float* o, int seq) {
          __shared__ float ks[32][64];
          BASE base = (BASE)blockIdx.y * seq * 64;
          int row = blockIdx.x * 64 + threadIdx.x;
          float qr[64], acc[64], m = -1e30f, l = 0;
        #pragma unroll
          for (int i = 0; i < 64; ++i) qr[i] = q[base + (BASE)row * 64 + i], acc[i] = 0;
          for (int t = 0; t < seq; t += 32) {
            for (int i = threadIdx.x; i < 2048; i += 64) ks[i / 64][i % 64] = k[base + t * 64 + i];
            __syncthreads();
            for (int j = 0; j < 32; ++j) {
              float s = 0;
        #pragma unroll
              for (int i = 0; i < 64; ++i) s += qr[i] * ks[j][i];
              float m2 = fmaxf(m, s), c = __expf(m - m2), p = __expf(s - m2);
              l = l * c + p;
        #pragma unroll
              for (int i = 0; i < 64; ++i) acc[i] = acc[i] * c + p * ks[j][i];
              m = m2;
            }
            __syncthreads();
          }
        #pragma unroll
          for (int i = 0; i < 64; ++i) o[base + (BASE)row * 64 + i] = acc[i] / l;
        }"""
        for base in ("size_t", "int"):
            self.time_of("attention", "2,1", 64, "f32[8192]=random:1", "f32[8192]=random:2", "f32[8192]=zero", "i32=128",
                         text=text.replace("BASE", base))
            instructions, barriers = self.facts("instructions, barriers")
            self.assertGreater(instructions, 128 * 192, base)
            self.assertLess(instructions, 2 * 128 * 192, base)
            self.assertEqual(barriers, 8, base)

    def test_a_load_that_one_thread_makes_for_its_block_is_waited_for(self):
        text = """extern "C" __global__ void add(int* y, const int* __restrict__ sums) {
          __shared__ int off;
          if (threadIdx.x == 0) off = blockIdx.x ? sums[blockIdx.x - 1] : 0;
          __syncthreads();
          y[blockIdx.x * 512 + threadIdx.x] += off;
        }"""
        self.time_of("add", 256, 512, "i32[131072]=iota", "i32[256]=iota", text=text)
        self.assertAlmostEqual(self.facts("global_rounds")[0], 2, delta=0.05)

    def test_a_histogram_waits_for_parts_of_l2(self):
        # 4096 blocks of 256 threads add to 256 counters: a KiB, which is in two parts of L2, takes twice as long as one in four.
        text = """extern "C" __global__ void count(const unsigned* x, unsigned* h, unsigned mask, unsigned step) {
          atomicAdd(&h[(x[blockIdx.x * 256 + threadIdx.x] & mask) * step], 1u);
        }"""
        arguments = ("u32[1048576]=random:1", "u32[65536]=zero")
        one = self.time_of("count", 4096, 256, *arguments, "u32=0", "u32=1", text=text)
        self.assertEqual(one["sets"], "one address")
        # All lanes on one word take turns: 1,048,576 times 0.73 ns.
        self.assertAlmostEqual(one["ns"] / (1048576 * 0.733), 1, delta=0.03)
        # 3.8 additions per ns were measured for 256 words of one KiB, 11.6 for 1024 of four.
        for bins, rate in ((256, 3.81), (1024, 11.63)):
            ns = self.time_of("count", 4096, 256, *arguments, f"u32={bins - 1}", "u32=1", text=text)["ns"]
            self.assertAlmostEqual((ns - 3500) * rate / 1048576, 1, delta=0.15)

    def test_managed_memory_is_expected_without_its_pages_moving(self):
        program = """#include <cstdio>
        __global__ void twice(float* x) { x[blockIdx.x * 256 + threadIdx.x] *= 2; }
        int main() {
          float* x;
          ALLOCATE(&x, 1 << 20);
          cudaMemset(x, 0, 1 << 20);
          twice<<<1024, 256>>>(x);
          cudaDeviceSynchronize();
          cudaFree(x);
        }"""
        for allocate, said in (("cudaMallocManaged", True), ("cudaMalloc", False)):
            self.write("program.cu", program.replace("ALLOCATE", allocate))
            case = self.json("exec", "program.cu", "--no-store")["runs"][0]["cases"][0]
            self.assertEqual("without page migration" in case["expected_time"]["text"], said, allocate)


if __name__ == "__main__":
    unittest.main()
