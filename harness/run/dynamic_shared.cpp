#include "harness/run/dynamic_shared.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "harness/compile/source/launches.h"
#include "harness/core/error.h"

namespace lab::run {
namespace {

constexpr auto kNone = std::string_view::npos;

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

bool names(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != kNone; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_name_character(text[at - 1]);
    if (begins && (end == text.size() || !is_name_character(text[end]))) return true;
  }
  return false;
}

// `.extern .shared .align 16 .b8 s[];` -> s.
std::vector<std::string_view> dynamic_arrays(std::string_view ptx) {
  constexpr std::string_view kBegins = ".extern .shared";
  std::vector<std::string_view> found;
  for (std::size_t at = ptx.find(kBegins); at != kNone; at = ptx.find(kBegins, at + 1)) {
    const std::size_t end = ptx.find_first_of("[;", at);
    if (end == kNone) break;
    std::size_t begin = end;
    while (begin > at && is_name_character(ptx[begin - 1])) --begin;
    found.push_back(ptx.substr(begin, end - begin));
  }
  return found;
}

// The bodies of the functions that begin with `word`, of entries that of `kernel`.
std::vector<std::string_view> bodies(std::string_view ptx, std::string_view word,
                                     std::string_view kernel) {
  std::vector<std::string_view> found;
  for (std::size_t at = ptx.find(word); at != kNone; at = ptx.find(word, at + 1)) {
    const std::size_t open = ptx.find_first_of("{;", at);
    if (open == kNone || ptx[open] == ';') continue;
    if (!kernel.empty() && !names(ptx.substr(at, open - at), kernel)) continue;
    found.push_back(ptx.substr(open, ptx.find("\n}", open) - open));
  }
  return found;
}

}  // namespace

bool uses_dynamic_shared(std::string_view ptx, std::string_view kernel) {
  const std::vector<std::string_view> arrays = dynamic_arrays(ptx);
  if (arrays.empty()) return false;
  const auto is_used = [&](std::string_view body) {
    return std::any_of(arrays.begin(), arrays.end(),
                       [&](std::string_view array) { return names(body, array); });
  };
  const std::vector<std::string_view> entry = bodies(ptx, ".entry ", kernel);
  if (std::any_of(entry.begin(), entry.end(), is_used)) return true;
  const bool calls = std::any_of(entry.begin(), entry.end(),
                                 [](std::string_view body) { return names(body, "call"); });
  const std::vector<std::string_view> functions = bodies(ptx, ".func ", {});
  return calls && std::any_of(functions.begin(), functions.end(), is_used);
}

void require_no_dynamic_shared(const Compiled& compiled, const KernelText& source,
                               const std::string& kernel, std::string_view setting) {
  if (compiled.lowered.empty()) return;
  if (!uses_dynamic_shared(compiled.ptx, compiled.lowered.front())) return;
  std::vector<source::File> files = {{source.name, source.text}};
  for (const IncludedText& one : source.included) files.push_back({one.name, one.text});
  const std::string base = kernel.substr(0, kernel.find('<'));
  const std::size_t scope = base.rfind("::");
  const auto given =
      source::shared_given(files, scope == std::string::npos ? base : base.substr(scope + 2));
  std::string hint = fmt::format("{0}BYTES gives it its size; {0}0 runs it without", setting);
  if (given) {
    hint = fmt::format("{}({}) launches it with {}: {}{}", given->place.file, given->place.line,
                       given->place.text, setting,
                       given->bytes ? std::to_string(*given->bytes) : "BYTES");
  }
  const std::string_view name = setting.substr(0, setting.find(' '));
  throw input_error(
      fmt::format("{} uses dynamic shared memory (extern __shared__), and {} was not given", kernel,
                  name),
      hint);
}

}  // namespace lab::run
