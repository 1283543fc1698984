"""lab compare of two: stored runs, a student's file, the lab's own variants; only what differs."""
import re
import unittest

from support import LabTest, needs_toolkit
from test_starters import SOLUTIONS, solved, starter_of


@needs_toolkit
class Compare(LabTest):
    def setUp(self):
        super().setUp()
        text = starter_of(3).read_text()
        self.write("lab3.cu", text)
        self.write("fixed.cu", solved(text, SOLUTIONS[2][2]))

    def test_two_files(self):
        said = self.good("compare", "lab3.cu", "fixed.cu")
        # 16 blocks, 32 columns read 4 times each: 2048 loads, each 32 wavefronts before and one after.
        self.assertRegex(said, r"\n  wavefronts, load +65,536 +2,048 +0\.0312 +better\n")
        self.assertRegex(said, r"\n  bank conflicts +63,488 +0 +0 +better\n")
        self.assertNotIn("requests", said)
        self.assertRegex(said, r"\n  fixed\.cu:24   for .*\n    bank conflicts, load: 63,488 -> 0  better\n")
        self.assertIn("worse in 1, different in 1 of ", said)  # the xor is an instruction more, and takes registers
        self.assertFalse((self.folder / "lab.db").exists())
        back = self.good("compare", "fixed.cu", "lab3.cu")
        self.assertRegex(back, r"\n  wavefronts, load +2,048 +65,536 +32 +worse\n")

    def test_a_file_against_the_labs_own(self):
        # The same variant; then another one, at the points of the first: passes=4, pad=0.
        self.assertRegex(self.good("compare", "lab3.cu", "lab:column_swizzled"),
                         r"\n  wavefronts, load +65,536 +2,048 ")
        other = self.good("compare", "fixed.cu", "lab:column", "--param", "pad=0")
        self.assertIn("\ncolumn_swizzled and column  blocks=16 passes=4\n", other)
        self.assertRegex(other, r"\n  wavefronts, load +2,048 +65,536 +32 +worse\n")
        self.assertIn("no difference in ", self.good("compare", "lab:stride", "lab:stride"))
        # Two variants are two kernels: their machine code is bound to differ.
        self.assertNotIn("different conditions", self.good("compare", "lab:column", "lab:column_swizzled"))

    def test_stored_runs(self):
        self.good("run", "3", "--kernel", "lab3.cu")
        self.good("run", "3", "--kernel", "fixed.cu")
        said = self.good("compare", "1", "2")
        self.assertRegex(said, r"\AA: run 1 .*\nB: run 2 .*\n")
        self.assertRegex(said, r"\n  n-way bank conflict, load +32 +1 +0\.0312 +better\n")
        self.assertRegex(self.good("compare", "1", "fixed.cu"), r"\n  n-way bank conflict, load +32 +1 ")
        self.assertRegex(self.good("compare", "fixed.cu", "1"), r"\n  n-way bank conflict, load +1 +32 ")
        self.assertIn("no difference in ", self.good("compare", "1", "1"))
        self.assertIn("global_load_requests", self.good("compare", "1", "2", "--all"))
        # As a page in another form; of one run, too.
        self.assertIn("\n| wavefronts, load | 65,536 | 2,048 | 0.0312 | better |\n",
                      self.good("compare", "1", "2", "--page", "md"))
        self.assertIn("<td class=\"good text\">better</td>", self.good("compare", "1", "fixed.cu", "--page", "html"))
        self.assertIn("\n## column\\_swizzled, ", self.good("compare", "2", "--all", "--page", "md"))
        only = self.good("compare", "1", "2", "--metrics", "shared_load_ways")
        self.assertIn("B is better in 1 of 1 values.\n", only)

    def test_a_wrong_result_is_said(self):
        self.write("wrong.cu", (self.folder / "fixed.cu").read_text().replace("sum = 0", "sum = 1"))
        result = self.lab("compare", "fixed.cu", "wrong.cu")
        self.assertEqual(result.status, 1, result)
        self.assertRegex(result.out, r"\n  B: wrong: out\[0\]: got ")
        self.assertRegex(result.out, r"\nB is wrong in (\d) of \1 cases: what it leaves undone costs nothing\.\n")

    def test_what_is_not_clear_is_asked(self):
        self.fails(2, "error: 'lab3.cu' is compared with what?\n"
                      "hint: lab compare lab3.cu lab:VARIANT, or another file, or a run\n",
                   "compare", "lab3.cu")
        result = self.lab("compare", "lab3.cu", "lab:padded")
        self.assertEqual(result.status, 2)
        self.assertRegex(result.err, "^error: it is not clear of which lab 'lab3.cu' and 'lab:padded' are\n")
        result = self.lab("compare", "lab3.cu", "lab:colum", "--lab", "3")
        self.assertRegex(result.err, "no variant 'colum'")
        self.write("kernels.cu", "__global__ void other() {}\n")
        self.assertEqual(self.lab("compare", "kernels.cu", "lab3.cu").status, 2)


if __name__ == "__main__":
    unittest.main()
