"""What an H200 measured (tests/fixtures/h200), as a grader and a reader of reports see it."""
import re
import sqlite3
import tarfile
import unittest

from support import LabTest, ROOT, needs_toolkit


class Measured(LabTest):
    def setUp(self):
        super().setUp()
        with tarfile.open(ROOT / "tests/fixtures/h200/h200.db.tar.xz") as archive:
            (self.folder / "lab.db").write_bytes(archive.extractfile("h200.db").read())

    def run_of(self, lab):
        return str(self.count(f"SELECT max(id) FROM runs WHERE lab = {lab}"))

    def test_a_graders_question_is_one_line(self):
        # Stride s costs gcd(s, 32) wavefronts for each load of 512 blocks of 8 warps, 256 each: 2^20 loads.
        rows = self.json("query", "SELECT params ->> 'stride' AS stride, theory, model, sass FROM compare WHERE lab = 3 AND "
                         "variant = 'stride' AND metric = 'shared_load_wavefronts_sass' AND params ->> 'stride' IN (6, 32) "
                         "ORDER BY stride")
        self.assertEqual([list(row.values()) for row in rows], [[6, 2097152, 2097152, 2097152], [32, 33554432, 33554432, 33554432]])
        self.assertEqual(self.count("SELECT count(*) FROM compare WHERE verdict = 'disagrees'"), 0)

    def test_arbitration_is_named_and_told_apart(self):
        rows = self.json("query", "SELECT verdict, reason FROM compare WHERE lab = 4 AND variant = 'padded' AND "
                         "metric = 'shared_bank_conflicts' AND theory = 0 AND cupti > 0")
        self.assertTrue(rows)
        for row in rows:
            self.assertEqual(row["verdict"], "explained")
            self.assertIn("arbitration", row["reason"])

    @needs_toolkit
    def test_a_sample_has_a_time(self):
        """738 cases at a GPU's sizes take minutes; in three seconds, of each of the twelve runs some."""
        with self.spends_at_most(60):
            text = self.good("verify", "--sample", "3s")
        self.assertEqual(len(re.findall(r"^run \d+ \(\w+\): ", text, re.M)), 12)
        left = sum(map(int, re.findall(r"^  (\d+) cases not run again", text, re.M)))
        again = sum(map(int, re.findall(r": (\d+) cases run again, all the same", text)))
        self.assertEqual(left + again, 738, text)
        if again == 0:  # another NVRTC than the fixture's makes other code of what was drawn
            self.assertIn("compiled it then", text)
        # Seals cover what was not drawn.
        with sqlite3.connect(self.folder / "lab.db") as database:
            database.execute("UPDATE verdicts SET reason = 'all agree' WHERE case_id = (SELECT max(id) FROM cases WHERE run_id = 4)")
            self.assertGreater(database.total_changes, 0)
        result = self.lab("verify", "--sample", "1s")
        self.assertEqual((result.status, result.out.count("edited: ")), (1, 1), result)

    @needs_toolkit
    def test_runs_of_another_gpu_and_compiler_are_not_accused(self):
        runs = [str(row["id"]) for row in self.json("query", "SELECT max(id) AS id FROM runs WHERE lab IN (1, 3, 4, 12)"
                                                    " GROUP BY lab")]
        text = self.good("verify", *runs, "--sample", "2")
        # The compiler of the fixture's runs may be this machine's, or another.
        again = text.count("2 cases run again, all the same")
        other = text.count("2 cases not run again: NVRTC 13.0 compiled it then")
        self.assertIn((again, other), [(4, 0), (0, 4)], text)
        self.assertNotIn("edited", text)

    def test_compare(self):
        text = self.good("compare", self.run_of(3), "--all", env=self.environment(COLUMNS="180"))
        self.assertIn("(lab 3, model+gpu, NVIDIA H200, ", text)
        self.assertRegex(text, r"shared_load_wavefronts_sass +131,072 +131,072 +- +131,072 +agrees")

    def bounds(self, lab):
        """{case: (measured ns, least ns, what sets it)} of the table of times."""
        text = self.good("compare", self.run_of(lab), "--all", env=self.environment(COLUMNS="250"))
        table = text.split("\nTime against the ceilings of NVIDIA H200, measured ")[1].splitlines()
        found = {}
        for line in table:
            row = re.match(r"  (\S.*?) {2,}([\d,]+) +([\d,]+) +(DRAM|L2|shared memory|instruction issue) ", line)
            if row:
                found[row[1]] = (int(row[2].replace(",", "")), int(row[3].replace(",", "")), row[4])
        return found

    def test_the_least_time_is_below_the_measured_one(self):
        all_cases = {(lab, case): bound for lab in (2, 4, 7, 8) for case, bound in self.bounds(lab).items()}
        self.assertGreater(len(all_cases), 100)
        for case, (took, least, _) in all_cases.items():
            self.assertLessEqual(least, 1.03 * took, case)
        # Kernels that stream through DRAM long enough for their start not to count: within 15 %.
        streams = [f"field_aos  fields={fields} n=4194304" for fields in range(5, 17)]
        # Of what words=4 writes a fifth is still in L2 at the end, and counted as nothing.
        streams += ["numbers_split  n=4194304 words=8", "update_float4  n=4194304"]
        for case in streams:
            took, least, bound = all_cases[2, case]
            self.assertEqual(bound, "DRAM", case)
            self.assertGreaterEqual(least, 0.85 * took, case)

    def test_report_shows_what_was_measured(self):
        self.good("report", self.run_of(3), "--output", "r.html")
        page = (self.folder / "r.html").read_text()
        self.assertIn("NVIDIA H200", page)
        self.assertIn("131072", page.replace(",", ""))

    @needs_toolkit
    def test_the_model_of_today_counts_the_same(self):
        stored = self.count("SELECT value FROM environments WHERE key = 'nvrtc'")
        doctor = {check["name"]: check["found"] for check in self.json("doctor")["checks"]}
        if f"NVRTC {stored}" not in doctor["compiler and model"]:
            self.skipTest(f"another compiler makes other code: NVRTC {stored} made the stored run's")
        # 38 cases of lab 9, a few warps each: other labs' sizes are a GPU's. Since then figure 1 has
        # another lane idle, in elements of three widths, and figures 5 and 6 lie elsewhere in those
        # of 4 bytes: of each of two variants 3 + 2 cases do what today's reference does not.
        text = self.good("verify", self.run_of(9))
        # An older program wrote its views and its catalogue.
        self.assertTrue(re.fullmatch(r"note: views .*\nnote: rows of table metrics .*\n"
                                     r"run \d+ \(\w+\): 28 cases run again, all the same\n"
                                     r"  10 cases not run again: the lab has changed since\n"
                                     r"Without a key (.+\n){4}", text), text)


if __name__ == "__main__":
    unittest.main()
