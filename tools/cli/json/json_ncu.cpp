#include "tools/cli/json/json_ncu.h"

#include "harness/ncu/unlike_page.h"
#include "harness/reading/run_reading.h"
#include "tools/cli/json/json_values.h"

namespace lab::cli {

std::string imported_json(const ncu::Imported& imported) {
  Json counters = Json::array();
  for (const ncu::CounterRow& row : ncu::counter_rows(imported.run)) {
    counters.push_back({{"metric", row.key},
                        {"source", name_of(row.source)},
                        {"class", text_json(row.metric_class)},
                        {"cases", row.cases},
                        {"equal", row.equal},
                        {"ours", number_json(row.ours)},
                        {"ncu", number_json(row.theirs)},
                        {"where", row.where},
                        {"cause", text_json(row.cause)}});
  }
  const Json json = {
      {"run", imported.run.id},    {"launches", imported.launches},
      {"cases", imported.cases},   {"by_range", imported.by_range},
      {"values", imported.values}, {"unmatched", imported.unmatched},
      {"notes", imported.notes},   {"unlike", ncu::unlike_of(imported.run)},
      {"counters", counters},      {"disagrees", reading::read(imported.run).verdicts.disagrees}};
  return printed(json);
}

}  // namespace lab::cli
