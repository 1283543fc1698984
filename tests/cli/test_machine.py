"""Machines that lack something: toolkit, driver, GPU, HOME; and the terminal."""
import os
import pathlib
import shutil
import subprocess
import unittest

from support import LAB, LabTest, needs_gpu_backend, needs_root, needs_toolkit, on_terminal, without_colour

QUICK = ("run", "3", "--variant", "stride", "--param", "stride=1,2", "--param", "loads=1")


class NoWorker(LabTest):
    """A program with no lab-worker beside it."""

    def setUp(self):
        super().setUp()
        self.alone = self.folder / "lab"
        shutil.copy2(LAB, self.alone)
        self.env = self.environment(LAB_PATH=str(pathlib.Path(__file__).parents[2] / "labs"))

    def test_lists_shows_and_queries(self):
        for words in (("list",), ("show", "3"), ("metrics",), ("--version",), ("doctor",)):
            self.good(*words, program=self.alone, env=self.env)

    def test_run_says_what_is_missing(self):
        self.fails(3, "error: the program lab-worker, which runs kernels, is missing: "
                      f"{self.folder}/lab-worker\n"
                      "hint: build it: ninja -C build/release lab-worker; lists, queries and "
                      "reports work without it\n", *QUICK, program=self.alone, env=self.env)
        self.assertFalse((self.folder / "lab.db").exists())

    def test_neither_program_links_cuda(self):
        for program in (LAB, pathlib.Path(LAB).with_name("lab-worker")):
            linked = subprocess.run(["readelf", "-d", program], capture_output=True, text=True,
                                    check=True).stdout
            self.assertIn("libc.so", linked)
            self.assertNotRegex(linked, "cuda|nvrtc|cupti|nvperf|cublas|RUNPATH.*cuda")


@needs_root
@needs_toolkit
class HiddenToolkit(LabTest):
    """The toolkit's folders hidden in a mount namespace of the program's own."""

    def test_run_says_where_it_looked(self):
        hide = ("unshare", "--mount", "sh", "-c",
                "mount -t tmpfs none /usr/local || exit 99; exec \"$@\"", "sh")
        env = self.environment(CUDA_HOME="/nowhere", CUDA_PATH=None, LD_LIBRARY_PATH=None,
                               PATH="/usr/bin:/bin")
        result = self.lab(*QUICK, prefix=hide, env=env)
        # In a container or a chroot, root may lack the right, or the root may not be a mount point.
        if result.status == 99 or result.err.startswith("unshare:"):
            self.skipTest("may not mount: " + result.err.strip())
        if result.status == 0:
            self.skipTest("there is an NVRTC somewhere else too")
        self.assertEqual((result.status, result.out), (3, ""), result)
        self.assertTrue(result.err.startswith(
            "error: no NVRTC, which compiles the kernels: looked in /nowhere (CUDA_HOME)"), result.err)
        self.assertIn("hint: tools/setup fetches one on Debian; or install the CUDA toolkit", result.err)
        doctor = self.lab("doctor", prefix=hide, env=env)
        self.assertEqual(doctor.status, 0, doctor)
        self.assertIn("run nothing", doctor.out)
        # Nobody is asked for a guess that nothing can be set beside.
        guess = self.lab("guess", "3", "--answer", "2", prefix=hide, env=env)
        self.assertEqual((guess.status, guess.out), (3, ""), guess)
        self.assertIn("hint: lab doctor says how to get one; lab quiz, lab hint and lab show need none", guess.err)
        self.assertEqual(self.count("SELECT count(*) FROM guesses"), 0)


@unittest.skipIf(any(pathlib.Path("/dev").glob("nvidia[0-9]*")), "this machine has a GPU")
class NoGpu(LabTest):
    def test_gpu_asked_for(self):
        for backend in ("gpu", "both"):
            self.fails(3, "error: there is no GPU on this machine: neither /dev/nvidia0 nor /dev/dxg "
                          "(WSL) is there\n"
                          "hint: lab doctor says what this machine can do; --backend model needs no "
                          "GPU\n", *QUICK, "--backend", backend)

    def test_a_gpu_chosen(self):
        # Who names one means it: the model's numbers alone are no answer.
        self.assertEqual(self.lab(*QUICK, "--device", "0").status, 3)
        self.fails(2, "error: --device chooses a GPU: it does not go with --backend model\n",
                   *QUICK, "--device", "0", "--backend", "model")
        for words in (QUICK, ("calibrate",), ("doctor",)):
            self.fails(2, "error: --device does not take 'x'\n"
                          "hint: write an index (0), a UUID (GPU-1f0e...) or a PCI id (3b:00.0); lab "
                          "doctor lists the GPUs\n", *words, "--device", "x")

    def test_calibrate(self):
        result = self.lab("calibrate")
        self.assertEqual((result.status, result.out), (3, ""), result)
        self.assertTrue(result.err.startswith("error: there is no GPU on this machine: "), result.err)
        self.assertFalse((self.folder / "lab.db").exists())

    @needs_toolkit
    def test_reason_is_stored(self):
        self.good(*QUICK)
        reason = self.count("SELECT DISTINCT reason FROM compare WHERE metric='shared_load_ways' "
                            "AND params LIKE '%\"stride\":1%'")
        self.assertEqual(reason, "all agree: theory 1, model 1; not measured: no GPU")


class Doctor(LabTest):
    @needs_toolkit
    def test_names_everything(self):
        document = self.json("doctor")
        # A row for each GPU that there is, to choose from.
        names = [check["name"] for check in document["checks"] if not check["name"].startswith("GPU ")]
        self.assertEqual(names, ["labs", "CUDA toolkit", "compiler and model", "kernel cache", "sandbox", "GPU",
                                 "counters", "counts per line", "ceilings", "database"])
        self.assertEqual(document["checks"][2]["works"], "yes")
        for check in document["checks"]:
            self.assertIn(check["works"], ("yes", "limited", "no"))
            self.assertTrue(check["found"])

    @needs_toolkit
    def test_no_place_for_a_cache(self):
        env = self.environment(HOME=None, XDG_CACHE_HOME=None)
        check = self.json("doctor", env=env)["checks"][3]
        self.assertEqual((check["works"], check["found"]),
                         ("limited", "none: every run compiles its kernels again"))
        self.good(*QUICK, env=env)

    def test_bad_database(self):
        self.write("lab.db", "no database" * 100)
        check = self.json("doctor")["checks"][-1]
        self.assertEqual((check["works"], check["found"]), ("no", "lab.db: not a database"))


class Metrics(LabTest):
    def test_catalogue_needs_nothing(self):
        document = self.json("metrics")
        self.assertIsNone(document["chip"])
        keys = {metric["key"]: metric for metric in document["metrics"]}
        row = keys["shared_load_wavefronts_sass"]
        self.assertEqual((row["class"], row["unit"]), ("exact", "wavefront"))
        self.assertEqual(row["sass"], "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum")

    @needs_gpu_backend
    def test_chips(self):
        # DRAM counters have other names on GB202; the chips before Hopper lack the arbitration one.
        expected = {"GH100": ("dram__bytes_read.sum", False), "TU102": ("dram__bytes_read.sum", True),
                    "GA100": ("dram__bytes_read.sum", True), "AD102": ("dram__bytes_read.sum", True),
                    "GB202": ("dram__bytes_op_read.sum", False)}
        for chip, (dram, lacks) in expected.items():
            document = self.json("metrics", "--chip", chip)
            keys = {metric["key"]: metric for metric in document["metrics"]}
            self.assertEqual(keys["dram_read_bytes"]["cupti"], dram, chip)
            self.assertFalse(keys["dram_read_bytes"]["lacking"], chip)
            self.assertEqual(keys["l1_arbitration_conflicts"]["lacking"], lacks, chip)
            self.assertGreaterEqual(document["default_set_passes"], 2)
        self.assertEqual(self.json("metrics", "--chip", "GH100")["default_set_passes"], 4)

    @needs_gpu_backend
    def test_unknown_chip(self):
        self.fails(2, "error: no chip is called 'GH10'\nhint: did you mean 'GH100'?\n",
                   "metrics", "--chip", "GH10")


class Terminal(LabTest):
    def test_colour_on_a_terminal_only(self):
        status, text = on_terminal(["nonsense"], self.environment(), self.folder)
        self.assertEqual(status, 2)
        self.assertIn("\x1b[31merror:\x1b[0m ", text)
        self.assertNotIn("\x1b", self.lab("nonsense").err)

    def test_no_color(self):
        status, text = on_terminal(["list"], self.environment(NO_COLOR="1"), self.folder)
        self.assertEqual(status, 0)
        self.assertNotIn("\x1b", text)

    def test_width_of_the_terminal(self):
        for columns in (72, 100):
            _, text = on_terminal(["show", "3"], self.environment(), self.folder, columns=columns)
            rules = [line for line in without_colour(text).splitlines() if "\u2500\u2500" in line]
            self.assertTrue(rules)
            self.assertLessEqual(max(map(len, rules)), columns)

    def test_pager_on_a_terminal(self):
        pager = self.write("pager", '#!/bin/sh\ncat >"$HOME/paged"\n')
        pager.chmod(0o755)
        paged = self.folder / "paged"
        for name, other in (("LAB_PAGER", "PAGER"), ("PAGER", "MORE")):
            env = self.environment(**{"LAB_PAGER": None, name: str(pager), other: "false"})
            status, text = on_terminal(["show", "3"], env, self.folder)
            self.assertEqual((status, text), (0, ""))
            self.assertIn("Lab 3: Bank conflicts", paged.read_text())
            paged.unlink()
        for words in (["show", "3", "--no-pager"], ["show", "3", "--json"]):
            status, text = on_terminal(words, env, self.folder)
            self.assertEqual(status, 0)
            self.assertIn("Bank conflicts", text)
            self.assertFalse(paged.exists(), words)
        self.assertIn("Lab 3", self.good("show", "3", env=env))  # no terminal
        self.assertFalse(paged.exists())

    def test_pager_that_is_left_early_or_not_there(self):
        status, _ = on_terminal(["show", "4"], self.environment(LAB_PAGER="true"), self.folder)
        self.assertEqual(status, 0)
        for name in ("no-such-pager", "", "cat"):
            status, text = on_terminal(["show", "4"], self.environment(LAB_PAGER=name), self.folder)
            self.assertEqual(status, 0)
            self.assertIn("Lab 4: Transpose", text)

    def test_plain_locale_gets_plain_lines(self):
        text = self.good("list", env=self.environment(LC_ALL="C"))
        self.assertTrue(text.isascii())
        self.assertIn("\n---  ---", text)

    @needs_toolkit
    def test_quiet_unless_asked(self):
        self.assertEqual(self.lab(*QUICK).err, "")

    @needs_toolkit
    def test_log_file(self):
        self.good(*QUICK, "--log", "lab.log")
        self.assertTrue((self.folder / "lab.log").exists())
        self.fails(3, "error: cannot write the log file '/proc/no/lab.log'\n"
                      "hint: name a file in a folder that exists and that you may write to\n",
                   *QUICK, "--log", "/proc/no/lab.log")

    @needs_toolkit
    def test_progress_on_a_terminal_and_ctrl_c(self):
        slow = ("run", "3", "--variant", "stride", "--param", "loads=20000", "--param", "blocks=256",
                "--no-store")
        status, text = on_terminal(slow, self.environment(), self.folder,
                                   interrupt_after=lambda text: b" %" in text)
        self.assertEqual(status, 130, text)
        self.assertIn("lab 3  [", text)


class StartUp(LabTest):
    @unittest.skipIf(os.environ.get("LAB_SANITIZED"), "a sanitizer touches its shadow's pages")
    def test_version_reads_nothing_that_it_does_not_say(self):
        # Pages do not depend on a machine's speed, and both load the same libraries.
        self.assertLess(1.5 * self.pages_of("--version"), self.pages_of("show", "3"))

    def pages_of(self, *words):
        process = os.posix_spawn(LAB, [LAB, *words], self.environment(),
                                 file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
        _, _, usage = os.wait4(process, 0)
        return usage.ru_minflt


if __name__ == "__main__":
    unittest.main()
