"""Each lab's rubric, tried: a right kernel has every point, a slow one its part, and a wrong, an
empty or a cheating one does not pass. The cheats that every lab gets are in cheats.py."""
import json
import re
import tomllib
import unittest

import handed_in
from cheats import CALLED, SEEN, cheats_of

from support import LabTest, ROOT, needs_toolkit
from test_starters import SOLUTIONS, solved, starter_of

PASS = 60  # of 100, in every rubric

# A right kernel that costs more: (what stands in the right one, what in its place), and its points.
SLOW = {
    # Every element loaded twice: twice the sectors.
    1: ([("  if (i < n) out[i] = in[", "  volatile const T* again = in;\n  T unused;\n"
          "  if (i < n) unused = again[full ? first + (5 * (i - first) + 3) % 32 : i];\n"
          "  if (i < n) out[i] = in[")], 82),
    # Four loads of 4 bytes in place of one of 16: four times the requests.
    2: ([("  const float4 v = p[i];\n", "  struct { float x, y, z, w; } v;\n"
          "  volatile const float* f = &p[i].x;\n"
          "  v.x = f[0]; v.y = f[1]; v.z = f[2]; v.w = f[3];\n")], 55),
    # A column in one bank.
    3: ([("(lane ^ y)", "lane"), ("(x ^ lane)", "x")], 55),
    # No padding: 32 ways.
    4: ([(" + (sizeof(T) < 4 ? 4 / sizeof(T) : 1)", "")], 50),
    # Twice as many atomics, of half as much.
    5: ([("atomicAdd(&a[k], 1.0f);", "{ atomicAdd(&a[k], 0.5f); atomicAdd(&a[k], 0.5f); }")], 55),
    # Thread-major on the way in: 32 ways; turned on the way out.
    6: ([("p[k * kThreads + threadIdx.x]", "p[threadIdx.x * kPowers + k]"),
         ("out[i] = shared[i]", "out[i] = shared[i % kThreads * kPowers + i / kThreads]")], 40),
    # No tiles.
    7: ([("  for (int t = 0; t < m; t += 32) {", "  for (int k = 0; k < m; ++k)\n    for (int r = 0; r < 4; ++r)\n"
          "      if (first + 8 * r < n && col < p) sum[r] += a[(first + 8 * r) * m + k] * b[k * p + col];\n"
          "  for (int t = m; t < m; t += 32) {")], 35),
    # Every element loaded twice.
    8: ([("sum += in[row * cols + x];", "{ volatile const float* v = in; sum += v[row * cols + x]; "
          "float unused = v[row * cols + x]; }")], 75),
    # One word of each element before the element.
    9: ([("if (e >= 0) out", "volatile const int* v = reinterpret_cast<const volatile int*>(in + first);\n"
          "  int unused;\n  if (e >= 0) unused = v[e * sizeof(T) / 4];\n  if (e >= 0) out")], 50),
    10: ([("at = next[at];", "{ volatile const unsigned* v = next; unsigned unused = v[at]; at = v[at]; }")], 50),
    # Three loads for each addition's two.
    11: ([("if (t < step) s[t] = s[t] + s[t + step];", "volatile float* v = s;\n    float unused;\n"
           "    if (t < step) unused = v[t + step];\n    if (t < step) s[t] += v[t + step];")], 70),
}

# Kernels by lab that do the work the slow way and add useless accesses, so that a metric reaches the
# least that its criterion asks for.
DUMMIES = {
    4: """
constexpr int kTile = 32;
template <typename T, int kRows>
__global__ void padded(const T* in, T* out, int rows, int cols) {
  __shared__ T tile[kTile][kTile + 4];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) {
    volatile T* v = &tile[threadIdx.y + j][threadIdx.x];
    *v = T();
    T unused = *v;
    if (x < cols && y + j < rows) out[x * rows + y + j] = in[(y + j) * cols + x];
  }
}
""",
    7: """
extern "C" __global__ void register_tiled(const float* a, const float* b, float* c, int n, int m, int p) {
  __shared__ float s[256];
  volatile float* v = s + threadIdx.y * 32 + threadIdx.x;
  *v = 0;
  const int col = blockIdx.x * 32 + threadIdx.x, first = blockIdx.y * 32 + threadIdx.y;
  for (int r = 0; r < 4; ++r) {
    float sum = 0;
    for (int k = 0; k < m; ++k) {
      float unused = *v;
      if (first + 8 * r < n && col < p) sum += a[(first + 8 * r) * m + k] * b[k * p + col];
    }
    if (first + 8 * r < n && col < p) c[(first + 8 * r) * p + col] = sum;
  }
}
""",
}

KERNEL = re.compile(r"__global__ void \w+\(([^)]*)\) \{\n")


def kernel_body(text):
    """Where the kernel's body begins and ends."""
    begin = KERNEL.search(text).end()
    depth, at = 1, begin
    while depth:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return begin, at - 1


def empty(text):
    begin, end = kernel_body(text)
    return text[:begin] + text[end:]


def first_do(text, statement):
    begin, _ = kernel_body(text)
    return text[:begin] + statement + text[begin:]


def first_pointer(text):
    return re.search(r"\* *(\w+)", KERNEL.search(text).group(1)).group(1)


def named_sizes_only(text, lab):
    """Does nothing but at the sizes that stand in the rubric, hidden ones too: those that it draws
    are in no text."""
    named = []
    for points in tomllib.loads(rubric_of(lab).read_text())["points"]:
        if "draw" in points:
            continue
        sizes = {name: points["params"].get(name) for name in SEEN[lab]}
        tests = ["(" + " || ".join(f"{CALLED.get(name, name)} == {one}" for one in as_list(values)) + ")"
                 for name, values in sizes.items() if values is not None]
        named.append(" && ".join(tests))
    return first_do(text, f"  if (!({' || '.join(one for one in named if one)})) return;\n")


def as_list(values):
    return values if isinstance(values, list) else [values]


def rubric_of(lab):
    return next(ROOT.glob(f"labs/{lab:02}_*/rubric.toml"))


def all_blocks_but_one(text):
    return first_do(text, "  if (blockIdx.x == gridDim.x - 1 && blockIdx.y == gridDim.y - 1) return;\n")


def looks_for_the_answer(text):
    """Reads beyond its input, where another run's answer might lie."""
    name = first_pointer(text)
    return first_do(text, f"  if (threadIdx.x == 0) {{ volatile const char* beyond = (volatile const char*){name};\n"
                          "    char unused = beyond[1 << 24]; }\n")


def half_of_the_input(text):
    """Reads less than the task's bytes: half of the lanes take nothing."""
    return first_do(text, "  if (blockDim.x > 1 && threadIdx.x % 16 >= 8 || blockDim.x == 1) return;\n")


# What each lab is about. All other criteria together are less than a pass.
LESSONS = {1: ("load_sectors", "global_store_sectors"), 2: ("load_requests", "global_store_sectors"), 3: ("shared",),
           4: ("shared",), 5: ("global_traffic",), 6: ("shared",), 7: ("shared",), 8: ("load_sectors",),
           9: ("load_sectors",), 10: ("load_requests",), 11: ("shared",), 12: ("findings",)}
# Other kernels of a lab that do as well as the one that is asked for.
AS_GOOD = {4: ("padded_store", "swizzled")}

USUAL = ("all_but_one",)  # of every lab; of some all of them, so that this ends in seconds
WHOLE = (1, 4, 7, 12)
CHEATS = {"all_but_one": all_blocks_but_one, "memory": looks_for_the_answer,
          "half": half_of_the_input, "empty": empty}


@needs_toolkit
class Rubrics(LabTest):
    def graded(self, lab, files):
        for name, text in files.items():
            (self.folder / "in").mkdir(exist_ok=True)
            self.write(f"in/{name}.cu", text)
        # A seed, so that the sizes that are drawn are the same each time.
        self.write("rubric.toml", "seed = 34\n" + rubric_of(lab).read_text())
        out = self.good("grade", lab, "in", "--rubric", "rubric.toml", "--db", f"{lab}.db", "--json")
        return {one["student"]: one for one in json.loads(out)["grades"]}

    def test_all_but_the_lesson_is_less_than_a_pass(self):
        for lab, lesson in LESSONS.items():
            with self.subTest(lab=lab):
                rubric = tomllib.loads(rubric_of(lab).read_text())
                about = [one.get("metric", "findings" if "findings" in one else "") for one in rubric["criterion"]]
                rest = [one["points"] for one, metric in zip(rubric["criterion"], about) if not metric.startswith(lesson)]
                self.assertEqual(sum(one["points"] for one in rubric["criterion"]), 100)
                self.assertLess(len(rest), len(about))
                self.assertLess(sum(rest), rubric["pass"])
                # That something is not done is no merit.
                idle = [one for one in rubric["criterion"] if one.get("metric") == "other_traffic"]
                self.assertEqual([one["points"] for one in idle if one["points"] != 0], [])

    def test_slower_kernels_of_the_lab_do_not_pass_and_right_ones_do(self):
        for lab, _, steps in SOLUTIONS:
            right = solved(starter_of(lab).read_text(), steps)
            honest = {name: handed_in.put(right, *pairs) for name, pairs in handed_in.HONEST[lab].items()}
            honest["printed"] = handed_in.first_do(right, handed_in.PRINTED_MORE)
            bad = dict(handed_in.CHEATS.get(lab, {}))
            for name, pairs in handed_in.CHANGED.get(lab, {}).items():
                bad[name] = handed_in.put(right, *pairs)
            for name, text in handed_in.other_kernels(lab).items():
                as_good = name in AS_GOOD.get(lab, ())
                (honest if as_good else bad)["own_" + name] = text
            for old in self.folder.glob("in/*.cu"):
                old.unlink()
            grades = self.graded(lab, {**honest, **bad})
            for name, grade in grades.items():
                with self.subTest(lab=lab, kernel=name):
                    if name in honest:
                        self.assertGreaterEqual(grade["points"], 95, grade)
                    else:
                        self.assertLess(grade["points"], PASS, grade)

    def test_every_rubric(self):
        for lab, _, steps in SOLUTIONS:
            starter = starter_of(lab).read_text()
            right = solved(starter, steps)
            files = {name: cheat(right) for name, cheat in CHEATS.items() if lab in WHOLE or name in USUAL}
            files["right"] = right
            # printf writes its arguments to a buffer, which is nothing that the task asks about.
            files["printed"] = first_do(right, '  if (threadIdx.x == 0) printf("block %d\\n", blockIdx.x);\n')
            files["named_sizes"] = named_sizes_only(right, lab)
            files.update(cheats_of(lab, right))
            files["starter"] = starter
            # The lab's own answer is not to be had: neither by its name nor by its place.
            own = next(ROOT.glob(f"labs/{lab:02}_*/kernels.cu"))
            if lab in WHOLE:
                files["included"] = f'#include "{own}"\n'
            if lab in SLOW:
                files["slow"] = solved(right, SLOW[lab][0])
            if lab in DUMMIES:
                files["dummies"] = DUMMIES[lab]
            for old in self.folder.glob("in/*.cu"):
                old.unlink()
            grades = self.graded(lab, files)
            for name, grade in grades.items():
                with self.subTest(lab=lab, kernel=name):
                    points = grade["points"]
                    if name in ("right", "printed"):
                        self.assertEqual((grade["status"], points), ("ok", 100), grade)
                    elif name == "slow":
                        self.assertEqual((grade["status"], points), ("ok", SLOW[lab][1]), grade)
                    else:
                        self.assertLess(points, PASS, grade)
                        self.assertNotEqual((grade["status"], name), ("ok", "empty"))


if __name__ == "__main__":
    unittest.main()
