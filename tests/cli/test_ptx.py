"""lab probe on PTX of other compilers: clang's own, and kernels in the style of Triton, Numba and
Julia (tests/fixtures/ptx/others). Each file says what its kernel does; what it must count and leave
behind is derived here."""
import struct
import unittest

from support import LabTest, ROOT, needs_toolkit

OTHERS = ROOT / "tests/fixtures/ptx/others"


def numba(array, *shape):
    """An array as Numba passes it: two pointers of its own, how many items of 4 bytes, the data, then
    shape and strides in bytes, rows one after the other."""
    items = 1
    for size in shape:
        items *= size
    strides = [4 * shape[1], 4] if len(shape) == 2 else [4]
    return ["u64=0", "u64=0", f"i64={items}", "i64=4", array, *(f"i64={n}" for n in (*shape, *strides))]


def julia(array, size, *shape):
    """An array as Julia passes it: one structure of the data, its bytes, its shape and its length."""
    items = 1
    for one in shape:
        items *= one
    numbers = (items * size, *shape, items)
    return "{" + ", ".join([array, *(f"i64={n}" for n in numbers)]) + "}"


# Name: grid, block, more words, arguments, the argument (2.0: the first field of a structure) that is
# looked at with its type and what it must hold, and counts.
KERNELS = {
    # 1,000 floats on 512 threads: 16 warps read x and y in the first turn; in the second 488 threads, 15
    # warps and 8 lanes, so 16 requests each again. 4,000 bytes are 125 sectors.
    "clang_saxpy": ("4", "128", [], ["i32=1000", "f32=2", "f32[1000]=iota", "f32[1000]=ones"],
                    (3, "f", [2 * i + 1 for i in range(1000)]),
                    {"global_load_requests": 64, "global_load_sectors": 250, "global_store_sectors": 125}),
    # 0 + ... + 255 = 32,640, and 256 * 256 more for each block. Eight warps store once each when they fill
    # the array; 128, 64, 32 threads add in 4, 2, 1 warps, then 16, 8, 4, 2, 1 threads in one: 12 warps
    # store, and each loads its partner's word. That is 4 * (8 + 12) stores. Loads: clang keeps a thread's
    # own word in a register, so 4 * 12 of partners, and thread 0 reads the sum.
    "clang_block_sum": ("4", "256", [], ["i32[1024]=iota", "i32[4]=zero"],
                        (1, "i", [32640 + 65536 * b for b in range(4)]),
                        {"shared_store_requests": 80, "shared_load_requests": 52, "shared_bank_conflicts": 0}),
    # Words 0 to 127: the lowest byte's low four bits are i % 16, eight times each; the other 3 bytes are
    # 0: 384 more in bin 0. Two blocks of two warps add four times.
    "clang_histogram": ("2", "64", [], ["i32[128]=iota", "i32[16]=zero"],
                        (1, "i", [8 + 384] + [8] * 15), {"shared_atomic_requests": 16}),
    # Each of four warps moves 32 * 16 bytes twice from x and from y; the second half's last warp has 24
    # elements of its 128 in range, so its 6 lanes make a request, too.
    "triton_add": ("1", "128", [], ["f32[1000]=iota", "f32[1000]=ones", "f32[1000]=zero", "i32=1000"],
                   (2, "f", [i + 1 for i in range(1000)]),
                   {"global_load_requests": 16, "global_load_sectors": 250, "global_store_requests": 8}),
    # Row r: 128 r * 128 + (0 + ... + 127). A warp's 128 bytes are four sectors. Each warp stores one word,
    # and reads four words at once, all lanes the same.
    "triton_row_sum": ("4", "128", ["--shared", "16"], ["f32[512]=iota", "f32[4]=zero", "i32=128"],
                       (1, "f", [16384 * r + 8128 for r in range(4)]),
                       {"global_load_sectors": 64, "shared_store_requests": 16, "shared_load_requests": 16,
                        "global_store_sectors": 4}),
    # Sixteen products of ones each. ldmatrix reads four matrices of eight rows 32 bytes apart: rows 0 and
    # 4 begin in one bank, so two wavefronts per matrix.
    "triton_dot": ("1", "32", ["--shared", "512"], ["f16[256]=ones", "f16[128]=ones", "f32[128]=zero"],
                   (2, "f", [16] * 128),
                   {"global_load_requests": 4, "shared_load_wavefronts": 8, "shared_load_bank_conflicts": 4}),
    # i * 2 * 1.5; 1,000 threads are 31 warps and 8 lanes.
    "numba_scale": ("4", "256", [], [*numba("f32[1000]=iota", 1000), "f32=2", "f64=1.5"],
                    (4, "f", [3 * i for i in range(1000)]),
                    {"global_load_requests": 32, "global_load_sectors": 125, "global_store_sectors": 125}),
    # 64 x 64: four blocks of 32 warps. A column of rows of 32 words is one bank: 32 wavefronts a load.
    "numba_transpose": ("2,2", "32,32", [], [*numba("f32[4096]=iota", 64, 64), *numba("f32[4096]=zero", 64, 64)],
                        (13, "f", [64 * (i % 64) + i // 64 for i in range(4096)]),
                        {"global_load_sectors": 512, "global_store_sectors": 512, "shared_load_wavefronts": 4096,
                         "shared_load_bank_conflicts": 3968}),
    # A thousand numbers end in each digit a hundred times. The function's value goes through local memory.
    "numba_count": ("4", "256", [], [*numba("i32[1000]=iota", 1000), *numba("i32[10]=zero", 10)],
                    (11, "i", [100] * 10),
                    {"global_load_requests": 32, "local_store_requests": 32, "local_load_requests": 32}),
    "julia_vadd": ("4", "256", [], [julia("f32[1000]=iota", 4, 1000), julia("f32[1000]=ones", 4, 1000),
                                    julia("f32[1000]=zero", 4, 1000)],
                   ("2.0", "f", [i + 1 for i in range(1000)]),
                   {"global_load_requests": 64, "global_load_sectors": 250, "global_store_sectors": 125}),
    # Columns of 32 doubles: 256 bytes apart, each lane a sector of its own, in 32 turns of two warps.
    # Column c holds 32 c, ..., 32 c + 31: 32 * 32 c + (0 + ... + 31).
    "julia_colsums": ("1", "64", [], [julia("f64[2048]=iota", 8, 32, 64), julia("f64[64]=zero", 8, 64)],
                      ("1.0", "d", [1024 * c + 496 for c in range(64)]),
                      {"global_load_requests": 64, "global_load_sectors": 2048, "global_store_sectors": 16}),
    # Eight warps, one addition each, of 0 + ... + 255 together.
    "julia_reduce": ("2", "128", [], [julia("i32[256]=iota", 4, 256), julia("i32[1]=zero", 4, 1)],
                     ("1.0", "i", [32640]),
                     {"global_load_sectors": 32, "global_reduction_sectors": 8}),
}


@needs_toolkit
class OthersPtx(LabTest):
    def probe(self, name, grid, block, more, arguments):
        words = [word for argument in arguments for word in ("--arg", argument)]
        return self.json("probe", OTHERS / f"{name}.ptx", "--grid", grid, "--block", block, "--no-store", *more, *words)

    def test_each_kernel_counts_and_leaves_what_it_should(self):
        self.assertEqual({path.stem for path in OTHERS.glob("*.ptx")}, set(KERNELS))
        for name, (grid, block, more, arguments, left, counts) in KERNELS.items():
            with self.subTest(kernel=name):
                dump = ["--dump", f"{left[0]}=left.bin"]
                case = self.probe(name, grid, block, more + dump, arguments)["runs"][0]["cases"][0]
                self.assertEqual((case["status"], case["findings"]), ("ok", []))
                self.assertEqual({key: case["metrics"][key]["model"] for key in counts}, counts)
                data = (self.folder / "left.bin").read_bytes()
                self.assertEqual(list(struct.unpack(f"{len(left[2])}{left[1]}", data)), left[2])

    def test_a_failing_bounds_check_of_julias_ends_the_kernel(self):
        # y has 900 elements: thread 900 finds its index outside and traps.
        arguments = [julia("f32[1000]=iota", 4, 1000), julia("f32[900]=ones", 4, 900), julia("f32[1000]=zero", 4, 1000)]
        words = [word for argument in arguments for word in ("--arg", argument)]
        done = self.lab("probe", OTHERS / "julia_vadd.ptx", "--grid", "4", "--block", "256", "--no-store", *words)
        self.assertEqual(done.status, 1, done)
        self.assertIn("trap", done.out)

    def test_tabs_of_a_source_line_are_blanks(self):
        words = [word for argument in KERNELS["numba_transpose"][3] for word in ("--arg", argument)]
        out = self.good("probe", OTHERS / "numba_transpose.ptx", "--grid", "2,2", "--block", "32,32", "--no-store", *words)
        self.assertIn("ld.shared.f32  %f2, [%rd19];", out)


if __name__ == "__main__":
    unittest.main()
