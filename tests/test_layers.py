#!/usr/bin/env python3
"""tools/check_layers.py says which line breaks a rule, and nothing of lines that keep to them."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
import check_layers  # noqa: E402


def said(path, *headers):
    """What the script says of a file with these includes."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / path
        file.parent.mkdir(parents=True)
        file.write_text("".join(f'#include "{header}"\n' for header in headers), encoding="utf-8")
        return list(check_layers.check_file(pathlib.Path(folder), path))


class Layers(unittest.TestCase):
    def test_a_module_includes_what_its_row_has(self):
        self.assertEqual(said("metrics/x.cpp", "harness/core/text.h"), [])
        self.assertIn("metrics/x.cpp:1: metrics may not include db", said("metrics/x.cpp", "db/store.h")[0])

    def test_printers_do_not_judge(self):
        for module in ("tools/cli/commands", "tools/cli/json"):
            path = f"{module}/x.cpp"
            self.assertEqual(said(path, "harness/reading/case_reading.h", "metrics/catalogue.h"), [])
            wrong = said(path, "harness/reading/case_reading.h", "metrics/values.h", "metrics/compare.h")
            self.assertEqual(len(wrong), 2, wrong)
            self.assertTrue(wrong[0].startswith(f"{path}:2: "), wrong)
        # Who prints pages sees neither metrics nor records.
        for module in ("tools/report", "tools/cli/text"):
            path = f"{module}/x.cpp"
            self.assertEqual(said(path, "harness/page/page.h", "harness/core/text.h"), [])
            wrong = said(path, "harness/reading/case_reading.h", "metrics/values.h", "harness/core/record.h")
            self.assertEqual([one for one in wrong if "prints pages" in one][0][:len(path) + 3], f"{path}:1:")
            self.assertEqual(len([one for one in wrong if "prints pages" in one]), 3, wrong)
        self.assertEqual(said("harness/reading/x.cpp", "metrics/values.h"), [])

    def test_backends_know_no_labs(self):
        for module in ("harness/model/case", "harness/gpu/batch", "harness/box/worker"):
            path = f"{module}/x.cpp"
            self.assertEqual(said(path, "harness/core/job.h", "harness/core/backend.h"), [])
            self.assertIn(f"{path}:1: {module} knows no labs", said(path, "harness/core/lab.h")[0])
            self.assertEqual(len(said(path, "harness/core/resolve.h", "harness/labs/registry.h")), 2)
        self.assertEqual(said("harness/run/x.cpp", "harness/core/lab.h"), [])

    def test_every_judging_header_is_there(self):
        root = pathlib.Path(check_layers.__file__).parent.parent
        for header in check_layers.JUDGING:
            self.assertTrue((root / header).exists(), header)

    def test_files_that_readmes_name_are_there(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "harness/a/deep").mkdir(parents=True)
            for name in ("harness/a/here.h", "harness/a/deep/below.cpp", "harness/b.h"):
                (root / name).touch()
            readme = root / "harness/a/README.md"
            readme.write_text("`here.h`, `below.cpp`, `harness/b.h`; a reader's `NAME.cpp` and `app.cu`.\n", encoding="utf-8")
            self.assertEqual(list(check_layers.check_named_files(root)), [])
            readme.write_text("`here.h`\n`b.h`, `harness/a/gone.h`\n", encoding="utf-8")
            self.assertEqual(list(check_layers.check_named_files(root)),
                             ["harness/a/README.md:2: there is no b.h",
                              "harness/a/README.md:2: there is no harness/a/gone.h"])

    def test_folders_of_the_command_line_make_no_ring(self):
        self.assertEqual(said("tools/cli/json/x.cpp", "tools/cli/text/table.h"), [])
        self.assertIn("tools/cli/text may not include tools/cli/json",
                      said("tools/cli/text/x.cpp", "tools/cli/json/json.h")[0])
        self.assertEqual(said("tools/cli/main.cpp", "tools/cli/commands/commands.h"), [])
        self.assertEqual(len(said("tools/cli/fresh/x.cpp", "tools/cli/text/table.h")), 1)

        def reach(folder):
            below = check_layers.CLI_FOLDERS[folder]
            return below.union(*(reach(other) for other in below))

        for folder in check_layers.CLI_FOLDERS:
            self.assertNotIn(folder, reach(folder))


if __name__ == "__main__":
    unittest.main()
