#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "harness/ncu/tool.h"

namespace lab::ncu {

namespace {

// The environment with variables replaced, as posix_spawn takes it.
std::vector<std::string> merged_environment(const std::vector<std::string>& more) {
  std::vector<std::string> all = more;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('=') + 1);
    bool replaced = false;
    for (const std::string& one : more) replaced = replaced || one.rfind(name, 0) == 0;
    if (!replaced) all.emplace_back(text);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Where a child's standard streams go.
class Streams {
 public:
  Streams(const std::filesystem::path& out, const std::filesystem::path& err) {
    constexpr mode_t kOwner = 0600;
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, out.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, kOwner);
    posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, err.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, kOwner);
  }
  ~Streams() { posix_spawn_file_actions_destroy(&actions_); }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  Streams(Streams&&) = delete;
  Streams& operator=(Streams&&) = delete;
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

}  // namespace

Ended run_program(const std::vector<std::string>& command, const std::filesystem::path& folder,
                  const std::vector<std::string>& environment) {
  const std::filesystem::path out = folder / "stdout";
  const std::filesystem::path err = folder / "stderr";
  const Streams streams(out, err);
  std::vector<std::string> words = command;
  std::vector<std::string> variables = merged_environment(environment);
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, words.front().c_str(), streams.get(), nullptr,
                                 pointers(words).data(), pointers(variables).data());
  if (failed != 0) {
    throw machine_error(
        fmt::format("{} could not be started: {}", words.front(), std::strerror(failed)));
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int kSignalled = 128;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status), content(out),
          content(err)};
}

}  // namespace lab::ncu
