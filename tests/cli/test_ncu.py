"""Values of Nsight Compute beside ours: lab import and lab ncu."""
import os
import pathlib
import shutil
import sqlite3
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
        self.assertTrue(" ".join(text.split()).startswith(
            "Run 1: 1 of 2 cases have values of Nsight Compute: 2 values from 1 launches; 1 cases by NVTX range, 0 by "
            "kernel and launch. "), text)
        markdown = self.good("import", "n.csv", "--page", "md")
        self.assertIn("1 cases by NVTX range, 0 by kernel and launch.\n\nOurs by CUPTI ", markdown)
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
                      "hint: ncu --import n.ncu-rep --csv --page raw --print-units base > n.ncu-rep.csv\n",
                   "import", "n.ncu-rep")

    def test_a_file_cut_inside_its_last_value(self):
        # Of 512 sectors a cut leaves 5, or a quotation mark that is never closed.
        whole = HEADING + row(0, 1, REQUESTS, "128") + row(0, 1, SECTORS, "512", "sector")
        self.assertTrue(whole.endswith('"512"\n'))
        for cut in (2, 3, 4, 5):
            self.write("n.csv", whole[:-cut])
            result = self.lab("import", "n.csv", "--run", "1")
            stored = [one["value"] for one in self.json("query", "SELECT value FROM observations WHERE source = 5 AND "
                                                        f"metric IN ('{SECTORS}', 'global_load_sectors')")]
            self.assertIn(stored, ([], [None]), (cut, result))
            self.assertRegex(result.out + result.err, "line 3|cut|does not end")

    def test_another_compute_capability_is_noted(self):
        heading, line = HEADING.replace("Metric Name", "CC,Metric Name"), row(0, 1, REQUESTS, "128")
        self.write("n.csv", heading + line.replace(REQUESTS, "8.6," + REQUESTS))
        self.assertIn("the report is of compute capability 8.6, run 1 of sm_90: other machine code, and other counts",
                      " ".join(self.good("import", "n.csv", "--run", "1").split()))

    def test_two_locales(self):
        self.write("n.csv", HEADING + row(0, 1, "a__b.avg", "1.5") + row(0, 1, "c__d.avg", "2,75"))
        self.fails(2, "error: n.csv: the numbers are of two locales: '1.5' in line 2 has a decimal point, "
                      "'2,75' in line 3 a decimal comma\n"
                      "hint: say which it is: --decimal point or --decimal comma\n", "import", "n.csv")
        self.good("import", "n.csv", "--decimal", "comma")
        self.assertEqual(self.count("SELECT value FROM observations WHERE metric = 'c__d.avg'"), 2.75)

    def test_sides_that_differ_are_told_first(self):
        self.write("n.csv", HEADING + row(0, 1, REQUESTS, "128"))
        with sqlite3.connect(self.folder / "lab.db") as database:  # as if counters had been read here
            database.execute("INSERT INTO observations SELECT id, 'shared_load_requests', 4, 99, 128, NULL, NULL, "
                             "NULL, NULL, 1, 0 FROM cases")
            database.execute("UPDATE cases SET counter_cache = 1")
        text = self.good("import", "n.csv", "--cache-control", "none", "--ncu-version", "2025.3.1.0")
        self.assertIn("Theirs by Nsight Compute 2025.3.1.0", text)
        compared = self.good("compare")
        self.assertRegex(compared, "\nNsight Compute counted under other conditions:\n"
                      "  the machine code \\(CUBIN\\): ours [0-9a-f]{12}, ncu's not known\n"
                      "  cache control: ours flushed before each pass, ncu's left warm\n"
                      "  clock control: ours left alone, ncu's not known\n")
        self.assertLess(compared.index("under other conditions"), compared.index("shared_load_requests"))
        self.assertRegex(text, "\nTaken under different conditions:\n"
                      "  the machine code \\(CUBIN\\): ours [0-9a-f]{12}, ncu's not known\n"
                      "  cache control: ours flushed before each pass, ncu's left warm\n"
                      "  clock control: ours left alone, ncu's not known\n\n")
        row_text = next(line for line in text.splitlines() if line.startswith("  shared_load_requests"))
        self.assertEqual(row_text.split(), ["shared_load_requests", "sass", "1", "1", "128", "128", "0"])


@needs_toolkit
class TwoRuns(LabTest):
    def test_in_what_their_conditions_differ_is_said_before_a_number(self):
        self.good(*QUICK)
        self.good(*QUICK)
        self.assertNotIn("Taken under different conditions", self.good("compare", "1", "2"))
        self.good(*QUICK, "--arch", "sm_80")
        with sqlite3.connect(self.folder / "lab.db") as database:  # as if counters had been read
            for run, cache in ((1, 1), (3, 2)):  # cold, warm
                database.execute("UPDATE cases SET counter_cache = ? WHERE run_id = ?", (cache, run))
        lines = self.good("compare", "1", "3").splitlines()
        self.assertEqual(lines[2:4], ["Taken under different conditions:", "  the architecture: A's sm_90, B's sm_80"])
        self.assertRegex(lines[4], "^  the machine code \\(CUBIN\\): A's [0-9a-f]{12}, B's [0-9a-f]{12}$")
        self.assertEqual(lines[5], "  cache control: A's flushed before each pass, B's left warm")


# Stands for ncu: it writes a report, and prints it as CSV. What it was told is in `told`. As ncu 2025.3 does, it
# prints a report's NVTX ranges unasked and refuses to be asked.
FAKE = """#!/bin/sh
echo "$@" >> {folder}/told
case "$1" in
  --version) echo "Version 2025.3.1.0 (build 1)" ;;
  --import) case "$*" in *--nvtx*) echo "==ERROR== Invalid option --nvtx specified for --import"; exit 1 ;; esac
    cat {folder}/n.csv ;;
  *) {action} ;;
esac
"""
WRITES_A_REPORT = 'while [ "$1" != --export ]; do shift; done; echo NVR > "$2"'


@needs_toolkit
class UnderNcu(LabTest):
    def setUp(self):
        super().setUp()
        self.good(*QUICK)

    def with_ncu(self, action):
        (self.folder / "bin").mkdir()
        program = self.write("bin/ncu", FAKE.format(folder=self.folder, action=action))
        program.chmod(0o755)
        return self.environment(PATH=f"{self.folder}/bin:{os.environ['PATH']}")

    def test_a_stored_run(self):
        env = self.with_ncu(WRITES_A_REPORT)
        self.write("n.csv", HEADING + row(0, 1, REQUESTS, "128") + row(1, 2, REQUESTS, "128"))
        result = self.json("ncu", "last", "--keep", "kept.ncu-rep", env=env)
        self.assertEqual((result["cases"], result["by_range"], result["unmatched"]), (2, 2, []))
        self.assertEqual((self.folder / "kept.ncu-rep").read_text(), "NVR\n")
        told = (self.folder / "told").read_text()
        self.assertIn("--nvtx --nvtx-include lab@check/ ", told)
        self.assertIn("smsp__sass_inst_executed_op_shared_ld.sum", told)
        self.assertIn(" ncu 1 --inside --db lab.db --json", told)
        self.assertEqual(self.count("SELECT value FROM environments WHERE key = 'ncu_version'"), "2025.3.1.0")

    def test_denied(self):
        env = self.with_ncu("echo '==ERROR== ERR_NVGPUCTRPERM' >&2; exit 1")
        self.fails(3, "error: ncu may not read this GPU's counters (ERR_NVGPUCTRPERM)\n"
                      "hint: run it as root, or let every user read them: write 'options nvidia "
                      "NVreg_RestrictProfilingToAdminUsers=0' into a file in /etc/modprobe.d and reboot\n",
                   "ncu", "last", env=env)

    def test_no_report(self):
        env = self.with_ncu("echo something >&2; exit 7")
        self.fails(3, "error: ncu ended with status 7 and left no report: something\n", "ncu", "last", env=env)

    def test_not_found(self):
        if shutil.which("ncu") or any(pathlib.Path("/opt/nvidia").glob("*/*/ncu")):
            self.skipTest("this machine has ncu")
        result = self.lab("ncu", "last")
        self.assertEqual(result.status, 3, result)
        self.assertTrue(result.err.startswith("error: Nsight Compute's program ncu was not found; looked in "))

    def test_probes_cannot_be_run_again(self):
        env = self.with_ncu(WRITES_A_REPORT)
        with sqlite3.connect(self.folder / "lab.db") as database:
            database.execute("UPDATE runs SET lab = 0")
        self.assertIn("a probe cannot be run again", self.lab("ncu", "last", env=env).err)


if __name__ == "__main__":
    unittest.main()
