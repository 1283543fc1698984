"""lab grade --engine slurm, on a real Slurm of two nodes on this host, which the test starts and ends.

    LAB_TEST_SLURM=1 ctest --test-dir build/release -R cli_slurm
"""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time
import unittest

from support import LAB, LabTest, PATIENCE, needs_toolkit
from test_grade import HANGS, RIGHT, RUBRIC, SLOW

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol")


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


@needs_toolkit
@unittest.skipUnless(os.environ.get("LAB_TEST_SLURM"), "takes a minute: LAB_TEST_SLURM=1 runs it")
@unittest.skipUnless(all(map(shutil.which, PROGRAMS)), "no Slurm: slurmctld slurmd slurm-client munge")
@unittest.skipUnless(os.geteuid() == 0, "slurmd starts jobs as root alone")
class Slurm(LabTest):
    def setUp(self):
        super().setUp()
        self.running = []
        self.addCleanup(self.end_all)
        place = self.folder / "slurm"
        place.mkdir()
        host = socket.gethostname()
        control, first, second = free_ports(3)
        key = place / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        place.chmod(0o755)
        self.folder.chmod(0o755)
        (place / "slurm.conf").write_text(f"""ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={place}/munge.socket
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool-%n
SlurmctldPidFile={place}/slurmctld.pid
SlurmdPidFile={place}/slurmd-%n.pid
SlurmctldLogFile={place}/slurmctld.log
SlurmdLogFile={place}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
ReturnToService=2
SlurmdTimeout=10
MpiDefault=none
SchedulerParameters=sched_interval=2,batch_sched_delay=1
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={first} CPUs=1
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={second} CPUs=1
PartitionName=all Nodes=n1,n2 Default=YES State=UP
""")
        (place / "state").mkdir()
        self.env = self.environment(SLURM_CONF=str(place / "slurm.conf"))
        self.start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={place}/munge.socket",
                   f"--pid-file={place}/munged.pid", f"--log-file={place}/munged.log",
                   f"--seed-file={place}/munged.seed")
        self.await_true(lambda: (place / "munge.socket").exists(), "munged")
        self.start("slurmctld", "-D")
        self.nodes = {node: self.start("slurmd", "-D", "-N", node) for node in ("n1", "n2")}
        self.await_true(lambda: self.ask("sinfo", "-N", "--noheader", "--format=%N %T").split().count("idle") == 2, "nodes")

    def start(self, *words):
        self.running.append(subprocess.Popen(words, env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return self.running[-1]

    def end_all(self):
        for process in reversed(self.running):
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def ask(self, *words):
        return subprocess.run(words, env=self.env, capture_output=True, text=True, check=False).stdout

    def await_true(self, condition, what, seconds=PATIENCE):
        began = time.monotonic()
        while not condition():
            if time.monotonic() - began > seconds:
                logs = "\n".join(log.read_text()[-1500:] for log in (self.folder / "slurm").glob("*.log"))
                self.fail(f"{what} did not come up\n{self.ask('sinfo', '-N', '-l')}\n{logs}")
            time.sleep(0.2)

    def hand_in(self):
        (self.folder / "in").mkdir()
        for number in range(8):
            self.write(f"in/s{number}.cu", f"// by {number}\n" + (SLOW if number % 3 == 0 else RIGHT))
        self.write("in/bad.cu", "oops")
        self.write("seeded.toml", "seed = 5\n" + RUBRIC)

    def words(self, name, *more):
        return ("grade", "4", "in", "--rubric", "seeded.toml", "--db", f"{name}.db", "--out", name, "--budget", "4s", *more)

    def gradebook(self, name):
        return (self.folder / name / "gradebook.csv").read_bytes()

    def grade(self, name, *more):
        out = self.good(*self.words(name, *more), env=self.env)
        if more:  # the nodes did it all
            self.assertIn("0 graded now, 9 kept from before", out)
        return self.gradebook(name)

    def processes_of(self, node):
        """Of the jobs that this Slurm runs on the node."""
        marks = (f"SLURMD_NODENAME={node}\0".encode(), f"SLURM_CONF={self.folder}/".encode())
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                environment = path.read_bytes() + b"\0"
            except OSError:
                continue  # it has ended
            if all(mark in environment for mark in marks):
                found.append(int(path.parent.name))
        return found

    def take_away(self, node):
        """The node's daemon and all that runs on it, at once."""
        taken = self.nodes.pop(node)
        taken.send_signal(signal.SIGKILL)
        taken.wait()
        for pid in self.processes_of(node):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def test_the_same_gradebook(self):
        self.hand_in()
        here = self.grade("here")
        self.assertEqual(self.grade("there", "--engine", "slurm", "--parts", "4"), here)
        logs = sorted((self.folder / "there.db.parts").glob("part-*.log"))
        self.assertEqual(len(logs), 4)
        # A node is taken away: the other one does its part.
        self.take_away("n2")
        self.assertEqual(self.grade("one_node", "--engine", "slurm", "--parts", "4"), here)

    def test_a_node_lost_while_its_jobs_run(self):
        self.hand_in()
        for number in range(6):  # each takes its whole budget
            self.write(f"in/h{number}.cu", f"// by {number}\n" + HANGS)
        self.grade("here")
        with subprocess.Popen([LAB, *self.words("there", "--engine", "slurm", "--parts", "4")], cwd=self.folder,
                              env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as grading:
            try:
                self.await_true(lambda: grading.poll() is not None or len(self.processes_of("n2")) > 2, "a job on n2")
                time.sleep(1.5)  # within a submission
                lost = self.processes_of("n2")
                self.take_away("n2")
                out, err = grading.communicate(timeout=PATIENCE)
            finally:
                grading.kill()
        self.assertTrue(lost)
        self.assertEqual(grading.returncode, 0, err)
        self.assertIn(b"0 graded now, 15 kept from before", out)
        self.assertEqual(self.gradebook("there"), self.gradebook("here"))


if __name__ == "__main__":
    unittest.main()
