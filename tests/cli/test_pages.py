"""Pages: what is made of data is as the data says, every claim of the myth court is counted, links lead
somewhere, messages are those that the program prints."""
import pathlib
import re
import subprocess
import unittest

from support import LAB, ROOT, LabTest, needs_toolkit

READERS = ROOT / "tools/readers"
PAGES = [ROOT / "README.md", *sorted(READERS.glob("*.md")), ROOT / "tools/python/README.md"]


class Evidence(unittest.TestCase):
    """The page that says what finds each mistake forgets none, and names tests that exist."""

    def setUp(self):
        page = (READERS / "evidence.md").read_text(encoding="utf-8")
        section = page.partition("## What an ok has looked for\n")[2].partition("\n## ")[0]
        self.rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines()
                     if line.startswith("| ")][1:]

    def test_every_kind_of_finding_is_there(self):
        names = (ROOT / "harness/core/names.cpp").read_text(encoding="utf-8")
        kinds = re.findall(r'\{FindingKind::\w+, "(\w+)"\}', names)
        self.assertGreater(len(kinds), 20)
        told = [word for row in self.rows for word in re.findall(r"`(\w+)`", row[1])]
        self.assertEqual([kind for kind in kinds if kind not in told], [])

    def test_every_word_of_json_is_there(self):
        text = (ROOT / "harness/reading/looked_for.h").read_text(encoding="utf-8")
        sought = re.findall(r'"(\w+)"', text.partition("kWordsOf<reading::Sought> =")[2].partition(";")[0])
        self.assertGreater(len(sought), 8)
        self.assertLessEqual(set(sought), {word for row in self.rows for word in re.findall(r"`(\w+)`", row[2])})

    def test_every_test_that_it_names_exists(self):
        for row in self.rows:
            named = re.findall(r"`([\w.]+)`", row[-1])
            self.assertTrue(named, row)
            for name in named:
                found = sorted((ROOT / "tests").rglob(name))
                self.assertTrue(found, name)


class Fidelity(unittest.TestCase):
    """Nothing is said of an instruction that no test in the repository shows."""

    def setUp(self):
        self.table = (ROOT / "harness/reading/fidelity.cpp").read_text(encoding="utf-8")

    def test_every_test_that_is_named_exists(self):
        named = set(re.findall(r'"(\w+)\.(\w+)"', self.table))
        self.assertGreater(len(named), 40)
        found = {match for path in (ROOT / "tests").rglob("*.cpp")
                 for match in re.findall(r"TEST(?:_F|_P)?\((\w+), (\w+)\)", path.read_text(encoding="utf-8"))}
        self.assertEqual(named - found, set())

    def test_what_is_measured_lies_in_a_fixture_of_that_card(self):
        proofs = re.findall(r'\bProof \w+\{\s*Card::k(\w+),\s*"(\w+)\.(\w+)"', self.table)
        self.assertGreater(len(proofs), 5)
        for card, suite, name in proofs:
            file = "reference_test.cpp" if suite == "Reference" else "measured_test.cpp"
            test = (ROOT / "tests/conformance" / file).read_text(encoding="utf-8")
            # Those of whole kernels read their database in the suite's own class.
            opens = f"class {suite} " if suite != "Reference" else f"TEST({suite}, {name})"
            part = test.partition(opens)[2].partition("\nTEST")[0]
            fixture = re.search(rf"{card.lower()}\w*\.(?:csv|db)", part)
            self.assertIsNotNone(fixture, name)
            self.assertTrue([*(ROOT / "tests/fixtures").rglob(fixture[0] + "*")], fixture[0])


@unittest.skipIf(pathlib.Path("/dev/nvidiactl").exists(), "the picture shows a run with no GPU")
@needs_toolkit
class Made(LabTest):
    def test_pages_are_as_their_data_says(self):
        done = subprocess.run([READERS / "make", "--check"], env=self.environment(LAB_BIN=LAB), capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr + "\ntools/readers/make writes them")
        self.assertGreaterEqual(int(done.stdout.split()[0]), 20)


class Written(unittest.TestCase):
    def test_the_first_page_has_both_commands_of_a_fresh_machine_with_their_times(self):
        page = (ROOT / "README.md").read_text(encoding="utf-8")
        for command in ("tools/lab run 3", "tools/check"):
            self.assertRegex(page, rf"(?m)^    {command} +# .*minutes on two cores")
            self.assertTrue((ROOT / command.split()[0]).stat().st_mode & 0o111)

    def test_links_lead_somewhere(self):
        for page in PAGES:
            for link in re.findall(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
                self.assertTrue((page.parent / link).exists(), f"{page.name}: {link}")

    def test_every_page_is_linked_from_the_first(self):
        first = (ROOT / "README.md").read_text(encoding="utf-8")
        for page in READERS.glob("*.md"):
            self.assertIn(f"(tools/readers/{page.name})", first)

    def test_the_first_page_is_one_screen(self):
        self.assertLessEqual(len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()), 40)

    def test_messages_are_the_programs(self):
        sources = [path for folder in ("harness", "db", "tools") for kind in ("cpp", "h", "py")
                   for path in (ROOT / folder).rglob(f"*.{kind}")] + [ROOT / "tools/setup"]
        # Texts that are broken over lines in the source.
        text = "\n".join(re.sub(r'"\s*\n\s*"', "", path.read_text(encoding="utf-8")) for path in sources)
        headed = re.findall(r"^### `(.*)`$", (READERS / "troubleshooting.md").read_text(encoding="utf-8"), re.M)
        self.assertGreater(len(headed), 10)
        self.assertEqual([message for message in headed if message not in text], [])


if __name__ == "__main__":
    unittest.main()
