// Results as JUnit XML, which every server of continuous integration reads.
#pragma once

#include <string>
#include <vector>

namespace lab::grade {

struct JunitTest {
  std::string group;  ///< its class: a case, a student
  std::string name;
  double seconds = 0;
  std::string failure = {};  ///< empty: it passed
  std::string skipped = {};  ///< why it says nothing; empty: it does
};

[[nodiscard]] std::string junit_xml(const std::string& suite, const std::vector<JunitTest>& tests);

}  // namespace lab::grade
