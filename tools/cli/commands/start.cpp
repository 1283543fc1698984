// lab start, lab hint: a lab's first step, and help on the way.
#include <fmt/format.h>

#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/labs/registry.h"
#include "harness/study/study.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/json/json_study.h"

namespace lab::cli {

namespace {

std::string paragraph(const std::string& text, const Terminal& terminal) {
  std::string out;
  for (const std::string& line : wrapped(text, terminal.width)) out += line + "\n";
  return out;
}

int run_start(const Arguments& arguments, const Console& console) {
  const Lab& lab = find_lab(arguments.positionals().front());
  const study::Study study = study::read_study(lab);
  const std::string file =
      arguments.value("output").value_or(fmt::format("lab{}.cu", lab.called()));
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::symlink_status(file, ignored))) {
    throw input_error(
        fmt::format("'{}' is there already: nothing was copied", file),
        fmt::format("go on with it: lab watch {} {}; or --output another.cu", lab.called(), file));
  }
  write_file(file, study::starter_text(lab, study, file), "the starter", files_read(arguments));
  if (arguments.has("json")) {
    fmt::print("{}\n", start_json(lab, study, file));
    return 0;
  }
  const std::string shown = safe_line(file);
  fmt::print("{}\n",
             toned(fmt::format("Lab {}: {}", lab.called(), lab.title), Tone::kStrong, console.out));
  fmt::print("Yours to edit: {} ({})\n\n{}\n", shown, study.variant,
             paragraph(study.step, console.out));
  fmt::print("  lab guess {0}\n      say a number before you see it\n", lab.called());
  fmt::print("  lab watch {0} {1}\n      run it each time that you save\n", lab.called(), shown);
  fmt::print("  lab hint {0}\n      where you are stuck; lab show {0} --handout has the theory\n",
             lab.called());
  return 0;
}

int run_hint(const Arguments& arguments, const Console& console) {
  const Lab& lab = find_lab(arguments.positionals().front());
  const study::Study study = study::read_study(lab);
  const auto count = std::ssize(study.hints);
  const auto number = arguments.number("number", 1, count).value_or(1);
  const bool answer = arguments.has("answer");
  const std::string& text =
      answer ? study.answer : study.hints[static_cast<std::size_t>(number - 1)];
  if (arguments.has("json")) {
    fmt::print("{}\n", hint_json(lab, answer ? 0 : number, count, text));
    return 0;
  }
  if (answer) {  // lines of code stay as they are
    fmt::print("The lines of {} that do it:\n\n{}", study.variant, text);
    return 0;
  }
  fmt::print("{}", paragraph(fmt::format("Hint {} of {}. {}", number, count, text), console.out));
  fmt::print("\n{}\n",
             number < count
                 ? fmt::format("The next: lab hint {} --number {}", lab.called(), number + 1)
                 : fmt::format("The code: lab hint {} --answer", lab.called()));
  return 0;
}

}  // namespace

Command start_command() {
  return {"start",
          "Copy a lab's starter, and say what to do first",
          {"LAB", "A lab's number or name: 3, bank_conflicts", 1, 1},
          {{"output", "FILE", "Where to copy it (default labN.cu)"}},
          "  lab start 3",
          run_start};
}

Command hint_command() {
  return {"hint",
          "Show one of a lab's hints, or its answer",
          {"LAB", "A lab's number or name: 3, bank_conflicts", 1, 1},
          {{"number", "N", "Which hint (default: the first; they get plainer)"},
           {"answer", "", "Show the lines of code that solve it"}},
          "  lab hint 3\n  lab hint 3 --number 2",
          run_hint};
}

}  // namespace lab::cli
