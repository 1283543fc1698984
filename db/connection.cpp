#include "db/connection.h"

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/Transaction.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <vector>

#include "db/aggregates.h"
#include "db/migrations.h"
#include "db/readings.h"
#include "db/views.h"
#include "harness/core/files.h"
#include "harness/core/text.h"

namespace lab::db {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOtherFile = "name another file with --db";

Error locked(const std::string& path, std::chrono::milliseconds waited) {
  return machine_error(fmt::format("{}: locked by another process (waited {} s)", path,
                                   number_text(static_cast<double>(waited.count()) / 1000)),
                       "wait until it has ended, or name another file with --db");
}

Error not_writable(const std::string& path, std::string_view what) {
  return machine_error(fmt::format("{}: cannot be written: {} is read-only", path, what),
                       "name a file that may be written with --db");
}

Error half_written(const std::string& path) {
  return machine_error(
      fmt::format("{}: its last writer was killed, and it cannot be repaired where it is read-only",
                  path),
      fmt::format("copy it and {}-journal together to a folder that may be written", path));
}

Error full(const std::string& path) {
  return machine_error(fmt::format("{}: the disk is full", path),
                       "what was stored before is whole; free some space or name a file on another "
                       "disk with --db");
}

Error damaged(const std::string& path, const char* message) {
  return input_error(
      fmt::format("{}: the database is damaged ({})", path, message),
      fmt::format("restore a copy; `sqlite3 {} .recover` saves what can be read", path));
}

// Why the file's bytes cannot be had; empty: they can. SQLite takes a disk's EIO for damage.
std::string why_unreadable(const std::string& path) {
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return {};
  std::vector<char> piece(kPiece);
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(file.get(), piece.data(), piece.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::strerror(errno);
    if (got == 0) return {};
    at += got;
  }
}

Error damaged_or_unreadable(const std::string& path, const char* message) {
  const std::string why = why_unreadable(path);
  if (why.empty()) return damaged(path, message);
  return machine_error(fmt::format("{}: cannot be read: {}", path, why),
                       "the disk, or the way to it, fails; copy the database to another");
}

// Why a file could not be opened at all; SQLite itself says no more than "unable to open".
Error cannot_open(const std::string& path) {
  std::error_code ignored;
  const fs::path folder = fs::absolute(path, ignored).parent_path();
  if (!fs::exists(folder, ignored)) {
    return input_error(fmt::format("{}: there is no folder {}", path, folder.string()),
                       fmt::format("make it: mkdir -p {}", folder.string()));
  }
  const bool exists = fs::exists(path, ignored);
  const std::string target = exists ? path : folder.string();
  if (::access(target.c_str(), exists ? R_OK : W_OK | X_OK) != 0) {
    return machine_error(
        fmt::format("{}: cannot be {}: {}", path, exists ? "opened" : "made", std::strerror(errno)),
        kOtherFile);
  }
  return machine_error(fmt::format("{}: cannot be opened", path), kOtherFile);
}

struct Identity {
  int application = 0;
  int version = 0;
  bool empty = false;
};

Identity identity_of(SQLite::Database& database) {
  Identity identity;
  identity.application = database.execAndGet("PRAGMA application_id").getInt();
  identity.version = database.execAndGet("PRAGMA user_version").getInt();
  identity.empty = database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() == 0;
  return identity;
}

void refuse_strangers(const Identity& identity, const std::string& path, Mode mode) {
  const bool blank = identity.empty && identity.application == 0 && identity.version == 0;
  if (blank) {
    if (mode == Mode::kCreate) return;
    throw input_error(fmt::format("{}: an empty file, not a database of lab", path), kOtherFile);
  }
  if (identity.application != kApplicationId) {
    throw input_error(fmt::format("{}: a database of another application", path), kOtherFile);
  }
  if (identity.version < 0) {
    throw input_error(
        fmt::format("{}: its version is {}, which no lab has written", path, identity.version),
        "the database was edited; restore a copy");
  }
  if (identity.version < oldest_version()) {
    throw input_error(fmt::format("{}: from before the first version of lab that keeps its files "
                                  "(schema {}; this program reads {} and later)",
                                  path, identity.version, oldest_version()),
                      "run its kernels again");
  }
  if (identity.version > schema_version()) {
    throw input_error(
        fmt::format("{}: from a newer version of lab (schema {}; this program knows up to {})",
                    path, identity.version, schema_version()),
        "update lab, or name another file with --db");
  }
}

// A rollback journal whose writer is gone. Reading past it would show a half-written case.
bool has_journal(const std::string& path) {
  std::error_code missing;
  const auto size = fs::file_size(path + "-journal", missing);
  return !missing && size > 0;
}

std::string immutable_uri(const std::string& path) {
  std::error_code ignored;
  std::string uri = "file:";
  for (const char c : fs::absolute(path, ignored).string()) {
    // SQLite decodes %HH; ? and # would end the path.
    if (c == '?' || c == '#' || c == '%') {
      uri += fmt::format("%{:02X}", static_cast<unsigned>(c));
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

SQLite::Database read_only(const std::string& name, std::chrono::milliseconds busy, int flags) {
  SQLite::Database database(name, SQLite::OPEN_READONLY | flags, static_cast<int>(busy.count()));
  identity_of(database);  // the file is not touched before it is read
  return database;
}

// Read-only, on shares and media too where SQLite cannot take its locks or make its side files.
SQLite::Database open_read_only(const std::string& path, std::chrono::milliseconds busy) {
  try {
    return read_only(path, busy, 0);
  } catch (const SQLite::Exception& error) {
    const int code = error.getErrorCode();
    if (code == SQLITE_BUSY || code == SQLITE_NOTADB || code == SQLITE_CORRUPT) throw;
    if (::access(path.c_str(), R_OK) != 0) throw;
  }
  if (has_journal(path)) {
    // A killed writer left a half-written transaction: whoever may write rolls it back.
    try {
      SQLite::Database repair(path, SQLite::OPEN_READWRITE, static_cast<int>(busy.count()));
      identity_of(repair);
      return read_only(path, busy, 0);
    } catch (const SQLite::Exception& error) {
      if (error.getErrorCode() == SQLITE_BUSY) throw;
      throw half_written(path);
    }
  }
  return read_only(immutable_uri(path), busy, SQLite::OPEN_URI);
}

// A pipe would be waited for, and a device read for ever.
void require_file(const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (!fs::exists(status) || fs::is_regular_file(status)) return;
  const char* kind = fs::is_directory(status) ? "a folder"
                     : fs::is_fifo(status)    ? "a pipe"
                     : fs::is_socket(status)  ? "a socket"
                                              : "a device";
  throw input_error(fmt::format("{}: {}, not a database", path, kind), kOtherFile);
}

SQLite::Database open_file(const std::string& path, Mode mode, std::chrono::milliseconds busy) {
  std::error_code ignored;
  require_file(path);
  if (mode != Mode::kCreate && !fs::exists(path, ignored)) {
    throw input_error(fmt::format("{}: no such database", path),
                      "lab run makes one; name another file with --db");
  }
  if (mode == Mode::kReadOnly) return open_read_only(path, busy);
  const int create = mode == Mode::kCreate ? SQLite::OPEN_CREATE : 0;
  SQLite::Database database(path, SQLite::OPEN_READWRITE | create, static_cast<int>(busy.count()));
  // Where the file may not be written, SQLite opens it for reading and says nothing.
  if (sqlite3_db_readonly(database.getHandle(), "main") == 1) {
    throw not_writable(path, "the file");
  }
  return database;
}

// Databases come from others ("Defense Against The Dark Arts", sqlite.org): no function of a schema
// does more than compute, nothing but SQLite itself changes a schema's text, cells are checked when
// a page is read, and no value has gigabytes.
void harden(SQLite::Database& database, Mode mode) {
  constexpr int kMostValueBytes = 1 << 28;
  sqlite3* handle = database.getHandle();
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  // Where we write, the file's own views are ours: they are made afresh. They call json_extract().
  if (mode == Mode::kReadOnly) {
    add_innocuous_functions(handle);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  }
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kMostValueBytes);
  database.exec("PRAGMA cell_size_check = ON");
}

// The tables are those that this program made for that version, to the letter; a trigger would act
// on what is stored. Tables, indices and views of the user's own may be beside them.
void refuse_edited_schema(SQLite::Database& database, const std::string& path, int version) {
  const std::string hint = "the database was edited; restore a copy";
  SQLite::Statement trigger(database,
                            "SELECT name FROM sqlite_schema WHERE type = 'trigger' LIMIT 1");
  if (trigger.executeStep()) {
    throw input_error(
        fmt::format("{}: it has a trigger, '{}'", path, trigger.getColumn(0).getString()), hint);
  }
  const std::map<std::string, std::string> expected = tables_of(version);
  std::map<std::string, std::string> found;
  SQLite::Statement tables(
      database,
      "SELECT name, coalesce(sql, '') FROM sqlite_schema WHERE type IN ('table', 'view')");
  while (tables.executeStep()) {
    found[tables.getColumn(0).getString()] = tables.getColumn(1).getString();
  }
  for (const auto& [name, sql] : expected) {
    const auto at = found.find(name);
    if (at != found.end() && at->second == sql) continue;
    throw input_error(fmt::format("{}: {} '{}'", path,
                                  at == found.end() ? "it lacks the table" : "another table", name),
                      hint);
  }
  for (const auto& [name, sql] : tables_of(schema_version())) {
    if (expected.contains(name) || !found.contains(name)) continue;
    throw input_error(fmt::format("{}: version {} has no table '{}'", path, version, name), hint);
  }
}

SQLite::Database migrated_copy(SQLite::Database& from) {
  SQLite::Database copy(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  SQLite::Backup(copy, from).executeStep(-1);
  harden(copy, Mode::kReadOnly);
  if (migrate(copy, schema_version())) fill_readings(copy);
  return copy;
}

// Version and tables are read at one moment: another process may be making them.
Identity checked_identity(SQLite::Database& database, const std::string& path, Mode mode) {
  SQLite::Transaction moment(database);
  const Identity identity = identity_of(database);
  refuse_strangers(identity, path, mode);
  if (!identity.empty) refuse_edited_schema(database, path, identity.version);
  moment.commit();
  return identity;
}

SQLite::Database open_checked(const std::string& path, Mode mode, std::chrono::milliseconds busy) {
  SQLite::Database database = open_file(path, mode, busy);
  harden(database, mode);
  const Identity identity = checked_identity(database, path, mode);
  if (mode == Mode::kReadOnly) {
    if (identity.version < schema_version()) database = migrated_copy(database);
    return database;
  }
  // People copy the file alone; with a write-ahead log beside it the copy would lose what is there.
  database.exec("PRAGMA journal_mode = DELETE");
  // A file just made has nothing to lose.
  if (identity.empty) database.exec("PRAGMA synchronous = OFF");
  if (migrate(database, schema_version())) fill_readings(database);
  // Without it a loss of power leaves pages of a transaction whose journal never came to the disk.
  database.exec("PRAGMA synchronous = FULL");
  return database;
}

}  // namespace

Error to_error(const SQLite::Exception& error, const std::string& path,
               std::chrono::milliseconds waited) {
  switch (error.getErrorCode()) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return locked(path, waited);
    case SQLITE_READONLY:
      if (error.getExtendedErrorCode() == SQLITE_READONLY_DIRECTORY) {
        return not_writable(path, "its folder");
      }
      return not_writable(path, "the file");
    case SQLITE_FULL:
      return full(path);
    case SQLITE_NOTADB:
      return input_error(fmt::format("{}: not a database", path), kOtherFile);
    case SQLITE_CORRUPT:
      return damaged_or_unreadable(path, error.what());
    case SQLITE_CANTOPEN:
      return cannot_open(path);
    case SQLITE_IOERR: {
      const bool writing = error.getExtendedErrorCode() == SQLITE_IOERR_WRITE;
      const std::string limit = writing ? file_limit_hint(EFBIG) : "";
      return machine_error(fmt::format("{}: cannot be read or written: {}", path, error.what()),
                           limit.empty() ? kOtherFile : limit);
    }
    case SQLITE_NOMEM:
      return machine_error(fmt::format("{}: out of memory", path));
    case SQLITE_TOOBIG:
      return input_error(fmt::format("{}: a value or a statement is too large", path));
    case SQLITE_ERROR:
    case SQLITE_SCHEMA:
    case SQLITE_MISMATCH:
    case SQLITE_AUTH:
      return damaged(path, error.what());
    default:
      return internal_error(fmt::format("{}: {} (SQLite error {})", path, error.what(),
                                        error.getExtendedErrorCode()));
  }
}

Connection::Connection(std::string path, Mode mode, std::chrono::milliseconds busy)
    : path_(std::move(path)), busy_(busy), database_([&] {
        try {
          return open_checked(path_, mode, busy);
        } catch (const SQLite::Exception& error) {
          throw to_error(error, path_, busy);
        }
      }()) {}

Error Connection::error_of(const SQLite::Exception& error) {
  if (error.getErrorCode() != SQLITE_CONSTRAINT) return to_error(error, path_, busy_);
  try {
    const std::string found = database_.execAndGet("PRAGMA quick_check(1)").getString();
    if (found != "ok") return damaged(path_, found.c_str());
  } catch (const SQLite::Exception& worse) {
    return to_error(worse, path_, busy_);
  }
  return to_error(error, path_, busy_);
}

void Connection::throw_if_damaged() {
  try {
    const std::string found = database_.execAndGet("PRAGMA integrity_check(1)").getString();
    if (found != "ok") throw damaged(path_, found.c_str());
  } catch (const SQLite::Exception& worse) {
    throw to_error(worse, path_, busy_);
  }
}

}  // namespace lab::db
