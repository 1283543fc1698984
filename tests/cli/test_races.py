"""Races in global memory and remarks, as a person meets them: exit status, texts, JSON, database, feedback."""
import json
import re
import shutil
import unittest

from support import ROOT, LabTest

KERNELS = ROOT / "tests" / "cli" / "races"
EMPTY = "u32[256]=@empty.bin"

# File and kernel, launch and arguments, then kind, line and words of the one finding or remark.
FOUND = [
    ("warp_histogram.cu", "global_hist", "--grid 1 --block 32 --arg u8[32]=iota --arg i32[16]=zero",
     "global_race", 17, "line 17 reads, line 17 writes in another lane of the warp"),
    ("warp_histogram.cu", "global_max", "--grid 1 --block 32 --arg f32[32]=iota --arg f32[1]=zero",
     "global_race", 20, "in another lane of the warp"),
    ("halve.cu", "halve", "--grid 1 --block 128 --arg f32[128]=iota --arg f32[64]=zero",
     "global_race", 1, "line 1 writes different values in several threads at once"),
    ("halve.cu", "neighbour", "--grid 1 --block 32 --arg f32[64]=iota", "global_race", 5, "line 4 writes, line 5 reads"),
    ("large_race.cu", "step", "--grid 64,256 --block 32,8 --arg i32[4194304]=random:1 --arg i32=2048 --arg i32=77",
     "global_race", 6, "line 5 reads, line 6 writes in another block"),
]
OLD = "line %d reads a value that may be old"
REMARKS = [
    ("hash_probe.cu", "hash_probe", f"--grid 2 --block 64 --arg u32[128]=random:5 --arg {EMPTY} --arg 128 --arg 256",
     "stale_read", 34, OLD % 34),
    ("cas_global.cu", "k", "--grid 4 --block 64 --arg f32[256]=ones --arg f64[1]=zero", "stale_read", 5, OLD % 5),
    ("peek.cu", "k", "--grid 4 --block 64 --arg i32[256]=iota --arg i32[1]=zero", "stale_read", 5, OLD % 5),
]
RIGHT = [
    ("hash_probe.cu", "hash_insert", f"--grid 2 --block 64 --arg u32[128]=random:5 --arg {EMPTY} --arg 128 --arg 256"),
    ("hash_probe.cu", "chained", "--grid 8 --block 32 --arg i32[8]=ones --arg i32[8]=zero --arg i32[8]=zero "
                                 "--arg i32[8]=zero"),
    ("hash_probe.cu", "dynamic_block", "--grid 4 --block 64 --arg f32[256]=zero"),
    ("hash_probe.cu", "warp_scan", "--grid 1 --block 32 --arg i32[32]=iota --arg i32[32]=zero"),
]
RUBRIC = """program = "sum"
pass = 50

[[run]]
name = "r"
output = "32640"
seconds = 2

[[criterion]]
name = "right"
points = 60
run = "r"
status = "ok"

[[criterion]]
name = "nothing found"
points = 40
run = "r"
kernel = "sum"
findings = []
"""
CLANG = any(shutil.which(name) for name in
            ("clang++-14", "clang++-15", "clang++-16", "clang++-17", "clang++-18", "clang++"))


class Probed(LabTest):
    def case(self, file, kernel, words, status):
        self.write("empty.bin", b"\xff" * 1024)
        done = self.lab("probe", KERNELS / file, "--kernel", kernel, *words.split(), "--no-store", "--json")
        self.assertEqual(done.status, status, done)
        return json.loads(done.out)["runs"][0]["cases"][0]

    def test_what_is_wrong_is_found_at_its_line(self):
        for file, kernel, words, kind, line, text in FOUND:
            with self.subTest(file=file, kernel=kernel):
                case = self.case(file, kernel, words, 1)
                found, = case["findings"]
                self.assertEqual((case["status"], found["kind"], found["line"]), ("finding", kind, line))
                self.assertIn(text, found["message"])
                self.assertEqual(case["remarks"], [])
                self.assertEqual(case["facts"]["checkers"], "full")

    def test_what_is_right_gets_a_remark_at_most(self):
        for file, kernel, words, kind, line, text in REMARKS:
            with self.subTest(file=file, kernel=kernel):
                case = self.case(file, kernel, words, 0)
                remark, = case["remarks"]
                self.assertEqual((case["status"], remark["kind"], remark["line"]), ("ok", kind, line))
                self.assertIn(text, remark["message"])
                self.assertIn("a volatile or an atomic load says so", remark["message"])
                self.assertEqual(case["findings"], [])
        for file, kernel, words in RIGHT:
            with self.subTest(file=file, kernel=kernel):
                case = self.case(file, kernel, words, 0)
                self.assertEqual((case["findings"], case["remarks"]), ([], []))

    def test_a_remark_is_stored_and_told_everywhere(self):
        file, kernel, words, *_ = REMARKS[1]
        told = self.good("probe", KERNELS / file, "--kernel", kernel, *words.split())
        self.assertIn("Remark: s[0]: line 5 reads a value that may be old", " ".join(told.split()))
        self.assertEqual(self.count("SELECT kind FROM findings"), 101)
        self.assertEqual(self.count("SELECT status FROM cases"), 1)
        self.assertIn("Remark: ", self.good("report", "--output", "-"))
        stored = self.json("compare", "1")["runs"][0]["cases"][0]
        self.assertEqual((stored["findings"], stored["remarks"][0]["kind"]), ([], "stale_read"))


@unittest.skipUnless(CLANG, "no clang for the host's side")
class Executed(LabTest):
    def test_a_lost_update_is_found_and_a_checked_one_is_not(self):
        done = self.lab("exec", KERNELS / "count_words.cu", "--no-store")
        self.assertEqual(done.status, 1, done)
        self.assertIn("line 4 reads, line 4 writes in another lane of the warp", re.sub(r"\s+", " ", done.out))
        done = self.good("exec", KERNELS / "cas_loop.cu", "--no-store")
        self.assertIn("32640\n", done)  # 0 + 1 + ... + 255
        self.assertIn("checked: no finding, 1 remark", done)

    def test_a_grid_that_waits_is_in_order(self):
        waits = self.lab("exec", KERNELS / "grid_sync.cu", "-D", "WAITS", "--no-store")
        if "cooperative_groups.h" in waits.err:
            self.skipTest("no toolkit")
        self.assertEqual(waits.status, 0, waits)
        # Round r adds neighbours: element 0 is 1, 4, 6, 4, 1 times elements 0 to 4 of 0, 1, 2, ...
        self.assertIn("%d\n" % (4 * 1 + 6 * 2 + 4 * 3 + 1 * 4), waits.out)
        self.assertIn("checked: no finding (", waits.out)
        runs_on = self.lab("exec", KERNELS / "grid_sync.cu", "--no-store")
        self.assertEqual(runs_on.status, 1, runs_on)
        self.assertIn("in another block, and nothing orders the two", re.sub(r"\s+", " ", runs_on.out))

    def test_a_remark_costs_no_points(self):
        for folder in ("sum", "all"):
            (self.folder / folder).mkdir()
        self.write("sum/rubric.toml", RUBRIC)
        self.write("all/ada.cu", (KERNELS / "cas_loop.cu").read_text())
        self.good("grade", "sum", "all", "--out", "out")
        self.assertEqual(self.count("SELECT points FROM grades"), 100)
        feedback = (self.folder / "out/feedback/ada.md").read_text().replace("`", "")
        self.assertIn("## Remarks, which cost no points\n\n* s\\[0\\]: line 4 reads", feedback)
        # What the host's code did is a case without a kernel, which nothing was to be looked for in.
        self.assertNotIn("Not checked", feedback)


if __name__ == "__main__":
    unittest.main()
