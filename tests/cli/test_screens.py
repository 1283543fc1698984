"""lab run N is one screen: what a lecturer puts on a slide."""
import re
import tomllib
import unittest

from support import LabTest, ROOT, needs_toolkit

LINES = 20  # of an 80 x 24 terminal with a prompt above and below
WIDTH = 80


@needs_toolkit
class Screens(LabTest):
    def setUp(self):
        super().setUp()
        self.labs = {int(path.parent.name[:2]): tomllib.loads(path.read_text())
                     for path in sorted((ROOT / "labs").glob("[0-9]*/lab.toml"))}

    def screen(self, lab):
        return self.good("run", str(lab), "--no-store", "--backend", "model")

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
            derived = re.findall(r"= ([\d.,]+)$", rest, re.MULTILINE)
            self.assertTrue(derived, rest)
            self.assertLessEqual(set(derived), numbers, out)

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


if __name__ == "__main__":
    unittest.main()
