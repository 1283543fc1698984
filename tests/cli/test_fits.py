"""What every command prints by default fits a terminal of 80 columns and, of the two read most, a page.

`python3 tests/cli/test_fits.py --table` prints lines and widths of all of them.
"""
import sys
import tarfile
import unicodedata
import unittest

from support import LabTest, ROOT, needs_toolkit

COLUMNS = 80
RUN_LINES = 60   # of `lab run N`
SHOW_LINES = 80  # of `lab show N`
LABS = range(1, 13)
# A query is as wide as what it asks for; --sass and --formulas are long on purpose.
PLAIN = [("list",), ("metrics",), ("metrics", "dram_read_bytes"), ("metrics", "short_scoreboard"),
         ("doctor",), ("show", "1", "--formula", "global_load_sectors"),
         ("show", "3", "--variant", "stride"), ("show", "9", "--variant", "figure")]
MODELLED = [("map", lab) for lab in ("1", "3", "4", "7")] + [("explain", lab) for lab in ("3", "7")] + [
    ("fix", "3", "--variant", "column"), ("fix", "4", "--variant", "shared_store"), ("fix", "7"),
    ("map", "4", "--variant", "shared_store", "--matrix"), ("map", "4", "--cc", "all")]
STORED = [("runs",), ("progress",), ("compare",), ("compare", "3", "--variant", "stride"), ("compare", "1", "1"), ("verify", "2")]
COMMANDS = ("calibrate", "check", "compare", "completion", "copies", "doctor", "explain", "guess", "hint", "grade", "fix", "import", "list", "man", "map", "merge", "metrics",
            "ncu", "probe", "progress", "query", "quiz", "report", "run", "runs", "show", "start", "submit", "verify", "watch")


def width_of(line):
    """Columns of a terminal: East Asian wide characters take two, combining marks none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
               for c in line)


class Fits(LabTest):
    def printed(self, *words, database=None):
        """The lines of a command that succeeds; the checkout's place counts as a short one."""
        env = self.environment(COLUMNS=str(COLUMNS), LAB_DB=str(database or self.folder / "lab.db"))
        text = self.good(*words, env=env)
        return text.replace(str(ROOT), "/lab").replace(str(self.folder), "/tmp").splitlines()

    def expect_fits(self, lines, most, words):
        for line in lines:
            self.assertLessEqual(width_of(line), COLUMNS, f"{words}: {line}")
        if most:
            self.assertLessEqual(len(lines), most, words)

    def measured(self):
        """The database of an H200's runs of all labs."""
        with tarfile.open(ROOT / "tests/fixtures/h200/h200.db.tar.xz") as archive:
            path = self.folder / "h200.db"
            path.write_bytes(archive.extractfile("h200.db").read())
        return path

    def rows(self):
        """(words, most lines or None, printed lines) of each command that needs no GPU."""
        for words in [("--help",)] + [(command, "--help") for command in COMMANDS] + PLAIN:
            yield words, None, self.printed(*words)
        for lab in LABS:
            yield ("show", lab), SHOW_LINES, self.printed("show", lab)
            for part in ("--handout", "--answers"):
                yield ("show", lab, part), None, self.printed("show", lab, part)
            yield ("start", lab), None, self.printed("start", lab)
            for hint in (("--number", "1"), ("--number", "3")):
                yield ("hint", lab, *hint), None, self.printed("hint", lab, *hint)
            # A number that is not right: the longest answer.
            yield ("guess", lab), None, self.printed("guess", lab, "--answer", "77777")
            yield ("quiz", lab), None, self.printed("quiz", lab)
        for lab in LABS:
            yield ("run", lab), RUN_LINES, self.printed("run", lab)
        for words in MODELLED + STORED:
            yield words, None, self.printed(*words)

    @needs_toolkit
    def test_every_command(self):
        for words, most, lines in self.rows():
            with self.subTest(" ".join(map(str, words))):
                self.expect_fits(lines, most, words)

    def test_measured_runs(self):
        database = self.measured()
        for lab in LABS:  # as `lab run` showed it on the H200
            with self.subTest(f"runs {lab}"):
                self.expect_fits(self.printed("runs", lab, database=database), RUN_LINES, ("runs", lab))
        for words in [("runs",)] + [("compare", run) for run in LABS] + [
                ("compare", "1", "--variant", "load"), ("compare", "4", "--variant", "padded")]:
            with self.subTest(" ".join(map(str, words))):
                self.expect_fits(self.printed(*words, database=database), None, words)

    def test_show_begins_with_words(self):
        for lab in LABS:
            title, summary, blank, explanation = self.printed("show", lab)[:4]
            self.assertTrue(title.startswith(f"Lab {lab}: "), title)
            self.assertEqual(blank, "")
            for line in (summary, explanation):
                self.assertGreater(len(line.split()), 3, line)

    @needs_toolkit
    def test_compare_shows_what_differs_first(self):
        lines = self.printed("compare", "4", database=self.measured())
        self.assertEqual(lines[2], "What differs, with the first case of each")
        self.assertLess(lines.index("What differs, with the first case of each"),
                        lines.index("What agrees"))


def print_table():
    test = Fits()
    test.setUp()
    print(f"{'lab':<42} {'lines':>5} {'most':>5} {'width':>5}")
    for words, most, lines in test.rows():
        widest = max(map(width_of, lines), default=0)
        print(f"{' '.join(map(str, words)):<42} {len(lines):>5} {most or '':>5} {widest:>5}")
    test.doCleanups()


if __name__ == "__main__":
    if sys.argv[1:] == ["--table"]:
        print_table()
    else:
        unittest.main()
