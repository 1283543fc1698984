// Random records and tables against readers written for the tests alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "db/merge.h"
#include "db/query.h"
#include "db/verify.h"
#include "metrics/catalogue.h"
#include "metrics/values.h"
#include "tests/unit/db/support.h"

namespace lab::db {
namespace {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int below(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }
  bool chance() { return below(2) == 0; }
  double number() {
    static const double kOdd[] = {0.0, 1.0, -1.5, 0.1, 1e308, 5e-324, 1 / 3.0, 9007199254740993.0};
    return chance() ? kOdd[below(8)] : below(100000) / 8.0;
  }
  std::optional<double> maybe() {
    return chance() ? std::optional<double>(number()) : std::nullopt;
  }
  std::string text() {
    static const char* const kOdd[] = {"",      "a",        "NULL",     "'; DROP TABLE runs; --",
                                       "\"q\"", "ü\n\t,\r", "=1+1",     "{\"json\": [1]}",
                                       "0",     "-dlcm=cg", "\x01\x7f", "1e5"};
    return kOdd[below(12)];
  }
  std::string some_text() { return "x" + text(); }
  template <typename T>
  T pick(const std::vector<T>& values) {
    return values[static_cast<std::size_t>(below(static_cast<int>(values.size())))];
  }

 private:
  std::mt19937 engine_;
};

const std::vector<std::string> kMetrics = {
    "global_load_sectors", "global_load_requests", "shared_load_wavefronts",
    "dram_read_bytes",     "lts__t_requests.sum",  "smsp__sass_inst_executed.sum"};

constexpr int kReasons = static_cast<int>(kWordsOf<NoValue>.size());

std::vector<Observation> random_observations(Random& random) {
  std::vector<Observation> all;
  for (const std::string& metric : kMetrics) {
    for (int source = 1; source <= 5; ++source) {
      if (random.chance()) continue;
      Observation o;
      o.metric = metric;
      o.source = static_cast<SourceOf>(source);
      if (random.below(3) == 0) {
        o.value = Missing{static_cast<NoValue>(random.below(kReasons)), random.text()};
      } else {
        o.value = random.number();
        o.min = random.maybe();
        o.max = random.maybe();
      }
      o.samples = random.below(10);
      o.pass = random.below(4);
      all.push_back(o);
    }
  }
  std::reverse(all.begin(), all.end());
  return all;
}

std::vector<Verdict> random_verdicts(Random& random) {
  std::vector<Verdict> all;
  for (const std::string& metric : kMetrics) {
    if (random.below(3) == 0) continue;
    Verdict v;
    v.metric = metric;
    v.kind = static_cast<VerdictKind>(1 + random.below(5));
    v.reason = random.text();
    v.theory = random.maybe();
    v.theory_high = random.maybe();
    v.formula = random.text();
    if (random.below(3) != 0) v.level = static_cast<Level>(random.below(2));
    v.target = random.maybe();
    v.excess = random.maybe();
    all.push_back(v);
  }
  return all;
}

CaseRecord random_case(Random& random, int index) {
  CaseRecord record = random.chance() ? full_case(index) : stride_case(index, index, 1);
  record.variant = random.some_text();
  record.params = {};
  for (const char* name : {"n", "stride", "type"}) {
    if (random.chance()) record.params.set(name, std::int64_t{random.below(1000) - 500});
    if (random.chance()) record.params.set(name, random.text());
  }
  record.status = static_cast<CaseStatus>(1 + random.below(7));
  record.correct = random.chance() ? std::optional<bool>(random.chance()) : std::nullopt;
  record.reason = random.text();
  record.arch = random.chance() ? "sm_90" : "";
  record.notes = notes_from({{random.some_text(), random.some_text()},
                             {"é", random.some_text()},
                             {"checkers", random.chance() ? "full" : random.some_text()}});
  record.notes.printed = random.text();
  record.observations = random_observations(random);
  record.verdicts = random_verdicts(random);
  metrics::note_measured(record);
  return record;
}

RunRecord random_run(Random& random) {
  RunRecord run = full_run();
  run.uuid.clear();
  run.lab = random.below(4);
  run.student = random.text();
  run.gpu = random.text();
  run.arch = random.chance() ? "sm_80" : "";
  run.source_text = random.text();
  run.source_is_labs_own = random.chance();
  run.environment = {{random.some_text(), random.text()}};
  for (int i = 0; i < 4; ++i) run.cases.push_back(random_case(random, i));
  return run;
}

struct Property : testing::TestWithParam<unsigned> {
  Random random{GetParam()};
  TempFolder folder;
  std::string path = folder.file("x.db");
};

TEST_P(Property, AnyRecordRoundTripsAndMerges) {
  Store ours = Store::open(path, Mode::kCreate);
  std::vector<RunRecord> runs;
  for (int i = 0; i < 3; ++i) {
    runs.push_back(random_run(random));
    store(ours, runs.back());
  }
  Store other = Store::open(folder.file("y.db"), Mode::kCreate);
  merge(other, ours);
  EXPECT_TRUE(check_file(ours).empty());
  for (const RunRecord& run : runs) {
    EXPECT_EQ(ours.load_run(run.uuid), run);
    RunRecord merged = other.load_run(run.uuid);
    merged.id = run.id;
    EXPECT_EQ(merged, run);
    for (std::size_t i = 0; i < run.cases.size(); ++i) {
      EXPECT_TRUE(differences(merged.cases[i], run.cases[i]).empty());
    }
  }
}

// ---- compare, computed from the records without SQL ----

Value value_of(const std::optional<double>& value) {
  return value ? Value(*value) : Value(std::monostate{});
}
Value value_of(const std::string& text) {
  return text.empty() ? Value(std::monostate{}) : Value(text);
}

using ByMetric = std::map<std::string, std::map<SourceOf, Observation>>;

const Observation* with_value(const std::map<SourceOf, Observation>& sources, SourceOf source) {
  const auto found = sources.find(source);
  return found != sources.end() && found->second.has_value() ? &found->second : nullptr;
}

// The source that the catalogue's row names, else the other of cupti and sass, else ncu.
const Observation* measured_of(const std::string& metric,
                               const std::map<SourceOf, Observation>& sources) {
  const metrics::Metric* row = metrics::find(metric);
  const bool sass_first = row != nullptr ? row->measured == SourceOf::kSass
                                         : metric.find("__sass_") != std::string::npos;
  const Observation* sass = with_value(sources, SourceOf::kSass);
  const Observation* cupti = with_value(sources, SourceOf::kCupti);
  const Observation* ours =
      sass_first ? (sass != nullptr ? sass : cupti) : (cupti != nullptr ? cupti : sass);
  return ours != nullptr ? ours : with_value(sources, SourceOf::kNcu);
}

// Where the model has an interval: one end of it.
Value model_end(const std::map<SourceOf, Observation>& sources,
                std::optional<double> Observation::*end) {
  const Observation* model = with_value(sources, SourceOf::kModel);
  const bool ends = model != nullptr && model->min && model->max && *model->min < *model->max;
  return ends ? Value(*(model->*end)) : Value(std::monostate{});
}

Value number(const std::map<SourceOf, Observation>& sources, SourceOf source) {
  const Observation* found = with_value(sources, source);
  return found == nullptr ? Value(std::monostate{}) : Value(found->number());
}

std::vector<Value> compare_row(const RunRecord& run, const CaseRecord& record,
                               const std::string& metric, const Verdict* verdict,
                               const std::map<SourceOf, Observation>& sources) {
  const Verdict none;
  const Verdict& v = verdict == nullptr ? none : *verdict;
  const metrics::Metric* row = metrics::find(metric);
  const Observation* measured = measured_of(metric, sources);
  const Value correct =
      record.correct ? Value(std::int64_t{*record.correct ? 1 : 0}) : Value(std::monostate{});
  const Value theory = v.theory ? Value(*v.theory) : number(sources, SourceOf::kTheory);
  std::string counter = metric;
  if (row != nullptr) {
    counter = std::string(row->measured == SourceOf::kSass && !row->sass.empty() ? row->sass
                          : row->cupti.empty()                                   ? row->sass
                                                                                 : row->cupti);
  }
  const auto text = [](std::string_view t) { return Value(std::string(t)); };
  const Value null = std::monostate{};
  return {
      Value(run.id),
      text(run.uuid),
      text(run.started_at),
      Value(std::int64_t{run.lab}),
      value_of(run.student),
      text(record.variant),
      text(record.params.json()),
      value_of(run.gpu),
      value_of(record.arch.empty() ? run.arch : record.arch),
      text(name_of(record.status)),
      correct,
      text(metric),
      value_of(counter),
      row == nullptr ? null : text(row->unit),
      row == nullptr ? text("context") : text(name_of(row->metric_class)),
      v.level ? text(name_of(*v.level)) : null,
      theory,
      value_of(v.theory_high),
      value_of(v.formula),
      value_of(v.target),
      value_of(v.excess),
      number(sources, SourceOf::kModel),
      model_end(sources, &Observation::min),
      model_end(sources, &Observation::max),
      number(sources, SourceOf::kCupti),
      number(sources, SourceOf::kSass),
      number(sources, SourceOf::kNcu),
      measured == nullptr ? null : Value(measured->number()),
      measured == nullptr ? null : text(name_of(measured->source)),
      measured == nullptr ? null : value_of(measured->min),
      measured == nullptr ? null : value_of(measured->max),
      measured == nullptr ? null : Value(std::int64_t{measured->samples}),
      verdict == nullptr || v.kind == VerdictKind::kNone ? null : text(name_of(v.kind)),
      value_of(v.reason),
  };
}

std::vector<std::vector<Value>> compare_of(const RunRecord& run) {
  std::vector<std::vector<Value>> rows;
  for (const CaseRecord& record : run.cases) {
    ByMetric by_metric;
    for (const Observation& o : record.observations) by_metric[o.metric][o.source] = o;
    std::map<std::string, const Verdict*> verdicts;
    for (const Verdict& v : record.verdicts) verdicts[v.metric] = &v;
    std::set<std::string> keys;
    for (const auto& [metric, sources] : by_metric) keys.insert(metric);
    for (const auto& [metric, verdict] : verdicts) keys.insert(metric);
    for (const std::string& metric : keys) {
      const auto verdict = verdicts.find(metric);
      rows.push_back(compare_row(run, record, metric,
                                 verdict == verdicts.end() ? nullptr : verdict->second,
                                 by_metric[metric]));
    }
  }
  return rows;
}

TEST_P(Property, CompareIsWhatTheRecordsSay) {
  Store ours = Store::open(path, Mode::kCreate);
  for (int i = 0; i < 3; ++i) {
    RunRecord run = random_run(random);
    store(ours, run);
    std::vector<std::vector<Value>> want = compare_of(run);
    std::vector<std::vector<Value>> got =
        query(path, "SELECT * FROM compare WHERE run = " + std::to_string(run.id)).table.rows;
    // The view has no order of its own.
    const auto by_text = [](const std::vector<Value>& a, const std::vector<Value>& b) {
      return as_csv({{}, {a}}) < as_csv({{}, {b}});
    };
    std::sort(want.begin(), want.end(), by_text);
    std::sort(got.begin(), got.end(), by_text);
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t r = 0; r < got.size(); ++r) {
      for (std::size_t c = 0; c < got[r].size(); ++c) {
        EXPECT_EQ(got[r][c], want[r][c]) << "row " << r << " column " << c;
      }
    }
  }
}

// ---- formats, read back ----

// RFC 4180 with lines that end in LF, and nothing else.
std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1);
  std::string field;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"') {
        field += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        field += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',' || c == '\n') {
      rows.back().push_back(field);
      field.clear();
      if (c == '\n') rows.emplace_back();
    } else {
      field += c;
    }
  }
  rows.pop_back();
  return rows;
}

Table random_table(Random& random) {
  Table table{{"a", "b,c", "d"}, {}};
  for (int r = 0; r < 20; ++r) {
    std::vector<Value>& row = table.rows.emplace_back();
    for (int c = 0; c < 3; ++c) {
      const int kind = random.below(4);
      row.push_back(kind == 0   ? Value(std::monostate{})
                    : kind == 1 ? Value(std::int64_t{random.below(1000000) - 500000})
                    : kind == 2 ? Value(random.number())
                                : Value(random.text()));
    }
  }
  return table;
}

TEST_P(Property, CsvReadsBack) {
  const Table table = random_table(random);
  const auto rows = read_csv(as_csv(table, {false}));
  ASSERT_EQ(rows.size(), table.rows.size() + 1);
  EXPECT_EQ(rows[0], table.columns);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    for (std::size_t c = 0; c < 3; ++c) {
      const Value& value = table.rows[r][c];
      const std::string& text = rows[r + 1][c];
      if (const auto* real = std::get_if<double>(&value)) {
        EXPECT_EQ(std::strtod(text.c_str(), nullptr), *real);
      } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
        EXPECT_EQ(text, std::to_string(*whole));
      } else if (const auto* string = std::get_if<std::string>(&value)) {
        EXPECT_EQ(text, *string);
      } else {
        EXPECT_EQ(text, "");
      }
    }
  }
}

TEST_P(Property, JsonReadsBack) {
  const Table table = random_table(random);
  const nlohmann::json json = nlohmann::json::parse(as_json(table));
  ASSERT_EQ(json.size(), table.rows.size());
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    for (std::size_t c = 0; c < 3; ++c) {
      const Value& value = table.rows[r][c];
      const nlohmann::json& got = json[r][table.columns[c]];
      if (const auto* real = std::get_if<double>(&value)) {
        EXPECT_EQ(got.get<double>(), *real);
      } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
        EXPECT_EQ(got.get<std::int64_t>(), *whole);
      } else if (const auto* string = std::get_if<std::string>(&value)) {
        EXPECT_EQ(got.get<std::string>(), *string);
      } else {
        EXPECT_TRUE(got.is_null());
      }
    }
  }
}

TEST_P(Property, EveryLineOfATableIsOneLine) {
  const Table table = random_table(random);
  const std::string text = as_table(table);
  EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')),
            table.rows.size() + 2);
  for (const char c : text) {
    EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << static_cast<int>(c);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Property, testing::Range(1u, 6u));

}  // namespace
}  // namespace lab::db
