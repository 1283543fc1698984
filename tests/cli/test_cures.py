"""Cures: what advice promises is what the kernel that was cured so counts; right kernels are told nothing false."""
import re
import struct
import sys
import unittest

from support import LabTest, ROOT, needs_toolkit

sys.path.insert(0, str(ROOT / "tests/cli/advice"))
from planted import FOLDER, kernels  # pylint: disable=wrong-import-position

UNITS = {"wavefronts": ("shared_load_wavefronts", "shared_store_wavefronts", "shared_atomic_wavefronts"),
         "sectors": ("global_load_sectors", "global_store_sectors")}
# Of units that no metric has, what a cured kernel of cures_4.cu still does, from its text: blocks times words of the
# table; blocks times barriers.
LEFT = {"histogramOfBytes": 4 * 256, "weightsByKey": 64 * 64, "largestOfClass": 128 * 16, "digits": 2 * 512,
        # 16 blocks, 4 tiles each, with the barrier before the steps and the one behind them.
        "productWithABarrierPerStep": 16 * 4 * 2,
        # The cured ones have one barrier, or none; the last of a loop comes before the stores of the end, and stays.
        "windowWithBarriers": 8 * 2, "gathersWithBarriers": 4 * 1, "horner": 4 * 2}
# True of right kernels.
TRUE = {"chainedScan": ["idle_threads"], "workQueue": ["per_block"], "oneSumPerBlock": ["same_address"],
        "overlapping": ["narrow"], "compactWarp": ["per_block"], "fourSums": ["per_block"],
        "ticketLock": ["idle_threads"], "largestByBits": ["per_block"]}
# What must be said of none of them: it would hang or break the kernel, or is not so.
FALSE = re.compile("before the loop|every round of a loop|Sort the indices|Add up in a register|a lock:|of a reduction")


@needs_toolkit
class Cures(LabTest):
    def case(self, kernel, output):
        given = [word for option, word in zip(kernel.launch, kernel.launch[1:]) if option == "--arg"]
        last = [n for n, word in enumerate(given) if "[" in word][-1]
        printed = self.json("probe", *kernel.words(), "--dump", f"{last}={output}", "--threads", 1, "--no-store")
        return printed["runs"][0]["cases"][0], output.read_bytes()

    def test_a_promise_is_what_the_cured_kernel_counts(self):
        cures = {cure.name: cure for cure in kernels("cures_4.cu")}
        faults = kernels("faults_4.cu")
        self.assertEqual(len(faults), 20)
        for fault in faults:
            with self.subTest(fault.name):
                cure = cures[fault.name]
                cure.launch = cure.launch or fault.launch
                before, was = self.case(fault, self.folder / "was.bin")
                after, now = self.case(cure, self.folder / "now.bin")
                first = before["advice"][0]
                self.assertEqual((first["rule"], first["line"]), (fault.rule, fault.line))
                self.assertEqual(was, now, "the cure leaves something else")
                if first["unit"] in UNITS:
                    counted = [sum(case["metrics"][metric]["model"] or 0 for metric in UNITS[first["unit"]])
                               for case in (before, after)]
                    self.assertEqual(first["saved"], counted[0] - counted[1])
                elif first["unit"]:
                    self.assertEqual(first["total"] - first["saved"], LEFT[fault.name])
                else:
                    self.assertIsNone(first["saved"])
                if fault.rule == "needless_waits":
                    # What is written before is ordered by the kernel's barrier above, where it has one.
                    lines = (FOLDER / fault.file).read_text().splitlines()[:fault.line - 1]
                    began = max(n for n, line in enumerate(lines, 1) if "__global__" in line)
                    above = [n for n, line in enumerate(lines, 1) if n > began and "__syncthreads()" in line]
                    self.assertEqual(re.findall(r"That of line (\d+) orders", first["cure"]), [str(n) for n in above])

    def test_right_kernels_are_told_nothing_false(self):
        (self.folder / "rows.bin").write_bytes(struct.pack("<17i", *(8 * n * n for n in range(17))))
        right = kernels("right.cu") + kernels("right_2.cu")
        self.assertEqual(len(right), 14 + 24)
        for kernel in right:
            with self.subTest(kernel.name):
                case = self.json("probe", *kernel.words(), "--no-store")["runs"][0]["cases"][0]
                self.assertEqual(case["status"], "ok")
                self.assertEqual([one["rule"] for one in case["advice"]], TRUE.get(kernel.name, []))
                for one in case["advice"]:
                    self.assertNotRegex(f"{one['finding']}. {one['cure']}", FALSE)


# name, what it is launched with, cause of its finding
RACES = [
    ("dotInOneWord", "--block 128 --arg f32[128]=ones --arg f32[128]=ones --arg f32[1]=zero", "lost_update"),
    ("countsPlainly", "--block 64 --arg u8[64]=@spaces.bin --arg i32[1]=zero", "lost_update"),
    ("histogramOfPlainAdds", "--block 64 --arg i32[256]=random:1 --arg i32[16]=zero", "lost_update"),
    ("largestInOneWord", "--block 128 --arg i32[128]=iota --arg i32[1]=zero", "lost_update"),
    ("treeWithoutBarrier", "--block 128 --arg f32[128]=iota --arg f32[1]=zero", None),
    ("shiftWithoutBarrier", "--block 128 --arg f32[128]=iota --arg f32[128]=zero", None),
    ("walksOn", "--block 128 --arg f32[128]=zero --arg i32=4", None),
    ("scanWithoutBarrier", "--block 128 --arg i32[128]=iota --arg i32[128]=zero", None),
    ("lastBlockAdds", "--grid 8 --block 64 --arg f32[8]=ones --arg f32[8]=zero --arg f32[1]=zero", "unfenced"),
    ("lastThreadAdds", "--grid 8 --block 64 --arg f32[8]=ones --arg f32[8]=zero --arg f32[1]=zero", "unfenced"),
    ("flagWithoutFence", "--grid 2 --block 32 --arg f32[1]=ones --arg f32[1]=zero --arg i32[1]=zero --arg f32[1]=zero",
     "unfenced"),
    ("lastBlockOfMany", "--grid 8 --block 32 --arg f32[256]=ones --arg f32[256]=zero --arg f32[32]=zero", "unfenced"),
    ("neighboursOfBlocks", "--grid 4 --block 32 --arg f32[128]=zero --arg i32[1]=zero", None),
]
CURES = {"lost_update": "atomicAdd", "unfenced": "__threadfence()"}


@needs_toolkit
class Races(LabTest):
    def probe(self, file, name, launch):
        words = launch.split()
        grid = [] if "--grid" in words else ["--grid", 1]
        return self.lab("probe", file, "--kernel", name, *grid, *words, "--no-store")

    def test_the_cure_of_a_race_is_of_its_cause(self):
        (self.folder / "spaces.bin").write_bytes(b" " * 64)
        for name, launch, cause in RACES:
            with self.subTest(name):
                said = " ".join(self.probe(FOLDER / "races.cu", name, launch).out.split())
                self.assertIn("race at", said)
                for key, cure in CURES.items():
                    self.assertEqual(key == cause, cure in said.split("race at")[1], said)

    def test_after_the_cure_nothing_is_found(self):
        text = (FOLDER / "races.cu").read_text()
        fenced = text.replace("    last = atomicAdd(&arrived1", "    __threadfence();\n    last = atomicAdd(&arrived1")
        self.assertNotEqual(fenced, text)
        self.write("fenced.cu", fenced)
        launch = {name: launch for name, launch, _ in RACES}["lastBlockAdds"]
        self.assertEqual(self.probe("fenced.cu", "lastBlockAdds", launch).status, 0)
        added = text.replace("sum[0] = sum[0] + a[t] * b[t];", "atomicAdd(&sum[0], a[t] * b[t]);")
        self.assertNotEqual(added, text)
        self.write("added.cu", added)
        launch = {name: launch for name, launch, _ in RACES}["dotInOneWord"]
        self.assertEqual(self.probe("added.cu", "dotInOneWord", launch).status, 0)


if __name__ == "__main__":
    unittest.main()
