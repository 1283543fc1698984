// What no seal of one run or grade can say: which is the newest, which fingerprints and views there
// are, and whether what belongs together does.
#pragma once

#include <SQLiteCpp/Database.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace lab::db {

/// Does `change` and seals the file's head as it is then: the newest run, the newest grade, the
/// fingerprints of the labs' own kernels, and apart from these the adjustments, deadlines and names
/// of students. Without a key there is none. A part that did not hold before stays as it was:
/// sealed anew, what was taken away would be forgotten. A file that an older program began has no
/// seal of what is written by hand until seal_by_hand(). In a transaction of the caller.
void move_head(SQLite::Database& database, const std::string& key,
               const std::function<void()>& change);

/// Seals adjustments, deadlines and names of students as they are now. Throws an input error where
/// there is no key, or where the rest of the head does not hold.
void seal_by_hand(SQLite::Database& database, const std::string& key);

/// Fingerprints by kernel, as one number; empty: there are none.
[[nodiscard]] std::string sum_of_fingerprints(const std::map<std::string, std::string>& all);

/// The grade that holds them: a sentence where a student's fingerprints are not those that were
/// stored with the newest grade.
[[nodiscard]] std::string check_fingerprints(SQLite::Database& database, std::int64_t grade_id);

/// Whether the head is the key's: a sentence for each part that is not. With no key nothing can be
/// told.
[[nodiscard]] std::vector<std::string> check_head(SQLite::Database& database,
                                                  const std::string& key);

/// Grades that do not belong to their run or to their rubric, and fingerprints of nobody: told
/// without a key.
[[nodiscard]] std::vector<std::string> check_links(SQLite::Database& database);

/// Views and rows of the catalogue that this program would not write.
[[nodiscard]] std::vector<std::string> check_views(SQLite::Database& database);

/// What a grader writes by hand, where the key has not sealed it: a sentence for each, to be held
/// against notes.
[[nodiscard]] std::vector<std::string> unsealed(SQLite::Database& database, const std::string& key);

}  // namespace lab::db
