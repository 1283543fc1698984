// What a finished run holds, as one number: whoever edits the file by other means is found.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <string>
#include <vector>

namespace lab::db {

/// A row of table seals.
struct Seal {
  int version = 0;            ///< the schema whose columns it covers
  std::string previous = {};  ///< uuid of the run sealed before it in its first file; empty: none
  std::string sha256 = {};    ///< empty: of a run stored before there were seals
  bool keyed = false;
};

/// SHA-256 of `content`; with a `key` a number that nobody can make who does not have the key.
[[nodiscard]] std::string sealed_number(const std::string& content, const std::string& key);

/// The seal's number of a run as it is stored: SHA-256 of every column of it and of all that
/// belongs to it, in an order of their own, and of `previous`. With a `key` nobody can make it who
/// does not have the key.
[[nodiscard]] std::string seal_of(SQLite::Database& database, std::int64_t run_id, int version,
                                  const std::string& previous, const std::string& key);

/// Seals a run, as the newest of this file where it has no seal yet. In a transaction of the
/// caller.
void seal_run(SQLite::Database& database, std::int64_t run_id, const std::string& key);

/// What the seals say of one run.
struct SealCheck {
  std::vector<std::string> problems = {};  ///< sentences: it was edited
  std::string note = {};                   ///< why it cannot be told; empty: it can
  bool by_key = false;                     ///< it was sealed with the key, and nothing was edited
};
[[nodiscard]] SealCheck check_seal(SQLite::Database& database, std::int64_t run_id,
                                   const std::string& key);

/// Whoever has a key believes what is sealed with it, and nothing else: else an edited run would
/// pass with its seal taken off. Makes the note a problem.
void require_key(SealCheck& check, const std::string& key);

/// Whether the file's newest run is gone: a sentence, or empty.
[[nodiscard]] std::string check_chain(SQLite::Database& database);

/// Seals a grade with its criteria, its rubric and the uuid of its run, as the newest of this file.
/// A grade is sealed once. In a transaction of the caller.
void seal_grade(SQLite::Database& database, std::int64_t grade_id, const std::string& key);
/// What the seal says of one grade and, where it is the student's newest, of the fingerprints.
[[nodiscard]] SealCheck check_grade(SQLite::Database& database, std::int64_t grade_id,
                                    const std::string& key);

/// What the seals say of all grades, and whether each rubric's text is the one it is kept by: a
/// sentence for whatever was edited.
[[nodiscard]] std::vector<std::string> check_grades(SQLite::Database& database,
                                                    const std::string& key);

}  // namespace lab::db
