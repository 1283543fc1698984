// db/README.md is the schema's specification: it names every column, and its examples run.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "db/query.h"
#include "tests/unit/db/support.h"

namespace lab::db {
namespace {

std::string readme() {
  std::ifstream file(std::string(LAB_SOURCE_DIR) + "/db/README.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> sql_blocks(const std::string& text) {
  const std::string begin = "```sql\n";
  std::vector<std::string> blocks;
  for (auto at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    at += begin.size();
    blocks.push_back(text.substr(at, text.find("```", at) - at));
  }
  return blocks;
}

struct Readme : testing::Test {
  void SetUp() override {
    RunRecord run = full_run();
    run.cases = {full_case(0)};
    Store open = Store::open(path, Mode::kCreate, {{3, {"stride"}}});
    store(open, run);
  }
  std::vector<std::string> column(const std::string& sql) {
    std::vector<std::string> values;
    for (const auto& row : query(path, sql).table.rows) {
      values.push_back(std::get<std::string>(row.at(0)));
    }
    return values;
  }
  TempFolder folder;
  std::string path = folder.file("x.db");
};

TEST_F(Readme, ItsExamplesRun) {
  const auto blocks = sql_blocks(readme());
  EXPECT_GE(blocks.size(), 10u);
  for (const std::string& sql : blocks) {
    EXPECT_EQ(error_of([&] { (void)query(path, sql); }), "no error") << sql;
  }
}

TEST_F(Readme, ItSpecifiesEveryColumnOfEveryTable) {
  const std::string text = readme();
  for (const std::string& table :
       column("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")) {
    const auto begin = text.find("\n`" + table + "`");
    ASSERT_NE(begin, std::string::npos) << table;
    const std::string paragraph = text.substr(begin, text.find("\n\n", begin) - begin);
    for (const std::string& name : column("SELECT name FROM pragma_table_info('" + table + "')")) {
      EXPECT_NE(paragraph.find("`" + name + "`"), std::string::npos) << table << "." << name;
    }
  }
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// How sources write a key: `mark` stands where they do, and the key is the first group of what
// follows. (The mark is looked for first: an expression tried at each letter takes ten seconds.)
struct Written {
  std::string mark;
  std::string rest;
};

// The keys that the sources write in one of these ways.
std::set<std::string> keys_written(const std::vector<Written>& ways) {
  namespace fs = std::filesystem;
  std::set<std::string> keys;
  for (const char* folder : {"harness", "tools"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(LAB_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".cpp") continue;
      const std::string text = text_of(entry.path());
      for (const auto& [mark, rest] : ways) {
        const std::regex pattern(rest);
        for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
          const auto from = text.begin() + static_cast<std::ptrdiff_t>(at + mark.size());
          std::smatch found;
          if (std::regex_search(from, text.end(), found, pattern,
                                std::regex_constants::match_continuous)) {
            keys.insert(found[1]);
          }
        }
      }
    }
  }
  return keys;
}

// The keys in the first column of the table below a heading.
std::set<std::string> keys_listed(const std::string& heading) {
  const std::string text = readme();
  const auto begin = text.find(heading);
  const std::string section = text.substr(begin, text.find("\n#", begin + 1) - begin);
  std::set<std::string> keys;
  std::istringstream lines(section);
  const std::regex key_of("`([a-z_0-9]+)`");
  for (std::string line; std::getline(lines, line);) {
    if (line.substr(0, 3) != "| `") continue;
    const std::string cell = line.substr(0, line.find('|', 1));
    for (std::sregex_iterator at(cell.begin(), cell.end(), key_of), end; at != end; ++at) {
      keys.insert((*at)[1]);
    }
  }
  return keys;
}

TEST_F(Readme, ItListsTheKeysOfNotes) {
  std::set<std::string> written;
  const CaseNotes notes;
  visit_fields(notes, [&](const auto& field, const auto& /*member*/) {
    if (field.name != "others") written.emplace(field.name);
  });
  EXPECT_EQ(written, keys_listed("### Keys of `cases.facts`"));
}

TEST_F(Readme, ItListsTheKeysOfEnvironments) {
  const auto listed = keys_listed("### Keys of `environments`");
  const auto written = keys_written(
      {{"environment[\"", R"re(([a-z_]+)"\]\s*=)re"},
       {"values[\"", R"re(([a-z_]+)"\]\s*=)re"},
       {"sink_.environment(\"", R"re(([a-z_]+)")re"},
       {"{\"", R"re(((?:gpu|cuda|cupti)[a-z0-9_]*)", (?:facts|fmt::|on_off|mega|version))re"},
       {"out[\"", R"re(((?:gpu_|driver)[a-z0-9_]*)"\] =)re"}});
  // Not stored: where things lie on this machine, and what to do about what it lacks.
  const std::set<std::string> ours = {"cuda_headers", "cupti_advice", "kernel_cache",
                                      "nvrtc_advice"};
  for (const std::string& key : written) {
    EXPECT_TRUE(listed.count(key) + ours.count(key) > 0) << key;
  }
  EXPECT_GE(written.size(), 25u);  // the expressions above find what they are for
}

TEST_F(Readme, ItSpecifiesEveryColumnOfTheViews) {
  const std::string text = readme();
  for (const char* view : {"compare", "latest", "gradebook", "results", "outliers", "similar"}) {
    const auto begin = text.find(std::string("### ") + view);
    const std::string section = text.substr(begin, text.find("\n##", begin + 1) - begin);
    for (const std::string& name :
         column(std::string("SELECT name FROM pragma_table_info('") + view + "')")) {
      EXPECT_NE(section.find("`" + name + "`"), std::string::npos) << view << "." << name;
    }
  }
}

TEST_F(Readme, ItNamesEveryStoredNumber) {
  const std::string text = readme();
  for (int i = 1; i <= 8; ++i) {
    const std::string status(name_of(static_cast<CaseStatus>(i)));
    EXPECT_NE(text.find(std::to_string(i) + " " + status), std::string::npos) << status;
  }
  for (int i = 1; i <= 5; ++i) {
    const std::string verdict(name_of(static_cast<VerdictKind>(i)));
    const std::string source(name_of(static_cast<SourceOf>(i)));
    EXPECT_NE(text.find(std::to_string(i) + " " + verdict), std::string::npos) << verdict;
    EXPECT_NE(text.find(std::to_string(i) + " " + source), std::string::npos) << source;
  }
  for (int i = 1; i <= 10; ++i) {
    const std::string kind(name_of(static_cast<FindingKind>(i)));
    EXPECT_NE(text.find(std::to_string(i) + " " + kind), std::string::npos) << kind;
  }
}

}  // namespace
}  // namespace lab::db
