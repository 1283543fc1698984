"""Runs the built program as a person would, and helps to read what it says."""
import contextlib
import json
import os
import pathlib
import pty
import re
import resource
import select
import shutil
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAB = os.environ.get("LAB_BIN", str(ROOT / "build/dev/bin/lab"))
# Seconds after which a test ends what hangs. How long a command takes depends on the machine and on who else is
# there, so that no test asserts it: see spends_at_most() for what may be asserted.
PATIENCE = 1500


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __repr__(self):
        return f"status {self.status}\nstdout:\n{self.out}\nstderr:\n{self.err}"


class LabTest(unittest.TestCase):
    """A folder of its own for each test, which is also HOME, and no variables of the caller's."""

    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lab_cli_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def environment(self, **more):
        # The compiled kernels' cache is shared, so that each test does not compile anew.
        cache = os.environ.get("LAB_TEST_CACHE", str(pathlib.Path.home() / ".cache"))
        env = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "XDG_CACHE_HOME": cache,
               "LC_ALL": "C.UTF-8", "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")}
        for name in ("CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH"):
            if name in os.environ:
                env[name] = os.environ[name]
        env.update(more)
        return {name: value for name, value in env.items() if value is not None}

    def lab(self, *words, env=None, stdin="", prefix=(), timeout=PATIENCE, program=LAB, folder=None):
        done = subprocess.run([*prefix, program, *map(str, words)], cwd=folder or self.folder,
                              env=env or self.environment(), input=stdin.encode(),
                              capture_output=True, timeout=timeout, check=False)
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    def good(self, *words, **how):
        result = self.lab(*words, **how)
        self.assertEqual(result.status, 0, result)
        return result.out

    def json(self, *words, **how):
        return json.loads(self.good(*words, "--json", **how))

    def fails(self, status, err, *words, **how):
        """Exact text on stderr, nothing on stdout."""
        result = self.lab(*words, **how)
        self.assertEqual((result.status, result.out, result.err), (status, "", err), words)

    @contextlib.contextmanager
    def spends_at_most(self, seconds):
        """Holds the processor time of the children that end meanwhile. A busy machine changes it little; `seconds`
        leaves room for a slow one."""
        def spent():
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            return usage.ru_utime + usage.ru_stime
        before = spent()
        yield
        self.assertLess(spent() - before, seconds)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def count(self, sql, database=None, **how):
        """The one value that a query gives."""
        named = ("--db", database) if database else ()
        rows = json.loads(self.good("query", sql, "--format", "json", *named, **how))
        return list(rows[0].values())[0]


def needs_toolkit(test):
    """Of the toolkit, NVRTC: tools/setup fetches it."""
    find = ROOT / "tools" / "get-nvrtc"
    found = subprocess.run([find, "--find"], stdout=subprocess.DEVNULL, check=False).returncode == 0
    return unittest.skipUnless(found, "no NVRTC: see tools/get-nvrtc")(test)


def nvrtc_version():
    """The number before the dot; 0: there is none."""
    done = subprocess.run([ROOT / "tools" / "get-nvrtc", "--find"], capture_output=True, text=True, check=False)
    found = re.search(r"builtins\.so\.(\d+)", done.stdout)
    return int(found.group(1)) if found else 0


def needs_gpu_backend(test):
    return unittest.skipUnless(os.environ.get("LAB_HAS_GPU_BACKEND", "1") == "1",
                               "built without the GPU backend")(test)


def needs_root(test):
    return unittest.skipUnless(os.geteuid() == 0, "root alone may change users and mount")(test)


# Runs what follows as a user who owns nothing.
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


def needs_nobody(test):
    """What runs as NOBODY must reach the program and the labs, which root's home does not let."""
    def reaches(path):
        return subprocess.run([*NOBODY, "test", "-r", path], check=False).returncode == 0
    able = os.geteuid() == 0 and reaches(LAB) and reaches(ROOT / "labs")
    return unittest.skipUnless(able, "needs root, and a clone that other users can read")(test)


def on_terminal(words, env, folder, columns=100, interrupt_after=None):
    """The program on a terminal of its own: its status and all that it wrote there."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        # A pager waits for a person: a test that wants one names it.
        env = dict(env, COLUMNS=str(columns), TERM="xterm")
        if "PAGER" not in env:
            env.setdefault("LAB_PAGER", "cat")
        os.execve(LAB, [LAB, *map(str, words)], env)
    import fcntl
    import struct
    import termios
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    text, until, sent = b"", time.monotonic() + PATIENCE, False
    while time.monotonic() < until:
        ready, _, _ = select.select([terminal], [], [], 0.05)
        if interrupt_after is not None and not sent and interrupt_after(text):
            os.write(terminal, b"\x03")
            sent = True
        if not ready:
            continue
        try:
            more = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        text += more
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), text.decode().replace("\r\n", "\n")


def without_expected_times(text):
    """A lab's screen with its expected times left out, and their bars: rules of time get better."""
    def rows_without(table):
        return re.sub(r" +[\d.,]+( <--)?( +#+)?$", " T", table[0], flags=re.M)
    return re.sub(r"^  ─[─ ]*\n(?:  .*\n)+?(?=  (?:us|GB/s): )", rows_without, text, flags=re.M)


def without_colour(text):
    return re.sub("\x1b\\[[0-9;]*[mK]", "", text)
