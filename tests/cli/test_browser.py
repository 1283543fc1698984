"""Reports in a browser: the H200's, a student's, an interrupted one; wide, on a phone, dark, on paper."""
import contextlib
import json
import re
import shutil
import sqlite3
import subprocess
import tarfile
import unittest

from support import LabTest, ROOT, needs_toolkit
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
        done = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
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
        run = self.count("SELECT max(id) FROM runs WHERE lab = 10", "h200.db")
        page = self.report(run, "h200.db", "lab10.html")
        self.expect_good(page, 8)  # bars, agreement, roofline, and five curves of bursts alone
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
        # What Ctrl-C leaves; test_store.py stops a run for real.
        self.good("run", "3", "--variant", "stride", "--variant", "broadcast")
        with contextlib.closing(sqlite3.connect(self.folder / "lab.db")) as database, database:
            database.execute("UPDATE runs SET status = 'interrupted', missing_cases = 3")
        page = self.report("last", "lab.db", "interrupted.html")
        self.assertIn("interrupted: 3 missing</b>", page.read_text())
        self.expect_good(page, 3)


if __name__ == "__main__":
    unittest.main()
