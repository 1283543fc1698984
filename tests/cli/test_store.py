"""Databases that are not there, not ours, too new, read-only, locked, or on a full disk."""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

from support import LAB, LabTest, NOBODY, PATIENCE, ROOT, needs_nobody, needs_root, needs_toolkit

QUICK = ("run", "3", "--variant", "stride", "--param", "stride=1,2", "--param", "loads=1")


class NoSuchDatabase(LabTest):
    def test_readers_say_so(self):
        for words in (("runs",), ("compare",), ("query", "SELECT 1")):
            self.fails(2, "error: lab.db: no such database\n"
                          "hint: lab run makes one; name another file with --db\n", *words)

    def test_folder_that_is_not_there(self):
        folder = self.folder / "no"
        self.fails(2, f"error: no/x.db: there is no folder {folder}\nhint: make it: mkdir -p {folder}\n",
                   *QUICK, "--db", "no/x.db")

    def test_not_a_database(self):
        self.write("x.db", "a text that is much longer than the header of a database\n" * 20)
        self.fails(2, "error: x.db: not a database\nhint: name another file with --db\n",
                   "runs", "--db", "x.db")


@needs_toolkit
class Stored(LabTest):
    def setUp(self):
        super().setUp()
        self.good(*QUICK)

    def test_runs_and_selectors(self):
        runs = self.json("runs")["runs"]
        self.assertEqual([(r["id"], r["lab"], r["cases"], r["status"]) for r in runs],
                         [(1, 3, 2, "ok")])
        for selector in ("1", "last", runs[0]["uuid"][:8]):
            self.assertEqual(self.json("compare", selector)["runs"][0]["run"]["id"], 1)
        self.fails(2, "error: lab.db: no run '99999999999'\n"
                      "hint: a run is an id, the beginning of a uuid, or last; lab runs lists them\n",
                   "compare", "99999999999")

    @unittest.skipUnless((ROOT / ".git").exists(), "not a checkout")
    def test_a_run_carries_the_commit(self):
        self.assertRegex(self.count("SELECT value FROM environments WHERE key = 'commit' LIMIT 1"),
                         "^[0-9a-f]{40}(-dirty)?$")

    def test_two_runs_side_by_side(self):
        self.good(*QUICK)
        text = self.good("compare", "1", "2", "--metrics", "shared_load_ways")
        self.assertIn("2 cases in both: no difference in 2 values.\n", text)

    def test_compare_filters(self):
        text = self.good("compare", "--metrics", "shared_load_ways")
        self.assertEqual(text.count("  shared_load_ways"), 2)
        self.fails(2, "error: the run has no metric 'shared_load_way'\n"
                      "hint: did you mean 'shared_load_ways'?\n",
                   "compare", "--metrics", "shared_load_way")
        self.fails(2, "error: run 1 has no variant 'strid'\nhint: did you mean 'stride'?\n",
                   "compare", "--variant", "strid")

    def test_query_formats(self):
        self.assertEqual(self.good("query", "SELECT 1 AS a, 'x,y' AS b", "--format", "csv"),
                         "a,b\n1,\"x,y\"\n")
        self.assertEqual(self.good("query", "SELECT 7 AS a"), "a\n-\n7\n")
        self.assertEqual(self.good("query", "-", stdin="SELECT 7 AS a"), "a\n-\n7\n")

    def test_query_changes_nothing(self):
        before = (self.folder / "lab.db").read_bytes()
        for sql in ("DELETE FROM runs", "SELECT 1; DROP TABLE runs", "PRAGMA user_version=9"):
            self.assertEqual(self.lab("query", sql).status, 2, sql)
        self.assertEqual((self.folder / "lab.db").read_bytes(), before)

    def test_newer_version(self):
        with sqlite3.connect(self.folder / "lab.db") as database:
            database.execute("PRAGMA user_version=9999")
        result = self.lab("runs")
        self.assertEqual((result.status, result.out), (2, ""), result)
        self.assertIn("newer", result.err)

    def test_another_programs_database(self):
        with sqlite3.connect(self.folder / "other.db") as database:
            database.execute("CREATE TABLE t(x)")
        for words in (("runs",), QUICK):
            result = self.lab(*words, "--db", "other.db")
            self.assertEqual((result.status, result.out), (2, ""), result)
        with sqlite3.connect(self.folder / "other.db") as database:
            self.assertEqual(database.execute("SELECT name FROM sqlite_master").fetchall(), [("t",)])

    def test_locked(self):
        database = sqlite3.connect(self.folder / "lab.db", isolation_level=None)
        self.addCleanup(database.close)
        database.execute("BEGIN EXCLUSIVE")
        result = self.lab(*QUICK)
        self.assertEqual(result.status, 3, result)
        self.assertIn("lab.db: locked", result.err)

    @needs_nobody
    def test_read_only(self):
        for path in (self.folder, self.folder / "lab.db"):
            os.chmod(path, 0o555 if path.is_dir() else 0o444)
        result = self.lab(*QUICK, prefix=NOBODY)
        self.assertEqual((result.status, result.out), (3, ""), result)
        self.assertIn("lab.db", result.err)
        self.assertEqual(self.good("query", "SELECT count(*) AS n FROM runs", prefix=NOBODY),
                         "n\n-\n1\n")

    @needs_nobody
    def test_not_readable(self):
        os.chmod(self.folder, 0o755)
        os.chmod(self.folder / "lab.db", 0o600)
        result = self.lab("runs", prefix=NOBODY)
        self.assertEqual((result.status, result.out), (3, ""), result)
        self.assertIn("lab.db", result.err)

    @needs_nobody
    def test_folder_that_may_not_be_written(self):
        os.chmod(self.folder, 0o555)
        result = self.lab(*QUICK, "--db", "new.db", prefix=NOBODY)
        self.assertEqual((result.status, result.out), (3, ""), result)
        self.assertIn("new.db", result.err)


@needs_toolkit
class MergeAndVerify(LabTest):
    def test_merge_twice_changes_nothing(self):
        for name in ("ada", "bob"):
            self.good(*QUICK, "--student", name, "--db", f"{name}.db")
        first = self.json("merge", "ada.db", "bob.db", "--db", "class.db")["merged"]
        self.assertEqual([(one["from"], one["added"], one["cases"]) for one in first],
                         [("ada.db", 1, 2), ("bob.db", 1, 2)])
        again = self.json("merge", "ada.db", "bob.db", "--db", "class.db")["merged"]
        self.assertEqual([(one["added"], one["present"]) for one in again], [(0, 1), (0, 1)])
        self.assertEqual(self.count("SELECT count(*) FROM runs", database="class.db"), 2)

    def test_merge_names_what_is_not_there(self):
        self.fails(2, "error: no.db: no such database\n"
                      "hint: lab run makes one; name another file with --db\n",
                   "merge", "no.db", "--db", "class.db")
        self.assertFalse((self.folder / "class.db").exists())

    def test_an_untouched_database_is_the_same(self):
        self.good(*QUICK)
        self.assertRegex(self.good("verify"), r"\Arun 1 \([0-9a-f]{8}\): 2 cases run again, all the same\n"
                                                r"Without a key (.+\n){4}\Z")

    def test_an_edited_value_is_found(self):
        self.good(*QUICK)
        with contextlib.closing(sqlite3.connect(self.folder / "lab.db")) as database:
            # Stride 2 has two-way conflicts; someone would like to have none.
            database.execute("UPDATE observations SET value = 0 WHERE source = 2 AND "
                             "metric = 'shared_bank_conflicts'")
            database.commit()
        result = self.lab("verify")
        self.assertEqual(result.status, 1, result)
        self.assertIn("model shared_bank_conflicts: stored 0, found ", result.out)

    def test_a_students_run_is_verified_with_the_students_kernel(self):
        source = (ROOT / "labs/03_bank_conflicts/kernels.cu").read_text(encoding="utf-8")
        self.write("mine.cu", source + "\n// mine\n")
        self.good(*QUICK, "--kernel", "mine.cu")
        self.good("verify", "last")


@needs_root
@needs_toolkit
class FullDisk(LabTest):
    def setUp(self):
        super().setUp()
        self.disk = pathlib.Path(tempfile.mkdtemp(prefix="lab_disk_"))
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=536k", "none", self.disk],
                                 capture_output=True, check=False)
        self.addCleanup(shutil.rmtree, self.disk, ignore_errors=True)
        if mounted.returncode != 0:
            self.skipTest("may not mount a small disk: " + mounted.stderr.decode().strip())
        self.addCleanup(subprocess.run, ["umount", self.disk], check=False)

    def test_results_are_shown_and_the_database_stays_whole(self):
        path = self.disk / "x.db"
        result = self.lab("run", "3", "--variant", "stride", "--param", "loads=1", "--db", path)
        self.assertEqual(result.status, 3, result)
        self.assertIn("disk is full", result.err)
        self.assertIn("Theory and model agree in", result.out)
        if path.exists():
            with contextlib.closing(sqlite3.connect(path)) as database:
                self.assertEqual(database.execute("PRAGMA integrity_check").fetchone()[0], "ok")

    def test_output(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([LAB, "list"], stdout=full, stderr=subprocess.PIPE,
                                    env=self.environment(), check=False)
        self.assertEqual((result.returncode, result.stderr.decode()),
                         (3, "error: cannot write the output: No space left on device\n"))


@needs_toolkit
class Interrupted(LabTest):
    # A case of 0.1 s, optimised or not: 34 of them leave time for a signal.
    LOADS = 200 if os.environ.get("LAB_SANITIZED") else 20000
    SLOW = ("run", "3", "--variant", "stride", "--param", f"loads={LOADS}", "--param", "blocks=256",
            "--all")

    def start(self, *words):
        process = subprocess.Popen([LAB, *words], cwd=self.folder, env=self.environment(),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        return process

    def wait_for_a_case(self, process):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.05)
            if (self.folder / "lab.db").exists():
                result = self.lab("query", "SELECT count(*) AS n FROM cases", "--format", "csv")
                if result.status == 0 and int(result.out.split()[1]) > 0:
                    return
        self.fail("no case was stored")

    def test_ctrl_c_keeps_what_was_done(self):
        process = self.start(*self.SLOW)
        self.wait_for_a_case(process)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130)
        run = self.json("runs")["runs"][0]
        self.assertEqual(run["status"], "interrupted")
        self.assertGreater(run["cases"], 0)
        self.assertLess(run["cases"], 34)
        # 34 strides, 0 to 33: what is not stored is missing, and every place says so.
        missing = 34 - run["cases"]
        self.assertEqual(run["missing"], missing)
        self.assertIn(f"\n{run['cases']} of 34 cases: {run['cases']} correct", out.decode())
        line = f"\nInterrupted: {missing} case{'' if missing == 1 else 's'} missing.\n"
        self.assertIn(line, out.decode())
        self.assertIn(f"interrupted, {missing} missing", self.good("runs", env=self.environment(COLUMNS="120")))
        self.assertIn(f"Interrupted: {missing} case", self.good("report", "--output", "-"))
        stored = self.json("compare")["runs"][0]
        self.assertEqual((stored["run"]["missing"], len(stored["cases"])), (missing, run["cases"]))
        self.assertIn(line, self.good("compare"))

    def test_ctrl_c_says_which_labs_were_not_begun(self):
        process = self.start("run", "all")
        self.wait_for_a_case(process)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130)
        last = re.search(r"\nInterrupted: not begun: labs? ([0-9, ]+)\.\n$", out.decode())
        self.assertIsNotNone(last, out)
        begun = [run["lab"] for run in self.json("runs")["runs"]]
        left = [int(number) for number in last[1].split(", ")]
        self.assertEqual(sorted(begun) + left, list(range(1, 13)))

    def test_kill_loses_at_most_the_case_in_flight(self):
        process = self.start(*self.SLOW)
        self.wait_for_a_case(process)
        process.kill()
        process.communicate(timeout=PATIENCE)
        run = self.json("runs")["runs"][0]
        self.assertGreater(run["cases"], 0)
        self.assertIsNone(run["finished_at"])


if __name__ == "__main__":
    unittest.main()
