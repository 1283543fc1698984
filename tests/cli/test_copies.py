"""Copies beside the threads and clusters: 9 + 5 faulty kernels are told at their line, the right ones beside them are ok."""
import json
import re
import unittest

from support import LabTest, ROOT, needs_toolkit

FOLDER = ROOT / "tests/cli/copies"


def kernels(file):
    """(name, words of its launch, {line: kinds that may be told there}) of each kernel in `file`."""
    found = []
    launch = ""
    for number, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if text.startswith("// launch: "):
            launch = text.removeprefix("// launch: ")
        if text.startswith('extern "C"'):
            name = re.search(r"(\w+)\((?!\d)", text).group(1)
            found.append((name, launch.split(), {}))
        told = re.search(r"// finding: (\S+)", text)
        if told and found:
            found[-1][2][number] = told.group(1).split("|")
    return found


@needs_toolkit
class Copies(LabTest):
    def told(self, file, name, launch):
        """{line: kind} of what is found in the kernel."""
        words = ["probe", file, "--kernel", name, *launch, "--no-store", "--json"]
        case = json.loads(self.lab(*words).out)["runs"][0]["cases"][0]
        self.assertEqual(case["facts"]["checkers"], "full")
        self.assertIn(case["status"], ("ok", "finding"), case["reason"])
        return {finding["line"]: finding["kind"] for finding in case["findings"]}

    def check(self, name, faulty):
        all_of = kernels(FOLDER / name)
        self.assertEqual(len([kernel for kernel in all_of if kernel[2]]), faulty)
        for kernel, launch, wanted in all_of:
            with self.subTest(kernel):
                told = self.told(FOLDER / name, kernel, launch)
                self.assertEqual(sorted(told), sorted(wanted), told)
                for line, kinds in wanted.items():
                    self.assertIn(told[line], kinds)

    def test_copies_that_nobody_waits_for(self):
        self.check("copies.cu", 9)

    def test_clusters(self):
        self.check("clusters.cu", 5)


if __name__ == "__main__":
    unittest.main()
