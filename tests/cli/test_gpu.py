"""Kernels that go wrong on a GPU: each is recorded with its reason, and the rest is measured."""
import json
import pathlib
import sqlite3
import unittest

from support import ROOT, LabTest, needs_toolkit

HAS_GPU = any(pathlib.Path("/dev").glob("nvidia[0-9]*"))

FAULTY = """
extern "C" __global__ void wild(float* out) { out[1ll << 40] = 1; }
extern "C" __global__ void endless(volatile float* out) {
  out[0] = 0;
  while (out[0] != 12345) {
  }
}
extern "C" __global__ void fine(float* out) { out[threadIdx.x] = threadIdx.x; }
"""

@unittest.skipUnless(HAS_GPU, "no GPU: there is no /dev/nvidia0")
@needs_toolkit
class Faults(LabTest):
    def probe(self, kernel, *more, arg="f32[1024]=zero", grid=1, block=32):
        path = self.write("faulty.cu", FAULTY)
        return self.lab("probe", path.name, "--kernel", kernel, "--grid", grid, "--block", block,
                        "--arg", arg, "--backend", "gpu", *more)

    def reason(self):
        return self.count("SELECT reason FROM cases ORDER BY id DESC LIMIT 1")

    def whole(self):
        """The database has no torn pages, dangling references or unfinished runs."""
        with sqlite3.connect(self.folder / "lab.db") as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            self.assertEqual(database.execute("PRAGMA foreign_key_check").fetchall(), [])
        database.close()
        self.assertEqual(self.count("SELECT count(*) FROM runs WHERE finished_at IS NULL"), 0)

    def test_illegal_address(self):
        self.assertEqual(self.probe("wild").status, 1)
        self.assertIn("CUDA_ERROR_ILLEGAL_ADDRESS", self.reason())
        self.assertEqual(self.probe("fine").status, 0)
        self.whole()

    def test_endless_kernel(self):
        self.assertEqual(self.probe("endless", "--timeout", 3).status, 1)
        self.assertEqual(self.reason(), "not finished after 3 s")
        self.assertEqual(self.probe("fine").status, 0)
        self.whole()

    def test_too_much_memory(self):
        self.assertEqual(self.probe("fine", arg=f"f32[{1 << 37}]=zero").status, 1)
        self.assertIn("CUDA_ERROR_OUT_OF_MEMORY", self.reason())
        self.whole()

    def test_too_many_threads(self):
        asked = self.probe("fine", block=2048)
        self.assertEqual(asked.status, 2)
        self.assertIn("a block has at most 1024 threads", asked.err)
        self.assertFalse((self.folder / "lab.db").exists(), "bad input is not stored")

    def test_cases_around_a_fault_are_measured(self):
        # Lab 3's own kernel, but for stride 4, where it writes where it may not.
        text = (ROOT / "labs/03_bank_conflicts/kernels.cu").read_text()
        head, tail = text.split("void stride(", 1)
        wild = tail.replace("float sum = 0;", "float sum = 0; if (stride == 4) out[1ll << 40] = 1;", 1)
        kernel = self.write("mine.cu", head + "void stride(" + wild)
        result = self.lab("run", 3, "--variant", "stride", "--param", "stride=1,2,4,8", "--param",
                          "blocks=16", "--param", "loads=32", "--backend", "gpu", "--kernel", kernel.name)
        self.assertEqual(result.status, 1, result)
        # 16 blocks of 8 warps load 32 times: 4096 requests, each gcd(stride, 32) wavefronts.
        rows = json.loads(self.good(
            "query", "--format", "json",
            "SELECT json_extract(params, '$.stride') AS stride, status, sass FROM compare "
            "WHERE metric = 'shared_load_wavefronts_sass' ORDER BY stride"))
        found = {row["stride"]: (row["status"], row["sass"]) for row in rows}
        expected = {1: ("ok", 4096), 2: ("ok", 8192), 8: ("ok", 32768)}
        self.assertEqual({stride: found.get(stride) for stride in expected}, expected)
        self.assertIn("CUDA_ERROR_ILLEGAL_ADDRESS", self.count(
            "SELECT reason FROM cases WHERE json_extract(params, '$.stride') = 4"))
        self.whole()


@unittest.skipUnless(HAS_GPU, "no GPU: there is no /dev/nvidia0")
@needs_toolkit
class Launches(LabTest):
    BRANCHES = ("add_index", "branch_idle", "branch_first", "branch_block")

    def times(self, *words):
        named = [word for variant in self.BRANCHES for word in ("--variant", variant)]
        runs = self.json("run", 5, *named, "--backend", "gpu", "--no-counters", *words)["runs"]
        return {case["variant"]: case["time"] for case in runs[0]["cases"]}

    def test_ten_thousand_in_a_row(self):
        alone, row = self.times(), self.times("--launches", 10000)
        for variant in self.BRANCHES:
            self.assertRegex(row[variant]["method"], "^CUDA events around 10000 launches in a row, warm L2, ")
            # A launch's share: of the order of a launch, not of 10,000 of them.
            self.assertLess(row[variant]["median_ns"], 3 * alone[variant]["median_ns"], variant)
        self.assertGreater(row["branch_first"]["median_ns"], row["branch_idle"]["median_ns"])
        waited = self.times("--launches", 1000, "--host-timer")
        for variant in self.BRANCHES:
            self.assertEqual(waited[variant]["method"].split(",")[0], "the host's clock around each of 1000 launches")
            # To launch and to wait comes on top of what two events around the kernel say.
            self.assertGreater(waited[variant]["median_ns"], alone[variant]["median_ns"], variant)
        self.assertRegex(" ".join(self.good("runs", "last").split()),
                         "timed by the host's clock around each of 1000 launches, .*; a launch's share is shown")


@unittest.skipUnless(HAS_GPU, "no GPU: there is no /dev/nvidia0")
@needs_toolkit
class Stalls(LabTest):
    def reasons(self, lab, variant, *params):
        """Samples of all lines by the reason that warps waited for."""
        words = [word for param in params for word in ("--param", param)]
        document = self.json("explain", lab, "--variant", variant, *words, "--stalls", "--backend", "gpu")
        facts = document["runs"][0]["cases"][0]["facts"]["stalls"]
        if facts.startswith("not sampled: "):
            self.skipTest(facts)
        sums = {}
        for line in document["lines"]:
            if line["metric"].startswith("stall_") and not line["metric"].endswith("selected"):
                sums[line["metric"]] = sums.get(line["metric"], 0) + line["value"]
        return sorted(sums, key=sums.get, reverse=True)

    def test_bank_conflicts(self):
        self.assertIn(self.reasons("3", "stride", "stride=32", "blocks=528", "loads=1024")[0],
                      ("stall_short_scoreboard", "stall_mio_throttle"))

    def test_barriers(self):
        self.assertIn("stall_barrier", self.reasons("12", "product", "size=128")[:4])


if __name__ == "__main__":
    unittest.main()
