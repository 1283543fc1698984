"""Completion of shells and the manual page: made from the table of commands, and what shells make of them."""
import pathlib
import re
import shutil
import subprocess
import unittest

from support import LAB, LabTest, PATIENCE


class Completion(LabTest):
    def commands(self):
        listed = self.good("help", "--all").split("Commands:\n")[1].split("\n\n")[0]
        return [line.split()[0] for line in listed.splitlines() if not line.startswith("   ")]

    def bash(self, *words):
        """What bash offers for the last of these words."""
        script = self.write("lab.bash", self.good("completion", "bash"))
        line = " ".join(f"'{word}'" for word in words)
        done = subprocess.run(
            ["bash", "-c", f"source {script}; COMP_WORDS=('{LAB}' {line}); COMP_CWORD={len(words)}; _lab; "
                           "printf '%s\\n' \"${COMPREPLY[@]}\""],
            cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split("\n")[:-1]

    def test_bash(self):
        self.assertEqual(set(self.bash("")), {*self.commands(), "help"})
        self.assertEqual(self.bash("comple"), ["completion"])
        self.assertEqual(self.bash("run", "--backend", "mo"), ["model"])
        self.assertEqual(self.bash("run", "bank"), ["bank_conflicts"])
        self.assertEqual(self.bash("run", "3", "--variant", "strid"), ["stride", "stride_plain"])
        self.assertEqual(self.bash("run", "bank_conflicts", "--variant", "broad"), ["broadcast"])
        self.assertEqual(self.bash("run", "3", "--param", "stri"), ["stride="])
        self.assertIn("--no-sandbox", self.bash("run", "3", "--no-"))
        self.assertEqual(self.bash("guess", "3", "--metric", "shared_load_way"), ["shared_load_ways"])
        self.assertEqual(self.bash("help", "quer"), ["query"])
        self.assertEqual(self.bash("run", "3", "--seed", ""), [""])
        self.assertEqual(self.bash("nothing", "x"), [""])

    def test_bash_names_files_with_blanks(self):
        self.write("my kernel.cu", "")
        self.assertEqual(self.bash("run", "3", "--kernel", "my"), ["my kernel.cu"])
        self.assertEqual(self.bash("map", "my"), ["my kernel.cu"])
        self.assertEqual(self.bash("completion", ""), ["bash", "zsh", "fish"])

    def test_every_option_of_every_command_is_offered(self):
        for command in self.commands():
            text = self.good(command, "--help").split("\nExample:")[0]
            options = set(re.findall(r"^  (--[a-z-]+)", text, re.M))
            offered = {line.split("\t")[0] for line in self.good("__complete", command, "-").splitlines()}
            self.assertEqual(options - offered, set(), command)

    def test_a_candidate_says_what_it_is(self):
        self.assertEqual(self.good("__complete", "run", "bank"), "bank_conflicts\tBank conflicts\n")
        self.assertEqual(self.good("__complete", "run", "3", "--kernel", ""), ":files\n")

    @unittest.skipUnless(shutil.which("zsh"), "no zsh here")
    def test_zsh_reads_it(self):
        script = self.write("_lab", self.good("completion", "zsh"))
        subprocess.run(["zsh", "-n", script], check=True, timeout=PATIENCE)
        # The stub with zsh's own functions replaced by ones that print what they are given.
        done = subprocess.run(
            ["zsh", "-fc", "compdef() { : }; _describe() { print -l -- ${(P)2} }; compadd() { print -l -- $@[4,-1] }; "
                           f"_files() {{ print files }}; source {script}; "
                           f"ask() {{ words=('{LAB}' \"$@\"); CURRENT=$#words; _lab }}; "
                           "ask run bank; ask run 3 --param stri; ask run 3 --kernel ''"],
            cwd=self.folder, env=self.environment(), capture_output=True, text=True, timeout=PATIENCE, check=True)
        self.assertEqual(done.stdout, "bank_conflicts:Bank conflicts\nstride=\nfiles\n")

    @unittest.skipUnless(shutil.which("fish"), "no fish here")
    def test_fish_offers_it(self):
        script = self.write("lab.fish", self.good("completion", "fish"))

        def offered(line):
            done = subprocess.run(["fish", "-c", f"set PATH {pathlib.Path(LAB).parent} $PATH; source {script}; complete -C '{line}'"], timeout=PATIENCE,
                                  env=self.environment(), capture_output=True, text=True, check=True)
            return [row.split("\t")[0] for row in done.stdout.splitlines()]
        self.assertEqual(offered("lab comple"), ["completion"])
        self.assertEqual(offered("lab run --backend mo"), ["model"])
        self.assertEqual(offered("lab run 3 --variant strid"), ["stride", "stride_plain"])
        self.assertIn("--no-sandbox", offered("lab run 3 --no-"))

    def test_unknown_shell(self):
        self.fails(2, "error: there is no completion for 'bsh'\nhint: did you mean 'bash'?\n",
                   "completion", "bsh")


class Manual(LabTest):
    def test_it_names_every_command_and_option(self):
        page = self.good("man")
        for command in Completion.commands(self):
            self.assertIn(f".SS lab {command} ", page)
            for option in re.findall(r"^  --([a-z-]+)", self.good(command, "--help"), re.M):
                escaped = option.replace("-", "\\-")
                self.assertIn(f".B \\-\\-{escaped}", page)

    @unittest.skipUnless(shutil.which("groff"), "no groff here")
    def test_groff_sets_it_without_a_warning(self):
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=self.good("man"), timeout=PATIENCE,
                              capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        text = re.sub("\x1b\\[[0-9;]*m", "", done.stdout)
        self.assertIn("lab run 3 --variant stride --param stride=1,2,4,8", text)


if __name__ == "__main__":
    unittest.main()
