"""lab map and lab explain: one case looked at closely."""
import html
import os
import re
import unittest

from support import LabTest, ROOT, needs_toolkit
from test_starters import starter_of


@needs_toolkit
class Map(LabTest):
    def test_banks_and_sectors(self):
        text = self.good("map", "3", "--variant", "stride", "--param", "stride=2", "--param", "loads=1")
        self.assertIn("shared load, 4 bytes per lane: 2 wavefronts, 1 conflict\n", text)
        # Lane l reads word 2 l: even banks, lanes 0 to 15 first, then 16 to 31.
        self.assertIn("\nlane  0  .  1  .  2  .  3", text)
        self.assertIn("\n     16  . 17  . 18  . 19", text)
        self.assertIn("global store, 4 bytes per lane of out: 4 sectors\n", text)

    def test_the_labs_picture_is_drawn_where_nothing_is_asked_for(self):
        # Stride 0 is the first point of lab 3's sweep and shows nothing.
        self.assertIn("stride=2", self.good("map", "3").splitlines()[0] + self.good("map", "3").splitlines()[1])
        self.assertIn("shared load, 4 bytes per lane: 2 wavefronts, 1 conflict\n", self.good("map", "3"))
        self.assertIn("stride=4", " ".join(self.good("map", "3", "--param", "stride=4").splitlines()[:2]))
        # Lab 4's array is the tile: nothing else is drawn as a matrix.
        titles = [line for line in self.good("map", "4", "--matrix").splitlines() if ", line " in line]
        self.assertTrue(titles and all(line.startswith("tile, ") for line in titles), titles)

    def test_each_picture_is_drawn_once(self):
        # Lab 8: 128 loads of 32 rows each, one picture (579 lines before); lab 2: 32 sectors for each
        # of nine accesses to a structure (326).
        for lab, most in ((8, 24), (2, 60)):
            lines = self.good("map", str(lab)).splitlines()
            self.assertLessEqual(len(lines), most, lines)
            self.assertEqual(lines.count("    ... 29 more like these"), 1, lines)
        self.assertIn("      and 127 times more, shifted", self.good("map", "8").splitlines())

    def test_a_students_file_needs_no_variant(self):
        self.write("mine.cu", starter_of(3).read_text())
        text = self.good("map", "3", "--kernel", "mine.cu")
        self.assertTrue(text.startswith("column_swizzled  "), text)
        # Columns 0, 8, 16 and 24 of one warp are one access, drawn once.
        self.assertEqual(text.count("32 wavefronts, 31 conflicts\n"), 1, text)
        self.assertIn("    and 3 times more, shifted\n", text)
        for command in ("explain", "fix"):
            self.assertTrue(self.good(command, "3", "--kernel", "mine.cu").startswith("column_swizzled  "))

    def test_a_matrix_has_the_thread_at_each_element(self):
        words = ("map", "4", "--variant", "shared_store", "--matrix", "--array", "tile", "--op", "store")
        picture = self.folder / "tile.svg"
        lines = self.good(*words, "--svg", picture).splitlines()
        # Warp y stores tile[x][y]: thread 32 y + x is at row x of column y.
        self.assertIn("    5    5  37  69 101 133 165 197 229", lines)
        self.assertEqual(picture.read_text().count("<rect x="), 32 * 8)
        # The second time that a warp is there, 8 columns on.
        lines = self.good(*words, "--nth", "2").splitlines()
        self.assertIn("row      8   9  10  11  12  13  14  15", lines)
        result = self.lab(*words, "--line", "1")
        self.assertEqual((result.status, result.out), (2, ""), result)

    def test_one_line_of_one_warp_in_other_generations(self):
        text = self.good("map", "3", "--variant", "stride", "--param", "stride=2", "--param", "loads=1",
                         "--warp", "3,2", "--op", "load", "--cc", "1.0")
        self.assertNotIn("store", text)
        # Half-warps of 1.x read 16 words 2 apart from 16 banks: 2 passes each.
        self.assertIn("  1.x  4 passes\n", text)

    def test_ascii_and_no_colour(self):
        env = self.environment(LC_ALL="C.UTF-8", NO_COLOR="1")
        for words in (("map", "3"), ("map", "4", "--variant", "shared_store", "--matrix")):
            self.assertTrue(self.good(*words, "--ascii", env=env).isascii(), words)

    def test_stores_nothing(self):
        self.good("map", "3", "--param", "stride=2")
        self.assertFalse((self.folder / "lab.db").exists())

    def test_a_warp_that_is_not_there(self):
        result = self.lab("map", "3", "--param", "stride=2", "--warp", "0,99")
        self.assertEqual(result.status, 2, result)
        self.assertIn("hint: the launch has 16 blocks of 256 threads; --warp 0,0 is the first warp\n",
                      result.err)

    def test_json_has_all_32_lanes(self):
        case = self.json("map", "1", "--warp", "1,0")["runs"][0]["cases"][0]
        self.assertTrue(case["accesses"])
        for access in case["accesses"]:
            self.assertEqual(len(access["addresses"]), 32)


@needs_toolkit
class Patterns(LabTest):
    def test_a_file_of_32_addresses(self):
        # A sector for each lane: 32 sectors today; eight segments of 128 bytes on 1.2.
        file = self.write("warp.txt", "# a sector each\n0..992+32\n")
        text = self.good("run", "9", "--pattern", file, "--no-store", "--backend", "model")
        self.assertRegex(text, r"\n  1\.2, 1\.3 .* 8x128 \(896\)")
        self.assertRegex(text, r"\n  7\.x and later .* 32x32 \(896\)")
        self.assertRegex(text, r"\n  this run, model .* 32x32\n")
        # Lanes l, l + 4, ..., l + 28 meet in a bank: eight words in each of four.
        self.assertRegex(text, r"\n  5\.x and later .* 8\n  this run, model .* 8\n")

    def test_what_is_wrong_with_a_file(self):
        file = self.write("warp.txt", "0 4\n8 x\n")
        self.fails(2, f"{file}:2:3: error: 'x' is not an address\n  8 x\n    ^\n"
                      "hint: an address is 128, 0x80, - for a lane that is off, or 0..124+4 for "
                      "several\n", "run", "9", "--pattern", file)
        self.fails(2, "error: --pattern goes with one lab that takes a list of addresses\n"
                      "hint: lab run 9 --pattern FILE\n",
                   "run", "3", "--pattern", file)

    def test_addresses_and_width_do_not_go_together(self):
        self.fails(2, "error: lane 1 reads 8 bytes at address 4, which is not a multiple of 8\n"
                      "hint: a GPU refuses misaligned accesses; --param bytes= has the width\n",
                   "run", "9", "--param", "addresses=0..124+4", "--param", "bytes=8")

    def test_show_ends_with_the_generations(self):
        text = self.good("show", "9", "--variant", "figure")
        self.assertIn("8 bytes per lane: passes of a warp's load from shared memory\n", text)


@needs_toolkit
class MachineCode(LabTest):
    def test_pinned_loads_stay_as_written(self):
        text = self.good("show", "3", "--sass", "--variant", "stride")
        # volatile: the loop's loads are 4 bytes per lane, whatever the compiler unrolls.
        self.assertRegex(text, r"\n +\d+  for \(int i = 0; i < loads.*  [0-9a-f]{4}  LDS \[R\d+\]\n")
        self.assertNotIn("LDS.", text)
        self.assertIn("stride for sm_90\n", text)
        self.assertRegex(text, r"\d+ registers, \d+ bytes of static shared memory")

    def test_other_architecture(self):
        self.assertIn("stride for sm_80\n",
                      self.good("show", "3", "--sass", "--variant", "stride", "--arch", "sm_80"))


@needs_toolkit
class Explain(LabTest):
    def test_conflicts_stand_beside_their_line(self):
        # 16 blocks of 8 warps read twice at stride 4: 4 wavefronts for each of the 256 requests.
        lines = self.good("explain", "3", "--variant", "stride", "--param", "stride=4", "--param",
                          "loads=2").splitlines()
        below = next(i for i, line in enumerate(lines) if "for (int i = 0; i < loads" in line)
        self.assertRegex(lines[below - 1], r" 256 +1,024$")

    def test_machine_code_stands_beside_ptx_and_source(self):
        # 32 words of a row of tile_a become 8 loads of four; 32 words of a column of tile_b stay.
        text = self.good("explain", "7", "--variant", "tiled_32", "--sass", env=self.environment(COLUMNS="160"))
        head, code = text.split("\nMachine code for sm_90\n")
        # The line that costs most comes first.
        self.assertRegex(head, r"actual\n[─ ]+\n +51 .*\n +sum \+= tile_a\[ty\]\[k\] \* tile_b\[k\]\[tx\];\n"
                               r" +64 ld\.shared\.f32 compiled to 32 LDS, 8 LDS\.128\n")
        self.assertRegex(code, r" merged from PTX lines \d+, \d+, \d+, \d+ +[0-9a-f]{4}  LDS\.128 \[R\d+\]\n")
        self.assertRegex(code, r" +51  sum \+= tile_a\[ty\]\[k\] \* tile_b\[k\]\[tx\]; +\d+: ld\.shared\.f32 %f\d+, \[%rd\d+\]; +[0-9a-f]{4}  LDS \[R\d+\]\n")
        self.assertRegex(code, r"\n +30 more LDS\n +6 more LDS\.128\n")

    def test_ncus_counts_stand_below_the_models(self):
        words = ("explain", "3", "--variant", "stride", "--param", "stride=2", "--param", "loads=1")
        document = self.json(*words)
        line, wavefronts = next((one["line"], one["value"]) for one in document["lines"]
                                if one["metric"] == "shared_load_wavefronts")
        page = self.write("lines.csv", '"File Path","/home/ada/labs/03_bank_conflicts/kernels.cu"\n'
                          '"Function Name","stride"\n"Line No","Source","Address","Source","L1 Wavefronts Shared"\n'
                          f'"{line}","sum += ...","-","-","{wavefronts + 7}"\n"","","0x10","LDS","{wavefronts + 7}"\n')
        printed = self.good(*words, "--ncu", page)
        # Two ways in each of 16 blocks' 8 warps, and the seven more that the page claims.
        self.assertEqual(wavefronts, 2 * 16 * 8)
        self.assertRegex(printed, rf"\n +{line} .* model .* 256\n +ncu +263\n")
        added = [one for one in self.json(*words, "--ncu", page)["lines"] if one["source"] == "ncu"]
        self.assertEqual([(one["line"], one["value"]) for one in added], [(line, wavefronts + 7)])
        self.write("lines.csv", page.read_text().replace('"stride"', '"other"'))
        self.fails(2, "error: the page of Nsight Compute has no kernel stride\nhint: it has other\n",
                   *words, "--ncu", page)

    def test_nvdisasm_is_used_where_it_is_found(self):
        words = ("show", "3", "--sass", "--variant", "stride_plain")
        ours = self.good(*words)
        pc = re.search(r"([0-9a-f]{4})  LDG", ours).group(1)
        (self.folder / "bin").mkdir()
        self.write("bin/nvdisasm", f'#!/bin/sh\n[ "$1" = -c ] && [ -s "$2" ] || exit 1\n'
                                   f"echo '.text.stride_plain:'\necho '  /*{pc}*/  LDG.E.CONSTANT R5, desc[UR4][R2.64] ;'\n").chmod(0o755)
        env = self.environment(PATH=f"{self.folder}/bin:{os.environ['PATH']}", COLUMNS="160")
        text = self.good(*words, env=env)
        self.assertIn("; as nvdisasm prints it\n", text)
        self.assertIn(f"{pc}  LDG.E.CONSTANT R5, desc[UR4][R2.64]\n", text)
        self.assertEqual(text.count("STS ["), ours.count("STS ["))  # what it lacks is ours

    def test_json_lines_add_up_to_the_case(self):
        document = self.json("explain", "3", "--variant", "stride", "--param", "stride=4")
        metrics = document["runs"][0]["cases"][0]["metrics"]
        for key in ("global_load_sectors", "shared_load_bank_conflicts"):
            total = sum(line["value"] for line in document["lines"]
                        if line["metric"] == key and line["source"] == "model")
            self.assertEqual(total, metrics[key]["model"], key)

    def test_lines_have_shares_of_the_expected_time(self):
        words = ("explain", "7", "--variant", "tiled_32", "--gpu", "A100")
        _, head, table = self.good(*words, env=self.environment(COLUMNS="200")).split("\n\n", 2)
        self.assertRegex(head, r"^Expected: [\d.]+ us on an A100 80GB \(data sheet: not calibrated\): .*\.\n"
                               r"Share: of the expected time of many such blocks in one launch, by what it would be less "
                               r"without the line; \d+ % are of the launch and its blocks' starts and ends\.$")
        document = self.json(*words)
        expected = document["runs"][0]["cases"][0]["expected_time"]
        self.assertEqual(expected["gpu"], "NVIDIA A100 80GB")
        self.assertIn(expected["text"], head)
        shares = {one["line"]: one["share"] for one in document["shares"]}
        rest = int(re.search(r"(\d+) % are of the launch", head)[1])
        self.assertAlmostEqual(100 * sum(shares.values()), 100 - rest, delta=0.5)
        # The product's line costs most, and the table says how much.
        most = max(shares, key=shares.get)
        self.assertRegex(table, rf"\n +{most} +{100 * shares[most]:.0f} % .*\n +sum \+= tile_a\[ty\]")
        self.fails(2, "error: no data sheet of a GPU 'A10'\nhint: did you mean 'A100'?\n", *words[:-1], "A10")

    def test_fits_the_terminal(self):
        env = self.environment(COLUMNS="90")
        for line in self.good("explain", "3", env=env).splitlines()[2:]:
            self.assertLessEqual(len(line), 90)


@needs_toolkit
class Report(LabTest):
    def test_one_page_with_every_case(self):
        self.good("run", "3", "--variant", "stride", "--all", "--student", "<b>Ada</b>")
        self.assertEqual(self.good("report"), "lab-report-1.html\n")
        page = (self.folder / "lab-report-1.html").read_text(encoding="utf-8")
        self.assertEqual(page.count('<td class="good text leads">agrees</td>'), 34)
        self.assertIn("&lt;b&gt;Ada&lt;/b&gt;", page)
        self.assertNotIn("<b>Ada", page)
        self.assertEqual(self.good("report", "1", "--output", "-"), page)

    def test_no_reader_sees_what_makes_a_starter(self):
        # Lab 8's source is short: all of it stands in the page.
        self.good("run", "8")
        page = self.good("report", "--output", "-")
        self.assertIn("int x = lane; x &lt; cols; x += 32", page)
        self.assertNotIn("//@", page)

    def test_a_students_page_says_what_the_terminal_says(self):
        starter = starter_of(3).read_text()
        self.write("mine.cu", starter)
        said = " ".join(self.good("run", "3", "--kernel", "mine.cu").split())
        page = " ".join(self.good("report", "--output", "-").split())
        # The sentences of the terminal's advice, and its standing.
        advice = said.split("What to change: ")[1].split(" To see the accesses")[0]
        line = starter.splitlines()[23].strip()
        self.assertTrue(advice.startswith(f"mine.cu:24 {line} 32 lanes want 32 words of bank 0"), advice)
        words = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())
        # The code that has no conflict is the lab's answer: the hint's to tell.
        self.assertIn("by other indices or another layout: lab hint 3. Saves 63,488 of 66,048 wavefronts", advice)
        self.assertNotRegex(advice, r"\^|i / 32|33")
        self.assertIn(advice.split(" For a hint")[0], words)
        self.assertIn("column_swizzled 0 of 1 on target: ", words)
        self.assertIn('<td class="note text leads">32 x target</td>', page)
        self.assertIn("<h2>What a warp touches</h2>", page)
        self.assertNotIn(" 0 agree", page)

    def test_where_it_cannot_be_written(self):
        self.good("run", "3", "--variant", "stride", "--param", "stride=1")
        self.fails(3, "error: cannot write the report 'no/x.html': No such file or directory\n"
                      "hint: name a file in a folder that exists and that you may write to\n", "report", "--output", "no/x.html")


if __name__ == "__main__":
    unittest.main()
