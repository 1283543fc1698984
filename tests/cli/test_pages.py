"""Pages: what is made of data is as the data says, every claim of the myth court is counted, links lead
somewhere, messages are those that the program prints."""
import pathlib
import re
import subprocess
import unittest

from support import LAB, ROOT, LabTest, needs_toolkit

READERS = ROOT / "tools/readers"
PAGES = [ROOT / "README.md", *sorted(READERS.glob("*.md")), ROOT / "tools/python/README.md"]


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
