"""What the program says of itself, and to words that it does not know."""
import re
import unittest

from support import LabTest, ROOT, needs_toolkit


class Help(LabTest):
    def test_version(self):
        # No commit is known where it was not built in a checkout.
        self.assertRegex(self.good("--version"),
                         r"\Alab \d+\.\d+\.\d+( \(commit [0-9a-f]{40}(-dirty)?\))?\n\Z")

    def test_every_command_has_help_with_an_example(self):
        listed = self.good("help", "--all").split("Commands:\n")[1].split("\n\n")[0]
        commands = [line.split()[0] for line in listed.splitlines() if not line.startswith("   ")]
        self.assertGreater(len(commands), 30)
        for command in commands:
            text = self.good(command, "--help")
            self.assertIn("\nUsage: lab " + command, text)
            self.assertIn("\nExample:\n  lab " + command, text)
            self.assertIn("--json", text)
            self.assertEqual(self.good("help", command), text)

    def test_no_command_shows_eight_commands_and_what_comes_next(self):
        page = self.good()
        self.assertEqual(self.good("--help"), page)
        self.assertEqual(self.good("help"), page)
        self.assertIn("Usage: lab COMMAND", page)
        first = re.findall(r"^  (\w+)  ", page, re.M)
        self.assertEqual(len(first), 8)
        everything = self.good("help", "--all")
        for command in first:
            self.assertRegex(everything, rf"(?m)^  {command}  ")
        self.assertIn("Solved 0 of 12.\nNext: lab start 1\n", page)
        self.assertLessEqual(len(page.splitlines()), 20)
        # Whatever the database is.
        self.write("lab.db", "no database")
        self.assertNotIn("Next", self.good())

    def test_readme_of_the_program_fits_the_terminal(self):
        for line in self.good("run", "--help", env=self.environment(COLUMNS="80")).splitlines():
            self.assertLessEqual(len(line), 80, line)


class UnknownNames(LabTest):
    def test_command(self):
        self.fails(2, "error: lab has no command 'lst'\nhint: did you mean 'list'?\n", "lst")
        self.fails(2, "error: lab has no command '-x'\nhint: lab help --all lists the commands\n", "-x")

    def test_option(self):
        self.fails(2, "error: lab list has no option '--jsn'\nhint: did you mean '--json'?\n",
                   "list", "--jsn")
        self.fails(2, "error: --db needs a value: --db PATH\n", "runs", "--db")
        self.fails(2, "error: --db is given twice\n", "runs", "--db", "a", "--db", "b")
        self.fails(2, "error: --backend cannot be 'gpuu'\nhint: did you mean 'gpu'?\n",
                   "run", "3", "--backend", "gpuu")
        self.fails(2, "error: --limit takes a whole number from 0 to 1000000, not 'ten'\n",
                   "runs", "--limit", "ten")

    def test_lab(self):
        self.fails(2, "error: there is no lab 'bank_conflict'\n"
                      "hint: did you mean 'bank_conflicts'?\n", "show", "bank_conflict")
        self.fails(2, "error: lab show needs LAB\nhint: lab show --help shows what it takes\n",
                   "show")
        self.fails(2, "error: lab show does not take '4' as well\n"
                      "hint: lab show --help shows what it takes\n", "show", "3", "4")

    def test_variant_and_parameter(self):
        self.fails(2, "error: lab 3 has no variant 'strid'\nhint: did you mean 'stride'?\n",
                   "run", "3", "--variant", "strid")
        self.fails(2, "error: lab 3 has no variant 'strid'\nhint: did you mean 'stride'?\n",
                   "show", "3", "--variant", "strid")
        self.fails(2, "error: lab 3 has no parameter 'strde'\nhint: did you mean 'stride'?\n",
                   "run", "3", "--param", "strde=1")
        self.fails(2, "error: parameter 'stride': 99 is out of range\n"
                      "  stride=99\n"
                      "         ^\n"
                      "hint: it goes from 0 to 33\n", "run", "3", "--param", "stride=99")
        self.fails(2, "error: parameter 'stride': not a whole number\n"
                      "  stride=1,,2\n"
                      "           ^\n"
                      "hint: write 3, 1,2,4, 2^20, 1..32, 1..32*2 or 0..128+16\n",
                   "run", "3", "--param", "stride=1,,2")
        self.fails(2, "error: 'stride' is not NAME=VALUES\n"
                      "hint: write --param stride=1,2,4 or --param stride=1..32*2\n",
                   "run", "3", "--param", "stride")
        self.fails(2, "error: parameter 'stride' is given twice\n"
                      "hint: write all its values in one: --param stride=1,2,4\n",
                   "run", "3", "--param", "stride=1", "--param", "stride=2")
        self.fails(2, "error: none of the chosen variants reads parameter 'distinct'\n"
                      "hint: `lab show 3` lists what each variant reads\n",
                   "run", "3", "--variant", "stride", "--param", "distinct=2")

    def test_metric(self):
        self.fails(2, "error: there is no metric 'shared_load_way'\n"
                      "hint: did you mean 'shared_load_ways'?\n",
                   "run", "3", "--metrics", "shared_load_way")
        self.fails(2, "error: there is no metric 'global_load_sector'\n"
                      "hint: did you mean 'global_load_sectors'?\n",
                   "metrics", "global_load_sector")

    def test_warp(self):
        self.fails(2, "error: --warp takes a block and a warp, not '1'\n"
                      "hint: --warp 0,1 logs the second warp of the first block\n",
                   "run", "3", "--warp", "1")

    def test_launches_in_a_row_are_timed_and_with_warm_l2(self):
        self.fails(2, "error: --launches says how to time: it does not go with --no-timing\n",
                   "run", "5", "--launches", "10000", "--no-timing")
        self.fails(2, "error: --host-timer says how to time: it does not go with --no-timing\n",
                   "run", "5", "--host-timer", "--no-timing")
        self.fails(2, "error: --cold empties L2 before a launch: of launches in a row it would be the first\n"
                      "hint: run lab twice\n", "run", "5", "--launches", "10000", "--cold")

    def test_stalls_are_a_run_of_their_own_on_a_gpu(self):
        self.fails(2, "error: --stalls samples on a GPU: it does not go with --backend model\n",
                   "run", "3", "--stalls", "--backend", "model")
        for other in ("--lines", "--no-counters"):
            self.fails(2, f"error: --stalls is a separate run: it does not go with {other}\n"
                          "hint: run lab twice\n", "run", "3", "--stalls", other)


class ListAndShow(LabTest):
    def test_list(self):
        text = self.good("list")
        self.assertRegex(text, r"\n +3  bank_conflicts +\S")
        labs = self.json("list")["labs"]
        self.assertEqual([lab["number"] for lab in labs], sorted(lab["number"] for lab in labs))
        lab3 = next(lab for lab in labs if lab["number"] == 3)
        self.assertEqual((lab3["id"], lab3["folder"]), ("bank_conflicts", "03_bank_conflicts"))

    def test_show_has_formulas_parameters_and_handout(self):
        text = self.good("show", "3", folder=ROOT)
        for part in ("Lab 3: Bank conflicts", "gcd(stride", "0 to 33", "03_bank_conflicts/README.md"):
            self.assertIn(part, text)

    def test_show_names_labs_three_ways(self):
        texts = {self.good("show", name) for name in ("3", "03", "bank_conflicts")}
        self.assertEqual(len(texts), 1)

    def test_show_json(self):
        lab = self.json("show", "3")["lab"]
        stride = next(v for v in lab["variants"] if v["name"] == "stride")
        self.assertIn("stride", stride["params"])
        self.assertEqual(len(stride["points"]), 34)  # strides 0 to 33
        row = next(r for r in stride["theory"] if r["metric"] == "shared_bank_conflicts")
        self.assertIn("gcd(stride, 32)", row["formula"])
        spec = next(p for p in lab["params"] if p["name"] == "stride")
        self.assertEqual((spec["min"], spec["max"], spec["default"]), (0, 33, 1))

    def test_raw_handout_is_the_file(self):
        handout = (ROOT / "labs/03_bank_conflicts/README.md").read_text(encoding="utf-8")
        self.assertEqual(self.good("show", "3", "--handout", "--raw"), handout)

    def test_questions_and_answers_are_apart(self):
        for lab in range(1, 13):
            handout = self.good("show", lab, "--handout")
            self.assertIn("\nQuestions\n", handout)
            self.assertIn(f"lab show {lab} --answers", handout)
            answers = self.good("show", lab, "--answers")
            self.assertIn("\nThe misconception it breaks\n", answers)
            questions = re.findall(r"^ ?(\d)\. ", handout.split("\nQuestions\n")[1], re.M)
            self.assertEqual(re.findall(r"^ ?(\d)\. ", answers, re.M), questions, lab)
            for line in answers.splitlines():
                if line and line not in ("The misconception it breaks",):
                    self.assertNotIn(line, handout)

    def test_handout_has_no_marks(self):
        env = self.environment(COLUMNS="80")
        for lab in range(1, 13):
            for line in self.good("show", lab, "--handout", env=env).splitlines():
                self.assertNotRegex(line, r"^#|\*\*|`|\]\(")
                self.assertLessEqual(len(line), 80, line)

    def test_labs_are_found_by_variable(self):
        env = self.environment(LAB_PATH=str(ROOT / "labs"))
        self.assertIn(str(ROOT / "labs"), self.good("show", "3", env=env))
        self.fails(2, f"error: LAB_PATH names a folder without labs: '{self.folder}'\n"
                      "hint: it holds folders such as 01_coalescing, each with a lab.toml\n",
                   "show", "3", env=self.environment(LAB_PATH=str(self.folder)))


if __name__ == "__main__":
    unittest.main()
