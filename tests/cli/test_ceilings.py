"""Stored ceilings beside measured times."""
import sqlite3
import unittest

from support import LabTest, needs_toolkit

QUICK = ("run", "3", "--variant", "stride", "--param", "stride=1", "--param", "loads=1")


@needs_toolkit
class Ceilings(LabTest):
    def setUp(self):
        super().setUp()
        self.good(*QUICK)
        # 10 SMs at 1000 MHz that issue 4 instructions per clock: 40 in a ns.
        with sqlite3.connect(self.folder / "lab.db") as database:
            database.execute("INSERT INTO environments VALUES (1, 'gpu_uuid', 'GPU-1'), "
                             "(1, 'gpu_sms', '10')")
            case = database.execute("SELECT id FROM cases").fetchone()[0]
            # 20000 instructions: 500 ns at least.
            database.execute("INSERT OR REPLACE INTO observations VALUES "
                             "(?, 'instructions', 3, 99, 20000, NULL, NULL, NULL, NULL, 1, 1)",
                             (case,))
            database.execute("INSERT INTO timings(case_id, median_ns, min_ns, max_ns, samples_ns, method) "
                             "VALUES (?, 2000, 2000, 2000, '[2000]', 'CUDA events')", (case,))
        database.close()

    def calibrate(self, uuid):
        with sqlite3.connect(self.folder / "lab.db") as database:
            database.execute("INSERT INTO calibrations(id, gpu_uuid, gpu, taken_at) VALUES "
                             "(1, ?, 'Test GPU', '2026-01-02T03:04:05Z')", (uuid,))
            for name, value in (("instructions", 4.0), ("sm_clock", 1000.0)):
                database.execute("INSERT INTO ceilings(calibration_id, name, value, unit, method) "
                                 "VALUES (1, ?, ?, 'u', 'm')", (name, value))
        database.close()

    def test_compare_names_the_bound(self):
        self.calibrate("GPU-1")
        text = self.good("compare", env=self.environment(COLUMNS="120"))
        self.assertIn("Time against the ceilings of Test GPU, measured 2026-01-02T03:04:05Z\n", text)
        row = next(line for line in text.splitlines() if "instruction issue" in line)
        # 500 of 2000 ns: a quarter of what the GPU can issue. The others were not measured.
        self.assertRegex(row, r"2,000 +500 +instruction issue +- +- +- +25\.0 %$")

    def test_another_gpus_ceilings_are_not_used(self):
        self.calibrate("GPU-2")
        self.assertNotIn("Time against", self.good("compare"))


if __name__ == "__main__":
    unittest.main()
