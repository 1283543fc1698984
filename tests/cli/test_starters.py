"""A solution as a starter's text asks for it is right and on target; the starter itself is neither.

The solutions are what a student writes: literal, with nothing that the text does not name.
"""
import atexit
import functools
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from support import LAB, LabTest, ROOT, needs_toolkit

FOLD = "  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);\n"
LOAD_TILES = """
#pragma unroll
    for (int r = 0; r < 32; r += 8) {
      tile_a[ty + r][tx] = first + r < n && t + tx < m ? a[(first + r) * m + t + tx] : 0;
      tile_b[ty + r][tx] = t + ty + r < m && col < p ? b[(t + ty + r) * p + col] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; ++k) {
      const float element = tile_b[k][tx];
#pragma unroll
      for (int r = 0; r < 4; ++r) sum[r] += tile_a[ty + 8 * r][k] * element;
    }
    __syncthreads();
"""
READ_TILE = """
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) {
    if (x < rows && y + j < cols) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
  }
"""
# (lab, variant, text of the starter, what stands in its place); a comment that is replaced is one
# whole line or more, written here by how it begins.
SOLUTIONS = [
    (1, "permuted", [("  // Yours to write",
                      "  if (i < n) out[i] = in[full ? first + (5 * i + 3) % 32 : i];\n")]),
    (2, "to_soa", [("  // Expected", "  const float4 v = p[i];\n  x[i] = v.x;\n  y[i] = v.y;\n"
                    "  z[i] = v.z;\n  w[i] = v.w;\n")]),
    (3, "column_swizzled", [("tile[y * 32 + lane] =", "tile[y * 32 + (lane ^ y)] ="),
                            ("tile[lane * 32 + x]", "tile[lane * 32 + (x ^ lane)]")]),
    (4, "padded", [("tile[kTile][kTile];", "tile[kTile][kTile + (sizeof(T) < 4 ? 4 / sizeof(T) : 1)];"),
                   ("  // Write the tile", READ_TILE)]),
    (5, "atomic_first", [("a[k] += 1;", "atomicAdd(&a[k], 1.0f);")]),
    (6, "power_major", [("p[threadIdx.x * kPowers + k]", "p[k * kThreads + threadIdx.x]")]),
    (7, "register_tiled", [("    // Fill both", LOAD_TILES)]),
    (8, "warp_per_row", [("    // Yours to write", "    sum += in[row * cols + x];\n"),
                         ("  // Then, for", FOLD)]),
    (9, "figure", [("  switch (figure) {", "  constexpr bool kFloats = sizeof(T) == 4;\n  switch (figure) {"),
                   ("    default:  // Figures 2 to 6 are yours; the handout has them.\n      return l;\n",
                    "    case 2:\n      return l ^ 1;\n    case 3:\n      return l + 1;\n"
                    "    case 4:\n      return l * 7 % 16;\n    case 5:\n      return l + (kFloats ? 22 : 25);\n"
                    "    default:\n      if (kFloats) return l + 1;\n"
                    "      return l < 15 ? l : 20;\n")]),
    (10, "chase", [("  // Expected", "  for (int i = 0; i < hops; ++i) at = next[at];\n")]),
    (11, "sequential", [("  // Add the upper", "  for (int step = kThreads / 2; step > 0; step /= 2) {\n"
                         "    if (t < step) s[t] = s[t] + s[t + step];\n    __syncthreads();\n  }\n")]),
    (12, "product", [("    for (int k", "    __syncthreads();\n    for (int k"),
                     ("tile_b[k][tx];\n", "tile_b[k][tx];\n    __syncthreads();\n")]),
]


@functools.cache
def starter_of(lab):
    """What `lab start` writes for a student who calls the file mine.cu, as a file."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="starter"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    subprocess.run([LAB, "start", str(lab), "--output", "mine.cu"], cwd=folder, check=True, capture_output=True)
    return folder / "mine.cu"


def solved(text, steps):
    for old, new in steps:
        assert old in text, old
        if old.lstrip().startswith("//"):  # the whole comment
            text = re.sub(re.escape(old) + r".*\n(?: *//.*\n)*", lambda _: new, text, count=1)
        else:
            text = text.replace(old, new, 1)
    return text


@needs_toolkit
class Starters(LabTest):
    def run_kernel(self, lab, variant, text, *more):
        (self.folder / "lab.db").unlink(missing_ok=True)
        return self.lab("run", lab, "--variant", variant, "--kernel", self.write("mine.cu", text), *more)

    def test_a_solution_as_the_text_asks_is_on_target(self):
        for lab, variant, steps in SOLUTIONS:
            with self.subTest(lab=lab):
                text = solved(starter_of(lab).read_text(), steps)
                done = self.run_kernel(lab, variant, text)
                found = re.search(r"(\d+) of (\d+) on target: results are right\.", done.out)
                self.assertTrue(found and found[1] == found[2], done)
                done = self.run_kernel(lab, variant, text, "--all")
                self.assertEqual(done.status, 0, done)
                self.assertEqual(self.count("SELECT max(excess) FROM compare"), 1, lab)

    def test_a_starter_as_it_stands_is_not(self):
        for lab, variant, steps in SOLUTIONS:
            with self.subTest(lab=lab):
                # Lab 3's is right, with conflicts; the others' results are wrong.
                text = starter_of(lab).read_text()
                done = self.run_kernel(lab, variant, text)
                # Of a mistake in each case, nothing stands to a target.
                found = re.search(r"(\d+) of (\d+) on target", done.out)
                if found or not re.search(r"^\d+ cases?: \d+ finding\.$", done.out, re.M):
                    self.assertTrue(found and int(found[1]) < int(found[2]), done)
                self.assertEqual(done.status, 0 if lab == 3 else 1, done)
                # Of each a line is named that the solution changes.
                named = {int(line) for line in re.findall(r"^  (?:\w+: )?\S*mine\.cu:(\d+)(?:[: ]|$)", done.out, re.M)}
                changed = {text[:text.index(old.strip())].count("\n") + 1 for old, _ in steps}
                self.assertTrue(named & changed, (named, changed, done.out))

    def test_every_lab_has_a_solution_here(self):
        self.assertEqual([lab for lab, _, _ in SOLUTIONS], list(range(1, 13)))
        for lab, variant, _ in SOLUTIONS:
            text = starter_of(lab).read_text()
            self.assertIn(f"--variant {variant} ", re.sub(r"\n// ", " ", text) + " ")

    def test_a_walk_that_does_nothing_is_wrong(self):
        done = self.run_kernel(10, "chase", starter_of(10).read_text())
        self.assertIn("results are wrong", done.out)

    def test_no_cure_is_named_that_the_task_rules_out(self):
        # Lab 3 is about permuting; its `column`, which is nobody's task, may be padded.
        text = starter_of(3).read_text()
        self.assertNotIn("pad", self.run_kernel(3, "column_swizzled", text).out.lower().replace("no padding", ""))
        fixed = self.good("fix", "3", "--variant", "column_swizzled", "--kernel", "mine.cu")
        # 32 x 32 floats are 4,096 bytes, and no layout that is shown takes more.
        self.assertEqual(set(re.findall(r"  words\[.*?\] +1,024  ([\d,]+)", fixed)), {"4,096"}, fixed)
        self.assertIn("i + i / 32", self.good("fix", "3", "--variant", "column"))

    def test_one_word_of_padding_is_said_to_be_not_enough_for_bytes(self):
        # 33 bytes per row: four rows meet in a word's bank where 36 bytes would not.
        text = solved(starter_of(4).read_text(), [("tile[kTile][kTile];", "tile[kTile][kTile + 1];"),
                                                  ("  // Write the tile", READ_TILE)])
        done = self.run_kernel(4, "padded", text, "--param", "bytes=1,4", "--param", "rows=256",
                               "--param", "cols=256")
        # Lane 4 k + j reads byte 33 (4 k + j) + y of a column y: bank k + 8 j, and one further where
        # j + y % 4 carries into the next word. Where y % 4 > 0, lane 31's bank is 31 + 1 = 0, which
        # is lane 0's: two wavefronts in three of four columns.
        self.assertRegex(done.out, r"1 of 2 on target: results are right; 1\.75 times the target")
        # The first warp reads column 0 and has no conflict; advice is of the others all the same.
        said = " ".join(done.out.split())
        self.assertIn("a load takes 1.75 wavefronts on average and 1 without conflicts, though the first warp's "
                      "has none.", said)
        self.assertNotIn("Nothing to gain here", said)
        self.assertRegex(said, r"To see the accesses: lab map 4 --variant padded --kernel \S+ --param bytes=1( |$)")


# Kernels to repair: what is wrong with them is found, and the repaired ones are right.
REPAIRS = [
    ("02_layout", "float3_shared", [("blockIdx.x * blockDim.x + t", "3 * blockIdx.x * blockDim.x + t")]),
    ("07_matmul", "tiled_32",
     [("* m + col]", "* p + col]"),
      ("sum += As[ty][j] * Bs[j][tx];\n", "sum += As[ty][j] * Bs[j][tx];\n    __syncthreads();\n  }\n"),
      ("c[row * p + col] = sum;\n  }\n", "c[row * p + col] = sum;\n")]),
]


@needs_toolkit
class AsPrinted(LabTest):
    def run_kernel(self, folder, variant, text):
        return self.lab("run", int(folder[:2]), "--variant", variant, "--kernel",
                        self.write("as_printed.cu", text), "--no-store")

    def test_what_is_printed_is_wrong_and_repaired_is_right(self):
        for folder, variant, steps in REPAIRS:
            with self.subTest(folder):
                text = (ROOT / "labs" / folder / "as_printed.cu").read_text()
                self.assertEqual(self.run_kernel(folder, variant, text).status, 1)
                done = self.run_kernel(folder, variant, solved(text, steps))
                self.assertEqual(done.status, 0, done)

    def test_where_the_printed_float3_stops(self):
        # The last of 32 blocks begins at float 31 * 256 and brings 768: 8704 floats of 24576.
        text = (ROOT / "labs/02_layout/as_printed.cu").read_text()
        done = self.lab("run", 2, "--variant", "float3_shared", "--kernel", self.write("k.cu", text),
                        "--no-store", "--param", "n=8192")
        self.assertIn("out[8704]: not written, expected ", done.out)

    def test_tiles_left_blank(self):
        text = (ROOT / "labs/07_matmul/load_tiles.cu").read_text()
        steps = [("tile_a[ty][tx] = 0;", "tile_a[ty][tx] = row < n && t + tx < m ? a[row * m + t + tx] : 0;"),
                 ("tile_b[ty][tx] = 0;", "tile_b[ty][tx] = t + ty < m && col < p ? b[(t + ty) * p + col] : 0;")]
        self.assertEqual(self.run_kernel("07_matmul", "tiled_32", text).status, 1)
        done = self.run_kernel("07_matmul", "tiled_32", solved(text, steps))
        self.assertRegex(done.out, r"2 of 2 on target: results are right\.")


def package(folder, *words):
    """What tools/package puts into its archive beside the programs."""
    subprocess.run([ROOT / "tools/package", *words, "--texts", folder], check=True, capture_output=True)
    return folder


def lines_of(folder):
    return {line.strip() for path in folder.rglob("*") if path.is_file() and path.suffix not in (".png", ".svg")
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines()}


class Archives(LabTest):
    def test_students_get_no_solution(self):
        course, student = package(self.folder / "course"), package(self.folder / "student", "--student")
        names = {whose: {str(path.relative_to(whose)) for path in whose.rglob("*") if path.is_file()}
                 for whose in (course, student)}
        labs = [path.name for path in sorted((ROOT / "labs").glob("[0-9][0-9]_*"))]
        self.assertEqual(names[course] - names[student], {f"labs/{lab}/answers.md" for lab in labs})
        self.assertEqual(names[student] - names[course], {f"labs/{lab}/starter.cu" for lab in labs})
        for (number, variant, _), lab in zip(SOLUTIONS, labs):
            with self.subTest(lab=lab):
                cut = json.loads(self.good("hint", number, "--answer", "--json"))["text"]
                solution = {line.strip() for line in cut.splitlines() if len(line.strip()) > 30}
                kernels = (student / "labs" / lab / "kernels.cu").read_text()
                # A line that another kernel has, too, is no secret.
                own = (ROOT / "labs" / lab / "kernels.cu").read_text().splitlines()
                once = {line for line in solution if sum(one.strip() == line for one in own) == 1}
                self.assertFalse(once & lines_of(student / "labs" / lab))
                self.assertNotRegex(kernels, r"\b" + variant + r"\(")
                rubric = (student / "labs" / lab / "rubric.toml").read_text()
                self.assertNotRegex(rubric, r"(?m)^(hidden|draw|seed) =")
                self.assertIn("[[points]]", rubric)

    @needs_toolkit
    def test_students_start_run_and_watch(self):
        student = package(self.folder / "student", "--student")
        env = self.environment(LAB_PATH=str(student / "labs"))
        for number, variant, steps in (SOLUTIONS[3], SOLUTIONS[8]):  # lab 9's helper is used by others
            with self.subTest(lab=number):
                file = f"lab{number}.cu"
                self.good("start", number, env=env)
                text = (self.folder / file).read_text()
                self.assertEqual(text.split("\n\n", 1)[1],
                                 starter_of(number).read_text().split("\n\n", 1)[1])  # below its heading
                self.assertNotIn(variant + " ", self.good("run", number, "--no-store", env=env))
                (self.folder / file).write_text(solved(text, steps))
                self.assertRegex(self.good("watch", number, file, "--runs", 1, env=env), r"\n(\d+) of \1 on target[.:]")
                self.assertIn("100 of 100", self.good("submit", number, "--kernel", file, "--student", "ada", env=env))
        self.fails(2, "error: the kernel of padded is yours to write: this copy of lab 4 has none\n"
                   "hint: lab start 4, then lab run 4 --kernel FILE\n", "run", 4, "--variant", "padded", env=env)
        for words in (("show", 4, "--answers"), ("hint", 4, "--answer")):
            self.assertEqual(self.lab(*words, env=env).status, 2)


if __name__ == "__main__":
    unittest.main()
