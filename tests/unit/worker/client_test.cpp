#include "harness/box/worker/client.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <thread>

#include "harness/core/error.h"

namespace lab::worker {
namespace {

namespace fs = std::filesystem;

fs::path beside_test(const std::string& name) {
  return fs::read_symlink("/proc/self/exe").parent_path() / name;
}

ClientSettings fake(BackendKind backend = BackendKind::kModel) {
  ClientSettings settings;
  settings.backend = backend;
  settings.program = beside_test("fake_worker");
  return settings;
}

BatchRequest batch_of(const std::vector<std::string>& variants) {
  BatchRequest batch;
  batch.source = {"k.cu", "text"};
  batch.arch = "sm_80";
  for (const std::string& variant : variants) {
    CaseRequest request;
    request.index = 10 + static_cast<int>(batch.cases.size());
    request.variant = variant;
    request.params = {{"n", std::int64_t{5}}};
    batch.cases.push_back(request);
  }
  return batch;
}

struct Collected {
  std::map<int, CaseRecord> records;
  std::vector<std::string> environment;
  std::vector<int> order;
  bool stop = false;

  BatchSink sink() {
    BatchSink made;
    made.environment = [this](const std::string& key, const std::string& value) {
      environment.push_back(key + "=" + value);
    };
    made.finished = [this](CaseOutcome outcome) {
      order.push_back(outcome.record.index);
      EXPECT_TRUE(records.emplace(outcome.record.index, outcome.record).second) << "twice";
    };
    made.cancelled = [this] { return stop; };
    return made;
  }

  [[nodiscard]] std::string statuses() const {
    std::string text;
    for (const auto& [index, record] : records) text += fmt::format("{} ", name_of(record.status));
    return text;
  }
};

TEST(Client, RunsAllCasesInOneWorker) {
  Client client(fake());
  Collected got;
  client.run(batch_of({"ok", "print", "ok"}), got.sink());
  EXPECT_EQ(got.statuses(), "ok ok ok ");
  EXPECT_EQ(got.environment, std::vector<std::string>{"batch_of=3"});
  EXPECT_EQ(got.order, (std::vector<int>{10, 11, 12}));
  EXPECT_EQ(got.records[11].kernel, "text");
  EXPECT_EQ(got.records[11].params.text(), "n=5");
  const int first = client.pid();
  Collected more;
  client.run(batch_of({"ok"}), more.sink());
  EXPECT_EQ(client.pid(), first);
}

// Each accident costs its own case, and the others run: in a new worker, which gets what is left.
TEST(Client, AccidentsAreRecordedAndTheRestRuns) {
  Client client(fake());
  Collected got;
  client.run(batch_of({"ok", "crash", "ok", "killed", "exit", "memory", "ok"}), got.sink());
  EXPECT_EQ(got.statuses(), "ok error ok error error error ok ");
  EXPECT_EQ(got.records[11].reason,
            "the worker that ran this case was killed by signal 11 (Segmentation fault)");
  EXPECT_EQ(got.records[13].reason,
            "the worker that ran this case was killed by signal 9 (Killed), as the system does "
            "where memory runs out");
  EXPECT_EQ(got.records[14].reason,
            "the worker that ran this case ended with status 3; its last words: cannot go on");
  EXPECT_EQ(got.records[15].reason, "the worker that ran this case ran out of memory");
  EXPECT_EQ(got.records[13].variant, "killed");
  EXPECT_EQ(got.records[13].params.text(), "n=5");
  EXPECT_EQ(got.records[13].arch, "sm_80");
  EXPECT_EQ(got.environment, (std::vector<std::string>{"batch_of=7", "batch_of=5", "batch_of=3",
                                                       "batch_of=2", "batch_of=1"}));
}

// 30,000 arrays within each other once overflowed the reader's stack; 2^37 bytes are more than any
// reply has (kMostReplyBytes is 2^29 = 536870912).
TEST(Client, AWorkerThatHasBeenTakenOverCostsItsOwnCase) {
  Client client(fake());
  Collected got;
  client.run(batch_of({"ok", "nested", "ok", "huge", "ok"}), got.sink());
  EXPECT_EQ(got.statuses(), "ok error ok error ok ");
  EXPECT_EQ(
      got.records[11].reason,
      "the worker that ran this case was ended for what it sent: a worker's message cannot be "
      "read: a length is left open");
  EXPECT_EQ(got.records[13].reason,
            "the worker that ran this case was ended for what it sent: a worker's message of "
            "137438953472 bytes, where 536870912 are the most");
}

bool is_gone(int pid) {
  for (int i = 0; i < 100; ++i) {
    if (::kill(pid, 0) != 0 && errno == ESRCH) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

// A worker that dies leaves none of what it has started behind.
TEST(Client, NothingThatAWorkerStartedOutlivesIt) {
  Client client(fake());
  Collected got;
  client.run(batch_of({"orphan", "ok"}), got.sink());
  EXPECT_EQ(got.statuses(), "error ok ");
  ASSERT_EQ(got.environment.at(1).substr(0, 7), "orphan=");
  const int pid = std::stoi(got.environment.at(1).substr(7));
  EXPECT_TRUE(is_gone(pid)) << pid;
  // In a container nobody else collects the orphan, and it would stay as a zombie.
  int collects = 0;
  ASSERT_EQ(::prctl(PR_GET_CHILD_SUBREAPER, &collects, 0, 0, 0), 0);
  EXPECT_EQ(collects, 1);
}

std::string fault_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return fmt::format("{} {}", static_cast<int>(error.fault()), error.what());
  }
  return "none";
}

CompileRequest compiling(const std::string& text) {
  CompileRequest request;
  request.source = {"a.cu", text};
  return request;
}

// Who stops a worker is not who wrote the kernel: a machine error, not the source's, and long
// before the case's limit of 120 s.
TEST(Client, AStoppedWorkerIsTheMachinesFault) {
  ClientSettings settings = fake();
  settings.most_idle = std::chrono::seconds(2);
  Client client(settings);
  const auto start = Clock::now();
  EXPECT_EQ(
      fault_of([&] { (void)client.compile(compiling("stopped")); }),
      "3 the compiler's process for a.cu has computed nothing for 2 s: it was stopped, or the "
      "machine is too busy");
  EXPECT_EQ(fault_of([&] {
              Collected got;
              client.run(batch_of({"stopped"}), got.sink());
            }),
            "3 the worker that runs the model has computed nothing for 2 s: it was stopped, or the "
            "machine is too busy");
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(30));
}

// What a reader of a program dies of is the program's fault, and the next one is read.
TEST(Client, ABinaryThatItsReaderDiesOfIsTheFilesFault) {
  Client client(fake());
  EXPECT_EQ(
      fault_of([&] { (void)client.binary({"crash"}); }),
      "2 crash cannot be read: the process that read it was killed by signal 11 (Segmentation "
      "fault)");
  EXPECT_TRUE(fault_of([&] { (void)client.binary({"memory"}); }).starts_with("2 memory cannot"));
  EXPECT_EQ(client.binary({"ok"}).host_clock, "ok");
}

// It computes for 2.5 s, longer than it may do nothing: the clock does not count.
TEST(Client, ACompilerThatComputesIsWaitedFor) {
  ClientSettings settings = fake();
  settings.most_idle = std::chrono::seconds(2);
  EXPECT_EQ(Client(settings).compile(compiling("long")).ptx, "long");
}

// A user who thinks for longer than a worker may be idle finds it as it was.
TEST(Client, AWorkerThatHadNothingToDoIsNotStopped) {
  ClientSettings settings = fake();
  settings.most_idle = std::chrono::seconds(1);
  Client client(settings);
  EXPECT_EQ(client.compile(compiling("one")).ptx, "one");
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_EQ(client.compile(compiling("two")).ptx, "two");
}

// As a GPU backend after a fault: the case is finished, and nobody else is to blame for it.
TEST(Client, ASpentProcessIsReplacedAndTheRestRuns) {
  Client client(fake());
  Collected got;
  client.run(batch_of({"ok", "spent", "ok", "spent", "ok"}), got.sink());
  EXPECT_EQ(got.statuses(), "ok ok ok ok ok ");
  EXPECT_EQ(got.environment, (std::vector<std::string>{"batch_of=5", "batch_of=3", "batch_of=1"}));
}

TEST(Client, AProcessThatIsSpentWithoutAResultCostsTheCaseItWasAt) {
  Client client(fake());
  Collected got;
  client.run(batch_of({"stuck", "ok"}), got.sink());
  EXPECT_EQ(got.statuses(), "error ok ");
}

TEST(Client, TimeLimitIsACasesOwn) {
  Client client(fake());
  BatchRequest batch = batch_of({"ok", "hang", "ok", "hang"});
  batch.timeout_s = 0.3;
  Collected got;
  const auto start = Clock::now();
  client.run(batch, got.sink());
  EXPECT_EQ(got.statuses(), "ok timeout ok timeout ");
  EXPECT_EQ(got.records[11].reason, "not finished after 0.3 s");
  // Two limits and two more starts; a limit for the whole batch would have lost the third case.
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(10));
  EXPECT_GE(Clock::now() - start, std::chrono::milliseconds(600));
}

// A backend that never says which case it is at: the first that is left is blamed, and after two
// losses without a sign of life the rest is given up instead of costing a worker each.
TEST(Client, GivesUpWhereNothingEverBegins) {
  Client client(fake(BackendKind::kGpu));
  Collected got;
  client.run(batch_of({"crash", "crash", "ok", "ok"}), got.sink());
  EXPECT_EQ(got.statuses(), "error error error error ");
  EXPECT_EQ(got.environment, (std::vector<std::string>{"batch_of=4", "batch_of=3"}));
}

TEST(Client, ForgottenCasesAreErrors) {
  Client client(fake());
  Collected got;
  client.run(batch_of({"ok", "forgotten"}), got.sink());
  EXPECT_EQ(got.statuses(), "ok error ");
  EXPECT_EQ(got.records[11].reason, "the backend gave no result for this case");
}

TEST(Client, ErrorBeforeAnyCaseIsThrownAndLaterOnesAreRecorded) {
  Client client(fake());
  Collected got;
  try {
    client.run(batch_of({"throw", "ok"}), got.sink());
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kInput);
    EXPECT_EQ(render(error), "error: this will not do\nhint: do that\n");
  }
  EXPECT_TRUE(got.records.empty());
  client.run(batch_of({"ok", "throw", "ok"}), got.sink());
  EXPECT_EQ(got.statuses(), "ok error error ");
  EXPECT_EQ(got.records[12].reason, "this will not do");
}

TEST(Client, CancelSkipsTheRestAtOnce) {
  Client client(fake());
  Collected got;
  BatchSink sink = got.sink();
  sink.progress = [&](int index, double) { got.stop = index == 11; };
  const auto start = Clock::now();
  client.run(batch_of({"ok", "hang", "ok"}), sink);
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(10));
  EXPECT_EQ(got.statuses(), "ok interrupted interrupted ");
  EXPECT_EQ(got.records[12].reason, "interrupted");
  EXPECT_EQ(client.pid(), 0);
}

TEST(Client, PrintedLinesGoToTheLog) {
  ClientSettings settings = fake();
  std::vector<std::string> lines;
  settings.log = [&](std::string_view line) { lines.emplace_back(line); };
  Client client(settings);
  Collected got;
  client.run(batch_of({"print"}), got.sink());
  Collected more;
  client.run(batch_of({"exit"}), more.sink());
  ASSERT_EQ(lines.size(), 4002U);
  EXPECT_EQ(lines[3999], "stray output, line 3999");
  EXPECT_EQ(lines[4000], "LAB1 stray error");
}

TEST(Client, WorkerGetsTheToolkitsLibrariesAndAGroupOfItsOwn) {
  std::string root = (fs::temp_directory_path() / "lab-toolkit-XXXXXX").string();
  ASSERT_NE(::mkdtemp(root.data()), nullptr);
  fs::create_directories(fs::path(root) / "lib64");
  fs::create_directories(fs::path(root) / "extras/CUPTI/lib64");
  std::ofstream(fs::path(root) / "lib64/libnvrtc.so.13") << "";
  ::setenv("CUDA_HOME", root.c_str(), 1);
  ::setenv("LD_LIBRARY_PATH", "/before", 1);
  ClientSettings settings = fake();
  settings.environment = {"FAKE_EXTRA=yes"};
  auto values = Client(settings).environment({}).values;
  EXPECT_EQ(values["library_path"], root + "/lib64:" + root + "/extras/CUPTI/lib64:/before");
  EXPECT_EQ(values["extra"], "yes");
  EXPECT_EQ(values["group"], "own");
  ::unsetenv("LD_LIBRARY_PATH");
  values = Client(fake()).environment({}).values;
  EXPECT_EQ(values["library_path"], root + "/lib64:" + root + "/extras/CUPTI/lib64");
  ::unsetenv("CUDA_HOME");
  fs::remove_all(root);
}

TEST(Client, OtherQuestions) {
  Client client(fake());
  CompileRequest request;
  request.source = {"a.cu", std::string("caf\xe9 \0 text", 11)};  // no UTF-8, a zero byte
  request.kernels = {"k<1>"};
  const Compiled compiled = client.compile(request);
  EXPECT_EQ(compiled.ptx, request.source.text);
  EXPECT_EQ(compiled.lowered, request.kernels);
  AskChipMetrics ask;
  ask.chip = "GH100";
  EXPECT_EQ(client.chip_metrics(ask).passes, 3);
  EXPECT_EQ(client.chip_metrics(ask).chip, "GH100");
  EXPECT_EQ(client.calibrate(), (std::vector<Ceiling>{{"dram_read", 4e12, "byte/s", "by hand"}}));
}

std::string start_error(const fs::path& program) {
  ClientSettings settings;
  settings.program = program;
  try {
    Client client(settings);
    (void)client.environment({});
  } catch (const Error& error) {
    return fmt::format("{} {}", static_cast<int>(error.fault()), render(error));
  }
  return {};
}

TEST(Client, WorkerThatDoesNotStart) {
  EXPECT_EQ(start_error("/nowhere/lab-worker"),
            "3 error: the program lab-worker, which runs kernels, is missing: /nowhere/lab-worker\n"
            "hint: build it: ninja -C build/release lab-worker; lists, queries and reports work "
            "without it\n");
  EXPECT_EQ(start_error("/bin/false"),
            "4 error: lab-worker does not start: it ended with status 1\n"
            "hint: this is a fault of lab itself; please report it with the command you ran\n");
  EXPECT_EQ(start_error("/etc/passwd"),
            "3 error: cannot start /etc/passwd: exec: Permission denied\n");
}

std::string start_error_of_script(const std::string& commands) {
  std::string root = (fs::temp_directory_path() / "lab-loader-XXXXXX").string();
  EXPECT_NE(::mkdtemp(root.data()), nullptr);
  const fs::path script = fs::path(root) / "lab-worker";
  std::ofstream(script) << "#!/bin/sh\n" << commands << "\n";
  ::chmod(script.c_str(), 0700);
  const std::string text = start_error(script);
  fs::remove_all(root);
  return text;
}

TEST(Client, WorkerWithoutItsLibraries) {
  const std::string text = start_error_of_script(
      "echo \"lab-worker: error while loading shared libraries: "
      "libfmt.so.9: cannot open shared object file\" >&2\nexit 127");
  EXPECT_EQ(text.substr(0, 2), "3 ");
  EXPECT_NE(text.find("does not start: lab-worker: error while loading shared"), std::string::npos)
      << text;
}

// 71 and 72 are what a worker without memory, and without a thread, ends with (server.h).
TEST(Client, AWorkerThatTheMachineEndsAtItsStart) {
  EXPECT_EQ(start_error_of_script("kill -9 $$"),
            "3 error: lab-worker does not start: it was killed by signal 9 (Killed), as the system "
            "does where memory runs out\n");
  EXPECT_EQ(start_error_of_script("exit 71"),
            "3 error: lab-worker does not start: it ran out of memory\n");
  EXPECT_EQ(start_error_of_script("echo no thread >&2; exit 72"),
            "3 error: lab-worker does not start: it ended with status 72; its last words: no "
            "thread\n");
}

// seccomp(2): exec waits for an answer that nobody gives, as one that is stopped before it.
void hold_exec() {
  std::array<sock_filter, 4> code = {
      {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 0, 1),
       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
  sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const long listener =
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
  if (listener < 0) ::_exit(2);
}

TEST(Process, OneThatIsStoppedBeforeItBeginsIsNotWaitedFor) {
  const pid_t tester = ::fork();
  if (tester == 0) {
    hold_exec();
    const std::string fault =
        fault_of([] { const Process process("/bin/true", {}, std::chrono::milliseconds(300)); });
    ::_exit(fault == "3 cannot start /bin/true: it has not begun after 300 ms" ? 0 : 1);
  }
  int status = 0;
  pid_t ended = 0;
  for (int i = 0; i < 500 && ended == 0; ++i) {
    ended = ::waitpid(tester, &status, WNOHANG);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (ended == 0) {
    ::kill(tester, SIGKILL);
    ::waitpid(tester, &status, 0);
    FAIL() << "it waits for good";
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 2) GTEST_SKIP() << "no seccomp listeners here";
  EXPECT_EQ(status, 0);
}

// A program that is killed leaves no worker behind, even one in the middle of a case.
TEST(Client, NoOrphans) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const pid_t program = ::fork();
  if (program == 0) {
    Client client(fake());
    BatchSink sink;
    sink.progress = [&](int, double) {
      const int pid = client.pid();
      if (::write(pipe[1], &pid, sizeof(pid)) != sizeof(pid)) std::_Exit(1);
      ::kill(::getpid(), SIGKILL);
    };
    client.run(batch_of({"hang"}), sink);
    std::_Exit(1);
  }
  int worker = 0;
  ASSERT_EQ(::read(pipe[0], &worker, sizeof(worker)), static_cast<ssize_t>(sizeof(worker)));
  ASSERT_GT(worker, 0);
  int status = 0;
  ::waitpid(program, &status, 0);
  bool gone = false;
  for (int i = 0; i < 100 && !gone; ++i) {
    std::ifstream stat(fmt::format("/proc/{}/stat", worker));
    std::string text;
    std::getline(stat, text);
    // Where nobody collects orphans the dead one stays as a zombie.
    gone = text.empty() || text.find(") Z ") != std::string::npos;
    if (!gone) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_TRUE(gone);
  ::close(pipe[0]);
  ::close(pipe[1]);
}

}  // namespace
}  // namespace lab::worker
