"""The bundle for Gradescope, run in an empty folder as its maker documents it: setup.sh once, then
run_autograder for what lies in submission/, which writes results/results.json."""
import json
import os
import pathlib
import resource
import shutil
import subprocess
import tarfile
import unittest
import zipfile

from support import LAB, LabTest, ROOT, needs_toolkit
from test_starters import SOLUTIONS, solved, starter_of

RIGHT = solved(starter_of(4).read_text(), SOLUTIONS[3][2])
SLOW = RIGHT.replace(" + (sizeof(T) < 4 ? 4 / sizeof(T) : 1)", "")
# What the keys of results.json may hold, as the platform's documentation has it.
KINDS = {"score": (int, float), "output": str, "output_format": str, "visibility": str, "stdout_visibility": str,
         "tests": list}
PROGRAMS = ("basename", "bash", "cat", "cp", "dirname", "env", "grep", "gzip", "head", "ls", "mkdir", "mktemp", "readlink", "rm",
            "sed", "sh", "sort", "tar", "touch")
KINDS_OF_TESTS = {"name": str, "score": (int, float), "max_score": (int, float), "output": str}


@needs_toolkit
@unittest.skipIf(os.environ.get("LAB_SANITIZED"), "a sanitizer's program needs more memory and time")
class Autograder(LabTest):
    def setUp(self):
        super().setUp()
        package = os.environ.get("LAB_TEST_PACKAGE")  # what tools/package made; else the program that is tested
        package = pathlib.Path(package) if package else self.packed()
        made = subprocess.run([ROOT / "tools/autograder", "4", "--package", package, "--out",
                               self.folder / "bundle.zip"], capture_output=True, text=True, check=False)
        self.assertEqual(made.returncode, 0, made)
        self.root = self.folder / "autograder"
        (self.root / "source").mkdir(parents=True)
        with zipfile.ZipFile(self.folder / "bundle.zip") as bundle:
            for info in bundle.infolist():
                bundle.extract(info, self.root / "source")
                (self.root / "source" / info.filename).chmod(info.external_attr >> 16)
        # Where there is a toolkit, or NVRTC was fetched before, it is found as lab finds it.
        home = os.environ.get("CUDA_HOME") or (str(ROOT / "build/nvrtc") if (ROOT / "build/nvrtc").exists() else None)
        # An image has these, and no compiler.
        (self.folder / "bin").mkdir()
        for program in PROGRAMS:
            (self.folder / "bin" / program).symlink_to(shutil.which(program))
        self.env = self.environment(AUTOGRADER_ROOT=str(self.root), PATH=str(self.folder / "bin"),
                                    **({"CUDA_HOME": home} if home else {}))
        subprocess.run([self.root / "source/setup.sh"], env=self.env, check=True, capture_output=True)

    def packed(self):
        """As tools/package packs it."""
        name = "lab-0-linux-x86_64"
        with tarfile.open(self.folder / "lab.tar.gz", "w:gz", compresslevel=1) as archive:
            start = self.write("start", '#!/bin/sh\nexec "$(dirname "$0")/bin/lab" "$@"\n')
            start.chmod(0o755)
            archive.add(start, f"{name}/lab")
            archive.add(ROOT / "tools/get-nvrtc", f"{name}/get-nvrtc")
            for program in (pathlib.Path(LAB), pathlib.Path(LAB).parent / "lab-worker"):
                archive.add(program.resolve(), f"{name}/bin/{program.name}")
            archive.add(ROOT / "labs", f"{name}/labs")
        return self.folder / "lab.tar.gz"

    def results_of(self, **files):
        return self.results({f"{name}.cu": text for name, text in files.items()})

    def results(self, files):
        shutil.rmtree(self.root / "submission", ignore_errors=True)
        (self.root / "submission").mkdir()
        for name, text in files.items():
            (self.root / "submission" / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / "submission" / name).write_text(text)
        done = subprocess.run([self.root / "source/run_autograder"], env=self.env, capture_output=True, text=True,
                              cwd="/", check=False)
        self.assertEqual(done.returncode, 0, done)
        results = json.loads((self.root / "results/results.json").read_text())
        for document, kinds in [(results, KINDS)] + [(test, KINDS_OF_TESTS) for test in results["tests"]]:
            for key, value in document.items():
                self.assertIsInstance(value, kinds[key], key)
        return results

    def test_it_grades(self):
        self.assertEqual(self.results_of(mine=RIGHT)["score"], 100)
        self.assertEqual(self.results_of(mine=SLOW)["score"], 50)
        broken = self.results_of(mine="oops\n" + RIGHT.replace("int x", "imt x", 1))
        self.assertEqual(broken["score"], 0)
        self.assertIn("does not compile", broken["output"])
        # Which one is it? A person says; until then there is a score, as the platform wants it, and no student
        # sees it.
        both = self.results_of(one=RIGHT, two=SLOW)
        self.assertEqual((both["score"], both["visibility"]), (0, "after_published"))
        self.assertIn("for a person to say: one.cu, two.cu", both["output"])
        self.assertEqual(self.results({"src/a_12_34_b.cu": RIGHT, "notes.txt": "mine"})["score"], 100)
        # Of a group, with whose it is.
        (self.root / "submission_metadata.json").write_text(json.dumps({
            "created_at": "2026-07-01T14:22:32.365935-07:00", "assignment": {"title": "Lab 4"},
            "users": [{"email": "ada@x.edu", "id": 7, "name": "Ada"}, {"email": "bob@x.edu", "id": 8, "name": "Bob"}]}))
        self.assertEqual(self.results_of(mine=SLOW)["score"], 50)
        # The largest process of all that were started, in KiB.
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 512 << 10)


if __name__ == "__main__":
    unittest.main()
