#include "harness/labs/outline.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>
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

std::string encode(const Outline& outline) {
  return nlohmann::json{{"title", outline.head.title},
                        {"summary", outline.head.summary},
                        {"variants", outline.variants},
                        {"cases", outline.cases}}
      .dump();
}

std::optional<Outline> decode_outline(const std::string& text, Lab named) {
  try {
    const auto json = nlohmann::json::parse(text);
    Outline outline;
    outline.head = std::move(named);
    outline.head.title = json.at("title").get<std::string>();
    outline.head.summary = json.at("summary").get<std::string>();
    outline.variants = json.at("variants").get<std::size_t>();
    outline.cases = json.at("cases").get<std::size_t>();
    return outline;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace lab::labs
