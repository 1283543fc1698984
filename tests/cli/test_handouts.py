"""Handouts, answers and the table of exercises: every command in them runs, every measured number is one,
every picture is what `lab map` draws, and every handout goes round the loop of predicting and looking.

A number that was measured stands in a row of FIGURES with how the fixture has it: within 3 %,
counts to the digit. A number that an author claims stands in the table of exercises.
"""
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import tarfile
import tempfile
import unittest

from support import LAB, LabTest, PATIENCE, ROOT, needs_toolkit
from test_starters import starter_of

LABS = range(1, 13)
GPU_ALONE = re.compile(r"--backend gpu|^lab calibrate")
TIME_TOLERANCE = 0.03  # two runs of one kernel differ by a percent or two


def folder_of(lab):
    return next(ROOT.glob(f"labs/{lab:02}_*"))


def texts_of(lab):
    return {name: (folder_of(lab) / name).read_text(encoding="utf-8") for name in ("README.md", "answers.md")}


def flat(text):
    """In one line, so that a row of FIGURES may span the lines of a paragraph."""
    return re.sub(r"\s+", " ", text)


# ---- what the fixture has -----------------------------------------------------------------------

class Fixture:
    """Medians and measured values of the H200's runs; None where it lacks the case."""

    def __init__(self, path):
        self.db = sqlite3.connect(path)

    def case(self, lab, variant, **params):
        rows = self.db.execute("SELECT c.id, c.params FROM cases c JOIN runs r ON r.id = c.run_id "
                               "WHERE r.lab = ? AND c.variant = ? ORDER BY c.position", (lab, variant))
        for row, text in rows:
            values = json.loads(text)
            if all(values.get(name) == value for name, value in params.items()):
                return row
        return None

    def us(self, lab, variant, **params):
        case = self.case(lab, variant, **params)
        found = self.db.execute("SELECT median_ns FROM timings WHERE case_id = ?", (case,)).fetchone()
        return found and found[0] / 1000

    def us_by(self, method, lab, variant):
        """The same of the run that was timed by `method`."""
        found = self.db.execute(
            "SELECT t.median_ns FROM cases c JOIN runs r ON r.id = c.run_id JOIN timings t ON t.case_id = c.id "
            "WHERE r.lab = ? AND c.variant = ? AND t.method = ?", (lab, variant, method)).fetchone()
        return found and found[0] / 1000

    def measured(self, metric, lab, variant, **params):
        case = self.case(lab, variant, **params)
        found = self.db.execute("SELECT measured FROM verdicts WHERE case_id = ? AND metric = ?",
                                (case, metric)).fetchone()
        return found and found[0]


@functools.cache
def fixture(name="h200.db"):
    folder = tempfile.mkdtemp(prefix="lab_handouts_")
    with tarfile.open(ROOT / f"tests/fixtures/h200/{name}.tar.xz") as archive:
        path = pathlib.Path(folder, name)
        path.write_bytes(archive.extractfile(name).read())
    return Fixture(path)


def printed_at_size(lab, *cases):
    """Microseconds as `times` has them, of the exercises at their authors' sizes and in their way."""
    return [fixture("exercises.db").us(lab, variant, **params) for variant, params in cases]


def timed_by(method, *variants):
    """Microseconds of lab 5's exercise by one of three ways to time."""
    return [fixture("exercises.db").us_by(method, 5, f"printed_{name}") for name in variants]


def times(lab, *cases):
    """Microseconds of (variant, params), in this order."""
    return [fixture().us(lab, variant, **params) for variant, params in cases]


def over(a, b):
    return None if a is None or b is None else a / b


def rates(size, *cases):
    """GB/s of lab 4's variants: each element of `size` x `size` floats is read and written."""
    return [None if us is None else 8 * size * size / us / 1000 for us in times(4, *cases)]


def of_peak(first, last):
    """Strides, and percent of the pins' bandwidth that lab 1's curve reaches there, and misses at the last one:
    2 transfers of 6016 bits per clock of 3201 MHz (NVIDIA H200). A float in, a float out per element read."""
    peak = 2 * 3201e6 * 6016 / 8
    shares = [None if us is None else 100 * 8 * (1 << 26) / stride / (us / 1e6) / peak for stride, us in zip(
        (first, last), times(1, *[("stride_curve", {"stride": s}) for s in (first, last)]))]
    return [first, shares[0], last, shares[1], None if shares[1] is None else 100 - shares[1]]


N = {"n": 1 << 22}
SQUARE = {"rows": 4096, "cols": 4096, "block_rows": 8, "bytes": 4}
WHOLE = {"rows": 4096, "cols": 4096}
CUBE = {"n": 1024, "m": 1024, "p": 1024}
THREE_MILLION = {"n": 3 << 20}


def relative(lab, first, *others):
    base = fixture().us(lab, first[0], **first[1])
    return [over(us, base) for us in times(lab, *others)]


def left_of(variant):
    """Additions that lab 5's race left on the GPU, and of how many."""
    note = json.loads(fixture().db.execute("SELECT facts FROM cases WHERE id = ?",
                                           (fixture().case(5, variant, **THREE_MILLION),)).fetchone()[0])["gpu_races"]
    return [float(n) for n in re.search(r"a: (\d+) of (\d+) are left", note).groups()]


def per_hop(variant, **params):
    """ns of one step of lab 10's walk."""
    hops = next((h for h in (4096, 4097) if fixture().case(10, variant, hops=h, **params)), None)
    us = fixture().us(10, variant, hops=hops, **params)
    return None if us is None else 1000 * us / hops


def all_conflicts(*strides):
    return [fixture().measured("shared_conflicts_all", 3, "stride", blocks=512, loads=256, stride=s) for s in strides]


def read_by_runs_of(floats):
    return fixture().measured("dram_read_bytes", 10, "bursts", run=floats, scatter=1)


def issued():
    return fixture().measured("instructions", 10, "bursts", run=1024, scatter=1)


def ceilings(*names, unit=1):
    """Of the newest calibration that has them."""
    found = dict(fixture().db.execute("SELECT name, value FROM ceilings ORDER BY calibration_id").fetchall())
    return [found[name] / unit if name in found else None for name in names]


def cycles(ns):
    return None if ns is None else ns * 1.98  # GHz, the H200's clock under load


LARGE = {"rows": 12800, "cols": 12800, "bytes": 4}
FOUR = ("index", "idle", "first", "block")


def balances(variant, *params):
    return [fixture("exercises.db").measured("dram_channel_balance", 10, variant, **one) for one in params]


def launch_and_wait():
    """What it adds to a launch in a row, and the ratio of case 2 to case 0 with it and without it."""
    waited = timed_by("the host's clock around each of 10000 launches", *FOUR)
    row = timed_by("CUDA events around 10000 launches in a row", *FOUR)
    return [waited[0] - row[0], over(waited[2], waited[0]), over(row[2], row[0])]


# (lab, words of the handout or its answers or the table of exercises, the numbers in them in their
# order). Of a row whose cases the fixture lacks nothing is checked, and that is counted.
SIZES = [{"rows": n, "cols": n, "block_rows": 8, "bytes": 4} for n in (128, 512, 1024)]
FIGURES = [
    (1, "stride 1 reaches 54 % of the peak, stride 32 8.4 %: 92 % of it is not reached", lambda: of_peak(1, 32)),
    (1, "92 % of it is not reached at stride 32", lambda: of_peak(1, 32)[:1:-2]),
    (1, "480 GB/s at stride 16, 453 at 24, 405 at 32", lambda: [n for stride in (16, 24, 32) for n in (
        8 * (1 << 26) / stride / fixture().us(1, "stride_curve", stride=stride) / 1000, stride)]),
    (1, "offset 0 takes 205 us, offset 1 takes 211",
     lambda: [n for offset in (0, 1) for n in (offset, fixture().us(1, "offset_curve", offset=offset))]),
    (1, "offsets 8, 16 and 24 have four sectors per request, and take 211, 211 and 212 us",
     lambda: [8, 16, 24, *times(1, *[("offset_curve", {"offset": offset}) for offset in (8, 16, 24)])]),
    (1, "two lines of 128 bytes per request. Offset 32 touches one, and takes 208",
     lambda: [128, 32, *times(1, ("offset_curve", {"offset": 32}))]),
    (1, "205 and 211 us; but offsets 8, 16 and 24, with four sectors in two lines, take 211, 211 and 212 us",
     lambda: [*times(1, ("offset_curve", {"offset": 0}), ("offset_curve", {"offset": 2})), 8, 16, 24,
              *times(1, *[("offset_curve", {"offset": offset}) for offset in (8, 16, 24)])]),
    (3, "of seven words take 37.2 us, of eight 90.3",
     lambda: times(3, *[("records", {"fields": fields, "width": 4}) for fields in (7, 8)])),
    (3, "of two words take 23.5 us with their conflicts, and 23.4 without",
     lambda: times(3, ("records", {"fields": 2, "width": 4}), ("records_split", {"fields": 2, "width": 4}))),
    (3, "`bring_neighbours` takes 94.4 us, `bring_halves` 55.9",
     lambda: times(3, ("bring_neighbours", {}), ("bring_halves", {}))),
    (3, "the counter reads theory: 1,048,576, 3,145,728 and 7,340,032; at a 32-way conflict 32,506,308",
     lambda: [*all_conflicts(2, 4, 8), 32, *all_conflicts(32)]),
    (3, "as claimed: 94.4 and 55.9 us", lambda: times(3, ("bring_neighbours", {}), ("bring_halves", {}))),
    (4, "naive 4.4, 7.2, 19.5 us; with conflicts 3.8, 4.6, 8.3; without 3.3, 3.7, 4.6",
     lambda: times(4, *[(v, size) for v in ("read_coalesced", "shared_load", "padded") for size in SIZES])),
    (4, "up to 4.2 x", lambda: [relative(4, ("padded", SIZES[2]), ("read_coalesced", SIZES[2]))[0]]),
    (10, "| shared memory | 23 | one wavefront per SM and cycle, 128 bytes | | L1 | 32 |",
     lambda: [*ceilings("shared_latency"), 128, *ceilings("l1_latency")]),
    (10, "| L2 | 280 | 7.24 TB/s | | DRAM | 658 | 4.39 TB/s |",
     lambda: [*ceilings("l2_latency"), *ceilings("l2_read", unit=1e12), *ceilings("dram_latency"),
              *ceilings("dram_read", unit=1e12)]),
    (2, "AoS takes 114 us, AoS past L1 135, SoA 44, float4 50.",
     lambda: times(2, ("update_aos", N), ("update_aos_no_l1", N), ("update_soa", N), ("update_float4", N))),
    (2, "So SoA is 2.6 times as fast", lambda: relative(2, ("update_soa", N), ("update_aos", N))),
    (2, "float3 takes 28.3 us directly and 29.4 through shared memory",
     lambda: times(2, ("float3_direct", N), ("float3_shared", N))),
    (2, "AoS takes 7.2 us, SoA 17.0.", lambda: times(2, ("random_aos", {}), ("random_soa", {}))),
    (2, "Complex quad doubles take 463 us as one array and 138 as eight.",
     lambda: times(2, ("numbers_one", {"words": 8, **N}), ("numbers_split", {"words": 8, **N}))),
    (4, "`read_coalesced` 263, `write_coalesced` 76, `shared_load` 87, `shared_store` 83",
     lambda: times(4, *[(v, SQUARE) for v in ("read_coalesced", "write_coalesced", "shared_load", "shared_store")])),
    (4, "`padded` 39, `swizzled` 40, `vectorised` 36.5, `geam` 40",
     lambda: times(4, ("padded", SQUARE), ("swizzled", SQUARE), ("vectorised", WHOLE), ("geam", WHOLE))),
    (4, "with `-O0` 268, 84 and 107 for the first three",
     lambda: times(4, *[(v, SQUARE) for v in ("read_coalesced_O0", "write_coalesced_O0", "shared_load_O0")])),
    (4, "`tile16` 68 to 72", lambda: times(4, ("tile16", {"pad": 2}), ("tile16", {"pad": 0}))),
    (4, "`copy` takes 48 and is not a ceiling", lambda: times(4, ("copy", SQUARE))),
    (4, "510, 1540, 3471, 3366 GB/s",
     lambda: rates(4096, ("read_coalesced", SQUARE), ("shared_load", SQUARE), ("padded", SQUARE), ("geam", WHOLE))),
    (4, "263, 76 and 38.5 us", lambda: times(4, *[(v, SQUARE) for v in (
        "read_coalesced", "write_coalesced", "padded_store")])),
    (4, "268, 84 and 83 us", lambda: times(4, *[(v, SQUARE) for v in (
        "read_coalesced_O0", "write_coalesced_O0", "padded_store_O0")])),
    (4, "87 and 83 us with conflicts", lambda: times(4, ("shared_load", SQUARE), ("shared_store", SQUARE))),
    (4, "5.1 % apart", lambda: [100 * relative(4, ("shared_store", SQUARE), ("shared_load", SQUARE))[0] - 100]),
    (4, "10.6, 32, 72 and 70 % of 4.8 TB/s", lambda: [*[None if r is None else r / 48 for r in rates(
        4096, ("read_coalesced", SQUARE), ("shared_load", SQUARE), ("padded", SQUARE), ("geam", WHOLE))], 4.8]),
    (2, "28.3 and 29.4 us", lambda: times(2, ("float3_direct", N), ("float3_shared", N))),
    (4, "and 2.25 x here", lambda: relative(4, ("padded", SQUARE), ("shared_load", SQUARE))),
    (5, "relative times of the plain cases: 1.0 / 1.0 / 3.1 / 1.0",
     lambda: relative(5, ("all_threads", THREE_MILLION), *[
         (v, THREE_MILLION) for v in ("all_threads", "three_of_four", "rest_on_first", "rest_on_block")])),
    (10, "`best` asks for 65,536 bytes at its launch, and a block then has 66,560",
     lambda: [65536, fixture().measured("shared_bytes_per_block", 4, "best", cols=4096, tile_width=128)]),
    (5, "of 786,432 additions an H200 left 37 in `a[0]`, and 12,288, one per block",
     lambda: [*left_of("branch_first")[::-1], left_of("branch_block")[0]]),
    (5, "10.6, 10.7, 26.7 and 11.3 us", lambda: times(5, *[
        (v, THREE_MILLION) for v in ("add_index", "branch_idle", "branch_first", "branch_block")])),
    (5, "1.0 for the own element, 130 for `a[0]`, 1.3 for the block's first element",
     lambda: relative(5, ("all_threads", THREE_MILLION), *[
         (v, THREE_MILLION) for v in ("atomic_all", "atomic_first", "atomic_block")])),
    (6, "4.3 us thread-major and 3.4 power-major",
     lambda: times(6, ("thread_major", {"blocks": 8, "threads": 32}), ("power_major", {"blocks": 8, "threads": 32}))),
    (6, "take 22.5 (9.6 as the compiler merges it) and 7.1",
     lambda: times(6, *[(v, {"blocks": 4096, "threads": 32})
                        for v in ("thread_major", "thread_major_plain", "power_major")])),
    (6, "they take 69 and 6.8", lambda: times(6, *[(v, {"blocks": 4096, "threads": 32})
                                                 for v in ("thread_major_global", "power_major_global")])),
    (6, "147 us against 41", lambda: times(6, *[(v, {"blocks": 4096, "threads": 256})
                                                for v in ("thread_major", "power_major")])),
    (7, "`naive` 325, `naive_swapped` 4433", lambda: times(7, ("naive", CUBE), ("naive_swapped", CUBE))),
    (7, "278 (349 pinned)", lambda: times(7, ("tiled_16", CUBE), ("tiled_pinned_16", CUBE))),
    (7, "237 (306 pinned)", lambda: times(7, ("tiled_32", CUBE), ("tiled_pinned_32", CUBE))),
    (7, "`register_tiled` 131", lambda: times(7, ("register_tiled", CUBE))),
    (8, "one thread per row 1064 us, one warp per row 111, by columns 303",
     lambda: times(8, ("thread_per_row", {"rows": 8192}), ("warp_per_row", {"rows": 8192}),
                   ("column_major", {"rows": 8192}))),
    (8, "9.6 times as slow", lambda: relative(8, ("warp_per_row", {"rows": 8192}), ("thread_per_row", {"rows": 8192}))),
    (8, "its hit rate is 0.875", lambda: [fixture().measured("l1_hit_rate", 8, "thread_per_row", rows=8192)]),
    (10, "15 ns per step through shared memory, 23 ns through L1, 146 ns through L2",
     lambda: [per_hop("chase_shared"), per_hop("chase", lines=64), per_hop("chase", lines=65536)]),
    (10, "287, 244, 227, 219 and 215 us, and 212 us in order",
     lambda: times(10, *[("bursts", {"elements": 1 << 26, "run": run, "scatter": 1}) for run in (8, 16, 32, 128, 1024)],
                   ("bursts", {"elements": 1 << 26, "run": 8, "scatter": 0}))),
    (10, "move twice the bytes, 537 MB", lambda: [read_by_runs_of(8) / 1e6]),
    (10, "issuing the kernel's 124 million instructions takes 118 us, and its bytes alone would take 61 us",
     lambda: [issued() / 1e6, 1e6 * issued() / (4 * 132 * 1.98e9),  # 4 a cycle on each of 132 SMs
              1e6 * read_by_runs_of(1024) / ceilings("dram_read")[0]]),
    (10, "runs of 32 bytes move 537 MB instead of 268 and take 287 us instead of 212",
     lambda: [32, read_by_runs_of(8) / 1e6, read_by_runs_of(1024) / 1e6,
              *times(10, *[("bursts", {"run": 8, "scatter": scatter}) for scatter in (1, 0)])]),
    (10, "runs of 64 bytes take 244 us and of 4 KiB 215",
     lambda: [n for run, size in ((16, 64), (1024, 4)) for n in (
         size, *times(10, ("bursts", {"run": run, "scatter": 1})))]),
    (10, "30, 45 and 289 cycles",
     lambda: [cycles(per_hop("chase_shared")), cycles(per_hop("chase", lines=64)),
              cycles(per_hop("chase", lines=65536))]),
    (11, "modulo 77, strided 97, sequential 74, shuffle 55",
     lambda: times(11, *[(v, {}) for v in ("modulo", "strided", "sequential", "shuffle")])),
    (11, "one atomic per thread 29,456, per warp 924, per block 119",
     lambda: times(11, *[(v, {}) for v in ("atomic_thread", "atomic_warp", "atomic_block")])),
    (11, "integers, one atomic per thread, 386", lambda: times(11, ("atomic_count", {}))),
    (4, "`read_coalesced` 2452 us, `write_coalesced` 971 and `padded_store` 729",
     lambda: printed_at_size(4, *[(v, {**LARGE, "block_rows": 32}) for v in (
         "read_coalesced", "write_coalesced", "padded_store")])),
    (4, "With `-O0` 2477, 1288 and 1413 for",
     lambda: printed_at_size(4, *[(v, {**LARGE, "block_rows": 32}) for v in (
         "read_coalesced_O0", "write_coalesced_O0", "padded_store_O0")])),
    (4, "with conflicts 1261 and 1049", lambda: printed_at_size(4, *[
        (v, {**LARGE, "block_rows": 32}) for v in ("shared_load", "shared_store")])),
    (4, "threads: 2686, 689, 365, 790 and 755", lambda: [*printed_at_size(4, *[
        (v, {**LARGE, "block_rows": 8}) for v in (
            "read_coalesced", "write_coalesced", "padded_store", "shared_load", "shared_store")])]),
    (4, "`geam` 337, `best` 328, `copy_wide` 324", lambda: printed_at_size(
        4, ("geam", {}), ("best", {"stream": 0}), ("copy_wide", {"stream": 0}))),
    (4, "the same order at the authors' size: 2.452, 0.971 and 0.729 ms", lambda: [us / 1000 for us in printed_at_size(
        4, *[(v, {**LARGE, "block_rows": 32}) for v in ("read_coalesced", "write_coalesced", "padded_store")])]),
    (4, "2.477, 1.288 and 1.413 ms", lambda: [us / 1000 for us in printed_at_size(4, *[
        (f"{v}_O0", {**LARGE, "block_rows": 32}) for v in ("read_coalesced", "write_coalesced", "padded_store")])]),
    (5, "each waited for by the host's clock: 16.4, 16.3, 31.7 and 16.4 us",
     lambda: timed_by("the host's clock around each of 10000 launches", *FOUR)),
    (5, "in a row: 9.4, 9.4, 24.9 and 9.4.", lambda: timed_by("CUDA events around 10000 launches in a row", *FOUR)),
    (5, "Each alone, by events: 10.7, 10.7, 26.3 and 10.7.", lambda: timed_by("CUDA events", *FOUR)),
    (5, "adds about 7 us to each, so that the host's clock makes a ratio of 1.94 of one of 2.65", launch_and_wait),
    (5, "16.4, 16.3, 31.7 and 16.4 us: 1.0, 1.0, 1.94, 1.0", lambda: [
        *timed_by("the host's clock around each of 10000 launches", *FOUR),
        *[over(us, timed_by("the host's clock around each of 10000 launches", "index")[0])
          for us in timed_by("the host's clock around each of 10000 launches", *FOUR)]]),
    (6, "`thread_major_printed` 585 us, `power_major_printed` 40",
     lambda: printed_at_size(6, *[(f"{order}_major_printed", {"blocks": 4096, "threads": 256})
                                  for order in ("thread", "power")])),
    (6, "585 us against 40", lambda: printed_at_size(6, *[
        (f"{order}_major_printed", {"blocks": 4096, "threads": 256}) for order in ("thread", "power")])),
    (10, "211, 110, 68.1, 66.2 and 64.9 us, and 63.8 us in order",
     lambda: printed_at_size(10, *[("bursts_wide", {"run": run, "scatter": 1}) for run in (8, 16, 32, 128, 1024)],
                             ("bursts_wide", {"run": 8, "scatter": 0}))),
    (10, "110 us for runs of 64 bytes, 68.1 of 128 and 64.9 of 4 KiB",
     lambda: [n for run, size in ((16, 64), (32, 128), (1024, 4)) for n in (
         *printed_at_size(10, ("bursts_wide", {"run": run, "scatter": 1})), size)]),
    (10, "1.02 times the mean at every run, 1.02 to 1.03 at strides up to 257, and 1.06 at 4096",
     lambda: [*balances("bursts_wide", {"run": 1024, "scatter": 1}),
              *balances("strides", {"stride": 17}, {"stride": 257}), 257, *balances("strides", {"stride": 4096}), 4096]),
    (10, "still take 1.7 times as long as in order",
     lambda: [over(*printed_at_size(10, *[("bursts_wide", {"run": run, "scatter": scatter})
                                          for run, scatter in ((16, 1), (8, 0))]))]),
]


def numbers_in(words):
    """Those that stand alone: not the 4 of float4, tile16 or L2, nor what `code` has in brackets."""
    plain = re.sub(r"`[^`]*`|\b[A-Za-z_]+\d\w*", " ", words)
    return [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:\.\d+)?", plain.replace(", ", " , "))]


class Figures(unittest.TestCase):
    def test_every_row_stands_in_its_text(self):
        for lab, words, _ in FIGURES:
            with self.subTest(words):
                self.assertTrue(words in flat(" ".join(texts_of(lab).values())) + flat(table_of_exercises()))

    def test_they_are_what_the_fixture_has(self):
        lacking = []
        for lab, words, values in FIGURES:
            with self.subTest(words):
                found, said = values(), numbers_in(words)
                self.assertEqual(len(found), len(said), f"{found} {said}")
                if None in found:
                    lacking.append(words)
                    continue
                for have, want in zip(found, said):
                    self.assertLessEqual(abs(have - want), TIME_TOLERANCE * want, f"{found}: {words}")
        print(f"{len(FIGURES) - len(lacking)} rows checked; the fixture lacks {len(lacking)}: {lacking}")
        self.assertGreater(len(FIGURES), 2 * len(lacking))

    def test_nothing_measured_stands_unchecked(self):
        """In each paragraph that begins `Measured on an H200`, what no row covers has no number."""
        # How it was measured, and what is worked out or said elsewhere.
        known = (r"4096 x 4096|12800 x 12800|\b32 x (?:32|8)\b|1024\^3|8192 x 8192|4,194,304 records|262,144 records|16,777,216 numbers|"
                 r"bytes explain 1\.8 of it|of which the launch takes 3|4096 blocks|8 blocks of one warp|"
                 r"With 256 threads per block the 4096|At 1\.98 GHz|"
                 r"268 MB in scattered runs of 32, 64, 128, 512 and 4096 bytes|[Rr]uns of (?:32|64) bytes|From 128 bytes on|opened for 64 bytes|10,000 launches|190 and 100 on another|"
                 r"Its 8192 threads|"
                 r"347 ns through DRAM|\bH200")
        for lab in LABS:
            for paragraph in re.findall(r"^Measured on an H200.*?(?=\n\n|\Z)", texts_of(lab)["README.md"], re.M | re.S):
                rest = flat(paragraph)
                for _, words, _ in (row for row in FIGURES if row[0] == lab):
                    rest = rest.replace(words, " ")
                rest = re.sub(known, " ", rest)
                self.assertEqual(numbers_in(rest), [], f"lab {lab}: {rest}")

    def test_what_is_claimed_is_the_sources(self):
        """Each number of a paragraph or table below `Claimed` is in the table of exercises."""
        claims = {}
        for lab, _, _, claim, _ in exercises():
            for number in lab.split(", "):
                claims.setdefault(int(number), []).extend(numbers_in(claim))
        # Sizes, and what is worked out from the claim there and then.
        known = {4: {12800, 3, 0, 128, 512, 1024, 3090, 100}, 10: {128, 0.25, 1.98}}
        for lab in LABS:
            for paragraph in re.findall(r"^Claimed.*?(?=\n\n(?!\|)|\Z)", texts_of(lab)["README.md"], re.M | re.S):
                said = {n for n in numbers_in(paragraph) if n not in known.get(lab, ())}
                gpus = {float(n) for n in re.findall(r"(?:GTX|RTX) (\d+)", paragraph)}
                size = {4096.0, 3.0}  # `4096 x 4096`, `3M floats`
                self.assertLessEqual(said - gpus - size, set(claims[lab]), f"lab {lab}: {paragraph}")

    def test_shares_of_a_strided_read(self):
        """Lab 1's table: a load of 4 bytes moves 4 s of DRAM up to 64, and every store 4."""
        text = texts_of(1)["README.md"]
        row = {name: numbers_in(cells) for name, cells in re.findall(r"^\| ([a-z ]+) \|(.*)\|$", text, re.M)}
        for at, stride in enumerate(row["stride"]):
            moved = 4 * min(stride, 16) + 4
            self.assertEqual(row["bytes moved per float"][at], moved)
            self.assertEqual(row["share used"][at], round(8 / moved, 2))
            self.assertEqual(row["wasted"][at], round(100 - 800 / moved))

    def test_wavefronts_of_a_gpu(self):
        """Lab 3: four blocks of eight warps on an SM, 256 reads each, one wavefront per cycle."""
        us = 4 * 8 * 256 / 1980
        self.assertIn(f"that is {us:.1f} us per wavefront of a read: {2 * us:.1f} us at stride 2, {32 * us:.0f} us",
                      flat(texts_of(3)["README.md"]))


# ---- the table of exercises ---------------------------------------------------------------------

def table_of_exercises():
    text = (ROOT / "labs/README.md").read_text(encoding="utf-8")
    return text.split("## The exercises behind the labs")[1].split("\n## ")[0]


def exercises():
    """(labs, exercise, command, claim, what we found)"""
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")]
            for line in table_of_exercises().splitlines() if re.match(r"\| \d", line)]
    assert all(len(row) == 5 for row in rows), [row for row in rows if len(row) != 5]
    return rows


class Exercises(LabTest):
    def test_the_list_prints_the_table(self):
        printed = self.json("list", "--sources")["exercises"]
        self.assertEqual([[one[key] for key in ("lab", "exercise", "run", "claim", "found")] for one in printed],
                         [[cell.replace("`", "") for cell in row] for row in exercises()])
        self.assertGreater(len(printed), 25)
        text = flat(self.good("list", "--sources"))
        for one in printed:
            self.assertIn(flat(one["found"]), text)

    def test_every_lab_has_one(self):
        labs = {int(number) for row in exercises() for number in row[0].split(", ")}
        self.assertEqual(labs, set(LABS))

    def test_every_row_names_what_it_runs(self):
        variants = {lab: {v["name"] for v in self.json("show", lab)["lab"]["variants"]} for lab in LABS}
        for _, _, command, _, _ in exercises():
            lab = int(re.match(r"`lab (?:run|map) (\d+) ", command)[1])
            named = set(re.findall(r"--variant (\w+)", command))
            self.assertTrue(named and named <= variants[lab], command)


# (lab, words of a text, its numbers as (variant, metric, parameters) of a case that the model runs)
def shared_ways(variant, **params):
    return variant, "shared_load_ways", params


def printed(variant):
    return [(variant, metric, {"blocks": 12288}) for metric in ("global_load_requests", "global_load_sectors")]


def sectors_per_load(variant, **params):
    return variant, "global_load_sectors_per_request", params


COUNTS = [
    (1, "4 and 5 sectors per request", [sectors_per_load("offset_curve", offset=0),
                                        sectors_per_load("offset_curve", offset=2)]),
    (1, "T is 4, 8 and 32", [sectors_per_load("load", stride=1, offset=0, bytes=4),
                             sectors_per_load("load", stride=2, offset=0, bytes=4),
                             sectors_per_load("gather", run=1)]),
    (2, "16 sectors, of which a quarter is used", [sectors_per_load("field_aos", fields=4, n=8192)]),
    (2, "one load of 16 sectors, four stores of 4", [sectors_per_load("to_soa", n=8192),
                                                     ("to_soa", "global_store_sectors_per_request", {"n": 8192})]),
    (2, "16, 32 and 32 sectors per request against 8",
     [sectors_per_load("numbers_one", words=words, n=8192) for words in (2, 4, 8)] +
     [sectors_per_load("numbers_split", words=8, n=8192)]),
    (3, "4, 8 and 16 wavefronts per load", [shared_ways("records", width=8, fields=f) for f in (2, 4, 8)]),
    (3, "the global loads touch 8 sectors against 4",
     [sectors_per_load("bring_neighbours"), sectors_per_load("bring_halves")]),
    (5, "idling makes 98,304 requests and 393,216 sectors", printed("printed_idle")),
    (5, "196,608 requests and 491,520 sectors, since either side", printed("printed_first")),
    (5, "98,304 requests and 479,232 sectors", printed("printed_block")),
    (5, "it does not: 196,608 and 491,520 again",
     [("branch_block", metric, {"n": 3 << 20}) for metric in ("global_load_requests", "global_load_sectors")]),
    (5, "98,304 requests and 393,216 sectors, case 2 196,608 and 491,520, case 3 98,304 and 479,232",
     [*printed("printed_idle"), 2, *printed("printed_first"), 3, *printed("printed_block")]),
    (6, "32 wavefronts per store against 1", [("thread_major", "shared_store_ways", {"threads": 32}),
                                             ("power_major", "shared_store_ways", {"threads": 32})]),
    (6, "32 sectors against 4", [(variant, "global_store_sectors_per_request", {"threads": 32})
                                for variant in ("thread_major_printed", "power_major_printed")]),
    (6, "128 sectors in either order", [("thread_major_printed", "global_load_sectors", {"threads": 32, "blocks": 1})]),
    (6, "128 sectors in either order", [("power_major_printed", "global_load_sectors", {"threads": 32, "blocks": 1})]),
    (7, "4 sectors per request", [sectors_per_load("tiled_32", n=128, m=128, p=128)]),
    (7, "2.5 on average; swapped 16.5", [sectors_per_load("naive", n=128, m=128, p=128),
                                          sectors_per_load("naive_swapped", n=128, m=128, p=128)]),
    (8, "32 sectors per request for a thread per row, 4 otherwise",
     [sectors_per_load("thread_per_row", rows=512, cols=128), sectors_per_load("warp_per_row", rows=512, cols=128)]),
]


@needs_toolkit
class Counts(LabTest):
    def value(self, lab, variant, metric, params):
        given = [word for name, value in params.items() for word in ("--param", f"{name}={value}")]
        runs = self.json("run", lab, "--variant", variant, "--metrics", metric, "--no-store", *given)["runs"]
        values = {case["metrics"][metric]["model"] for case in runs[0]["cases"]}
        self.assertEqual(len(values), 1, f"{variant} {params}")
        return values.pop()

    def test_they_are_what_the_model_counts(self):
        for lab, words, cases in COUNTS:
            with self.subTest(words):
                text = " ".join(texts_of(lab).values()) + " ".join(r[4] for r in exercises() if r[0] == str(lab))
                self.assertTrue(words in flat(text))
                found = [case if isinstance(case, int) else self.value(lab, *case) for case in cases]
                self.assertEqual(found, numbers_in(words)[:len(cases)])


# ---- the loop -----------------------------------------------------------------------------------

# Of each lab: test_fits.py, test_learning.py, test_screens.py and test_starters.py run them.
OF_THE_LOOP = re.compile(r"^lab (run|start|guess|quiz|hint|watch) ?(\d+)?( lab\2\.cu)?( --number \d)?$")
# Lines of a picture: banks, lanes, sectors with their words, rows of a matrix.
PICTURED = re.compile(r"^ {4,}((?:bank|lane|banks|row) .*| {5,}\d+  [.\d].*| +\+\d+  [#.]{8}  .*|    \.\.\. .*| +\d+ (?: +\d+)+)$", re.M)


def pictures_of(lab):
    return [line.strip() for line in PICTURED.findall(texts_of(lab)["README.md"])]


class Loop(unittest.TestCase):
    """Predict, guess, run, see, change, write, run again, explain: in each handout, in this order."""

    def test_every_handout_goes_round_it(self):
        for lab in LABS:
            text = flat(texts_of(lab)["README.md"])
            with self.subTest(lab=lab):
                places = [text.find(part) for part in (
                    "**Predict.**", f"`lab guess {lab}", f"`lab run {lab}`", f"`lab map {lab}", "**Change",
                    f"`lab start {lab}` copies your starter to `lab{lab}.cu`", f"`lab watch {lab} lab{lab}.cu`",
                    f"`lab hint {lab}`", "**Run again**", f"`lab quiz {lab}`", "## Questions")]
                self.assertNotIn(-1, places)
                self.assertEqual(places, sorted(places))
                self.assertGreaterEqual(text.count("ou should see") + text.count("should show"), 2)
                self.assertGreaterEqual(len(pictures_of(lab)), 2)
                self.assertIn("H200", text.split("## Questions")[0])

    def test_fix_and_explain_are_used(self):
        all_of_them = "".join(texts_of(lab)["README.md"] for lab in LABS)
        for command in ("lab fix ", "lab explain ", "lab map 4 --matrix", "lab map 8 --matrix"):
            self.assertIn(command, all_of_them)

    def test_words_that_only_we_would_say(self):
        for lab in LABS:
            for name, text in texts_of(lab).items():
                plain = re.sub(r"`[^`]*`", "", flat(text))
                found = re.findall(r"in vain|as it came|\bpays?\b|\bstanding\b|(?<!\w-)\b\d+ ways\b|\*Ways\*", plain)
                self.assertEqual(found, [], f"lab {lab}, {name}")


# ---- commands -----------------------------------------------------------------------------------

def commands_in(text):
    """Those in `code` and those indented as code, put together as a shell does."""
    blocks = "\n".join(re.findall(r"^ {4,}(lab [^\\\n]*(?:\\\n[^\\\n]*)*)", text, re.M))
    yield from (flat(line) for line in re.sub(r"\\\n", " ", blocks).splitlines())
    yield from (flat(line) for line in re.findall(r"`(lab [a-z][^`]*)`", text) if not re.search(r"\b[A-Z]{2,}\b", line))


def all_commands():
    """(lab's folder, command) of handouts, answers and the table, each command once."""
    seen = {}
    for lab in LABS:
        for text in texts_of(lab).values():
            for command in commands_in(text):
                seen.setdefault(command, folder_of(lab))
    for row in exercises():
        seen.setdefault(row[2].strip("`"), ROOT)
    return sorted((folder, command) for command, folder in seen.items())


@unittest.skipIf(os.environ.get("LAB_SANITIZED"), "what they run, the other tests run under a sanitizer")
@needs_toolkit
class Commands(LabTest):
    """Each in a folder of its own with what it names, and with a run to report."""

    def folder_for(self, folder, number, command):
        here = self.folder / str(number)
        here.mkdir()
        shutil.copy(self.folder / "lab.db", here)
        (here / "labs").symlink_to(ROOT / "labs")
        (here / "mine.txt").write_text("0..60+4 64..184+8\n")
        for copy, of in (("my_tiles.cu", "load_tiles.cu"),
                         ("as_printed.cu", "as_printed.cu")):
            if (folder / of).exists():
                shutil.copy(folder / of, here / copy)
        return here

    def run_one(self, number, folder, command):
        programs = f"{self.folder / 'programs'}:{os.environ['PATH']}"
        return subprocess.run(["bash", "-c", command], cwd=self.folder_for(folder, number, command), timeout=PATIENCE, check=False,
                              env=self.environment(PATH=programs, COLUMNS="80"), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)

    def test_every_command_runs(self):
        (self.folder / "programs").mkdir()
        (self.folder / "programs/lab").symlink_to(LAB)
        self.good("run", "3", "--variant", "stride", "--param", "stride=1,2")
        commands = [(folder, command) for folder, command in all_commands()
                    if not GPU_ALONE.search(command) and not OF_THE_LOOP.search(command)]
        self.assertGreater(len(commands), 80)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            done = list(pool.map(lambda one: self.run_one(one[0], *one[1]), enumerate(commands)))
        for (_, command), result in zip(commands, done):
            with self.subTest(command):
                # A kernel with a part left out or a bug is wrong; it is neither refused nor unknown.
                allowed = (0, 1) if "--kernel" in command else (0,)
                self.assertIn(result.returncode, allowed, result.stdout + result.stderr)
                self.assertNotIn("error:", result.stderr)
        left = len(all_commands()) - len(commands)
        print(f"{len(commands)} commands run; {left} need a GPU, or are run by other tests")
        for lab in LABS:
            drawn = set()
            for (folder, command), result in zip(commands, done):
                if folder == folder_of(lab) and command.startswith(f"lab map {lab}"):
                    drawn.update(line.strip() for line in result.stdout.splitlines())
            for line in pictures_of(lab):
                # Of a wide picture the left part may do.
                self.assertTrue(any(one.startswith(line) for one in drawn), f"lab {lab}: {line}\n{sorted(drawn)}")

    @unittest.skipIf(pathlib.Path("/dev/nvidiactl").exists(), "gpu-check runs them")
    def test_those_of_gpu_check_name_what_there_is(self):
        """Without a GPU each of its exercises ends with 3; one that names something unknown would with 2."""
        script = (ROOT / "tools/gpu-check").read_text(encoding="utf-8")
        part = script[script.index("# The exercises as"):script.index('query "SELECT lab, verdict')]
        shell = f'step() {{ shift 2; "$@" >&2; echo $?; }}; lab={LAB}; out={self.folder}\n{part}'
        done = subprocess.run(["bash", "-c", shell], env=self.environment(), capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout.split(), ["3"] * 8, done.stderr)

    def test_those_that_need_a_gpu_are_well_formed(self):
        for number, (folder, command) in enumerate(all_commands()):
            if not GPU_ALONE.search(command) or pathlib.Path("/dev/nvidiactl").exists():
                continue
            with self.subTest(command):
                done = self.lab(*command.split()[1:], folder=folder)
                self.assertEqual(done.status, 3, done)


if __name__ == "__main__":
    unittest.main()
