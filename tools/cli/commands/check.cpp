// lab check: kernels held against what a file asks of them and against their baseline.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "harness/classes/grade/check.h"
#include "harness/classes/grade/junit.h"
#include "harness/core/error.h"
#include "harness/core/files.h"
#include "harness/run/places.h"
#include "tools/cli/arguments/run_options.h"
#include "tools/cli/commands/later.h"
#include "tools/cli/json/json_grade.h"
#include "tools/cli/terminal/progress.h"

namespace lab::cli {

namespace {

std::vector<grade::Snapshot> stored_baseline(const grade::CheckFile& file) {
  if (!std::filesystem::exists(file.baseline)) return {};
  return grade::read_baseline(file.baseline, run::read_text(file.baseline, "the baseline"));
}

std::vector<grade::Snapshot> snapshots_of(const std::vector<grade::Checked>& all) {
  std::vector<grade::Snapshot> snapshots;
  for (const grade::Checked& one : all) {
    snapshots.insert(snapshots.end(), one.snapshots.begin(), one.snapshots.end());
  }
  return snapshots;
}

std::vector<grade::JunitTest> tests_of(const std::vector<grade::Checked>& all) {
  std::vector<grade::JunitTest> tests;
  for (const grade::Checked& one : all) {
    const std::string group = one.name + " " + one.arch;
    tests.push_back({group, "runs", one.seconds, one.error});
    for (const grade::CheckedCriterion& criterion : one.criteria) {
      const bool met = criterion.met == grade::Met::kYes;
      tests.push_back({group, criterion.name, 0, met ? std::string() : criterion.reason});
    }
    std::string changes;
    for (const std::string& change : one.changes) changes += change + "\n";
    if (one.error.empty()) tests.push_back({group, "baseline", 0, changes, one.no_baseline});
  }
  return tests;
}

void print_indented(const std::string& text, int indent, const Terminal& terminal) {
  constexpr int kWidest = 80;
  fmt::print("{}", paragraph(safe_line(text), std::min(terminal.width, kWidest), indent));
}

void print(const grade::Checked& one, const Terminal& terminal) {
  const bool fine = one.fine();
  fmt::print("{} {}, {}\n",
             toned(fine ? "ok    " : "failed", fine ? Tone::kGood : Tone::kBad, terminal),
             safe_line(one.name), safe_line(one.arch));
  if (fine) print_indented(one.looked_for, 7, terminal);
  // The compiler's text keeps its lines and its caret.
  if (!one.error.empty()) fmt::print("{}\n", safe_text(one.error));
  for (const grade::CheckedCriterion& criterion : one.criteria) {
    if (criterion.met == grade::Met::kYes) continue;
    print_indented(criterion.name + ": " + criterion.reason, 7, terminal);
  }
  for (const std::string& change : one.changes) print_indented(change, 7, terminal);
  std::set<std::string> places;
  for (const grade::Problem& problem : one.problems) {
    const std::string place = fmt::format("{}:{}", problem.file, problem.line);
    if (problem.line > 0 && places.insert(place).second) print_indented(place, 7, terminal);
  }
}

std::string closing(const std::vector<grade::Checked>& all, const grade::CheckFile& file,
                    const std::vector<std::string>& gone) {
  std::size_t failed = 0;
  std::size_t without = 0;
  for (const grade::Checked& one : all) {
    failed += one.fine() ? 0 : 1;
    without += one.no_baseline.empty() ? 0 : 1;
  }
  std::string text =
      fmt::format("{} checks: {} ok, {} failed.\n", all.size(), all.size() - failed, failed);
  if (without > 0) {
    text += fmt::format(
        "{} not compared with {}: --update writes it, --allow-missing does\n"
        "without.\n",
        without, safe_line(file.baseline));
  }
  for (const std::string& name : gone) {
    text +=
        fmt::format("The baseline has {}, which no case is: renamed? --update\n", safe_line(name));
  }
  return text;
}

// sm_90, sm_90a; whether the compiler has it is its to say.
void require_arch(const std::string& arch) {
  constexpr std::string_view kBegins = "sm_";
  constexpr std::string_view kDigits = "0123456789";
  std::string_view rest = arch;
  rest.remove_prefix(std::min(kBegins.size(), rest.size()));
  const std::size_t digits = std::min(rest.find_first_not_of(kDigits), rest.size());
  const std::string_view letter = rest.substr(digits);
  const bool ends = letter.empty() || letter == "a" || letter == "f";
  if (arch.starts_with(kBegins) && (digits == 2 || digits == 3) && ends) return;
  throw input_error(fmt::format("'{}' is not an architecture", arch),
                    "write sm_ and two or three digits: sm_90, sm_100");
}

// A line that GitHub shows at the file's line.
std::string annotation(const grade::Problem& problem) {
  const auto escaped = [](const std::string& text, std::string_view more) {
    std::string out;
    for (const char c : safe_text(text)) {
      const bool special = c == '%' || c == '\n' || c == '\r' || more.find(c) != more.npos;
      out += special ? fmt::format("%{:02X}", static_cast<unsigned>(c)) : std::string(1, c);
    }
    return out;
  };
  return fmt::format("::error file={},line={}::{}", escaped(problem.file, ":,"), problem.line,
                     escaped(problem.text, ""));
}

void print_annotations(const std::vector<grade::Checked>& all) {
  for (const grade::Checked& one : all) {
    for (grade::Problem problem : one.problems) {
      problem.text = fmt::format("{}, {}: {}", one.name, one.arch, problem.text);
      fmt::print(stderr, "{}\n", annotation(problem));
    }
  }
}

}  // namespace

int run_check(const Arguments& arguments, const Console& console) {
  grade::CheckFile file = grade::read_check_file(arguments.positionals().front());
  if (const auto archs = arguments.names("arch"); !archs.empty()) file.archs = archs;
  for (const std::string& arch : file.archs) require_arch(arch);
  const bool update = arguments.has("update");
  const auto junit = arguments.value("junit");
  const std::vector<std::string> inputs = files_read(arguments);
  if (junit) require_output(*junit, inputs);
  const std::vector<grade::Snapshot> baseline =
      update ? std::vector<grade::Snapshot>() : stored_baseline(file);
  run::EngineSet engines(workers_from(arguments, console));
  Progress progress(console.err);
  grade::CheckOptions options;
  options.with_code = update || !baseline.empty();
  options.cancelled = console.interrupted;
  options.progress = [&](std::size_t done, std::size_t all) {
    progress.show("check", static_cast<double>(done) / static_cast<double>(all));
  };
  std::vector<grade::Checked> all = grade::check(file, baseline, engines, options);
  progress.clear();
  if (console.interrupted()) return 1;
  if (update) {
    write_file(file.baseline, grade::baseline_text(snapshots_of(all)), "the baseline", inputs);
    for (grade::Checked& one : all) one.no_baseline.clear();
  }
  const std::vector<std::string> gone = grade::unchecked(baseline, all);
  if (junit) write_file(*junit, grade::junit_xml(file.name, tests_of(all)), "the results", inputs);
  if (arguments.has("json")) {
    fmt::print("{}\n", checked_json(all));
  } else {
    for (const grade::Checked& one : all) print(one, console.out);
    fmt::print("{}", closing(all, file, gone));
    if (update) fmt::print("Baseline written: {}\n", safe_line(file.baseline));
  }
  if (arguments.has("annotations")) print_annotations(all);
  const bool missing = !update && !arguments.has("allow-missing");
  for (const grade::Checked& one : all) {
    if (!one.fine() || (missing && !one.no_baseline.empty())) return 1;
  }
  return missing && !gone.empty() ? 1 : 0;
}

}  // namespace lab::cli
