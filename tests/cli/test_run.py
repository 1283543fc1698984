"""lab run, compare and probe on the model: values, JSON, kernels of a student's."""
import hashlib
import json
import math
import shutil
import struct
import unittest

from support import LabTest, ROOT, needs_toolkit

METRIC_KEYS = {"unit", "class", "theory", "theory_high", "formula", "model", "cupti", "sass", "ncu",
               "measured", "verdict", "reason", "missing"}
CASE_KEYS = {"variant", "params", "kernel", "grid", "block", "shared_bytes", "status", "correct",
             "reason", "findings", "metrics", "time"}
RUN_KEYS = {"id", "uuid", "lab", "folder", "backend", "gpu", "started_at", "status"}

STRIDE = """extern "C" __global__ void stride(const float* in, float* out, int stride, int loads) {
  __shared__ float tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < loads; ++k) sum += in[threadIdx.x * stride];
  tile[threadIdx.x] = sum;
  out[i] = tile[threadIdx.x];
}
"""


def ways(stride):
    """Words at stride s fall gcd(s, 32) to a bank; at stride 0 there is one word alone."""
    return math.gcd(stride, 32) if stride else 1


@needs_toolkit
class Run(LabTest):
    def test_theory_and_model_agree_case_by_case(self):
        run = self.json("run", "3", "--variant", "stride", "--all")["runs"][0]
        self.assertEqual([c["params"]["stride"] for c in run["cases"]], list(range(34)))
        for case in run["cases"]:
            metric = case["metrics"]["shared_load_ways"]
            expected = ways(case["params"]["stride"])
            self.assertEqual((metric["theory"], metric["model"], metric["verdict"]),
                             (expected, expected, "agrees"), case["params"])
            self.assertEqual((case["status"], case["correct"]), ("ok", True))

    def test_json_has_the_documented_keys(self):
        document = self.json("run", "3", "--variant", "stride", "--param", "stride=2")
        self.assertEqual(list(document), ["format", "runs"])
        self.assertEqual(document["format"], 1)
        run = document["runs"][0]
        self.assertEqual(set(run), {"run", "cases", "at_gpu_size"})
        self.assertLessEqual(RUN_KEYS, set(run["run"]))
        case = run["cases"][0]
        self.assertLessEqual(CASE_KEYS, set(case))
        for metric in case["metrics"].values():
            self.assertLessEqual(METRIC_KEYS, set(metric))
        self.assertEqual(case["block"], [256, 1, 1])
        self.assertEqual(case["time"], None)

    def test_options_of_the_gpu_have_their_range_on_every_machine(self):
        for option, value, range_text in (("--repeat", "0", "1 to 100"),
                                          ("--repeat", "500", "1 to 100"),
                                          ("--launches", "0", "1 to 1000000"),
                                          ("--carveout", "101", "0 to 100")):
            result = self.lab("run", "3", "--variant", "stride", option, value)
            self.assertEqual(result.status, 2, result)
            self.assertIn(range_text, result.err)

    def test_every_case_says_what_was_compiled(self):
        case = self.json("run", "3", "--variant", "stride", "--param", "stride=2")["runs"][0]["cases"][0]
        for key in ("ptx_sha256", "cubin_sha256"):
            self.assertRegex(case["facts"][key], "^[0-9a-f]{64}$")

    def test_table_has_formula_values_and_where_it_is_stored(self):
        text = self.good("run", "3", "--variant", "stride", "--param", "stride=1,2,4")
        self.assertRegex(text, r"\n  stride +1 +2 +4\n  n-way bank conflict, load +1 +2 +4\n"
                               r"  expected on an H200, us( +[0-9.]+){3}\n"
                               r"  n-way bank conflict, load = gcd\(stride, 32\)\n")
        self.assertIn("   Stored as run 1.\n", text)

    def test_telling_points_unless_all_are_asked_for(self):
        text = self.good("run", "3", "--variant", "stride", "--no-store")
        self.assertRegex(text, r"\n  stride +0 +1 +2 +3 +4 +8 +16 +31 +32 +33\n")
        self.assertIn("\n24 more cases: --all", text)
        text = self.good("run", "3", "--variant", "stride", "--all", "--no-store")
        self.assertIn("34 cases: 34 correct.", text)
        self.assertNotIn("more case", text)
        self.assertRegex(text, r"\n +5 +1 +1 .* agrees\n")  # theory and model, side by side

    def test_metrics_by_name_keep_theory_and_model(self):
        text = self.good("run", "3", "--variant", "stride", "--param", "stride=1,2,4", "--metrics",
                         "shared_load_wavefronts_sass,dram__bytes_read.sum", "--backend", "model",
                         "--no-store")
        self.assertRegex(text, r"\n  wavefronts, load, theory +4,096 +8,192 +16,384\n")
        self.assertRegex(text, r"\n  wavefronts, load, model +4,096 +8,192 +16,384\n")
        self.assertRegex(text, r"\n  dram__bytes_read\.sum, theory +- +- +-\n")
        self.assertRegex(text, r"\n  dram__bytes_read\.sum, model +- +- +-\n")
        self.assertRegex(text, r"dram__bytes_read\.sum missing: (.|\n)*not\s+measured: no GPU")

    def test_tables_fit_100_and_80_columns(self):
        for width in (100, 80):
            env = self.environment(COLUMNS=str(width))
            text = self.good("run", "3", "--variant", "stride", "--param", "stride=1,2", env=env)
            for line in text.splitlines():
                self.assertLessEqual(len(line), width, line)

    def test_sweeps(self):
        cases = self.json("run", "3", "--variant", "stride", "--param", "stride=1..32*2",
                          "--param", "loads=2,4")["runs"][0]["cases"]
        points = [(c["params"]["loads"], c["params"]["stride"]) for c in cases]
        self.assertEqual(sorted(points), sorted((n, s) for n in (2, 4) for s in (1, 2, 4, 8, 16, 32)))

    def test_several_labs_and_no_store(self):
        text = self.good("run", "3", "3", "--variant", "stride", "--param", "stride=1", "--no-store")
        self.assertEqual(text.count("Lab 3: Bank conflicts"), 2)
        self.assertFalse((self.folder / "lab.db").exists())

    def test_student_and_database_by_variable(self):
        env = self.environment(LAB_DB=str(self.folder / "class.db"))
        self.good("run", "3", "--variant", "stride", "--param", "stride=1", "--student", "Ada", env=env)
        self.assertEqual(self.count("SELECT student FROM runs", env=env), "Ada")

    def test_query_counts_what_agrees(self):
        self.good("run", "3", "--variant", "stride", "--all", "--db", "x.db")
        agreed = self.count("SELECT count(*) FROM compare WHERE lab=3 AND verdict='agrees'",
                            database="x.db")
        document = self.json("compare", "--db", "x.db")
        counted = sum(metric["verdict"] == "agrees" for case in document["runs"][0]["cases"]
                      for metric in case["metrics"].values())
        self.assertEqual(agreed, counted)
        self.assertGreater(agreed, 34 * 3)

    def test_warp_lists_accesses(self):
        case = self.json("run", "3", "--variant", "stride", "--param", "stride=2", "--warp", "0,1",
                         "--no-store")["runs"][0]["cases"][0]
        loads = [a for a in case["accesses"] if a["space"] == "shared" and a["op"] == "load"]
        self.assertTrue(loads)
        addresses = loads[0]["addresses"]
        # Lane l of warp 1 is thread 32 + l and reads word 2 * (32 + l): bytes 8 apart.
        self.assertEqual([b - a for a, b in zip(addresses, addresses[1:])], [8] * 31)
        self.assertEqual((loads[0]["wavefronts"], loads[0]["conflicts"]), (2, 1))

    def test_stored_run_equals_printed_run(self):
        printed = self.json("run", "3", "--variant", "stride", "--param", "stride=1,2")["runs"][0]
        stored = self.json("compare", "last")["runs"][0]
        for kept, shown in zip(stored["cases"], printed["cases"]):
            for key in ("params", "kernel", "grid", "status", "correct", "facts"):
                self.assertEqual(kept[key], shown[key])
            for name, metric in shown["metrics"].items():
                self.assertEqual(kept["metrics"][name]["model"], metric["model"], name)
                self.assertEqual(kept["metrics"][name]["verdict"], metric["verdict"], name)


@needs_toolkit
class StudentKernels(LabTest):
    def test_theory_is_a_target(self):
        path = self.write("mine.cu", STRIDE)
        result = self.lab("run", "3", "--variant", "stride", "--param", "stride=2", "--kernel", path)
        self.assertIn("target", result.out, result)
        self.assertIn("Lab 3: Bank conflicts, " + str(path), result.out)

    def test_wrong_output_is_status_1(self):
        self.write("mine.cu", STRIDE.replace("float sum = 0", "float sum = 1"))
        result = self.lab("run", "3", "--variant", "stride", "--param", "stride=1", "--kernel",
                          "mine.cu", "--json")
        self.assertEqual(result.status, 1, result)
        case = json.loads(result.out)["runs"][0]["cases"][0]
        self.assertEqual((case["status"], case["correct"]), ("wrong", False))
        self.assertRegex(case["reason"], r"^out\[0\]: got .*, expected .* \(4096 of 4096 differ\)$")

    def edited(self, old, new):
        """The labs' folder with lab 3's kernels edited in place."""
        labs = self.folder / "labs"
        shutil.copytree(ROOT / "labs", labs)
        path = labs / "03_bank_conflicts/kernels.cu"
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        sum_before = hashlib.sha256(text.encode()).hexdigest()
        (labs / "shipped.sums").write_text(f"{sum_before}  03_bank_conflicts/kernels.cu\n")
        path.write_text(text.replace(old, new), encoding="utf-8")
        return self.environment(LAB_PATH=str(labs))

    def test_edited_in_place_is_the_students_own(self):
        env = self.edited("__global__ void stride(", "/* mine */ __global__ void stride(")
        run = self.json("run", "3", "--variant", "stride", "--param", "stride=2", env=env)["runs"][0]
        self.assertFalse(run["run"]["source_is_labs_own"])
        self.assertEqual(run["cases"][0]["metrics"]["shared_load_ways"]["target"], 2)

    def test_edited_in_place_and_broken_is_bad_input(self):
        result = self.lab("run", "3", env=self.edited("__global__", "__golbal__"))
        self.assertEqual((result.status, result.out), (2, ""), result)
        self.assertIn("labs/03_bank_conflicts/kernels.cu does not compile\n", result.err)

    def test_a_file_replaces_only_what_it_defines(self):
        self.write("mine.cu", STRIDE)
        cases = self.json("run", "3", "--variant", "stride", "--variant", "broadcast", "--param",
                          "stride=1", "--param", "distinct=2", "--kernel",
                          "mine.cu")["runs"][0]["cases"]
        self.assertEqual([c["variant"] for c in cases], ["stride", "broadcast"])
        self.assertEqual([c["status"] for c in cases], ["ok", "ok"])
        targets = [c["metrics"]["shared_load_ways"]["target"] is not None for c in cases]
        self.assertEqual(targets, [True, False])

    def test_missing_empty_binary_and_folder(self):
        self.fails(2, "error: cannot read the kernel file 'no.cu': No such file or directory\n",
                   "run", "3", "--kernel", "no.cu")
        self.write("empty.cu", " \n")
        self.fails(2, "error: the kernel file 'empty.cu' is empty\n", "run", "3", "--kernel", "empty.cu")
        self.write("binary.cu", b"\x7fELF\0\0")
        self.fails(2, "error: the kernel file 'binary.cu' is not a text: it holds zero bytes\n"
                      "hint: name the source, not a compiled program\n",
                   "run", "3", "--kernel", "binary.cu")
        self.fails(2, "error: cannot read the kernel file '.': it is a folder\n",
                   "run", "3", "--kernel", ".")

    def test_not_cuda_shows_the_compilers_words(self):
        self.write("poem.cu", "\nroses are red\n")
        result = self.lab("run", "3", "--kernel", "poem.cu")
        self.assertEqual((result.status, result.out), (2, ""), result)
        self.assertTrue(result.err.startswith("error: poem.cu does not compile\npoem.cu(2): error: "),
                        result.err)
        self.assertTrue(result.err.endswith("hint: stored as run 1 in lab.db\n"), result.err)
        self.lab("run", "3", "--kernel", "poem.cu", "--no-store", "--db", "other.db")
        self.assertFalse((self.folder / "other.db").exists())

    def test_an_older_pass_is_not_the_newest_where_a_file_no_longer_compiles(self):
        words = ("run", "3", "--kernel", "mine.cu", "--student", "ada")
        self.write("mine.cu", STRIDE)
        self.good(*words)
        newest = ("SELECT variant, status, count(*) AS cases, max(reason) AS reason FROM latest WHERE student = 'ada'"
                  " GROUP BY variant, status")
        ran = self.json("query", newest)
        self.assertEqual([(row["variant"], row["status"]) for row in ran], [("stride", "ok")])
        self.write("mine.cu", STRIDE.replace("{", "{ oops", 1))
        self.assertEqual(self.lab(*words).status, 2)
        # The file still names stride, and no other kernel of the lab.
        broken = self.json("query", newest)
        self.assertEqual([(row["variant"], row["status"], row["cases"]) for row in broken],
                         [("stride", "not_compiled", ran[0]["cases"])])
        self.assertRegex(broken[0]["reason"], r"\Amine.cu does not compile\nmine.cu\(1\): error: ")
        self.assertEqual(self.count("SELECT status FROM runs WHERE id = 2"), "failed")
        # It is a run as any other: shown, compared, reported, verified.
        for shown in (("runs",), ("report", "2", "--output", "-"), ("verify",)):
            self.good(*shown)
        compared = self.lab("compare", "2", env=self.environment(COLUMNS="80"))
        self.assertEqual(compared.status, 1)
        self.assertEqual(compared.out.count(": not_compiled: mine.cu"), ran[0]["cases"])
        self.assertLessEqual(max(map(len, compared.out.splitlines())), 80)
        # Where it cannot be stored, the compiler is heard all the same.
        result = self.lab(*words, "--db", "/proc/no.db")
        self.assertEqual(result.status, 2)
        self.assertRegex(result.err, r"\Aerror: mine.cu does not compile\n(.|\n)*hint: not stored: /proc/no.db: ")

    def test_none_of_the_labs_kernels(self):
        self.write("other.cu", "extern \"C\" __global__ void other(float* p) { p[0] = 1; }\n")
        result = self.lab("run", "3", "--kernel", "other.cu")
        self.assertEqual((result.status, result.out), (2, ""), result)
        self.assertTrue(result.err.startswith(
            "error: 'other.cu' defines none of the kernels of lab 3\n"
            "hint: it must define one or more of\n"
            "  extern \"C\" __global__ void stride(const float* in, float* out, int stride, int loads)\n"),
            result.err)

    def test_a_misspelt_kernel_is_recognised(self):
        self.write("mine.cu", STRIDE.replace("stride(", "strid("))
        result = self.lab("run", "3", "--kernel", "mine.cu")
        self.assertEqual((result.status, result.out), (2, ""), result)
        self.assertIn("hint: did you mean 'stride' where it has 'strid'? it must define one or more of\n",
                      result.err)

    def test_a_students_text_cannot_act_on_the_terminal(self):
        # Every compiler repeats the words of an #error.
        self.write("evil.cu", "// \x1b[2J\n#error \x1b]0;title\x07\n")
        result = self.lab("run", "3", "--kernel", "evil.cu")
        self.assertEqual(result.status, 2, result)
        self.assertNotRegex(result.out + result.err, "[\x1b\x07]")
        self.assertIn("\\x1b]0;title\\x07", result.err)


@needs_toolkit
class Printing(LabTest):
    """What a kernel prints is shown by run, watch and probe, and costs nothing."""
    PRINTS = "#include <cstdio>\n" + STRIDE.replace(
        "[threadIdx.x];\n}", '[threadIdx.x];\n  if (i < 2) printf("of %d\\x1b[2J\\n", i);\n}')
    HOW = ("--variant", "stride", "--param", "stride=2", "--backend", "model", "--kernel", "mine.cu",
           "--no-store")

    def test_a_run_shows_it(self):
        self.write("mine.cu", self.PRINTS)
        said = self.lab("run", "3", *self.HOW).out
        self.assertIn("\nprintf\n  of 0\\x1b[2J\n  of 1\\x1b[2J\n", said)
        self.assertNotIn("\x1b[2J", said)
        case = json.loads(self.lab("run", "3", *self.HOW, "--json").out)["runs"][0]["cases"][0]
        self.assertEqual(case["facts"]["printed"], "of 0\x1b[2J\nof 1\x1b[2J\n")

    def test_it_changes_no_count(self):
        cases = []
        for text in (STRIDE, self.PRINTS):
            self.write("mine.cu", text)
            cases.append(json.loads(self.lab("run", "3", *self.HOW, "--json").out)["runs"][0]["cases"][0])
        self.assertEqual(cases[0]["status"], cases[1]["status"])
        for name, metric in cases[0]["metrics"].items():
            # More instructions, and registers for a call: the machine code is another.
            if name not in ("instructions", "registers_per_thread", "local_bytes_per_thread"):
                self.assertEqual(cases[1]["metrics"][name]["model"], metric["model"], name)

    def test_watch_shows_it(self):
        self.write("mine.cu", self.PRINTS)
        said = self.lab("watch", "3", "mine.cu", "--runs", "1", "--backend", "model", "--no-store").out
        self.assertIn("of 0\\x1b[2J\n", said)

    def test_much_is_cut_and_said_so(self):
        self.write("much.cu", '#include <cstdio>\nextern "C" __global__ void k(float* out) {\n'
                              '  for (int i = 0; i < 300; ++i) printf("line %d\\n", i);\n}\n')
        said = self.good("probe", "much.cu", "--grid", "1", "--block", "1", "--arg", "f32[1]=zero",
                         "--no-store")
        self.assertIn("  line 39\n", said)
        self.assertNotIn("  line 40\n", said)
        # 10 lines of 7 bytes, 90 of 8, 200 of 9.
        self.assertIn("  Only the beginning is shown, of 300 lines, 2,590 bytes.\n", said)


@needs_toolkit
class Told(LabTest):
    def test_machine_code_tells_occupancy_without_a_gpu(self):
        self.write("plain.cu", "__global__ void twice(float* x) {\n"
                               "  x[blockIdx.x * blockDim.x + threadIdx.x] *= 2;\n}\n")
        metrics = self.json("probe", "plain.cu", "--grid", "7", "--block", "768", "--arg", "f32[5376]=iota",
                            "--no-store", "--backend", "model", "--arch",
                            "sm_90")["runs"][0]["cases"][0]["metrics"]
        # 768 threads are 24 warps; an SM of sm_90 holds 64, two such blocks, which are 48 of them.
        self.assertEqual(metrics["theoretical_occupancy"]["model"], 48 / 64)
        self.assertIn(metrics["registers_per_thread"]["model"], range(4, 33))
        self.assertEqual(metrics["local_bytes_per_thread"]["model"], 0)
        self.assertEqual(metrics["shared_bytes_per_block"]["model"], 1024)  # what the system reserves
        self.assertEqual(metrics["local_load_requests"]["model"], 0)

    def test_spilled_registers_are_no_zero(self):
        # 48 doubles at once are 96 registers; with 1,024 threads a block there are 65,536 / 1,024 = 64.
        self.write("heavy.cu", """
__global__ void __launch_bounds__(1024) heavy(const double* a, double* o) {
  double r[48];
#pragma unroll
  for (int i = 0; i < 48; ++i) r[i] = a[i * blockDim.x + threadIdx.x];
#pragma unroll
  for (int k = 0; k < 4; ++k)
#pragma unroll
    for (int i = 0; i < 48; ++i) r[i] = r[i] * r[(i * 7 + k) % 48] + k;
  double s = 0;
#pragma unroll
  for (int i = 0; i < 48; ++i) s += r[i];
  o[threadIdx.x] = s;
}
""")
        words = ("probe", "heavy.cu", "--grid", "1", "--block", "1024", "--arg", "f64[49152]=zero", "--arg",
                 "f64[1024]=zero", "--no-store", "--backend", "model")
        metrics = self.json(*words)["runs"][0]["cases"][0]["metrics"]
        self.assertGreater(metrics["local_bytes_per_thread"]["model"], 0)
        # No branch: each of the 32 warps executes each load and store of the machine code once. Without anything in
        # between, 96 - 64 registers at least are stored and loaded again, two at a time.
        for key in ("local_load_requests", "local_store_requests"):
            self.assertEqual(metrics[key]["model"] % 32, 0)
            self.assertGreaterEqual(metrics[key]["model"], 32 * (96 - 64) / 2)
        # Accesses to global memory are what they were.
        self.assertEqual(metrics["global_load_requests"]["model"], 48 * 32)
        self.assertIn("registers are spilled to", self.good(*words))
        # In a loop that depends on an argument, nobody knows how often.
        self.write("heavy.cu", (self.folder / "heavy.cu").read_text().replace("double* o)", "double* o, int n)")
                   .replace("#pragma unroll\n  for (int k",
                            "  for (int round = 0; round < n; ++round)\n#pragma unroll\n  for (int k"))
        metrics = self.json(*words, "--arg", "4")["runs"][0]["cases"][0]["metrics"]
        for key, what in (("local_load_requests", "loads"), ("local_store_requests", "stores")):
            self.assertIsNone(metrics[key]["model"])
            self.assertRegex(metrics[key]["missing"]["model"],
                             rf"^not_counted: registers are spilled: the machine code has \d+ {what}")

    def test_arrays_of_shared_and_local_memory_are_named(self):
        self.write("arrays.cu", """
__global__ void two(const float* in, float* out, int n) {
  __shared__ float left[64];
  __shared__ float right[64];
  left[threadIdx.x] = in[threadIdx.x];
  right[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = left[63 - threadIdx.x] + right[threadIdx.x + n];
}
__global__ void dynamic(const float* in, float* out, int n) {
  extern __shared__ float pool[];
  pool[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = pool[threadIdx.x + n];
}
__global__ void own(const float* in, float* out, int n) {
  float row[8];
  for (int i = 0; i < 8; ++i) row[i * n % 8] = in[i + threadIdx.x];
  out[threadIdx.x] = row[n + threadIdx.x % 3];
}
""")
        # right lies behind left and has 64 elements: thread 0 reads its 100th. 64 floats are 256 bytes: thread 4 is
        # the first whose index, 60 + 4, is none of them. Thread 1 reads row[7 + 1].
        for kernel, n, shared, array, element, elements in (("two", 100, 0, "right", 100, 64),
                                                            ("dynamic", 60, 256, "pool", 64, 64),
                                                            ("own", 7, 0, "row", 8, 8)):
            done = self.lab("probe", "arrays.cu", "--kernel", kernel, "--grid", "1", "--block", "64", "--shared",
                            str(shared), "--arg", "f32[80]=iota", "--arg", "f32[64]=zero", "--arg", str(n),
                            "--no-store", "--backend", "model", "--json")
            first = json.loads(done.out)["runs"][0]["cases"][0]["findings"][0]
            self.assertEqual((first["kind"], first["array"], first["element"], first["elements"]),
                             ("out_of_bounds", array, element, elements))


@needs_toolkit
class Fidelity(LabTest):
    """Which instructions were executed, and how it is known what they do."""

    def probe(self, *words):
        done = self.lab("probe", "k.cu", "--grid", "2", "--block", "256", "--arg", "f32[512]=iota", "--no-store",
                        "--backend", "model", "--json", *words)
        return json.loads(done.out)["runs"][0]["cases"][0]

    def kinds(self, case):
        return {one["kind"]: one for one in case["fidelity"]}

    def test_each_kind_says_what_it_rests_on(self):
        # 2 blocks of 8 warps load a float each twice, store it once, and exponentiate it.
        self.write("k.cu", "__global__ void k(float *x) { int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                            "__shared__ float s[256]; s[threadIdx.x] = x[i]; __syncthreads();\n"
                            "x[i] = s[255 - threadIdx.x] + __expf(x[i]); }")
        case = self.probe()
        kinds = self.kinds(case)
        load = kinds["global_load_4"]
        self.assertEqual((load["instructions"], load["known"], load["cards"]), (32, "proved", ["H200", "H100"]))
        self.assertEqual(kinds["global_store_4"]["instructions"], 16)
        self.assertEqual(kinds["shared_load_4"]["known"], "proved")
        self.assertEqual((kinds["approximate"]["known"], kinds["approximate"]["cards"]), ("rule", []))
        for one in case["fidelity"]:
            self.assertTrue(one["tests"] and one["rule"], one)
            self.assertEqual(bool(one["cards"]), one["known"] == "proved", one)

    def test_what_is_refused_is_one_of_them(self):
        self.write("k.cu", "__global__ void k(float *x) { x[threadIdx.x] = 1;\n"
                   'asm volatile("{.reg .u32 r; .reg .pred p; stacksave.u32 r; }"); }')
        case = self.probe()
        self.assertEqual(case["status"], "refused")
        self.assertEqual(case["fidelity"], [{"kind": "unmodelled", "instructions": None, "known": "refused",
                                             "cards": [], "tests": [], "rule": None}])

    def test_a_lab_and_a_stored_run_have_them_too(self):
        run = self.json("run", "3", "--variant", "stride")["runs"][0]
        self.assertEqual(self.kinds(run["cases"][0])["shared_load_4"]["known"], "proved")
        again = self.json("runs", str(run["run"]["id"]))["runs"][0]
        self.assertEqual([case["fidelity"] for case in again["cases"]], [case["fidelity"] for case in run["cases"]])


@needs_toolkit
class Endless(LabTest):
    def test_a_step_that_is_never_halved_ends_at_once(self):
        self.write("mine.cu", """
constexpr int kThreads = 256;
extern "C" __global__ void sequential(const float* in, float* sums, int n) {
  __shared__ float s[kThreads];
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = kThreads / 2; step > 0; ) {
    if (t < step) s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = s[0];
}
""")
        done = self.lab("run", "11", "--variant", "sequential", "--kernel", "mine.cu", "--no-store",
                        "--backend", "model", "--json", timeout=30)
        case = json.loads(done.out)["runs"][0]["cases"][0]
        self.assertEqual(case["status"], "finding")
        first = case["findings"][0]
        self.assertEqual((first["kind"], first["line"]), ("no_progress", 8))
        self.assertEqual(first["message"], "this loop never ends: nothing in it changes its condition "
                                           "'step > 0': step stays 128")

    def test_a_loop_that_is_far_too_long_is_given_up(self):
        # 0.9999^k * 128 falls below 1e-30 after 738,000 rounds, in place of 8: they would take minutes.
        self.write("mine.cu", """
constexpr int kThreads = 256;
extern "C" __global__ void sequential(const float* in, float* sums, int n) {
  __shared__ float s[kThreads];
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (float step = kThreads / 2; step > 1e-30f; step *= 0.9999f) {
    const int half = step;
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = s[0];
}
""")
        done = self.lab("run", "11", "--variant", "sequential", "--param", "n=10007", "--kernel", "mine.cu",
                        "--no-store", "--backend", "model", "--json")
        for case in json.loads(done.out)["runs"][0]["cases"]:
            self.assertEqual((case["status"], case["correct"]), ("timeout", None))
            self.assertRegex(case["reason"], r"^given up after 100 times what the lab's reference takes \([\d,]+ warp "
                                             r"instructions\); it was in the loop of line 8, 'step > 1e-30f'$")


@needs_toolkit
class Sums(LabTest):
    IN_ANOTHER_ORDER = '''
        extern "C" __global__ void sequential(const float* in, float* sums, int n) {
          __shared__ float s[256];
          const int t = threadIdx.x, i = blockIdx.x * 256 + t;
          s[t] = i < n ? in[i] : 0;
          __syncthreads();
          if (t > 0) return;
          float sum = 0;
          for (int k = FIRST; k < 256; ++k) sum += s[k];
          sums[blockIdx.x] = sum;
        }'''

    def standing(self, first):
        path = self.folder / "mine.cu"
        path.write_text(self.IN_ANOTHER_ORDER.replace("FIRST", str(first)))
        return self.lab("run", "11", "--variant", "sequential", "--kernel", path, "--no-store").status

    def test_a_sum_in_another_order_is_right(self):
        self.assertEqual(self.standing(0), 0)

    def test_a_sum_that_lacks_a_number_is_wrong(self):
        self.assertEqual(self.standing(1), 1)

    def test_what_the_hosts_threads_do_to_races_is_not_shown(self):
        variants = "all_threads,rest_on_first,rest_on_block,branch_first,printed_first"
        shown = [self.good("run", "5", "--no-store", "--variant", variants, "--threads", threads)
                 for threads in (1, 2, 4, 4)]
        self.assertEqual(len(set(shown)), 1, shown)
        # Blocks race for a[0] in three variants; what a block loses by itself is the same each time.
        self.assertIn("rest_on_first and 2 more: in the model, not counted: blocks race", shown[0])
        self.assertIn("rest_on_block: in the model, a: 8192 of 66560 are left", shown[0])


class Probe(LabTest):
    SAXPY = """template <typename T>
__global__ void saxpy(int n, T a, const T* x, T* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
"""

    def test_template_kernel_with_dump(self):
        self.write("saxpy.cu", self.SAXPY)
        case = self.json("probe", "saxpy.cu", "--kernel", "saxpy<float>", "--grid", "4", "--block",
                         "32", "--arg", "i32=100", "--arg", "f32=2", "--arg", "f32[128]=iota",
                         "--arg", "f32[128]=ones", "--dump", "3=y.bin")["runs"][0]["cases"][0]
        values = struct.unpack("<128f", (self.folder / "y.bin").read_bytes())
        self.assertEqual(list(values), [1 + 2.0 * i if i < 100 else 1 for i in range(128)])
        # Four warps; the fourth has lanes 96..99 alone, which fill half a sector.
        metrics = case["metrics"]
        self.assertEqual(metrics["global_store_requests"]["model"], 4)
        self.assertEqual(metrics["global_store_sectors"]["model"], 3 * 4 + 1)
        self.assertEqual(metrics["global_load_requests"]["model"], 8)
        self.assertTrue(all(metric["theory"] is None for metric in metrics.values()))

    def test_stored_as_lab_0(self):
        self.write("saxpy.cu", self.SAXPY)
        self.good("probe", "saxpy.cu", "--kernel", "saxpy<float>", "--grid", "1", "--block", "32",
                  "--arg", "i32=32", "--arg", "f32=2", "--arg", "f32[32]=iota", "--arg", "f32[32]=ones")
        self.assertEqual(self.count("SELECT lab FROM runs"), 0)

    def test_out_of_bounds_is_found_at_its_line(self):
        self.write("saxpy.cu", self.SAXPY)
        result = self.lab("probe", "saxpy.cu", "--kernel", "saxpy<float>", "--grid", "1", "--block",
                          "64", "--arg", "i32=64", "--arg", "f32=2", "--arg", "f32[64]=iota",
                          "--arg", "f32[63]=ones", "--json")
        self.assertEqual(result.status, 1, result)
        case = json.loads(result.out)["runs"][0]["cases"][0]
        self.assertEqual(case["status"], "finding")
        self.assertEqual({(f["kind"], f["line"]) for f in case["findings"]}, {("out_of_bounds", 4)})

    def test_bad_words(self):
        self.write("saxpy.cu", self.SAXPY)
        base = ("probe", "saxpy.cu", "--kernel", "saxpy<float>")
        self.fails(2, "error: a kernel of a file needs --grid X[,Y[,Z]]\n"
                   "hint: --grid 4 --block 256, and one --arg per parameter of\n"
                   "  template <typename T> __global__ void saxpy(int n, T a, const T* x, T* y)\n",
                   *base)
        result = self.lab(*base, "--grid", "0", "--block", "32")
        self.assertEqual(result.status, 2, result)
        result = self.lab(*base, "--grid", "1", "--block", "32", "--arg", "f31=5")
        self.assertEqual(result.status, 2, result)

    def test_unknown_kernel_names_those_there_are(self):
        self.write("saxpy.cu", self.SAXPY)
        result = self.lab("probe", "saxpy.cu", "--kernel", "saxpi", "--grid", "1", "--block", "32",
                          "--no-store")
        self.assertEqual((result.status, result.out), (2, ""), result)
        self.assertIn("saxpi", result.err)


if __name__ == "__main__":
    unittest.main()
