#include "labs/registry.h"

#include <algorithm>
#include <string>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "labs/09_capabilities/pattern.h"
#include "labs/input_file.h"
#include "labs/labs.h"

namespace lab {
namespace {

// Of the conflicts that addresses cause the hardware has a counter, too, so that theory says the
// same of both.
void add_counter_of_all(std::vector<TheoryRow>& theory) {
  const auto sum = std::find_if(theory.begin(), theory.end(), [](const TheoryRow& row) {
    return row.metric == "shared_bank_conflicts";
  });
  if (sum == theory.end()) return;
  TheoryRow counter = *sum;
  counter.metric = "shared_conflicts_all";
  theory.insert(sum + 1, std::move(counter));
}

std::vector<Lab> make_labs() {
  std::vector<Lab> labs = {
      labs::coalescing(), labs::bank_conflicts(), labs::transpose(), labs::participation(),
      labs::powers(),     labs::traversal(),      labs::matmul(),    labs::reduction(),
      labs::barriers(),   labs::layout(),         labs::dram(),      labs::capabilities(),
  };
  std::sort(labs.begin(), labs.end(),
            [](const Lab& a, const Lab& b) { return a.number < b.number; });
  for (Lab& lab : labs) {
    for (Variant& variant : lab.variants) add_counter_of_all(variant.theory);
  }
  return labs;
}

bool is_called(const Lab& lab, std::string_view name) {
  const auto number = std::to_string(lab.number);
  const bool padded = name.size() == 2 && name[0] == '0' && name.substr(1) == number;
  return name == number || padded || name == lab.id || name == lab.folder;
}

}  // namespace

const std::vector<Lab>& all_labs() {
  static const std::vector<Lab> kLabs = make_labs();
  return kLabs;
}

const std::vector<InputFile>& input_files() {
  static const std::vector<InputFile> kFiles = {labs::pattern_file()};
  return kFiles;
}

const Lab& find_lab(std::string_view name) {
  const auto& labs = all_labs();
  const auto found =
      std::find_if(labs.begin(), labs.end(), [&](const Lab& lab) { return is_called(lab, name); });
  if (found != labs.end()) return *found;
  std::vector<std::string> ids;
  for (const auto& lab : labs) ids.push_back(lab.id);
  throw input_error("there is no lab '" + std::string(name) + "'", suggestion(name, ids));
}

const Lab* lab_with_number(int number) {
  const auto& labs = all_labs();
  const auto found =
      std::find_if(labs.begin(), labs.end(), [&](const Lab& lab) { return lab.number == number; });
  return found == labs.end() ? nullptr : &*found;
}

}  // namespace lab
