#include "harness/kernel/cubin/listing.h"

#include <fmt/format.h>

#include <charconv>
#include <set>

#include "harness/core/text.h"
#include "harness/kernel/cubin/sass_map.h"

namespace lab::cubin {

namespace {

// The groups of accesses that were merged into wide ones, by the PTX line of their leader.
std::map<std::uint32_t, std::vector<PtxPlace>> groups_of(const SassMap& map,
                                                         const ptx::Module& module) {
  std::map<std::uint32_t, std::vector<PtxPlace>> groups;
  for (std::size_t f = 0; f < map.functions.size(); ++f) {
    const auto& fates = map.functions[f];
    const auto& code = module.functions[f].instructions;
    for (std::size_t i = 0; i < fates.size(); ++i) {
      const bool leads = fates[i].kind == Fate::Kind::kWide;
      if (!leads && fates[i].kind != Fate::Kind::kMerged) continue;
      const std::size_t leader = leads ? i : fates[i].leader;
      groups[code[leader].where.ptx_line].push_back({code[i].where.ptx_line, code[i].where.line});
    }
  }
  return groups;
}

std::string address_text(const Access& access) {
  std::string base;
  if (access.address_register != 255) base = fmt::format("R{}", access.address_register);
  if (access.offset == 0 && !base.empty()) return base;
  const bool minus = access.offset < 0;
  const std::string sign = minus ? "-" : base.empty() ? "" : "+";
  const std::int64_t size = access.offset;
  return fmt::format("{}{}{:#x}", base, sign, minus ? -size : size);
}

std::string line_list(const std::vector<std::uint32_t>& lines) {
  return fmt::format("{}", fmt::join(lines, ", "));
}

// The pc before an instruction: /*0a10*/; empty where the line has no instruction.
std::optional<std::uint32_t> pc_of(std::string_view line, std::string_view& rest) {
  constexpr std::string_view kOpen = "/*";
  if (line.substr(0, kOpen.size()) != kOpen) return {};
  const std::size_t close = line.find("*/");
  if (close == std::string_view::npos) return {};
  std::uint32_t pc = 0;
  const char* const begin = line.data() + kOpen.size();
  const char* const end = line.data() + close;
  const auto [at, failed] = std::from_chars(begin, end, pc, 16);
  if (failed != std::errc{} || at != end) return {};
  rest = line.substr(close + kOpen.size());
  return pc;
}

}  // namespace

std::string mnemonic(const Access& access) {
  std::string name(name_of(access.kind));
  if (access.bytes == 0 || access.bytes == 4) return name;
  return name + fmt::format(".{}{}", access.bytes < 4 ? "U" : "", access.bytes * 8);
}

std::vector<ListedAccess> listing(const Image& image, const std::string& kernel,
                                  const ptx::Module& module) {
  std::vector<ListedAccess> out;
  const Function* function = image.find(kernel);
  if (function == nullptr) return out;
  const SassMap map = sass_map(image, kernel, module);
  const auto groups = groups_of(map, module);
  for (const MemoryInstruction& one : function->instructions) {
    if (one.access.kind == Kind::kLoadConst) continue;
    ListedAccess listed{one, fmt::format("{}{} [{}]", one.access.predicated ? "@P " : "",
                                         mnemonic(one.access), address_text(one.access))};
    const auto group = groups.find(one.ptx_line);
    if (group != groups.end() && group->second.size() > 1) listed.merged_from = group->second;
    out.push_back(std::move(listed));
  }
  return out;
}

std::map<std::uint32_t, std::string> read_nvdisasm(std::string_view text, std::string_view kernel) {
  const std::string label = fmt::format(".text.{}:", kernel);
  std::map<std::uint32_t, std::string> code;
  bool inside = false;
  for (const std::string_view whole : split(text, '\n')) {
    const std::string_view line = trim(whole);
    if (line.substr(0, 6) == ".text." && line.back() == ':') inside = line == label;
    std::string_view rest;
    const auto pc = inside ? pc_of(line, rest) : std::nullopt;
    const std::size_t end = rest.find(';');
    if (pc && end != std::string_view::npos) code[*pc] = std::string(trim(rest.substr(0, end)));
  }
  return code;
}

std::string merged_text(const ListedAccess& access) {
  if (access.merged_from.empty()) return {};
  std::set<std::uint32_t> source;
  std::vector<std::uint32_t> ptx;
  for (const PtxPlace& place : access.merged_from) {
    source.insert(place.source_line);
    ptx.push_back(place.ptx_line);
  }
  if (source.size() > 1 && *source.begin() != 0) {
    return "merged from lines " + line_list({source.begin(), source.end()});
  }
  return "merged from PTX lines " + line_list(ptx);
}

}  // namespace lab::cubin
