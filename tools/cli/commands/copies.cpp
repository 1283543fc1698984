// lab copies: which submissions of a class are copies of each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "db/grades.h"
#include "harness/classes/grade/copies.h"
#include "harness/labs/registry.h"
#include "harness/run/places.h"
#include "harness/run/starter.h"
#include "tools/cli/commands/later.h"
#include "tools/cli/json/json_grade.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

using Texts = std::vector<grade::Handwriting>;

// `from`: what the names of another class's students are told apart by; empty: this class.
void add_class(Texts& all, db::Store& store, const Lab& lab, const std::string& from) {
  for (db::GradedText& one : db::graded_texts(store, lab.number)) {
    const std::string name = from.empty() ? one.student : fmt::format("{} ({})", one.student, from);
    all.push_back({name, from + "/" + one.file, std::move(one.text)});
  }
}

Cell how(const grade::Cluster& one) {
  if (one.alike == grade::Alike::kBytes) return {"the same text", Tone::kBad};
  return {fmt::format("{:.0f} % of what is their own", 100 * one.share), Tone::kNote};
}

std::string clusters_text(const std::vector<grade::Cluster>& clusters, const Terminal& terminal) {
  Table table{{{"students", Align::kLeft, true}, {"alike"}, {"such as", Align::kLeft, true}}};
  for (const grade::Cluster& one : clusters) {
    std::string names = fmt::format("{}", fmt::join(one.students, ", "));
    if (one.with_solution) names += ", the lab's own";
    table.rows.push_back({{safe_line(names)}, how(one), {safe_line(one.shown), Tone::kDim}});
  }
  return table_text(table, terminal, 2);
}

}  // namespace

int run_copies(const Arguments& arguments, const Console& console) {
  const Lab& lab = find_lab(arguments.positionals().front());
  db::Store store = db::Store::open(database_path(arguments), db::Mode::kReadOnly);
  Texts all;
  add_class(all, store, lab, {});
  const std::size_t submissions = all.size();
  std::set<std::string> students;
  for (const grade::Handwriting& one : all) students.insert(one.student);
  for (const std::string& path : arguments.values("with")) {
    db::Store other = db::Store::open(path, db::Mode::kReadOnly);
    add_class(all, other, lab, std::filesystem::path(path).filename().string());
  }
  const KernelText own = run::own_kernels(lab);
  all.push_back({{}, {}, own.text});
  // A lab without marks has no starter: all is the students' own.
  const std::string starter = run::has_lab_file(lab, run::kStarterFile)
                                  ? run::starter_of(lab).text
                                  : run::cut_starter(own.name, own.text).text;
  std::vector<grade::Cluster> clusters = grade::copies_among(all, starter);
  // What others did among themselves is not asked.
  std::erase_if(clusters, [&](const grade::Cluster& one) {
    return std::none_of(one.students.begin(), one.students.end(),
                        [&](const std::string& name) { return students.count(name) > 0; });
  });
  if (arguments.has("json")) {
    fmt::print("{}\n", copies_json(submissions, clusters));
    return 0;
  }
  std::size_t alike = 0;
  for (const grade::Cluster& one : clusters) alike += one.students.size();
  if (alike > 0) fmt::print("{}\n", clusters_text(clusters, console.out));
  fmt::print(
      "{} of {} submissions are like others, in {} groups. Why is for a person to find out.\n",
      alike, submissions, clusters.size());
  return 0;
}

}  // namespace lab::cli
