"""A machine that fails: disks, locks, memory, power, people who end programs. README.md has the table.

The short form runs with the tests; `LAB_ATTACKS=long` tries each as often as the table says, and prints a row."""
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cli"))
from support import LAB, NOBODY, LabTest, needs_nobody, needs_toolkit  # noqa: E402
from test_starters import SOLUTIONS, solved, starter_of  # noqa: E402

LONG = os.environ.get("LAB_ATTACKS") == "long"
SHIM = os.environ.get("LAB_FAIL_NTH", str(pathlib.Path(LAB).parent / "libfail_nth.so"))
QUICK = ("run", "3", "--variant", "stride", "--param", "stride=1,2", "--param", "loads=1")
PROGRAM = """#include <cstdio>
__global__ void k(int* p) { p[threadIdx.x] = threadIdx.x; }
int main() { int* d; cudaMalloc(&d, 128); k<<<1, 32>>>(d); cudaDeviceSynchronize(); cudaFree(d); puts("done");
  fclose(fopen("out.txt", "w")); }
"""
KINDS = ("write", "rename", "sync", "open", "alloc")
EIO, ENOSPC, ENOMEM = 5, 28, 12
# The first allocations make the table of commands, whose half-made rows GCC 12 takes apart twice.
AFTER_TABLES = 2000
# What may come of a machine that fails: nothing that matters failed, something is wrong, the machine.
FINE, WRONG, MACHINE = 0, 1, 3

needs_shim = unittest.skipUnless(os.path.exists(SHIM) and not os.environ.get("LAB_SANITIZED"),
                                 "no libfail_nth.so, or a sanitizer that comes first")


def many(short, long):
    return long if LONG else short


def row(attack, tries, result):
    if LONG:
        print(f"| {attack} | {tries} | {result} |", flush=True)


class Faults(LabTest):
    def setUp(self):
        super().setUp()
        self.random = random.Random(int(os.environ.get("LAB_ATTACKS_SEED", "7")))

    def dump(self, path):
        """All rows that a person put there, and that the file is whole; empty: there is none."""
        if not path.exists() or path.stat().st_size == 0:
            return ()
        with contextlib.closing(sqlite3.connect(path)) as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchone()[0], "ok")
            self.assertEqual(database.execute("PRAGMA foreign_key_check").fetchall(), [])
            known = {name for name, in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
            return tuple((table, database.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
                         for table in ("runs", "cases", "observations", "grades", "criteria", "seals") if table in known)

    def prepared(self):
        """Files for each command: a class of one, somebody's runs, a program."""
        right = solved(starter_of(3).read_text(), SOLUTIONS[2][2])
        self.write("in/ada.cu", right)
        self.write("in/bob.cu", right.replace("x ^ lane", "lane ^ x"))
        self.write("app.cu", PROGRAM)
        self.good(*QUICK, "--student", "ada", "--db", "ada.db")
        self.good("grade", "3", "in/ada.cu", "--db", "class.db")
        shutil.copy(self.folder / "class.db", self.folder / "before.db")

    def commands(self):
        """Words, and the file that they change."""
        return {"merge": (("merge", "ada.db", "--db", "class.db"), "class.db"),
                "report": (("report", "--db", "ada.db", "--output", "r.html", "--force"), "r.html"),
                "run": ((*QUICK, "--db", "class.db"), "class.db"),
                "grade": (("grade", "3", "in/bob.cu", "--db", "class.db", "--jobs", "1"), "class.db"),
                "exec": (("exec", "app.cu", "--db", "class.db", "--keep", "kept"), "class.db")}

    @staticmethod
    def is_between(name, before, now, after):
        """As before, or as after; of a run the cases that it had come to may be there, and no seal."""
        if now in (before, after):
            return True
        rows = [dict(one) for one in (before, now, after)]
        return name in ("run", "exec") and all(rows[0][key] <= rows[1][key] <= rows[2][key] for key in rows[0]) \
            and rows[1]["seals"] == rows[0]["seals"]

    def renew(self):
        for name in ("class.db", "class.db-journal", "r.html"):
            (self.folder / name).unlink(missing_ok=True)
        shutil.copy(self.folder / "before.db", self.folder / "class.db")
        shutil.rmtree(self.folder / "kept", ignore_errors=True)

    def whole(self, name):
        path = self.folder / name
        if name.endswith(".db"):
            return self.dump(path)
        return path.read_text()[-8:] if path.exists() else ()


@needs_toolkit
@needs_shim
class TheNth(Faults):
    """The n-th write, rename, sync, opening and allocation of `lab` fails, in five commands."""

    def failing(self, words, **more):
        return self.lab(*words, env=self.environment(LD_PRELOAD=SHIM, TMPDIR=str(self.folder), **more))

    def test_the_nth_call_fails(self):
        self.prepared()
        tries = {"merge": many(4, 60), "report": many(3, 40), "run": many(2, 30), "grade": many(1, 20), "exec": many(1, 15)}
        all_tries, unseen = 0, 0
        for name, (words, changed) in self.commands().items():
            self.renew()
            before = self.whole(changed)
            self.assertEqual(self.failing(words, LAB_FAIL_COUNT="count").status, 0, name)
            after = self.whole(changed)
            self.assertNotEqual(before, after)
            counts = dict(line.split() for line in (self.folder / "count").read_text().splitlines())
            for kind in KINDS:
                first = AFTER_TABLES if kind == "alloc" else 1
                for nth in self.drawn(first, int(counts[kind]), tries[name]):
                    fault = f"{kind}:{nth}:{ENOMEM if kind == 'alloc' else self.random.choice((EIO, ENOSPC))}"
                    with self.subTest(name, fault=fault):
                        self.renew()
                        done = self.failing(words, LAB_FAIL=fault)
                        all_tries += 1
                        unseen += done.status == 0
                        self.assertIn(done.status, (FINE, WRONG, MACHINE), done)
                        if done.status != 0:
                            self.assertIn("error: ", done.err)
                        now = self.whole(changed)
                        self.assertTrue(self.is_between(name, before, now, after), (before, now, after, done))
                        if done.status == 0:
                            self.assertEqual(now, after, done)
                        self.assertEqual([path.name for path in self.folder.glob(".*")], [])
        row("the n-th write, rename, sync, opening or allocation fails in run, grade, merge, exec, report", all_tries,
            f"exit 0 ({unseen}: what failed was not needed) or 3, each file as before or whole")

    def drawn(self, first, count, tries):
        """The first, the last, and some between: early ones are more often of a kind of their own."""
        if count - first < tries:
            return range(first, count + 1)
        between = {int(first * (count / first) ** self.random.random()) for _ in range(max(tries - 2, 0))}
        return sorted({first, count, *between})


@needs_toolkit
@needs_shim
class Power(Faults):
    """What was not synced is lost when the power goes: some writes of it may have come to the disk."""

    def test_power_is_lost_in_the_middle(self):
        self.prepared()
        tries, most = 0, many(40, 600)
        for name in ("merge", "run", "grade"):
            words, changed = self.commands()[name]
            self.renew()
            before = self.whole(changed)
            trace = self.folder / f"trace.{name}"
            self.assertEqual(self.lab(*words, env=self.environment(LD_PRELOAD=SHIM, LAB_FAIL_TRACE=str(trace))).status, 0)
            after = self.whole(changed)
            steps = self.steps(trace)
            for at in sorted({len(steps), *self.random.sample(range(len(steps)), min(most, len(steps)))}):
                with self.subTest(name, at=at):
                    tries += 1
                    self.renew()
                    self.lose_power(steps[:at])
                    now = self.dump(self.folder / changed)
                    self.assertTrue(self.is_between(name, before, now, after), (before, now, after))
                    if at == len(steps):
                        self.assertEqual(now, after)
                    elif tries % 20 == 0:
                        self.assertEqual(self.lab("runs", "--db", "class.db").status, 0)
        row("power is lost behind any write of run, grade, merge; what was not synced is there or not", tries,
            "the database is whole: as before, or with whole cases")

    def steps(self, trace):
        """(what, path, offset, bytes)"""
        data, at, steps = trace.read_bytes(), 0, []
        while at < len(data):
            what, length, offset, size, has_bytes = struct.unpack_from("5q", data, at)
            at += 40
            path = data[at:at + length].decode()
            at += length
            body = data[at:at + size] if has_bytes else b""
            at += len(body)
            if path.startswith(str(self.folder / "class.db")):
                steps.append((what, pathlib.Path(path), offset, body))
        return steps

    def lose_power(self, steps):
        """Of each file the synced writes, and by chance later ones. A name that is gone may be back: folders are
        synced at the machine's leisure, but no later than the next file."""
        write, cut, sync, unlink = 1, 2, 3, 4
        files = {}
        for what, path, offset, body in steps:
            if what == unlink:
                files.pop(path, None)
                path.unlink(missing_ok=True)
                continue
            durable, waiting = files.setdefault(path, [bytearray(path.read_bytes() if path.exists() else b""), []])
            if what == sync:
                for one in waiting:
                    self.put(durable, *one)
                waiting.clear()
            else:
                waiting.append((what == cut, offset, body))
        for path, (durable, waiting) in files.items():
            for one in waiting:
                if self.random.random() < 0.5:
                    self.put(durable, *one)
            path.write_bytes(durable)

    @staticmethod
    def put(durable, cuts, offset, body):
        if cuts:
            del durable[offset:]
            return
        durable.extend(bytes(max(0, offset + len(body) - len(durable))))
        durable[offset:offset + len(body)] = body


@needs_toolkit
class Disks(Faults):
    @contextlib.contextmanager
    def disk(self, size):
        place = pathlib.Path(tempfile.mkdtemp(prefix="lab_disk_"))
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "none", place], capture_output=True, check=False)
        try:
            if mounted.returncode != 0:
                self.skipTest("may not mount a small disk: " + mounted.stderr.decode().strip())
            yield place
        finally:
            subprocess.run(["umount", place], check=False, capture_output=True)
            shutil.rmtree(place, ignore_errors=True)

    def test_a_disk_that_is_full(self):
        self.prepared()
        size = (self.folder / "before.db").stat().st_size // 1024
        tries = 0
        for room in self.random.sample(range(4, 400, 4), many(4, 12)):
            for name in many(("merge", "report"), ("merge", "report", "run", "grade", "exec")):
                words, changed = self.commands()[name]
                with self.subTest(name, room=room), self.disk(size + room) as place:
                    tries += 1
                    shutil.copy(self.folder / "before.db", place / "class.db")
                    before = self.dump(place / "class.db")
                    moved = [str(place / word) if word in ("class.db", "r.html", "kept") else word for word in words]
                    done = self.lab(*moved)
                    self.assertIn(done.status, (FINE, MACHINE), done)
                    self.assertEqual("error" in done.err, done.status == MACHINE, done)
                    now = self.dump(place / "class.db")
                    if changed == "class.db" and done.status == FINE:
                        self.assertNotEqual(now, before)
                    elif changed == "class.db":  # whole cases of a run may be there, and no seal
                        self.assertEqual(dict(now)["seals"], dict(before)["seals"], done)
                        self.assertTrue(now == before or name in ("run", "exec"), done)
                    else:
                        self.assertEqual((place / "r.html").exists(), done.status == FINE, done)
        row("a disk with 4 to 400 KiB of room for run, grade, merge, exec, report", tries,
            "exit 0, or 3 and the file as before")

    @needs_nobody
    def test_what_may_only_be_read(self):
        self.prepared()
        shutil.copytree(self.folder, self.folder / "x", dirs_exist_ok=True, ignore=lambda *_: ["x", "cache"])
        tries = 0
        for what, mode in (("class.db", 0o444), (".", 0o555)):
            for name, (words, _) in self.commands().items():
                with self.subTest(name, what=what):
                    tries += 1
                    subprocess.run(["chown", "-R", "65534", self.folder], check=True)
                    os.chmod(self.folder, 0o755)
                    os.chmod(self.folder / what, mode)
                    before = self.dump(self.folder / "class.db")
                    env = self.environment(TMPDIR="/tmp", XDG_CACHE_HOME="/nonexistent")
                    done = self.lab(*words, prefix=NOBODY, env=env)
                    may = name == "report" and what == "class.db"
                    self.assertEqual(done.status, FINE if may else MACHINE, done)
                    self.assertEqual(self.dump(self.folder / "class.db"), before)
                    os.chmod(self.folder, 0o755)
                    os.chmod(self.folder / "class.db", 0o644)
        row("a database or a folder that may only be read", tries, "exit 3 by name; nothing is written")

    def test_a_lock_of_others(self):
        self.prepared()
        held = sqlite3.connect(self.folder / "class.db", isolation_level=None, check_same_thread=False)
        with contextlib.closing(held):
            tries = 0
            for words in (self.commands()["merge"][0], ("runs", "--db", "class.db"))[:many(1, 2)]:
                held.execute("BEGIN EXCLUSIVE")
                done = self.lab(*words)
                held.execute("ROLLBACK")
                tries += 1
                self.assertEqual(done.status, MACHINE, done)
                self.assertIn("locked by another process", done.err)
            # One that is given up in time is waited for.
            held.execute("BEGIN EXCLUSIVE")
            release = threading.Timer(1, lambda: held.execute("ROLLBACK"))
            release.start()
            self.assertEqual(self.lab(*self.commands()["merge"][0]).status, 0)
            release.join()
        row("a lock that another process keeps, or gives up after 1 s", tries + 1, "exit 3 by name; or waited for")

    def test_eight_writers(self):
        self.good(*QUICK, "--db", "one.db")
        one = dict(self.dump(self.folder / "one.db"))
        rounds = many(1, 5)
        for _ in range(rounds):
            writers = [subprocess.Popen([LAB, *QUICK, "--db", "all.db"], cwd=self.folder, env=self.environment(),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(8)]
            for writer in writers:
                _, said = writer.communicate()
                self.assertEqual(writer.returncode, 0, said)
        now = dict(self.dump(self.folder / "all.db"))
        self.assertEqual(now, {name: 8 * rounds * count for name, count in one.items()})
        self.assertEqual(self.lab("verify", "--sample", "1", "--db", "all.db").status, 0)
        row("8 writers to one database at once", 8 * rounds, "each run is there, whole and sealed")


@needs_toolkit
class Killed(Faults):
    """kill -9 at any time: what is stored is whole, the next call goes on, and nothing runs on."""

    def test_killed_at_any_time(self):
        self.prepared()
        tries = 0
        for name, often in (("merge", many(3, 20)), ("grade", many(2, 10)), ("exec", many(2, 10)), ("run", many(2, 10))):
            words, changed = self.commands()[name]
            self.renew()
            began = time.monotonic()
            self.assertEqual(self.lab(*words).status, 0)
            takes, after = time.monotonic() - began, self.whole(changed)
            for _ in range(often):
                self.renew()
                wait = self.random.uniform(0, takes)
                with self.subTest(name, wait=wait):
                    tries += 1
                    lab = subprocess.Popen([LAB, *words], cwd=self.folder, env=self.environment(), stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)
                    time.sleep(wait)
                    lab.send_signal(signal.SIGKILL)
                    lab.wait()
                    self.dump(self.folder / changed)
                    again = self.lab(*words, *(["--force"] if name == "exec" else []))
                    self.assertEqual(again.status, 0, again)
                    if name in ("grade", "merge"):  # which know what is there
                        self.assertEqual(self.whole(changed), after)
        row("kill -9 in run, grade, merge, exec", tries, "whole; the next call goes on, with the same gradebook")


@needs_toolkit
class Damaged(Faults):
    COMMANDS = (("runs",), ("verify", "--sample", "1"), ("query", "SELECT count(*) FROM compare"), ("report", "--output", "-"),
                ("grade", "3", "--again"), ("progress",))

    def test_pages_with_other_bytes(self):
        self.prepared()
        self.good("merge", "ada.db", "--db", "before.db")
        whole = (self.folder / "before.db").read_bytes()
        page = struct.unpack_from(">H", whole, 16)[0]
        tries = 0
        for _ in range(many(25, 3000)):
            bytes_ = bytearray(whole)
            for _ in range(self.random.randint(1, 8)):
                at = self.random.randrange(len(bytes_))
                if self.random.random() < 0.5:  # heads of pages decide most
                    at = at // page * page + self.random.randrange(64)
                bytes_[at] = self.random.randrange(256)
            if self.random.random() < 0.2:
                first, second = (self.random.randrange(len(bytes_) // page) * page for _ in range(2))
                bytes_[first:first + page] = bytes_[second:second + page]
            (self.folder / "d.db").write_bytes(bytes_)
            words = self.random.choice(self.COMMANDS)
            with self.subTest(words[0], n=tries):
                tries += 1
                done = self.lab(*words, "--db", "d.db", timeout=120)
                self.assertIn(done.status, (0, 1, 2, 3), done)
        row("a database with changed bytes and exchanged pages, in six commands", tries, "exit 0 to 3, never a fault of lab")

    def test_a_million_rows(self):
        self.prepared()
        rows = many(20_000, 1_000_000)
        with contextlib.closing(sqlite3.connect(self.folder / "ada.db")) as database:
            columns = [name for _, name, *_ in database.execute("PRAGMA table_info(cases)") if name != "id"]
            have = database.execute("SELECT count(*) FROM cases").fetchone()[0]
            values = ", ".join(f"position + i * {have}" if name == "position" else name for name in columns)
            database.execute(f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows // have})"
                             f" INSERT INTO cases({', '.join(columns)}) SELECT {values} FROM cases, n")
            database.commit()
        slowest = 0
        for words in (("runs",), ("query", "SELECT count(*) AS n FROM compare"), ("progress",)):
            began = time.monotonic()
            done = self.lab(*words, "--db", "ada.db")
            slowest = max(slowest, time.monotonic() - began)
            self.assertEqual(done.status, 0, done)
        row(f"a run with {rows} cases: runs, query, progress", 3, f"exit 0; slowest {slowest:.1f} s")


if __name__ == "__main__":
    unittest.main()
