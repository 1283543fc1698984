"""Whole programs as assignments: the page's example word for word, and programs that cheat."""
import os
import re
import shutil
import unittest

import saxpy

from support import LAB, ROOT, LabTest
from test_starters import SOLUTIONS, solved, starter_of

CLANG = any(shutil.which(name) for name in
            ("clang++-14", "clang++-15", "clang++-16", "clang++-17", "clang++-18", "clang++"))

RUBRIC = """program = "add"
pass = 50

[[run]]
name = "r"
output = "sum 96"
seconds = 1

[[criterion]]
name = "right"
points = 40
run = "r"
status = "ok"

[[criterion]]
name = "nothing found"
points = 10
run = "r"
findings = []

[[criterion]]
name = "launched"
points = 20
run = "r"
kernel = "add*"
status = "ok"

[[criterion]]
name = "coalesced"
points = 30
run = "r"
kernel = "add*"
metric = "global_store_sectors"
at_most = 4
"""

# 32 threads add 1 to 2 each; their sum is 96. The words are 128 bytes: 4 sectors.
KERNEL = """#include <cstdio>
#include <cstdlib>
__global__ void add(int* data) { data[threadIdx.x] += 1; }
int sum_of() {
  int host[32], sum = 0, *data;
  for (int& one : host) one = 2;
  cudaMalloc(&data, sizeof host);
  cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
  add<<<1, 32>>>(data);
  cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(data);
  for (int one : host) sum += one;
  return sum;
}
"""
RIGHT = KERNEL + 'int main() { printf("sum %d\\n", sum_of()); }\n'
READS = KERNEL + """#include <dirent.h>
int main() {
  sum_of();
  int read = 0;
  for (const char* path : {"FOLDER/add/rubric.toml", "FOLDER/add", "FOLDER/all/right.cu", "FOLDER"})
    read += fopen(path, "r") != nullptr || opendir(path) != nullptr;
  printf("read %d\\n", read);
}
"""
WRITES = KERNEL + """int main() {
  int wrote = 0;
  for (const char* path : {"FOLDER/written", "FOLDER/all/written.cu", "../written", "/tmp/lab_written"})
    wrote += fopen(path, "w") != nullptr;
  FILE* own = fopen("own", "w");
  printf("wrote %d, own %d\\n", wrote, own != nullptr);
}
"""
FORKS = KERNEL + """#include <unistd.h>
int main() {
  const pid_t child = fork();
  if (child == 0) for (;;) fork();
  printf("child %d\\n", int(child));
}
"""
HOARDS = KERNEL + """int main() {
  size_t all = 0;
  for (int i = 0; i < 64; ++i) {
    char* volatile more = (char*)malloc(1ul << 28);
    if (more != nullptr) more[0] = 1, all += 1;
  }
  printf("%s\\n", all < 8 ? "held" : "free");
}
"""

# Name of the submission: its text, its status, its points (None: open) and words of its reason.
CLASS = {
    "right": (RIGHT, "ok", 100, ""),
    "prints": ('#include <cstdio>\nint main() { puts("sum 96"); }\n', "wrong", 0, "the same when its kernels"),
    "silent": (KERNEL + "int main() { sum_of(); return 0; }\n", "wrong", 0, "it prints nothing"),
    "fails": (KERNEL + 'int main() { printf("sum %d\\n", sum_of()); return 3; }\n', "error", 0,
              "exit 3, wanted 0"),
    "loops": (KERNEL + "int main() { volatile int x = 0; for (;;) x = x + 1; }\n", "timeout", 0,
              "not finished within 1 s of processor time"),
    "loops on the device": (
        KERNEL + "__global__ void add_more(volatile int* d) { while (d[0] == 0) d[1] = d[1] + 1; }\n"
        "int main() { int* d; cudaMalloc(&d, 8); cudaMemset(d, 0, 8); add_more<<<1, 1>>>(d); "
        'cudaDeviceSynchronize(); puts("sum 96"); }\n', "timeout", 0, "1 s of processor time"),
    "sleeps": ("#include <unistd.h>\nint main() { for (;;) sleep(1000); }\n", "manual", None,
               "less than half of its 1 s of processor time in 20 s"),
    "prints without end": (KERNEL + 'int main() { for (;;) puts("sum 96"); }\n', "error", 0, "signal"),
    "forks": (FORKS, "wrong", 0, "'child -1'"),
    "reads": (READS, "wrong", 0, "'read 0'"),
    "writes": (WRITES, "wrong", 0, "'wrote 0, own 1'"),
    "hoards": (HOARDS, "wrong", 0, "'held'"),
    "not modelled": (KERNEL + "int main() { cudaIpcMemHandle_t handle; cudaIpcGetMemHandle(&handle, 0); }\n",
                     "manual", None, "not modelled"),
    "does not compile": (KERNEL + "int main() { return nothing; }\n", "not_compiled", 0,
                         "undeclared identifier 'nothing'"),
}


@unittest.skipUnless(CLANG, "no clang to compile the host part")
class Assignments(LabTest):
    def grades(self):
        return {one["student"]: one for one in self.json(
            "query", "SELECT student, status, points, reason FROM gradebook", "--db", "class.db")}

    def test_the_example_is_as_the_page_says(self):
        page = (ROOT / "tools/readers/grader.md").read_text(encoding="utf-8")
        part = page.split("## Whole programs\n")[1].split("\n## ")[0]
        rubric, = re.findall(r"```toml\n(.*?)```", part, re.S)
        ada, = re.findall(r"```cuda\n(.*?)```", part, re.S)
        bob, = re.findall(r"`(int i = [^`]*)`", part)
        carl, = re.findall(r"`(int main[^`]*)`", part)
        session, = re.findall(r"```console\n\$ lab (.*?)\n(.*?)```", part, re.S)
        for folder in ("saxpy", "submissions"):
            (self.folder / folder).mkdir()
        self.write("saxpy/rubric.toml", rubric)
        self.write("submissions/ada.cu", ada)
        self.write("submissions/bob.cu", re.sub(r"int i = blockIdx.*", lambda _: bob, ada, count=1))
        self.write("submissions/carl.cu", "#include <cstdio>\n" + carl + "\n")
        environment = self.environment(COLUMNS="100")
        self.assertEqual(self.good(*session[0].split(), "--out", "out", env=environment),
                         session[1])
        # 1000 elements of x and y are read, and as many of y written: 3 * 1000 * 4 / 32 sectors, and one for each
        # element where lanes are 32 bytes apart.
        self.assertIn("move 3000 sectors; 375 are possible", (self.folder / "out/feedback/bob.md").read_text())
        self.assertNotIn("16777216", (self.folder / "out/feedback/carl.md").read_text())
        # Points are added up again from what is stored, and by another rubric.
        self.assertEqual(self.lab("verify", "--db", "class.db").status, 0)
        self.write("saxpy/rubric.toml", rubric.replace("points = 50", "points = 70"))
        self.assertIn("ada: 100 -> 120 of 120", self.good("grade", "saxpy", "--again", "--db", "class.db"))

    def test_what_kernels_did_decides(self):
        """Points of programs in which something else would stand for it, and of right ones."""
        rubric, ada = saxpy.page()
        for folder in ("saxpy", "all"):
            (self.folder / folder).mkdir()
        self.write("saxpy/rubric.toml", rubric)
        good = {**saxpy.honest(ada), **saxpy.harmless(ada)}
        bad = saxpy.cheats(ada)
        for name, text in good.items():
            self.write(f"all/{name}.cu", text)
        for name, (text, _) in bad.items():
            self.write(f"all/{name}.cu", text)
        done = self.lab("grade", "saxpy", "all", "--db", "class.db", "--memory", "256M", "--out", "out")
        self.assertEqual((done.status, done.err), (0, ""))
        grades = self.grades()
        self.assertEqual(set(grades), {*good, *bad})
        for name in good:
            with self.subTest(name):
                self.assertEqual((grades[name]["status"], grades[name]["points"]), ("ok", 100), grades[name])
        for name, (_, status) in bad.items():
            with self.subTest(name):
                self.assertEqual(grades[name]["status"], status, grades[name])
                self.assertLess(grades[name]["points"], 60, grades[name])
                self.assertTrue((self.folder / f"out/feedback/{name}.md").read_text())
        self.assertIn("64 MiB of files", grades["files"]["reason"])
        self.assertIn("256 MiB of memory", grades["hoards_managed"]["reason"])
        self.assertEqual(self.lab("verify", "--db", "class.db").status, 0)

    @unittest.skipIf(os.environ.get("LAB_SANITIZED"), "a sanitizer's figures are others")
    def test_what_a_hand_in_costs(self):
        """The page's figures: of a program, and of lab 11's kernels, which take longest to compile."""
        page = " ".join((ROOT / "tools/readers/grader.md").read_text(encoding="utf-8").split())
        seconds, mib, of_labs = map(int, re.search(r"about (\d+) s of a processor and (\d+) MiB in its largest process "
                                                   r"\(kernels of a lab: (\d+) MiB\)", page).groups())
        rubric, ada = saxpy.page()
        (self.folder / "saxpy").mkdir()
        self.write("saxpy/rubric.toml", rubric)
        self.write("ada.cu", ada)
        lab, _, steps = SOLUTIONS[10]
        self.write("bob.cu", solved(starter_of(lab).read_text(), steps))
        for words, most in ((("saxpy", "ada.cu"), mib), ((lab, "bob.cu"), of_labs)):
            with self.subTest(words):
                used, largest = self.cost("grade", *words, "--db", "class.db", "--jobs", 1)
                # A slow machine takes four times as long; memory is the same, but for the libraries' versions.
                self.assertLess(used, 4 * seconds)
                self.assertLess(largest, 1.15 * most)
                self.assertGreater(largest, most / 2)

    def cost(self, *words):
        """Seconds of a processor of a command and all its processes, and MiB of the largest."""
        words = [LAB, *map(str, words)]
        child = os.fork()
        if child == 0:
            os.chdir(self.folder)
            os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
            os.execve(LAB, words, self.environment(XDG_CACHE_HOME=str(self.folder / "cold")))
        _, status, usage = os.wait4(child, 0)
        self.assertEqual(status, 0, words)
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024

    def test_programs_that_cheat_get_nothing_for_it(self):
        for folder in ("add", "all"):
            (self.folder / folder).mkdir()
        self.write("add/rubric.toml", RUBRIC)
        for name, (text, *_) in CLASS.items():
            self.write(f"all/{name}.cu", text.replace("FOLDER", str(self.folder)))
        self.lab("grade", "add", "all", "--db", "class.db", "--jobs", 3, "--memory", "1G")
        grades = self.grades()
        self.assertEqual(sorted(grades), sorted(CLASS))
        for name, (_, status, points, reason) in CLASS.items():
            with self.subTest(name):
                got = grades[name]
                self.assertEqual((got["status"], got["points"]), (status, points), got)
                self.assertIn(reason, got["reason"] or "")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()),
                         ["add", "all", "class.db"])

    def test_a_script_of_the_course_compares(self):
        for folder in ("add", "all"):
            (self.folder / folder).mkdir()
        self.write("add/rubric.toml", RUBRIC.replace('output = "sum 96"', 'script = "check.py"'))
        self.write("all/right.cu", RIGHT)
        self.write("all/silent.cu", CLASS["silent"][0])
        self.write("all/odd.cu", KERNEL + 'int main() { puts("break"); }\n')
        script = self.write("add/check.py", "#!/usr/bin/env python3\nimport sys\n"
                            "text = open(sys.argv[1]).read()\n"
                            "if 'break' in text: sys.exit(7)\n"
                            "if text != 'sum 96\\n': print('the sum is missing'); sys.exit(1)\n")
        refused = self.lab("grade", "add", "all", "--db", "class.db")
        self.assertEqual(refused.status, 2)
        self.assertIn("check.py cannot be run", refused.err)
        script.chmod(0o755)
        self.lab("grade", "add", "all", "--db", "class.db")
        grades = self.grades()
        self.assertEqual({name: one["points"] for name, one in grades.items()},
                         {"right": 100, "silent": 0, "odd": None})
        self.assertEqual(grades["silent"]["reason"], "the sum is missing")
        self.assertIn("check.py did not say", grades["odd"]["reason"])


if __name__ == "__main__":
    unittest.main()
