#include "tools/cli/terminal/ask.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace lab::cli {

std::optional<std::string> ask_line(const std::string& prompt,
                                    const std::function<bool()>& interrupted) {
  constexpr int kLookMs = 100;  // Ctrl-C does not end a read
  constexpr std::size_t kLongest = 4096;
  if (::isatty(STDIN_FILENO) != 0) fmt::print("{}", prompt);
  std::fflush(stdout);
  // By hand: what is buffered by a stream, poll() does not see.
  for (std::string line;;) {
    if (interrupted && interrupted()) return {};
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (::poll(&input, 1, kLookMs) <= 0) continue;  // nothing yet, or a signal
    // Ctrl-C wakes it as a line does, and then there is none to read.
    if (interrupted && interrupted()) return {};
    char c = 0;
    const ssize_t got = ::read(STDIN_FILENO, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return line.empty() ? std::nullopt : std::optional(line);
    if (c == '\n') return line;
    if (line.size() < kLongest) line += c;
  }
}

}  // namespace lab::cli
