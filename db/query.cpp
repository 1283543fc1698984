#include "db/query.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "db/aggregates.h"
#include "db/statement.h"
#include "db/views.h"
#include "harness/core/text.h"

namespace lab::db {
namespace {

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Prepared = std::unique_ptr<sqlite3_stmt, Finalize>;

constexpr const char* kReadsOnly = "lab query reads; it never changes a database";

// Pragmas that only show the schema.
constexpr std::string_view kShowing[] = {"table_info",      "table_xinfo", "table_list",
                                         "index_list",      "index_info",  "index_xinfo",
                                         "foreign_key_list"};

// What a statement asked for that a query may not do; empty: nothing.
struct Refusal {
  std::string what;
};

bool may_read_pragma(const char* name, const char* value) {
  if (value == nullptr) return true;
  return std::find(std::begin(kShowing), std::end(kShowing), std::string_view(name)) !=
         std::end(kShowing);
}

int authorize(void* context, int action, const char* first, const char* second, const char*,
              const char*) {
  auto& refusal = *static_cast<Refusal*>(context);
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      if (std::string_view(second) != "load_extension") return SQLITE_OK;
      refusal.what = "load_extension";
      break;
    case SQLITE_PRAGMA:
      if (may_read_pragma(first, second)) return SQLITE_OK;
      refusal.what = fmt::format("PRAGMA {} with a value", first);
      break;
    case SQLITE_UPDATE:
      // What json_each() and pragma_table_info() do to declare their columns. The schema itself
      // can't be updated so.
      if (std::string_view(first) == "sqlite_master") return SQLITE_OK;
      refusal.what = "a statement that writes";
      break;
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
      refusal.what = "ATTACH and DETACH";
      break;
    default:
      refusal.what = "a statement that writes";
      break;
  }
  return SQLITE_DENY;
}

// Line and column of a byte in the statement's text.
Place place_at(std::string_view sql, std::size_t offset) {
  Place place{"query", 1, 1};
  std::size_t begin = 0;
  for (std::size_t i = 0; i < offset && i < sql.size(); ++i) {
    if (sql[i] != '\n') continue;
    ++place.line;
    begin = i + 1;
  }
  place.column = static_cast<int>(offset - begin) + 1;
  place.text = std::string(line_of(sql, place.line));
  return place;
}

std::vector<std::string> names(SQLite::Database& database, const std::string& sql) {
  SQLite::Statement rows(database, sql);
  std::vector<std::string> found;
  while (rows.executeStep()) found.push_back(rows.getColumn(0).getString());
  return found;
}

// SQLite says which name it does not know; the nearest that there is makes a hint.
// Columns of the tables and views whose names are in the query.
std::vector<std::string> columns_named_by(SQLite::Database& database, const std::string& sql) {
  SQLite::Statement rows(
      database,
      "SELECT DISTINCT c.name FROM (SELECT name, type FROM sqlite_schema UNION SELECT name, type"
      " FROM sqlite_temp_schema) s, pragma_table_info(s.name) c"
      " WHERE s.type IN ('table', 'view') AND instr(lower(?), s.name) ORDER BY 1");
  start(rows, sql);
  std::vector<std::string> found;
  while (rows.executeStep()) found.push_back(rows.getColumn(0).getString());
  return found;
}

std::string hint_for(SQLite::Database& database, const std::string& sql, std::string_view message) {
  constexpr std::string_view kTable = "no such table: ";
  constexpr std::string_view kColumn = "no such column: ";
  if (message.substr(0, kTable.size()) == kTable) {
    const auto known = names(database,
                             "SELECT name FROM (SELECT name, type FROM sqlite_schema UNION"
                             " SELECT name, type FROM sqlite_temp_schema) WHERE type IN ('table',"
                             " 'view') AND name NOT LIKE 'sqlite_%' ORDER BY type DESC, name");
    return suggestion(message.substr(kTable.size()), known);
  }
  if (message.substr(0, kColumn.size()) == kColumn) {
    std::string_view name = message.substr(kColumn.size());
    name = name.substr(name.rfind('.') == std::string_view::npos ? 0 : name.rfind('.') + 1);
    const std::string near = nearest(name, columns_named_by(database, sql));
    if (!near.empty() && near != name) return fmt::format("did you mean '{}'?", near);
    return "PRAGMA table_info(NAME) lists the columns of a table or view";
  }
  return {};
}

bool has_second(sqlite3* handle, const char* tail, const char* end) {
  while (tail != nullptr && tail < end) {
    sqlite3_stmt* raw = nullptr;
    const char* next = nullptr;
    const int code = sqlite3_prepare_v2(handle, tail, static_cast<int>(end - tail), &raw, &next);
    const Prepared statement(raw);
    if (code != SQLITE_OK || raw != nullptr) return true;
    if (next == tail) return false;
    tail = next;  // a comment or a lone semicolon
  }
  return false;
}

class Query {
 public:
  Query(SQLite::Database& database, std::string_view sql) : database_(database), sql_(sql) {}

  Prepared prepare() {
    if (sql_.find('\0') != std::string::npos) throw input_error("the query holds a NUL character");
    sqlite3* handle = database_.getHandle();
    Refusal refusal;
    sqlite3_set_authorizer(handle, authorize, &refusal);
    sqlite3_stmt* raw = nullptr;
    const char* tail = nullptr;
    const int code =
        sqlite3_prepare_v2(handle, sql_.c_str(), static_cast<int>(sql_.size()), &raw, &tail);
    Prepared statement(raw);
    const bool second = code == SQLITE_OK && has_second(handle, tail, sql_.c_str() + sql_.size());
    const std::string message = code == SQLITE_OK ? std::string() : sqlite3_errmsg(handle);
    const int offset = sqlite3_error_offset(handle);
    sqlite3_set_authorizer(handle, nullptr, nullptr);
    if (!refusal.what.empty() && code != SQLITE_OK) {
      throw input_error(fmt::format("{} is refused", refusal.what), kReadsOnly);
    }
    if (code != SQLITE_OK) fail(code, message, offset);
    if (second) {
      throw input_error("a second statement is refused", "give one SELECT",
                        place_at(sql_, second_offset(tail)));
    }
    if (!statement) throw input_error("there is no statement", "give one SELECT");
    if (sqlite3_stmt_readonly(statement.get()) == 0) {
      throw input_error("a statement that writes is refused", kReadsOnly);
    }
    return statement;
  }

  [[noreturn]] void fail(int code, const std::string& message, int offset) {
    if ((code & 0xff) != SQLITE_ERROR) throw SQLite::Exception(message, code);
    std::optional<Place> place;
    if (offset >= 0) place = place_at(sql_, static_cast<std::size_t>(offset));
    throw input_error(message, hint_for(database_, sql_, message), place);
  }

 private:
  // Where the second statement begins: blanks before it are not it.
  std::size_t second_offset(const char* tail) const {
    const auto offset = static_cast<std::size_t>(tail - sql_.c_str());
    return std::min(sql_.find_first_not_of(" \t\r\n;", offset), sql_.size());
  }

  SQLite::Database& database_;
  std::string sql_;
};

Value value_of(sqlite3_stmt* statement, int column) {
  const auto bytes = [&](const void* data) {
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
    return data == nullptr ? std::string() : std::string(static_cast<const char*>(data), size);
  };
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_TEXT:
      return bytes(sqlite3_column_text(statement, column));
    case SQLITE_BLOB:
      return Blob{bytes(sqlite3_column_blob(statement, column))};
    default:
      return std::monostate{};
  }
}

std::vector<Value> row_of(sqlite3_stmt* statement, int columns) {
  std::vector<Value> row;
  row.reserve(static_cast<std::size_t>(columns));
  for (int c = 0; c < columns; ++c) row.push_back(value_of(statement, c));
  return row;
}

int ask_cancelled(void* context) {
  return (*static_cast<const std::function<bool()>*>(context))() ? 1 : 0;
}

constexpr int kStepsBetweenQuestions = 4000;

QueryResult run(SQLite::Database& database, std::string_view sql, const QueryOptions& options) {
  Query request(database, sql);
  const Prepared statement = request.prepare();
  sqlite3* handle = database.getHandle();
  if (options.cancelled) {
    sqlite3_progress_handler(handle, kStepsBetweenQuestions, ask_cancelled,
                             const_cast<std::function<bool()>*>(&options.cancelled));
  }
  QueryResult result;
  const int columns = sqlite3_column_count(statement.get());
  for (int c = 0; c < columns; ++c) {
    result.table.columns.emplace_back(sqlite3_column_name(statement.get(), c));
  }
  int code = sqlite3_step(statement.get());
  for (; code == SQLITE_ROW; code = sqlite3_step(statement.get())) {
    result.table.rows.push_back(row_of(statement.get(), columns));
  }
  result.interrupted = code == SQLITE_INTERRUPT;
  if (code != SQLITE_DONE && code != SQLITE_INTERRUPT) {
    request.fail(sqlite3_extended_errcode(handle), sqlite3_errmsg(handle), -1);
  }
  return result;
}

}  // namespace

QueryResult query(const std::string& path, std::string_view sql, const QueryOptions& options) {
  Connection connection(path, Mode::kReadOnly, options.busy);
  add_aggregates(connection.database().getHandle());
  return connection.guarded([&] {
    add_own_views(connection.database(), sql);
    return run(connection.database(), sql, options);
  });
}

}  // namespace lab::db
