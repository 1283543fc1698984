// The commands of a lab's texts, each run as a student would type it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <regex>

#include "harness/classes/labtest/checks.h"
#include "harness/classes/labtest/handout.h"
#include "harness/core/files.h"
#include "harness/core/text.h"
#include "harness/ncu/tool.h"
#include "harness/run/places.h"
#include "harness/run/starter.h"
#include "harness/run/temporary_folder.h"

namespace lab::labtest {
namespace {

namespace fs = std::filesystem;

constexpr int kSomethingWrong = 1;  // a run finished, and something in it is wrong
constexpr int kNotHere = 3;         // this machine can't, such as without a GPU
constexpr const char* kMostSeconds = "100";

using Words = std::vector<std::string>;

Words words_of(const std::string& command) {
  Words words;
  for (const std::string_view word : split(command, ' ')) {
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

// A lab may be from anyone, and no shell sees its commands. What they name lies in their folder.
std::string refusal(const Words& words) {
  for (const std::string& word : words) {
    if (word.find_first_of("|&;<>$`*?~\\\"'(){}") != std::string::npos) {
      return fmt::format("'{}' is for a shell", word);
    }
    if (word.find("..") != std::string::npos && word.find('/') != std::string::npos) {
      return fmt::format("'{}' is outside of its folder", word);
    }
    if (word.starts_with('/') || word.find("=/") != std::string::npos) {
      return fmt::format("'{}' is outside of its folder", word);
    }
  }
  constexpr std::array<std::string_view, 2> kNever = {"--no-sandbox", "--db"};
  for (const std::string_view option : kNever) {
    if (std::count(words.begin(), words.end(), option) > 0) {
      return fmt::format("'{}' is not for commands of a text", option);
    }
  }
  return {};
}

// Where the lab is not one of those that are found, it is by this variable.
std::string lab_path(const Lab& lab) {
  std::string path = fs::absolute(lab.path).lexically_normal().string();
  const char* const before = std::getenv("LAB_PATH");
  for (const std::string_view part : split(before == nullptr ? "" : before, ':')) {
    if (!part.empty()) path += ":" + fs::absolute(part).lexically_normal().string();
  }
  return "LAB_PATH=" + path;
}

/// What a command waits for a person to do, or would find there already, and how it need not.
struct Typed {
  std::string_view command;
  std::string_view option;
  std::string_view value;
};
constexpr std::array<Typed, 3> kTyped = {
    {{"guess", "--answer", "1"}, {"watch", "--runs", "1"}, {"start", "--output", "begun.cu"}}};

// Commands without a lab, such as `lab start`, are run as they are.
Words with_what_is_typed(Words words) {
  for (const Typed& typed : kTyped) {
    const bool given = std::count(words.begin(), words.end(), typed.option) > 0;
    if (words.size() < 3 || words[1] != typed.command || given) continue;
    words.insert(words.end(), {std::string(typed.option), std::string(typed.value)});
  }
  return words;
}

/// A folder in which commands are run one after the other, as in a session.
class Session {
 public:
  Session(const Lab& lab, std::string program)
      : lab_(lab), program_(std::move(program)), folder_("lab-test"), output_("lab-test") {}

  ncu::Ended run(const Words& as_written) {
    const Words words = with_what_is_typed(as_written);
    if (words.size() > 3 && words[1] == "watch") provide("--kernel", words[3]);
    for (std::size_t i = 0; i + 1 < words.size(); ++i) provide(words[i], words[i + 1]);
    Words command = {"/usr/bin/env", "-C",         folder_.path().string(),
                     "timeout",      kMostSeconds, program_};
    command.insert(command.end(), words.begin() + 1, words.end());
    return ncu::run_program(command, output_.path(), {lab_path(lab_), "LAB_DB=lab.db"});
  }

 private:
  // A student's copy is of the starter, but as_printed.cu is the lab's file of that name, and
  // my_tiles.cu its load_tiles.cu.
  [[nodiscard]] std::string text_of_copy(const std::string& name) const {
    const std::string ending = name.starts_with("my_") ? name.substr(2) : "/" + name;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(lab_.path, failed)) {
      const std::string path = entry.path().string();
      if (path.ends_with(ending)) return run::read_text(path, "the kernels");
    }
    return run::starter_of(lab_).text;
  }

  // The files that a command names are there before it runs.
  void provide(const std::string& option, const std::string& name) const {
    const fs::path file = folder_.path() / name;
    std::error_code failed;
    if (fs::exists(file, failed) || name.find('/') != std::string::npos) return;
    if (option == "--pattern") write_file(file.string(), "0..124+4\n", "the pattern");
    if (option == "--kernel") write_file(file.string(), text_of_copy(name), "the copy");
  }

  const Lab& lab_;
  std::string program_;
  run::TemporaryFolder folder_;
  run::TemporaryFolder output_;
};

std::string last_line(const std::string& text) {
  const std::string_view trimmed = trim(text);
  return std::string(trimmed.substr(0, trimmed.find('\n')));
}

// 1 is for a kernel that is not the lab's, and for labs that show mistakes.
std::string problem_of(const std::string& command, const ncu::Ended& ended) {
  if (ended.status == 0 || ended.status == kSomethingWrong || ended.status == kNotHere) return {};
  return fmt::format("`{}` ends with status {}: {}", command, ended.status, last_line(ended.err));
}

}  // namespace

std::vector<std::string> commands_of(const std::string& text) {
  static const std::regex kInBlock(R"((?:^|\n) {4,}(lab [^\\\n]*(?:\\\n[^\\\n]*)*))");
  static const std::regex kInCode(R"(`(lab\s+[a-z][^`]*)`)");
  static const std::regex kWordInCapitals(R"(\b[A-Z]{2,}\b)");
  static const std::regex kBroken(R"(\\\n)");
  static const std::regex kBlanks(R"(\s+)");
  std::vector<std::string> commands;
  const auto add = [&](const std::string& found) {
    const std::string whole = std::regex_replace(found, kBroken, " ");
    const std::string flat(trim(std::regex_replace(whole, kBlanks, " ")));
    if (std::regex_search(flat, kWordInCapitals)) return;
    if (std::count(commands.begin(), commands.end(), flat) == 0) commands.push_back(flat);
  };
  for (const std::regex* pattern : {&kInBlock, &kInCode}) {
    for (std::sregex_iterator it(text.begin(), text.end(), *pattern), end; it != end; ++it) {
      add((*it)[1]);
    }
  }
  return commands;
}

void check_commands(const Subject& subject, Check& check) {
  Session session(subject.lab, subject.settings.program);
  std::vector<std::pair<std::string, std::string>> commands;  // file, command
  for (const char* file : {"README.md", "answers.md"}) {
    const std::string path = run::lab_file(subject.lab, file);
    for (std::string& one : commands_of(run::read_text(path, "the lab's text"))) {
      commands.emplace_back(path, std::move(one));
    }
  }
  std::size_t elsewhere = 0;
  for (std::size_t i = 0; i < commands.size() && !subject.stopped(); ++i) {
    const auto& [file, command] = commands[i];
    if (subject.settings.progress) {
      subject.settings.progress(check.name,
                                static_cast<double>(i) / static_cast<double>(commands.size()));
    }
    const Words words = words_of(command);
    std::string problem = refusal(words);
    if (!problem.empty()) {
      problem = fmt::format("`{}` was not run: {}", command, problem);
    } else if (words.size() > 1 && words[1] != "test") {  // which would be this again
      const ncu::Ended ended = session.run(words);
      elsewhere += ended.status == kNotHere ? 1 : 0;
      problem = problem_of(command, ended);
    }
    if (!problem.empty()) check.problems.push_back(fmt::format("{}: {}", file, problem));
  }
  check.told = counted(commands.size(), "command");
  if (elsewhere > 0) check.told += fmt::format(", of which {} can't run here", elsewhere);
}

}  // namespace lab::labtest
