"""A mistake is told once, in the same words, wherever it is told."""
import html
import json
import re
import unittest

from support import LabTest, needs_toolkit

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


if __name__ == "__main__":
    unittest.main()
