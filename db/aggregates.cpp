#include "db/aggregates.h"

#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/error.h"

namespace lab::db {
namespace {

struct Values {
  std::vector<double> numbers;
  std::optional<double> percent;
  bool failed = false;
};

using Final = std::optional<double> (*)(Values&);

struct Aggregate {
  const char* name;
  int arguments;
  Final result;
};

double between(std::vector<double>& numbers, double percent) {
  std::sort(numbers.begin(), numbers.end());
  const double rank = percent / 100 * static_cast<double>(numbers.size() - 1);
  const auto low = static_cast<std::size_t>(rank);
  const double part = rank - static_cast<double>(low);
  if (part == 0) return numbers[low];
  return numbers[low] + (numbers[low + 1] - numbers[low]) * part;
}

std::optional<double> percentile_of(Values& values) {
  return between(values.numbers, values.percent.value_or(50));
}

std::optional<double> stddev_of(Values& values) {
  const auto n = static_cast<double>(values.numbers.size());
  if (n < 2) return {};
  double mean = 0;
  for (const double x : values.numbers) mean += x / n;
  double squares = 0;
  for (const double x : values.numbers) squares += (x - mean) * (x - mean);
  return std::sqrt(squares / (n - 1));
}

constexpr Aggregate kAggregates[] = {
    {"median", 1, percentile_of},
    {"percentile", 2, percentile_of},
    {"stddev", 1, stddev_of},
};

void fail(sqlite3_context* context, Values& values, const std::string& message) {
  values.failed = true;
  sqlite3_result_error(context, message.c_str(), -1);
}

// SQLite keeps the pointer for us between the rows of a group; finish() frees it.
Values** slot_of(sqlite3_context* context, bool make) {
  return static_cast<Values**>(sqlite3_aggregate_context(context, make ? int{sizeof(void*)} : 0));
}

bool is_number(sqlite3_value* value) {
  const int type = sqlite3_value_type(value);
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

void add(sqlite3_context* context, Values& values, int count, sqlite3_value** arguments) {
  const auto& self = *static_cast<const Aggregate*>(sqlite3_user_data(context));
  if (count == 2) {
    const double percent = is_number(arguments[1]) ? sqlite3_value_double(arguments[1]) : -1;
    if (percent < 0 || percent > 100 || (values.percent && *values.percent != percent)) {
      fail(context, values, "percentile(x, p): p is one number from 0 to 100");
      return;
    }
    values.percent = percent;
  }
  if (sqlite3_value_type(arguments[0]) == SQLITE_NULL) return;
  if (!is_number(arguments[0])) {
    fail(context, values, std::string(self.name) + "() takes numbers");
    return;
  }
  values.numbers.push_back(sqlite3_value_double(arguments[0]));
}

// Exceptions must not pass through SQLite's C frames.
void step(sqlite3_context* context, int count, sqlite3_value** arguments) {
  Values** slot = slot_of(context, true);
  if (slot == nullptr) return sqlite3_result_error_nomem(context);
  try {
    if (*slot == nullptr) *slot = new Values;
    add(context, **slot, count, arguments);
  } catch (const std::exception&) {
    sqlite3_result_error_nomem(context);
  }
}

void finish(sqlite3_context* context) {
  const auto& self = *static_cast<const Aggregate*>(sqlite3_user_data(context));
  Values** slot = slot_of(context, false);
  const std::unique_ptr<Values> values(slot == nullptr ? nullptr : *slot);
  if (!values || values->failed || values->numbers.empty()) return;  // NULL, or the error
  if (const std::optional<double> result = self.result(*values)) {
    sqlite3_result_double(context, *result);
  }
}

}  // namespace

namespace {

// As SQLite's: the elements of an array, 0 for another value, NULL for NULL.
void array_length(sqlite3_context* context, int /*count*/, sqlite3_value** arguments) {
  if (sqlite3_value_type(arguments[0]) == SQLITE_NULL) return;
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(arguments[0]));
  if (text == nullptr) return sqlite3_result_error_nomem(context);
  const int bytes = sqlite3_value_bytes(arguments[0]);
  try {
    const auto json = nlohmann::json::parse(text, text + bytes, nullptr, false);
    if (json.is_discarded()) return sqlite3_result_error(context, "malformed JSON", -1);
    const std::size_t length = json.is_array() ? json.size() : 0;
    sqlite3_result_int64(context, static_cast<sqlite3_int64>(length));
  } catch (const std::exception&) {
    sqlite3_result_error_nomem(context);
  }
}

}  // namespace

void add_innocuous_functions(sqlite3* connection) {
  const int code = sqlite3_create_function_v2(connection, "json_array_length", 1,
                                              SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                              nullptr, array_length, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) throw internal_error("cannot add json_array_length");
}

void add_aggregates(sqlite3* connection) {
  for (const Aggregate& aggregate : kAggregates) {
    const int code = sqlite3_create_function_v2(
        connection, aggregate.name, aggregate.arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
        const_cast<Aggregate*>(&aggregate), nullptr, step, finish, nullptr);
    if (code != SQLITE_OK) throw internal_error(std::string("cannot add ") + aggregate.name);
  }
}

}  // namespace lab::db
