#include "harness/core/sections.h"

#include <algorithm>
#include <map>
#include <set>

namespace lab {

void find_varying(Section& section) {
  std::map<std::string, std::set<ParamValue>> values;
  for (const CaseRecord* record : section.cases) {
    for (const auto& [name, value] : record->params.all()) values[name].insert(value);
  }
  section.varying.clear();
  section.fixed.clear();
  for (const auto& [name, seen] : values) {
    (seen.size() > 1 ? section.varying : section.fixed).push_back(name);
  }
}

std::vector<Section> sections_of(const std::vector<const CaseRecord*>& cases) {
  std::vector<Section> sections;
  for (const CaseRecord* record : cases) {
    const auto same = [&](const Section& section) { return section.variant == record->variant; };
    auto found = std::find_if(sections.begin(), sections.end(), same);
    if (found == sections.end()) found = sections.insert(sections.end(), {record->variant});
    found->cases.push_back(record);
  }
  for (Section& section : sections) find_varying(section);
  return sections;
}

std::vector<Section> sections_of(const RunRecord& run) {
  std::vector<const CaseRecord*> cases;
  for (const CaseRecord& record : run.cases) cases.push_back(&record);
  return sections_of(cases);
}

}  // namespace lab
