#!/usr/bin/env python3
"""`lab record`: programs that launch on a driver and a CUPTI without a GPU are recorded, whatever end they take."""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

LAB = os.environ["LAB_BIN"]
FAKES = pathlib.Path(os.environ["LAB_RECORD_FAKES"])
PROGRAM = str(FAKES / "recorded")
CUPTI = next(FAKES.glob("libcupti.so.*"))


class Record(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        # A toolkit that is named comes before one that this machine may have.
        libraries = self.folder / "toolkit" / "lib64"
        libraries.mkdir(parents=True)
        (libraries / "libnvrtc.so").touch()
        (libraries / CUPTI.name).symlink_to(CUPTI)
        self.environment = {**os.environ, "CUDA_HOME": str(self.folder / "toolkit"), "LD_LIBRARY_PATH": str(FAKES),
                            "TMPDIR": str(self.folder), "COLUMNS": "200"}
        for name in ("CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "FAKE_CUPTI"):
            self.environment.pop(name, None)

    def lab(self, *words, environment=None, **options):
        return subprocess.run([LAB, "record", *words], env={**self.environment, **(environment or {})}, text=True,
                              capture_output=True, timeout=120, **options)

    def recorded(self, *words, status=0, **options):
        """The document of a program that does `words`."""
        run = self.lab("--json", "--", PROGRAM, *words, **options)
        self.assertEqual(run.returncode, status, run.stderr)
        return json.loads(run.stdout)["recording"]

    def rows(self, recording):
        return {(row["kernel"], row["grid"][0], row["block"][0]): row for row in recording["kernels"]}

    def test_every_way_to_launch_is_seen(self):
        recording = self.recorded("each")
        self.assertEqual(recording["launches"]["all"], 3)
        rows = self.rows(recording)
        # 4 blocks take 40 ns, 8 take 80 (fake_cuda.cpp): 40 + 80 + 40.
        scale = rows["scale", 4, 256]
        self.assertEqual((scale["launches"], scale["total_ns"], scale["share"]), (2, 80, 0.5))
        self.assertEqual(scale["signature"], "scale(float*, int)")
        self.assertEqual((scale["registers"], scale["static_shared_bytes"]), (32, 128))
        template = rows["sum<32>", 8, 128]
        self.assertEqual((template["total_ns"], template["dynamic_shared_bytes"]), (80, 2048))
        (gpu,) = recording["gpus"]
        # Between two works the device is idle for 100 ns: 160 of kernels, two gaps.
        self.assertEqual((gpu["name"], gpu["span_ns"], gpu["kernels_ns"], gpu["idle_ns"], gpu["gaps"]),
                         ("No GPU", 360, 160, 200, 2))
        self.assertTrue(recording["processes"][0]["ended"])
        self.assertEqual(recording["processes"][0]["command"], [PROGRAM, "each"])

    def test_launches_into_a_graph_do_not_run_and_its_kernels_do(self):
        recording = self.recorded("graph", "each")
        launches = recording["launches"]
        self.assertEqual((launches["all"], launches["captured"], launches["graphs"], launches["untimed"]), (8, 2, 3, 0))
        rows = self.rows(recording)
        self.assertEqual(rows["scale", 2, 64]["launches"], 3)
        self.assertEqual(rows["sum<32>", 3, 64]["of_graphs"], 3)
        self.assertEqual(rows["scale", 4, 256]["of_graphs"], 0)
        self.assertEqual(recording["kernels_run"], 9)

    def test_ranges_modules_copies_and_failed_launches(self):
        recording = self.recorded("ranges", "module", "copy", "fails")
        ranges = {row["range"]: row for row in recording["ranges"]}
        self.assertEqual(set(ranges), {"step", "step/forw\u00e4rd"})
        self.assertEqual((ranges["step"]["launches"], ranges["step"]["gpu_ns"]), (3, 30))
        self.assertEqual((ranges["step/forw\u00e4rd"]["kernels"], ranges["step/forw\u00e4rd"]["times"]), (2, 1))
        self.assertEqual(recording["processes"][0]["modules"], 1)
        self.assertEqual(recording["copies"], [{"what": "from_gpu", "count": 1, "bytes": 64, "total_ns": 64}])
        self.assertEqual(recording["launches"]["failed"], 1)
        self.assertEqual(recording["kernels_run"], 4)

    def test_threads_lose_no_launch(self):
        self.assertEqual(self.recorded("threads")["kernels"][0]["launches"], 200)

    def test_a_hundred_thousand_launches_take_little_memory(self):
        kept = self.folder / "many.labrec"
        run = self.lab("--json", "--output", str(kept), "--", PROGRAM, "many=100000", "memory")
        recording = json.loads(run.stdout)["recording"]
        self.assertEqual((recording["launches"]["all"], recording["kernels_run"]), (100000, 100000))
        # Each has 16 + 72 bytes and its kernel 16 + 96.
        self.assertLess(kept.stat().st_size, 100000 * 200 + 1000)
        # The program says what it takes, in kB: without being recorded it is some 5 MB.
        peak = next(int(line.split()[1]) for line in run.stderr.splitlines() if line.startswith("peak "))
        self.assertLess(peak, 24 * 1024)

    def test_output_errors_input_files_and_status_are_the_programs_own(self):
        alone = subprocess.run([PROGRAM, "print", "read", "files", "exit"], input="5", env=self.environment, text=True,
                               capture_output=True)
        run = self.lab("--", PROGRAM, "print", "read", "files", "exit", input="5")
        self.assertEqual((run.stdout, run.returncode), (alone.stdout, alone.returncode))
        self.assertEqual(alone.returncode, 7)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["toolkit"])

    def test_what_ends_a_program_does_not_end_the_recording(self):
        for word, status, signal_number in (("_exit", 7, None), ("kill", 137, 9), ("crash", 139, 11), ("pipe", 141, 13)):
            recording = self.recorded("each", "wait", "graph", word, status=status)
            self.assertEqual(recording["program"]["signal"], signal_number)
            self.assertEqual(recording["launches"]["all"], 8)
            self.assertEqual(recording["damage"], None)
            self.assertFalse(recording["processes"][0]["ended"])
            # What the program had waited for is timed.
            self.assertEqual(self.rows(recording)["scale", 4, 256]["launches"], 2)
        text = self.lab("--", PROGRAM, "each", "kill").stderr
        self.assertIn("ended by signal 9", text)
        self.assertIn("3 launches ran whose time is not known.", text)
        self.assertIn("ended without returning from main", text)

    def test_launches_without_times_have_their_rows(self):
        row = self.rows(self.recorded("each", "kill", status=137))["sum<32>", 8, 128]
        self.assertEqual((row["launches"], row["untimed"], row["total_ns"], row["registers"]), (0, 1, None, None))

    def test_a_fork_writes_nothing_and_a_child_program_is_recorded(self):
        recording = self.recorded("each", "fork", "each")
        self.assertEqual(len(recording["processes"]), 1)
        self.assertEqual(recording["launches"]["all"], 6)
        recording = self.recorded("each", "child")
        self.assertEqual(len(recording["processes"]), 2)
        self.assertEqual(recording["kernels_run"], 6)
        self.assertNotEqual(*[one["process"] for one in recording["processes"]])

    def test_a_program_that_becomes_another_has_both_recorded(self):
        recording = self.recorded("each", "becomes")
        first, second = recording["processes"]
        self.assertEqual(first["process"], second["process"])
        self.assertEqual((first["ended"], second["ended"]), (False, True))

    def test_a_kept_recording_says_the_same_again(self):
        kept = self.folder / "kept.labrec"
        first = json.loads(self.lab("--json", "--output", str(kept), "--", PROGRAM, "each", "child", "ranges").stdout)
        self.assertEqual(first["recording"].pop("program"), {"status": 0, "signal": None})
        again = json.loads(self.lab("--json", str(kept)).stdout)
        self.assertIsNone(again["recording"].pop("program"))
        self.assertEqual(again, first)
        text = self.lab(str(kept))
        self.assertIn("10 launches, 10 kernels run", text.stdout)
        # Two of them are merged.
        self.assertEqual(json.loads(self.lab("--json", str(kept), str(kept)).stdout)["recording"]["kernels_run"], 20)

    def test_no_file_is_replaced_unasked(self):
        kept = self.folder / "kept.labrec"
        kept.write_text("mine")
        run = self.lab("--output", str(kept), "--", PROGRAM, "print")
        self.assertEqual((run.returncode, run.stdout, kept.read_text()), (2, "", "mine"))
        self.assertIn("is there already", run.stderr)
        self.assertIn("--replace", run.stderr)
        run = self.lab("--output", str(kept), "--replace", "--", PROGRAM, "each")
        self.assertEqual(run.returncode, 0)
        self.assertIn("3 launches", self.lab(str(kept)).stdout)
        run = self.lab("--output", str(self.folder / "no" / "x"), "--", PROGRAM, "print")
        self.assertEqual((run.returncode, run.stdout), (3, ""))

    def test_a_torn_recording_is_read_up_to_the_tear(self):
        kept = self.folder / "kept.labrec"
        self.lab("--output", str(kept), "--", PROGRAM, "each", "wait", "each")
        whole = kept.read_bytes()
        kept.write_bytes(whole[:-100])
        run = self.lab(str(kept))
        self.assertEqual(run.returncode, 0)
        self.assertIn("the recording is damaged", run.stdout)
        self.assertIn("is cut off", run.stdout)
        self.assertIn("6 launches", run.stdout)
        changed = bytearray(whole)
        changed[200] ^= 1
        kept.write_bytes(changed)
        self.assertIn("has another checksum than it should", self.lab(str(kept)).stdout)
        other = self.folder / "other.txt"
        other.write_text("no recording")
        run = self.lab(str(other))
        self.assertEqual(run.returncode, 2)
        self.assertIn("is not a recording", run.stderr)

    def test_another_tool_is_named(self):
        run = self.lab("--", PROGRAM, "print", environment={"CUDA_INJECTION64_PATH": "/opt/ncu/injection.so"})
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertIn("CUDA_INJECTION64_PATH=/opt/ncu/injection.so", run.stderr)
        run = self.lab("--", PROGRAM, "ranges", environment={"NVTX_INJECTION64_PATH": "/opt/nsys/injection.so"})
        self.assertEqual(run.returncode, 0)
        self.assertIn("NVTX ranges are not recorded", run.stderr)
        self.assertIn("4 launches", run.stderr)
        self.assertEqual(self.recorded("ranges", environment={"NVTX_INJECTION64_PATH": "/none.so"})["ranges"], [])

    def test_what_cupti_refuses_is_said_and_the_program_goes_on(self):
        for fake, problem in (("busy", "busy"), ("refuses", "refused")):
            recording = self.recorded("print", "each", environment={"FAKE_CUPTI": fake})
            (trouble,) = recording["processes"][0]["troubles"]
            self.assertEqual(trouble["problem"], problem)
            self.assertEqual(recording["kernels_run"], 0)
        text = self.lab("--", PROGRAM, "print", environment={"FAKE_CUPTI": "busy"})
        self.assertEqual(text.stdout, "printed\n")
        self.assertIn("another profiler has CUPTI in this process (CUPTI_ERROR_MULTIPLE_SUBSCRIBERS", text.stderr)
        recording = self.recorded("each", environment={"FAKE_CUPTI": "drops"})
        self.assertEqual(recording["processes"][0]["troubles"][0]["problem"], "dropped")

    def test_a_machine_without_cupti_is_told_what_to_do(self):
        # One that cannot be loaded stands wherever it is looked for.
        only_driver = self.folder / "driver"
        only_driver.mkdir()
        shutil.copy(FAKES / "libcuda.so.1", only_driver)
        (only_driver / CUPTI.name).touch()
        (self.folder / "toolkit" / "lib64" / CUPTI.name).unlink()
        run = self.lab("--", PROGRAM, "print", "each", environment={"LD_LIBRARY_PATH": str(only_driver)})
        self.assertEqual((run.returncode, run.stdout), (0, "printed\n"))
        self.assertIn("CUPTI is not there", run.stderr)
        self.assertIn("CUDA_HOME", run.stderr)

    def test_a_machine_without_a_driver_is_told_so_before_the_program_runs(self):
        broken = self.folder / "broken"
        broken.mkdir()
        (broken / "libcuda.so.1").touch()
        run = self.lab("--", "/bin/echo", "ran", environment={"LD_LIBRARY_PATH": str(broken)})
        self.assertEqual((run.returncode, run.stdout), (3, ""))
        self.assertIn("this machine has no NVIDIA driver", run.stderr)

    def test_a_program_without_cuda_and_one_that_is_not_there(self):
        run = self.lab("--", PROGRAM, "no-cuda")
        self.assertEqual(run.returncode, 0)
        self.assertIn("No process of the program has used CUDA", run.stderr)
        run = self.lab("--", "no-such-program")
        self.assertEqual(run.returncode, 2)
        self.assertIn("cannot run 'no-such-program'", run.stderr)
        run = self.lab("--", str(self.folder))
        self.assertEqual(run.returncode, 2)
        self.assertIn("no program is named", self.lab().stderr)

    def test_a_full_disk_ends_the_recording_and_not_the_program(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (3 << 20, 3 << 20))

        recording = self.recorded("many=100000", "print", preexec_fn=limit)
        (trouble,) = recording["processes"][0]["troubles"]
        self.assertEqual(trouble["problem"], "full")
        # 3 MiB hold some 15,000 launches with their kernels.
        self.assertGreater(recording["launches"]["all"], 10000)
        self.assertLess(recording["launches"]["all"], 30000)

    def test_signals_reach_the_program(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            lab = subprocess.Popen([LAB, "record", "--", PROGRAM, "each", "wait", "term"], env=self.environment,
                                   text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual(lab.stdout.readline(), "waiting\n")
            lab.send_signal(number)
            _, errors = lab.communicate(timeout=60)
            self.assertEqual(lab.returncode, 128 + number)
            self.assertIn("3 launches, 3 kernels run", errors)

    def test_ctrl_c_on_a_terminal_reaches_the_program_once(self):
        # A terminal sends to the group: both get it, and the program decides.
        lab = subprocess.Popen([LAB, "record", "--", PROGRAM, "each", "wait", "counts"], env=self.environment, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        self.assertEqual(lab.stdout.readline(), "waiting\n")
        children = pathlib.Path(f"/proc/{lab.pid}/task/{lab.pid}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGINT)
        time.sleep(0.2)
        self.assertIsNone(lab.poll())
        os.kill(int(children[0]), signal.SIGUSR1)
        out, errors = lab.communicate(timeout=60)
        self.assertEqual(out, "interrupts 1\n")
        self.assertEqual(lab.returncode, 0)
        self.assertIn("3 launches", errors)


    def counted(self, *words, metrics="one.sum,two.sum", **options):
        run = self.lab("--json", "--metrics", metrics, "--", PROGRAM, *words, **options)
        return json.loads(run.stdout)["recording"]

    def values(self, recording):
        return {(row["kernel"], row["grid"][0], one["metric"]): (one["launches"], one["sum"], one["least"], one["most"])
                for row in recording["kernels"] for one in row["counters"]}

    def test_counters_are_those_of_each_launch(self):
        recording = self.counted("each", "each")
        # one.sum is a launch's blocks, two.sum twice as many, the time 10 ns a block (fake_cupti.cpp). A kernel that
        # was traced as well would count one more.
        values = self.values(recording)
        self.assertEqual(values["scale", 4, "one.sum"], (4, 16, 4, 4))
        self.assertEqual(values["scale", 4, "two.sum"], (4, 32, 8, 8))
        self.assertEqual(values["sum<32>", 8, "one.sum"], (2, 16, 8, 8))
        self.assertEqual(values["sum<32>", 8, "gpu__time_duration.sum"], (2, 160, 80, 80))
        self.assertEqual((recording["launches_counted"], recording["kernels_run"], recording["kernels_ns"]), (6, 6, 320))
        row = self.rows(recording)["scale", 4, 256]
        self.assertEqual((row["launches"], row["untimed"], row["total_ns"], row["registers"]), (4, 0, 160, None))
        self.assertEqual(self.recorded("each")["launches_counted"], 0)

    def test_more_launches_than_a_session_takes_are_counted(self):
        recording = self.counted("many=1000", metrics="three.sum")
        self.assertEqual(self.values(recording)["scale", 1, "three.sum"], (1000, 3000, 3, 3))

    def test_counting_stops_for_a_graph_and_goes_on(self):
        recording = self.counted("each", "graph", "each", "graph", "fails", "each")
        # A launch that fails has no range: those after it have their own values.
        self.assertEqual(self.values(recording)["sum<32>", 8, "one.sum"], (3, 24, 8, 8))
        self.assertEqual(recording["launches_counted"], 9)
        self.assertEqual(recording["processes"][0]["troubles"], [])
        text = self.lab("--metrics", "one.sum", "--", PROGRAM, "each", "graph").stderr
        self.assertIn("3 launches were of graphs, whose kernels are not counted", text)

    def test_threads_are_counted_one_by_one(self):
        self.assertEqual(self.values(self.counted("threads"))["scale", 1, "one.sum"], (200, 200, 1, 1))

    def test_metrics_that_cannot_be_counted_are_named_and_the_others_are(self):
        recording = self.counted("each", metrics="one.sum,no.sum,apart.sum,three.sum")
        troubles = [(one["problem"], one["text"]) for one in recording["processes"][0]["troubles"]]
        self.assertEqual(troubles, [("no_metric", "no.sum"), ("several_passes", "apart.sum")])
        self.assertEqual(self.values(recording)["sum<32>", 8, "three.sum"], (1, 24, 24, 24))

    def test_without_permission_for_counters_kernels_are_timed(self):
        recording = self.counted("each", environment={"FAKE_CUPTI": "denied"})
        (trouble,) = recording["processes"][0]["troubles"]
        self.assertEqual(trouble["problem"], "not_counted")
        self.assertIn("CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", trouble["text"])
        self.assertEqual((recording["launches_counted"], recording["kernels_run"]), (0, 3))
        self.assertEqual(self.rows(recording)["scale", 4, 256]["registers"], 32)

    def test_one_process_at_a_time_is_counted(self):
        # The child launches while its parent counts.
        recording = self.counted("each", "child", "each")
        parent, child = recording["processes"]
        self.assertEqual((parent["troubles"], child["troubles"][0]["problem"]), ([], "not_counted"))
        self.assertIn("another process counts", child["troubles"][0]["text"])
        self.assertEqual(recording["launches_counted"], 6)
        self.assertEqual(recording["kernels_run"], 9)
        # And when it has ended, the next one is.
        self.assertEqual(self.counted("each")["launches_counted"], 3)

    def test_two_recordings_do_not_count_at_once(self):
        first = subprocess.Popen([LAB, "record", "--metrics", "one.sum", "--", PROGRAM, "each", "term"],
                                 env=self.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(first.stdout.readline(), "waiting\n")
        self.assertEqual(self.counted("each")["launches_counted"], 0)
        first.terminate()
        first.communicate(timeout=60)
        self.assertEqual(self.counted("each")["launches_counted"], 3)


if __name__ == "__main__":
    unittest.main()
