"""The package `lab` of tools/python: arrays in and out, results, the notebook's magic in a real
Jupyter kernel, notebooks of labs, the plug-in for pytest, its types."""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import unittest

from support import LAB, PATIENCE, ROOT, LabTest, needs_toolkit

DEBIANS = "/usr/bin/python3"  # has Debian's packages; the one that runs CTest may be another
PACKAGE = ROOT / "tools/python"


def has(*modules):
    return all(importlib.util.find_spec(one) for one in modules)


if __name__ == "__main__" and not has("numpy") and sys.executable != DEBIANS and os.access(DEBIANS, os.X_OK):
    os.execv(DEBIANS, [DEBIANS, *sys.argv])

sys.path.insert(0, str(PACKAGE))
import lab  # noqa: E402  pylint: disable=wrong-import-position


def needs(*modules):
    missing = [one for one in modules if not has(one)]
    return unittest.skipIf(missing, f"no {', '.join(missing)} for {sys.executable}: tools/setup --python installs them")


SAXPY = """extern "C" __global__ void saxpy(unsigned n, float a, const float* x, float* y) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
"""
# Thread t reads one element past t's: the last of 256 reads past the end.
PAST = """__global__ void past(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x + 1]; }
"""
PTX = """.version 7.0
.target sm_70
.address_size 64
.visible .entry twice(.param .u64 p, .param .f64 by) {
  .reg .b32 %r<4>; .reg .b64 %rd<5>; .reg .f64 %d<4>;
  ld.param.u64 %rd1, [p]; ld.param.f64 %d1, [by];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 8;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.f64 %d2, [%rd4];
  mul.f64 %d3, %d1, %d2;
  st.global.f64 [%rd4], %d3;
  ret;
}
"""
PROGRAM = """#include <cstdio>
__global__ void column(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x * 32]; }
int main(int count, char** words) {
  float *in, *out;
  cudaMalloc(&in, 32 * 32 * 4);
  cudaMalloc(&out, 32 * 4);
  cudaMemset(in, 0, 32 * 32 * 4);
  column<<<1, 32>>>(in, out);
  std::printf("%s\\n", count > 1 ? words[1] : "no word");
  cudaFree(in);
  cudaFree(out);
}
"""


class PythonTest(LabTest):
    def setUp(self):
        super().setUp()
        before = dict(os.environ), os.getcwd()
        ours = self.environment(LAB_PROGRAM=LAB, PYTHONPATH=str(PACKAGE))
        os.environ.clear()
        os.environ.update(ours)
        os.chdir(self.folder)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(before[0]), os.chdir(before[1])))


@needs_toolkit
class Probes(PythonTest):
    @needs("numpy")
    def test_arrays_in_and_out(self):
        import numpy
        x = numpy.arange(1024, dtype=numpy.float32)
        y = numpy.ones((32, 32), dtype=numpy.float32)
        done = lab.probe(SAXPY, grid=4, block=256, args=[1024, 2.0, x, y])
        self.assertTrue(done.ok)
        self.assertEqual(done.outputs[3].shape, (32, 32))
        numpy.testing.assert_array_equal(done.outputs[3].ravel(), 2 * x + 1)
        numpy.testing.assert_array_equal(y, numpy.ones((32, 32)))  # the caller's own is left alone
        # 32 warps read x and y: 64 requests of 32 floats, 128 bytes each, 4 sectors.
        self.assertEqual(done["global_load_requests"], 64)
        self.assertEqual(done["global_load_sectors_per_request"], 4)
        self.assertIn("<svg", done.map(line=3).text)

    @needs("numpy")
    def test_a_tuple_is_a_struct(self):
        import numpy
        x, y = numpy.arange(64, dtype=numpy.float32), numpy.zeros((8, 8), dtype=numpy.float32)
        done = lab.probe("struct V { const float* p; float* q; int n; };\n"
                         "__global__ void k(V v, float* z) { int i = threadIdx.x;\n"
                         "  if (i < v.n) { v.q[i] = 2 * v.p[i]; z[i] = v.p[i] + 1; } }\n",
                         grid=1, block=64, args=[(x, y, numpy.int32(64)), numpy.zeros(64, dtype=numpy.float32)])
        left_x, left_y, n = done.outputs[0]
        numpy.testing.assert_array_equal(left_x, x)
        numpy.testing.assert_array_equal(left_y.ravel(), 2 * x)
        self.assertEqual((left_y.shape, n), ((8, 8), 64))
        numpy.testing.assert_array_equal(done.outputs[1], x + 1)

    @needs("numpy")
    def test_ptx_takes_numbers_of_their_own_type(self):
        import numpy
        x = numpy.arange(64, dtype=numpy.float64)
        done = lab.probe(ptx=PTX, grid=1, block=64, args=[x, numpy.float64(3)])
        numpy.testing.assert_array_equal(done.outputs[0], 3 * x)
        with self.assertRaisesRegex(lab.InputError, "expected '='"):  # PTX does not say what 3.0 is
            lab.probe(ptx=PTX, grid=1, block=64, args=[x, 3.0])

    def test_findings_have_their_line(self):
        done = lab.probe(PAST, grid=1, block=256, args=["f32[256]=iota", "f32[256]=zero"])
        self.assertFalse(done.ok)
        (found,) = done.findings
        self.assertEqual((found.kind, found.line, found.count), ("out_of_bounds", 1, 1))
        self.assertIn("kernel.cu:1", done._repr_html_())

    def test_what_is_wrong_with_a_call_is_said(self):
        for wrong, text in ((dict(source="x.cu", grid=1, block=1), "cannot read the kernel file 'x.cu'"),
                            (dict(source=PAST, grid=1, block=1, args=[5]), "the kernel has 2 parameters, and --arg gives 1"),
                            (dict(source=PAST, grid=1, block=1, args=[5, 5]), "argument 0 is 'float* in', and --arg gives it a number"),
                            (dict(source=PAST, grid=(1, 2, 3, 4), block=1), "one to three sizes"),
                            (dict(grid=1, block=1), "a source or ptx="),
                            (dict(source=PAST, grid=1, block=1, args=[[1, 2], 3]), "argument 0 is a list")):
            with self.subTest(text), self.assertRaises(lab.InputError) as raised:
                lab.probe(**wrong)
            self.assertIn(text, str(raised.exception))
            self.assertEqual(raised.exception.status, 2)

    def test_a_program_that_is_not_there(self):
        os.environ["LAB_PROGRAM"] = str(self.folder / "none")
        with self.assertRaisesRegex(lab.MachineError, "none: No such file"):
            lab.labs()


@needs_toolkit
class Runs(PythonTest):
    def test_a_lab(self):
        run = lab.run(3, "stride", params={"stride": [1, 2, 32]}, db="a.db")
        # gcd(stride, 32) ways
        self.assertEqual([case["shared_load_ways"] for case in run], [1, 2, 32])
        self.assertEqual([case.params["stride"] for case in run], [1, 2, 32])
        self.assertEqual(run.cases[0].metrics["shared_load_ways"].verdict, "agrees")
        self.assertIn("<title>", run.report()._repr_html_().replace("&lt;", "<").replace("&gt;", ">"))
        self.assertEqual(lab.query("SELECT count(*) AS n FROM cases", db="a.db"), [{"n": 3}])
        self.assertIn(3, [one["number"] for one in lab.labs()])
        with self.assertRaisesRegex(lab.InputError, "not stored"):
            lab.run(3, "stride", params={"stride": 1}, store=False).report()

    @needs("pandas")
    def test_frames(self):
        frame = lab.run(3, "stride", params={"stride": "1..4"}, store=False).frame()
        self.assertEqual(list(frame["shared_load_ways"]), [1, 2, 1, 4])

    def test_a_guess(self):
        self.assertEqual(str(lab.guess(3, 2, "stride", params={"stride": 2})), "Right: 2 wavefronts per request.")
        self.assertRegex(str(lab.guess(3, 6, "stride", params={"stride": 6})),
                         r"No, it is 2 wavefronts per request\. .*stride itself")

    def test_a_program(self):
        done = lab.exec(PROGRAM, "hello")
        self.assertEqual((done.output, done.status), ("hello\n", 0))
        # Each of 32 lanes reads another row of 128 bytes.
        self.assertEqual(done.cases[0]["global_load_sectors_per_request"], 32)
        self.assertIn("<pre>hello", done._repr_html_())


@needs_toolkit
@needs("IPython", "ipykernel", "nbclient", "nbformat", "numpy", "pandas")
class Notebooks(PythonTest):
    def execute(self, cells):
        import nbclient
        import nbformat
        os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
        book = nbformat.v4.new_notebook(cells=[nbformat.from_dict(cell) for cell in cells])
        nbclient.NotebookClient(book, timeout=PATIENCE, kernel_name="python3").execute()
        return book.cells

    def shown(self, cell):
        """The text of each kind that the cell's outputs have."""
        found = {}
        for output in cell.outputs:
            self.assertNotEqual(output.output_type, "error")
            for kind, text in output.get("data", {}).items():
                found[kind] = found.get(kind, "") + text
        return found

    def test_cells_with_cuda(self):
        import nbformat
        code = nbformat.v4.new_code_cell
        cells = self.execute([
            code("%load_ext lab\nimport numpy\nx = numpy.arange(1024, dtype=numpy.float32)\ny = numpy.ones_like(x)"),
            code("%%cuda --grid 4 --block 256 --arg 1024 --arg 2 --arg x --arg y --map --report --name done\n" + SAXPY),
            code("assert (y == 2 * x + 1).all() and done['global_load_sectors_per_request'] == 4"),
            code("%%cuda -- word\n" + PROGRAM),
            code("%%cuda --grid 1 --block 256 --arg f32[256]=iota --arg f32[256]=zero\n" + PAST),
            code("%%cuda --grid 1 --block 32\n__global__ void k() { nonsense }"),
        ])
        kernel = self.shown(cells[1])
        self.assertIn("sectors per request, read", kernel["text/html"])
        self.assertIn("srcdoc", kernel["text/html"])
        self.assertIn("<svg", kernel["image/svg+xml"])
        self.shown(cells[2])
        self.assertIn("<pre>word", self.shown(cells[3])["text/html"])
        self.assertIn("in[threadIdx.x + 1]", self.shown(cells[4])["text/html"])
        self.assertIn("nonsense", self.shown(cells[5])["text/plain"])  # and no stack of Python's

    def test_notebooks_of_labs(self):
        # In one kernel: starting one takes longer than most of their cells.
        cells, first = [], {}
        for number in (1, 3, 4):
            path = self.folder / f"lab{number}.ipynb"
            subprocess.run([sys.executable, "-m", "lab.lesson", str(number), path], check=True)
            book = json.loads(path.read_text())
            self.assertNotIn("{{", path.read_text())
            first[number] = len(cells)
            cells += [dict(cell, id=f"c{len(cells) + i}") for i, cell in enumerate(book["cells"])]
        done = self.execute(cells)
        pages = [self.shown(cell) for cell in done if cell.cell_type == "code"]
        self.assertEqual(sum("image/svg+xml" in page for page in pages), 3)
        self.assertEqual(sum("srcdoc" in page.get("text/html", "") for page in pages), 3)
        self.assertTrue(any("It is 2, not 0" in page.get("text/plain", "") for page in pages))
        self.assertTrue(done[first[3]].source.startswith("# Lab 3: bank conflicts"))


@needs_toolkit
class Plugin(PythonTest):
    @needs("pytest")
    def test_each_case_is_a_test(self):
        self.write("k.cu", 'extern "C" __global__ void k(float* x) { x[threadIdx.x * 2] *= 2; }\n')
        # Stride 2: 32 lanes of 4 bytes touch 8 sectors.
        for name, most in (("fine", 8), ("strided", 4)):
            text = (f'[[case]]\nname = "{name}"\nfile = "k.cu"\ngrid = 1\nblock = 256\nargs = ["f32[512]=iota"]\n'
                    f'[[case.require]]\nmetric = "global_load_sectors_per_request"\nat_most = {most}\n')
            with (self.folder / "kernels.toml").open("a", encoding="utf-8") as file:
                file.write(text)
        done = subprocess.run([sys.executable, "-m", "pytest", "-p", "lab.pytest_plugin", "-p", "no:cacheprovider", "-q"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("1 failed, 1 passed", done.stdout)
        self.assertIn("strided, sm_90: global_load_sectors_per_request is 8, wanted <= 4", done.stdout)


class Typed(LabTest):
    @needs("mypy")
    def test_mypy(self):
        done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--cache-dir",
                               str(self.folder), "-p", "lab"], cwd=PACKAGE, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
