#include "tools/cli/text/map_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "harness/core/text.h"
#include "tools/cli/text/generations_text.h"
#include "tools/cli/text/svg.h"

namespace lab::cli {

namespace {

constexpr std::int64_t kBanks = 32;
constexpr std::int64_t kWordBytes = 4;
constexpr std::int64_t kSectorBytes = 32;
constexpr std::int64_t kLineBytes = 128;
constexpr std::size_t kLanes = 32;
constexpr std::size_t kPatternsShown = 16;

// How far `b` is from `a`, in bytes; empty: their lanes ask for places of another pattern.
std::optional<std::int64_t> shift_between(const Access& a, const Access& b) {
  const auto what = [](const Access& access) {
    return std::tie(access.line, access.op, access.space, access.buffer, access.bytes_per_lane);
  };
  if (what(a) != what(b)) return {};
  std::int64_t shift = 0;
  bool known = false;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::int64_t from = a.address[lane];
    const std::int64_t to = b.address[lane];
    if ((from < 0) != (to < 0)) return {};
    if (from < 0) continue;
    if (known && to - from != shift) return {};
    shift = to - from;
    known = true;
  }
  return shift;
}

// Words further, the banks have changed places, and are as crowded as before.
bool same_pattern(const Access& a, const Access& b) {
  const auto shift = shift_between(a, b);
  return shift && *shift % (a.space == Space::kShared ? kWordBytes : kLineBytes) == 0;
}

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

// Words of a bank, in order, each with its lanes. An access of 8 or 16 bytes has several words.
using BankWords = std::map<std::int64_t, std::vector<std::size_t>>;

std::vector<BankWords> words_by_bank(const Access& access, std::size_t first, std::size_t last) {
  std::vector<BankWords> banks(kBanks);
  for (std::size_t lane = first; lane < last; ++lane) {
    const std::int64_t address = access.address[lane];
    if (address < 0) continue;
    const std::int64_t end = address + std::max(access.bytes_per_lane, 1);
    for (std::int64_t word = address / kWordBytes; word * kWordBytes < end; ++word) {
      banks[static_cast<std::size_t>(word % kBanks)][word].push_back(lane);
    }
  }
  return banks;
}

// The first lane of a word; a + says that others share it.
std::string lane_cell(const std::vector<std::size_t>& lanes) {
  const bool shared =
      std::adjacent_find(lanes.begin(), lanes.end(), std::not_equal_to<>()) != lanes.end();
  return fmt::format("{}{}", lanes.front(), shared ? "+" : "");
}

std::string bank_rows(const std::vector<BankWords>& banks, std::size_t first, std::size_t last,
                      const Terminal& terminal) {
  std::string head = "bank";
  std::size_t height = 0;
  for (std::size_t bank = first; bank < last; ++bank) {
    head += fmt::format("{:>3}", bank);
    height = std::max(height, banks[bank].size());
  }
  std::string out = toned(head, Tone::kDim, terminal) + "\n";
  for (std::size_t row = 0; row < height; ++row) {
    std::string line = row == 0 ? "lane" : "    ";
    for (std::size_t bank = first; bank < last; ++bank) {
      auto word = banks[bank].begin();
      std::advance(word, static_cast<std::ptrdiff_t>(std::min(row, banks[bank].size())));
      line += fmt::format("{:>3}", word == banks[bank].end() ? "." : lane_cell(word->second));
    }
    out += toned(line, row == 0 ? Tone::kPlain : Tone::kNote, terminal) + "\n";
  }
  return out;
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

std::vector<AccessPattern> patterns_of(const std::vector<Access>& accesses) {
  std::vector<AccessPattern> patterns;
  for (const Access& access : accesses) {
    const auto known = std::find_if(patterns.begin(), patterns.end(), [&](const auto& pattern) {
      return same_pattern(*pattern.first, access);
    });
    if (known == patterns.end()) {
      patterns.push_back({&access, 1, 0});
    } else {
      ++known->times;
      known->moved += *shift_between(*known->first, access) % kLineBytes == 0 ? 0 : 1;
    }
  }
  return patterns;
}

std::string bank_map(const Access& access, const Terminal& terminal) {
  // Accesses of 8 and 16 bytes per lane are served in groups of 16 and 8 lanes.
  const std::size_t groups = access.bytes_per_lane >= 16 ? 4 : access.bytes_per_lane >= 8 ? 2 : 1;
  const std::size_t lanes = kLanes / groups;
  constexpr int kFullWidth = 4 + 3 * static_cast<int>(kBanks);
  const std::size_t half = terminal.width >= kFullWidth ? kBanks : kBanks / 2;
  std::string out;
  for (std::size_t group = 0; group < groups; ++group) {
    const auto banks = words_by_bank(access, group * lanes, (group + 1) * lanes);
    if (groups > 1) {
      out += fmt::format("lanes {} to {}\n", group * lanes, (group + 1) * lanes - 1);
    }
    for (std::size_t first = 0; first < kBanks; first += half) {
      out += bank_rows(banks, first, first + half, terminal);
    }
  }
  return out;
}

std::string sector_map(const Access& access, const Terminal& terminal) {
  struct Sector {
    std::set<std::int64_t> words;
    std::vector<std::size_t> lanes;
  };
  std::map<std::int64_t, Sector> sectors;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::int64_t address = access.address[lane];
    if (address < 0) continue;
    const std::int64_t end = address + std::max(access.bytes_per_lane, 1);
    for (std::int64_t word = address / kWordBytes; word * kWordBytes < end; ++word) {
      Sector& sector = sectors[word * kWordBytes / kSectorBytes];
      sector.words.insert(word % (kSectorBytes / kWordBytes));
      if (sector.lanes.empty() || sector.lanes.back() != lane) sector.lanes.push_back(lane);
    }
  }
  std::string out;
  for (const auto& [number, sector] : sectors) {
    std::string words;
    for (std::int64_t word = 0; word < kSectorBytes / kWordBytes; ++word) {
      words += sector.words.count(word) > 0 ? '#' : '.';
    }
    const bool whole = words.find('.') == std::string::npos;
    out += fmt::format("    {:>10}  {}  {} {}\n", fmt::format("+{}", number * kSectorBytes),
                       toned(words, whole ? Tone::kGood : Tone::kNote, terminal),
                       sector.lanes.size() == 1 ? "lane" : "lanes", lanes_text(sector.lanes));
  }
  return out;
}

std::string map_text(const CaseRecord& record, const std::string& source_name,
                     const std::string& source_text, const std::string& capability,
                     const Terminal& terminal) {
  const std::vector<AccessPattern> patterns = patterns_of(record.accesses);
  std::string out;
  for (std::size_t i = 0; i < patterns.size() && i < kPatternsShown; ++i) {
    const Access& access = *patterns[i].first;
    const std::string place = access.line > 0
                                  ? fmt::format("{}:{}", safe_line(source_name), access.line)
                                  : std::string("no source line");
    const std::string what = fmt::format("{} {}, {} bytes per lane", name_of(access.space),
                                         name_of(access.op), access.bytes_per_lane);
    const std::string of = access.buffer.empty() ? "" : " of " + safe_line(access.buffer);
    const std::string times =
        patterns[i].times > 1 ? fmt::format(", {} times", patterns[i].times) : std::string();
    const std::string cost = toned(cost_text(access), Tone::kStrong, terminal);
    const int width =
        display_width(fmt::format("{}{}{}{}{}", place, what, of, cost_text(access), times)) + 4;
    out += fmt::format("{}{}{}{}: {}{}\n", place, width > terminal.width ? "\n  " : "  ", what, of,
                       cost, times);
    const auto line = trim(line_of(source_text, access.line));
    if (!line.empty()) out += "    " + cut(safe_line(line), terminal.width - 4) + "\n";
    out +=
        access.space == Space::kShared ? bank_map(access, terminal) : sector_map(access, terminal);
    if (patterns[i].moved > 0) {
      out += fmt::format("    {} of the {} times in other banks, as crowded as these\n",
                         patterns[i].moved, patterns[i].times);
    }
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
  std::string label;
  std::vector<std::pair<int, std::string>> cells;
};

std::vector<PictureRow> bank_picture(const Access& access) {
  std::vector<PictureRow> rows;
  const std::size_t groups = access.bytes_per_lane >= 16 ? 4 : access.bytes_per_lane >= 8 ? 2 : 1;
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t lanes = kLanes / groups;
    const auto banks = words_by_bank(access, group * lanes, (group + 1) * lanes);
    std::size_t height = 0;
    for (const BankWords& bank : banks) height = std::max(height, bank.size());
    for (std::size_t row = 0; row < height; ++row) {
      PictureRow picture{
          row == 0 ? fmt::format("{}-{}", group * lanes, (group + 1) * lanes - 1) : "", {}};
      for (const BankWords& bank : banks) {
        auto word = bank.begin();
        std::advance(word, static_cast<std::ptrdiff_t>(std::min(row, bank.size())));
        if (word == bank.end()) {
          picture.cells.emplace_back(-1, "");
        } else {
          picture.cells.emplace_back(static_cast<int>(word->second.front()),
                                     lane_cell(word->second));
        }
      }
      rows.push_back(std::move(picture));
    }
  }
  return rows;
}

// Each sector's eight words.
std::vector<PictureRow> sector_picture(const Access& access) {
  std::map<std::int64_t, BankWords> sectors;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (access.address[lane] < 0) continue;
    const std::int64_t end = access.address[lane] + std::max(access.bytes_per_lane, 1);
    for (std::int64_t word = access.address[lane] / kWordBytes; word * kWordBytes < end; ++word) {
      sectors[word * kWordBytes / kSectorBytes][word].push_back(lane);
    }
  }
  std::vector<PictureRow> rows;
  for (const auto& [number, words] : sectors) {
    PictureRow picture{fmt::format("+{}", number * kSectorBytes), {}};
    for (std::int64_t i = 0; i < kSectorBytes / kWordBytes; ++i) {
      const auto word = words.find(number * kSectorBytes / kWordBytes + i);
      const bool none = word == words.end();
      picture.cells.emplace_back(none ? -1 : static_cast<int>(word->second.front()),
                                 none ? "" : lane_cell(word->second));
    }
    rows.push_back(std::move(picture));
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
  for (const AccessPattern& pattern : patterns_of(record.accesses)) {
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
