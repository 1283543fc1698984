"""Reports in a browser: the H200's, a student's, an interrupted one; wide, on a phone, dark, on paper."""
import contextlib
import html.parser
import json
import re
import shutil
import sqlite3
import subprocess
import tarfile
import unittest

from support import LabTest, PATIENCE, ROOT, needs_toolkit
from test_starters import starter_of

BROWSER = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))), None)
# What a reader would see: is anything wider than the page, is a verdict cut, are the charts there?
LOOK = """<script>
const wide = [...document.querySelectorAll("body *")].filter((e) => !e.closest(".wide, dd, svg, pre")
  && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.tagName);
const cut = [...document.querySelectorAll("td.leads")].filter((e) => {
  const box = e.closest(".wide").getBoundingClientRect(), own = e.getBoundingClientRect();
  return own.right > Math.min(box.right, innerWidth) + 1 && !e.closest("table.source"); }).length;
const empty = [...document.querySelectorAll("canvas")].filter((e) => !Chart.getChart(e)).length;
const loaded = performance.getEntriesByType("resource").length;
// On a phone of 390 pixels the times of the first table that has any are on the screen.
const time = [...document.querySelectorAll("th")].find((e) => /\bus\b/.test(e.textContent));
const late = time && innerWidth < 600 && time.getBoundingClientRect().right > 390 ? 1 : 0;
document.documentElement.dataset.look = JSON.stringify({ wide, cut, empty, loaded, late,
  charts: document.querySelectorAll("canvas").length });
</script>"""


class Words(html.parser.HTMLParser):
    """Those that a reader sees before unfolding anything."""
    ALONE = ("meta", "link", "br", "wbr", "rect")

    def __init__(self):
        super().__init__()
        self.open, self.count = [], 0

    def handle_starttag(self, tag, attrs):
        if tag not in self.ALONE:
            self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        hidden = {"script", "style", "title"} & set(self.open)
        folded = "details" in self.open and self.open[-1 - self.open[::-1].index("details"):][1:2] != ["summary"]
        if not hidden and not folded and self.open.count("details") < 2:
            self.count += len(data.split())


class Brief(LabTest):
    def test_a_page_of_every_case_of_a_lab_is_short(self):
        with tarfile.open(ROOT / "tests/fixtures/h200/h200.db.tar.xz") as archive:
            (self.folder / "h200.db").write_bytes(archive.extractfile("h200.db").read())
        for lab in (3, 4, 8, 11):
            run = self.count(f"SELECT max(id) FROM runs WHERE lab = {lab}", "h200.db")
            words = Words()
            words.feed(self.good("report", run, "--db", "h200.db", "--output", "-"))
            self.assertLess(words.count, 1500, lab)
            self.assertGreater(words.count, 300, lab)


@unittest.skipUnless(BROWSER, "no Chromium here")
class Browser(LabTest):
    def browse(self, page, *words, width=1280):
        copy = self.folder / "looked.html"
        copy.write_text(page.read_text().replace("</body>", LOOK + "</body>"))
        done = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                               f"--user-data-dir={self.folder}/profile", f"--window-size={width},1000",
                               *words, copy.as_uri()], capture_output=True, text=True, timeout=PATIENCE, check=True)
        self.assertEqual(re.findall(r"CONSOLE.*", done.stderr), [], page)
        return done.stdout

    def look(self, page, width):
        found = re.search(r'data-look="([^"]*)"', self.browse(page, "--dump-dom", width=width))
        self.assertTrue(found, page)
        return json.loads(found[1].replace("&quot;", '"'))

    def expect_good(self, page, charts):
        for width in (1280, 500):  # a window is never narrower than that
            seen = self.look(page, width)
            self.assertEqual(seen, {"wide": [], "cut": 0, "empty": 0, "loaded": 0, "late": 0, "charts": seen["charts"]},
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
        self.assertIn("Interrupted: 3 cases missing.", page.read_text())
        self.expect_good(page, 3)


if __name__ == "__main__":
    unittest.main()
