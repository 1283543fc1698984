// lab list: the labs there are, and the exercises that they come from.
#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/labs/registry.h"
#include "harness/run/places.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/json/json.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

constexpr std::string_view kExercises = "## The exercises behind the labs\n";

// A row of the table below that heading of labs/README.md: its cells, with no marks of code.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  for (const std::string_view cell : split(line.substr(1, line.size() - 2), '|')) {
    std::string text(trim(cell));
    text.erase(std::remove(text.begin(), text.end(), '`'), text.end());
    cells.push_back(safe_line(text));
  }
  return cells;
}

std::vector<Exercise> exercises(const std::string& labs_folder) {
  const std::string readme = run::read_text(labs_folder + "/README.md", "the table of exercises");
  std::string_view rest = readme;
  rest.remove_prefix(std::min(rest.find(kExercises), rest.size()));
  rest.remove_prefix(std::min(kExercises.size(), rest.size()));
  std::vector<Exercise> found;
  for (const std::string_view line : split(rest.substr(0, rest.find("\n## ")), '\n')) {
    if (line.substr(0, 2) != "| ") continue;
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() == 5 && cells[0] != "lab") {
      found.push_back({cells[0], cells[1], cells[2], cells[3], cells[4]});
    }
  }
  return found;
}

std::string entry(std::string_view name, std::string_view text, const Terminal& terminal) {
  constexpr int kIndent = 9;
  std::string out;
  for (const std::string& line : wrapped(text, terminal.width - kIndent)) {
    out += fmt::format("  {:<7}{}\n", out.empty() ? name : "", line);
  }
  return out;
}

std::string exercises_text(const std::vector<Exercise>& all, const Terminal& terminal) {
  std::string out;
  for (const Exercise& one : all) {
    bool first = true;
    const std::string title = fmt::format("Lab {}: {}", one.lab, one.exercise);
    for (const std::string& line : wrapped(title, terminal.width - 2)) {
      out += toned((first ? "" : "  ") + line, Tone::kStrong, terminal) + "\n";
      first = false;
    }
    out += entry("run", one.run, terminal);
    out += entry("claim", one.claim, terminal);
    out += entry("found", one.found, terminal) + "\n";
  }
  return out + fmt::format("{} exercises. Claims are their authors', on their GPUs.\n", all.size());
}

// Where the labs come from that did not come with the program.
Table table_of_labs(const std::vector<labs::Outline>& labs) {
  Table table{{{"Lab", Align::kRight},
               {"Name"},
               {"What it shows", Align::kLeft, true},
               {"Variants", Align::kRight},
               {"Cases", Align::kRight}}};
  const bool elsewhere = std::any_of(labs.begin(), labs.end(), [](const labs::Outline& one) {
    return !is_beside_program(one.head.path);
  });
  if (elsewhere) table.columns.push_back({"From"});
  for (const auto& [lab, variants, cases] : labs) {
    std::vector<Cell> row = {{lab.called() == lab.id ? "" : lab.called()},
                             {lab.id},
                             {lab.summary},
                             {std::to_string(variants)},
                             {std::to_string(cases)}};
    if (elsewhere) row.push_back({is_beside_program(lab.path) ? "" : safe_line(lab.path)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string broken_text(const std::vector<BrokenLab>& broken) {
  if (broken.empty()) return {};
  std::string text = "\nThese can't be read:\n";
  for (const BrokenLab& one : broken) text += "\n" + safe_text(render(one.error));
  return text;
}

int run_list(const Arguments& arguments, const Console& console) {
  if (arguments.has("sources")) {
    const auto all = exercises(lab_folders().back());
    fmt::print("{}", arguments.has("json") ? exercises_json(all) + "\n"
                                           : exercises_text(all, console.out));
    return 0;
  }
  if (arguments.has("json")) {
    fmt::print("{}\n", labs_json(list_labs()));
    return 0;
  }
  const LabList list = list_labs();
  fmt::print(
      "{}\nlab show 3 shows one of them, lab run 3 runs it.\n"
      "lab list --sources: the exercises that they come from.\n{}",
      table_text(table_of_labs(list.labs), console.out), broken_text(list.broken));
  return 0;
}

}  // namespace

Command list_command() {
  return {"list",
          "List the labs, or the exercises that they come from",
          {},
          {{"sources", "", "Exercises of lecture notes: their claims, and what we found"}},
          "  lab list\n  lab list --sources",
          run_list,
          true};
}

}  // namespace lab::cli
