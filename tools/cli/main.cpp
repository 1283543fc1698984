// The program `lab`: finds the command, runs it, turns every error into a text and a status.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <system_error>

#include "harness/core/error.h"
#include "harness/labs/page.h"
#include "harness/run/version.h"
#include "tools/cli/arguments/log.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/commands/learning.h"
#include "tools/cli/terminal/pager.h"

namespace lab::cli {

namespace {

constexpr int kInterrupted = 130;
// Ctrl-C; timeout(1) and scancel; a terminal that is closed.
constexpr std::array kInterrupts = {SIGINT, SIGTERM, SIGHUP};

// A signal handler can reach nothing else.
volatile std::sig_atomic_t stop_requested = 0;

// The first Ctrl-C asks the command to stop and keep what it has; the second ends the program.
void on_interrupt(int /*signal*/) {
  stop_requested = 1;
  for (const int signal : kInterrupts) std::signal(signal, SIG_DFL);
}

int run_command(const std::vector<std::string>& words, const Console& console) {
  const Command command = find_command(words.front());
  const Arguments arguments = parse(command, {words.begin() + 1, words.end()});
  if (arguments.has("help")) {
    fmt::print("{}", help_text(command, console.out.width));
    return 0;
  }
  if (command.run == nullptr) {
    throw machine_error(fmt::format("a first build leaves 'lab {}' out", command.name),
                        fmt::format("tools/lab {} builds the rest, once", command.name));
  }
  start_log(arguments);
  const Pager pager(command.pages && !arguments.has("json") && !arguments.has("no-pager"));
  const int status = command.run(arguments, console);
  return stop_requested != 0 ? kInterrupted : status;
}

// The first page is there whatever the database and the labs are like.
std::string next_or_nothing() {
  try {
    std::optional<db::Store> store = store_of_records();
    const study::Records records = study::records_of(store ? &*store : nullptr, {});
    const std::string next = next_command(records);
    return solved_text(study::progress_of(records)) + "\n" +
           (next.empty() ? "" : "Next: " + next + "\n");
  } catch (const Error&) {
    return {};
  }
}

int dispatch(std::vector<std::string> words, const Console& console) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h") {
    fmt::print("{}", first_page(next_or_nothing(), console.out.width));
    return 0;
  }
  if (words[0] == "help") {
    if (words.size() == 1) return dispatch({"--help"}, console);
    if (words[1] != "--all") return dispatch({words[1], "--help"}, console);
    fmt::print("{}", all_commands_text(console.out.width));
    return 0;
  }
  if (words[0] == "__complete") {  // what a shell asks while a line is typed
    print_candidates({words.begin() + 1, words.end()});
    return 0;
  }
  if (words[0] == "__left_out") {  // what tools/lab asks before it builds the rest
    return needs_the_rest({words.begin() + 1, words.end()}) ? 0 : 1;
  }
  if (words[0] == "__language") {  // writes labs/LANGUAGE.md
    fmt::print("{}", labs::language_page());
    return 0;
  }
  if (words[0] == "--version" || words[0] == "version") {
    const std::string commit = run::program_commit();
    fmt::print("lab {}{}\n", run::program_version(),
               commit.empty() ? "" : fmt::format(" (commit {})", commit));
    return 0;
  }
  return run_command(words, console);
}

// A reader that has seen enough (`lab runs | head`) is not an error; a full disk is.
void finish_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  if (errno == EPIPE) return;
  throw machine_error(fmt::format("cannot write the output: {}", std::strerror(errno)));
}

// A compiler can have much to say about a file that is not source code.
std::string shortened(std::string text) {
  constexpr std::size_t kLines = 60;
  std::size_t at = 0;
  for (std::size_t line = 0; line < kLines; ++line) {
    at = text.find('\n', at);
    if (at == std::string::npos) return text;
    ++at;
  }
  if (at >= text.size()) return text;
  const auto more = std::count(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), '\n');
  return text.substr(0, at) + fmt::format("... and {} more lines\n", more);
}

void report(const Error& error, const Terminal& terminal) {
  std::string text = shortened(safe_text(render(error)));
  const std::size_t at = text.find("error: ");
  if (terminal.colour && at != std::string::npos) {
    text.replace(at, 6, toned("error:", Tone::kBad, terminal));
  }
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
}

int guarded(int argc, char** argv) {
  const Terminal err = terminal_facts(stderr);
  try {
    const Console console{argv[0], terminal_facts(stdout), err, [] { return stop_requested != 0; }};
    const int status = dispatch({argv + 1, argv + argc}, console);
    finish_output();
    return status;
  } catch (const Error& error) {
    if (stop_requested != 0) return kInterrupted;
    report(error, err);
    return static_cast<int>(error.fault());
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory\n", stderr);  // to lay it out takes some
    return static_cast<int>(Fault::kMachine);
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::broken_pipe) return 0;  // as in finish_output
    report(machine_error(error.what()), err);
    return static_cast<int>(Fault::kMachine);
  } catch (const std::exception& error) {
    report(internal_error(error.what()), err);
    return static_cast<int>(Fault::kInternal);
  }
}

}  // namespace

}  // namespace lab::cli

namespace {

// nohup(1) has SIGHUP ignored, and so it stays.
void take_interrupts() {
  for (const int signal : lab::cli::kInterrupts) {
    if (std::signal(signal, lab::cli::on_interrupt) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

// libstdc++ ends a program where memory is lacking in its iterators of folders, and where
// nlohmann's values are taken apart: these say that nothing is thrown.
[[noreturn]] void end_without_memory() {
  const int why = errno;
  if (const std::exception_ptr thrown = std::current_exception()) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
      std::fputs("error: out of memory\n", stderr);
      ::_exit(static_cast<int>(lab::Fault::kMachine));
    } catch (...) {
      std::abort();
    }
  }
  if (why != ENOMEM) std::abort();
  std::fputs("error: out of memory\n", stderr);
  ::_exit(static_cast<int>(lab::Fault::kMachine));
}

// A program may be started with its standard streams closed: the first files that it opens would
// take their numbers, and what is printed would go into them. Writing to a closed output fails, as
// it should: its reader would take nothing for everything.
void hold_standard_streams() {
  for (int descriptor = 0; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    const int mode = descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR;
    // The lowest number that is free is this one.
    if (::open("/dev/null", mode) != descriptor) ::_exit(static_cast<int>(lab::Fault::kMachine));
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate(end_without_memory);
  hold_standard_streams();
  take_interrupts();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit of file sizes is an error of the write
  return lab::cli::guarded(argc, argv);
}
