"""What students learn with: start, watch, guess, quiz, hint, progress; and a first hour, word for word."""
import html
import json
import os
import pathlib
import re
import subprocess
import time
import tomllib
import unittest

from support import LAB, LabTest, PATIENCE, ROOT, needs_toolkit, on_terminal, without_expected_times
from test_starters import SOLUTIONS, solved, starter_of

LABS = range(1, 13)


def study_of(lab):
    return tomllib.loads(next(ROOT.glob(f"labs/{lab:02}_*/study.toml")).read_text())


def words_of(text):
    return " ".join(text.split())


class Texts(LabTest):
    def test_every_lab_has_all_of_it(self):
        for lab in LABS:
            with self.subTest(lab=lab):
                study = study_of(lab)
                self.assertGreaterEqual(len(study["guess"]), 2)
                self.assertEqual(len(study["hint"]), 3)
                self.assertGreaterEqual(len(study["question"]), 3)
                # The starter's own text says which variant it is of.
                self.assertIn(f"--variant {study['start']['variant']} ",
                              re.sub(r"\n// ", " ", starter_of(lab).read_text()) + " ")

    def test_no_number_is_left_unfilled(self):
        for lab in LABS:
            for number in (1, 2, 3):
                text = self.json("hint", lab, "--number", number)["text"]
                self.assertNotRegex(text, r"\{\{|\}\}")
            self.assertNotRegex(self.json("start", lab)["step"], r"\{\{|\}\}")
            asked = self.good("quiz", lab, "--no-store")
            self.assertNotRegex(asked, r"\{\{|\}\}")

    def test_the_answer_is_the_solution_that_is_tested(self):
        """test_starters.py runs these solutions: right, and on target."""
        for lab, _, steps in SOLUTIONS:
            with self.subTest(lab=lab):
                solution = [words_of(line) for line in solved(starter_of(lab).read_text(), steps).splitlines()]
                whole = words_of(" ".join(solution))
                for line in self.json("hint", lab, "--answer")["text"].strip().splitlines():
                    self.assertIn(words_of(line.split("  //")[0]), whole)

    def test_hints(self):
        first = self.good("hint", "3")
        self.assertTrue(first.startswith("Hint 1 of 3. "), first)
        self.assertIn("The next: lab hint 3 --number 2\n", first)
        self.assertIn("The code: lab hint 3 --answer\n", self.good("hint", "3", "--number", "3"))
        self.assertIn("tile[y * 32 + (lane ^ y)] = ", self.good("hint", "3", "--answer"))
        self.fails(2, "error: --number takes a whole number from 1 to 3, not '4'\n", "hint", "3",
                   "--number", "4")

    def test_a_damaged_study_is_told_with_its_line(self):
        import shutil
        labs = self.folder / "labs"
        shutil.copytree(ROOT / "labs", labs)
        path = labs / "03_bank_conflicts/study.toml"
        text = path.read_text()
        for old, new, message in [
                ('[start]', '[start', r"study\.toml:\d+:\d+: error: "),
                ('variant = "stride"', 'variant = "strid"', r"study\.toml:\d+: error: .*no variant 'strid'"),
                ('is = "stride"', 'is = "stride +"', r"study\.toml:\d+: error: a formula: "),
                ('metric = "shared_load_ways"', 'metric = "shared_lod_ways"', "shared_load_ways")]:
            self.assertIn(old, text)
            path.write_text(text.replace(old, new, 1))
            result = self.lab("guess", "3", "--answer", "1", env=self.environment(LAB_PATH=str(labs)))
            self.assertEqual((result.status, result.out), (2, ""), result)
            self.assertRegex(result.err, message)


class Start(LabTest):
    def test_the_starter_is_copied_and_nothing_replaced(self):
        said = self.good("start", "3")
        self.assertEqual((self.folder / "lab3.cu").read_text(), starter_of(3).read_text().replace("mine.cu", "lab3.cu"))
        self.assertIn("Yours to edit: lab3.cu (column_swizzled)\n", said)
        self.assertRegex(said, r"  lab watch 3 lab3\.cu ")
        self.write("lab3.cu", "mine")
        self.fails(2, "error: 'lab3.cu' is there already: nothing was copied\n"
                      "hint: go on with it: lab watch 3 lab3.cu; or --output another.cu\n", "start", "3")
        self.assertEqual((self.folder / "lab3.cu").read_text(), "mine")
        (self.folder / "link.cu").symlink_to("nowhere")
        self.assertEqual(self.lab("start", "3", "--output", "link.cu").status, 2)
        self.assertFalse((self.folder / "nowhere").exists())


@needs_toolkit
class Levels(LabTest):
    """Three to five steps per lab, each checked by the program; `lab start` says where one is."""

    def steps(self):
        return self.json("start")["steps"]

    def done(self):
        return [one["done"] for one in self.steps()]

    def test_every_lab_has_three_to_five_steps(self):
        for lab in LABS:
            steps = study_of(lab)["step"]
            self.assertIn(len(steps), (3, 4, 5))
            self.assertEqual(steps[-1]["do"], "fix")
            said = self.good("start", lab)
            for step in steps:
                self.assertIn(step["says"], " ".join(said.split()))

    def test_one_lab_from_its_first_step_to_the_next_lab(self):
        self.good("start", "3")
        self.assertEqual([one["do"] for one in self.steps()], ["guess", "run", "explain", "watch", "fix"])
        self.assertEqual(self.done(), [False] * 5)
        # A number that was guessed is a step, be it wrong; it runs the lab, but that is not the lesson's run.
        self.assertTrue(self.good("guess", "3", "--answer", "16").endswith("\nNext: lab run 3\n"))
        self.assertEqual(self.done(), [True, False, False, False, False])
        self.assertIn("\nNext: lab quiz 3 --number 2   All numbers", self.good("run", "3", "--backend", "model"))
        # A wrong answer to a question is none.
        self.assertTrue(self.good("quiz", "3", "--number", "2", "--answer", "1").endswith("Next: lab quiz 3 --number 2\n"))
        self.assertTrue(self.good("quiz", "3", "--number", "2", "--answer", "2").endswith("Next: lab watch 3 lab3.cu\n"))
        self.good("watch", "3", "lab3.cu", "--runs", "1", "--backend", "model")
        self.assertEqual(self.done(), [True, True, True, True, False])
        self.assertRegex(self.good("start"), r"  -->   5  lab watch 3 lab3\.cu ")
        _, _, steps = SOLUTIONS[2]
        self.write("lab3.cu", solved((self.folder / "lab3.cu").read_text(), steps))
        self.good("run", "3", "--kernel", "lab3.cu", "--backend", "model")
        # Solved: the first that is not is lab 1, whose starter is copied.
        self.assertIn("Solved 1 of 12.\nNext: lab start 1\n", self.good())
        self.assertIn("Yours to edit: lab1.cu (permuted)\n", self.good("start"))
        self.assertEqual((self.folder / "lab1.cu").read_text(), starter_of(1).read_text().replace("mine.cu", "lab1.cu"))

    def test_another_file_and_another_student(self):
        self.good("start", "3", "--output", "mine.cu")
        self.good("run", "3", "--kernel", "mine.cu", "--student", "ada", "--backend", "model")
        ada = self.json("start", "--student", "ada")
        self.assertEqual((ada["lab"], ada["file"], ada["steps"][3]["command"]), (3, "mine.cu", "lab watch 3 mine.cu"))
        self.assertFalse((self.folder / "lab3.cu").exists())

    def test_a_lab_without_steps_gets_the_usual_ones(self):
        import shutil
        labs = self.folder / "labs"
        shutil.copytree(ROOT / "labs", labs)
        path = labs / "03_bank_conflicts/study.toml"
        text = path.read_text()
        env = self.environment(LAB_PATH=str(labs))
        path.write_text(re.sub(r"\[\[step\]\]\n(?:.+\n)+\n", "", text))
        done = self.lab("start", "3", "--json", env=env)
        self.assertEqual([one["do"] for one in json.loads(done.out)["steps"]], ["guess", "run", "explain", "watch", "fix"])
        for old, new, message in [('do = "guess"', 'do = "gues"', "'do' is one of guess, run, explain, watch, fix"),
                                  ("number = 1", "number = 9", r"'number' says which \[\[guess\]\], from 1 to 4")]:
            path.write_text(text.replace(old, new, 1))
            done = self.lab("start", "3", "--output", "x.cu", env=env)
            self.assertEqual(done.status, 2)
            self.assertRegex(done.err, r"study\.toml:\d+: error: " + message)


class Quiz(LabTest):
    def right_answers(self, lab):
        """By the numbers of right choices, and by asking what a wrong answer was."""
        questions = study_of(lab)["question"]
        wrong = ["99" if "metric" in one else "1" for one in questions]
        told = self.json("quiz", lab, "--no-store", *(w for a in wrong for w in ("--answer", a)))["questions"]
        # `2: text` of a choice, `2 = formula` of a number.
        return [answer["answer"].split(" ")[0].rstrip(":") for answer in told]

    def test_right_choices_stand_anywhere(self):
        """Of 23 questions with choices no place has more than half; those of three are in thirds."""
        places = {}
        for lab in LABS:
            for one, answer in zip(study_of(lab)["question"], self.right_answers(lab)):
                if "choices" not in one:
                    continue
                places.setdefault(answer, []).append(one["ask"])
                said = self.json("quiz", lab, "--no-store", *("--number", study_of(lab)["question"].index(one) + 1),
                                 "--answer", answer)["questions"][0]
                # The choice that the file calls right, wherever it stands; numbers stay in order.
                self.assertEqual(said["answer"].partition(": ")[2], one["choices"][one["right"] - 1])
                if all(re.fullmatch(r"[0-9.]+", choice) for choice in one["choices"]):
                    self.assertEqual(int(answer), one["right"])
        self.assertEqual(sum(map(len, places.values())), 23)
        self.assertLess(max(map(len, places.values())), 12, places)
        self.assertGreaterEqual(min(map(len, places.values())), 5, places)

    def test_each_wrong_choice_is_told_why(self):
        """Its own sentence of study.toml; and a wrong number is told with its unit."""
        units = r"No, it is [\d.,]+ (sectors?|wavefronts?|requests?|conflicts?|bytes)( per request)?\."
        for lab in LABS:
            questions = study_of(lab)["question"]
            self.assertTrue(all(len(one["wrong"]) == len(one["choices"]) - 1 for one in questions if "choices" in one))
            told = [[] for _ in questions]
            for choice in range(1, 5):
                given = [min(choice, len(one["choices"])) if "choices" in one else 987 for one in questions]
                words = ("quiz", lab, "--no-store", *(w for a in given for w in ("--answer", a)))
                said = words_of(self.good(*words))
                for one, answered, rules in zip(questions, self.json(*words)["questions"], told):
                    if "choices" not in one:
                        continue
                    self.assertEqual(answered["right"], answered["rule"] is None, answered)
                    if not answered["right"]:
                        rules.append(answered["rule"])
                        self.assertIn(f"{answered['rule']} {answered['why']}", said)
                self.assertEqual(len(re.findall(units, said)), sum("choices" not in one for one in questions), said)
            for one, rules in zip(questions, told):
                if "choices" in one and "{{" not in "".join(one["wrong"]):
                    self.assertEqual(set(rules), set(one["wrong"]))

    def test_a_wrong_number_is_told_its_mistake(self):
        # The first 24 lanes copy a float: a sector for each of them would be 24, not 24 * 4 / 32 = 3.
        said = words_of(self.good("quiz", "1", "--no-store", "--number", "2", "--answer", "24"))
        self.assertIn("No, it is 3 sectors per request. You counted a sector per active lane. Eight", said)

    def test_right_answers_are_right(self):
        for lab in LABS:
            with self.subTest(lab=lab):
                answers = self.right_answers(lab)
                done = self.json("quiz", lab, "--no-store", *(w for a in answers for w in ("--answer", a)))
                self.assertEqual([one["right"] for one in done["questions"]], [True] * done["of"])

    def test_ctrl_c_ends_the_asking(self):
        status, text = on_terminal(("quiz", "3"), self.environment(), self.folder,
                                   interrupt_after=lambda seen: b"Your answer: " in seen)
        self.assertEqual(status, 130, text)
        self.assertIn("0 of 4 right; 4 not answered.", text)

    def test_answers_are_typed_and_what_is_no_answer_is_asked_again(self):
        # Lab 3: 1 way, the second choice, 2 ways, the third choice; "four" and "9" are no answers.
        done = self.lab("quiz", "3", stdin="1\nfour\n9\n2\n3\n")
        self.assertEqual(done.status, 0, done)
        self.assertIn("error: 'four' is none of the choices\nhint: answer with a number from 1 to 3\n", done.err)
        self.assertIn("  No, it is 2 wavefronts per request.\n  32 lanes of 8 bytes are 256 bytes", done.out)
        self.assertTrue(done.out.endswith("2 of 4 right; 1 not answered.\nNext: lab start 3\n"), done.out)
        rows = json.loads(self.good("query", "SELECT given, correct FROM quiz_answers ORDER BY rowid",
                                    "--format", "json"))
        self.assertEqual([(row["given"], row["correct"]) for row in rows], [("1", 1), ("2", 1), ("3", 0)])
        self.fails_with("--answer", "1", "--answer", "four")

    def fails_with(self, *words):
        result = self.lab("quiz", "3", *words)
        self.assertEqual(result.status, 2, result)
        self.assertIn("error: 'four' is none of the choices", result.err)


@needs_toolkit
class Guess(LabTest):
    STRIDE_6 = ("guess", "3", "--variant", "stride", "--param", "stride=6")

    def test_a_wrong_rule_is_named(self):
        # gcd(6, 32) = 2: 6 is the stride itself, 3 half of it, 32 every lane by itself, 1 (by the
        # common rule, conflicts in place of wavefronts) 2 - 1.
        for guess, rule in [("6", "the stride itself"), ("3", "halved the stride"), ("32", "every lane"),
                            ("1", "You counted conflicts."), ("7", None), ("2", None)]:
            done = self.json(*self.STRIDE_6, "--answer", guess, "--no-store")
            self.assertEqual((done["theory"], done["model"], done["right"]), (2, 2, guess == "2"))
            (self.assertIsNone if rule is None else self.assertIn)(*([done["rule"]] if rule is None
                                                                    else [rule, done["rule"]]))

    def test_a_guess_is_stored_before_it_runs(self):
        said = self.good(*self.STRIDE_6, "--answer", "6", "--student", "ada")
        self.assertIn("No, it is 2 wavefronts per request. You used the stride itself. What matters is gcd(stride, 32).\n",
                      said)
        # Nobody knows how 7 came about: then the lab's own reason stands there.
        said = self.good(*self.STRIDE_6, "--answer", "7", "--no-store")
        self.assertIn("No, it is 2 wavefronts per request. I don't recognise how you got 7. 32 words at stride s fall",
                      " ".join(said.split()))
        self.assertIn("\nRight: 2 wavefronts per request.\n", self.good(*self.STRIDE_6, "--answer", "2", "--no-store"))
        row = json.loads(self.good("query", "SELECT g.*, r.lab AS run_lab FROM guesses g JOIN runs r "
                                            "ON r.uuid = g.run_uuid", "--format", "json"))[0]
        self.assertEqual((row["student"], row["lab"], row["guess"], row["run_lab"]), ("ada", 3, 6, 3))
        self.assertRegex(row["rule"], "^You used the stride itself")
        # The compiler's error comes after the guess, which stays.
        result = self.lab(*self.STRIDE_6, "--answer", "4", "--arch", "sm_1")
        self.assertNotEqual(result.status, 0)
        self.assertEqual(self.count("SELECT count(*) FROM guesses WHERE run_uuid IS NULL"), 1)

    def test_the_next_question_comes_by_itself(self):
        asked = [self.json("guess", "3", "--answer", "77")["params"]["stride"] for _ in range(5)]
        # In the order of study.toml; then the first that is still wrong.
        self.assertEqual(asked, [2, 6, 33, 0, 2])

    def test_numbers_as_people_write_them(self):
        def given(text):
            return self.json("guess", "8", "--metric", "global_load_efficiency", "--answer", text,
                             "--no-store")
        self.assertTrue(given("1/8")["right"])
        self.assertTrue(given("0.125")["right"])
        self.assertFalse(given("1,024")["right"])
        for text in ("four", "1/0", "", "nan", "1e999"):
            result = self.lab("guess", "8", "--answer", text, "--no-store")
            self.assertEqual(result.status, 2, result)
            self.assertIn(f"error: '{text}' is not a number\n", result.err)

    def test_nothing_typed(self):
        result = self.lab("guess", "3")
        self.assertEqual(result.status, 2)
        self.assertIn("error: no guess was made\n", result.err)
        self.assertEqual(self.count("SELECT count(*) FROM guesses"), 0)

    def test_progress(self):
        self.assertIn("Solved 0 of 12.\nNext: lab start 1\n",
                      self.good("progress"))
        self.good(*self.STRIDE_6, "--answer", "2")
        self.good("quiz", "3", "--answer", "1", "--answer", "1")
        _, variant, steps = SOLUTIONS[0]
        self.write("mine.cu", solved(starter_of(1).read_text(), steps))
        self.good("run", "1", "--kernel", "mine.cu")
        labs = {one["lab"]: one for one in self.json("progress")["labs"]}
        third = labs[3]
        self.assertEqual([third[key] for key in ("guessed", "guessed_right", "answered", "answered_right",
                                                 "questions", "runs", "on_target")],
                         [1, 1, 2, 1, 4, 1, False])
        self.assertTrue(labs[1]["on_target"])
        self.assertIn("Solved 1 of 12.\nNext: lab start 3\n",
                      self.good("progress"))
        self.assertEqual(self.json("progress", "--student", "bob")["labs"][2]["guessed"], 0)


@needs_toolkit
class Forms(LabTest):
    def test_all_that_is_printed_is_one_page(self):
        """Question, numbers and verdict; questions and their verdicts; several labs."""
        commands = {("guess", "3", "--answer", "6"): ("heading", "text", "table", "text"),
                    ("quiz", "3", "--number", "2", "--answer", "1"): ("text",) * 7,
                    ("run", "3", "9", "--backend", "model"): None}
        for words, kinds in commands.items():
            with self.subTest(words):
                page = json.loads(self.good(*words, "--no-store", "--page", "json"))["page"]
                if kinds:
                    self.assertEqual(tuple(block["kind"] for block in page), kinds)
                heads = [block["words"] for block in page if block["kind"] == "heading" and block["level"] == 1]
                self.assertEqual(heads[:2], {"guess": ["Lab 3: Bank conflicts"], "quiz": []}.get(
                    words[0], ["Lab 3: Bank conflicts", "Lab 9: Capabilities"]))
                said = html.unescape(re.sub("<[^>]*>", " ", self.good(*words, "--no-store", "--page", "html")))
                marked = self.good(*words, "--no-store", "--page", "md")
                for block in page:
                    if block["kind"] == "text" and block["words"][0]["text"].isascii():
                        sentence = block["words"][0]["text"].replace("`", "")
                        self.assertIn(words_of(sentence), words_of(said))
                        self.assertIn(words_of(sentence), words_of(re.sub(r"[\\`]", "", marked)))


@needs_toolkit
class Watch(LabTest):
    def start(self, *words):
        watcher = subprocess.Popen([LAB, "watch", *words], cwd=self.folder, env=self.environment(),
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(watcher.stdout.close)
        self.addCleanup(watcher.wait)
        self.addCleanup(watcher.kill)
        os.set_blocking(watcher.stdout.fileno(), False)
        return watcher

    def read_until(self, watcher, text):
        seen, until = "", time.monotonic() + PATIENCE
        while text not in seen:
            self.assertLess(time.monotonic(), until, seen)
            seen += (watcher.stdout.read() or b"").decode()
            time.sleep(0.02)
        return seen

    def test_what_changed_is_shown_at_each_save(self):
        text = starter_of(3).read_text()
        path = self.write("mine.cu", text)
        watcher = self.start("3", "mine.cu", "--runs", "4")
        first = self.read_until(watcher, "Saves")
        # 32 x the wavefronts, and one case: what the starter defines.
        self.assertIn("0 of 1 on target: results are right; 32 times the target in wavefronts, load.", words_of(first))
        path.write_text("broken" + text)
        self.assertIn("mine.cu does not compile", self.read_until(watcher, "error"))
        # An editor that replaces the file.
        path.unlink()
        path.write_text(text + "// the same\n")
        self.assertIn("Nothing changed.\n", self.read_until(watcher, "on target"))
        other = self.write("other.cu", solved(text, SOLUTIONS[2][2]))
        other.rename(path)
        last = self.read_until(watcher, "1 of 1 on target: results are right.\n")
        self.assertRegex(last, r"column_swizzled blocks=16 passes=4 +on target +32 x\n")
        self.assertEqual(watcher.wait(timeout=PATIENCE), 0)
        self.assertEqual(self.count("SELECT count(*) FROM runs"), 3)

    def test_a_name_that_was_never_right(self):
        self.fails(2, "error: cannot read the kernel file 'no.cu': No such file or directory\n",
                   "watch", "3", "no.cu", "--runs", "1")


@needs_toolkit
class OwnFile(LabTest):
    def test_a_file_of_several_variants_is_counted_as_a_whole(self):
        # Both kernels of the file, and no other variant of the lab.
        kernels = (ROOT / "labs/03_bank_conflicts/kernels.cu").read_text()
        swizzled = starter_of(3).read_text()
        column = re.search(r'extern "C" __global__ void column\(.*?\n}\n', kernels, re.S)[0]
        self.write("mine.cu", "constexpr int kMaxStride = 33;\n" + swizzled + column)
        said = self.good("run", "3", "--kernel", "mine.cu")
        cases = self.json("compare")["runs"][0]["cases"]
        self.assertEqual({case["variant"] for case in cases}, {"column", "column_swizzled"})
        # column is as the lab's own; the other takes 32 wavefronts for each load.
        self.assertIn(f" {len(cases) - 1} of {len(cases)} on target. Furthest from it: column_swizzled "
                      "blocks=16 passes=4, 32 x the target in wavefronts, load. ", words_of(said))


def without_what_varies(text):
    """How many instructions a loop takes differs from one NVRTC to the next, and by how much with it."""
    text = re.sub(r"^( *warp instructions).*$", r"\1", text, flags=re.M)
    return without_expected_times(re.sub(r"saved \d\d:\d\d:\d\d", "saved", text))


def commands_of(page):
    """(command, what it prints) of a page's blocks; a command goes on while its line ends in a backslash."""
    for block in re.findall(r"^```\n(.*?)^```$", page.read_text(), re.M | re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, shown = re.fullmatch(r"((?:[^\n]*\\\n)*[^\n]*)\n(.*)", part, re.S).groups()
            yield command, shown


@needs_toolkit
@unittest.skipIf(pathlib.Path("/dev/nvidiactl").exists(), "the pages show a machine with no GPU")
class Hours(LabTest):
    """The pages are what a student types and reads; each line of them is run and compared."""

    def word_for_word(self, page, at_least):
        programs = self.folder / "programs"
        programs.mkdir()
        (programs / "lab").symlink_to(LAB)
        env = self.environment(PATH=f"{programs}:{os.environ['PATH']}", COLUMNS="80")
        commands = list(commands_of(page))
        self.assertGreaterEqual(len(commands), at_least)
        for command, shown in commands:
            done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=env, timeout=PATIENCE,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            with self.subTest(command):
                self.assertEqual(*map(without_what_varies, (done.stdout, shown)), done.stderr)
                self.assertLessEqual(max(map(len, shown.splitlines()), default=0), 80)
                self.assertEqual(done.returncode, 0)
                # Nobody has to know a run's number.
                self.assertNotRegex(command, r"^lab (compare|show|explain|report) \d+$")

    def test_the_first(self):
        self.word_for_word(ROOT / "labs/first_hour.md", 15)

    def test_the_second(self):
        self.word_for_word(ROOT / "labs/second_hour.md", 20)


if __name__ == "__main__":
    unittest.main()
