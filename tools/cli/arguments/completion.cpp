#include "tools/cli/arguments/completion.h"

#include <algorithm>

namespace lab::cli {

namespace {

bool has_any(const std::string& text, const std::vector<const char*>& parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const char* part) { return text.find(part) != std::string::npos; });
}

bool names_files(const std::string& value) {
  return has_any(value, {"FILE", "PATH", "FOLDER", "DB", "FROM"});
}

void add(Candidates& found, const std::vector<std::string>& words) {
  for (const std::string& word : words) found.words.push_back({word});
}

// The labs that stand among the words; all labs' variants would be a hundred.
std::vector<const Lab*> labs_in(const std::vector<std::string>& typed,
                                const std::vector<Lab>& labs) {
  std::vector<const Lab*> found;
  for (const std::string& word : typed) {
    for (const Lab& lab : labs) {
      if (word == lab.id || word == std::to_string(lab.number)) found.push_back(&lab);
    }
  }
  return found;
}

Candidates choices_of(const Option& option, const std::vector<std::string>& typed,
                      const CompletionFacts& facts) {
  Candidates found;
  add(found, option.choices);
  if (option.name == "metrics" || option.value == "METRIC") add(found, facts.metrics);
  for (const Lab* lab : labs_in(typed, facts.labs)) {
    for (const Variant& variant : lab->variants) {
      if (option.name == "variant") found.words.push_back({variant.name, variant.summary});
    }
    for (const ParamSpec& spec : lab->params) {
      if (option.name == "param") found.words.push_back({spec.name + "=", spec.help});
    }
  }
  found.files = found.words.empty() && names_files(option.value);
  return found;
}

Candidates plain_words(const Positional& positional, const CompletionFacts& facts) {
  Candidates found;
  add(found, positional.choices);
  if (has_any(positional.name, {"LAB"})) {
    for (const Lab& lab : facts.labs)
      found.words.push_back({std::to_string(lab.number), lab.title});
    for (const Lab& lab : facts.labs) found.words.push_back({lab.id, lab.title});
  }
  if (has_any(positional.name, {"RUN"})) found.words.push_back({"last", "the newest run"});
  found.files = names_files(positional.name);
  return found;
}

std::vector<Option> every_option(const Command& command) {
  std::vector<Option> options = command.options;
  for (Option& option : common_options()) options.push_back(std::move(option));
  return options;
}

Candidates after_command(const Command& command, const std::vector<std::string>& typed,
                         const CompletionFacts& facts) {
  const std::vector<Option> options = every_option(command);
  const std::string& before = typed[typed.size() - 2];
  for (const Option& option : options) {
    const bool takes = !option.value.empty() && before == with_dashes(option);
    if (takes) return choices_of(option, typed, facts);
  }
  if (!typed.back().starts_with('-')) return plain_words(command.positional, facts);
  Candidates found;
  for (const Option& option : options) found.words.push_back({with_dashes(option), option.help});
  return found;
}

Candidates command_names(const CompletionFacts& facts) {
  Candidates found;
  for (const Command& command : facts.commands) {
    found.words.push_back({command.name, command.summary});
  }
  return found;
}

Candidates all_candidates(const std::vector<std::string>& typed, const CompletionFacts& facts) {
  if (typed.size() < 2) {
    Candidates found = command_names(facts);
    found.words.push_back({"help", "Show what a command takes"});
    return found;
  }
  if (typed.front() == "help") return command_names(facts);
  for (const Command& command : facts.commands) {
    if (command.name == typed.front()) return after_command(command, typed, facts);
  }
  return {};
}

}  // namespace

Candidates candidates(const std::vector<std::string>& typed, const CompletionFacts& facts) {
  Candidates found = all_candidates(typed, facts);
  const std::string begun = typed.empty() ? std::string() : typed.back();
  std::erase_if(found.words, [&](const Candidate& one) { return !one.word.starts_with(begun); });
  return found;
}

}  // namespace lab::cli
