"""Every command line that README.md, the pages of tools/readers and the commands' help show, run as it
stands there."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import unittest

from support import LAB, LabTest, PATIENCE, ROOT, needs_toolkit
from test_starters import starter_of
from test_ncu import HEADING, REQUESTS, row

# What the pages show of other programs, and why it is not run here.
OTHERS = {
    "nsys": "Nsight Systems and a GPU",
    "ncu": "Nsight Compute and a GPU",
    "cmake": "builds the program that is tested here",
    "tools/check": "runs this test",
}
# Examples that a machine with no GPU refuses (exit status 3), and which are then not tried further.
NEED_GPU = ("lab calibrate", "lab ncu", "lab record --", "lab record --output", "lab record --counters", "lab record --metrics", "lab exec app.cu --backend both")
if os.environ.get("LAB_HAS_GPU_BACKEND", "1") != "1":
    NEED_GPU += ("lab metrics --chip",)  # asks CUPTI
# In the table of commands: the form of a command line, not one that can be typed.
PLACEHOLDER = re.compile(r"\[-|\.\.\.|\b[A-Z]{2,}\b")

SAXPY = """extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
"""
# A program as people write them.
TRANSPOSE = """#include <cstdlib>
#include <iostream>
#include <vector>

#define CHECK(call)                                                      \\
  if (cudaError_t error = (call); error != cudaSuccess) {                \\
    std::cerr << __FILE__ << ": " << cudaGetErrorString(error) << "\\n"; \\
    std::exit(EXIT_FAILURE);                                             \\
  }

template <typename T, size_t TILE = 32>
__global__ void transpose(T const* in, T* out, size_t rows, size_t cols) {
  __shared__ T tile[TILE][TILE + 1];
  size_t const x{blockIdx.x * TILE + threadIdx.x}, y{blockIdx.y * TILE + threadIdx.y};
  if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
  __syncthreads();
  size_t const column{blockIdx.y * TILE + threadIdx.x}, row{blockIdx.x * TILE + threadIdx.y};
  if (column < rows && row < cols) out[row * rows + column] = tile[threadIdx.x][threadIdx.y];
}

int main() {
  std::vector<float> host(1 << 20, 1.0f);
  float *in, *out;
  CHECK(cudaMalloc(&in, host.size() * sizeof(float)));
  CHECK(cudaMalloc(&out, host.size() * sizeof(float)));
  transpose<float><<<dim3(32, 32), dim3(32, 32)>>>(in, out, 1024, 1024);
  CHECK(cudaDeviceSynchronize());
  std::cout << "done" << std::endl;
}
"""
PLAIN = 'extern "C" __global__ void k(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }\n'
# A tile with no padding, read along its columns: 32 lanes in one bank.
UNPADDED = """  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) {
    if (x < rows && y + j < cols) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
  }
}
"""
CHECKED = """[[case]]
name = "twice"
file = "k.cu"
grid = 4
block = 256
args = ["f32[1024]=iota"]
"""
STRIDE = ("run", "3", "--variant", "stride", "--param", "stride=1,2", "--param", "loads=1")


def is_open(text):
    """Whether a shell would read on: a quote is open, or the line ends in a backslash."""
    if text.endswith("\\"):
        return True
    try:
        shlex.split(text)
    except ValueError:
        return True
    return False


def command_lines(lines):
    """Lines put together as a shell does."""
    lines = iter(lines)
    for line in lines:
        while is_open(line):
            line += "\n" + next(lines)
        yield line


def first_word(line):
    return line.split(maxsplit=1)[0] if line.split() else ""


# myths.md and metrics.md are made of data (test_pages.py).
PAGES = [ROOT / "README.md", *(ROOT / "tools/readers" / f"{name}.md" for name in (
    "student", "lecturer", "grader", "engineer", "commands", "contributor", "evidence", "troubleshooting"))]


def readme_blocks():
    """The indented blocks of the pages, each as its lines."""
    text = "\n".join(page.read_text() for page in PAGES)
    blocks = re.findall(r"(?:^    .*\n(?:\n(?=    ))?)+", text, re.M)
    return [[line[4:] for line in block.splitlines()] for block in blocks]


def readme_examples():
    """Command lines of README.md's blocks, and those of its table of commands."""
    for block in readme_blocks():
        shown = [line.removeprefix("$ ") for line in block]
        if first_word(shown[0]) in ("lab", "tools/lab", *OTHERS):
            # What follows a line with a prompt is what the program prints.
            yield from command_lines(shown[:1] if block[0].startswith("$ ") else shown)
    table = re.findall(r"^\| (`lab .*?) \|", (ROOT / "tools/readers/commands.md").read_text(), re.M)
    for line in re.findall(r"`(lab [^`]*)`", "\n".join(table)):
        if not PLACEHOLDER.search(line):
            yield line


# Exits 0 where all 256 numbers are doubled.
PROGRAM = """#include <cstdio>
__global__ void twice(int* x) { x[threadIdx.x] *= 2; }
int main() {
  int host[256], *x;
  for (int i = 0; i < 256; ++i) host[i] = i;
  cudaMalloc(&x, sizeof host);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  twice<<<1, 256>>>(x);
  if (cudaGetLastError() != cudaSuccess) return 1;
  cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(x);
  for (int i = 0; i < 256; ++i)
    if (host[i] != 2 * i) return 1;
  std::puts("PASSED");
}
"""


def unpadded(starter):
    text = starter.read_text()
    return text[:text.index("  // Write the tile")] + UNPADDED


@unittest.skipIf(os.environ.get("LAB_SANITIZED"), "what they run, the other tests run under a sanitizer")
@needs_toolkit
class Examples(LabTest):
    """Each example gets a folder of its own with what it names: databases, kernels, a CSV."""

    def setUp(self):
        super().setUp()
        self.good(*STRIDE)
        self.good(*STRIDE)
        self.write("mine.cu", unpadded(starter_of(4)))
        self.good("run", "4", "--variant", "padded", "--param", "rows=64", "--param", "cols=64",
                  "--kernel", "mine.cu", "--student", "ada")
        self.good(*STRIDE)
        for name in ("class.db", "last_year.db", "ada.db", "bob.db"):
            shutil.copy(self.folder / "lab.db", self.folder / name)
        self.write("mine.cu", (ROOT / "labs/03_bank_conflicts/kernels.cu").read_text() + "// mine\n")
        shutil.copy(starter_of(3), self.folder / "column.cu")
        self.write("saxpy.cu", SAXPY)
        self.write("transpose.cu", TRANSPOSE)
        self.write("k.cu", PLAIN)
        self.write("kernels.toml", CHECKED)
        for name in ("app.cu", "main.cu"):
            self.write(name, PROGRAM)
        self.write("kernels.cu", "__global__ void unused() {}\n")
        (self.folder / "include").mkdir()
        (self.folder / "submissions").mkdir()
        for name in ("submissions/ada.cu", "ada.cu"):
            shutil.copy(self.folder / "mine.cu", self.folder / name)
        shutil.copy(ROOT / "labs/04_transpose/rubric.toml", self.folder / "rubric.toml")
        # 16 blocks of 8 warps, one shared load each: 128 requests.
        for name in ("ncu.csv", "lab3.csv"):
            self.write(name, HEADING + row(0, 1, REQUESTS, "128"))
        for name in ("app.labrec", "train.labrec"):
            shutil.copy(ROOT / "tests/fixtures/record/h200_traced.labrec", self.folder / name)
        self.good("check", "kernels.toml", "--update")
        self.good("new", "warp-scan")
        programs = self.folder / "programs"
        programs.mkdir()
        (programs / "lab").symlink_to(LAB)
        (programs / "less").symlink_to(shutil.which("cat"))  # not every machine has one

    def run_line(self, line):
        folder = self.folder / "here"
        shutil.copytree(self.folder, folder, symlinks=True, ignore=shutil.ignore_patterns("here"))
        if line.startswith("lab new"):  # makes it
            shutil.rmtree(folder / "warp-scan")
        if line.startswith("lab start"):
            (folder / "column.cu").unlink()
        path = f"{self.folder / 'programs'}:{os.environ['PATH']}"
        try:
            return subprocess.run(["bash", "-c", line.replace("tools/lab", "lab")], cwd=folder, timeout=PATIENCE,
                                  env=self.environment(PATH=path), capture_output=True, text=True, check=False)
        finally:
            shutil.rmtree(folder)

    def expect_runs(self, line):
        with self.subTest(line):
            handed_in = (self.folder / "ada.cu")
            text = handed_in.read_text()
            if line.startswith("lab submit"):  # what is there already is not replaced
                handed_in.unlink()
            done = self.run_line(line)
            handed_in.write_text(text)
            allowed = (0, 3) if line.startswith(NEED_GPU) else (0,)
            self.assertIn(done.returncode, allowed, done.stdout + done.stderr)
            self.assertNotRegex(done.stderr if done.returncode == 0 else "", "error:")

    def test_help(self):
        commands = re.findall(r"^  (\w+) ", self.good("help", "--all").split("Commands:")[1].split("\n\n")[0], re.M)
        self.assertGreater(len(commands), 15)
        for command in commands:
            text = self.good(command, "--help").split("\nExample:\n")[1]
            indented = [line[2:] for line in text.splitlines() if line.startswith("  ")]
            examples = list(command_lines(indented))
            self.assertTrue(examples, command)
            for line in examples:
                self.assertTrue(line.startswith(f"lab {command}"), line)
                self.expect_runs(line)

    def test_readme(self):
        lines = list(readme_examples())
        left = {word for line in lines if (word := first_word(line)) in OTHERS}
        self.assertEqual(left, set(OTHERS), "a row of OTHERS that no page needs")
        mine = [line for line in lines if first_word(line) not in OTHERS]
        self.assertGreater(len(mine), 10)
        for line in mine:
            self.expect_runs(line)
        needs_gpu = [line for line in mine if line.startswith(NEED_GPU)]
        print(f"README.md: {len(mine)} lines run, {len(needs_gpu)} of them need a GPU; "
              f"{len(lines) - len(mine)} are of other programs")

    @unittest.skipIf(pathlib.Path("/dev/nvidiactl").exists(), "README.md shows a run with no GPU")
    def test_readme_shows_what_is_printed(self):
        block = next(block for block in readme_blocks() if block[0].startswith("$ "))
        (self.folder / "lab.db").unlink()
        shown = "\n".join(block[2:]) + "\n"
        self.assertEqual(self.run_line(block[0].removeprefix("$ ")).stdout, shown)

    def test_the_graders_question_finds_something(self):
        line = next(line for line in readme_examples() if line.startswith("lab query"))
        done = self.run_line(line + " --format csv --raw-csv")
        # Theory has one wavefront for a row of a padded tile, and the tile is read along columns.
        worst = [text for text in done.stdout.splitlines() if text.startswith("ada,padded,")]
        self.assertEqual(len(worst), 1, done)
        self.assertTrue(worst[0].endswith(",shared_load_wavefronts,32"), worst)


if __name__ == "__main__":
    unittest.main()
