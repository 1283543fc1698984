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


if __name__ == "__main__":
    unittest.main()
