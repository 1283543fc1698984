#include "tools/cli/text/run_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "harness/core/sections.h"
#include "harness/reading/came_to_text.h"
#include "harness/reading/formulas.h"
#include "harness/reading/lesson_page.h"
#include "harness/reading/run_reading.h"
#include "harness/reading/times.h"
#include "tools/cli/text/closing_text.h"
#include "tools/cli/text/curve_text.h"
#include "tools/cli/text/formula_lines.h"
#include "tools/cli/text/notes_text.h"
#include "tools/cli/text/page_text.h"
#include "tools/cli/text/rows_table.h"
#include "tools/cli/text/screen_text.h"
#include "tools/cli/text/standing_text.h"
#include "tools/cli/text/sweep_table.h"
#include "tools/cli/text/target_table.h"

namespace lab::cli {

namespace {

constexpr std::size_t kMostRows = 3;  // of a variant in a ladder

using reading::Detail;
using reading::Shown;

/// The cases of one table.
using Block = std::vector<Section>;

bool has_targets(const Section& section) { return reading::has_target(section.cases); }

bool all_plain(const Section& section, const Shown& shown) {
  return reading::all_plain(section.cases, shown);
}

// A student's file is what the run is about: variants that it does not define only where something
// has to be said of them.
std::vector<Section> shown_sections(const RunRecord& run, const Shown& shown) {
  std::vector<Section> sections = sections_of(run);
  if (shown.side_by_side() || std::none_of(sections.begin(), sections.end(), has_targets)) {
    return sections;
  }
  std::erase_if(sections, [&](const Section& section) {
    return !has_targets(section) && all_plain(section, shown);
  });
  return sections;
}

std::string others_text(std::size_t others) {
  if (others == 0) return {};
  return fmt::format("{} with the lab's own kernels: as theory says.\n\n",
                     others == 1 ? "1 other variant" : fmt::format("{} other variants", others));
}

// Variants with few points are the rows of one table, at the place of the first of them.
std::vector<Block> blocks_of(std::vector<Section> sections, const Shown& shown) {
  std::vector<Block> blocks;
  std::size_t ladder = 0;  // its place + 1
  for (Section& section : sections) {
    const bool alone =
        shown.side_by_side() || section.cases.size() > kMostRows || has_targets(section);
    if (!alone && ladder > 0) {
      blocks[ladder - 1].push_back(std::move(section));
      continue;
    }
    blocks.push_back({std::move(section)});
    if (!alone) ladder = blocks.size();
  }
  return blocks;
}

// The variant, what it is, and the parameters that are the same everywhere.
std::string head_of(const Block& block, const Lab* lab, const Shown& shown,
                    const Terminal& terminal) {
  const Section& first = block.front();
  const std::string shared = shared_params(block);
  const Variant* variant = reading::variant_of(first, lab);
  std::string words = variant == nullptr || block.size() > 1 ? std::string() : variant->summary;
  const std::string name = block.size() > 1 ? "Variants at" : safe_line(first.variant);
  const std::string strong = toned(name, Tone::kStrong, terminal);
  const std::string dim = toned(shared, Tone::kDim, terminal);
  if (words.empty()) return strong + (shared.empty() ? "" : " " + dim) + "\n";
  // Where there is no room for both, the parameters that never change are the first to go.
  if (display_width(name + words + shared) + 4 <= terminal.width) {
    return strong + "  " + words + (shared.empty() ? "" : "  " + dim) + "\n";
  }
  std::string out;
  for (const std::string& line : wrapped(fmt::format("{}  {}", name, words), terminal.width - 2)) {
    out += fmt::format("{}\n  ", line);
  }
  out.resize(out.size() - 2);
  return strong + out.substr(name.size()) + (shown.side_by_side() ? "  " + dim + "\n" : "");
}

std::string formulas_of(const Block& block, const Lab* lab, const std::vector<std::string>& metrics,
                        const Shown& shown, const Terminal& terminal) {
  if (block.size() > 1) {
    return lab == nullptr ? std::string() : ladder_formulas(block, *lab, metrics, terminal);
  }
  const bool example = shown.side_by_side();
  return formula_lines(block.front(), reading::variant_of(block.front(), lab), metrics, example,
                       terminal);
}

struct Body {
  std::string text;
  std::vector<std::string> metrics = {};  // that it shows
};

Body body_of(const RunRecord& run, const Block& block, const Lab* lab, const Shown& shown,
             const Terminal& terminal) {
  const Section& first = block.front();
  if (has_targets(first) && !shown.side_by_side()) {
    return {target_text(run, lab, first, terminal), {}};
  }
  if (block.size() == 1 && is_sweep(first, shown)) {
    SweepText sweep = sweep_text(first, shown, terminal);
    if (!sweep.text.empty()) return {std::move(sweep.text), std::move(sweep.metrics)};
  }
  RowsText rows = rows_text(block, shown, terminal);
  return {std::move(rows.text), std::move(rows.metrics)};
}

// The picture of the first sweep: a run has one.
std::string curve_of(const RunRecord& run, const Block& block, const Lab* lab, const Body& body,
                     const Shown& shown) {
  const bool is_first = block.front().cases.front() == &run.cases.front();
  const Variant* variant = reading::variant_of(block.front(), lab);
  const bool one = body.metrics.size() == 1 && block.size() == 1 && variant != nullptr;
  if (!is_first || !one || shown.side_by_side() || block.front().cases.size() <= kMostRows)
    return {};
  const std::string curve = curve_text(block.front(), *variant, body.metrics.front());
  return curve.empty() ? curve : page_text({{{page::Code{curve}}}}, {});
}

std::string block_text(const RunRecord& run, const Block& block, const Lab* lab, const Shown& shown,
                       const Terminal& terminal) {
  Body body = body_of(run, block, lab, shown, terminal);
  body.text += curve_of(run, block, lab, body, shown);
  const std::string formulas = formulas_of(block, lab, body.metrics, shown, terminal);
  const std::string notes = notes_text(block, shown, terminal);
  std::string out = head_of(block, lab, shown, terminal) + body.text;
  for (const std::string& part : {formulas, notes}) {
    if (!part.empty()) out += (block.size() > 1 ? "\n" : "") + part;
  }
  if (block.size() > 1) out += slowest_text(block, run.called());
  return out + "\n";
}

// A block and what is printed of it.
struct Told {
  Block block;
  std::string text;
};

int lines_in(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

int lines_in(const std::vector<Told>& all) {
  int lines = 0;
  for (const Told& told : all) lines += lines_in(told.text);
  return lines;
}

bool all_plain(const Block& block, const Shown& shown) {
  return std::all_of(block.begin(), block.end(),
                     [&](const Section& section) { return all_plain(section, shown); });
}

// Each variant's first point, where all of them are as predicted.
bool shorten_ladder(Block& block, const Shown& shown) {
  if (block.size() == 1 || !all_plain(block, shown)) return false;
  for (Section& section : block) section.cases.resize(1);
  return true;
}

std::string folded_text(const std::vector<std::string>& names, const Terminal& terminal) {
  if (names.empty()) return {};
  std::string out;
  const std::string text =
      fmt::format("As predicted, too: {}. --variant NAME shows one.", fmt::join(names, ", "));
  for (const std::string& line : wrapped(text, terminal.width)) out += line + "\n";
  return out + "\n";
}

// The blocks in at most `room` lines, as far as what has to be told allows it.
std::string fitted(const RunRecord& run, std::vector<Told> all, const Lab* lab, const Shown& shown,
                   const Terminal& terminal, int room) {
  for (Told& told : all) {
    if (lines_in(all) <= room) break;
    if (shorten_ladder(told.block, shown)) {
      told.text = block_text(run, told.block, lab, shown, terminal);
    }
  }
  std::vector<std::string> folded;
  for (std::size_t i = all.size(); i-- > 1;) {
    const int more = lines_in(folded_text(folded, terminal));
    if (lines_in(all) + more <= room) break;
    if (all[i].block.size() > 1 || !all_plain(all[i].block, shown)) continue;
    folded.insert(folded.begin(), safe_line(all[i].block.front().variant));
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
  }
  std::string out;
  for (const Told& told : all) out += told.text;
  return out + folded_text(folded, terminal);
}

}  // namespace

std::string run_text(const RunRecord& run, const Lab* lab, const RunTextOptions& options,
                     const Terminal& terminal) {
  const auto screen = options.screen && lab != nullptr ? reading::screen_of(run, *lab)
                                                       : std::optional<reading::ScreenReading>();
  if (screen) {
    return screen_text(run, *lab, *screen,
                       {options.map, options.has_picture, options.next, options.stored_in},
                       terminal);
  }
  const reading::RunReading read = reading::read(run);
  const Detail detail = !options.metrics.empty() ? Detail::kAsked
                        : options.all            ? Detail::kEverySource
                                                 : Detail::kBrief;
  Shown shown{options.metrics, detail};
  if (!shown.asked() && lab != nullptr) shown = reading::headline_of(run, *lab, detail);
  std::string out = heading_text(reading::run_heading(run, lab, ""), terminal);
  std::vector<Section> sections = shown_sections(run, shown);
  std::string closing = others_text(sections_of(run).size() - sections.size());
  // One variant says it in its own sentence.
  const bool several = std::any_of(run.cases.begin(), run.cases.end(), [&](const auto& record) {
    return record.variant != run.cases.front().variant;
  });
  if (read.standing.cases > 1 && several) closing += standing_text(run, terminal) + "\n";
  closing += options.tables + summary_text(run, read, terminal) +
             looked_text(run, shown.side_by_side(), terminal) +
             page_text({reading::interrupted(run)}, terminal);
  if (!shown.side_by_side()) closing += explained_text(run, shown.metrics, terminal);
  if (run.gpu.empty() && !read.summary.anything_measured) {
    closing += "Nothing was measured: the run used no GPU.\n";
  }
  closing += next_text(run, read, options.stored_in, options.left_out);
  std::vector<Told> all;
  for (Block& block : blocks_of(std::move(sections), shown)) {
    std::string text = block_text(run, block, lab, shown, terminal);
    all.push_back({std::move(block), std::move(text)});
  }
  const bool whole = options.lines == 0 || shown.side_by_side();
  const int room =
      whole ? std::numeric_limits<int>::max() : options.lines - lines_in(out) - lines_in(closing);
  return out + fitted(run, std::move(all), lab, shown, terminal, room) + closing;
}

}  // namespace lab::cli
