"""What a program may reach and take under `lab exec`, and what is left of it."""
import os
import pathlib
import signal
import subprocess
import time
import unittest

import saxpy

from support import LAB, LabTest
from test_assignments import CLANG

HEAD = "#include <cstdio>\n#include <cstdlib>\n#include <unistd.h>\n#include <fcntl.h>\nextern char** environ;\n"
KERNEL = "__global__ void k(int* p) { p[threadIdx.x] = threadIdx.x; }\n"
LAUNCH = "  int* d;\n  cudaMalloc(&d, 128);\n  k<<<1, 32>>>(d);\n  cudaDeviceSynchronize();\n  cudaFree(d);\n"


def program(body):
    return HEAD + KERNEL + "int main(int, char** words) {\n" + LAUNCH + body + "}\n"


STARTS = program("""  char me[300] = {};
  int made = 0;
  if (readlink("/proc/self/exe", me, 299) < 0) return 9;
  char* more[] = {me, (char*)"again", 0};
  for (int i = 0; i < 3; ++i) {
    const pid_t child = vfork();
    if (child == 0) { execve(me, more, environ); _exit(1); }
    made += child > 0;
  }
  made += fork() > 0;
  printf("made %d\\n", made);
""")
WAITS = HEAD + KERNEL + 'int main() {\n' + LAUNCH + '  puts("here");\n  fflush(stdout);\n  for (;;) sleep(1);\n}\n'
WRITES = program('  FILE* f = fopen("data.txt", "w");\n  fputs("new\\n", f);\n  fclose(f);\n'
                 '  fclose(fopen("a\\033[2Jb\\u202e", "w"));\n'
                 '  int s = open("holes", O_CREAT | O_WRONLY, 0600);\n  ftruncate(s, 1l << 42);\n  close(s);\n')
READS = program("""  for (const char* name : {"inner", "outer", "plain.txt", "PLACE"}) {
    char text[20] = {};
    FILE* f = fopen(name, "r");
    if (f != nullptr && fgets(text, 19, f) == nullptr) text[0] = '?';
    printf("%s=%s\\n", name, f == nullptr ? "none" : text);
  }
""")


@unittest.skipUnless(CLANG, "no clang to compile the host part")
class Programs(LabTest):
    def test_it_starts_no_process(self):
        self.write("app.cu", STARTS)
        self.assertIn("made 0\n", self.good("exec", "app.cu", "--no-store"))

    def test_nothing_outlives_lab(self):
        self.write("app.cu", WAITS)
        for sent in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL):
            with self.subTest(sent.name):
                lab = subprocess.Popen([LAB, "exec", "app.cu", "--no-store"], cwd=self.folder,
                                       env=self.environment(TMPDIR=str(self.folder)), stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, start_new_session=True)
                self.assertEqual(lab.stdout.readline(), b"here\n")
                lab.send_signal(sent)
                lab.wait()
                lab.stdout.close()
                end = time.time() + 60
                while self.running() and time.time() < end:
                    time.sleep(0.05)
                self.assertEqual(self.running(), [])
                if sent != signal.SIGKILL:  # of which nobody is told
                    self.assertEqual([path.name for path in self.folder.glob("lab-exec*")], [])

    def running(self):
        """Processes whose program lies in this test's folder."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/exe"):
            try:
                if os.readlink(path).startswith(str(self.folder)):
                    found.append(path.parent.name)
            except OSError:
                pass  # it has ended, or is another's
        return found

    def test_nothing_of_the_persons_is_replaced(self):
        self.write("app.cu", WRITES)
        self.write("data.txt", "mine\n")
        said = " ".join(self.good("exec", "app.cu", "--no-store", "--keep", ".").split())
        self.assertEqual((self.folder / "data.txt").read_text(), "mine\n")
        self.assertIn("data.txt is there already (--force replaces it)", said)
        self.assertIn("holes is sparse", said)
        self.assertFalse((self.folder / "holes").exists())
        self.assertNotIn("\033[2J", said)
        self.assertNotIn("\u202e", said)
        self.good("exec", "app.cu", "--no-store", "--keep", ".", "--force")
        self.assertEqual((self.folder / "data.txt").read_text(), "new\n")

    def test_it_reads_its_own_folder(self):
        home = self.folder / "home"
        (home / "Downloads").mkdir(parents=True)
        (home / "other").mkdir()
        (home / "other/secret.txt").write_text("secret")
        (home / "Downloads/plain.txt").write_text("plain")
        (home / "Downloads/app.cu").write_text(READS.replace("PLACE", str(home / "other/secret.txt")))
        (home / "Downloads/inner").symlink_to("plain.txt")
        (home / "Downloads/outer").symlink_to("../other/secret.txt")
        done = self.lab("exec", "Downloads/app.cu", "--no-store", folder=home)
        self.assertIn(f"inner=plain\nouter=none\nplain.txt=plain\n{home}/other/secret.txt=none\n", done.out)
        self.assertIn("outer is a link to elsewhere", done.err)
        more = self.good("exec", "Downloads/app.cu", "--no-store", "--read", "other", folder=home)
        self.assertIn(f"outer=secret\nplain.txt=plain\n{home}/other/secret.txt=secret\n", more)

    def test_what_it_says_in_the_librarys_place_is_its_own_fault(self):
        """22 of 44 kinds of message were a fault of lab itself, exit 4."""
        said = {"short": ("kLaunch", 16), "one_byte": ("kLaunch", 1), "refusal": ("kRefused", 24), "version": ("kHello", 32),
                "beyond": ("kAllocate", 40), "library": ("kLibraryCall", 20), "write": ("kWritten", 17),
                "no_such_call": (77, 80)}
        fields = {"refusal": "m[16] = 99;", "version": "m[16] = 99;", "beyond": "m[31] = 16;",
                  "library": 'memcpy(m + 16, "\\033[2J", 4);'}
        for name, (call, size) in said.items():
            with self.subTest(name):
                number = call if isinstance(call, int) else saxpy.number_of(call)
                body = f"  char m[80] = {{{number}}};\n  {fields.get(name, '')}\n  send(198, m, {size}, 0);\n  for (;;) sleep(1);\n"
                self.write("app.cu", "#include <cstring>\n#include <sys/socket.h>\n" + program(body))
                done = self.lab("exec", "app.cu", "--no-store")
                self.assertEqual(done.status, 1, done)
                self.assertIn("it sends lab itself what no CUDA program sends", " ".join(done.out.split()))
                self.assertNotIn("\033[2J", done.out + done.err)

    def test_what_it_takes_is_bounded_and_the_bound_is_named(self):
        """Each taker beside one that takes as much as it may, or less."""
        managed = ("  char* p = nullptr;\n  cudaMallocManaged(&p, SIZEul << 20);\n"
                   "  for (size_t i = 0; i < SIZEul << 20; i += 4096) p[i] = 1;\n  cudaFree(p);\n")
        heap = "  char* p = (char*)mmap(0, SIZEul << 20, 3, 0x22, -1, 0);\n  memset(p, 1, SIZEul << 20);\n  usleep(300000);\n"
        files = ("  static char b[1 << 20];\n  for (int f = 0; f < SIZE / 5; ++f) {\n    char name[20];\n"
                 '    sprintf(name, "f%d", f);\n    int out = open(name, O_CREAT | O_WRONLY, 0600);\n    GONE\n'
                 "    for (int i = 0; i < 5; ++i) if (write(out, b, sizeof b) < 0) return 9;\n    SHUT\n  }\n  usleep(300000);\n")
        named = files.replace("GONE", "").replace("SHUT", "close(out);")
        nameless = files.replace("GONE", "unlink(name);").replace("SHUT", "")
        # Beside 96 MiB a program has what its C library takes; without --memory nothing here is too much.
        taken = {"managed": (managed, 64, 400, "--memory", "192M", "192 MiB of memory"),
                 "heap": (heap, 64, 400, None, None, None), "files": (named, 60, 200, "--files", "100M", "100 MiB of files"),
                 "files without a name": (nameless, 60, 200, "--files", "100M", "100 MiB of files"),
                 "many files": (named, 60, 600, None, None, "512 MiB of files")}
        for name, (body, fits, most, option, size, said) in taken.items():
            for mib in (fits, most):
                with self.subTest(name, mib=mib):
                    text = "#include <cstring>\n#include <sys/mman.h>\n" + program(body.replace("SIZE", str(mib)) + '  puts("all");\n')
                    self.write("app.cu", text)
                    done = self.lab("exec", "app.cu", "--no-store", *([option, size] if option else []))
                    if mib == fits or said is None:
                        self.assertEqual((done.status, done.out[:4]), (0, "all\n"), done)
                    else:
                        self.assertEqual(done.status, 1, done)
                        self.assertIn(f"stopped: it took more than the {said}", " ".join(done.out.split()))

    def test_a_runtime_that_unloads_says_so(self):
        """An object made before the first call is destroyed behind the driver; one made later is not."""
        late = ("struct Late {\n  ~Late() {\n    int* d = nullptr;\n    const cudaError_t made = cudaMalloc(&d, 128);\n"
                "    k<<<1, 32>>>(d);\n    printf(\"%d %d\\n\", made, cudaGetLastError());\n    cudaFree(kept);\n    fflush(stdout);\n"
                "  }\n  int* kept = nullptr;\n};\n")
        launch = LAUNCH.replace("  cudaFree(d);\n", "")
        ahead = HEAD + KERNEL + late + "static Late late;\nint main() {\n" + launch + "  late.kept = d;\n}\n"
        behind = HEAD + KERNEL + late + "int main() {\n" + launch + "  static Late late;\n  late.kept = d;\n}\n"
        unseen = HEAD + KERNEL + ("struct Late { ~Late() { k<<<1, 32>>>(kept); } int* kept = nullptr; };\nstatic Late late;\n"
                                  "int main() {\n") + LAUNCH + "}\n"
        for text, printed, launches in ((ahead, "4 4\n", 1), (behind, "0 0\n", 2)):
            self.write("app.cu", text)
            out = self.lab("exec", "app.cu", "--no-store").out
            self.assertTrue(out.startswith(printed), out)
            self.assertIn(f"1 kernel, {launches} launch", out)
        self.write("app.cu", unseen)
        self.assertIn("1 kernel, 1 launch, exit 0", self.lab("exec", "app.cu", "--no-store").out)

    def test_a_limit_of_file_sizes_is_named(self):
        self.write("app.cu", program(""))
        for kib in (10, 100000):  # not even the headers; not the device's memory
            done = self.lab("exec", "app.cu", "--no-store", prefix=("bash", "-c", f'ulimit -f {kib}; exec "$@"', "bash"))
            self.assertEqual(done.status, 3, done)
            self.assertIn(f"`ulimit -f` allows files of {kib} KiB", done.err)

    def test_what_is_not_run_again_is_said(self):
        self.write("app.cu", program(""))
        self.good("exec", "app.cu", "--db", "x.db")
        said = self.good("verify", "--db", "x.db")
        self.assertIn("none of its cases was run again\n  1 cases not run again: a probe or a program: its arguments", said)

    def test_a_build_is_shown_before_it_begins(self):
        self.write("app.cu", program(""))
        done = self.lab("exec", "--build", "touch built", "app.cu", "--no-store")
        self.assertTrue(done.err.startswith("note: this runs outside of the sandbox: touch built\n"), done)
        self.assertTrue((self.folder / "built").exists())


if __name__ == "__main__":
    unittest.main()
