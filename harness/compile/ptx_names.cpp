#include "harness/compile/ptx_names.h"

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>

namespace lab::compile {
namespace {

constexpr std::string_view kEntry = ".entry";

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

// Template arguments may hold parentheses, so only those outside <> start the parameters.
std::string_view without_parameters(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>') --depth;
    if (text[i] == '(' && depth == 0) return text.substr(0, i);
  }
  return text;
}

}  // namespace

std::string without_blanks(std::string_view text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out), [](char c) { return c != ' '; });
  return out;
}

std::vector<std::string> entry_names(std::string_view ptx) {
  std::vector<std::string> names;
  for (std::size_t at = ptx.find(kEntry); at != std::string_view::npos; at = ptx.find(kEntry, at)) {
    at += kEntry.size();
    std::size_t begin = ptx.find_first_not_of(" \t", at);
    if (begin == at || begin == std::string_view::npos) continue;  // part of another word
    std::size_t end = begin;
    while (end < ptx.size() && is_name(ptx[end])) ++end;
    if (end > begin) names.emplace_back(ptx.substr(begin, end - begin));
  }
  return names;
}

std::string source_name(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  // A name that is not mangled comes back as status -2; "k" alone would be read as a type.
  if (status != 0 || !mangled.starts_with("_Z")) return mangled;
  std::string_view name = without_parameters(text.get());
  // The result type of a template comes before its name.
  constexpr std::string_view kVoid = "void ";
  if (name.starts_with(kVoid)) name.remove_prefix(kVoid.size());
  return std::string(name);
}

std::string find_entry(const std::vector<std::string>& entries, std::string_view kernel) {
  const std::string wanted = without_blanks(kernel);
  for (const std::string& entry : entries) {
    if (entry == wanted || without_blanks(source_name(entry)) == wanted) return entry;
  }
  return {};
}

}  // namespace lab::compile
