#include "tools/cli/terminal/pager.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace lab::cli {

namespace {

// sh says 127 of what it does not find: then everything is printed as if there were no pager.
bool can_run(const std::string& command) {
  const std::string name = command.substr(0, command.find(' '));
  const std::string test = "command -v -- '" + name + "' >/dev/null 2>&1";
  return name.find('\'') == std::string::npos && std::system(test.c_str()) == 0;
}

}  // namespace

std::string pager_command() {
  for (const char* name : {"LAB_PAGER", "PAGER"}) {
    const char* value = std::getenv(name);
    if (value == nullptr) continue;
    return std::string(value) == "cat" ? std::string() : std::string(value);
  }
  return "less -FRX";
}

Pager::Pager(bool wanted) {
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal != nullptr && std::string(terminal) == "dumb";
  if (!wanted || dumb || isatty(STDOUT_FILENO) != 1) return;
  const std::string command = pager_command();
  if (command.empty() || !can_run(command)) return;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  std::fflush(stdout);
  child_ = fork();
  if (child_ == 0) {
    dup2(ends[0], STDIN_FILENO);
    setenv("LESSCHARSET", "utf-8", 0);
    execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[0]);
  if (child_ > 0) {
    terminal_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    dup2(ends[1], STDOUT_FILENO);
  }
  close(ends[1]);
}

Pager::~Pager() {
  if (child_ <= 0) return;
  std::fflush(stdout);
  dup2(terminal_, STDOUT_FILENO);  // closes the pipe: the pager reads its end
  close(terminal_);
  std::clearerr(stdout);  // a reader who has seen enough
  int status = 0;
  while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace lab::cli
