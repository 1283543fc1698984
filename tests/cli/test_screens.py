"""lab run N is one screen: what a lecturer puts on a slide."""
import contextlib
import math
import pathlib
import re
import sqlite3
import sys
import tomllib
import unittest

from support import LabTest, ROOT, needs_toolkit, without_expected_times

LINES = 20  # of an 80 x 24 terminal with a prompt above and below
WIDTH = 80
PAGE = pathlib.Path(__file__).parent / "screens.txt"


@needs_toolkit
class Screens(LabTest):
    def setUp(self):
        super().setUp()
        self.labs = {int(path.parent.name[:2]): tomllib.loads(path.read_text())
                     for path in sorted((ROOT / "labs").glob("[0-9]*/lab.toml"))}

    screens = {}  # each is run once for all tests

    def screen(self, lab):
        if lab not in self.screens:
            self.screens[lab] = self.good("run", lab, "--no-store", "--backend", "model", "--arch", "sm_90")
        return self.screens[lab]

    def test_they_are_what_the_page_shows(self):
        """screens.txt has all twelve, as a lecturer sees them: `test_screens.py --write` makes it anew."""
        page = without_expected_times(PAGE.read_text(encoding="utf-8"))
        self.assertEqual(page.count(" T\n"), 4 * 6 + 5 * 2 + 3)  # of nine labs; 1 and 6 have five rows, 8 has three
        for lab in self.labs:
            with self.subTest(lab=lab):
                self.assertIn(without_expected_times(f"$ lab run {lab}\n{self.screen(lab)}\n"), page)
        self.assertEqual(page.count("$ lab run "), len(self.labs))

    def test_each_has_a_picture(self):
        """Bars, a curve or a map; one that is drawn is not all of one height."""
        for lab in self.labs:
            out = self.screen(lab)
            bars = [len(bar) for bar in re.findall(r" (#+)(?: |$)", out, re.M)]
            with self.subTest(lab=lab):
                self.assertTrue(len(set(bars)) > 1 or re.search(r"^bank +0 .*\nlane +\d", out, re.M) or
                                re.search(r"^ +32 \| *#\n( +\d+ \|[ #]+\n)+ +1 \+#+ stride", out, re.M), out)

    def test_a_stored_one_is_no_longer(self):
        self.assertLessEqual(len(self.good("run", "12", "--backend", "model").splitlines()), LINES)

    def test_a_stored_one_is_the_same_page(self):
        """Lesson, cases, picture and reasons: of a lab with bars, with a curve, and with a map of an access."""
        for number, lab in enumerate(("1", "3", "12"), 1):
            with self.subTest(lab=lab):
                ran = self.good("run", lab, "--backend", "model")
                self.assertIn(f"Stored as run {number}.", ran)
                self.assertEqual(self.good("runs", "last"), ran)

    def test_an_older_one_says_that_its_picture_is_missing(self):
        """Before pictures were kept, a run had the accesses of no case."""
        self.assertIn("\nlane ", self.good("run", "12", "--backend", "model"))
        with contextlib.closing(sqlite3.connect(self.folder / "lab.db")) as database, database:
            self.assertGreater(database.execute("DELETE FROM accesses").rowcount, 0)
        page = self.good("runs", "last")
        self.assertNotIn("\nlane ", page)
        self.assertIn("  The picture was not stored with this run: lab map 12 draws it.\n", page)

    def test_each_lab_is_a_screen(self):
        self.assertEqual(sorted(self.labs), list(range(1, 13)))
        for lab, data in self.labs.items():
            with self.subTest(lab=lab):
                out = self.screen(lab)
                lines = out.splitlines()
                self.assertLessEqual(len(lines), LINES, out)
                self.assertLessEqual(max(map(len, lines)), WIDTH, out)
                self.assertIn(" ".join(data["lesson"].split()), " ".join(out.split()))
                self.assertIn(f"Next: lab start {lab} ", out)
                # A column of the screen is one of the lab's headline metrics.
                self.assertTrue(set(data["screen"]["columns"]) & set(data["headline"]), lab)
                for reason in data["screen"]["because"]:
                    self.assertIn(reason["says"], out)

    def test_derivations_give_the_numbers_of_the_table(self):
        # The number behind `=` stands in the table, too: it is that cell's derivation.
        for lab in self.labs:
            out = self.screen(lab)
            parts = out.split("\n\n")
            table, rest = parts[1], parts[-1]
            numbers = set(re.findall(r"[\d.,]+", table))
            derived = re.findall(r"  (\S.*\S)  = +([\d.,]+)(?: +\w+)?$", rest, re.MULTILINE)
            self.assertTrue(derived, rest)
            for formula, number in derived:
                with self.subTest(lab=lab, formula=formula):
                    self.assertIn(number, numbers)
                    # What is put in gives the number, worked out by another program.
                    formula = formula.rpartition("  ")[2]
                    self.assertRegex(formula, r"^(gcd\(\d+, \d+\)|[\d ()*/+]+)$")
                    self.assertEqual(eval(formula, {"gcd": math.gcd}), float(number.replace(",", "")))

    def test_figures_to_remember(self):
        # labs/README.md: 1024 wavefronts, 256 merged, 32 in the other order; a tile of 32 reads
        # 1/20 of what naive does: 327,680 / 16,384.
        self.assertRegex(self.screen(6), r"(?s)thread_major +1,024 .*_plain +256 .*power_major +32 ")
        self.assertRegex(self.screen(7), r"(?s)naive +327,680 .*tiled_32 +16,384 ")

    def test_whoever_asks_for_more_gets_it(self):
        brief, whole = self.screen(4), self.good("run", "4", "--no-store", "--all", "--backend", "model")
        self.assertNotIn("tile16_swizzled", brief)
        self.assertIn("tile16_swizzled", whole)
        self.assertNotIn("Next: lab start", self.good("run", "4", "--no-store", "--variant", "copy"))

    def test_no_number_depends_on_the_host_s_threads(self):
        for lab in (5, 11):
            one = self.good("run", str(lab), "--no-store", "--threads", "1", "--backend", "model")
            self.assertEqual(one, self.good("run", str(lab), "--no-store", "--threads", "4",
                                            "--backend", "model"))


def write_page():
    """For whoever has changed a screen and looked at it."""
    asked = [Screens("screen") for _ in range(12)]
    for one in asked:
        one.setUp()
    PAGE.write_text("".join(f"$ lab run {lab}\n{one.screen(lab)}\n" for lab, one in enumerate(asked, 1)),
                    encoding="utf-8")
    for one in asked:
        one.doCleanups()


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    write_page()
elif __name__ == "__main__":
    unittest.main()
