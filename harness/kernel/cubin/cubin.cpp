#include "harness/kernel/cubin/cubin.h"

#include <algorithm>
#include <string>

#include "harness/kernel/cubin/elf.h"
#include "harness/kernel/cubin/lines.h"

namespace lab::cubin {

namespace {

constexpr std::string_view kText = ".text.";
constexpr std::size_t kWord = 16;
constexpr std::uint64_t kReservedShared = 1024;  // per block; compute capability 9.0 and later

// Attributes of .nv.info with a symbol and a number.
enum class Attribute : std::uint8_t { kFrameSize = 0x11, kMinStackSize = 0x12, kRegisters = 0x2f };

struct Resources {
  std::optional<std::uint32_t> registers;
  std::optional<std::uint32_t> stack;
};

// .nv.info is a list of {format, attribute, 16 bits}; in format 4, that many bytes follow.
void read_resources(const Elf& elf, std::unordered_map<std::string_view, Resources>& out) {
  constexpr std::uint8_t kSized = 4;
  const Section* section = elf.find(".nv.info");
  if (section == nullptr) return;
  for (Reader reader(section->data); !reader.done();) {
    const std::uint8_t format = reader.u8();
    const std::uint8_t attribute = reader.u8();
    const std::uint16_t size = reader.u16();
    if (format != kSized) continue;
    Reader value(reader.take(size));
    const std::uint32_t symbol = value.u32();
    const std::uint32_t number = value.u32();
    if (!value.ok() || symbol >= elf.symbols.size()) continue;
    Resources& resources = out[elf.symbols[symbol].name];
    if (attribute == static_cast<std::uint8_t>(Attribute::kRegisters)) resources.registers = number;
    // The frame is the kernel's own; the stack includes the functions that it calls.
    if (attribute == static_cast<std::uint8_t>(Attribute::kFrameSize) ||
        attribute == static_cast<std::uint8_t>(Attribute::kMinStackSize)) {
      resources.stack = std::max(resources.stack.value_or(0), number);
    }
  }
}

std::uint64_t shared_bytes(const Elf& elf, std::string_view function) {
  const Section* section = elf.find(".nv.shared." + std::string(function));
  if (section == nullptr) return 0;
  const std::uint64_t reserved = elf.sm >= 90 ? kReservedShared : 0;
  return section->size - std::min(section->size, reserved);
}

std::vector<std::string> read_ptx(const Elf& elf) {
  std::vector<std::string> lines;
  const Section* section = elf.find(".nv_debug_ptx_txt");
  if (section == nullptr) return lines;
  for (Reader reader(section->data); !reader.done();) lines.emplace_back(reader.text());
  return lines;
}

struct Tables {
  LineTable ptx;
  LineTable source;
};

void read_code(const Elf& elf, std::uint16_t index, const Tables& tables, Function& function) {
  const Bytes code = elf.sections[index].data;
  for (std::size_t pc = 0; pc + kWord <= code.size(); pc += kWord) {
    const Bytes word = code.subspan(pc, kWord);
    const LineRow* ptx = tables.ptx.find(index, pc);
    const std::uint32_t line = ptx == nullptr ? 0 : ptx->line;
    if (is_warp_vote(word)) function.vote_lines.push_back(line);
    if (is_conditional_jump(word)) function.jumps.push_back({static_cast<std::uint32_t>(pc), line});
    function.code.push_back(decode_issue(word, elf.sm));
    function.code.back().ptx_line = line;
    const std::optional<Access> access = decode(word, elf.sm);
    if (!access) continue;
    MemoryInstruction instruction;
    instruction.pc = static_cast<std::uint32_t>(pc);
    instruction.access = *access;
    instruction.ptx_line = line;
    if (const LineRow* source = tables.source.find(index, pc)) {
      instruction.source_file = source->file;
      instruction.source_line = source->line;
    }
    function.instructions.push_back(instruction);
  }
  std::sort(function.vote_lines.begin(), function.vote_lines.end());
  function.vote_lines.erase(std::unique(function.vote_lines.begin(), function.vote_lines.end()),
                            function.vote_lines.end());
}

}  // namespace

const Function* Image::find(std::string_view name) const {
  const auto it = std::find_if(functions.begin(), functions.end(),
                               [=](const Function& function) { return function.name == name; });
  return it == functions.end() ? nullptr : &*it;
}

Image read(Bytes bytes) {
  Image image;
  const std::optional<Elf> elf = read_elf(bytes, image.absent);
  if (!elf) return image;
  image.sm = elf->sm;
  image.ptx = read_ptx(*elf);
  Tables tables{read_lines(*elf, ".nv_debug_line_sass"), read_lines(*elf, ".debug_line")};
  image.files = std::move(tables.source.files);
  std::unordered_map<std::string_view, Resources> resources;
  read_resources(*elf, resources);
  for (std::size_t i = 0; i < elf->sections.size(); ++i) {
    const std::string_view name = elf->sections[i].name;
    if (name.substr(0, kText.size()) != kText) continue;
    Function function;
    function.name = name.substr(kText.size());
    function.registers = resources[function.name].registers;
    function.local_bytes = resources[function.name].stack;
    function.shared_bytes = shared_bytes(*elf, function.name);
    read_code(*elf, static_cast<std::uint16_t>(i), tables, function);
    image.functions.push_back(std::move(function));
  }
  if (image.functions.empty()) image.absent = "it has no machine code";
  if (image.ptx.empty()) image.lines_absent = "it has no PTX text: compile with -lineinfo";
  if (tables.ptx.rows.empty()) image.lines_absent = "it has no PTX lines: compile with -lineinfo";
  return image;
}

}  // namespace lab::cubin
