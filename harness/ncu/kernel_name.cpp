#include "harness/ncu/kernel_name.h"

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>
#include <memory>

#include "harness/core/text.h"

namespace lab::ncu {

namespace {

std::string demangled(std::string_view text) {
  if (text.substr(0, 2) != "_Z") return std::string(text);
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(std::string(text).c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && name ? std::string(name.get()) : std::string(text);
}

// (int)32 -> 32, true -> 1; no spaces.
std::string plain_arguments(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') {
      const std::size_t close = text.find(')', i);
      if (close == std::string_view::npos) break;
      i = close;
    } else if (std::isspace(static_cast<unsigned char>(text[i])) == 0) {
      out += text[i];
    }
  }
  for (const auto& [word, digit] : {std::pair{"true", "1"}, std::pair{"false", "0"}}) {
    for (std::size_t at = out.find(word); at != std::string::npos; at = out.find(word)) {
      out.replace(at, std::string_view(word).size(), digit);
    }
  }
  return out;
}

}  // namespace

KernelName kernel_name(std::string_view text) {
  std::string name = demangled(trim(text));
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (std::size_t at = name.find(kAnonymous); at != std::string::npos;
       at = name.find(kAnonymous)) {
    name.erase(at, kAnonymous.size());
  }
  KernelName out;
  int depth = 0;
  std::size_t begin = 0;
  std::size_t angle = std::string::npos;
  std::size_t i = 0;
  for (; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '<' && depth++ == 0) angle = i;
    if (c == '>' && depth > 0) --depth;
    if (depth > 0) continue;
    if (c == '(') break;  // the parameters
    if (c == ' ' || c == ':') {
      begin = i + 1;  // after the return type, or a namespace
      angle = std::string::npos;
    }
  }
  const std::string_view all = std::string_view(name).substr(begin, i - begin);
  if (angle == std::string::npos || angle < begin) {
    out.base = all;
  } else {
    out.base = all.substr(0, angle - begin);
    out.arguments = plain_arguments(all.substr(angle - begin));
  }
  return out;
}

bool may_be_same(const KernelName& a, const KernelName& b) {
  if (a.base != b.base) return false;
  return a.arguments.empty() || b.arguments.empty() || a.arguments == b.arguments;
}

}  // namespace lab::ncu
