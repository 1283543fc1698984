#include "tools/cli/text/map_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "harness/core/text.h"
#include "harness/reading/accesses.h"
#include "tools/cli/text/generations_text.h"
#include "tools/cli/text/svg.h"

namespace lab::cli {

namespace {

using reading::AccessPattern;
using reading::kBanks;
using reading::kSectorBytes;
using reading::kSectorWords;
using reading::Words;

constexpr std::size_t kPatternsShown = 16;

// Lanes 0 1 2 3 8 as `0-3, 8`.
std::string lanes_text(const std::vector<std::size_t>& lanes) {
  std::string text;
  for (std::size_t i = 0; i < lanes.size();) {
    std::size_t last = i;
    while (last + 1 < lanes.size() && lanes[last + 1] == lanes[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += last > i ? fmt::format("{}-{}", lanes[i], lanes[last]) : fmt::format("{}", lanes[i]);
    i = last + 1;
  }
  return text;
}

// The first lane of a word; a + says that others share it.
std::string lane_cell(const std::vector<std::size_t>& lanes) {
  return fmt::format("{}{}", lanes.front(), lanes.size() > 1 ? "+" : "");
}

// The word of a bank that it gives in this row; null: it has no more.
const std::vector<std::size_t>* lanes_at(const Words& bank, std::size_t row) {
  if (row >= bank.size()) return nullptr;
  return &std::next(bank.begin(), static_cast<std::ptrdiff_t>(row))->second;
}

/// A row of a picture, and what makes it look like others.
struct FoldableRow {
  std::string text;
  std::string look;
};

// Rows that look alike, one below the other, are the first two and the last.
std::string folded(const std::vector<FoldableRow>& rows, const Terminal& terminal) {
  constexpr std::size_t kMost = 4;
  std::string out;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i;
    while (end < rows.size() && rows[end].look == rows[i].look) ++end;
    const bool folds = end - i > kMost;
    for (std::size_t at = i; at < end; ++at) {
      if (!folds || at < i + 2 || at + 1 == end) {
        out += rows[at].text + "\n";
      } else if (at == i + 2) {
        const std::string more = fmt::format("    ... {} more like these", end - i - 3);
        out += toned(more, Tone::kDim, terminal) + "\n";
      }
    }
    i = end;
  }
  return out;
}

std::string bank_rows(const std::vector<Words>& banks, std::size_t first, std::size_t last,
                      const Terminal& terminal) {
  std::string head = "bank";
  std::size_t height = 0;
  for (std::size_t bank = first; bank < last; ++bank) {
    head += fmt::format("{:>3}", bank);
    height = std::max(height, banks[bank].size());
  }
  if (height == 0) return fmt::format("banks {} to {}: none\n", first, last - 1);
  std::vector<FoldableRow> rows;
  for (std::size_t row = 0; row < height; ++row) {
    std::string line = row == 0 ? "lane" : "    ";
    std::string look;
    for (std::size_t bank = first; bank < last; ++bank) {
      const auto* lanes = lanes_at(banks[bank], row);
      line += fmt::format("{:>3}", lanes == nullptr ? "." : lane_cell(*lanes));
      look += lanes == nullptr ? '.' : '#';
    }
    rows.push_back({toned(line, row == 0 ? Tone::kPlain : Tone::kNote, terminal), look});
  }
  return toned(head, Tone::kDim, terminal) + "\n" + folded(rows, terminal);
}

std::string cost_text(const Access& access) {
  if (access.space == Space::kShared) {
    return fmt::format("{} wavefront{}, {} conflict{}", access.wavefronts,
                       access.wavefronts == 1 ? "" : "s", access.conflicts,
                       access.conflicts == 1 ? "" : "s");
  }
  return fmt::format("{} sector{}", access.sectors, access.sectors == 1 ? "" : "s");
}

}  // namespace

std::string bank_map(const Access& access, const Terminal& terminal) {
  constexpr int kFullWidth = 4 + 3 * static_cast<int>(kBanks);
  const std::size_t half = terminal.width >= kFullWidth ? kBanks : kBanks / 2;
  const std::vector<reading::ServedLanes> groups = reading::by_bank(access);
  std::string out;
  for (const reading::ServedLanes& group : groups) {
    if (groups.size() > 1) out += fmt::format("lanes {} to {}\n", group.first, group.last - 1);
    for (std::size_t first = 0; first < kBanks; first += half) {
      out += bank_rows(group.banks, first, first + half, terminal);
    }
  }
  return out;
}

std::string sector_map(const Access& access, const Terminal& terminal) {
  std::vector<FoldableRow> rows;
  for (const auto& [number, touched] : reading::by_sector(access)) {
    std::string words(kSectorWords, '.');
    std::set<std::size_t> lanes;
    for (const auto& [word, who] : touched) {
      words[static_cast<std::size_t>(word % kSectorWords)] = '#';
      lanes.insert(who.begin(), who.end());
    }
    const bool whole = words.find('.') == std::string::npos;
    rows.push_back({fmt::format("    {:>10}  {}  {} {}", fmt::format("+{}", number * kSectorBytes),
                                toned(words, whole ? Tone::kGood : Tone::kNote, terminal),
                                lanes.size() == 1 ? "lane" : "lanes",
                                lanes_text({lanes.begin(), lanes.end()})),
                    fmt::format("{} {}", words, lanes.size())});
  }
  return folded(rows, terminal);
}

namespace {

// The line of source, what it accesses and what that costs.
std::string access_heading(const Access& access, const std::string& source_name,
                           const std::string& source_text, const Terminal& terminal) {
  const std::string place = access.line > 0
                                ? fmt::format("{}:{}", safe_line(source_name), access.line)
                                : std::string("no source line");
  const std::string what = fmt::format(
      "{} {}, {} bytes per lane{}", name_of(access.space), name_of(access.op),
      access.bytes_per_lane, access.buffer.empty() ? "" : " of " + safe_line(access.buffer));
  const int width = display_width(place + what + cost_text(access)) + 4;
  const std::string gap = width > terminal.width ? "\n    " : "  ";
  std::string out = fmt::format("{}{}{}: {}\n", place, gap, what,
                                toned(cost_text(access), Tone::kStrong, terminal));
  const auto line = trim(line_of(source_text, access.line));
  if (!line.empty()) out += "    " + cut(safe_line(line), terminal.width - 4) + "\n";
  return out;
}

// `and 31 times more, shifted`
std::string more_text(const AccessPattern& pattern) {
  const std::size_t more = pattern.times - 1;
  if (more == 0) return {};
  return fmt::format("    and {} more{}\n", more == 1 ? "once" : fmt::format("{} times", more),
                     pattern.shifted == 0      ? ""
                     : pattern.shifted == more ? ", shifted"
                                               : fmt::format(", {} shifted", pattern.shifted));
}

std::string picture_text(const Access& access, const Terminal& terminal) {
  return access.space == Space::kShared ? bank_map(access, terminal) : sector_map(access, terminal);
}

// The first of the patterns before this one whose picture it shares; null: none.
const Access* drawn_before(const std::vector<AccessPattern>& patterns, std::size_t at) {
  for (std::size_t i = 0; i < at; ++i) {
    if (reading::look_alike(*patterns[i].first, *patterns[at].first)) return patterns[i].first;
  }
  return nullptr;
}

}  // namespace

std::string map_text(const CaseRecord& record, const std::string& source_name,
                     const std::string& source_text, const std::string& capability,
                     const Terminal& terminal) {
  const std::vector<AccessPattern> patterns = reading::patterns_of(record.accesses);
  std::string out;
  for (std::size_t i = 0; i < patterns.size() && i < kPatternsShown; ++i) {
    const Access& access = *patterns[i].first;
    out += access_heading(access, source_name, source_text, terminal);
    const Access* const before = drawn_before(patterns, i);
    out += before == nullptr  ? picture_text(access, terminal)
           : before->line > 0 ? fmt::format("    drawn above, at line {}\n", before->line)
                              : "    drawn above\n";
    out += more_text(patterns[i]);
    if (!capability.empty()) out += generations_text(access, capability);
    out += "\n";
  }
  if (patterns.size() > kPatternsShown) {
    out += fmt::format("and {} more patterns; --json has all of them\n",
                       patterns.size() - kPatternsShown);
  }
  return out;
}

namespace {

constexpr int kCell = 26;
constexpr int kMargin = 60;
constexpr int kBankNumbers = 18;  // a row of them

/// A row of a picture: what stands before it, and at each place the lane, -1 for none.
struct PictureRow {
  std::string label = {};
  std::vector<std::pair<int, std::string>> cells = {};
};

void add_cell(PictureRow& row, const std::vector<std::size_t>* lanes) {
  row.cells.emplace_back(lanes == nullptr ? -1 : static_cast<int>(lanes->front()),
                         lanes == nullptr ? "" : lane_cell(*lanes));
}

std::vector<PictureRow> bank_picture(const Access& access) {
  std::vector<PictureRow> rows;
  for (const reading::ServedLanes& group : reading::by_bank(access)) {
    for (std::size_t row = 0; row < group.deepest(); ++row) {
      PictureRow& picture = rows.emplace_back();
      if (row == 0) picture.label = fmt::format("{}-{}", group.first, group.last - 1);
      for (const Words& bank : group.banks) add_cell(picture, lanes_at(bank, row));
    }
  }
  return rows;
}

// Each sector's eight words.
std::vector<PictureRow> sector_picture(const Access& access) {
  std::vector<PictureRow> rows;
  for (const auto& [number, words] : reading::by_sector(access)) {
    PictureRow& picture = rows.emplace_back();
    picture.label = fmt::format("+{}", number * kSectorBytes);
    for (std::int64_t i = 0; i < kSectorWords; ++i) {
      const auto word = words.find(number * kSectorWords + i);
      add_cell(picture, word == words.end() ? nullptr : &word->second);
    }
  }
  return rows;
}

/// An access as a picture.
struct Picture {
  std::string title;
  bool has_banks = false;
  std::vector<PictureRow> rows = {};

  [[nodiscard]] int height() const {
    return kCell * (static_cast<int>(rows.size()) + 2) + (has_banks ? kBankNumbers : 0);
  }
};

std::vector<Picture> pictures_of(const CaseRecord& record) {
  std::vector<Picture> pictures;
  for (const AccessPattern& pattern : reading::patterns_of(record.accesses)) {
    if (pictures.size() == kPatternsShown) break;
    const Access& access = *pattern.first;
    Picture picture{fmt::format("line {}, {} {}: {}", access.line, name_of(access.space),
                                name_of(access.op), cost_text(access))};
    picture.has_banks = access.space == Space::kShared;
    picture.rows = picture.has_banks ? bank_picture(access) : sector_picture(access);
    pictures.push_back(std::move(picture));
  }
  return pictures;
}

void draw(const Picture& picture, int y, Svg& svg) {
  y += kCell;
  svg.text(10, y - 6, picture.title);
  if (picture.has_banks) {
    y += kBankNumbers;
    svg.label(kMargin / 2, y - 5, "bank");
    for (int bank = 0; bank < static_cast<int>(kBanks); ++bank) {
      svg.label(kMargin + bank * kCell + kCell / 2, y - 5, std::to_string(bank));
    }
  }
  for (const PictureRow& row : picture.rows) {
    svg.label(kMargin / 2, y + kCell / 2 + 4, row.label);
    int x = kMargin;
    for (const auto& [lane, word] : row.cells) {
      svg.cell(x, y, kCell, lane, word);
      x += kCell;
    }
    y += kCell;
  }
}

}  // namespace

std::string map_svg(const CaseRecord& record) {
  const std::vector<Picture> pictures = pictures_of(record);
  int height = 0;
  int width = 0;
  for (const Picture& picture : pictures) {
    const std::size_t cells = picture.rows.empty() ? 0 : picture.rows.front().cells.size();
    height += picture.height();
    width = std::max(
        {width, kMargin + static_cast<int>(cells) * kCell + 10, Svg::width_of(picture.title)});
  }
  Svg svg(width, height, "which lane accesses what");
  int y = 0;
  for (const Picture& picture : pictures) {
    draw(picture, y, svg);
    y += picture.height();
  }
  return std::move(svg).finished();
}

}  // namespace lab::cli
