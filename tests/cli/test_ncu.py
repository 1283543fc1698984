"""Values of Nsight Compute beside ours: lab import and lab ncu."""
import unittest

from support import LabTest, needs_toolkit

QUICK = ("run", "3", "--variant", "stride", "--param", "stride=1,2", "--param", "loads=1")
HEADING = ("ID,Process ID,thread Domain:Push/Pop_Range:PL_Type,Kernel Name,Block Size,Grid Size,"
           "Metric Name,Metric Unit,Metric Value\n")
REQUESTS = "smsp__sass_inst_executed_op_shared_ld.sum"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"


def row(launch, stride, metric, value, unit="inst"):
    ranges = f"1 lab:lab.03.stride.blocks=16.loads=1.stride={stride}:none; 1 lab:check:none" if stride else ""
    return f'{launch},7,{ranges},"stride(unsigned int)","(256, 1, 1)","(16, 1, 1)",{metric},{unit},"{value}"\n'


@needs_toolkit
class Import(LabTest):
    def setUp(self):
        super().setUp()
        self.good(*QUICK)

    # 16 blocks of 8 warps, one shared load each: 128 requests; 16 * 256 floats in 32-byte sectors: 512.
    def test_values_stand_beside_ours_and_are_judged(self):
        self.write("n.csv", "==PROF== Connected\n" + HEADING + row(0, 1, REQUESTS, "128") +
                   row(0, 1, SECTORS, "512", "sector"))
        text = self.good("import", "n.csv")
        self.assertTrue(text.startswith("Run 1: 1 of 2 cases have values of Nsight Compute: 2 values from 1 "
                                        "launches; 1 cases by NVTX range, 0 by kernel and launch.\n"), text)
        metrics = self.json("compare")["runs"][0]["cases"][0]["metrics"]
        self.assertEqual(metrics["global_load_sectors"]["ncu"], 512)
        self.assertEqual(metrics["global_load_sectors"]["verdict"], "agrees")
        self.assertEqual(self.count("SELECT count(*) FROM observations WHERE source = 5 AND "
                                    "value IS NOT NULL AND metric = 'shared_load_requests'"), 1)

    def test_a_difference_gives_status_1(self):
        self.write("n.csv", HEADING + row(0, 2, REQUESTS, "129"))
        result = self.lab("import", "n.csv")
        self.assertEqual(result.status, 1, result)
        metrics = self.lab("compare", "--json")
        self.assertIn("ncu has 129, theory says 128", metrics.out)

    def test_importing_again_replaces(self):
        self.write("n.csv", HEADING + row(0, 2, REQUESTS, "129"))
        self.lab("import", "n.csv")
        self.write("n.csv", HEADING + row(0, 2, REQUESTS, "128"))
        self.good("import", "n.csv")
        self.assertEqual(self.count("SELECT sum(ncu) FROM compare WHERE metric = 'shared_load_requests'"), 128)

    def test_what_does_not_match_is_listed(self):
        self.write("n.csv", HEADING + row(0, 1, REQUESTS, "128") + row(1, None, REQUESTS, "128"))
        result = self.json("import", "n.csv", "--run", "1")
        self.assertEqual(result["unmatched"],
                         ["launch 1 (stride(unsigned int)): 2 cases launch stride(unsigned int), grid (16, 1, 1), "
                          "block (256, 1, 1): only an NVTX range (ncu --nvtx) tells them apart"])
        self.assertEqual((result["launches"], result["cases"], result["by_range"]), (2, 1, 1))

    def test_nothing_matches(self):
        self.write("n.csv", HEADING + row(0, 9, REQUESTS, "128"))
        self.fails(2, "error: none of the 1 launches belongs to a case of run 1; launch 0 (stride(unsigned int)): "
                      "the run has no case of the range lab.03.stride.blocks=16.loads=1.stride=9\n"
                      "hint: name the run with --run; lab runs lists them\n", "import", "n.csv")
        self.assertEqual(self.count("SELECT count(*) FROM observations WHERE source = 5"), 0)

    def test_not_a_table(self):
        self.write("n.csv", "a,b\n")
        self.fails(2, "error: n.csv: no table of Nsight Compute in it\n"
                      "hint: make one with: ncu --csv --page raw ... or ncu --import FILE.ncu-rep --csv --page raw\n",
                   "import", "n.csv")
        self.write("n.ncu-rep", b"NVR\0\1\2")
        self.fails(2, "error: n.ncu-rep is a report of Nsight Compute, not its CSV\n"
                      "hint: ncu --import n.ncu-rep --csv --page raw --print-units base --nvtx > n.ncu-rep.csv\n",
                   "import", "n.ncu-rep")

    def test_two_locales(self):
        self.write("n.csv", HEADING + row(0, 1, "a__b.avg", "1.5") + row(0, 1, "c__d.avg", "2,75"))
        self.fails(2, "error: n.csv: the numbers are of two locales: '1.5' in line 2 has a decimal point, "
                      "'2,75' in line 3 a decimal comma\n"
                      "hint: say which it is: --decimal point or --decimal comma\n", "import", "n.csv")
        self.good("import", "n.csv", "--decimal", "comma")
        self.assertEqual(self.count("SELECT value FROM observations WHERE metric = 'c__d.avg'"), 2.75)


if __name__ == "__main__":
    unittest.main()
