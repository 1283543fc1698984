#include "db/heads.h"

#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "db/seal.h"
#include "db/statement.h"
#include "db/views.h"
#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab::db {
namespace {

// The rows of a query, each a line, its columns as texts with their lengths.
std::string rows_text(SQLite::Database& database, const std::string& sql) {
  SQLite::Statement rows(database, sql);
  std::string text;
  while (rows.executeStep()) {
    for (int i = 0; i < rows.getColumnCount(); ++i) {
      const std::string value = rows.getColumn(i).getString();
      text += fmt::format("{}:{};", value.size(), value);
    }
    text += '\n';
  }
  return text;
}

std::string head_content(SQLite::Database& database) {
  return rows_text(database, "SELECT 'run', last FROM chain") +
         rows_text(database, "SELECT 'grade', last FROM grade_chain") +
         rows_text(database,
                   "SELECT lab, kernel, sha256 FROM fingerprints WHERE student = ''"
                   " ORDER BY lab, kernel");
}

// Names, deadlines and adjustments: what a grader writes by hand, too.
std::string content_by_hand(SQLite::Database& database) {
  return rows_text(database,
                   "SELECT id, student, lab, points, reason, author, made_at FROM adjustments"
                   " ORDER BY id") +
         "deadlines\n" +
         rows_text(database, "SELECT lab, student, due FROM deadlines ORDER BY lab, student") +
         "students\n" +
         rows_text(database, "SELECT student, name, email FROM students ORDER BY student");
}

/// What the head holds: one number of the chains, and behind a space one of what is written by
/// hand. A file of an older program has the first alone, made so that it is none of the others.
struct Head {
  std::string chains = {};
  std::string by_hand = {};
};

Head head_of(SQLite::Database& database, const std::string& key, bool both) {
  const char* const title = both ? "lab head of two\n" : "lab head\n";
  Head head{sealed_number(title + head_content(database), key)};
  if (both) head.by_hand = sealed_number("lab by hand\n" + content_by_hand(database), key);
  return head;
}

std::optional<Head> stored_head(SQLite::Database& database) {
  SQLite::Statement stored(database, "SELECT sha256 FROM head");
  if (!stored.executeStep()) return {};
  const std::string text = stored.getColumn(0).getString();
  const std::size_t space = std::min(text.find(' '), text.size());
  return Head{text.substr(0, space), text.substr(std::min(space + 1, text.size()))};
}

void store_head(SQLite::Database& database, const Head& head) {
  SQLite::Statement put(database, "INSERT OR REPLACE INTO head(id, sha256) VALUES (1, ?)");
  execute(put, head.by_hand.empty() ? head.chains : head.chains + " " + head.by_hand);
}

/// Says of each part whether it is as the key sealed it.
struct Holds {
  bool chains = false;
  bool by_hand = false;
  bool sealed_by_hand = false;  ///< else a person has to look at it
};

Holds what_holds(SQLite::Database& database, const std::string& key) {
  const std::optional<Head> stored = stored_head(database);
  if (!stored) {  // nothing was ever there, or it was taken away
    const bool fresh = head_content(database).empty();
    const bool bare = content_by_hand(database) == "deadlines\nstudents\n";
    return {fresh, fresh, fresh && bare};
  }
  const bool both = !stored->by_hand.empty();
  const Head now = head_of(database, key, both);
  return {stored->chains == now.chains, stored->by_hand == now.by_hand, both};
}

std::vector<std::string> sentences(SQLite::Database& database, const char* sql) {
  SQLite::Statement rows(database, sql);
  std::vector<std::string> all;
  while (rows.executeStep()) all.push_back(rows.getColumn(0).getString());
  return all;
}

// What of a grade its run, its rubric and its criteria have to say alike. Each a sentence.
constexpr const char* kLinks[] = {
    "SELECT format('grade %d (%s, lab %d): its run is of student ''%s'', lab %d', g.id, g.student,"
    " g.lab, coalesce(r.student, ''), r.lab) FROM grades g JOIN runs r ON r.id = g.run_id"
    " WHERE r.student IS NOT g.student OR r.lab <> g.lab ORDER BY g.id",
    "SELECT format('grade %d (%s, lab %d): its run has another seed than its rubric', g.id,"
    " g.student, g.lab) FROM grades g JOIN runs r ON r.id = g.run_id"
    " JOIN rubrics b ON b.sha256 = g.rubric_sha256 WHERE r.seed IS NOT b.seed ORDER BY g.id",
    "SELECT format('grade %d (%s, lab %d): its rubric is of another lab, or of other points', g.id,"
    " g.student, g.lab) FROM grades g JOIN rubrics b ON b.sha256 = g.rubric_sha256"
    " WHERE b.lab <> g.lab OR b.of <> g.of ORDER BY g.id",
    "SELECT format('grade %d (%s, lab %d): its criteria have %g points, it has %g', g.id,"
    " g.student, g.lab, coalesce((SELECT sum(c.points) FROM criteria c WHERE c.grade_id = g.id), "
    "0),"
    " g.points) FROM grades g WHERE abs(g.points - coalesce((SELECT sum(c.points) FROM criteria c"
    " WHERE c.grade_id = g.id), 0)) > 1e-6 ORDER BY g.id",
    "SELECT format('grade %d (%s, lab %d): its run was not finished', g.id, g.student, g.lab)"
    " FROM grades g JOIN runs r ON r.id = g.run_id WHERE r.finished_at IS NULL ORDER BY g.id",
    "SELECT format('grade %d (%s, lab %d): it has points and no run', g.id, g.student, g.lab)"
    " FROM grades g WHERE g.run_id IS NULL AND g.points > 0 ORDER BY g.id",
    "SELECT format('there are fingerprints of ''%s'', who has no grade in lab %d', student, lab)"
    " FROM fingerprints f WHERE student <> '' AND NOT EXISTS (SELECT 1 FROM grades g WHERE"
    " g.student = f.student AND g.lab = f.lab) GROUP BY lab, student ORDER BY lab, student",
    "SELECT format('lab %d has a parameter ''%s'', which its view lacks', r.lab, p.key)"
    " FROM runs r JOIN cases c ON c.run_id = r.id JOIN json_each(c.params) p WHERE"
    " json_valid(c.params) AND NOT EXISTS (SELECT 1 FROM lab_params l WHERE l.lab = r.lab"
    " AND l.name = p.key) GROUP BY r.lab, p.key ORDER BY 1",
};

}  // namespace

std::string sum_of_fingerprints(const std::map<std::string, std::string>& all) {
  std::string text;
  for (const auto& [kernel, sha256] : all) {
    text += fmt::format("{}:{};{};\n", kernel.size(), kernel, sha256);
  }
  return text.empty() ? text : sha256_hex(text);
}

std::string check_fingerprints(SQLite::Database& database, std::int64_t grade_id) {
  SQLite::Statement grade(
      database,
      "SELECT g.lab, g.student, coalesce(g.fingerprints_sha256, '') FROM grades g"
      " JOIN grade_seals s ON s.grade_id = g.id WHERE g.id = ? AND s.version >= 12"
      " AND g.id = (SELECT max(id) FROM grades n WHERE n.student = g.student AND n.lab = g.lab)");
  start(grade, grade_id);
  if (!grade.executeStep()) return {};
  SQLite::Statement rows(database,
                         "SELECT kernel, sha256 FROM fingerprints WHERE lab = ? AND student = ?");
  start(rows, grade.getColumn(0).getInt(), grade.getColumn(1).getString());
  std::map<std::string, std::string> all;
  while (rows.executeStep()) all[rows.getColumn(0).getString()] = rows.getColumn(1).getString();
  if (sum_of_fingerprints(all) == grade.getColumn(2).getString()) return {};
  return "its fingerprints are not those that were stored with it";
}

void move_head(SQLite::Database& database, const std::string& key,
               const std::function<void()>& change) {
  const Holds before = key.empty() ? Holds() : what_holds(database, key);
  const std::optional<Head> stored = before.chains ? stored_head(database) : std::nullopt;
  change();
  if (!before.chains) return;
  Head head = head_of(database, key, before.sealed_by_hand);
  if (!before.by_hand && stored) head.by_hand = stored->by_hand;
  store_head(database, head);
}

void seal_by_hand(SQLite::Database& database, const std::string& key) {
  if (key.empty()) {
    throw input_error("there is no key to seal with", "LAB_SEAL_KEY is a grader's secret");
  }
  if (!what_holds(database, key).chains) {
    throw input_error("the end of its chains is not sealed with the key: nothing is sealed anew",
                      "lab verify says what is wrong with the file");
  }
  store_head(database, head_of(database, key, true));
}

std::vector<std::string> check_head(SQLite::Database& database, const std::string& key) {
  if (key.empty()) return {};
  const Holds now = what_holds(database, key);
  std::vector<std::string> problems;
  if (!now.chains) {
    problems.emplace_back(
        "the end of its chains is not sealed with the key: the newest run or grade may be gone, or"
        " fingerprints of a lab's own kernels");
  }
  if (!now.by_hand && now.sealed_by_hand) {
    problems.emplace_back(
        "adjustments, deadlines or names of students are not those that were sealed with the key"
        " (where they are right, lab verify --seal seals them)");
  }
  return problems;
}

std::vector<std::string> check_links(SQLite::Database& database) {
  std::vector<std::string> problems;
  for (const char* sql : kLinks) {
    for (std::string& one : sentences(database, sql)) problems.push_back(std::move(one));
  }
  return problems;
}

std::vector<std::string> check_views(SQLite::Database& database) {
  std::vector<std::string> problems;
  if (const auto views = other_views(database); !views.empty()) {
    problems.push_back(fmt::format(
        "views that are not as this program writes them (other programs show what they say): {}",
        fmt::join(views, ", ")));
  }
  if (const auto metrics = other_metrics(database); !metrics.empty()) {
    problems.push_back(fmt::format("rows of table metrics that are not as the catalogue: {}",
                                   fmt::join(metrics, ", ")));
  }
  return problems;
}

std::vector<std::string> unsealed(SQLite::Database& database, const std::string& key) {
  if (!key.empty()) {
    const Holds now = what_holds(database, key);
    if (now.sealed_by_hand && now.by_hand) return {};
  }
  std::vector<std::string> notes = sentences(
      database,
      "SELECT format('adjustment: %s, lab %d: %+g points, by %s, %s: %s', student, lab, points,"
      " coalesce(author, 'nobody named'), made_at, reason) FROM adjustments ORDER BY id");
  for (std::string& one :
       sentences(database,
                 "SELECT format('deadline of %s, lab %d: %s', student, lab, due) FROM deadlines"
                 " WHERE student <> '' ORDER BY lab, student")) {
    notes.push_back(std::move(one));
  }
  return notes;
}

}  // namespace lab::db
