#include "harness/compile/apart.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <string_view>

#include "harness/compile/results.h"
#include "harness/core/error.h"

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
  } catch (const std::bad_alloc&) {
    return kError + encode(input_error("the source does not compile: it takes too much memory",
                                       "2 GiB are enough for the largest of ordinary sources"));
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

std::string receive(int pipe) {
  std::string message;
  std::array<char, 1 << 16> chunk{};
  for (;;) {
    const ssize_t got = ::read(pipe, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return message;
    message.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

std::optional<Compiled> compile_apart(const std::function<Compiled()>& compile, int* ending) {
  std::array<int, 2> pipes{};
  if (::pipe2(pipes.data(), O_CLOEXEC) != 0) throw cannot("pipe");
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(pipes[0]);
    run_and_send(compile, pipes[1]);
  }
  ::close(pipes[1]);
  const std::string message = child < 0 ? std::string() : receive(pipes[0]);
  ::close(pipes[0]);
  if (child < 0) throw cannot("fork");
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (ending != nullptr) *ending = status;
  if (status != 0 || message.empty()) return std::nullopt;
  const std::string_view body = std::string_view(message).substr(1);
  if (message.front() == kResult) return decode_compiled(body);
  if (const auto error = decode_error(body)) throw Error(*error);
  return std::nullopt;
}

}  // namespace lab::compile
