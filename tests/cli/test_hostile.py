"""Files, databases and environments that are made to lose data, to hang or to crash the program."""
import os
import pathlib
import signal
import sqlite3
import shutil
import subprocess
import unittest

from support import LAB, LabTest, PATIENCE, ROOT, needs_toolkit

QUICK = ("run", "3", "--variant", "stride", "--param", "stride=1,2", "--param", "loads=1")
KERNEL = 'extern "C" __global__ void k(float* out) { out[threadIdx.x] = threadIdx.x; }\n'
PROBE = ("probe", "k.cu", "--kernel", "k", "--grid", "1", "--block", "32", "--arg", "f32[32]=zero")


@needs_toolkit
class Outputs(LabTest):
    """No output replaces what is not an earlier output."""

    def setUp(self):
        super().setUp()
        self.good(*QUICK)
        self.write("k.cu", KERNEL)

    def keeps(self, name, why, *words):
        path = self.folder / name
        before = path.read_bytes() if path.exists() else None
        result = self.lab(*words)
        self.assertEqual((result.status, result.out), (2, ""), result)
        self.assertIn(f"'{name}' is not written: {why}", result.err)
        self.assertEqual(path.read_bytes() if path.exists() else None, before, words)

    def test_a_report_does_not_replace_a_database(self):
        self.keeps("lab.db", "it is an input", "report", "--output", "lab.db")
        self.write("other.db", (self.folder / "lab.db").read_bytes())
        self.keeps("other.db", "it is a database", "report", "--output", "other.db")
        self.keeps("lab.db-journal", "it is an input", "report", "--output", "lab.db-journal")

    def test_a_report_replaces_no_source(self):
        source = self.write("s.cu", "// mine\n")
        self.keeps("s.cu", "it is a source that is there already", "report", "--output", "s.cu")
        self.good("report", "--output", "s.cu", "--force")
        self.assertIn("<html", source.read_text())

    def test_links_are_not_followed(self):
        target = self.write("precious", "text")
        (self.folder / "link").symlink_to(target)
        self.keeps("link", "it is a link", "report", "--output", "link")
        self.assertEqual(target.read_text(), "text")

    def test_a_dump_replaces_no_database_and_no_kernel(self):
        self.keeps("lab.db", "it is an input", *PROBE, "--dump", "0=lab.db")
        self.keeps("k.cu", "it is an input", *PROBE, "--dump", "0=k.cu")
        self.keeps("new.db", "it is an input", *PROBE, "--dump", "0=new.db", "--db", "new.db")
        self.keeps("x", "it is an input", *PROBE, "--dump", "0=x", "--dump", "0=x")

    def test_a_log_is_not_appended_to_a_database(self):
        self.keeps("lab.db", "it is an input", "runs", "--log", "lab.db")
        self.keeps("k.cu", "it is an input", *PROBE, "--log", "k.cu")
        self.good("runs", "--log", "log.txt")
        self.good("runs", "--log", "log.txt")

    def test_an_earlier_output_is_replaced_whole(self):
        self.write("page.html", "before")
        self.good("report", "--output", "page.html")
        self.assertTrue((self.folder / "page.html").read_text().endswith("</html>\n"))
        self.assertEqual([p.name for p in self.folder.glob(".page*")], [])


class NotFiles(LabTest):
    """What would wait for ever is refused at once."""

    def refused(self, why, *words, **how):
        result = self.lab(*words, **how)
        self.assertEqual((result.status, result.out), (2, ""), result)
        self.assertIn(why, result.err)

    def test_databases(self):
        os.mkfifo(self.folder / "pipe")
        for path, kind in (("/dev/null", "a device"), ("/dev/zero", "a device"), ("pipe", "a pipe")):
            for words in (("runs",), ("query", "SELECT 1"), QUICK):
                self.refused(kind, *words, "--db", path)
            self.refused(kind, "merge", path)

    def test_kernels_and_arguments(self):
        os.mkfifo(self.folder / "pipe")
        self.write("k.cu", KERNEL)
        for path, kind in (("/dev/zero", "a device"), ("pipe", "a pipe")):
            self.refused(kind, "run", "3", "--kernel", path)
            self.refused(kind, "probe", path, *PROBE[2:])
            self.refused(kind, *PROBE[:-1], f"f32[32]=@{path}")
            self.refused(kind, "import", path)

    def test_a_source_is_bounded(self):
        with open(self.folder / "big.cu", "wb") as file:
            file.truncate(1 << 40)  # a terabyte that takes no disk
        self.refused("more than", "run", "3", "--kernel", "big.cu")

    def test_an_endless_query(self):
        self.good("list")
        self.write("lab.db", "")
        endless = subprocess.Popen(["yes", "SELECT"], stdout=subprocess.PIPE)
        try:
            done = subprocess.run([LAB, "query", "-"], stdin=endless.stdout, capture_output=True,
                                  cwd=self.folder, env=self.environment(), timeout=PATIENCE, check=False)
        finally:
            endless.kill()
            endless.stdout.close()
            endless.wait()
        self.assertEqual(done.returncode, 2, done)
        self.assertIn(b"more than", done.stderr)


@needs_toolkit
class Names(LabTest):
    def test_files_that_are_named_or_begin_oddly(self):
        texts = {"bom.cu": b"\xef\xbb\xbf" + KERNEL.encode(), 'q"uote.cu': KERNEL.encode(),
                 "crlf.cu": KERNEL.replace("\n", "\r\n").encode(),
                 "latin.cu": b"// caf\xe9\n" + KERNEL.encode(), "a b.cu": KERNEL.encode(),
                 "back\\slash.cu": KERNEL.encode()}
        for name, text in texts.items():
            self.write(name, text)
            result = self.lab("probe", name, *PROBE[2:], "--no-store")
            self.assertEqual(result.status, 0, (name, result.err))


    def test_labs_whose_folders_names_act_on_a_terminal_are_none(self):
        stencil = ROOT / "labs/example/stencil"
        for name in ("x\033[2Jy", "x\u202ey", "77_x\rok", "72_\u00fcbung", "73_plain name"):
            shutil.copytree(stencil, self.folder / "labs" / name)
        env = self.environment(LAB_PATH="labs")
        said = self.good("list", env=env)
        for raw in ("\033", "\u202e", "\r"):
            self.assertNotIn(raw, said)
        self.assertEqual(said.count("has characters that act on a terminal"), 3)
        for name in ("\u00fcbung", "plain name"):  # odd, and harmless
            self.assertIn(name, said)
        for word in ("77", "./labs/x\033[2Jy"):
            done = self.lab("show", word, env=env)
            self.assertEqual((done.status, done.out), (2, ""))
            self.assertIn("has characters that act on a terminal", done.err)
            self.assertNotIn("\033", done.err)

    def test_files_that_are_called_as_a_compilers_options(self):
        right = next((ROOT / "labs").glob("03_*/kernels.cu")).read_text()
        for name in ("-rf.cu", "-v.cu", "--output-file=x.cu", "-DX.cu"):
            self.write(name, KERNEL)
            # What it is called stands at its lines, too.
            self.good(*PROBE[:1], *PROBE[2:], "--no-store", "--", name)
            lines = self.json("explain", f"./{name}", *PROBE[2:])["lines"]
            self.assertEqual({line["file"] for line in lines}, {f"./{name}"})
            # As it is called where no folder stands before it.
            self.good("probe", *PROBE[2:], "--", name)
            self.assertIn(f"{name}:1", self.good("query", "SELECT file || ':' || line FROM line_observations"))
            self.write("c.toml", f'[[case]]\nname = "c"\nfile = "{name}"\ngrid = 1\nblock = 32\nargs = ["f32[32]=zero"]\n')
            self.good("check", "c.toml", "--allow-missing")
            self.write(name, '#include "-I.h"\n' + right)
            self.write("-I.h", "#pragma once\n")
            self.good("run", "3", "--variant", "stride", "--no-store", f"--kernel={name}")
        self.assertFalse((self.folder / "x.cu").exists())


# ESC and U+009B begin a terminal's control sequences, BEL ends one; U+202E and U+2066 turn a line
# around, U+200B is not seen, and NEL (U+0085) is a line's end to some.
HARM = "\x1b[2J\x1b]0;t\x07\u009b31m\u202e\u2066\u200b\u0085\U000e0041"
MARKED = f'extern "C" __global__ void k(float* out) {{ out[threadIdx.x * 2] = 1; /* {HARM} */ }}\n'


@needs_toolkit
class Screens(LabTest):
    """What a student wrote, be it a file's name or its text, never acts on a screen."""

    def harmless(self, text, what):
        found = [char for char in text if char in set(HARM) - set("[]2J0;t31m")]
        self.assertEqual(found, [], (what, text))

    def shown(self, *words, status=0, **how):
        result = self.lab(*words, **how)
        self.assertEqual(result.status, status, (words, result))
        self.harmless(result.out, words)
        self.harmless(result.err, words)
        return result

    def test_commands(self):
        name = f"a{HARM}b.cu"
        self.write(name, MARKED)
        probe = ("--kernel", "k", "--grid", "1", "--block", "32", "--arg", "f32[64]=zero")
        self.shown("probe", name, *probe, "--student", f"s{HARM}")
        self.shown("probe", name, *probe, "--json", "--warp", "0,0", "-v", "--no-store")
        self.shown("probe", name, *probe, "--no-store", "--log", "log.txt")
        for words in (("runs",), ("runs", "1"), ("runs", "--json"), ("compare", "1"), ("compare", "1", "--json"),
                      ("compare", "1", "1")):
            self.shown(*words)
        for words in (("explain",), ("explain", "--json"), ("explain", "--sass"), ("map",), ("map", "--svg", "m.svg"),
                      ("map", "--json"), ("fix",)):
            self.shown(words[0], name, *probe, *words[1:])
        for format in ("table", "csv", "json"):
            self.shown("query", "SELECT * FROM runs, cases", "--format", format)
        self.shown("query", f"SELECT 1 AS '{HARM}'", "--format", "csv")
        self.shown("report", "1", "--output", "r.html")
        self.shown("verify")
        # Errors quote the text, and name what was asked for.
        self.write("wrong.cu", MARKED.replace("= 1;", "= oops;"))
        self.shown("probe", "wrong.cu", *probe, status=2)
        self.shown("probe", name, *probe[2:], "--kernel", f"x{HARM}", status=2)
        self.shown("run", HARM, status=2)
        self.shown("compare", "1", "--db", HARM, status=2)
        for file in ("log.txt", "m.svg", "r.html"):
            self.harmless((self.folder / file).read_text(), file)

    def test_checks(self):
        self.write("k.cu", MARKED)
        case = '"c' + "".join(f"\\U{ord(char):08x}" for char in HARM) + '"'
        self.write("c.toml", f'[[case]]\nname = {case}\nfile = "k.cu"\ngrid = 1\nblock = 32\nargs = ["f32[64]=zero"]\n')
        self.shown("check", "c.toml", "--update", "--junit", "j.xml")
        self.write("k.cu", MARKED.replace("= 1;", f"= out[1]; /* {HARM} */"))
        self.shown("check", "c.toml", status=1)
        self.shown("check", "c.toml", "--json", status=1)
        self.harmless((self.folder / "j.xml").read_text(), "j.xml")

    def test_grades(self):
        (self.folder / "in").mkdir()
        right = next((ROOT / "labs").glob("03_*/kernels.cu")).read_text()
        self.write(f"in/a{HARM}.cu", right)
        self.write("in/bob.cu", f"#error {HARM}\n")
        self.write("in/eve.cu", f'#include "{HARM}"\n' + right)
        self.write("in/kim.cu", f"// {HARM}\n" + right.replace("out[", f"out[/* {HARM} */ 1 + "))
        self.write("roster.csv", f"student,name\neve,{HARM}\n")
        for more in ((), ("--json",)):
            self.shown("grade", 3, "in", "--db", "class.db", "--out", "out", "--students", "roster.csv", *more)
        files = [path for path in (self.folder / "out").rglob("*") if path.is_file()]
        # Two of each submission's; the gradebook as a table, a page, JUnit, and in three platforms' columns.
        self.assertEqual(len(files), 6 + 2 * 4)
        for path in files:
            self.harmless(path.name, path)
            self.harmless(path.read_text(), path)
        self.shown("grade", 3, "--again", "--db", "class.db", "--dry-run")
        self.shown("query", "SELECT * FROM gradebook", "--format", "csv", "--db", "class.db")
        self.shown("submit", 3, "--kernel", f"in/a{HARM}.cu", "--student", HARM)


@needs_toolkit
class Surroundings(LabTest):
    """Streams, limits and signals that a program does not expect."""

    def test_output_that_is_closed_is_lost_aloud(self):
        self.good(*QUICK)
        for words in ("runs --json", "runs", "query 'SELECT 1'"):
            done = subprocess.run(["sh", "-c", f"exec {LAB} {words} >&-"], cwd=self.folder,
                                  env=self.environment(), capture_output=True, timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, 3, (words, done))
            self.assertIn(b"cannot write the output", done.stderr)

    def test_nothing_standard_is_open(self):
        # Descriptors 0 to 2 would be the database's: what is printed would go into it.
        done = subprocess.run(["sh", "-c", f"exec {LAB} {' '.join(QUICK)} <&- >&- 2>&-"],
                              cwd=self.folder, env=self.environment(), timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(self.count("SELECT count(*) FROM cases"), 2)

    def test_a_limit_of_file_sizes_is_an_error(self):
        self.good(*QUICK)
        room = (self.folder / "lab.db").stat().st_size // 1024 + 24  # for the run and a few cases
        done = subprocess.run(["bash", "-c", f"ulimit -f {room}; exec {LAB} run 3 --all"],
                              cwd=self.folder, env=self.environment(), capture_output=True,
                              timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 3, done)
        self.assertEqual(self.count("SELECT count(*) FROM runs WHERE lab = 3"), 2)


if __name__ == "__main__":
    unittest.main()
