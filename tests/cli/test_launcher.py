"""tools/lab: when it builds, and when it does not. What it would build with is a script that writes down how it was called."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from support import LAB, LabTest, PATIENCE, ROOT, needs_toolkit

FIRST = os.environ.get("LAB_FIRST")

# Configuring writes the cache, and building makes a program of the part that the cache names, slowly.
CMAKE = """#!/bin/sh
echo "$*" >>"$LOG"
[ -z "${LIBRARY_PATH-}" ] || { echo "a stub of libcuda would be linked"; exit 1; }
[ -z "${BROKEN-}" ] || { echo "k.cpp:1: an error"; exit 1; }
release=$ROOT/build/release
mkdir -p "$release/bin"
case "$*" in
  -S*)
    part=all
    [ -f "$release/CMakeCache.txt" ] && part=$(cat "$release/CMakeCache.txt")
    case "$*" in *LAB_LATER=OFF*) part=first ;; *LAB_LATER=ON*) part=all ;; esac
    echo $part >"$release/CMakeCache.txt" ;;
  --build*)
    sleep 1
    part=$(cat "$release/CMakeCache.txt")
    if [ "$part" = first ]; then ln -sf "$FIRST" "$release/bin/lab"; else ln -sf "$ALL" "$release/bin/lab"; fi
    echo "none $part" >"$release/.built-from" ;;
esac
"""


def listed(text):
    return re.findall(r"^  (\w+)  ", text.split("Commands:\n")[1].split("\n\n")[0], re.M)


@unittest.skipUnless(FIRST, "LAB_FIRST names no first build")
class Launcher(LabTest):
    def setUp(self):
        super().setUp()
        self.root = self.folder / "checkout"
        (self.root / "tools").mkdir(parents=True)
        shutil.copy(ROOT / "tools/lab", self.root / "tools/lab")
        for path, text in (("checkout/tools/setup", "#!/bin/sh\n"), ("bin/cmake", CMAKE)):
            (self.folder / path).parent.mkdir(exist_ok=True)
            self.write(path, text).chmod(0o755)
        self.log = self.folder / "log"
        self.env = self.environment(PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}", LOG=str(self.log), FIRST=FIRST,
                                    ALL=LAB, ROOT=str(self.root), LAB_PATH=str(ROOT / "labs"))

    def start(self, *words):
        return subprocess.Popen([self.root / "tools/lab", *words], cwd=self.folder, env=self.env, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def launch(self, *words):
        process = self.start(*words)
        out, err = process.communicate(timeout=PATIENCE)
        return process.returncode, out, err

    def calls(self):
        """How the build was called since the last question."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.write_text("")
        return [line.replace(str(self.root), "ROOT") for line in lines]

    def first_build(self):
        status, out, err = self.launch("list")
        self.assertEqual((status, err), (0, "building lab (once)...\n"))
        self.assertIn("bank_conflicts", out)
        calls = self.calls()
        self.assertEqual([call.split()[0] for call in calls], ["-S", "--build"])
        self.assertIn("-DLAB_LATER=OFF", calls[0])
        self.assertIn("--target lab_built", calls[1])

    def test_nothing_is_built_for_help_manual_completion_and_typos(self):
        self.first_build()
        everything = self.good("help", "--all")
        for words, status, out in ((["help"], 0, "Usage: lab COMMAND"), (["help", "--all"], 0, everything),
                                   (["man"], 0, self.good("man")), (["exec", "--help"], 0, "Usage: lab exec"),
                                   (["help", "grade"], 0, "Usage: lab grade"), (["--version"], 0, "lab "),
                                   (["__complete", "gra"], 0, "grade"), (["completion", "bash"], 0, "complete"),
                                   (["runn", "3"], 2, ""), (["exec", "--keeep", "a.cu"], 2, ""), ([], 0, "Solved 0")):
            with self.subTest(words=words):
                done = self.launch(*words)
                self.assertEqual(done[0], status, done)
                self.assertIn(out, done[1])
                self.assertEqual(self.calls(), [])
        self.assertEqual(self.launch("runn", "3")[2], "error: lab has no command 'runn'\nhint: did you mean 'run'?\n")

    def test_the_rest_comes_with_the_first_command_that_needs_it(self):
        self.first_build()
        status, _, err = self.launch("grade", "no-such-lab", "nothing")
        self.assertEqual(status, 2)
        self.assertTrue(err.startswith("building the rest of lab (once)...\nerror: there is no lab 'no-such-lab'"), err)
        calls = self.calls()
        self.assertEqual(len(calls), 2)
        self.assertTrue(calls[0].endswith("--preset release -DLAB_LATER=ON"), calls)
        self.assertEqual(self.launch("grade", "no-such-lab", "nothing")[2].count("building"), 0)
        self.assertEqual(self.calls(), [])

    def test_a_build_that_fails_says_why_and_runs_nothing(self):
        self.env["BROKEN"] = "yes"
        log = f"{self.root}/build/release.log"
        self.assertEqual(self.launch("list"), (4, "", "building lab (once)...\nk.cpp:1: an error\n"
                                                      f"the build failed; its whole log is {log}\n"))

    def test_no_stub_library_is_linked(self):
        """With one, nothing starts on a machine without a driver."""
        self.env["LIBRARY_PATH"] = "/usr/local/cuda/lib64/stubs"
        self.first_build()

    def test_two_at_once_build_once(self):
        both = [self.start("list"), self.start("show", "3")]
        done = [process.communicate(timeout=PATIENCE) for process in both]
        self.assertEqual([process.returncode for process in both], [0, 0], done)
        self.assertIn("bank_conflicts", done[0][0])
        self.assertIn("Lab 3: Bank conflicts", done[1][0])
        self.assertEqual(sorted(err for _, err in done), ["building lab (once)...\n",
                                                          "lab is being built by another command: waiting for it...\n"])
        self.assertEqual(len(self.calls()), 2)

    def test_a_folder_that_somebody_configured_keeps_its_options(self):
        release = self.root / "build/release"
        release.mkdir(parents=True)
        (release / "CMakeCache.txt").write_text("all\n")
        self.assertEqual(self.launch("list")[0], 0)
        self.assertEqual([call.split()[0] for call in self.calls()], ["--build"])
        self.assertEqual((release / ".built-from").read_text(), "none all\n")

    def test_another_commit_is_built(self):
        self.first_build()
        def checked_out(commit, worktree=False, packed=False):
            git = self.root / ".git"
            shutil.rmtree(git, ignore_errors=True)
            git.unlink(missing_ok=True)
            place = self.folder / "main/worktrees/one" if worktree else git
            common = self.folder / "main" if worktree else git
            place.mkdir(parents=True, exist_ok=True)
            if worktree:
                git.write_text(f"gitdir: {place}\n")
                (place / "commondir").write_text("../..\n")
            (place / "HEAD").write_text("ref: refs/heads/main\n")
            loose = common / "refs/heads/main"
            if packed:
                loose.unlink(missing_ok=True)
                (common / "packed-refs").write_text(f"# pack-refs with: peeled\n{'0' * 40} refs/heads/other\n{commit} refs/heads/main\n")
            else:
                loose.parent.mkdir(parents=True, exist_ok=True)
                loose.write_text(commit + "\n")
        for n, how in enumerate(({}, {"packed": True}, {"worktree": True}, {"worktree": True, "packed": True})):
            with self.subTest(how):
                commit = str(n + 1) * 40
                checked_out(commit, **how)
                self.assertEqual(self.launch("list")[2], "building lab (once)...\n")
                # The script's own stamp is of no commit: what a build of this one writes.
                (self.root / "build/release/.built-from").write_text(f"{commit} first\n")
                self.calls()
                self.assertEqual(self.launch("list")[2], "")
                self.assertEqual(self.calls(), [])


class FirstBuild(LabTest):
    def test_a_build_says_what_it_is_of(self):
        """Whoever has built: these tests were not built by tools/lab."""
        stamp = pathlib.Path(LAB).parents[1] / ".built-from"
        # The commit may be newer than the program while files are edited.
        self.assertRegex(stamp.read_text(), r"\A([0-9a-f]{40}|none) all\n\Z")

    @unittest.skipUnless(FIRST, "LAB_FIRST names no first build")
    def test_it_knows_every_command_and_runs_those_it_has(self):
        self.assertEqual(listed(self.good("help", "--all", program=FIRST)), listed(self.good("help", "--all")))
        self.fails(3, "error: a first build leaves 'lab grade' out\nhint: tools/lab grade builds the rest, once\n",
                   "grade", "3", program=FIRST)
        # The first page is of a first build.
        page = re.findall(r"^  (\w+)  ", self.good(), re.M)
        self.assertEqual([name for name in page if self.lab("__left_out", name, "3", program=FIRST).status == 0], [])
        self.assertEqual(self.lab("__left_out", "grade", "3", "x.cu").status, 1)  # this program has all

    @unittest.skipUnless(FIRST, "LAB_FIRST names no first build")
    @needs_toolkit
    def test_its_first_table_is_the_same(self):
        first = self.good("run", "3", "--no-store", "--backend", "model", program=FIRST)
        self.assertEqual(first, self.good("run", "3", "--no-store", "--backend", "model"))


if __name__ == "__main__":
    unittest.main()
