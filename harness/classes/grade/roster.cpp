#include "harness/classes/grade/roster.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "harness/classes/grade/file_names.h"
#include "harness/core/csv.h"
#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab::grade {

namespace {

using Names = std::vector<std::string_view>;

// What columns are called, by us and by the platforms, in the order in which they are taken.
const Names kStudent = {"student",   "sis login id", "username",      "sid",   "orgdefinedid",
                        "id number", "id",           "email address", "email", "full name"};
const Names kName = {"name", "student", "full name"};
const Names kEmail = {"email", "email address"};

/// The header of a roster.
class Columns {
 public:
  explicit Columns(const std::vector<std::string>& header) {
    for (const std::string& one : header) {
      names_.emplace_back(trim(one));
      lower_.push_back(in_small_letters(names_.back()));
    }
    // Canvas's `Student` is a name, and what they are called by stands beside it.
    canvas_ = has("student") && has("sis login id");
  }

  [[nodiscard]] const std::string& name(std::size_t at) const { return names_[at]; }
  [[nodiscard]] std::size_t size() const { return names_.size(); }
  [[nodiscard]] bool names_students() const { return !first_of(kStudent).empty(); }

  [[nodiscard]] std::string student(const std::vector<std::string>& cells) const {
    return value(cells, kStudent, canvas_ ? "student" : "");
  }
  [[nodiscard]] std::string person(const std::vector<std::string>& cells) const {
    const std::string first = value(cells, {"first name"}, "");
    const std::string last = value(cells, {"last name"}, "");
    if (!first.empty() && !last.empty()) return first + " " + last;
    return value(cells, kName, canvas_ ? "" : "student");
  }
  [[nodiscard]] std::string email(const std::vector<std::string>& cells) const {
    return value(cells, kEmail, "");
  }

 private:
  [[nodiscard]] bool has(std::string_view name) const {
    return std::find(lower_.begin(), lower_.end(), name) != lower_.end();
  }
  [[nodiscard]] std::string_view first_of(const Names& names) const {
    const auto at = std::find_if(names.begin(), names.end(), [&](auto one) { return has(one); });
    return at == names.end() ? std::string_view() : *at;
  }
  // The first of `names` that has a value, but `not_this`.
  [[nodiscard]] std::string value(const std::vector<std::string>& cells, const Names& names,
                                  std::string_view not_this) const {
    for (const std::string_view name : names) {
      if (name == not_this) continue;
      for (std::size_t i = 0; i < lower_.size() && i < cells.size(); ++i) {
        if (lower_[i] != name) continue;
        std::string_view text = trim(cells[i]);
        if (text.starts_with('#')) text.remove_prefix(1);  // Brightspace's logins
        if (!text.empty()) return std::string(text);
      }
    }
    return {};
  }

  std::vector<std::string> names_;
  std::vector<std::string> lower_;
  bool canvas_ = false;
};

bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char c : text) {
    if (c == '\'' || c == '.') continue;  // O'Neil, J.
    const bool letter = is_letter(c);
    if (letter && !inside) words.emplace_back();
    if (letter) words.back() += c;
    inside = letter;
  }
  for (std::string& word : words) word = in_small_letters(word);
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += word;
  return all;
}

// Lovelace, Ada is Ada Lovelace, and lovelaceada where a platform has removed the blanks.
bool is_name_of(const std::string& name, const std::string& person) {
  std::vector<std::string> ours = words_of(person);
  std::vector<std::string> theirs = words_of(name);
  if (ours.empty() || theirs.empty()) return false;
  const std::string whole = joined(theirs);
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (joined(ours) == whole) return true;
    std::rotate(ours.begin(), ours.begin() + 1, ours.end());
  }
  std::sort(ours.begin(), ours.end());
  std::sort(theirs.begin(), theirs.end());
  return ours == theirs;
}

bool has_key(const Rostered& one, const std::string& key) {
  if (key.empty()) return false;
  const std::string wanted = in_small_letters(key);
  if (in_small_letters(one.student) == wanted || in_small_letters(one.email) == wanted) return true;
  // Moodle's `Participant 4711` is 4711 in the names of files.
  static const Names kKeys = {"id",        "sis user id", "sis login id", "sid",  "username",
                              "id number", "identifier",  "orgdefinedid", "email"};
  return std::any_of(one.fields.begin(), one.fields.end(), [&](const auto& field) {
    if (std::find(kKeys.begin(), kKeys.end(), in_small_letters(field.first)) == kKeys.end())
      return false;
    std::string value = in_small_letters(field.second);
    if (value.starts_with('#')) value.erase(0, 1);
    constexpr std::string_view kParticipant = "participant ";
    if (value.starts_with(kParticipant)) value.erase(0, kParticipant.size());
    return value == wanted;
  });
}

template <typename Test>
const Rostered* only(const Roster& roster, const Test& test) {
  const auto at = std::find_if(roster.begin(), roster.end(), test);
  if (at == roster.end() || std::find_if(at + 1, roster.end(), test) != roster.end()) {
    return nullptr;
  }
  return &*at;
}

const Rostered* whole(const Roster& roster, std::string_view text) {
  const auto at = std::find_if(roster.begin(), roster.end(), [&](const Rostered& one) {
    return one.student == text || file_name_of(one.student) == text;
  });
  return at == roster.end() ? nullptr : &*at;
}

bool is_separator(char c) { return c == '_' || c == '-' || c == '.'; }

Error no_student(const Place& place) {
  return input_error("this line names no student", {}, place);
}

}  // namespace

std::string in_small_letters(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

Roster read_roster(const std::string& name, const std::string& text) {
  const std::string whole_text = as_utf8(text);
  Roster roster;
  std::optional<Columns> columns;
  CsvReader reader(whole_text, ',');
  while (const std::optional<CsvRow> row = reader.next()) {
    const bool blank = std::all_of(row->cells.begin(), row->cells.end(),
                                   [](const std::string& cell) { return trim(cell).empty(); });
    if (blank) continue;
    const Place place{name, row->line, 1, std::string(trim(line_of(whole_text, row->line)))};
    if (!columns) {
      columns.emplace(row->cells);
      if (columns->names_students()) continue;
      throw input_error("the roster's first line names no column 'student'",
                        "begin it with: student,name,email; exports of Canvas, Moodle, "
                        "Brightspace and Gradescope are rosters, too",
                        place);
    }
    // Canvas's second line.
    if (trim(row->cells.front()) == "Points Possible") continue;
    Rostered one{
        {columns->student(row->cells), columns->person(row->cells), columns->email(row->cells)}};
    for (std::size_t i = 0; i < columns->size() && i < row->cells.size(); ++i) {
      one.fields[columns->name(i)] = std::string(trim(row->cells[i]));
    }
    if (one.student.empty() || one.student.find('/') != std::string::npos) throw no_student(place);
    roster.push_back(std::move(one));
  }
  return roster;
}

const Rostered* find(const Roster& roster, const Called& called) {
  for (const std::string& key : called.keys) {
    const auto by_key = [&](const Rostered& one) { return has_key(one, key); };
    if (const Rostered* found = only(roster, by_key)) return found;
  }
  return only(roster, [&](const Rostered& one) {
    return is_name_of(called.name, one.name) || is_name_of(called.name, one.student);
  });
}

const Rostered* find(const Roster& roster, const std::string& stem) {
  if (const Rostered* found = whole(roster, stem)) return found;
  for (std::size_t at = stem.size(); at > 0; --at) {
    if (!is_separator(stem[at - 1])) continue;
    if (const Rostered* begun = whole(roster, std::string_view(stem).substr(0, at - 1))) {
      return begun;
    }
  }
  for (std::size_t at = 0; at < stem.size(); ++at) {
    if (!is_separator(stem[at])) continue;
    if (const Rostered* ended = whole(roster, std::string_view(stem).substr(at + 1))) return ended;
  }
  return only(roster, [&](const Rostered& one) { return is_name_of(stem, one.name); });
}

std::string did_you_mean(const Roster& roster, std::string_view student) {
  std::vector<std::string> names;
  for (const Rostered& one : roster) names.push_back(one.student);
  const std::string near = nearest(student, names);
  return near.empty() ? near : fmt::format("did you mean '{}'?", near);
}

}  // namespace lab::grade
