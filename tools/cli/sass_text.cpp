#include "tools/cli/sass_text.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "harness/core/text.h"
#include "tools/cli/table.h"

namespace lab::cli {

namespace {

std::string head_of(const cubin::Function& function) {
  std::string text;
  if (function.registers) text += fmt::format("{} registers, ", *function.registers);
  text += fmt::format("{} bytes of static shared memory", function.shared_bytes);
  if (function.local_bytes)
    text += fmt::format(", {} bytes of local memory", *function.local_bytes);
  return text;
}

}  // namespace

std::string mnemonic(const cubin::Access& access) {
  std::string name(name_of(access.kind));
  if (access.bytes == 0 || access.bytes == 4) return name;
  return name + fmt::format(".{}{}", access.bytes < 4 ? "U" : "", access.bytes * 8);
}

std::string sass_text(const cubin::Function& function, const cubin::Image& image,
                      std::string_view source, const Terminal& terminal) {
  std::string out = "  " + head_of(function) + "\n";
  std::map<std::tuple<std::uint32_t, std::string, int>, std::size_t> rows;
  for (const cubin::MemoryInstruction& one : function.instructions) {
    // Parameters, which every thread reads from the constant bank.
    if (one.access.kind == cubin::Kind::kLoadConst) continue;
    const bool ours = one.source_file < image.files.size();
    ++rows[{ours ? one.source_line : 0, mnemonic(one.access), one.access.bytes}];
  }
  if (rows.empty()) return out + "  no memory instruction\n";
  Table table{{{"line", Align::kRight},
               {"instruction"},
               {"bytes a lane", Align::kRight},
               {"times", Align::kRight},
               {"source", Align::kLeft, true}}};
  for (const auto& [key, times] : rows) {
    const auto& [line, name, bytes] = key;
    table.rows.push_back({{line == 0 ? "-" : std::to_string(line)},
                          {name},
                          {bytes == 0 ? "?" : std::to_string(bytes)},
                          {std::to_string(times)},
                          {safe_line(trim(line_of(source, static_cast<int>(line))))}});
  }
  return out + table_text(table, terminal, 2);
}

}  // namespace lab::cli
