#include "harness/kernel/compile/in_subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

#include "harness/core/error.h"
#include "harness/kernel/compile/results.h"

namespace lab::compile {
namespace {

// The first byte of what the copy sends back.
constexpr char kResult = 'r';
constexpr char kError = 'e';

Error cannot(const char* what) {
  return machine_error(
      fmt::format("the compiler cannot be started: {}: {}", what, std::strerror(errno)));
}

std::string message_of(const std::function<Compiled()>& compile) {
  try {
    return kResult + encode(compile());
  } catch (const Error& error) {
    return kError + encode(error);
  } catch (const std::exception& error) {
    return kError + encode(internal_error(error.what()));
  }
}

// The copy's whole life. It ends without what a program does at its end: that is the parent's.
[[noreturn]] void run_and_send(const std::function<Compiled()>& compile, int pipe) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const std::string message = message_of(compile);
  std::string_view rest = message;
  while (!rest.empty()) {
    const ssize_t put = ::write(pipe, rest.data(), rest.size());
    if (put <= 0) ::_exit(1);
    rest.remove_prefix(static_cast<std::size_t>(put));
  }
  ::_exit(0);
}

// Nothing where it is more than a compilation can make: 16 times what a source and its headers may
// be.
std::optional<std::string> receive(int pipe) {
  constexpr std::size_t kMostMessage = std::size_t{512} << 20U;
  std::string message;
  std::array<char, 1 << 16> chunk{};
  for (;;) {
    const ssize_t got = ::read(pipe, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return message;
    message.append(chunk.data(), static_cast<std::size_t>(got));
    if (message.size() > kMostMessage) return std::nullopt;
  }
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

// proc(5): the first number of statm, in pages.
std::uint64_t address_space() {
  std::uint64_t pages = 0;
  for (const pid_t process : {::getpid(), ::getppid()}) {
    if (std::ifstream(fmt::format("/proc/{}/statm", process)) >> pages) break;
  }
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

bool may_have_memory() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
  return limit.rlim_cur >= address_space() + kCompilerMemory;
}

std::optional<Compiled> compile_in_subprocess(const std::function<Compiled()>& compile,
                                              CopyEnd* end) {
  std::array<int, 2> pipes{};
  if (::pipe2(pipes.data(), O_CLOEXEC) != 0) throw cannot("pipe");
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(pipes[0]);
    run_and_send(compile, pipes[1]);
  }
  ::close(pipes[1]);
  const auto received = child < 0 ? std::string() : receive(pipes[0]);
  ::close(pipes[0]);
  if (child < 0) throw cannot("fork");
  if (!received) ::kill(child, SIGKILL);
  int status = 0;
  rusage use{};
  while (::wait4(child, &status, 0, &use) < 0 && errno == EINTR) {
  }
  if (!received) status = W_EXITCODE(1, 0);  // its own doing, and not what it was ended with
  if (end != nullptr) *end = {status, seconds(use.ru_utime) + seconds(use.ru_stime)};
  if (status != 0 || received->empty()) return std::nullopt;
  const std::string_view body = std::string_view(*received).substr(1);
  if (received->front() == kResult) return decode_compiled(body);
  if (const auto error = decode_error(body)) throw Error(*error);
  return std::nullopt;
}

}  // namespace lab::compile
