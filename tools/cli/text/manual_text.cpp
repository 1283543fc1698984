#include "tools/cli/text/manual_text.h"

#include <fmt/format.h>

namespace lab::cli {

namespace {

// troff: a backslash begins an escape, a hyphen would be set as one, and a point or an apostrophe
// at the beginning of a line begins a request.
std::string troff(const std::string& text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    begins = c == '\n';
  }
  return out;
}

std::string manual_option(const Option& option) {
  std::string out = ".TP\n.B " + troff(with_dashes(option));
  if (!option.value.empty()) out += fmt::format(" \\fI{}\\fR", troff(option.value));
  out += "\n" + troff(option.help);
  if (!option.choices.empty())
    out += fmt::format(": {}", troff(fmt::format("{}", fmt::join(option.choices, ", "))));
  return out + ".\n";
}

}  // namespace

std::string manual_text(const std::vector<Command>& commands, const std::string& version) {
  std::string out = fmt::format(
      ".TH LAB 1 \"\" \"lab {}\" \"GPU memory labs\"\n.SH NAME\nlab \\- GPU memory labs: theory, "
      "model and measurement side by side\n.SH SYNOPSIS\n.B lab\n.I COMMAND\n[options]\n"
      ".SH DESCRIPTION\nRuns teaching labs about GPU memory, measures their kernels where there is "
      "a GPU, executes the same kernels in a model where there is none, and sets both beside what "
      "theory says.\n.SH OPTIONS OF EVERY COMMAND\n",
      troff(version));
  for (const Option& option : common_options()) out += manual_option(option);
  out += ".SH COMMANDS\n";
  for (const Command& command : commands) {
    const Positional& plain = command.positional;
    const std::string name = plain.name + (plain.repeats() ? "..." : "");
    const std::string shown = plain.min == 0 && !name.empty() ? "[" + name + "]" : name;
    out += fmt::format(".SS lab {} \\fI{}\\fR\n{}.\n", command.name, troff(shown),
                       troff(command.summary));
    if (!name.empty())
      out += fmt::format(".TP\n.I {}\n{}.\n", troff(plain.name), troff(plain.help));
    for (const Option& option : command.options) out += manual_option(option);
    out += fmt::format(".PP\nExample:\n.PP\n.nf\n{}\n.fi\n", troff(command.example));
  }
  return out +
         ".SH ENVIRONMENT\n.TP\n.B LAB_DB\nThe database where \\-\\-db names none.\n"
         ".TP\n.B LAB_PATH\nThe folder of the labs.\n"
         ".TP\n.B LAB_SEAL_KEY\nA grader's secret that runs are sealed with.\n"
         ".TP\n.B CUDA_HOME\nThe CUDA toolkit.\n"
         ".TP\n.B NO_COLOR\nNo colours.\n"
         ".SH EXIT STATUS\n.TP\n0\nFine.\n.TP\n1\nA run finished and something in it is wrong.\n"
         ".TP\n2\nBad usage or bad input.\n.TP\n3\nThis machine can't.\n"
         ".TP\n4\nA fault of lab itself.\n.TP\n130\nInterrupted.\n";
}

}  // namespace lab::cli
