#include "harness/labs/outline.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <charconv>
#include <utility>

#include "harness/core/text.h"

namespace lab::labs {
namespace {

// A program that is built anew has another size or time.
std::string this_program() {
  struct stat info {};
  if (::stat("/proc/self/exe", &info) != 0) return {};
  return fmt::format("{} {}.{}", info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

}  // namespace

Outline outline_of(const Lab& lab) {
  Outline outline;
  outline.head.number = lab.number;
  outline.head.id = lab.id;
  outline.head.folder = lab.folder;
  outline.head.path = lab.path;
  outline.head.title = lab.title;
  outline.head.summary = lab.summary;
  outline.variants = lab.variants.size();
  for (const Variant& variant : lab.variants) outline.cases += variant.points.size();
  return outline;
}

std::string outline_key(const std::string& folder, const std::string& text) {
  static const std::string kProgram = this_program();
  return sha256_hex(fmt::format("{}\n{}\n{}", kProgram, folder, text));
}

// A line each: title, summary (a lab's file has them on one line), variants, cases.
std::string encode(const Outline& outline) {
  return fmt::format("{}\n{}\n{}\n{}\n", outline.head.title, outline.head.summary, outline.variants,
                     outline.cases);
}

std::optional<Outline> decode_outline(const std::string& text, Lab named) {
  std::array<std::string_view, 4> lines;
  std::size_t at = 0;
  for (std::string_view& line : lines) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string::npos) return std::nullopt;
    line = std::string_view(text).substr(at, end - at);
    at = end + 1;
  }
  const auto number = [](std::string_view line, std::size_t& value) {
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    return error == std::errc() && end == line.data() + line.size();
  };
  Outline outline;
  outline.head = std::move(named);
  outline.head.title = lines[0];
  outline.head.summary = lines[1];
  if (at != text.size() || !number(lines[2], outline.variants) ||
      !number(lines[3], outline.cases)) {
    return std::nullopt;
  }
  return outline;
}

}  // namespace lab::labs
