#include "harness/run/starter.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/lab.h"
#include "harness/core/text.h"
#include "harness/run/places.h"

namespace lab::run {
namespace {

constexpr std::size_t kColumns = 100;

/// What a mark says.
enum class Says { kStarter, kYours, kInstead, kEnd };
struct Word {
  std::string_view word;
  Says says;
};
constexpr Word kWords[] = {{"starter", Says::kStarter},
                           {"yours", Says::kYours},
                           {"instead", Says::kInstead},
                           {"end", Says::kEnd}};

/// One mark and what stands behind its word.
struct Mark {
  Says says;
  std::string_view indent;
  std::string_view rest;
};

class Cutter {
 public:
  Cutter(const std::string& path, const std::string& text) : path_(path), text_(text) {}

  Starter cut() {
    const std::vector<std::string_view> lines = split(text_, '\n');
    for (std::size_t i = 0; i < lines.size(); ++i) {
      line_ = static_cast<int>(i) + 1;
      if (const auto mark = mark_of(lines[i])) {
        take(*mark);
      } else if (!open_.empty() && i + 1 < lines.size()) {
        std::string& into = open_.back().says == Says::kYours ? starter_.answer : starter_.text;
        into += std::string(lines[i]) + "\n";
      }
    }
    if (open_.empty()) return std::move(starter_);
    line_ = open_.back().line;
    throw wrong("the mark is not closed", "close it with '//@ end'");
  }

 private:
  struct Open {
    Says says;
    int line;
  };

  [[nodiscard]] Error wrong(const std::string& message, std::string hint) const {
    const std::string line(line_of(text_, line_));
    const auto column = static_cast<int>(line.find_first_not_of(' ')) + 1;
    return input_error(message, std::move(hint), Place{path_, line_, column, line});
  }

  [[nodiscard]] std::optional<Mark> mark_of(std::string_view line) const {
    const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
    std::string_view rest = line.substr(first);
    if (!rest.starts_with(kStarterMark)) return {};
    rest.remove_prefix(kStarterMark.size());
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    std::vector<std::string> known;
    for (const Word& one : kWords) {
      if (one.word == word) return Mark{one.says, line.substr(0, first), rest};
      known.emplace_back(one.word);
    }
    throw wrong(fmt::format("there is no mark '{}'", word), suggestion(word, known));
  }

  [[nodiscard]] bool is_open(Says says) const {
    return !open_.empty() && open_.back().says == says;
  }

  void take(const Mark& mark) {
    switch (mark.says) {
      case Says::kStarter:
        if (!open_.empty()) throw wrong("a starter within a starter", "close it with '//@ end'");
        if (!starter_.text.empty()) starter_.text += "\n";
        break;
      case Says::kYours:
        if (!is_open(Says::kStarter)) {
          throw wrong("'yours' stands outside of a starter", "write '//@ starter' above it");
        }
        break;
      case Says::kInstead:
        if (!is_open(Says::kYours)) {
          throw wrong("'instead' stands outside of 'yours'", "write '//@ yours' above it");
        }
        starter_.text += fmt::format("{}{}\n", mark.indent, mark.rest);
        starter_.open.emplace_back(trim(mark.rest));
        return;
      case Says::kEnd:
        if (open_.empty()) throw wrong("there is nothing to end", "");
        open_.pop_back();
        return;
    }
    open_.push_back({mark.says, line_});
  }

  const std::string& path_;
  const std::string& text_;
  std::vector<Open> open_;
  int line_ = 0;
  Starter starter_;
};

}  // namespace

Starter cut_starter(const std::string& path, const std::string& kernels) {
  return Cutter(path, kernels).cut();
}

Starter starter_of(const Lab& lab) {
  const std::string path =
      lab_file(lab, has_lab_file(lab, kStarterFile) ? kStarterFile : "kernels.cu");
  Starter cut = cut_starter(path, read_text(path, "the lab's kernels"));
  if (!cut.text.empty()) return cut;
  throw input_error("the lab has no starter",
                    "put '//@ starter' above the kernel that students write", Place{path});
}

std::string as_comment(const std::string& words) {
  std::string out;
  std::string line = "//";
  for (const std::string_view word : split(words, ' ')) {
    if (line.size() + 1 + word.size() > kColumns) {
      out += line + "\n";
      line = "//";
    }
    line += fmt::format(" {}", word);
  }
  return out + line + "\n";
}

}  // namespace lab::run
