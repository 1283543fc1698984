#include "harness/classes/grade/assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>

#include "harness/core/formula.h"
#include "harness/core/text.h"
#include "harness/labs/lab_file.h"

namespace lab::grade {
namespace {

namespace fs = std::filesystem;

ProgramRun read_run(const TomlTable& table) {
  constexpr std::int64_t kMostStatus = 255;
  table.expect_only({"name", "arguments", "output", "tolerance", "script", "status", "seconds",
                     "hidden", "control"});
  ProgramRun run;
  run.name = table.required("name", "by which criteria call it");
  run.arguments = table.texts("arguments");
  run.output = table.text("output");
  run.tolerance = table.number("tolerance").value_or(0);
  run.script = table.text("script").value_or("");
  run.status = static_cast<int>(table.whole("status", 0, kMostStatus).value_or(0));
  run.seconds = table.number("seconds").value_or(run.seconds);
  run.hidden = table.flag("hidden").value_or(false);
  run.control = table.flag("control").value_or(true);
  if (run.output && !run.script.empty()) {
    throw table.wrong("script", "the output is compared with a text or by a script");
  }
  if (!run.output && run.script.empty()) {
    throw table.wrong("", "what has the program to print?",
                      "output = '''...''', or script = \"check.py\" beside this file");
  }
  if (table.has("tolerance") && !run.output) {
    throw table.wrong("tolerance", "a tolerance goes with an output");
  }
  if (run.tolerance < 0) throw table.wrong("tolerance", "'tolerance' is not negative");
  if (run.seconds <= 0) throw table.wrong("seconds", "'seconds' is a number above 0");
  if (fs::path(run.script).has_parent_path()) {
    throw table.wrong("script", "a script lies beside this file", "write its name alone");
  }
  return run;
}

const ProgramRun* run_called(const Rubric& rubric, const std::string& name) {
  const auto at = std::find_if(rubric.runs.begin(), rubric.runs.end(),
                               [&](const ProgramRun& one) { return one.name == name; });
  return at == rubric.runs.end() ? nullptr : &*at;
}

void read_runs(const TomlTable& root, Rubric& rubric) {
  for (const TomlTable& table : root.tables("run")) {
    ProgramRun run = read_run(table);
    if (run_called(rubric, run.name) != nullptr) {
      throw table.wrong("name", fmt::format("there are two runs '{}'", run.name));
    }
    rubric.runs.push_back(std::move(run));
  }
  if (rubric.runs.empty()) {
    throw input_error(fmt::format("{} has no run", rubric.name), "begin each with [[run]]");
  }
}

void expect_run(const TomlTable& table, const Rubric& rubric, const std::string& name) {
  if (run_called(rubric, name) != nullptr) return;
  std::vector<std::string> names;
  for (const ProgramRun& one : rubric.runs) names.push_back(one.name);
  throw table.wrong("run", fmt::format("there is no run '{}'", name), suggestion(name, names));
}

std::vector<std::string_view> split_at_blanks(std::string_view line) {
  std::vector<std::string_view> words;
  constexpr std::string_view kBlanks = " \t\r";
  for (std::size_t at = line.find_first_not_of(kBlanks); at != line.npos;
       at = line.find_first_not_of(kBlanks, at)) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

std::optional<double> number_in(std::string_view word) {
  double value = 0;
  const char* const end = word.data() + word.size();
  const auto [at, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || at != end) return std::nullopt;
  return value;
}

bool equal(std::string_view got, std::string_view wanted, double tolerance) {
  if (got == wanted) return true;
  const auto is = number_in(got);
  const auto was = number_in(wanted);
  return is && was && std::abs(*is - *was) <= tolerance * std::max(1.0, std::abs(*was));
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines = split(text, '\n');
  while (!lines.empty() && trim(lines.back()).empty()) lines.pop_back();
  return lines;
}

}  // namespace

Params params_of(const ProgramRun& run) {
  Params params;
  for (std::size_t i = 0; i < run.arguments.size(); ++i) {
    const std::string& word = run.arguments[i];
    std::int64_t number = 0;
    const auto [at, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool whole = error == std::errc() && at == word.data() + word.size();
    if (whole) params.set(fmt::format("argument_{}", i + 1), number);
  }
  return params;
}

std::string difference_of(std::string_view got, std::string_view wanted, double tolerance) {
  const std::vector<std::string_view> is = lines_of(got);
  const std::vector<std::string_view> was = lines_of(wanted);
  if (is.empty() && !was.empty()) return "it prints nothing";
  constexpr std::size_t kMostShown = 80;
  for (std::size_t i = 0; i < std::max(is.size(), was.size()); ++i) {
    if (i >= is.size()) {
      return fmt::format("its output ends before line {}: {}", i + 1,
                         trim(was[i]).substr(0, kMostShown));
    }
    const std::string_view shown = trim(is[i]).substr(0, kMostShown);
    if (i >= was.size()) return fmt::format("line {} of its output is too many: {}", i + 1, shown);
    const auto words = split_at_blanks(is[i]);
    const auto expected = split_at_blanks(was[i]);
    const bool same =
        words.size() == expected.size() &&
        std::equal(words.begin(), words.end(), expected.begin(),
                   [&](std::string_view a, std::string_view b) { return equal(a, b, tolerance); });
    if (same) continue;
    return fmt::format("line {} of its output is '{}', wanted '{}'", i + 1, shown,
                       trim(was[i]).substr(0, kMostShown));
  }
  return {};
}

std::optional<Rubric> read_assignment(const std::string& name, const std::string& text) {
  const TomlTable root = read_toml(name, text);
  if (!root.has("program")) return std::nullopt;
  root.expect_only({"program", "title", "pass", "arch", "run", "criterion"});
  Rubric rubric;
  rubric.name = name;
  rubric.text = text;
  rubric.sha256 = sha256_hex(text);
  const std::string called = root.required("program", "what the assignment is called");
  const bool plain = !called.empty() && std::all_of(called.begin(), called.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
  });
  if (!plain || std::isdigit(static_cast<unsigned char>(called[0])) != 0) {
    throw root.wrong("program", "a name has letters, digits, - and _, and begins with a letter");
  }
  auto own = std::make_shared<Lab>(labs::named_lab(called));
  own->title = root.text("title").value_or(called);
  rubric.own_lab = own;
  rubric.lab = own.get();
  rubric.arch = root.text("arch").value_or(rubric.arch);
  rubric.seed = 1;  // a program makes its own data
  read_runs(root, rubric);
  for (const TomlTable& table : root.tables("criterion")) {
    rubric.criteria.push_back(read_criterion(table, About::kProgram));
    rubric.of += rubric.criteria.back().points;
    expect_before(table, rubric);
    const Criterion& criterion = rubric.criteria.back();
    expect_run(table, rubric, criterion.variant);
    if (criterion.theory) {
      const Params params = params_of(*run_called(rubric, criterion.variant));
      table.placed("theory", [&] { return criterion.theory->value(numbers_of(params)); });
    }
  }
  expect_criteria(root, rubric);
  return rubric;
}

}  // namespace lab::grade
