#include "tests/unit/db/child.h"

#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>

namespace lab::db {
namespace {

constexpr char kRan = 'r';
constexpr char kSkipped = 's';
constexpr unsigned kNobody = 65534;

void write_all(int fd, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(fd, text.data() + done, text.size() - done);
    if (count <= 0) return;
    done += static_cast<std::size_t>(count);
  }
}

std::string read_all(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::read(fd, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

std::string reason(const char* what) {
  return std::string(what) + " is not possible here: " + std::strerror(errno);
}

std::string text_of(const std::function<std::string()>& body) {
  try {
    return body();
  } catch (const std::exception& error) {
    return std::string("threw ") + error.what();
  }
}

// `prepare` returns why the body can't be run; empty: it can.
ChildResult run_child(const std::function<std::string()>& prepare,
                      const std::function<std::string()>& body) {
  int ends[2];
  if (::pipe(ends) != 0) return {{}, reason("a pipe")};
  const pid_t pid = ::fork();
  if (pid < 0) return {{}, reason("fork")};
  if (pid == 0) {
    const std::string skipped = prepare();
    write_all(ends[1], skipped.empty() ? kRan + text_of(body) : kSkipped + skipped);
    ::_exit(0);  // nothing of the parent's is flushed or destroyed
  }
  ::close(ends[1]);
  const std::string answer = read_all(ends[0]);
  ::close(ends[0]);
  ::waitpid(pid, nullptr, 0);
  if (answer.empty()) return {"the child died", {}};
  if (answer[0] == kSkipped) return {{}, answer.substr(1)};
  return {answer.substr(1), {}};
}

std::string become_nobody() {
  if (::geteuid() != 0) return {};
  if (::setgroups(0, nullptr) != 0 || ::setresgid(kNobody, kNobody, kNobody) != 0 ||
      ::setresuid(kNobody, kNobody, kNobody) != 0) {
    return reason("running as an unprivileged user");
  }
  return {};
}

}  // namespace

ChildResult unprivileged(const std::function<std::string()>& body) {
  return run_child(become_nobody, body);
}

ChildResult on_small_disk(const std::string& folder, std::size_t bytes,
                          const std::function<std::string()>& body,
                          const std::function<std::string()>& then_read_only) {
  const auto mount_it = [&]() -> std::string {
    if (::unshare(CLONE_NEWNS) != 0) return reason("a mount of our own");
    const std::string options = "size=" + std::to_string(bytes);
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", folder.c_str(), "tmpfs", 0, options.c_str()) != 0) {
      return reason("mounting a tmpfs");
    }
    return {};
  };
  return run_child(mount_it, [&] {
    std::string text = body();
    if (!then_read_only) return text;
    if (::mount("tmpfs", folder.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) != 0) {
      return reason("remounting read-only");
    }
    return text + then_read_only();
  });
}

Holder::Holder(const std::function<void()>& hold) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("pipe");
  pid_ = ::fork();
  if (pid_ == 0) {
    hold();
    write_all(ends[1], "x");
    for (;;) ::pause();
  }
  ::close(ends[1]);
  char ready = 0;
  const ssize_t count = ::read(ends[0], &ready, 1);
  ::close(ends[0]);
  if (count != 1) throw std::runtime_error("the child died");
}

void Holder::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  wait();
}

void Holder::wait() {
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

Holder::~Holder() { kill(); }

}  // namespace lab::db
