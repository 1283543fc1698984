"""What advice promises of a cure is what the kernel counts that was cured by hand: pairs/, two kernels each."""
import concurrent.futures
import dataclasses
import json
import random
import re
import struct
import unittest

from support import LabTest, ROOT, needs_toolkit

FOLDER = ROOT / "tests/cli/pairs"
UNITS = {"wavefronts": ("shared_load_wavefronts", "shared_store_wavefronts", "shared_atomic_wavefronts"),
         "sectors": ("global_load_sectors", "global_store_sectors"),
         "requests": ("global_load_requests", "global_store_requests"),
         "local requests": ("local_load_requests", "local_store_requests")}
# Rules whose numbers no trial has: they follow from counts per machine instruction.
COUNTED = {"reuse", "reloads", "accumulates_in_memory", "tile_reloads", "narrow", "local_memory"}
# The cured kernel takes its input in another order, or more of it.
OTHER_INPUT = {"energy", "grey", "keys", "moves", "edges", "everyFourth", "spreads", "behindAHead", "storesBehindAHead",
               "shortsBehindOne", "gathers", "scatters", "gathersDoubles", "sumsOfTwo"}


@dataclasses.dataclass
class Pair:
    file: str
    rule: str
    name: str
    launch: list
    cured: list


def pairs():
    found = []
    for file in sorted(FOLDER.glob("*.cu")):
        for line in file.read_text().splitlines():
            if line.startswith("// pair: "):
                rule, *launch = line.removeprefix("// pair: ").split()
                found.append(Pair(str(file), rule, "", launch, launch))
            elif line.startswith("// untried: "):
                rule, *launch = line.removeprefix("// untried: ").split()
                found.append(Pair(str(file), rule, "", launch, []))
            elif line.startswith("// cured: "):
                found[-1].cured = line.removeprefix("// cured: ").split()
            elif (kernel := re.match(r"__global__ void (\w+)\(", line)) and not kernel[1].endswith("_cured"):
                found[-1].name = kernel[1]
    return found


@needs_toolkit
class Pairs(LabTest):
    def probed(self, pair, cured):
        kernel, launch = pair.name + ("_cured" if cured else ""), pair.cured if cured else pair.launch
        arrays = [n for n, word in enumerate([word for option, word in zip(launch, launch[1:]) if option == "--arg"])
                  if "[" in word]
        output = self.folder / f"{kernel}.bin"
        printed = self.good("probe", pair.file, "--kernel", kernel, *launch, "--dump", f"{arrays[-1]}={output}",
                            "--threads", 1, "--no-store", "--json")
        return json.loads(printed)["runs"][0]["cases"][0], output.read_bytes()

    def test_a_promise_is_what_the_cured_kernel_counts(self):
        order = list(range(1024))
        (self.folder / "sorted.bin").write_bytes(struct.pack("<1024i", *order))
        random.Random(7).shuffle(order)
        (self.folder / "order.bin").write_bytes(struct.pack("<1024i", *order))
        both = [pair for pair in pairs() if pair.cured]
        self.assertEqual(len(both), 44)
        with concurrent.futures.ThreadPoolExecutor(2) as two:
            faults = list(two.map(lambda pair: self.probed(pair, False), both))
            cures = list(two.map(lambda pair: self.probed(pair, True), both))
        for pair, (before, was), (after, now) in zip(both, faults, cures):
            with self.subTest(pair.name):
                self.assertEqual((before["status"], after["status"]), ("ok", "ok"))
                if pair.name not in OTHER_INPUT:
                    self.assertEqual(was, now, "the cure leaves something else")
                told = [one for one in before["advice"] if one["rule"] == pair.rule]
                self.assertEqual(len(told), 1, before["advice"])
                self.assertNotIn(pair.rule, [one["rule"] for one in after["advice"]], "the cure is told again")
                self.assertEqual(told[0]["proof"], "counted" if pair.rule in COUNTED else "tried", told[0])
                counted = [sum(case["metrics"][metric]["model"] or 0 for metric in UNITS[told[0]["unit"]])
                           for case in (before, after)]
                if pair.rule in COUNTED:
                    self.assertAlmostEqual(told[0]["saved"], counted[0] - counted[1], delta=0.05 * told[0]["saved"])
                else:
                    self.assertEqual(told[0]["saved"], counted[0] - counted[1], told[0]["cure"])

    def test_what_the_accesses_do_not_allow_has_no_number(self):
        untried = [pair for pair in pairs() if not pair.cured]
        self.assertEqual(len(untried), 7)
        for pair in untried:
            with self.subTest(pair.name):
                told = [one for one in self.probed(pair, False)[0]["advice"] if one["rule"] == pair.rule]
                self.assertTrue(told)
                for one in told:
                    self.assertEqual((one["saved"], one["proof"], one["gain"]), (None, None, None), one)


if __name__ == "__main__":
    unittest.main()
