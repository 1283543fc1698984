#include "tools/cli/commands/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/run/engines.h"

namespace lab::cli {

std::vector<Command> all_commands() {
  return {list_command(), show_command(), run_command(), probe_command(), map_command(),
          explain_command(), fix_command(), runs_command(), compare_command(), query_command(),
          merge_command(), metrics_command(), ncu_command(), import_command(), calibrate_command(),
          doctor_command(),
          // what students learn with
          start_command(), watch_command(), guess_command(), quiz_command(), hint_command(),
          progress_command(), exec_command(), record_command(), report_command(), verify_command(),
          // what graders and continuous integration use
          submit_command(), check_command(), grade_command(), copies_command(),
          // what authors of labs use
          test_command(), new_command(), completion_command(), man_command()};
}

Command find_command(std::string_view name) {
  std::vector<std::string> names;
  for (Command& command : all_commands()) {
    if (command.name == name) return std::move(command);
    names.push_back(command.name);
  }
  const bool option = name.starts_with('-');  // near to no command, whatever its letters
  const std::string near = option ? std::string() : nearest(name, names);
  if (!near.empty()) {
    throw input_error(fmt::format("lab has no command '{}'", name), suggestion(name, names));
  }
  throw input_error(fmt::format("lab has no command '{}'", name),
                    "lab help --all lists the commands");
}

bool needs_the_rest(const std::vector<std::string>& words) {
  try {
    const Command command = find_command(words.empty() ? "" : words.front());
    const Arguments arguments = parse(command, {words.begin() + 1, words.end()});
    if (arguments.has("help")) return false;
    const bool asks_cupti = arguments.knows("chip") && arguments.has("chip");
    return command.run == nullptr ||
           (run::gpu_backend_left_out() && (asks_cupti || !run::gpu_devices().empty()));
  } catch (const Error&) {  // the program itself says what is wrong with them
    return false;
  }
}

namespace {

/// A command to begin with, in fewer words than its summary.
struct First {
  std::string_view name;
  std::string_view says;
};

constexpr std::array<First, 8> kFirst = {{
    {"start", "begin a lab, or go on where you are"},
    {"guess", "say a lab's number before it runs"},
    {"run", "a lab on one screen; --kernel FILE: yours against its target"},
    {"watch", "run your file each time that you save it"},
    {"map", "draw which lane touches which bank or sector"},
    {"hint", "help on the way, plainer each time"},
    {"quiz", "questions, and why the answers are right"},
    {"probe", "any kernel of your own, with advice"},
}};

std::string about_text(int width) {
  std::string out;
  for (const std::string& line :
       wrapped("lab: GPU memory labs. What a kernel does in theory, in the model and on the GPU, "
               "side by side.",
               width)) {
    out += line + "\n";
  }
  return out + "\nUsage: lab COMMAND [options]\n\n";
}

std::string row_of(std::string_view name, std::string_view says, int width) {
  constexpr int kColumn = 14;
  std::string out;
  std::string left = fmt::format("  {:<{}}", name, kColumn - 2);
  for (const std::string& line : wrapped(says, std::max(width - kColumn, 30))) {
    out += left + line + "\n";
    left.assign(kColumn, ' ');
  }
  return out;
}

}  // namespace

std::string first_page(const std::string& next, int width) {
  std::string out = about_text(width);
  for (const auto& [name, says] : kFirst) out += row_of(name, says, width);
  return out + "\n" + next + "All commands: lab help --all   Options: lab COMMAND --help\n";
}

std::string all_commands_text(int width) {
  std::string out = about_text(width) + "Commands:\n";
  for (const Command& command : all_commands()) {
    out += row_of(command.name, command.summary, width);
  }
  return out +
         "\nlab COMMAND --help shows a command's options and an example.\n"
         "\nExit status: 0 fine; 1 a run finished and something in it is wrong; 2 bad usage\nor "
         "bad "
         "input; 3 this machine can't; 4 a fault of lab itself; 130 interrupted.\n";
}

}  // namespace lab::cli
