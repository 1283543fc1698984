#include "harness/programs/serve/holes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "harness/core/numbers.h"
#include "harness/core/text.h"

namespace lab::program {
namespace {

// Of the program's own files, or null.
const std::string* text_named(const KernelText& source, const std::string& file) {
  const auto is = [&](const std::string& name) {
    return file == name || file.ends_with("/" + name.substr(name.rfind('/') + 1));
  };
  if (is(source.name)) return &source.text;
  for (const IncludedText& one : source.included) {
    if (is(one.name)) return &one.text;
  }
  return nullptr;
}

// Whether a person wrote the axis there: blockIdx.y.
bool names_axis(const KnownKernel& kernel, const ptx::Where& where, unsigned axis) {
  if (where.line == 0 || where.file >= kernel.loaded->module.files.size()) return false;
  const std::string* text =
      text_named(kernel.unit->source, kernel.loaded->module.files[where.file]);
  if (text == nullptr) return false;
  const std::string member{'.', kAxes[axis]};
  return line_of(*text, static_cast<int>(where.line)).find(member) != std::string_view::npos;
}

void note_index(const KnownKernel& kernel, const ptx::Instruction& ins, Writer& writer) {
  for (const ptx::Operand& operand : ins.operands) {
    if (operand.kind != ptx::Operand::Kind::kSpecial || operand.component >= kAxes.size()) continue;
    const bool of_thread = operand.special == ptx::Special::kTid;
    if (!of_thread && operand.special != ptx::Special::kCtaid) continue;
    const unsigned axis = operand.component;
    if (!names_axis(kernel, ins.where, axis)) continue;
    int& line = (of_thread ? writer.thread_lines : writer.block_lines)[axis];
    if (line == 0) line = static_cast<int>(ins.where.line);
  }
}

std::string elements_of(ptx::Type type, std::uint32_t bytes) {
  if (type == ptx::Type::kF32) return "floats";
  if (type == ptx::Type::kF64) return "doubles";
  return bytes == 1 ? "bytes" : fmt::format("{}-byte elements", bytes);
}

void note_store(const ptx::Instruction& ins, bool first, Writer& writer) {
  const auto bytes = static_cast<std::uint32_t>(ptx::bits_of(ins.type) / 8);
  if (!first && bytes >= writer.element_bytes) return;
  writer.element_bytes = bytes;
  writer.store_bytes = bytes * ins.vector;
  writer.elements = elements_of(ins.type, bytes);
}

std::string shape(const Dim3& size) {
  if (size.z > 1) return fmt::format("{}x{}x{}", size.x, size.y, size.z);
  return size.y > 1 ? fmt::format("{}x{}", size.x, size.y) : fmt::format("{}", size.x);
}

std::uint32_t along(const Dim3& size, unsigned axis) {
  return axis == 0 ? size.x : axis == 1 ? size.y : size.z;
}

std::string placed(const Writer& writer) {
  return writer.place.empty() ? writer.kernel : fmt::format("{} ({})", writer.kernel, writer.place);
}

// The kernel asks for a y, and the launch has none: of its rows it does the first.
std::optional<std::string> lacks_axis(const Writer& writer, unsigned axis) {
  const bool one_thread = along(writer.launch.block, axis) == 1 && writer.thread_lines[axis] != 0;
  const bool one_block = along(writer.launch.grid, axis) == 1 && writer.block_lines[axis] != 0;
  const int line = one_thread ? writer.thread_lines[axis] : writer.block_lines[axis];
  if (!one_thread && !one_block) return {};
  const char* const what = one_thread && one_block ? "grid and block have"
                           : one_thread            ? "the block has"
                                                   : "the grid has";
  return fmt::format(
      "{} reads {}.{} in line {}, but {} a {} of 1 (grid {}, block {}): launch it with {} "
      "dimensions, such as dim3 block(16, 16{})",
      placed(writer), one_thread ? "threadIdx" : "blockIdx", kAxes[axis], line, what, kAxes[axis],
      shape(writer.launch.grid), shape(writer.launch.block), axis == 1 ? "two" : "three",
      axis == 1 ? "" : ", 4");
}

// Each thread has done the element of its own number, and there are more elements than threads.
std::optional<std::string> lacks_threads(const model::check::Holes& holes, std::uint64_t base,
                                         const CopiedRows& copied, const Writer& writer) {
  const Dim3& block = writer.launch.block;
  const std::uint64_t threads = writer.launch.grid.count() * block.count();
  const bool flat = threads == std::uint64_t{writer.launch.grid.x} * block.x;
  const std::uint64_t written = threads * writer.store_bytes;
  const bool is_tail = copied.rows == 1 && copied.first == 0 && holes.first - base == written &&
                       holes.last - base + 1 == copied.bytes &&
                       holes.bytes == copied.bytes - written;
  if (!flat || writer.has_atomics || !is_tail) return {};
  const std::uint64_t elements = copied.bytes / writer.element_bytes;
  const bool is_told = std::find(writer.arguments.begin(), writer.arguments.end(), elements) !=
                       writer.arguments.end();
  const bool is_rest = holes.bytes < std::uint64_t{block.x} * writer.store_bytes;
  if (!is_told && !is_rest) return {};
  return fmt::format(
      "{} has one thread for each of the first {} alone (grid {}, block {}): round the number of "
      "blocks up, (n + {}) / {}",
      placed(writer), grouped_text(static_cast<double>(written / writer.element_bytes)),
      shape(writer.launch.grid), shape(block), block.x - 1, block.x);
}

}  // namespace

Writer writer_of(const KnownKernel& kernel, const Launch& launch,
                 std::span<const std::byte> arguments, std::string place) {
  Writer writer;
  writer.kernel = kernel.name;
  writer.place = std::move(place);
  writer.launch = launch;
  const std::uint32_t index = kernel.loaded->module.find_entry(kernel.compiled);
  if (index == ptx::kNoIndex) return writer;
  bool first = true;
  for (const ptx::Instruction& ins : kernel.loaded->module.functions[index].instructions) {
    note_index(kernel, ins, writer);
    const bool global = ins.space == ptx::Space::kGlobal || ins.space == ptx::Space::kGeneric;
    if (ins.op == ptx::Op::kSt && global) note_store(ins, std::exchange(first, false), writer);
    if ((ins.op == ptx::Op::kAtom || ins.op == ptx::Op::kRed) && global) writer.has_atomics = true;
  }
  const KernelFacts facts = facts_of(kernel);
  for (std::uint32_t i = 0; i < facts.parameter_count; ++i) {
    const auto& [offset, bytes] = facts.parameters[i];
    if ((bytes != 4 && bytes != 8) || offset + bytes > arguments.size()) continue;
    std::uint64_t value = 0;
    std::memcpy(&value, arguments.data() + offset, bytes);
    writer.arguments.push_back(value);
  }
  return writer;
}

model::check::Holes holes_in(const model::check::GlobalShadow& shadow, std::uint64_t base,
                             const CopiedRows& copied) {
  constexpr std::uint64_t kPart = std::uint64_t{1} << 30U;
  model::check::Holes holes;
  for (std::uint64_t row = 0; row < copied.rows; ++row) {
    const std::uint64_t from = base + copied.first + row * copied.pitch;
    for (std::uint64_t done = 0; done < copied.bytes; done += kPart) {
      shadow.add_holes(from + done,
                       static_cast<std::uint32_t>(std::min(kPart, copied.bytes - done)), holes);
    }
  }
  return holes;
}

std::optional<std::string> explain_holes(const model::check::Holes& holes, std::uint64_t base,
                                         const CopiedRows& copied, const Writer& writer,
                                         const std::string& array) {
  const std::uint64_t all = copied.bytes * copied.rows;
  std::optional<std::string> why = lacks_threads(holes, base, copied, writer);
  // Borders, padding and triangles are less than half of an array.
  const bool most = holes.bytes >= all - holes.bytes;
  for (unsigned axis = 1; axis < kAxes.size() && !why && most; ++axis) {
    why = lacks_axis(writer, axis);
  }
  if (!why) return {};
  const std::uint32_t each = writer.element_bytes;
  return fmt::format(
      "nobody has written {} of the {} {} of '{}' that the host copies, the first at index {}: {}",
      grouped_text(static_cast<double>(holes.bytes / each)),
      grouped_text(static_cast<double>(all / each)), writer.elements, array,
      (holes.first - base) / each, *why);
}

}  // namespace lab::program
