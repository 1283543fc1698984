"""Labs as folders: lab new makes one, LAB_PATH and paths name it, lab test holds it to account."""
import json
import re
import unittest

from support import LabTest, ROOT, needs_toolkit


class New(LabTest):
    def texts(self, folder):
        return {path.name: path.read_text() for path in (self.folder / folder).iterdir()}

    def test_texts_name_the_new_lab(self):
        out = self.good("new", "warp-scan", "--from", "8")
        self.assertIn("lab test ./warp-scan\n", out)
        self.assertIn("LAB_PATH=. lab run warp-scan\n", out)
        texts = self.texts("warp-scan")
        self.assertEqual(set(texts), {path.name for path in (ROOT / "labs/08_traversal").iterdir()})
        for name, text in texts.items():
            self.assertNotRegex(text, r"(?i)\blab 8\b|\blab \w+ 8\b|traversal", name)
        self.assertTrue(texts["README.md"].startswith("# Lab warp-scan: warp scan\n"), texts["README.md"][:80])
        self.assertIn("`lab watch warp-scan labwarp-scan.cu`", texts["README.md"])
        # Else `lab grade warp-scan` would say that the rubric is not that lab's.
        self.assertNotIn("\nlab =", texts["rubric.toml"])
        self.assertIn('title    = "Warp scan"\n', texts["lab.toml"])

    def test_a_number_comes_from_the_folders_name(self):
        made = self.json("new", "13_scan", "--from", "traversal")
        self.assertEqual((made["lab"], made["id"], made["folder"], made["from"]), (13, "scan", "13_scan", "8"))
        self.assertIn("lab show 13 --answers", self.texts("13_scan")["README.md"])

    def test_numbers_that_only_look_like_the_labs_stay(self):
        # Lab 1's texts say 16, 128 and `lab run 1`.
        self.good("new", "mine", "--from", "1")
        own = (ROOT / "labs/01_coalescing/lab.toml").read_text()
        theirs = self.texts("mine")["lab.toml"]
        self.assertEqual(own.count("128"), theirs.count("128"))

    def test_nothing_is_overwritten(self):
        self.write("warp-scan", "mine")
        self.fails(2, "error: 'warp-scan' is there already: nothing was written\n"
                      "hint: give the new lab another name, or --output another folder\n", "new", "warp-scan")
        self.assertEqual((self.folder / "warp-scan").read_text(), "mine")
        self.good("new", "other", env=self.environment())
        (self.folder / "other/README.md").write_text("mine")
        self.assertEqual(self.lab("new", "other").status, 2)
        self.assertEqual((self.folder / "other/README.md").read_text(), "mine")

    def test_names_that_no_lab_can_have(self):
        for name in ("../up", "a b", "7", "", "all", "_x"):
            result = self.lab("new", name)
            self.assertEqual((result.status, result.out), (2, ""), name)
            self.assertIn("hint: ", result.err)
        self.assertIn("lab 8 is 'traversal'", self.lab("new", "8_mine").err)
        self.assertIn("there is a lab 'traversal' already", self.lab("new", "traversal").err)
        self.assertIn("--output names a folder that is there", self.lab("new", "x", "--output", "no").err)
        self.assertEqual(list(self.folder.iterdir()), [])


class Found(LabTest):
    def test_by_path_and_by_lab_path(self):
        self.good("new", "warp-scan")
        (self.folder / "course").mkdir()
        self.good("new", "13_scan", "--output", "course")
        for words in (("./warp-scan",), ("warp-scan/",), ("warp-scan",)):
            self.assertIn("Lab warp-scan: Warp scan\n", self.good("show", *words))
        self.assertEqual(self.lab("show", "13").status, 2)
        env = self.environment(LAB_PATH=f"{self.folder}:course")
        self.assertIn("Lab 13: Scan\n", self.good("show", "13", env=env))
        listed = self.good("list", env=env)
        self.assertRegex(listed, r"\n +13 +scan .* course/13_scan\n")
        self.assertRegex(listed, r"\n +warp-scan .*/warp-scan\n")
        self.assertNotIn("From", self.good("list"))
        paths = {one["id"]: one["path"] for one in self.json("list", env=env)["labs"]}
        self.assertEqual(paths["scan"], "course/13_scan")

    def test_links_of_a_lab_are_not_followed_out_of_its_folder(self):
        self.good("new", "warp-scan")
        secret = self.write("secret", "the person's own\n")
        for name, words in (("README.md", ("show", "./warp-scan", "--handout")),
                            ("kernels.cu", ("run", "./warp-scan", "--no-store")),
                            ("lab.toml", ("show", "./warp-scan"))):
            with self.subTest(name):
                file = self.folder / "warp-scan" / name
                text = file.read_text()
                file.unlink()
                file.symlink_to(secret)
                done = self.lab(*words)
                self.assertEqual(done.status, 2, done)
                self.assertIn("is a link that leads out of the lab's folder", done.err)
                self.assertNotIn("person's own", done.out + done.err)
                file.unlink()
                file.write_text(text)
        inner = self.folder / "warp-scan/README.md"
        inner.rename(inner.with_name("read.md"))
        inner.symlink_to("read.md")
        self.good("show", "./warp-scan", "--handout")

    def test_what_is_no_lab(self):
        self.fails(2, "error: './none' has no lab.toml\nhint: lab new none makes a folder that has one\n",
                   "show", "./none")

    def test_broken_labs_stand_below_the_list(self):
        self.good("new", "warp-scan")
        file = self.folder / "warp-scan/lab.toml"
        file.write_text(file.read_text().replace('grid       = "blocks"', 'grid       = "block"'))
        env = self.environment(LAB_PATH=".")
        listed = self.good("list", env=env)
        self.assertIn("\nThese can't be read:\n", listed)
        self.assertRegex(listed, r"/warp-scan/lab.toml:\d+:\d+: error: .*'block'")
        self.assertIn("did you mean 'blocks'?", listed)
        self.assertEqual(self.json("list", env=env)["broken"][0]["folder"], "warp-scan")
        result = self.lab("test", "./warp-scan")
        self.assertEqual(result.status, 1, result)
        self.assertIn("  wrong   lab.toml", result.out)

    def test_a_list_from_the_cache_is_the_list(self):
        own = self.environment(XDG_CACHE_HOME=str(self.folder / "cache"), LAB_PATH=".")
        self.good("new", "warp-scan")
        file = self.folder / "warp-scan/lab.toml"
        whole = file.read_text()
        first = self.json("list", env=own)
        entries = list((self.folder / "cache/lab/labs").iterdir())
        self.assertEqual(len(entries), 13)
        self.assertEqual(self.json("list", env=own), first)
        file.write_text(re.sub(r'(?m)^(summary *= *")', r'\1Now: ', whole, count=1))
        changed = self.json("list", env=own)["labs"]
        self.assertEqual([one["summary"][:5] for one in changed if one["id"] == "warp-scan"], ["Now: "])
        for entry in entries:
            entry.write_text("damaged")
        file.write_text(whole)
        self.assertEqual(self.json("list", env=own), first)
        file.write_text(whole.replace('grid       = "blocks"', 'grid       = "block"'))
        self.assertEqual(len(self.json("list", env=own)["broken"]), 1)

    def test_two_names_of_one_number(self):
        # FNV-1a of 32 bits modulo 9000 is 5267 for both, and numbers of names begin at 1000.
        for name in ("scan-129", "scan-284"):
            self.good("new", name)
        env = self.environment(LAB_PATH=".")
        listed = self.good("list", env=env)
        self.assertIn("error: scan-284 and scan-129 have one number: 6267\n"
                      "hint: results are stored by number: rename one of the two folders\n", listed)
        self.assertIn("Lab scan-129: ", self.good("show", "scan-129", env=env))
        self.assertEqual(self.lab("show", "scan-284", env=env).status, 2)
        # A course's own lab 3 goes before ours, and nobody complains.
        self.good("new", "13_ours")  # lab new leaves our numbers alone
        (self.folder / "13_ours").rename(self.folder / "03_ours")
        listed = self.good("list", env=env)
        self.assertNotIn("bank_conflicts", listed)
        self.assertRegex(listed, r"\n +3 +ours ")

    def test_the_example_is_not_listed(self):
        self.assertNotIn("stencil", self.good("list"))

    def test_a_handout_s_first_words_are_shown(self):
        self.good("new", "warp-scan")
        self.assertIn("\nResult i is the mean of numbers i, i + 1 and i + 2. ", self.good("show", "./warp-scan"))


@needs_toolkit
class Tested(LabTest):
    def setUp(self):
        super().setUp()
        self.good("new", "warp-scan")

    def change(self, name, *steps):
        file = self.folder / "warp-scan" / name
        text = file.read_text()
        for old, new in steps:
            self.assertIn(old, text)
            text = text.replace(old, new, 1)
        file.write_text(text)

    def checks(self, *more):
        result = self.lab("test", "./warp-scan", "--json", *more)
        tested = json.loads(result.out)["labs"][0]
        self.assertEqual(result.status, 0 if tested["fine"] else 1)
        return {one["name"]: one for one in tested["checks"]}

    def wrong(self, *more):
        return {name: "\n".join(one["problems"]) for name, one in self.checks(*more).items() if one["problems"]}

    def test_the_example_is_fine(self):
        text = self.good("test", "./warp-scan")
        self.assertRegex(text, r"\ALab warp-scan: Warp scan  \./warp-scan\n  ok      lab.toml        2 variants, 1 parameter\n")
        self.assertTrue(text.endswith("\nNothing is wrong.\n--show prints what a student sees first.\n"), text)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["warp-scan"])  # no database

    def test_show(self):
        text = self.good("test", "./warp-scan", "--points", "0", "--show")
        self.assertIn("Result i is the mean", text)
        self.assertIn("4 cases: 4 correct.", text)

    def test_a_formula_that_is_wrong(self):
        self.change("lab.toml", ("blocks * in_order(258, 4)", "blocks * in_order(256, 4)"))
        wrong = self.wrong()
        # 8 warps read 8 requests; two threads read one more: 9 per block.
        self.assertRegex(wrong["default points"], r"lab.toml:36: global_load_requests of tiled: the formula says 8, "
                                                  r"the model counts 9 at blocks=1, and at 1 more point")
        self.assertEqual(self.folder.joinpath("warp-scan/lab.toml").read_text().splitlines()[35][:11], "global_load")

    def test_a_formula_that_is_wrong_at_few_sizes(self):
        self.change("lab.toml", ('shared_store = { is = "blocks * in_order(258, 4)"',
                                 'shared_store = { is = "(blocks + (blocks == 2)) * in_order(258, 4)"'))
        self.assertNotIn("random points", self.wrong("--points", "0"))
        self.assertIn("blocks=2", self.wrong("--points", "60")["random points"])

    def test_a_result_that_differs(self):
        self.change("reference.cu", ("in[i + 2]", "in[i + 1]"))
        self.assertRegex(self.wrong()["default points"], r"lab.toml:\d+: direct: ")

    def test_a_kernel_that_is_not_there(self):
        self.change("kernels.cu", ("void tiled", "void tile"))
        self.assertRegex(self.wrong()["kernels"], r"lab.toml:\d+: tiled: kernel tiled: ")

    def test_a_reason_of_the_screen_that_is_wrong(self):
        def screen(formula):
            return ('[parameters]\n', f"""[screen]
size = "{{blocks}} blocks"
rows = ["direct blocks=16", "tiled blocks=16"]
columns = ["global_load_sectors"]
because = [{{ row = 1, metric = "global_load_sectors", says = "three loads", is = "{formula}" }}]

[parameters]
""")
        # 16 blocks of 256 floats are 4,096: 512 sectors. Rows one and two floats further touch a
        # fifth, 5 for each of 128 warps: 512 + 640 + 640.
        self.change("lab.toml", screen("512 + 2 * 640"))
        self.assertEqual(self.wrong(), {})
        self.change("lab.toml", ("512 + 2 * 640", "3 * 512"))
        self.assertEqual(self.wrong(), {"default points": "lab.toml: [screen]: 'three loads' gives 1536, "
                                                          "and global_load_sectors of row 1 is 1792"})

    def test_a_headline_of_three_lines(self):
        part = " + ".join(f"floor(blocks / {n}) * {n}" for n in range(3, 23))
        self.change("lab.toml", ('needed_bytes =', f'effective_bandwidth = {{ is = "{part}", why = "No." }}\nneeded_bytes ='))
        self.assertIn("needs more than 2 lines", self.wrong()["headlines"])

    def test_a_starter_that_passes_or_does_not_compile(self):
        kernels = self.folder / "warp-scan/kernels.cu"
        text = kernels.read_text()
        # The starter has what students should write.
        line = "  if (t < 2) tile[256 + t] = in[i + 256];"
        kernels.write_text(re.sub(r"//@ instead.*", f"//@ instead {line.strip()}", text))
        self.assertIn("the starter as it is passes: 100 of 100 points", self.wrong()["starter"])
        kernels.write_text(re.sub(r"//@ instead.*", "//@ instead no", text))
        self.assertIn("does not compile", self.wrong()["starter"])

    def test_a_rubric_that_the_labs_kernels_fail(self):
        self.change("rubric.toml", ("min_excess = 1\nmax_excess = 1\n", "at_most = 3\n"))
        self.assertRegex(self.wrong()["rubric"], r"the lab's own kernels get 50 of 100 points\n  Each block")

    def test_a_study_that_leads_nowhere(self):
        # 24 requests is right: 3 loads of 8 warps.
        self.change("study.toml", ('is = "warps", rule', 'is = "3 * warps", rule'))
        self.assertIn("guess 1: 'You counted one load per thread", self.wrong()["study"])
        self.change("study.toml", ('is = "3 * warps"', 'is = "warp"'))
        self.assertIn("has no value", self.wrong()["study"])
        self.change("study.toml", ('is = "warp"', 'is = "warps"'), ('wrong = [\n  "128 bytes', 'other = [\n  "128 bytes'))
        told = self.wrong("--points", "0")["study"]
        self.assertRegex(told, "question 1: nothing says why '4' is wrong\n.*question 1: nothing says why '8' is wrong")
        self.change("study.toml", ('other = [\n  "128 bytes', 'wrong = [\n  "One too many.",\n  "128 bytes'))
        self.assertIn("'wrong' has a sentence for each choice but the right one", str(self.wrong("--points", "0")))

    def test_commands_of_the_texts(self):
        self.change("README.md", ("--variant direct", "--variant directly"))
        self.change("answers.md", ("`lab show", "`lab report --output ../../x.html`, `lab runs | sh` and `lab show"))
        problems = self.checks("--points", "0")["commands"]["problems"]
        self.assertEqual(len(problems), 3, problems)
        self.assertIn("`lab map warp-scan --variant directly` ends with status 2", problems[0])
        self.assertIn("'../../x.html' is outside of its folder", problems[1])
        self.assertIn("'|' is for a shell", problems[2])

    def test_other_seeds_are_other_points(self):
        told = [self.checks("--points", "5", "--seed", n)["random points"]["outcome"] for n in (1, 2)]
        self.assertEqual(told, ["ok", "ok"])


class Page(LabTest):
    def test_its_example_is_the_example(self):
        page = (ROOT / "labs/WRITE.md").read_text()
        example = re.search(r"```toml\n(.*?)```", page, re.S)[1]
        self.assertEqual(example, (ROOT / "labs/example/stencil/lab.toml").read_text())
        self.assertIn(f"Its `lab.toml` has {len(example.splitlines())} lines", page)

    @needs_toolkit
    def test_it_names_every_check(self):
        self.good("new", "warp-scan")
        page = (ROOT / "labs/WRITE.md").read_text().split("## What the test says")[1]
        for check in self.json("test", "./warp-scan", "--points", "1")["labs"][0]["checks"]:
            self.assertIn(f"`{check['name']}`", page)


@needs_toolkit
class Twelve(LabTest):
    def test_all_hold(self):
        # Default points alone: random ones, 200 for each variant, are those of conformance_labs.
        result = self.lab("test", "all", "--points", "0", "--json")
        problems = {f"{lab['lab']} {check['name']}": check["problems"]
                    for lab in json.loads(result.out)["labs"] for check in lab["checks"] if check["problems"]}
        self.assertEqual((problems, result.status), ({}, 0))


if __name__ == "__main__":
    unittest.main()
