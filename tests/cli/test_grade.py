"""lab grade: a class's submissions, whatever they do; what is stored of them, and what comes out."""
import csv
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import statistics
import subprocess
import time
import unittest
import warnings
import xml.etree.ElementTree as xml
import zipfile

from support import LAB, LabTest, PATIENCE, ROOT, needs_toolkit
from test_starters import SOLUTIONS, solved, starter_of

RIGHT = solved(starter_of(4).read_text(), SOLUTIONS[3][2])
RUBRIC = (ROOT / "labs/04_transpose/rubric.toml").read_text()
SLOW = RIGHT.replace(" + (sizeof(T) < 4 ? 4 / sizeof(T) : 1)", "")
HANGS = RIGHT.replace("  int x = ", "  for (volatile unsigned long long i = 1; i != 0; i += 2) {}\n  int x = ", 1)
# SIMD video instructions are not modelled.
REFUSED = RIGHT.replace("  int x = ", '  asm volatile("{.reg .b32 r; mov.b32 r, 1; vadd4.u32.u32.u32 r, r, r, r;}");\n  int x = ', 1)
RENAMED = RIGHT.replace("tile", "copied").replace("kCopied", "kTile").replace("// ", "//  my own work: ")


def script_of(name):
    """A script of tests/bench, which has no ending."""
    spec = importlib.util.spec_from_loader(name, importlib.machinery.SourceFileLoader(name, str(ROOT / "tests/bench" / name)))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def class_script():
    return script_of("grade_class")


@needs_toolkit
class Grade(LabTest):
    def setUp(self):
        super().setUp()
        (self.folder / "in").mkdir()

    def hand_in(self, **texts):
        for student, text in texts.items():
            self.write(f"in/{student}.cu", text)

    def grade(self, *more, **how):
        out = self.good("grade", 4, "in", "--db", "class.db", "--json", *more, **how)
        document = json.loads(out)
        return document, {one["student"]: one for one in document["grades"]}

    def statuses(self, *more, **how):
        return {student: (one["status"], one["points"]) for student, one in self.grade(*more, **how)[1].items()}

    def test_what_students_hand_in(self):
        theirs = '#include "../other/solution.cuh"\n' + RIGHT.replace("int x", "THEIRS x", 1)
        self.hand_in(ada=RIGHT, bob=SLOW, eve=theirs, fay=theirs.replace("solution", "nothing"),
                     gus='#include "../common/book.h"\n' + RIGHT, dan="int main() {}\n", kim=RIGHT.replace("int x", "imt x", 1), max=REFUSED, sam="")
        (self.folder / "other").mkdir()
        self.write("other/solution.cuh", "#define THEIRS int\n")
        (self.folder / "in/lin.cu").symlink_to(self.folder / "in/ada.cu")
        (self.folder / "in/pat_4711_late").mkdir()
        self.write("in/pat_4711_late/mine.cu", '#include "help.cuh"\n' + RIGHT)
        self.write("in/pat_4711_late/help.cuh", "#pragma once\n")
        self.write("roster.csv", "student,name\nada,\"Lovelace, Ada\"\npat,Pat\nzoe,Zoe\n")
        found = self.statuses("--students", "roster.csv")
        self.assertEqual(found, {
            "ada": ("ok", 100), "bob": ("ok", 50), "eve": ("not_compiled", 0), "fay": ("not_compiled", 0),
            "gus": ("ok", 100), "dan": ("no_kernel", 0),
            "kim": ("not_compiled", 0), "lin": ("manual", None), "max": ("manual", None), "pat": ("ok", 100),
            "sam": ("no_kernel", 0), "zoe": ("missing", 0)})
        with sqlite3.connect(self.folder / "class.db") as database:
            reasons = dict(database.execute("SELECT student, reason FROM gradebook"))
            self.assertIn('identifier "imt" is undefined', reasons["kim"])
            # A file outside of a submission is as none; whether there is one is not told.
            self.assertIn("it includes 'solution.cuh', which is not a part of the submission", reasons["eve"])
            self.assertEqual(reasons["eve"].replace("solution", "nothing").replace("eve", "fay"), reasons["fay"])
            self.assertIn("link", reasons["lin"])
            # A failed compilation is a run whose cases say so.
            self.assertEqual(database.execute("SELECT DISTINCT status FROM latest WHERE student = 'kim'").fetchall(),
                             [("not_compiled",)])
            # All that ran has its time and the memory of its process.
            seconds, memory = database.execute("SELECT seconds, memory_bytes FROM grades WHERE student = 'ada'").fetchone()
            self.assertGreater(seconds, 0)
            self.assertGreater(memory, 1 << 20)
        # What was graded is what runs again: nobody is accused of what the program did.
        self.good("verify", "--db", "class.db")

    def test_an_older_pass_does_not_stay_the_newest(self):
        self.hand_in(ada=RIGHT)
        self.assertEqual(self.statuses(), {"ada": ("ok", 100)})
        self.hand_in(ada=RIGHT.replace("int x", "oops x", 1))
        self.assertEqual(self.statuses(), {"ada": ("not_compiled", 0)})
        self.assertEqual(self.count("SELECT count(*) AS n FROM latest WHERE status = 'ok'", "class.db"), 0)

    def test_what_hangs_ends_with_its_budget(self):
        self.hand_in(ada=RIGHT, ben=HANGS)
        with self.spends_at_most(15):
            self.assertEqual(self.statuses("--budget", "2s", "--jobs", "2"), {"ada": ("ok", 100), "ben": ("timeout", 0)})

    def test_a_machine_that_stands_still_takes_no_points(self):
        self.hand_in(ben=HANGS)
        words = [LAB, "grade", "4", "in", "--db", "class.db", "--json", "--budget", "2s", "--jobs", "1"]
        with subprocess.Popen(words, cwd=self.folder, env=self.environment(), stdout=subprocess.PIPE) as grading:
            worker = self.child_of(grading.pid)
            os.kill(worker, signal.SIGSTOP)
            out = grading.communicate(timeout=PATIENCE)[0]
        one = json.loads(out)["grades"][0]
        self.assertEqual((one["status"], one["points"]), ("manual", None))
        self.assertIn("the machine gave it no processor time for 6 s", one["reason"])
        # The next call takes it up again: here it spends its two seconds.
        self.assertEqual(self.statuses("--budget", "2s"), {"ben": ("timeout", 0)})

    def child_of(self, pid):
        """The process that has been started last by `pid`, once there is one that computes."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            for name in os.listdir("/proc"):
                try:
                    fields = pathlib.Path("/proc", name, "stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
                except (OSError, IndexError):
                    continue
                ticks = int(fields[11]) + int(fields[12])
                if name.isdigit() and int(fields[1]) == pid and ticks > 20:
                    return int(name)
            time.sleep(0.02)
        self.fail("no worker computes")

    def test_what_is_done_is_not_done_again(self):
        self.hand_in(ada=RIGHT, bob=SLOW)
        self.assertEqual(self.grade()[0]["graded"], 2)
        self.assertEqual((self.grade()[0]["graded"], self.grade()[0]["kept"]), (0, 2))
        self.hand_in(bob=RIGHT + "// better\n")
        document, grades = self.grade()
        self.assertEqual((document["graded"], document["kept"], grades["bob"]["points"]), (1, 1, 100))
        self.assertEqual(self.grade("--again")[0]["graded"], 2)

    def test_every_shape_is_the_same_class(self):
        """A share of tests/bench/shapes, which has 300 students and packs every shape into an archive, too."""
        shapes = script_of("shapes")
        script = class_script()
        folder = script.make_class(self.folder, 24)
        one = shapes.Class(os.environ["LAB_BIN"], folder, 4, "5s", self.environment())
        # Students 2, 6, 10, 14, 18 and 22, each of another kind; nobody hangs or is hostile among them.
        self.assertEqual(one.students, ["s002", "s006", "s010", "s014", "s018", "s022"])
        right, wrong, told = shapes.compare(one, packed=("deep", "canvas", "gradescope"))
        self.assertEqual((len(right), wrong), (6, []))
        self.assertEqual(len(told), len(shapes.SHAPES) + 3)
        # Each text was known again: nothing ran twice.
        self.assertTrue(all(line.endswith(" 0 graded anew") for line in told), told)
        # Another grader: another folder and database, one submission at a time.
        (self.folder / "elsewhere").mkdir()
        elsewhere = shapes.Class(os.environ["LAB_BIN"], script.make_class(self.folder / "elsewhere", 24), 4, "5s", self.environment())
        self.assertEqual(elsewhere.grade("again", elsewhere.folder / "lab4", elsewhere.roster,
                                         self.folder / "elsewhere.db", "--jobs", "1")[0], right)

    def test_archives_stay_within_their_bounds(self):
        def zipped(**names):
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                for name, data in names.items():
                    archive.writestr(name, data)
            return packed.getvalue()
        link = zipfile.ZipInfo("k.cu")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        linked = io.BytesIO()
        with zipfile.ZipFile(linked, "w") as archive:
            archive.writestr(link, "/etc/passwd")
        twice = io.BytesIO()
        with zipfile.ZipFile(twice, "w") as archive, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            archive.writestr("k.cu", RIGHT)
            archive.writestr("k.cu", SLOW)
        locked = bytearray(zipped(**{"k.cu": RIGHT}))
        for place in (locked.index(b"PK\3\4") + 6, locked.index(b"PK\1\2") + 8):
            locked[place] |= 1
        within = zipped(**{"k.cu": RIGHT})
        for _ in range(10):
            within = zipped(**{"in.zip": within})
        archives = {
            "out": (zipped(**{"../../evil.cu": RIGHT}), "out.zip cannot be unpacked: a name in it leads out of its folder"),
            "root": (zipped(**{"/tmp/evil.cu": RIGHT}), "leads out of its folder"),
            "drive": (zipped(**{"C:\\evil.cu": RIGHT}), "leads out of its folder"),
            "back": (zipped(**{"a\\..\\..\\evil.cu": RIGHT}), "leads out of its folder"),
            "link": (linked.getvalue(), "the folder is empty"),
            "twice": (twice.getvalue(), "two files in it have one name"),
            "locked": (bytes(locked), "it is encrypted"),
            "bomb": (zipped(**{f"{i}.cu": b"\0" * (10 << 20) for i in range(7)}), "it holds too much"),
            "many": (zipped(**{f"{i}.cu": "" for i in range(2001)}), "it holds too many files"),
            "cut": (zipped(**{"k.cu": RIGHT})[:200], "it is no zip archive, or damaged"),
            "deep": (within, "it holds more than 2000 files, or folders 8 deep")}
        (self.folder / "in").mkdir(exist_ok=True)
        before = set(self.folder.parent.glob("evil*")) | set(pathlib.Path("/tmp").glob("evil*"))
        for name, (data, _) in archives.items():
            self.write(f"in/{name}.zip", data)
        _, grades = self.grade()
        self.assertEqual(grades.keys(), archives.keys())
        for name, (_, told) in archives.items():
            empty = name == "link"
            self.assertEqual((grades[name]["status"], grades[name]["points"]), ("no_kernel", 0) if empty else ("manual", None), name)
            self.assertIn(told, grades[name]["reason"])
        self.assertEqual(set(self.folder.parent.glob("evil*")) | set(pathlib.Path("/tmp").glob("evil*")), before)
        self.assertEqual(list(self.folder.glob("**/evil*")), [])

    def test_who_is_not_on_the_roster_is_said(self):
        self.hand_in(adda="")
        self.write("roster.csv", "student\nada\nbob\n")
        done = self.lab("grade", 4, "in", "--db", "class.db", "--students", "roster.csv")
        self.assertEqual((done.status, done.err), (0, "note: adda is not on the roster: in/adda.cu; did you mean 'ada'?\n"))

    def test_gradebooks_of_the_platforms(self):
        self.hand_in(ada=RIGHT, max=REFUSED)
        self.write("canvas.csv", "Student,ID,SIS User ID,SIS Login ID,Section,Lab 40 (8),Lab 4 (77)\n    Points Possible,,,,,10,100\n"
                   "\"Lovelace, Ada\",4711,S1,ada,A,,\n\"Planck, Max\",4712,S2,max,A,,\n")
        self.grade("--students", "canvas.csv", "--out", "out")
        self.assertEqual((self.folder / "out/canvas.csv").read_text(),
                         "Student,ID,SIS User ID,SIS Login ID,Section,Lab 4 (77)\n    Points Possible,,,,,100\n"
                         "\"Lovelace, Ada\",4711,S1,ada,A,100\n\"Planck, Max\",4712,S2,max,A,\n")
        self.write("moodle.csv", "Identifier,Full name,ID number,Email address,Status,Grade,Maximum grade,Last modified (grade)\n"
                   "Participant 9,Ada Lovelace,ada,a@x.edu,Submitted,,100,-\nParticipant 8,Max Planck,max,m@x.edu,Submitted,,100,-\n")
        self.grade("--students", "moodle.csv", "--out", "out")
        rows = list(csv.DictReader((self.folder / "out/moodle.csv").read_text().splitlines()))
        self.assertEqual([(row["Identifier"], row["Grade"], row["Maximum grade"]) for row in rows],
                         [("Participant 9", "100", "100"), ("Participant 8", "", "100")])
        self.write("d2l.csv", "OrgDefinedId,Username,Last Name,First Name\n#1,#ada,Lovelace,Ada\n#2,#max,Planck,Max\n")
        self.grade("--students", "d2l.csv", "--out", "out")
        self.assertEqual((self.folder / "out/brightspace.csv").read_text(),
                         "OrgDefinedId,Username,Lab 4 Points Grade,End-of-Line Indicator\n#1,#ada,100,#\n#2,#max,,#\n")

    def test_copies(self):
        own = "\n".join(f"  const float mine{i} = rows * {i}.25f + cols * {i + 1}.5f - threadIdx.x;" for i in range(8)) + "\n"
        self.hand_in(ada=RIGHT.replace("  int x = ", own + "  int x = ", 1), bob=SLOW, eve="oops",
                     zoe=RIGHT.replace("  int x = ", own.replace("mine", "yours").replace("rows * ", "1 * rows * ") + "  int x = ", 1))
        self.write("in/cat.cu", (self.folder / "in/ada.cu").read_text())
        self.grade()
        clusters = json.loads(self.good("copies", 4, "--db", "class.db", "--json"))["clusters"]
        self.assertIn(["ada", "cat"], [one["students"][:2] for one in clusters])
        shutil.copy(self.folder / "class.db", self.folder / "last.db")
        out = self.good("copies", 4, "--db", "class.db", "--with", "last.db")
        self.assertIn("ada (last.db)", out)

    def test_feedback_says_what_is_missing(self):
        self.hand_in(dan=RIGHT.replace("void padded(", "void paded("), 
                     kim=RIGHT.replace("  int x = ", "".join(f"  imt x{i};\n" for i in range(500)) + "  int x = ", 1))
        self.grade("--out", "out")
        told = (self.folder / "out/feedback/dan.md").read_text()
        self.assertIn("__global__ void padded(const T* in, T* out, int rows, int cols)", told)
        self.assertNotIn("read_coalesced", told)  # the one that is wanted, not all of the lab's
        compiled = (self.folder / "out/feedback/kim.md").read_text()
        self.assertLess(len(compiled), 1500)
        line = next(n for n, text in enumerate(RIGHT.splitlines(), 1) if "  int x = " in text)
        self.assertRegex(compiled, rf"kim.cu[(:]{line}\b.*imt")
        self.assertRegex(compiled, r"and \d+ errors more")

    def test_killed_and_resumed(self):
        script = class_script()
        folder = script.make_class(self.folder / "in", 16)
        env = self.environment()
        whole = script.grade(os.environ["LAB_BIN"], folder, "whole", "2s", 0, env)
        parts = script.grade(os.environ["LAB_BIN"], folder, "parts", "2s", 3, env)
        self.assertEqual(whole, parts)
        self.assertEqual(sum(len(book.splitlines()) - 1 for book in whole), 16)

    def test_outputs(self):
        self.hand_in(ada=RIGHT, bob=SLOW, max=REFUSED)
        self.write("in/=cmd.cu", SLOW)
        self.grade("--out", "out")
        rows = list(csv.DictReader((self.folder / "out/gradebook.csv").read_text().splitlines()))
        self.assertEqual([(row["student"], row["total"]) for row in rows],
                         [("'=cmd", "50"), ("ada", "100"), ("bob", "50"), ("max", "")])
        self.assertEqual(rows[2]["The tile is read without bank conflicts"], "0")
        suite = xml.parse(self.folder / "out/junit.xml").getroot()[0]
        # Two without the padding, each misses two of nine: conflicts are wavefronts, too. max's are open.
        self.assertEqual([suite.get(key) for key in ("tests", "failures", "skipped")], ["36", "4", "9"])
        result = json.loads((self.folder / "out/gradescope/bob.json").read_text())
        self.assertEqual((result["score"], sum(test["score"] for test in result["tests"])), (50, 50))
        self.assertEqual(sum(test["max_score"] for test in result["tests"]), 100)
        # Without a score the platform would say that the autograder failed.
        open_one = json.loads((self.folder / "out/gradescope/max.json").read_text())
        self.assertEqual((open_one["score"], open_one["visibility"]), (0, "after_published"))
        self.assertFalse([test for test in open_one["tests"] if "score" in test])
        feedback = (self.folder / "out/feedback/bob.md").read_text()
        line = next(n for n, text in enumerate(SLOW.splitlines(), 1) if "tile[threadIdx.x]" in text)
        self.assertIn(f"Line {line}: ", feedback)  # what to change, and where
        self.assertIn("In which banks", feedback)  # the rubric's words
        # One cause once, in plain words, and not what to write. A column of 32 rows of 32 words is in one bank.
        self.assertEqual(feedback.count("Each load of shared memory takes 32 turns; 1 is possible"), 1, feedback)
        for solution in ("padd", "one more word", "kTile + "):
            self.assertNotIn(solution, feedback.lower().replace("\n    ", " "))
        self.assertIn("<table>", (self.folder / "out/gradebook.html").read_text())
        self.assertTrue((self.folder / "out/feedback/%3Dcmd.md").exists())

    def test_each_student_has_files_of_their_own(self):
        """Names that differ in odd characters alone, or in capitals, are names of different people."""
        points = {"x y": 100, "x#y": 0, "x_y": 50, "Ada": 100, "ada": 0}
        texts = {100: RIGHT, 50: SLOW, 0: "oops\n"}
        for number, (student, total) in enumerate(points.items()):
            (self.folder / "in" / student).mkdir()
            self.write(f"in/{student}/swizzle.cu", texts[total] + f"// {number}\n")
        folders = [f"in/{student}" for student in points]  # as a shell writes in/*
        self.good("grade", 4, *folders, "--db", "class.db", "--out", "out")
        rows = csv.DictReader((self.folder / "out/gradebook.csv").read_text().splitlines())
        self.assertEqual({row["student"]: float(row["total"]) for row in rows}, points)
        for folder in ("feedback", "gradescope"):
            names = [path.name.lower() for path in (self.folder / "out" / folder).iterdir()]
            self.assertEqual((len(names), len(set(names))), (5, 5), names)
        for stem, student in {"x%20y": "x y", "x%23y": "x#y", "x_y": "x_y", "Ada~1": "Ada", "ada": "ada"}.items():
            result = json.loads((self.folder / f"out/gradescope/{stem}.json").read_text())
            self.assertEqual(result["score"], points[student], student)
            text = (self.folder / f"out/feedback/{stem}.md").read_text().replace("\\", "")
            self.assertIn(f"{student}: **{points[student]} of 100**", text)
        # All of them at once is the same.
        self.assertIn("0 graded now, 5 kept", self.good("grade", 4, "in", "--db", "class.db"))

    def test_two_submissions_of_one_name_are_an_error(self):
        for student in ("ada", "bob"):
            (self.folder / "in" / student).mkdir()
            self.write(f"in/{student}/swizzle.cu", RIGHT)
        self.fails(2, "error: two submissions are of the student 'swizzle': 'in/ada/swizzle.cu' and "
                      "'in/bob/swizzle.cu'\nhint: name each after its student, or put it into a folder of that name\n",
                   "grade", 4, "in/ada/swizzle.cu", "in/bob/swizzle.cu", "--db", "class.db")
        self.assertFalse((self.folder / "class.db").exists())
        # Of a folder alone with one file, whose it is can be read either way: what was concluded is said.
        alone = self.lab("grade", 4, "in/ada", "--db", "class.db")
        self.assertEqual((alone.status, alone.err), (
            0, "note: in/ada/swizzle.cu is taken as the student swizzle's; where its folder is the student's, grade the "
               "folder above, or name a roster\n"))

    def test_a_file_called_as_an_option(self):
        self.hand_in(**{name: RIGHT + f"// {name}\n" for name in ("-rf", "-v", "--output-file=x", "@x")})
        (self.folder / "in/pat").mkdir()
        self.write("in/pat/-I.cu", '#include "help.cuh"\n' + RIGHT)
        self.write("in/pat/help.cuh", "#pragma once\n")
        statuses = self.statuses()
        self.assertEqual((len(statuses), set(statuses.values())), (5, {("ok", 100)}))

    def test_hidden_sizes_are_not_told(self):
        # Right at the sizes that students know (rows 97 and 256), wrong at 64.
        self.hand_in(ada=RIGHT.replace("  int x = ", "  if (rows == 64) return;\n  int x = ", 1))
        self.assertEqual(self.statuses("--out", "out"), {"ada": ("wrong", 0)})
        for name in ("feedback/ada.md", "gradescope/ada.json"):
            text = (self.folder / "out" / name).read_text()
            self.assertIn("not told", text)
            self.assertNotIn("64", text)

    def test_stored_runs_get_the_points_of_another_rubric(self):
        self.hand_in(ada=RIGHT, bob=SLOW, kim="oops")
        self.grade()
        self.write("new.toml", RUBRIC.replace("partial = [{ min_excess = 1, max_excess = 2, points = 10 }]",
                                              "partial = [{ min_excess = 1, max_excess = 32, points = 15 }]"))
        out = self.good("grade", 4, "--again", "--db", "class.db", "--rubric", "new.toml", "--dry-run")
        self.assertEqual(out, "  bob: 50 -> 65 of 100\n1 of 3 grades would change.\n")
        self.assertEqual(self.statuses()["bob"], ("ok", 50))
        self.assertEqual(self.good("grade", 4, "--again", "--db", "class.db", "--rubric", "new.toml").splitlines()[-1],
                         "1 of 3 grades changed.")
        self.assertEqual(self.statuses("--rubric", "new.toml")["bob"], ("ok", 65))
        # A size that was not run is not made up.
        self.write("more.toml", RUBRIC.replace("rows = 64", "rows = 63"))
        done = self.lab("grade", 4, "--again", "--db", "class.db", "--rubric", "more.toml", "--dry-run")
        self.assertEqual(done.status, 2)
        self.assertIn("a case that was not run", done.err)
        self.fails(2, "error: there is no submission to grade\n"
                      "hint: lab grade 4 submissions/; or lab grade 4 --again, for stored runs\n", "grade", 4)
        self.fails(2, "error: --dry-run goes with --again and no submissions\n"
                      "hint: lab grade 4 submissions/; or lab grade 4 --again, for stored runs\n",
                   "grade", 4, "class", "--dry-run", "--again")

    def test_a_wrong_rubric_is_told_with_its_place(self):
        self.hand_in(ada=RIGHT)
        for old, new, told in [
                ("max_excess = 1.05", "max_exces = 1.05", "there is no key 'max_exces' here"),
                ('variant = "padded"\nparams', 'variant = "paded"\nparams', "lab 4 has no variant 'paded'"),
                ("rows = 64", "row = 64", "row"),
                ("pass = 60", "pass = 600", "'pass' is above the 100 points"),
                ("points = 5 }]", "points = 80 }]", "partial credit is less than the 10 points"),
                ('"Stores run along rows", "L', '"Store run along rows", "L', "there is no criterion 'Store run along rows'")]:
            with self.subTest(new):
                self.write("rubric.toml", RUBRIC.replace(old, new, 1))
                done = self.lab("grade", 4, "in", "--db", "class.db", "--rubric", "rubric.toml")
                self.assertEqual((done.status, done.out), (2, ""), done)
                self.assertRegex(done.err, r"^rubric.toml:\d+:\d+: error: ")
                self.assertIn(told, done.err)

    def test_an_array_of_slurms_tasks(self):
        """By an sbatch that runs the tasks one after the other, here: what it is asked for, and what of
        the class's database a part gets."""
        self.hand_in(ada=RIGHT)
        self.write("seeded.toml", "seed = 5\n" + RUBRIC)
        words = ("grade", 4, "in/ada.cu", "--rubric", "seeded.toml", "--db", "class.db")
        self.good(*words)
        self.write("in/bob.cu", SLOW)
        (self.folder / "bin").mkdir()
        self.write("bin/sbatch", "#!/bin/sh\necho \"$@\" > asked\nfor last; do :; done\n"
                   "for i in 1 2 3; do\n  SLURM_ARRAY_TASK_ID=$i sh $last > $last.$i.log 2>&1\ndone\n"
                   "echo Submitted batch job 1\n").chmod(0o755)
        env = self.environment(PATH=f"{self.folder}/bin:{os.environ['PATH']}")
        # ada, bob: parts 1 and 3 of three, or whichever their names' hashes say; at least one part is empty.
        out = self.good(*words, "in/bob.cu", "--engine", "slurm", "--parts", 3, "--partition", "short",
                        "--task-time", "30", "--task-memory", "2G", env=env)
        self.assertIn("0 graded now, 2 kept from before. In all: 2 ok.", out)
        asked = (self.folder / "asked").read_text()
        self.assertIn("--time=30 --mem=2G --partition=short", asked)
        self.assertEqual(len(list((self.folder / "class.db.parts").glob("*.done"))), 3)
        runs = [self.count("SELECT count(*) FROM runs", f"class.db.parts/part-{part}.db") for part in (1, 2, 3)]
        self.assertEqual(sum(runs), 1)  # bob's: ada's grade was there, and her run was not taken along
        self.assertEqual(self.count("SELECT count(*) FROM grades", "class.db"), 2)

    def test_parts_of_a_class_are_put_together(self):
        self.write("seeded.toml", "seed = 5\n" + RUBRIC)
        self.hand_in(ada=RIGHT, bob=SLOW, cat=RIGHT + "// cat's\n", dan="oops", eve=SLOW + "// eve's\n")
        self.write("roster.csv", "student\nada\nbob\nzoe\n")
        words = ("grade", 4, "in", "--students", "roster.csv", "--rubric", "seeded.toml")
        self.good(*words, "--db", "whole.db", "--out", "whole")
        for part in ("1/2", "2/2"):
            self.good(*words, "--db", f"part{part[0]}.db", "--shard", part)
        sizes = [self.count("SELECT count(*) AS n FROM gradebook", f"part{part}.db") for part in (1, 2)]
        self.assertEqual((sum(sizes), min(sizes) > 0), (6, True))
        for _ in range(2):  # the second time changes nothing
            self.good("merge", "part1.db", "part2.db", "--db", "merged.db", "--grades")
        self.assertEqual(self.count("SELECT count(*) AS n FROM grades", "merged.db"), 6)
        out = self.good(*words, "--db", "merged.db", "--out", "merged")
        self.assertIn("0 graded now, 6 kept from before", out)
        self.assertEqual((self.folder / "whole/gradebook.csv").read_bytes(),
                         (self.folder / "merged/gradebook.csv").read_bytes())
        # Without the grader's word, a database's grades are not taken: it may be a student's.
        self.good("merge", "part1.db", "--db", "plain.db")
        self.assertEqual(self.count("SELECT count(*) AS n FROM grades", "plain.db"), 0)

    def test_grades_sealed_with_a_key_are_taken_and_edited_ones_found(self):
        self.hand_in(ada=RIGHT, bob=SLOW)
        keyed = self.environment(LAB_SEAL_KEY="sesame")
        self.grade(env=keyed)
        out = self.good("merge", "class.db", "--db", "course.db", env=keyed)
        self.assertIn("  2 grades\n", out)
        # Whoever has no such key may have made them: they are left out, and it is said.
        out = self.good("merge", "class.db", "--db", "plain.db")
        self.assertIn("  2 grades left out, which LAB_SEAL_KEY has not sealed; --grades takes them\n", out)
        self.good("verify", "--db", "course.db", "--sample", "1", env=keyed)
        with sqlite3.connect(self.folder / "course.db") as database:
            database.execute("UPDATE grades SET points = 100 WHERE student = 'bob'")
        result = self.lab("verify", "--db", "course.db", "--sample", "1", env=keyed)
        self.assertEqual(result.status, 1, result)
        self.assertRegex(result.out, r"file: grade \d \(bob, lab 4\) was edited: what is stored is not what was sealed\n")
        self.assertNotIn("ada", result.out)
        result = self.lab("merge", "course.db", "--db", "more.db", "--grades", env=keyed)
        self.assertEqual(result.status, 1, result)
        self.assertIn("not taken: grade of 'bob', lab 4: edited: ", result.out)
        self.assertEqual(self.count("SELECT group_concat(student) FROM grades", "more.db"), "ada")

    def test_submit(self):
        self.write("mine.cu", SLOW)
        out = self.good("submit", 4, "--kernel", "mine.cu", "--student", "ada", "--out", "in")
        self.assertIn("At the sizes that are told: 50 of 100.", out)
        self.assertEqual((self.folder / "in/ada.cu").read_text(), SLOW)
        record = json.loads((self.folder / "in/ada.json").read_text())
        self.assertEqual((record["lab"], record["student"], record["points"]), (4, "ada", 50))
        self.assertEqual(self.statuses(), {"ada": ("ok", 50)})
        # Right where students can see, wrong at a hidden size: they are not told.
        self.write("mine.cu", RIGHT.replace("  int x = ", "  if (rows == 64) return;\n  int x = ", 1))
        self.assertIn(": 100 of 100.", self.good("submit", 4, "--kernel", "mine.cu", "--student", "bob"))
        for text, told in [("__global__ void other() {}\n", "none of the kernels"), (RIGHT.replace("int x", "imt x", 1), "imt"),
                           ('#include "h.cuh"\n' + RIGHT, "one file is handed in")]:
            self.write("mine.cu", text)
            self.write("h.cuh", "// mine\n")
            done = self.lab("submit", 4, "--kernel", "mine.cu", "--student", "eve")
            self.assertEqual((done.status, (self.folder / "eve.cu").exists()), (2, False), done)
            self.assertIn(told, done.err)
        # A file of the student's is not what was handed in before.
        self.write("mine.cu", RIGHT)
        self.write("zoe.cu", "// mine\n")
        words = ("submit", 4, "--kernel", "mine.cu", "--student", "zoe")
        self.fails(2, "error: './zoe.cu' is not written: it is a source that is there already\n"
                      "hint: take another name, or --force replaces it\n", *words)
        self.assertEqual((self.folder / "zoe.cu").read_text(), "// mine\n")
        self.good(*words, "--force")
        self.write("mine.cu", SLOW)
        self.good(*words)
        self.assertEqual((self.folder / "zoe.cu").read_text(), SLOW)

    def test_a_graders_questions(self):
        """Those of db/README.md, in SQLite as it comes: the views need nothing of ours."""
        self.hand_in(ada=RIGHT, bob=SLOW, cat=RENAMED, dan="int main() {}\n", kim="oops", max=REFUSED,
                     own=(ROOT / "labs/04_transpose/kernels.cu").read_text(), tim=HANGS,
                     rae=RIGHT.replace("  __syncthreads();\n", "", 1))
        self.write("roster.csv", "student,name\nada,Ada\nzoe,Zoe\n")
        self.grade("--students", "roster.csv", "--budget", "2s")
        database = sqlite3.connect(self.folder / "class.db")
        database.executescript("INSERT INTO deadlines(lab, due) VALUES (4, '2020-01-01T00:00:00Z');"
                               "INSERT INTO adjustments(student, lab, points, reason) VALUES ('bob', 4, 5, 'appeal')")
        page = (ROOT / "db/README.md").read_text()
        page = page[page.index("### A grader's questions"):page.index("## Queries")]
        asked = re.findall(r"^([^\n]*\?)\n```sql\n(.*?)\n```", page, re.M | re.S)
        self.assertEqual(len(asked), 15)
        answers = {}
        for question, sql in asked:
            self.assertNotIn("\n", sql, "one line each")
            answers[question] = database.execute(sql).fetchall()
            self.assertTrue(answers[question] or "far from" in question, question)
        self.assertEqual(answers["Who is missing?"], [("zoe", "Zoe")])
        self.assertEqual({row[0] for row in answers["Whose code does not compile, and why?"]}, {"dan", "kim"})
        self.assertTrue(any({"ada", "cat"} <= set(row[0].split(", ")) for row in answers["Who copied: the same code under other names?"]))
        self.assertTrue(any("own" in row[0].split(", ") for row in answers["Who handed in the lab's own solution?"]))
        self.assertEqual(answers["What has a person to look at?"][0][:2], ("max", 4))
        self.assertEqual([row[0] for row in answers["Whose kernel races or leaves its buffers, and where?"]][:1], ["rae"])
        self.assertEqual(answers["Whose kernel hangs or takes long?"][0][:2], ("tim", "timeout"))
        # 50 by the rubric and 5 by appeal.
        self.assertIn(("bob", 55), [row[:2] for row in answers["What does each student have over all labs?"]])
        # Who is far from the middle is worked out from what is off target: as by the middle of all values,
        # wherever the middle lies.
        right = ("SELECT lab, variant, params, metric, student, excess, v.rowid_of FROM (SELECT case_id, metric, excess,"
                 " case_id || ' ' || metric AS rowid_of FROM verdicts WHERE excess NOTNULL) v"
                 " JOIN cases c ON c.id = v.case_id JOIN grades g USING (run_id) WHERE c.status = 1")
        chance = random.Random(34)
        for usual in (1, 4, 0.25):
            for *_, key in database.execute(right).fetchall():
                case, metric = key.split(" ")
                database.execute("UPDATE verdicts SET excess = ? WHERE case_id = ? AND metric = ?",
                                 (chance.choice((usual, usual, 0.125, 0.5, 1, 2, 4, 8)), case, metric))
            groups = {}
            for lab, variant, params, metric, student, excess, _ in database.execute(right):
                groups.setdefault((lab, variant, params, metric), []).append((student, excess))
            expected = [(student, *group, excess, middle) for group, all_ in groups.items()
                        for middle in [statistics.median(excess for _, excess in all_)]
                        for student, excess in all_ if excess > 2 * middle or 2 * excess < middle]
            self.assertTrue(expected)
            self.assertEqual(sorted(database.execute("SELECT * FROM outliers")), sorted(expected))
        database.rollback()
        # Copies of last year's class.
        shutil.copy(self.folder / "class.db", self.folder / "old.db")
        database.execute("ATTACH ? AS old", (str(self.folder / "old.db"),))
        same = database.execute("SELECT count(*) FROM main.fingerprints a JOIN old.fingerprints b"
                                " USING (lab, kernel, sha256) WHERE a.student = 'cat' AND b.student = 'ada'")
        self.assertGreater(same.fetchone()[0], 0)
        database.close()
        # And lab query reads the same.
        self.assertEqual(self.count("SELECT total FROM gradebook WHERE student = 'bob'", "class.db"), 55)


if __name__ == "__main__":
    unittest.main()
