#include "harness/run/code_page.h"

#include <fmt/format.h>

#include <utility>

#include "harness/core/text.h"
#include "harness/page/make.h"

namespace lab::run {

namespace {

using Accesses = std::vector<const cubin::ListedAccess*>;

std::string resources_of(const cubin::Function& function) {
  std::string text;
  if (function.registers) text += fmt::format("{} registers, ", *function.registers);
  text += fmt::format("{} bytes of static shared memory", function.shared_bytes);
  if (function.local_bytes)
    text += fmt::format(", {} bytes of local memory", *function.local_bytes);
  return text;
}

std::string ptx_text(const MachineCode& code, std::uint32_t line) {
  if (line == 0 || line > code.ptx.size()) return "-";
  const std::string_view whole = code.ptx[line - 1];
  std::string text;  // with single spaces
  for (const char c : trim(whole.substr(0, whole.find("//")))) {
    const char plain = c == '\t' ? ' ' : c;
    if (plain != ' ' || text.empty() || text.back() != ' ') text += plain;
  }
  return fmt::format("{}: {}", line, text);
}

std::string file_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// The line of the file with this name that an instruction came from; 0: of another, or not known.
std::uint32_t line_in(const std::string& name, const cubin::Image& image,
                      const cubin::MemoryInstruction& one) {
  if (one.source_file == 0 || one.source_file >= image.files.size()) return 0;
  return file_of(image.files[one.source_file]) == file_of(name) ? one.source_line : 0;
}

using Counted = std::map<std::string, std::size_t>;

std::string counted_text(const Counted& counted) {
  std::string text;
  for (const auto& [name, count] : counted) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  }
  return text;
}

// Rows of one source line: number and text of the line stand in the first one alone.
class LineRows {
 public:
  LineRows(std::string line, std::string source, page::Table& table)
      : line_(std::move(line)), source_(std::move(source)), table_(table) {}

  void add(std::string ptx, std::string pc, std::string machine) {
    page::Row& row = table_.rows.emplace_back();
    row.cells = {{std::exchange(line_, "")},
                 {std::exchange(source_, "")},
                 {std::move(ptx), page::Tone::kDim},
                 {std::move(pc), page::Tone::kDim},
                 {std::move(machine)}};
  }

 private:
  std::string line_;
  std::string source_;
  page::Table& table_;
};

// Adds the first `most` accesses of each kind, and says how many more there are.
void add_rows(const MachineCode& code, const Accesses& accesses, std::size_t most, LineRows& rows) {
  std::map<std::string, std::size_t> seen;
  for (const cubin::ListedAccess* one : accesses) {
    if (++seen[cubin::mnemonic(one->machine.access)] > most) continue;
    const std::string merged = cubin::merged_text(*one);
    rows.add(merged.empty() ? ptx_text(code, one->machine.ptx_line) : merged,
             fmt::format("{:04x}", one->machine.pc), one->text);
  }
  for (const auto& [kind, count] : seen) {
    if (count > most) rows.add("", "", fmt::format("{} more {}", count - most, kind));
  }
}

page::Table accesses_table(const MachineCode& code, const KernelText& source, std::size_t most) {
  std::map<std::uint32_t, Accesses> by_line;
  for (const cubin::ListedAccess& one : code.accesses) {
    by_line[line_in(source.name, code.image, one.machine)].push_back(&one);
  }
  page::Table table{{{"line", true},
                     {"source", false, true},
                     {"PTX", false, true, "", page::Rank::kMore},
                     {"pc", false, false, "", page::Rank::kDetail},
                     {"machine code", false, true}}};
  for (const auto& [line, accesses] : by_line) {
    const std::string_view text = trim(line_of(source.text, static_cast<int>(line)));
    LineRows rows(line == 0 ? "-" : std::to_string(line),
                  line == 0 ? "(another file, or not known)" : std::string(text), table);
    add_rows(code, accesses, most, rows);
  }
  return table;
}

}  // namespace

std::map<int, std::string> compiled_lines(const MachineCode& code, const KernelText& source) {
  if (code.image.find(code.kernel) == nullptr) return {};
  std::map<std::uint32_t, std::pair<Counted, Counted>> lines;
  for (const WrittenAccess& one : code.written) {
    if (file_of(one.file) == file_of(source.name)) ++lines[one.line].first[one.opcode];
  }
  for (const cubin::ListedAccess& one : code.accesses) {
    const std::uint32_t line = line_in(source.name, code.image, one.machine);
    if (line != 0) ++lines[line].second[cubin::mnemonic(one.machine.access)];
  }
  std::map<int, std::string> texts;
  for (const auto& [line, counted] : lines) {
    const std::string written = counted_text(counted.first);
    const std::string compiled = counted_text(counted.second);
    texts[static_cast<int>(line)] =
        fmt::format("{} compiled to {}", written.empty() ? "no access" : written,
                    compiled.empty() ? "none: the value was known, or is merged with another line's"
                                     : compiled);
  }
  return texts;
}

std::string resources_text(const MachineCode& code) {
  const cubin::Function* function = code.image.find(code.kernel);
  if (function != nullptr) return resources_of(*function);
  const std::string& absent = code.image.absent;
  return "no machine code: " + (absent.empty() ? "it has no such kernel" : absent);
}

page::Page code_page(const MachineCode& code, const KernelText& source, std::size_t most) {
  const bool there = code.image.find(code.kernel) != nullptr;
  page::Page page;
  page.blocks.push_back(page::sentence(
      resources_text(code) + (there && code.disassembled ? "; as nvdisasm prints it" : "")));
  if (!there) return page;
  if (!code.merges_absent.empty()) {
    page.blocks.push_back(page::sentence("what was merged is not known: " + code.merges_absent));
  }
  if (code.accesses.empty()) {
    page.blocks.push_back(page::sentence("no memory instruction"));
  } else {
    page.blocks.push_back({accesses_table(code, source, most)});
  }
  return page;
}

}  // namespace lab::run
