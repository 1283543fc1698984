"""A mistake is told once, in the same words, wherever it is told."""
import html
import json
import re
import sys
import unittest

from support import LAB, LabTest, ROOT, needs_toolkit

FILES = ROOT / "tests/cli/voice"  # what students hand in

# Nobody asks whether i is below n. 10,007 = 39 * 256 + 23: thread 23 of block 39 is the first to read beyond.
KERNEL = """extern "C" __global__ void sequential(const float* in, float* sums, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = in[i];
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (t < step) s[t] = s[t] + s[t + step];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = s[0];
}
"""
SENTENCE = "Block 39, thread 23 reads in[10007]: in has 10,007 elements."
CURE = "Guard the access with the number of elements, such as if (i < n)."
LINE = "mine.cu:4   s[t] = in[i];"
MAIN = KERNEL + """
int main() {
  float *in, *sums;
  cudaMalloc(&in, 10007 * sizeof *in);
  cudaMalloc(&sums, 40 * sizeof *sums);
  cudaMemset(in, 0, 10007 * sizeof *in);
  sequential<<<40, 256>>>(in, sums, 10007);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(sums);
}
"""


def flat(text):
    """Without the breaks of lines, which are the screen's."""
    return re.sub(r"\s+", " ", text)


@needs_toolkit
class Voice(LabTest):
    LAB = ("11", "--variant", "sequential", "--param", "n=10007", "--backend", "model")

    def setUp(self):
        super().setUp()
        self.write("mine.cu", KERNEL)

    def assert_told(self, text, *parts):
        for part in parts:
            self.assertEqual(flat(text).count(flat(part)), 1, (part, text))
        self.assertEqual(flat(text).count("in has 10,007 elements"), 1, text)
        self.assertNotIn("out_of_bounds", text)

    def test_terminal(self):
        run = self.lab("run", *self.LAB, "--kernel", "mine.cu")
        self.assertEqual(run.status, 1)
        self.assert_told(run.out, SENTENCE, CURE, LINE)
        self.assertNotIn("the target", run.out)  # what it costs is no matter yet
        watch = self.lab("watch", "11", "mine.cu", *self.LAB[1:], "--runs", "1", "--no-store")
        self.assert_told(watch.out, SENTENCE, CURE, LINE)
        probe = self.lab("probe", "mine.cu", "--grid", "40", "--block", "256", "--arg", "f32[10007]=zero", "--arg",
                         "f32[40]=zero", "--arg", "10007", "--backend", "model", "--no-store")
        self.assert_told(probe.out, SENTENCE, CURE, LINE)
        self.assert_told(self.lab("compare", "1").out, SENTENCE)
        self.write("mine.cu", MAIN)
        program = self.lab("exec", "mine.cu", "--no-store")
        self.assert_told(program.out, SENTENCE[:-1] + "; it was allocated at mine.cu:15.", CURE, LINE)

    def test_documents(self):
        done = self.lab("run", *self.LAB, "--kernel", "mine.cu", "--json")
        finding = json.loads(done.out)["runs"][0]["cases"][0]["findings"][0]
        self.assertEqual((finding["text"], finding["cure"]), (SENTENCE, CURE))
        self.good("report", "1", "--output", "report.html")
        page = html.unescape((self.folder / "report.html").read_text())
        self.assertIn(SENTENCE, page)
        self.assertNotIn("out_of_bounds:", page)


# What is told of a student's file, by hand: parts of a sentence and of its cure or what it saves.
# lab7: the second case has 100 x 70 and 70 x 45 elements in tiles of 32 x 32. Rows 96 to 127 of `a` are read, and row
# 104, which is thread row 8 * 1 of block row 3, begins at 104 * 70 = 7280, the first index that its warp reads beyond.
# lab12: 16 blocks of 8 warps meet 4 * (1 + 16) barriers and need 4 * 2 for four tiles: 128 * 68 = 8704 less 128 * 8.
TOLD = {
    "lab3_padding_forbidden.cu": ("its arrays take 4096 bytes of shared memory, and here they are 4224", "as it is."),
    "lab4_blocks_not_swapped.cu": ("read of tile[1][0], which nobody has written", "Write it before it is read"),
    "lab7_no_bounds.cu": ("reads a[7280]: a has 7,000 elements", "such as if (i < n)."),
    "lab11_step_never_halved.cu": ("this loop never ends: nothing in it changes its condition 'step > 0'", "closer to false."),
    "lab12_barrier_each_step.cu": ("threads wait for each other where nobody writes", "One barrier per step is enough"),
    "endless_with_branch_and_barrier.cu": ("nothing in it changes its condition 'k < 10': k stays 0.", "closer to false."),
    "exec_naive_transpose.cu": ("neighbouring lanes are 8192 bytes apart and take 4 each", "go through a tile in shared memory"),
    "exec_tile_conflict.cu": ("32 words of bank 0", "Declare t[32][33]"),
    "launch_too_large_unchecked.cu": ("a block has at most 1024 threads", "At most 1,024 threads per block"),
}
# Nothing is found in these: a wrong result, and a program that reads its error.
QUIET = ("lab3_half_swizzled.cu", "launch_too_large_error_text.cu")
LABS = {"lab3": ("3",), "lab4": ("4",), "lab7": ("7",), "lab11": ("11",), "lab12": ("12",)}
# The launch in which the lab's case is told something, for a probe and for a program of its own.
PROBES = {
    "lab7_no_bounds.cu": ("--grid", "2,4", "--block", "32,8", "--arg", "f32[7000]=iota", "--arg", "f32[3150]=iota",
                          "--arg", "f32[4500]=zero", "--arg", "100", "--arg", "70", "--arg", "45"),
    "lab12_barrier_each_step.cu": ("--grid", "4,4", "--block", "16,16", "--arg", "f32[4096]=iota", "--arg",
                                   "f32[4096]=iota", "--arg", "f32[4096]=zero", "--arg", "64"),
    "endless_with_branch_and_barrier.cu": ("--grid", "1", "--block", "64", "--arg", "f32[64]=zero"),
}
# The barriers of lab12 are counted over a whole launch, which a program's are not.
MAINS = {
    "lab7_no_bounds.cu": ({"a": 7000, "b": 3150, "c": 4500},
                          "register_tiled<<<dim3(2, 4), dim3(32, 8)>>>(a, b, c, 100, 70, 45)"),
    "endless_with_branch_and_barrier.cu": ({"x": 64}, "f<<<1, 64>>>(x)"),
}
PYTHON = """import json, sys
import lab
kind, words = sys.argv[1], json.loads(sys.argv[2])
run = lab.run(words[0], kernel=words[1]) if kind == "run" else lab.exec(words[0]).run
for one in run.told:
    print(one)
print(run._repr_html_(), file=sys.stderr)
"""


def main_of(sizes, launch):
    """A program that gives each array memory, launches once and frees it."""
    begin = "".join(f"  float* {name};\n  cudaMalloc(&{name}, {n} * 4);\n  cudaMemset({name}, 0, {n} * 4);\n"
                    for name, n in sizes.items())
    end = "".join(f"  cudaFree({name});\n" for name in sizes)
    return f"\nint main() {{\n{begin}  {launch};\n  cudaDeviceSynchronize();\n{end}}}\n"


def texts_of_places(document):
    """What is told of each place: tuples of sentences. Two cases may have a mistake in common."""
    return {(one["file"], one["line"], one["text"], one.get("cure") if "seen" in one else None)
            for run in document["runs"] for case in run["cases"]
            for one in [*case["findings"], *case["remarks"], *(case.get("advice") or [])]}


def told_in(document):
    """All sentences of findings, remarks and advice of a document, each once."""
    return sorted({text for place in texts_of_places(document) for text in place[2:] if text})


def without_tags(page):
    return html.unescape(re.sub(r"<[^>]*>", " ", page))


@needs_toolkit
class Students(LabTest):
    """What a document says of a file is what each page and Python say of it, once per place, in the same words."""

    def setUp(self):
        super().setUp()
        for file in FILES.glob("*.cu"):
            (self.folder / file.name).write_bytes(file.read_bytes())

    def expect_told(self, name, document, surfaces):
        texts = told_in(document)
        for part in TOLD.get(name, ()):
            self.assertTrue(any(part in text for text in texts), (name, part, texts))
        for surface, page in surfaces.items():
            for text in texts:
                # One cure may be that of two places.
                places = len({one for one in texts_of_places(document) if text in one})
                self.assertEqual(flat(page).count(flat(text)), places, (name, surface, text, page[-3000:]))
        return texts

    def python(self, kind, *words):
        """What Python prints of a run's places, and what it shows in a notebook."""
        import subprocess
        env = self.environment(LAB_PROGRAM=LAB, PYTHONPATH=str(ROOT / "tools/python"))
        done = subprocess.run([sys.executable, "-c", PYTHON, kind, json.dumps(words)], cwd=self.folder, env=env,
                              capture_output=True, text=True, check=True)
        return {"str": done.stdout, "notebook": without_tags(done.stderr)}

    def document(self, *words):
        return json.loads(self.lab(*words, "--json").out)

    def of_a_lab(self, name):
        lab = re.match(r"lab(\d+)", name)[1]
        document = self.document("run", lab, "--kernel", name, "--backend", "model")
        surfaces = {"run": self.lab("run", lab, "--kernel", name, "--backend", "model").out,
                    "watch": self.lab("watch", lab, name, "--runs", "1", "--no-store", "--backend", "model").out}
        self.good("report", "last", "--output", "report.html")
        surfaces["report"] = without_tags((self.folder / "report.html").read_text())
        return self.expect_told(name, document, {**surfaces, **self.python("run", lab, name)})

    def of_a_program(self, name):
        document = self.document("exec", name, "--no-store")
        surfaces = {"exec": self.lab("exec", name, "--no-store").out, **self.python("exec", name)}
        return self.expect_told(name, document, surfaces)

    def of_a_probe(self, name):
        words = ("probe", name, *PROBES[name], "--backend", "model", "--no-store")
        return self.expect_told(name, self.document(*words), {"probe": self.lab(*words).out})

    def test_every_file_has_a_place_here(self):
        self.assertEqual({file.name for file in FILES.glob("*.cu")}, {*TOLD, *QUIET})

    def test_labs(self):
        for name in sorted({*TOLD, *QUIET}):
            if name.startswith("lab"):
                with self.subTest(name):
                    texts = self.of_a_lab(name)
                    self.assertEqual(bool(texts), name in TOLD, texts)

    def test_programs(self):
        for name in sorted({*TOLD, *QUIET}):
            if "main(" in (self.folder / name).read_text():
                with self.subTest(name):
                    texts = self.of_a_program(name)
                    self.assertEqual(bool(texts), name in TOLD, texts)

    def test_a_kernel_is_told_the_same_as_probe_and_program(self):
        for name in PROBES:
            with self.subTest(name):
                probed = self.of_a_probe(name)
                if name.startswith("lab"):
                    self.assertLessEqual(set(probed), set(self.of_a_lab(name)))
                if name not in MAINS:
                    continue
                with open(self.folder / name, "a") as file:
                    file.write(main_of(*MAINS[name]))
                in_program = self.of_a_program(name)
                # A program knows where its arrays come from, beside that.
                shorter = [re.sub(r"; it was allocated at \S+:\d+\.$", ".", text) for text in in_program]
                self.assertEqual(sorted(probed), sorted(shorter))


if __name__ == "__main__":
    unittest.main()
