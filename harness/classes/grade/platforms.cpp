#include "harness/classes/grade/platforms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <vector>

#include "db/table_format.h"
#include "harness/core/text.h"
#include "harness/core/unicode.h"

namespace lab::grade {

namespace {

/// The rows of a book with what the roster says of each.
class Joined {
 public:
  explicit Joined(const Roster& roster) {
    for (const Rostered& one : roster) {
      by_student_[one.student] = &one;
      for (const auto& [column, value] : one.fields) columns_[in_small_letters(column)] = column;
    }
  }

  [[nodiscard]] bool has(std::string_view column) const {
    return columns_.count(in_small_letters(column)) > 0;
  }
  /// Empty: the roster says nothing of it.
  [[nodiscard]] std::string field(const db::GradebookRow& row, std::string_view column) const {
    const auto name = columns_.find(in_small_letters(column));
    const auto at = by_student_.find(row.grade.student);
    if (name == columns_.end() || at == by_student_.end()) return {};
    const auto value = at->second->fields.find(name->second);
    return value == at->second->fields.end() ? std::string() : safe_line(value->second);
  }
  [[nodiscard]] std::string field_or(const db::GradebookRow& row, std::string_view column,
                                     const std::string& other) const {
    std::string value = field(row, column);
    return value.empty() ? safe_line(other) : value;
  }
  [[nodiscard]] std::string email(const db::GradebookRow& row) const {
    const auto at = by_student_.find(row.grade.student);
    return at == by_student_.end() ? std::string() : safe_line(at->second->email);
  }
  /// The column of this lab, as the platform has it; else `fresh`.
  [[nodiscard]] std::string of_lab(const Rubric& rubric, std::string_view ending,
                                   const std::string& fresh) const {
    const std::string begin = in_small_letters(fmt::format("lab {}", rubric.lab->called()));
    for (const auto& [name, column] : columns_) {
      const bool longer = name.size() > begin.size();
      const bool number = longer && std::isdigit(static_cast<unsigned char>(name[begin.size()]));
      if (name.starts_with(begin) && !number &&
          name.find(in_small_letters(ending)) != std::string::npos) {
        return column;
      }
    }
    return fresh;
  }

 private:
  std::map<std::string, const Rostered*> by_student_;
  std::map<std::string, std::string> columns_;  // in small letters -> as they are
};

db::Value total_of(const db::GradebookRow& row) {
  return row.total ? db::Value(*row.total) : db::Value();
}

// Nothing, where there is nothing: not a text of no letters.
db::Value cell_of(std::string text) {
  return text.empty() ? db::Value() : db::Value(std::move(text));
}

std::string name_of(const db::GradebookRow& row) {
  return row.name.empty() ? row.grade.student : row.name;
}

std::string item_of(const Rubric& rubric) { return fmt::format("Lab {}", rubric.lab->called()); }

}  // namespace

std::string canvas_csv(const Rubric& rubric, const Gradebook& book, const Roster& roster) {
  const Joined joined(roster);
  db::Table table{{"Student", "ID", "SIS User ID", "SIS Login ID", "Section",
                   joined.of_lab(rubric, "", item_of(rubric))},
                  {}};
  table.rows.push_back({std::string("    Points Possible"), {}, {}, {}, {}, rubric.of});
  for (const db::GradebookRow& row : book) {
    table.rows.push_back({joined.has("SIS Login ID") ? joined.field_or(row, "Student", name_of(row))
                                                     : safe_line(name_of(row)),
                          cell_of(joined.field(row, "ID")),
                          cell_of(joined.field(row, "SIS User ID")),
                          joined.field_or(row, "SIS Login ID", row.grade.student),
                          cell_of(joined.field(row, "Section")), total_of(row)});
  }
  return db::as_csv(table);
}

std::string moodle_csv(const Rubric& rubric, const Gradebook& book, const Roster& roster) {
  const Joined joined(roster);
  db::Table table;
  if (!joined.has("Identifier")) {
    table.columns = {"ID number", "Email address", "Full name", item_of(rubric)};
    for (const db::GradebookRow& row : book) {
      table.rows.push_back({joined.field_or(row, "ID number", row.grade.student),
                            cell_of(joined.email(row)), safe_line(name_of(row)), total_of(row)});
    }
    return db::as_csv(table);
  }
  for (const char* column :
       {"Identifier", "Full name", "ID number", "Email address", "Status", "Grade", "Maximum grade",
        "Grade can be changed", "Last modified (submission)", "Last modified (grade)",
        "Feedback comments"}) {
    if (joined.has(column)) table.columns.emplace_back(column);
  }
  for (const db::GradebookRow& row : book) {
    // Whom the worksheet does not know cannot be given a grade with it.
    if (joined.field(row, "Identifier").empty()) continue;
    std::vector<db::Value> cells;
    for (const std::string& column : table.columns) {
      if (column == "Grade") {
        cells.push_back(total_of(row));
      } else if (column == "Feedback comments") {
        cells.emplace_back(feedback_of(row));
      } else {
        cells.push_back(cell_of(joined.field(row, column)));
      }
    }
    table.rows.push_back(std::move(cells));
  }
  return db::as_csv(table);
}

std::string brightspace_csv(const Rubric& rubric, const Gradebook& book, const Roster& roster) {
  const Joined joined(roster);
  const bool numbers = joined.has("OrgDefinedId");
  db::Table table;
  if (numbers) table.columns.emplace_back("OrgDefinedId");
  if (!numbers || joined.has("Username")) table.columns.emplace_back("Username");
  table.columns.push_back(joined.of_lab(rubric, "Points Grade", item_of(rubric) + " Points Grade"));
  table.columns.emplace_back("End-of-Line Indicator");
  for (const db::GradebookRow& row : book) {
    std::vector<db::Value> cells;
    for (const std::string& column : table.columns) {
      if (column == "OrgDefinedId") {
        cells.push_back(cell_of(joined.field(row, column)));
      } else if (column == "Username") {
        cells.emplace_back(joined.field_or(row, column, row.grade.student));
      } else if (column == "End-of-Line Indicator") {
        cells.emplace_back(std::string("#"));
      } else {
        cells.push_back(total_of(row));
      }
    }
    table.rows.push_back(std::move(cells));
  }
  return db::as_csv(table);
}

}  // namespace lab::grade
