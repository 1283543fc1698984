#include "harness/run/machine_code.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "harness/core/text.h"
#include "harness/core/unicode.h"
#include "harness/kernel/cubin/sass_map.h"
#include "harness/kernel/ptx/parser.h"
#include "harness/ncu/tool.h"
#include "harness/run/temporary_folder.h"

namespace lab::run {

namespace {

std::map<std::uint32_t, std::string> disassembly(const Compiled& compiled) {
  const ncu::ToolSearch search = ncu::find_tool("nvdisasm", ncu::usual_places());
  if (!search.found) return {};
  const TemporaryFolder folder("lab-sass");
  const auto file = folder.path() / "kernel.cubin";
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(compiled.cubin.data()), std::ssize(compiled.cubin));
  const ncu::Ended ended =
      ncu::run_program({search.found->string(), "-c", file.string()}, folder.path());
  if (ended.status != 0) spdlog::warn("nvdisasm: {}", safe_text(trim(ended.err)));
  return cubin::read_nvdisasm(ended.out, compiled.lowered.front());
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

}  // namespace lab::run
