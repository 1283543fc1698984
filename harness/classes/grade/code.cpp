#include "harness/classes/grade/code.h"

#include <fmt/format.h>

#include <cctype>

#include "harness/core/text.h"
#include "harness/kernel/cubin/listing.h"
#include "harness/kernel/ptx/outline.h"
#include "harness/kernel/ptx/parser.h"

namespace lab::grade {

namespace {

std::string file_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// The text of the source line that an access came from.
std::string source_line(const cubin::Image& image, const cubin::MemoryInstruction& one,
                        const KernelText& source) {
  constexpr const char* kUnknown = "(no source line)";
  if (one.source_file == 0 || one.source_file >= image.files.size()) return kUnknown;
  const std::string file = file_of(image.files[one.source_file]);
  const std::string* text = file == file_of(source.name) ? &source.text : nullptr;
  for (const IncludedText& included : source.included) {
    if (text == nullptr && file == file_of(included.name)) text = &included.text;
  }
  if (text == nullptr) return fmt::format("({})", file);
  return std::string(trim(line_of(*text, static_cast<int>(one.source_line))));
}

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Names that a person chose, or that follow from them, each by when it comes first.
class Renamer {
 public:
  explicit Renamer(std::string_view kernel) : kernel_(kernel) {}

  std::string operator()(std::string_view line) {
    std::string out;
    for (std::size_t at = 0; at < line.size();) {
      const bool begins = is_name(line[at]) || line[at] == '$';
      if (!begins) {
        out += line[at++];
        continue;
      }
      std::size_t end = at + 1;
      while (end < line.size() && (is_name(line[end]) || line[end] == '$')) ++end;
      const bool is_register = at > 0 && line[at - 1] == '%';
      out += is_register ? std::string(line.substr(at, end - at)) : word(line.substr(at, end - at));
      at = end;
    }
    return out;
  }

 private:
  std::string word(std::string_view text) {
    const bool chosen = text.starts_with("_Z") || text.starts_with("$") ||
                        (!kernel_.empty() && text.starts_with(kernel_));
    if (!chosen) return std::string(text);
    const auto [at, fresh] = names_.try_emplace(std::string(text), names_.size());
    return fmt::format("name{}", at->second);
  }

  std::string_view kernel_;
  std::map<std::string, std::size_t> names_;
};

}  // namespace

CodeFacts code_facts(const Compiled& compiled, const KernelText& source) {
  CodeFacts facts;
  if (compiled.cubin.empty() || compiled.lowered.empty()) return facts;
  const cubin::Image image = cubin::read(compiled.cubin);
  const std::string& kernel = compiled.lowered.front();
  const cubin::Function* function = image.find(kernel);
  if (function == nullptr) return facts;
  facts.registers = function->registers;
  facts.local_bytes = function->local_bytes;
  facts.shared_bytes = function->shared_bytes;
  std::map<std::string, std::map<std::string, int>> counts;
  const ptx::Module module = ptx::parse(compiled.ptx, "the PTX");
  for (const cubin::ListedAccess& one : cubin::listing(image, kernel, module)) {
    std::string kind = cubin::mnemonic(one.machine.access);
    if (!one.merged_from.empty()) kind += " (merged)";
    ++counts[source_line(image, one.machine, source)][kind];
  }
  for (const auto& [line, kinds] : counts) {
    std::string& text = facts.accesses[line];
    for (const auto& [kind, count] : kinds) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, kind);
    }
  }
  return facts;
}

std::string fingerprint(std::string_view text, std::string_view lowered) {
  const ptx::Outline outline = ptx::outline(text);
  const ptx::Outline::Function* const kernel = outline.find_entry(lowered);
  if (kernel == nullptr) return {};
  Renamer renamed(lowered);
  std::string code;
  for (const std::string_view raw : split(kernel->text, '\n')) {
    const std::string_view line = trim(raw.substr(0, raw.find("//")));
    if (line.empty() || line.starts_with(".loc") || line.starts_with(".file")) continue;
    code += renamed(line) + "\n";
  }
  return sha256_hex(code);
}

}  // namespace lab::grade
