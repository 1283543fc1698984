#include "tools/cli/text/sass_text.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/cubin/sass_map.h"
#include "harness/ncu/tool.h"
#include "harness/ptx/parser.h"
#include "harness/run/temporary_folder.h"
#include "tools/cli/text/table.h"

namespace lab::cli {

namespace {

using Accesses = std::vector<const cubin::ListedAccess*>;

std::map<std::uint32_t, std::string> disassembly(const Compiled& compiled) {
  const ncu::ToolSearch search = ncu::find_tool("nvdisasm", ncu::usual_places());
  if (!search.found) return {};
  const run::TemporaryFolder folder("lab-sass");
  const auto file = folder.path() / "kernel.cubin";
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(compiled.cubin.data()), std::ssize(compiled.cubin));
  const ncu::Ended ended =
      ncu::run_program({search.found->string(), "-c", file.string()}, folder.path());
  if (ended.status != 0) spdlog::warn("nvdisasm: {}", safe_text(trim(ended.err)));
  return cubin::read_nvdisasm(ended.out, compiled.lowered.front());
}

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
  return fmt::format("{}: {}", line, safe_line(text));
}

std::string file_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// The line of the file with this name that an instruction came from; 0: of another, or not known.
std::uint32_t line_in(const std::string& name, const cubin::Image& image,
                      const cubin::MemoryInstruction& one) {
  if (one.source_file == 0 || one.source_file >= image.files.size()) return 0;
  return file_of(image.files[one.source_file]) == file_of(name) ? one.source_line : 0;
}

bool is_counted(const ptx::Instruction& one) {
  using ptx::Op;
  constexpr Op kAccesses[] = {Op::kLd,        Op::kSt,        Op::kAtom,     Op::kRed,
                              Op::kCpAsync,   Op::kLdmatrix,  Op::kStmatrix, Op::kWmmaLoadA,
                              Op::kWmmaLoadB, Op::kWmmaLoadC, Op::kWmmaStore};
  const bool elsewhere = one.space == ptx::Space::kParam || one.space == ptx::Space::kConst;
  return !elsewhere && std::ranges::find(kAccesses, one.op) != std::end(kAccesses);
}

// ld.shared.f32 of `@%p1 ld.shared.f32 %f1, [%rd2];`
std::string opcode_of(std::string_view text) {
  text = trim(text);
  if (text.starts_with('@'))
    text = trim(text.substr(std::min(text.find_first_of(" \t"), text.size())));
  return std::string(text.substr(0, text.find_first_of(" \t")));
}

std::vector<WrittenAccess> written_accesses(const ptx::Module& module, const std::string& kernel) {
  std::vector<WrittenAccess> all;
  const std::uint32_t entry = module.find_entry(kernel);
  if (entry == ptx::kNoIndex) return all;
  for (const ptx::Instruction& one : module.functions[entry].instructions) {
    const ptx::Where& where = one.where;
    if (where.line == 0 || where.ptx_line == 0 || !is_counted(one)) continue;
    const std::string opcode = opcode_of(module.lines[where.ptx_line - 1]);
    all.push_back({module.files[where.file], where.line, opcode});
  }
  return all;
}

using Counted = std::map<std::string, std::size_t>;

std::string counted_text(const Counted& counted) {
  std::string text;
  for (const auto& [name, count] : counted) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, safe_line(name));
  }
  return text;
}

// Rows of one source line: number and text of the line stand in the first one alone.
class LineRows {
 public:
  LineRows(std::string line, std::string source, Table& table)
      : line_(std::move(line)), source_(std::move(source)), table_(table) {}

  void add(const std::string& ptx, const std::string& pc, const std::string& machine) {
    table_.rows.push_back({{std::exchange(line_, "")},
                           {std::exchange(source_, "")},
                           {ptx, Tone::kDim},
                           {pc, Tone::kDim},
                           {machine}});
  }

 private:
  std::string line_;
  std::string source_;
  Table& table_;
};

// Of each kind of access the first `most`, and how many more there are.
void add_rows(const MachineCode& code, const Accesses& accesses, std::size_t most, LineRows& rows) {
  std::map<std::string, std::size_t> seen;
  for (const cubin::ListedAccess* one : accesses) {
    if (++seen[cubin::mnemonic(one->machine.access)] > most) continue;
    const std::string merged = cubin::merged_text(*one);
    rows.add(merged.empty() ? ptx_text(code, one->machine.ptx_line) : merged,
             fmt::format("{:04x}", one->machine.pc), safe_line(one->text));
  }
  for (const auto& [kind, count] : seen) {
    if (count > most) rows.add("", "", fmt::format("{} more {}", count - most, kind));
  }
}

}  // namespace

MachineCode machine_code(const Compiled& compiled) {
  MachineCode code{cubin::read(compiled.cubin), compiled.lowered.front()};
  const ptx::Module module = ptx::parse(compiled.ptx, "the PTX");
  code.ptx = module.lines;
  code.accesses = cubin::listing(code.image, code.kernel, module);
  code.written = written_accesses(module, code.kernel);
  code.merges_absent = cubin::sass_map(code.image, code.kernel, module).absent;
  const auto texts = disassembly(compiled);
  for (cubin::ListedAccess& one : code.accesses) {
    const auto text = texts.find(one.machine.pc);
    if (text == texts.end()) continue;
    one.text = text->second;
    code.disassembled = true;
  }
  return code;
}

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

std::string sass_text(const MachineCode& code, const KernelText& source, std::size_t most,
                      const Terminal& terminal) {
  const cubin::Function* function = code.image.find(code.kernel);
  if (function == nullptr) {
    const std::string& absent = code.image.absent;
    return "  no machine code: " + (absent.empty() ? "it has no such kernel" : absent) + "\n";
  }
  std::string out = "  " + resources_of(*function);
  out += code.disassembled ? "; as nvdisasm prints it\n" : "\n";
  if (!code.merges_absent.empty()) {
    out += "  what was merged is not known: " + safe_line(code.merges_absent) + "\n";
  }
  if (code.accesses.empty()) return out + "  no memory instruction\n";
  std::map<std::uint32_t, Accesses> by_line;
  for (const cubin::ListedAccess& one : code.accesses) {
    by_line[line_in(source.name, code.image, one.machine)].push_back(&one);
  }
  Table table{{{"line", Align::kRight},
               {"source", Align::kLeft, true},
               {"PTX", Align::kLeft, true},
               {"pc"},
               {"machine code", Align::kLeft, true}}};
  for (const auto& [line, accesses] : by_line) {
    const std::string_view text = trim(line_of(source.text, static_cast<int>(line)));
    LineRows rows(line == 0 ? "-" : std::to_string(line),
                  line == 0 ? "(another file, or not known)" : safe_line(text), table);
    add_rows(code, accesses, most, rows);
  }
  return out + table_text(table, terminal, 2);
}

}  // namespace lab::cli
