"""Attacks that no other test makes, and the table of all of them (README.md): each row names its test."""
import ast
import ctypes
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cli"))
from support import LAB, NOBODY, PATIENCE, LabTest, needs_nobody, needs_toolkit  # noqa: E402
from test_sandbox import landlock_version  # noqa: E402
from test_starters import SOLUTIONS, solved, starter_of  # noqa: E402

QUICK = ("run", "3", "--variant", "stride", "--param", "stride=1,2", "--param", "loads=1")
PROBE = ("--kernel", "k", "--grid", "1", "--block", "32", "--arg", "f32[32]=zero", "--no-store")
PLAIN = 'extern "C" __global__ void k(float* out) { out[threadIdx.x] = 7; }\n'
# Counts, so that no watchdog can say that it will not end.
HANGS = PLAIN.replace("{", "{ for (volatile unsigned long long i = 1; i != 0; i += 2) {}", 1)
# A billion words of macros.
BOMB = "#define A xxxxxxxxxx\n" + "".join(
    f"#define {b} {(a + ' ') * 10}\n" for a, b in zip("ABCDEFGHI", "BCDEFGHIJ")) + "const char* s = J;\n" + PLAIN
RIGHT = solved(starter_of(3).read_text(), SOLUTIONS[2][2])

needs_landlock = unittest.skipUnless(landlock_version() >= 1, "this kernel has no Landlock")


def processes():
    """{pid: parent} of all that run."""
    found = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            found[int(path.parent.name)] = int(path.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            pass  # it has ended
    return found


def below(pid):
    """The process's children and theirs, the youngest generation last."""
    parents, found = processes(), [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found[1:]


def field(pid, name):
    try:
        return re.search(rf"^{name}:\s*(.*)$", pathlib.Path(f"/proc/{pid}/status").read_text(), re.M)[1]
    except (OSError, TypeError):
        return ""


class Attack(LabTest):
    def environment(self, **more):
        # A cache of its own: what is found there was compiled without the attack.
        return super().environment(XDG_CACHE_HOME=str(self.folder / "cache"), **more)

    def probe(self, text, *words, **how):
        self.write("k.cu", text)
        return self.lab("probe", "k.cu", *PROBE, *words, **how)

    def start(self, *words):
        process = subprocess.Popen([LAB, *map(str, words)], cwd=self.folder, env=self.environment(),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def await_boxed(self, process, depth):
        """The process in its box: 1 is the worker, 2 the worker's compiler."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and process.poll() is None:
            parents = processes()
            for pid in below(process.pid):
                generation = 1 if parents.get(pid) == process.pid else 2
                if generation == depth and field(pid, "Seccomp") == "2":
                    return pid
            time.sleep(0.02)
        return self.fail("nothing went into its box")


@needs_toolkit
@needs_landlock
class Box(Attack):
    def test_a_kernel_runs_where_nothing_can_be_started_or_allocated_without_end(self):
        self.write("k.cu", HANGS)
        process = self.start("probe", "k.cu", *PROBE)
        worker = self.await_boxed(process, 1)
        self.assertEqual(field(worker, "NoNewPrivs"), "1")
        limits = pathlib.Path(f"/proc/{worker}/limits").read_text()
        if not os.environ.get("LAB_SANITIZED"):  # its shadow takes terabytes
            self.assertNotRegex(limits, r"Max address space +unlimited")
        self.assertRegex(limits, r"Max core file size +0 ")
        # Each of its threads: they share their memory.
        for status in pathlib.Path(f"/proc/{worker}/task").glob("*/status"):
            self.assertRegex(status.read_text(), r"Seccomp:\s+2\n")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130)

    def test_a_run_of_a_lab_is_in_the_same_box(self):
        self.write("mine.cu", '#include "/etc/passwd"\n' + RIGHT)
        result = self.lab("run", "3", "--kernel", "mine.cu", env=self.environment(KEY="sesame-4711"))
        self.assertNotIn("root:", result.out + result.err)
        self.write("mine.cu", '#include "/proc/self/environ"\n' + RIGHT)
        result = self.lab("run", "3", "--kernel", "mine.cu", env=self.environment(KEY="sesame-4711"))
        self.assertNotIn("sesame", result.out + result.err)

    def test_a_bomb_ends_with_its_budget_and_costs_nobody_else(self):
        (self.folder / "in").mkdir()
        self.write("in/ada.cu", RIGHT)
        self.write("in/eve.cu", BOMB + RIGHT)
        with self.spends_at_most(40):
            self.good("grade", 3, "in", "--db", "class.db", "--budget", "2s", "--jobs", "2")
        with sqlite3.connect(self.folder / "class.db") as database:
            found = dict(database.execute("SELECT student, status || ' ' || points FROM grades"))
        self.assertEqual(found["ada"], "ok 100.0")
        self.assertIn(found["eve"], ("timeout 0.0", "not_compiled 0.0"))

    def test_what_a_submission_leaves_in_its_cache_is_gone(self):
        (self.folder / "in").mkdir()
        (self.folder / "tmp").mkdir()
        self.write("in/ada.cu", RIGHT)
        self.good("grade", 3, "in", "--db", "class.db", env=self.environment(TMPDIR=str(self.folder / "tmp")))
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])
        # The lab's own kernels were compiled, ada's not kept: compiled once more there is one entry more.
        entries = len(list((self.folder / "cache").rglob("[0-9a-f]*")))
        self.lab("run", "3", "--kernel", "in/ada.cu", "--no-store")
        self.assertGreater(len(list((self.folder / "cache").rglob("[0-9a-f]*"))), entries)


# BPF of seccomp(2): the call of this number fails with ENOSYS, as where the kernel has none.
def without_call(number):
    def deny():
        libc = ctypes.CDLL(None)
        allow, enosys = 0x7FFF0000, 0x00050000 | 38
        code = b"".join(struct.pack("HBBI", *one) for one in (
            (0x20, 0, 0, 0),  # load the call's number
            (0x15, 0, 1, number), (0x06, 0, 0, enosys), (0x06, 0, 0, allow)))
        buffer = ctypes.create_string_buffer(code)

        class Program(ctypes.Structure):
            _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]
        program = Program(len(code) // 8, ctypes.cast(buffer, ctypes.c_void_p))
        libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
        if libc.prctl(22, 2, ctypes.byref(program), 0, 0) != 0:  # PR_SET_SECCOMP, filter
            os._exit(99)
    return deny


@needs_toolkit
class NoLandlock(Attack):
    def test_grading_is_refused_unless_told(self):
        (self.folder / "in").mkdir()
        self.write("in/ada.cu", RIGHT)

        def grade(*more, **env):
            return subprocess.run([LAB, "grade", "3", "in", "--db", "class.db", *more], cwd=self.folder, check=False,
                                  env=self.environment(**env), capture_output=True, text=True, timeout=PATIENCE,
                                  preexec_fn=without_call(444))
        for env in ({}, {"LAB_SANDBOX": "off"}):
            done = grade(**env)
            if done.returncode == 99:
                self.skipTest("no seccomp here")
            self.assertEqual((done.returncode, done.stdout), (3, ""), done)
            self.assertIn("error: submissions would run without a sandbox: this system's kernel has no Landlock", done.stderr)
            self.assertIn("hint: --no-sandbox", done.stderr)
            self.assertFalse((self.folder / "class.db").exists())
        self.assertEqual(grade("--no-sandbox").returncode, 0)


@needs_toolkit
@unittest.skipIf(os.environ.get("LAB_SANITIZED"), "a sanitizer's program needs more stack, memory and time")
class Sources(Attack):
    def test_pipes_as_includes_and_as_cache_entries(self):
        os.mkfifo(self.folder / "pipe.h")
        for mark in ('"pipe.h"', '"./pipe.h"', f'"{self.folder}/pipe.h"', '"/dev/zero"'):
            result = self.probe(f"#include {mark}\n" + PLAIN)
            self.assertIn(result.status, (0, 2), (mark, result))
        self.assertEqual(self.probe(PLAIN).status, 0)
        entries = [path for path in (self.folder / "cache").rglob("*") if path.is_file()]
        self.assertTrue(entries)
        for entry in entries:
            entry.unlink()
            os.mkfifo(entry)
        self.assertEqual(self.probe(PLAIN).status, 0)

    def test_a_source_of_50_mb(self):
        self.write("50mb.cuh", "int x;\n" * 7_500_000)
        for text in ("// " + "x" * 50_000_000 + "\n" + PLAIN, '#include "50mb.cuh"\n' + PLAIN):
            with self.spends_at_most(10):
                result = self.probe(text)
            self.assertEqual((result.status, result.out), (2, ""), result.err[:300])
            self.assertIn("it has more than 16777216 bytes", result.err)

    def test_deep_nesting_is_compiled_or_its_sources_error(self):
        deep = 30_000
        for inside in ("out[threadIdx.x] = " + "-(" * deep + "1" + ")" * deep + ";", "{" * deep + "}" * deep):
            result = self.probe(PLAIN.replace("{", "{ " + inside, 1), "--json")
            self.assertIn(result.status, (0, 2), result.err[:300])
            self.assertLess(len(result.err), 10_000)

    def test_a_small_stack(self):
        for kib in (128, 512):
            small = ("bash", "-c", f'ulimit -s {kib}; exec "$@"', "bash")
            result = self.probe(PLAIN, prefix=small)
            self.assertIn(result.status, (0, 2, 3), (kib, result))
            self.assertNotIn("fault of lab itself", result.err)

    def test_ctrl_c_while_the_compiler_works(self):
        self.write("k.cu", BOMB)
        process = self.start("probe", "k.cu", *PROBE)
        self.await_boxed(process, 2)
        time.sleep(0.3)
        # Left alone, the compiler would work for half a minute.
        with self.spends_at_most(15):
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130)

    def test_a_worker_killed_while_it_compiles_is_the_machines_fault(self):
        self.write("k.cu", BOMB)
        process = self.start("probe", "k.cu", *PROBE)
        self.await_boxed(process, 2)
        worker = next(pid for pid, parent in processes().items() if parent == process.pid)
        os.kill(worker, signal.SIGKILL)
        _, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 3, err)
        self.assertNotIn(b"fault of lab itself", err)


    def test_a_compiler_killed_is_the_machines_fault(self):
        self.write("k.cu", BOMB)
        process = self.start("probe", "k.cu", *PROBE)
        os.kill(self.await_boxed(process, 2), signal.SIGKILL)
        _, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 3, err)
        self.assertIn(b"the compiler's process was killed by signal 9", err)


@needs_toolkit
@unittest.skipIf(os.environ.get("LAB_SANITIZED"), "a sanitizer's program needs more memory")
class Scarcity(Attack):
    """Where the machine has too little, nobody's source is to blame, and no fault is lab's own."""

    def test_little_memory_is_the_machines_fault(self):
        self.write("k.cu", PLAIN)
        enough = False
        for mib in (*range(10, 34, 2), *range(80, 220, 10)):
            little = ("bash", "-c", f'ulimit -v {mib * 1024}; exec "$@"', "bash")
            result = self.lab("probe", "k.cu", *PROBE, prefix=little)
            # Where too little is left for the loader, or for what the language's library takes
            # before main, lab itself did not begin.
            if result.status not in (0, 3) and self.lab("--version", prefix=little).status != 0:
                self.assertRegex(result.err, "error while loading shared libraries|terminate called")
                continue
            enough = enough or result.status == 0
            self.assertIn(result.status, (0, 3), (mib, result))
        self.assertTrue(enough)

    @needs_nobody
    def test_few_processes_are_the_machines_fault(self):
        self.write("k.cu", PLAIN)
        self.folder.chmod(0o777)
        for most in range(1, 8):
            few = (*NOBODY, "bash", "-c", f'ulimit -u {most}; exec "$@"', "bash")
            result = self.lab("probe", "k.cu", *PROBE, prefix=few)
            self.assertIn(result.status, (0, 3), (most, result))


@needs_toolkit
class Forgeries(LabTest):
    def setUp(self):
        super().setUp()
        self.good(*QUICK, "--student", "ada")
        self.good(*QUICK, "--student", "bob")

    def edit(self, *statements):
        with sqlite3.connect(self.folder / "lab.db") as database:
            for sql in statements:
                database.execute(sql)

    def test_what_cannot_be_checked_is_an_error_of_that_run_alone(self):
        self.write("mine.cu", (ROOT / "labs/03_bank_conflicts/kernels.cu").read_text() + "// mine\n")
        self.good(*QUICK, "--kernel", "mine.cu", "--student", "eve")
        self.edit("UPDATE sources SET text = 'oops' WHERE sha256 = (SELECT source_sha256 FROM runs WHERE id = 3)")
        result = self.lab("verify")
        self.assertEqual(result.status, 1, result)
        self.assertRegex(result.out, r"file: the kernel text kept as [0-9a-f]{64} was edited\n")
        self.assertRegex(result.out, r"run 3 .*: cannot be run again\n")
        for run in (1, 2):
            self.assertRegex(result.out, rf"run {run} .*: 2 cases run again, all the same\n")

    def test_values_that_are_gone_are_named(self):
        self.edit("DELETE FROM observations WHERE metric = 'shared_bank_conflicts' AND source = 2")
        result = self.lab("verify", "1")
        self.assertEqual(result.status, 1, result)
        self.assertIn("edited: what is stored is not what was sealed\n", result.out)
        # Only a second run by the very same program knows what the first has counted.
        if not self.count("SELECT coalesce(max(value), '-dirty') FROM environments WHERE key = 'commit'").endswith("-dirty"):
            self.assertIn("model shared_bank_conflicts: stored nothing, found ", result.out)

    def test_several_at_a_time_say_the_same(self):
        for number in range(3):
            self.good(*QUICK, "--student", f"s{number}")
        self.edit("UPDATE verdicts SET theory = 1e9 WHERE case_id IN (SELECT id FROM cases WHERE run_id = 4)")
        one = self.lab("verify", "--jobs", "1")
        many = self.lab("verify", "--jobs", "3")
        self.assertEqual((one.status, many.status, one.out), (1, 1, many.out))
        self.assertEqual(re.findall(r"^run (\d)", many.out, re.M), list("12345"))
        self.fails(2, "error: lab.db: no run '77'\nhint: a run is an id, the beginning of a uuid, or last; "
                      "lab runs lists them\n", "verify", "77", "--jobs", "2")

    def test_a_sample_is_drawn_from_each_run(self):
        text = self.good("verify", "--sample", "1")
        self.assertEqual(text.count(": 1 cases run again, all the same\n  1 cases not run again: not drawn for the sample\n"),
                         2, text)
        # Seals cover what was not drawn.
        self.edit("UPDATE observations SET value = value + 1 WHERE value NOTNULL")
        self.assertEqual(self.lab("verify", "--sample", "1").out.count("edited: "), 2)

    def test_honest_runs_are_not_accused(self):
        # Interrupted between its begin and its end, ended by the clock, and one that does not compile.
        self.write("hang.cu", re.sub(r"(__global__ void stride\([^)]*\) \{)",
                                     r"\1 for (volatile unsigned long long i = 1; i != 0; i += 2) {}",
                                     (ROOT / "labs/03_bank_conflicts/kernels.cu").read_text(), count=1))
        self.assertEqual(self.lab(*QUICK[:-4], "--param", "stride=2", "--param", "loads=1", "--kernel", "hang.cu",
                                  "--timeout", "1").status, 1)
        self.assertEqual(self.count("SELECT status FROM latest WHERE run = 3"), "timeout")
        self.write("bad.cu", "oops")
        self.assertEqual(self.lab("run", "3", "--kernel", "bad.cu").status, 2)
        process = subprocess.Popen([LAB, "run", "3", "--variant", "stride", "--param", "loads=20000", "--param",
                                    "blocks=256", "--all"], cwd=self.folder, env=self.environment(),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + PATIENCE
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.1)
            if self.count("SELECT count(*) FROM cases WHERE run_id > 4") > 0:
                break
        process.kill()
        process.wait()
        text = self.good("verify", "--sample", "2")
        self.assertIn("no word on edits: it was not finished, and has no seal", text)
        self.assertNotIn("edited", text)

    def test_one_bad_file_does_not_keep_the_others_out(self):
        shutil.copy(self.folder / "lab.db", self.folder / "zoe.db")
        self.write("bad.db", "no database" * 100)
        words = ("merge", "bad.db", "zoe.db", "--db", "class.db", "--student-from-filename")
        self.assertEqual(self.lab(*words).status, 2)
        result = self.lab(*words, "--keep-going")
        self.assertEqual(result.status, 1, result)
        self.assertIn("bad.db: nothing taken: bad.db: not a database\nzoe.db: 2 runs added", result.out)
        self.assertEqual(self.count("SELECT group_concat(DISTINCT student) FROM runs", "class.db"), "zoe")

    def test_headings_of_a_spreadsheet_are_guarded_as_its_cells(self):
        self.assertEqual(self.good("query", "SELECT '=1+1' AS \"=cmd()\"", "--format", "csv"), "'=cmd()\n'=1+1\n")


class Table(unittest.TestCase):
    """The table of README.md: what it names is there, and it has every line of what was tried."""

    NUMBERS = range(1, 16)

    def rows(self):
        text = pathlib.Path(__file__).with_name("README.md").read_text()
        for line in re.findall(r"^\| (\d+ .*) \|$", text, re.M):
            cells = [cell.strip() for cell in line.split(" | ")]
            self.assertEqual(len(cells), 4, line)
            yield cells

    def test_every_row_names_a_test_that_is_there(self):
        count = 0
        for number, attack, _, tests in self.rows():
            named = re.findall(r"`([^`]+)`", tests)
            self.assertTrue(named, (number, attack))
            for one in named:
                count += 1
                self.assertTrue(self.is_there(one), f"{number}, {attack}: there is no {one}")
        self.assertGreater(count, 60)

    def test_every_number_has_its_rows(self):
        self.assertEqual(sorted({int(number) for number, _, _, _ in self.rows()}), list(self.NUMBERS))

    def test_every_fault_has_its_script(self):
        text = pathlib.Path(__file__).with_name("README.md").read_text()
        named = re.findall(r"`FAULTS (\w+)(?:\.(\w+))?` \|$", text, re.M)
        self.assertGreaterEqual(len(named), 9)
        tree = ast.parse(pathlib.Path(__file__).with_name("test_faults.py").read_text()).body
        classes = {node.name: {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
                   for node in tree if isinstance(node, ast.ClassDef)}
        for suite, name in named:
            self.assertIn(suite, classes)
            self.assertTrue(not name or name in classes[suite], (suite, name))

    def is_there(self, named):
        path, _, test = named.partition(" ")
        file = ROOT / path
        if not file.is_file():
            return False
        suite, _, name = test.partition(".")
        if file.suffix == ".py":
            return any(isinstance(node, ast.ClassDef) and node.name == suite and
                       any(isinstance(one, ast.FunctionDef) and one.name == name for one in node.body)
                       for node in ast.parse(file.read_text()).body)
        if file.suffix == ".cpp":
            return re.search(rf"^TEST(_F|_P)?\({suite}, {name}\)", file.read_text(), re.M) is not None
        return not test  # a script, or a fuzzer's input


if __name__ == "__main__":
    unittest.main()
