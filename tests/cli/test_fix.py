"""lab fix: the change that it prints, made, costs what it says; and it counts as the model does."""
import pathlib
import re
import sys
import unittest

from support import LabTest, ROOT, needs_toolkit

sys.path.insert(0, str(ROOT / "tests/cli/advice"))
from planted import kernels  # pylint: disable=wrong-import-position

FAULTS = ROOT / "tests/cli/advice/faults.cu"
TRANSPOSE = """template <int N> __global__ void turn(const double* in, double* out) {
  __shared__ double tile[N][N];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[x][y] = in[y * N + x];
  __syncthreads();
  out[y * N + x] = tile[y][x];
}
"""
TURN = ("--kernel", "turn<16>", "--grid", 1, "--block", "16,16", "--arg", "f64[256]=iota", "--arg", "f64[256]=zero")
SHARED = ("shared_load_wavefronts", "shared_store_wavefronts", "shared_atomic_wavefronts")
GLOBAL = ("global_load_sectors", "global_store_sectors", "global_atomic_sectors", "global_reduction_sectors")


# Kernels of tests/cli/advice and their array: rows padded in a declaration with a macro, of doubles and of halfs, one
# dimension, an xor, and an array whose size the launch gives.
FOLLOWED = {"transposeCoalesced": "tile", "doubleTileOfSixteen": "s", "halfTile": "tile", "shared_structures": "s",
            "columns_of_sixteen": "tile", "transposeDynamic": "s"}


def brackets(text, at):
    """The parts in brackets that follow one another from `at` on, and where they end."""
    parts = []
    while text[at:at + 1] == "[":
        begin, depth = at, 0
        while depth > 0 or at == begin:
            depth += (text[at] == "[") - (text[at] == "]")
            at += 1
        parts.append(text[begin + 1:at - 1])
    return parts, at


def followed(line, name, place):
    """A line with each element of the array where `place` says: s[i + i / 32], tile[r][c ^ r]."""
    out, at = "", 0
    for found in re.finditer(rf"\b{name}(?=\[)", line):
        parts, end = brackets(line, found.end())
        index = dict(zip("i" if len(parts) == 1 else "rc", parts))
        there = [re.sub(r"\b[irc]\b", lambda one: f"({index[one[0]]})", part)
                 for part in brackets(place, len(name))[0]]
        out += line[at:found.end()] + "".join(f"[{part}]" for part in there)
        at = end
    return out + line[at:]


@needs_toolkit
class Fix(LabTest):
    def array(self, name, *words):
        return {array["name"]: array for array in self.json("fix", *words)["arrays"]}[name]

    def test_the_change_of_a_line_brings_what_it_says(self):
        source = self.write("turn.cu", TRANSPOSE)
        printed = self.good("fix", source, *TURN, env=self.environment(COLUMNS="80"))
        was, then = (re.search(rf"^  [{sign}] (.*)$", printed, re.M)[1] for sign in "-+")
        self.assertEqual((was, then), ("__shared__ double tile[N][N];", "__shared__ double tile[N][N + 1];"))
        # 8 warps store two columns of 16 doubles in rows of 128 bytes, 16 ways for each half; what they
        # read takes a wavefront for each half. Padded, the store does as well.
        before = self.array("tile", source, *TURN)
        self.assertEqual((before["cost"], before["least"]), (8 * 2 * 16 + 8 * 2, 32))
        self.assertEqual(before["better"][0]["cost"], 32)
        changed = self.write("turned.cu", TRANSPOSE.replace(was, then))
        after = self.array("tile", changed, *TURN)
        self.assertEqual((after["cost"], after["better"]), (32, []))
        self.assertEqual(after["bytes"], before["better"][0]["bytes"])

    def shared_wavefronts(self, *words):
        output = self.folder / "out.bin"
        case = self.json("probe", *words, "--dump", f"1={output}", "--no-store", "--backend",
                         "model")["runs"][0]["cases"][0]
        self.assertEqual(case["status"], "ok", words)
        return sum(case["metrics"][metric]["model"] or 0 for metric in SHARED), output.read_bytes()

    def test_followed_to_the_letter_it_brings_what_it_says(self):
        known = {one.name: one for file in ("faults.cu", "faults_3.cu") for one in kernels(file)}
        for kernel, name in FOLLOWED.items():
            with self.subTest(kernel):
                words = known[kernel].words()
                printed = self.good("fix", *words, "--array", name, env=self.environment(COLUMNS="200"))
                lines = pathlib.Path(words[0]).read_text().split("\n")
                for number, was, then in re.findall(r"^  \S+:(\d+)\n  - (.*)\n  \+ (.*)$", printed, re.M):
                    self.assertEqual(lines[int(number) - 1].strip(), was)
                    lines[int(number) - 1] = then
                if place := re.search(r"Write (\w+\[.*\]) wherever", printed):
                    for number in re.findall(r"^    (\d+): ", printed, re.M):
                        lines[int(number) - 1] = followed(lines[int(number) - 1], name, place[1])
                changed = [self.write("changed.cu", "\n".join(lines)), *words[1:]]
                if larger := re.search(r"\(--shared (\d+)\)", printed):
                    changed[changed.index("--shared") + 1] = larger[1]
                before, was = self.shared_wavefronts(*words)
                after, then = self.shared_wavefronts(*changed)
                self.assertEqual(was, then)
                saved = re.search(r"Saves ([\d,]+) of ", printed)[1]
                self.assertEqual(before - after, int(saved.replace(",", "")))

    def test_costs_are_the_models_own(self):
        for kernel in kernels("faults.cu")[::3]:
            document = self.json("fix", *kernel.words())
            self.assertTrue(document["complete"], kernel.name)
            case = self.json("probe", *kernel.words(), "--no-store",
                             "--backend", "model")["runs"][0]["cases"][0]
            for space, metrics in (("shared", SHARED), ("global", GLOBAL)):
                counted = sum(case["metrics"][metric]["model"] or 0 for metric in metrics)
                found = sum(array["cost"] for array in document["arrays"] if array["space"] == space)
                self.assertEqual(found, counted, (kernel.name, space))

    def test_a_tile_with_no_kernel(self):
        printed = self.good("fix", "f16[64][64]", "--access", "store:row:16", "--access", "matrix",
                            env=self.environment(COLUMNS="80"))
        self.assertIn("tile[r][c ^ r % 8 * 8]", printed)
        self.assertIn("tile[64][72]", printed)
        # Contiguous float4: no conflict.
        self.assertIn("no conflict", self.good("fix", "f32[32][32]", "--access", "row:16"))

    def test_index_orders(self):
        launch = next(one.launch for one in kernels("faults.cu") if one.name == "naive_transpose")
        printed = self.good("fix", FAULTS, "--kernel", "naive_transpose", *launch,
                            env=self.environment(COLUMNS="200"))
        # 64 blocks of 8 warps, 4 times each: 2,048 loads of 4 sectors, 2,048 stores of 32. Exchanged, a
        # warp's lanes are 8 rows of 4 threads: a load takes a sector of each of 8 rows, a store 8 floats
        # of each of 4 columns.
        self.assertEqual((2048 * (4 + 32), 2048 * (8 + 4)), (73728, 24576))
        self.assertIn("threadIdx.x and threadIdx.y exchanged, in blocks of 8 x 32: 73,728 -> 24,576 sectors. "
                      "Better in all.", printed)
        array = self.array("out", FAULTS, "--kernel", "naive_transpose", *launch)
        self.assertEqual((array["better"][0]["family"], array["better"][0]["cost"]), ("transposed", 2048 * 4))

    def test_what_cannot_be_is_refused(self):
        self.fails(2, "error: a tile needs --access: what warps do with it\n"
                      "hint: lab fix 'f32[32][32]' --access store:row --access column\n", "fix", "f32[32][32]")
        self.fails(2, "error: 'f32[32]' is not a tile\nhint: a tile has a type, rows and columns: f32[32][32]\n",
                   "fix", "f32[32]", "--access", "row")
        self.fails(2, "error: --access is for a tile: a kernel's accesses are its own\n", "fix", "3",
                   "--access", "row")
        self.fails(2, "error: the kernel accesses no array 'tiles'\n"
                      "hint: lab fix without --array lists those that it does\n",
                   "fix", "4", "--variant", "shared_store", "--array", "tiles")


SQUARE = """__global__ void turn(const float* in, float* out) {
  __shared__ float t[16][16];
  int x = threadIdx.x, y = threadIdx.y, b = blockIdx.x * 256;
  t[y][x] = in[b + y * 16 + x];
  __syncthreads();
  out[b + y * 16 + x] = t[x][y];
}
"""
ROWS = """__global__ void rows(const float* in, float4* out) {
  __shared__ __align__(16) float tile[32][32];
  int t = threadIdx.x;
  for (int i = 0; i < 32; ++i) tile[i][t] = in[i * 32 + t];
  __syncthreads();
  for (int i = 0; i < 8; ++i) out[i * 32 + t] = *(const float4*)&tile[t][4 * i];
}
"""
BY_ROWS = """__global__ void fill(float* out) { out[threadIdx.x] = 1; }
__global__ void scale(const float* in, float* out, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) out[row * n + col] = in[row * n + col] * 2.f;
}
"""
OF_ROWS_OF_128 = ("--kernel", "scale", "--grid", "4,4", "--block", "32,8", "--arg", "f32[16384]=iota", "--arg",
                  "f32[16384]=zero", "--arg", 128, "--apply")
OF_SQUARE = ("--grid", 4, "--block", "16,16", "--arg", "f32[1024]=iota", "--arg", "f32[1024]=zero", "--apply")
OF_ROWS = ("--grid", 1, "--block", 32, "--arg", "f32[1024]=iota", "--arg", "f32[1024]=zero", "--apply")


@needs_toolkit
class Apply(LabTest):
    def refused(self, text, *words):
        """What is said of a file that stays as it is."""
        file = self.write("kept.cu", text)
        done = self.lab("fix", file, *words)
        self.assertNotEqual(done.status, 0, done.out)
        self.assertEqual((self.folder / "kept.cu").read_text(), text)
        return done.err

    def test_a_declaration_is_padded_in_the_file(self):
        file = self.write("rows.cu", ROWS)
        # Each of 8 loads takes 16 bytes per lane, 8 lanes at once: 32 ways in rows of 128 bytes, 4 wavefronts in
        # rows of 144; 32 stores take one each.
        self.assertIn("288 -> 64 wavefronts", self.good("fix", file, *OF_ROWS))
        self.assertEqual((self.folder / "rows.cu").read_text(), ROWS.replace("tile[32][32]", "tile[32][36]"))

    def test_every_use_is_rewritten(self):
        file = self.write("square.cu", SQUARE)
        # 4 blocks of 8 warps: a load of two columns of 16 in rows of 64 bytes is 8 ways, a store is free.
        self.assertIn("288 -> 64 wavefronts", self.good("fix", file, *OF_SQUARE))
        self.assertEqual((self.folder / "square.cu").read_text(),
                         SQUARE.replace("t[y][x]", "t[y][x ^ y]").replace("t[x][y]", "t[x][y ^ x]"))
        self.assertIn("no layout of an array in shared memory helps", self.lab("fix", file, *OF_SQUARE).err)

    def test_what_is_not_as_promised_is_not_written(self):
        # The padded rows are filled as if they were not: some are never written.
        text = ROWS.replace("tile[i][t] =", "(&tile[0][0])[i * 32 + t] =")
        self.assertIn("has a finding", self.refused(text, *OF_ROWS))
        # Or zeros are left where others were.
        text = text.replace("  for", "  for (int i = 0; i < 32; ++i) tile[i][t] = 0;\n  __syncthreads();\n  for", 1)
        self.assertIn("leaves other results", self.refused(text, *OF_ROWS))
        text = SQUARE.replace("t[y][x] =", "*(t[y] + x) =")
        self.assertIn("change it by hand", self.refused(text, *OF_SQUARE))
        # Found before anything is changed: a barrier is missing.
        text = SQUARE.replace("  __syncthreads();\n", "")
        self.assertIn("finding", self.refused(text, *OF_SQUARE))
        self.assertIn("name one", self.lab("fix", 3, "--variant", "column", "--apply").err)

    def test_x_and_y_are_exchanged_in_the_file(self):
        file = self.write("byrows.cu", BY_ROWS)
        # 16 blocks of 8 warps: lanes 512 bytes apart take a sector each, loads and stores; exchanged, a warp is four
        # rows of 8 floats, a sector each.
        self.assertIn("8,192 -> 1,024 sectors in blocks of 8 x 32", self.good("fix", file, *OF_ROWS_OF_128))
        mine = "__global__ void scale" + BY_ROWS.split("__global__ void scale")[1]
        turned = mine.replace(".x;", ".Y;").replace("Dim.x", "Dim.Y").replace("Dim.y", "Dim.x").replace("Idx.y;", "Idx.x;")
        self.assertEqual((self.folder / "byrows.cu").read_text(), BY_ROWS.replace(mine, turned.replace("Y", "y")))
        # A macro or a function may be another kernel's, too; what a thread does with its warp is not exchanged.
        for text in (BY_ROWS.replace("+ threadIdx.x;", "+ T;").replace("__global__ void scale",
                     "#define T threadIdx.x\n__global__ void scale"),
                     "__device__ int at() { return threadIdx.x; }\n" + BY_ROWS):
            self.assertIn("change it by hand", self.refused(text, *OF_ROWS_OF_128))
        text = BY_ROWS.replace("* 2.f", "* 2.f + __shfl_down_sync(0xffffffff, (float)col, 1)")
        self.assertIn("leaves other results", self.refused(text, *OF_ROWS_OF_128))


if __name__ == "__main__":
    unittest.main()
