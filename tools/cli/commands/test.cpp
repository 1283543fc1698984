// lab test: labs held to account, for those who write them.
#include <fmt/format.h>

#include <filesystem>

#include "harness/classes/labtest/labtest.h"
#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/labs/registry.h"
#include "tools/cli/arguments/run_options.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/commands/later.h"
#include "tools/cli/json/json_tested.h"
#include "tools/cli/terminal/progress.h"

namespace lab::cli {

namespace {

Tone tone_of(labtest::Outcome outcome) {
  return outcome == labtest::Outcome::kOk      ? Tone::kGood
         : outcome == labtest::Outcome::kWrong ? Tone::kBad
                                               : Tone::kPlain;
}

// A line, and below it what is wrong: a message with a caret keeps its lines.
std::string check_text(const labtest::Check& check, const Terminal& terminal) {
  constexpr double kWorthSaying = 1;
  const std::string outcome = fmt::format("{:<8}", labtest::name_of(check.outcome()));
  std::string text = fmt::format("  {}{:<16}{}", toned(outcome, tone_of(check.outcome()), terminal),
                                 check.name, safe_line(check.told));
  if (check.seconds >= kWorthSaying) text += fmt::format("  {:.0f} s", check.seconds);
  text += "\n";
  for (const std::string& problem : check.problems) {
    std::string indent = "    - ";
    const std::string shown = safe_text(problem);
    for (const std::string_view line : split(trim(shown), '\n')) {
      text += indent + std::string(line) + "\n";
      indent = "      ";
    }
  }
  return text;
}

TestedLab tested(const Lab& lab, const Arguments& arguments, run::EngineSet& engines,
                 const Console& console) {
  Progress progress(console.err);
  TestedLab tested{lab.called(), lab.path};
  labtest::Settings settings;
  settings.points = static_cast<int>(arguments.number("points", 0, 100000).value_or(20));
  settings.seed = static_cast<std::uint64_t>(arguments.number("seed", 1, INT64_MAX).value_or(0));
  settings.program = std::filesystem::read_symlink("/proc/self/exe").string();
  settings.cancelled = console.interrupted;
  settings.progress = [&](const std::string& check, double fraction) {
    progress.show(check, fraction);
  };
  const bool json = arguments.has("json");
  labtest::test_lab(lab, settings, engines, [&](const labtest::Check& check) {
    progress.clear();
    if (!json) fmt::print("{}", check_text(check, console.out));
    std::fflush(stdout);
    tested.checks.push_back(check);
  });
  return tested;
}

// What a student sees first, as those commands print it.
void show_first(const Lab& lab, const Console& console) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"show", lab.path + "/"}, {"run", lab.path + "/", "--no-store"}}) {
    const Command command = find_command(words.front());
    fmt::print("\n{}\n\n",
               toned(fmt::format("lab {} {}", words[0], lab.called()), Tone::kStrong, console.out));
    static_cast<void>(command.run(parse(command, {words.begin() + 1, words.end()}), console));
  }
}

// Labs by name, and the errors of those that can't be read.
struct Asked {
  std::vector<const Lab*> labs = {};
  std::vector<TestedLab> unread = {};
};

Asked asked_for(const std::vector<std::string>& names) {
  Asked asked;
  for (const std::string& name : names) {
    if (name == "all") {
      for (const Lab& lab : all_labs()) asked.labs.push_back(&lab);
      for (const BrokenLab& broken : broken_labs()) {
        asked.unread.push_back({broken.folder, broken.path, {labtest::unread(broken.error)}});
      }
      continue;
    }
    try {
      asked.labs.push_back(&find_lab(name));
    } catch (const Error& error) {
      if (!error.place()) throw;  // no such lab, and not one that is broken
      asked.unread.push_back({name, error.place()->file, {labtest::unread(error)}});
    }
  }
  return asked;
}

std::string closing(const std::vector<TestedLab>& all, bool shown) {
  std::size_t problems = 0;
  for (const TestedLab& lab : all) problems += lab.problems();
  std::string text = problems == 0
                         ? "\nNothing is wrong.\n"
                         : fmt::format("\n{} problem{}.\n", problems, problems == 1 ? "" : "s");
  if (problems == 0 && !shown) text += "--show prints what a student sees first.\n";
  return text;
}

void print_heading(const TestedLab& lab, const std::string& title, const Console& console) {
  const std::string name = fmt::format("Lab {}{}", safe_line(lab.lab), title);
  fmt::print("{}  {}\n", toned(name, Tone::kStrong, console.out), safe_line(lab.path));
}

}  // namespace

int run_test(const Arguments& arguments, const Console& console) {
  const bool json = arguments.has("json");
  const Asked asked = asked_for(arguments.positionals());
  std::vector<TestedLab> all = asked.unread;
  for (const TestedLab& lab : json ? std::vector<TestedLab>() : all) {
    print_heading(lab, "", console);
    for (const labtest::Check& check : lab.checks) fmt::print("{}", check_text(check, console.out));
  }
  run::EngineSet engines(workers_from(arguments, console));
  for (const Lab* lab : asked.labs) {
    if (console.interrupted()) break;
    if (!json) print_heading({lab->called(), lab->path}, ": " + lab->title, console);
    all.push_back(tested(*lab, arguments, engines, console));
    if (arguments.has("show") && !json) show_first(*lab, console);
  }
  if (json) {
    fmt::print("{}\n", tested_json(all));
  } else {
    fmt::print("{}", closing(all, arguments.has("show")));
  }
  for (const TestedLab& lab : all) {
    if (lab.problems() > 0) return 1;
  }
  return 0;
}

}  // namespace lab::cli
