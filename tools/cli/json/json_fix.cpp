#include "tools/cli/json/json_fix.h"

#include "tools/cli/json/json_values.h"

namespace lab::cli {

namespace {

Json used_line_json(const run::UsedLine& line) {
  return {{"line", line.line},
          {"op", name_of(line.op)},
          {"requests", line.requests},
          {"cost", line.cost},
          {"least", line.least}};
}

Json candidate_json(const layout::Candidate& one, const std::string& name) {
  return {{"family", layout::name_of(one.layout.family)},
          {"written", layout::written(one.layout, name)},
          {"cost", one.cost},
          {"bytes", one.bytes}};
}

Json array_json(const run::ArrayFix& fix) {
  Json lines = Json::array();
  for (const run::UsedLine& line : fix.lines) lines.push_back(used_line_json(line));
  Json better = Json::array();
  for (const layout::Candidate& one : fix.solution.better) {
    better.push_back(candidate_json(one, fix.name));
  }
  return {{"name", text_json(fix.name)},    {"space", name_of(fix.array.space)},
          {"bytes", fix.array.bytes},       {"element", fix.problem.element},
          {"columns", fix.problem.columns}, {"unit", fix.problem.global ? "sectors" : "wavefronts"},
          {"cost", fix.solution.now.cost},  {"least", fix.solution.least},
          {"tried", fix.solution.tried},    {"lines", std::move(lines)},
          {"better", std::move(better)}};
}

}  // namespace

std::string fixes_json(const RunRecord& run, const std::vector<run::ArrayFix>& fixes,
                       bool complete) {
  Json json = {{"kernel", nullptr}, {"blocks", nullptr}, {"complete", complete}};
  if (!run.cases.empty()) {
    json["kernel"] = run.cases.front().kernel;
    json["blocks"] = run.cases.front().launch.grid.count();
  }
  Json arrays = Json::array();
  for (const run::ArrayFix& fix : fixes) arrays.push_back(array_json(fix));
  json["arrays"] = std::move(arrays);
  return printed(json);
}

}  // namespace lab::cli
