#include "harness/kernel/compile/ptx_names.h"

#include <algorithm>
#include <cctype>

#include "harness/core/text.h"

namespace lab::compile {

std::string without_blanks(std::string_view text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out), [](char c) { return c != ' '; });
  return out;
}

namespace {

// A name apart: `a::k<float, 32u>` is the scope `a`, `k` and two arguments.
struct NameParts {
  std::string scope;
  std::string base;
  std::vector<std::string> arguments;
  bool is_template = false;
};

// 32u, (int)32 and 32 are one number; true is 1.
std::string plain_argument(std::string text) {
  if (text.starts_with("(") && text.find(')') != std::string::npos) {
    text.erase(0, text.find(')') + 1);
  }
  const bool number =
      !text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '-');
  while (number && !text.empty() &&
         std::string_view("uUlL").find(text.back()) != std::string::npos) {
    text.pop_back();
  }
  if (text == "true") return "1";
  return text == "false" ? "0" : text;
}

NameParts parts_of(const std::string& name) {
  NameParts parts;
  const std::size_t open = name.find('<');
  const std::string head = name.substr(0, open);
  const std::size_t scope = head.rfind("::");
  parts.scope = scope == std::string::npos ? std::string() : head.substr(0, scope);
  parts.base = scope == std::string::npos ? head : head.substr(scope + 2);
  parts.is_template = open != std::string::npos;
  if (!parts.is_template) return parts;
  int depth = 0;
  std::string argument;
  for (const char c : name.substr(open)) {
    if (c == '<' || c == '(') ++depth;
    if (c == '>' || c == ')') --depth;
    const bool ends = depth == 0 || (depth == 1 && c == ',');
    const bool begins = depth == 1 && c == '<' && argument.empty();
    if (ends && !argument.empty()) parts.arguments.push_back(plain_argument(std::move(argument)));
    if (ends) argument.clear();
    if (depth == 0) break;
    if (!ends && !begins) argument += c;
  }
  return parts;
}

// Whether `wanted` may mean `entry`: what is left out of it (a scope, arguments at the end that
// have defaults) is not held against it.
bool may_mean(const NameParts& wanted, const NameParts& entry) {
  if (wanted.base != entry.base) return false;
  if (!wanted.scope.empty() && wanted.scope != entry.scope) return false;
  if (wanted.arguments.size() > entry.arguments.size()) return false;
  return std::equal(wanted.arguments.begin(), wanted.arguments.end(), entry.arguments.begin());
}

}  // namespace

std::string find_entry(const std::vector<std::string>& entries, std::string_view kernel) {
  const std::string wanted = without_blanks(kernel);
  std::vector<std::string> exact;
  std::vector<std::string> likely;
  const NameParts parts = parts_of(wanted);
  for (const std::string& entry : entries) {
    const std::string name = without_blanks(symbol_name(entry));
    if (entry == wanted || without_blanks(symbol_signature(entry)) == wanted) return entry;
    if (name == wanted) exact.push_back(entry);
    if (may_mean(parts, parts_of(name))) likely.push_back(entry);
  }
  if (exact.size() == 1) return exact.front();
  return exact.empty() && likely.size() == 1 ? likely.front() : std::string();
}

}  // namespace lab::compile
