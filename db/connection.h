// Opening a database file: is it ours, may it be written, which version is it; and the one place
// where SQLite's errors become ours.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "harness/core/error.h"

namespace lab::db {

enum class Mode : std::uint8_t {
  kCreate,    ///< read and write; made where there is none
  kExisting,  ///< read and write; an input error where there is none
  kReadOnly,  ///< nothing is written, not even a newer schema
};

/// PRAGMA application_id of every database of ours: "LABD".
inline constexpr int kApplicationId = 0x4C414244;

/// How long to wait for another process's transaction. A case's takes milliseconds.
inline constexpr std::chrono::milliseconds kBusyTimeout{5000};

/// What went wrong, told by file name and with advice. `waited` is the busy time-out.
[[nodiscard]] Error to_error(const SQLite::Exception& error, const std::string& path,
                             std::chrono::milliseconds waited);

/// An open database of ours whose schema is this program's. An older file opened kReadOnly is
/// copied to memory and migrated there.
class Connection {
 public:
  /// Throws input errors (not a database, of another application, from a newer version, no such
  /// file) and machine errors (no permission, locked, disk full).
  Connection(std::string path, Mode mode, std::chrono::milliseconds busy = kBusyTimeout);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] SQLite::Database& database() { return database_; }

  /// Runs `body` and turns what SQLite throws into our error. What one table says is there and
  /// another lacks is the file's fault where its pages are damaged.
  template <typename Body>
  decltype(auto) guarded(Body&& body) {
    try {
      return std::forward<Body>(body)();
    } catch (const SQLite::Exception& error) {
      throw error_of(error);
    } catch (const std::out_of_range&) {
      throw_if_damaged();
      throw;
    }
  }

 private:
  /// A rule that does not hold is our fault, unless the file is damaged.
  [[nodiscard]] Error error_of(const SQLite::Exception& error);
  void throw_if_damaged();

  std::string path_;
  std::chrono::milliseconds busy_;
  SQLite::Database database_;
};

}  // namespace lab::db
