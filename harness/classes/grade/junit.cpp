#include "harness/classes/grade/junit.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/markup.h"

namespace lab::grade {

namespace {

// A line feed in an attribute would be read as a blank.
std::string xml(const std::string& text) {
  std::string out;
  for (const char c : escaped(text)) {
    if (c == '\n') {
      out += "&#10;";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string junit_xml(const std::string& suite, const std::vector<JunitTest>& tests) {
  const auto failures = std::count_if(tests.begin(), tests.end(),
                                      [](const JunitTest& one) { return !one.failure.empty(); });
  const auto skipped = std::count_if(tests.begin(), tests.end(),
                                     [](const JunitTest& one) { return !one.skipped.empty(); });
  double seconds = 0;
  for (const JunitTest& one : tests) seconds += one.seconds;
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"{}\" "
      "tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{:.3f}\">\n",
      xml(suite), tests.size(), failures, skipped, seconds);
  for (const JunitTest& one : tests) {
    out += fmt::format("<testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">", xml(one.group),
                       xml(one.name), one.seconds);
    if (!one.failure.empty()) out += fmt::format("<failure message=\"{}\"/>", xml(one.failure));
    if (!one.skipped.empty()) out += fmt::format("<skipped message=\"{}\"/>", xml(one.skipped));
    out += "</testcase>\n";
  }
  return out + "</testsuite>\n</testsuites>\n";
}

}  // namespace lab::grade
