#include "tools/cli/json/json_tested.h"

#include "tools/cli/json/json_values.h"

namespace lab::cli {

std::size_t TestedLab::problems() const {
  std::size_t problems = 0;
  for (const labtest::Check& check : checks) problems += check.problems.size();
  return problems;
}

std::string tested_json(const std::vector<TestedLab>& labs) {
  Json list = Json::array();
  for (const TestedLab& lab : labs) {
    Json checks = list_of(lab.checks, [](const labtest::Check& check) -> Json {
      return {{"name", check.name},
              {"outcome", labtest::name_of(check.outcome())},
              {"told", check.told},
              {"problems", check.problems},
              {"seconds", number_json(check.seconds)}};
    });
    list.push_back({{"lab", lab.lab},
                    {"path", lab.path},
                    {"fine", lab.problems() == 0},
                    {"checks", std::move(checks)}});
  }
  return printed({{"labs", std::move(list)}});
}

}  // namespace lab::cli
