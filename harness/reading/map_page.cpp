#include "harness/reading/map_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "harness/page/make.h"
#include "harness/page/numbers.h"
#include "harness/reading/accesses.h"
#include "harness/reading/case_name.h"
#include "harness/reading/generations/other_generations.h"

namespace lab::reading {

namespace {

constexpr std::size_t kPatternsShown = 16;

std::string counted(int count, std::string_view one) {
  return page::counted(static_cast<std::uint64_t>(count), one);
}

page::Square square_of(const std::vector<std::size_t>& lanes) {
  return {static_cast<int>(lanes.front()), lanes.size() > 1};
}

// The words of all banks that one wavefront takes; each after the first is one too many.
page::GridRow wavefront(const ServedLanes& group, std::size_t number) {
  page::GridRow row;
  if (number > 0) row.tone = page::Tone::kNote;
  for (const Words& bank : group.banks) {
    page::Square& square = row.squares.emplace_back();
    if (number >= bank.size()) continue;
    square = square_of(std::next(bank.begin(), static_cast<std::ptrdiff_t>(number))->second);
  }
  return row;
}

page::Grid banks_of(const ServedLanes& group, std::string title) {
  page::Grid grid{std::move(title), "lane", "bank"};
  for (std::int64_t bank = 0; bank < kBanks; ++bank) grid.columns.push_back(std::to_string(bank));
  grid.together = kBanks / 2;
  for (std::size_t i = 0; i < group.deepest(); ++i) grid.rows.push_back(wavefront(group, i));
  return grid;
}

page::GridRow sector_row(std::int64_t number, const Words& words) {
  page::GridRow row;
  row.label = fmt::format("+{}", number * kSectorBytes);
  row.squares.resize(kSectorWords);
  std::set<std::size_t> lanes;
  for (const auto& [word, who] : words) {
    row.squares[static_cast<std::size_t>(word % kSectorWords)] = square_of(who);
    lanes.insert(who.begin(), who.end());
  }
  for (const std::size_t lane : lanes) row.all.push_back(static_cast<int>(lane));
  const bool whole = std::ssize(words) == kSectorWords;
  row.tone = whole ? page::Tone::kGood : page::Tone::kNote;
  return row;
}

std::string cost_text(const Access& access) {
  if (access.space == Space::kShared) {
    return counted(access.wavefronts, "wavefront") + ", " + counted(access.conflicts, "conflict");
  }
  return counted(access.sectors, "sector");
}

std::string title_of(const Access& access) {
  return fmt::format("line {}, {} {}: {}", access.line, name_of(access.space), name_of(access.op),
                     cost_text(access));
}

// The heading says where an access is, what it touches and what that costs.
page::Heading heading_of(const Access& access, const std::string& source_name) {
  const std::string place =
      access.line > 0 ? fmt::format("{}:{}", source_name, access.line) : "no source line";
  return {2,
          place,
          {fmt::format("{} {}, {} bytes per lane{}: {}", name_of(access.space), name_of(access.op),
                       access.bytes_per_lane, access.buffer.empty() ? "" : " of " + access.buffer,
                       cost_text(access))}};
}

// `and 31 times more, shifted`
std::string more_text(const AccessPattern& pattern) {
  const std::size_t more = pattern.times - 1;
  return fmt::format("and {} more{}", more == 1 ? "once" : fmt::format("{} times", more),
                     pattern.shifted == 0      ? ""
                     : pattern.shifted == more ? ", shifted"
                                               : fmt::format(", {} shifted", pattern.shifted));
}

// The first of the patterns before this one whose picture it shares; null: none.
const Access* drawn_before(const std::vector<AccessPattern>& patterns, std::size_t at) {
  for (std::size_t i = 0; i < at; ++i) {
    if (look_alike(*patterns[i].first, *patterns[at].first)) return patterns[i].first;
  }
  return nullptr;
}

std::string served_text(const ServedLanes& group) {
  return fmt::format("lanes {} to {}", group.first, group.last - 1);
}

void add_picture(const Access& access, page::Page& page) {
  const std::vector<page::Grid> grids = grids_of(access, title_of(access));
  const bool groups = grids.size() > 1;
  const std::vector<ServedLanes> served = groups ? by_bank(access) : std::vector<ServedLanes>();
  for (std::size_t i = 0; i < grids.size(); ++i) {
    if (groups) page.blocks.push_back(page::sentence(served_text(served[i])));
    page.blocks.push_back({grids[i]});
  }
}

void add_beside(std::string text, page::Page& page) {
  page.blocks.push_back(page::sentence(std::move(text), page::Role::kBeside));
}

}  // namespace

std::vector<page::Grid> grids_of(const Access& access, const std::string& title) {
  std::vector<page::Grid> grids;
  if (access.space == Space::kShared) {
    const std::vector<ServedLanes> groups = by_bank(access);
    for (const ServedLanes& group : groups) {
      const std::string more = groups.size() > 1 ? "; " + served_text(group) : "";
      grids.push_back(banks_of(group, title + more));
    }
    return grids;
  }
  page::Grid& grid = grids.emplace_back();
  grid.title = title;
  grid.of = "lane";
  grid.across = "word";
  for (const auto& [number, words] : by_sector(access)) {
    grid.rows.push_back(sector_row(number, words));
  }
  return grids;
}

std::vector<page::Grid> pictures_of(const CaseRecord& record) {
  std::vector<page::Grid> pictures;
  const std::vector<AccessPattern> patterns = patterns_of(record.accesses);
  for (std::size_t i = 0; i < patterns.size() && i < kPatternsShown; ++i) {
    const Access& access = *patterns[i].first;
    for (page::Grid& grid : grids_of(access, title_of(access))) pictures.push_back(std::move(grid));
  }
  return pictures;
}

page::Page map_page(const RunRecord& run, const CaseRecord& record, std::string warp,
                    const std::string& capability) {
  const std::vector<AccessPattern> patterns = patterns_of(record.accesses);
  page::Page page;
  page.blocks.push_back({case_heading(record, std::move(warp)), page::Rank::kAlways});
  for (std::size_t i = 0; i < patterns.size() && i < kPatternsShown; ++i) {
    const Access& access = *patterns[i].first;
    page.blocks.push_back({heading_of(access, run.source_name), page::Rank::kAlways, true});
    const std::string line = source_line(run, access.line);
    if (!line.empty()) page.blocks.push_back({page::Source{{{{}, 0, line}}}});
    const Access* const before = drawn_before(patterns, i);
    if (before == nullptr) {
      add_picture(access, page);
    } else {
      const std::string where = before->line > 0 ? fmt::format(", at line {}", before->line) : "";
      add_beside("drawn above" + where, page);
    }
    if (patterns[i].times > 1) add_beside(more_text(patterns[i]), page);
    if (!capability.empty()) page.blocks.push_back(labs::other_generations(access, capability));
  }
  if (patterns.size() > kPatternsShown) {
    page.blocks.push_back(page::paragraph(fmt::format(
        "and {} more patterns; --json has all of them", patterns.size() - kPatternsShown)));
  }
  return page;
}

}  // namespace lab::reading
