"""Reports in a browser: the H200's, a student's, an interrupted one; wide, on a phone, dark, on paper."""
import json
import re
import shutil
import signal
import subprocess
import tarfile
import time
import unittest

from support import LAB, LabTest, ROOT, needs_toolkit
from test_starters import starter_of

BROWSER = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))), None)
# What a reader would see: is anything wider than the page, is a verdict cut, are the charts there?
LOOK = """<script>
const wide = [...document.querySelectorAll("body *")].filter((e) => !e.closest(".wide, dd, svg, pre")
  && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.tagName);
const cut = [...document.querySelectorAll("td.verdict")].filter((e) => {
  const box = e.closest(".wide").getBoundingClientRect(), own = e.getBoundingClientRect();
  return own.right > Math.min(box.right, innerWidth) + 1 && !e.closest("table.source"); }).length;
const empty = [...document.querySelectorAll("canvas")].filter((e) => !Chart.getChart(e)).length;
const loaded = performance.getEntriesByType("resource").length;
document.documentElement.dataset.look = JSON.stringify({ wide, cut, empty, loaded,
  charts: document.querySelectorAll("canvas").length });
</script>"""


@unittest.skipUnless(BROWSER, "no Chromium here")
class Browser(LabTest):
    def browse(self, page, *words, width=1280):
        copy = self.folder / "looked.html"
        copy.write_text(page.read_text().replace("</body>", LOOK + "</body>"))
        done = subprocess.run([BROWSER, "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                               f"--user-data-dir={self.folder}/profile", f"--window-size={width},1000",
                               *words, copy.as_uri()], capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual(re.findall(r"CONSOLE.*", done.stderr), [], page)
        return done.stdout

    def look(self, page, width):
        found = re.search(r'data-look="([^"]*)"', self.browse(page, "--dump-dom", width=width))
        self.assertTrue(found, page)
        return json.loads(found[1].replace("&quot;", '"'))

    def expect_good(self, page, charts):
        for width in (1280, 500):  # a window is never narrower than that
            seen = self.look(page, width)
            self.assertEqual(seen, {"wide": [], "cut": 0, "empty": 0, "loaded": 0, "charts": seen["charts"]},
                             (page, width))
            self.assertGreaterEqual(seen["charts"], charts)

    def report(self, run, database, name):
        self.good("report", run, "--db", database, "--output", name)
        return self.folder / name

    def test_what_an_h200_measured(self):
        with tarfile.open(ROOT / "tests/fixtures/h200/h200.db.tar.xz") as archive:
            (self.folder / "h200.db").write_bytes(archive.extractfile("h200.db").read())
        for lab, charts in ((4, 3), (10, 4)):
            run = self.count(f"SELECT max(id) FROM runs WHERE lab = {lab}", "h200.db")
            page = self.report(run, "h200.db", f"lab{lab}.html")
            self.expect_good(page, charts)
        paper = self.folder / "lab.pdf"
        self.browse(page, f"--print-to-pdf={paper}", "--no-pdf-header-footer")
        self.assertGreater(paper.stat().st_size, 10000)

    @needs_toolkit
    def test_a_students(self):
        self.write("mine.cu", starter_of(3).read_text())
        self.good("run", "3", "--kernel", "mine.cu")
        page = self.report("last", "lab.db", "mine.html")
        self.assertIn("What a warp touches", page.read_text())
        self.expect_good(page, 0)

    @needs_toolkit
    def test_an_interrupted(self):
        running = subprocess.Popen([LAB, "run", "all", "--all"], cwd=self.folder, env=self.environment(),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(running.kill)
        database = self.folder / "lab.db"
        began = time.monotonic()
        while not (database.exists() and self.cases() > 20):
            self.assertLess(time.monotonic() - began, 40)
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        self.assertEqual(running.wait(timeout=40), 130)
        page = self.report("last", "lab.db", "interrupted.html")
        self.assertIn("missing</b>", page.read_text())
        self.expect_good(page, 0)

    def cases(self):
        done = self.lab("query", "SELECT count(*) AS n FROM cases", "--format", "csv")
        return int(done.out.split()[-1]) if done.status == 0 else 0


if __name__ == "__main__":
    unittest.main()
