#include "harness/programs/serve/lines.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <utility>

#include "harness/core/text.h"

namespace lab::program {
namespace {

// The compiler has put a folder before the name, in place of the name's own.
bool is_file(std::string_view file, std::string_view name) {
  name = name.substr(name.rfind('/') + 1);
  return file == name || (file.size() > name.size() && file.ends_with(name) &&
                          file[file.size() - name.size() - 1] == '/');
}

std::string_view skip_blanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

// `(void **)` or `reinterpret_cast<void **>(` before a pointer.
std::string_view skip_cast(std::string_view text) {
  text = skip_blanks(text);
  if (text.starts_with("reinterpret_cast<") || text.starts_with("static_cast<")) {
    const std::size_t open = text.find('(', text.find('>'));
    return open == std::string_view::npos ? text : skip_blanks(text.substr(open + 1));
  }
  if (!text.starts_with("(")) return text;
  const std::size_t close = text.find(')');
  const bool cast = close != std::string_view::npos && text.substr(0, close).ends_with("*");
  return cast ? skip_blanks(text.substr(close + 1)) : text;
}

// What a call sets through its first argument: `x` of `cudaMalloc((void**)&x, bytes)`. Empty where
// the text does not tell.
std::string argument_set(std::string_view call) {
  const std::size_t open = call.find('(');
  if (open == std::string_view::npos) return {};
  std::string_view rest = skip_cast(call.substr(open + 1));
  if (rest.starts_with("&")) rest.remove_prefix(1);
  std::size_t end = 0;
  const auto belongs = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
           std::string_view("_.[]").find(letter) != std::string_view::npos;
  };
  while (end < rest.size() && (belongs(rest[end]) || rest.substr(end, 2) == "->")) {
    end += belongs(rest[end]) ? 1 : 2;
  }
  return std::string(rest.substr(0, end));
}

}  // namespace

std::string Line::place() const { return file.empty() ? "" : fmt::format("{}:{}", file, number); }

Lines::Lines(std::vector<KernelText> sources, Locate locate) : locate_(std::move(locate)) {
  for (KernelText& source : sources) {
    files_.push_back({source.name, std::move(source.text)});
    for (IncludedText& one : source.included) {
      files_.push_back({std::move(one.name), std::move(one.text)});
    }
  }
}

const Line& Lines::of(Site site) {
  const auto [at, fresh] = known_.try_emplace(site);
  Line& line = at->second;
  if (!fresh || site == 0 || !locate_) return line;
  // A return address is that of the instruction behind the call.
  const std::string found = locate_(site - 1);
  const std::size_t colon = found.rfind(':');
  if (colon == std::string::npos) return line;
  const int number = std::atoi(found.c_str() + colon + 1);
  const std::string_view file = std::string_view(found).substr(0, colon);
  for (const File& one : files_) {
    if (number <= 0 || !is_file(file, one.name)) continue;
    line = {one.name, number, std::string(trim(line_of(one.text, number)))};
    break;
  }
  return line;
}

namespace {

std::size_t next_allocation(std::string_view line, std::size_t from) {
  std::size_t at = std::string_view::npos;
  for (const std::string_view call : {"Malloc", "cudaHostAlloc", "cudaHostRegister"}) {
    at = std::min(at, line.find(call, from));
  }
  return at;
}

}  // namespace

std::string allocated_name(std::string_view line, std::size_t before) {
  std::size_t at = next_allocation(line, 0);
  for (; before > 0 && at != std::string_view::npos; --before) at = next_allocation(line, at + 1);
  // Fewer than were made: a function of the line's makes several.
  if (at == std::string_view::npos) at = next_allocation(line, 0);
  return at == std::string_view::npos ? std::string() : argument_set(line.substr(at));
}

std::string stream_name(std::string_view line, std::size_t which) {
  constexpr std::string_view kCall = "cudaStreamCreate";
  std::vector<std::size_t> calls;
  for (std::size_t at = line.find(kCall); at != line.npos; at = line.find(kCall, at + 1)) {
    calls.push_back(at);
  }
  // A loop that the compiler has unrolled makes more calls than are written.
  return calls.empty() ? std::string() : argument_set(line.substr(calls[which % calls.size()]));
}

}  // namespace lab::program
