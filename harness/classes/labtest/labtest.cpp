#include "harness/classes/labtest/labtest.h"

#include <fmt/format.h>

#include <array>
#include <chrono>

#include "harness/classes/labtest/checks.h"

namespace lab::labtest {
namespace {

struct Row {
  std::string_view name;
  void (*check)(const Subject&, Check&);
};

// In the order in which an author meets them.
constexpr std::array<Row, 10> kChecks = {{
    {"files", check_files},
    {"kernels", check_kernels},
    {"formulas", check_formulas},
    {"default points", check_default_points},
    {"random points", check_random_points},
    {"headlines", check_headlines},
    {"study", check_study},
    {"starter", check_starter},
    {"rubric", check_rubric},
    {"commands", check_commands},
}};

using Clock = std::chrono::steady_clock;

Check done(const Row& row, const Subject& subject) {
  Check check{std::string(row.name)};
  const Clock::time_point began = Clock::now();
  if (subject.settings.progress) subject.settings.progress(check.name, 0);
  try {
    row.check(subject, check);
  } catch (const Error& error) {
    // What a machine can't do is no fault of the lab's.
    if (error.fault() != Fault::kInput) throw;
    check.problems.push_back(render(error));
  }
  check.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  return check;
}

}  // namespace

std::string_view name_of(Outcome outcome) {
  constexpr std::array<std::string_view, 3> kNames = {"ok", "wrong", "not run"};
  return kNames.at(static_cast<std::size_t>(outcome));
}

std::string counted(std::size_t count, std::string_view what, std::string_view more) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : more);
}

Check unread(const Error& error) { return {"lab.toml", {}, {render(error)}}; }

void test_lab(const Lab& lab, const Settings& settings, run::EngineSet& engines,
              const std::function<void(const Check&)>& told) {
  const Subject subject{lab, settings, engines};
  told({"lab.toml", fmt::format("{}, {}", counted(lab.variants.size(), "variant"),
                                counted(lab.params.size(), "parameter"))});
  for (const Row& row : kChecks) {
    if (subject.stopped()) return;
    told(done(row, subject));
  }
}

}  // namespace lab::labtest
