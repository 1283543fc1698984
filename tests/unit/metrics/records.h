// Case records with given values.
#pragma once

#include <initializer_list>
#include <string>

#include "harness/core/record.h"

namespace lab::testing_records {

struct Entry {
  std::string key;
  SourceOf source;
  double value;
  int pass = 0;
};

inline Observation observation(const std::string& key, SourceOf source, double value,
                               int pass = 0) {
  Observation made;
  made.metric = key;
  made.source = source;
  made.value = value;
  made.pass = pass;
  return made;
}

inline CaseRecord with(std::initializer_list<Entry> entries) {
  CaseRecord record;
  for (const auto& entry : entries) {
    record.observations.push_back(observation(entry.key, entry.source, entry.value, entry.pass));
  }
  return record;
}

inline void add_missing(CaseRecord& record, const std::string& key, SourceOf source,
                        Missing reason) {
  auto made = observation(key, source, 0);
  made.value = std::move(reason);
  record.observations.push_back(std::move(made));
}

}  // namespace lab::testing_records
