#include "harness/grade/junit.h"

#include <fmt/format.h>

#include <algorithm>

namespace lab::grade {

namespace {

// XML 1.0 has no way to write most control characters; bytes that are not UTF-8 are for its reader.
std::string xml(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "&#10;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= ' ' || c == '\t') out += c;
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
