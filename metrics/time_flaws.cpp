#include "metrics/time_flaws.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "metrics/time_rules.h"
#include "metrics/time_terms.h"

namespace lab::metrics {
namespace {

double takes(const KernelTime& time, Term term) {
  for (const TermTime& one : time.terms) {
    if (one.term == term) return one.ns;
  }
  return 0;
}

// Of the SM that has most.
double warps_on_sm(const Launched& l) {
  return std::min(std::ceil(l.shape.blocks / l.rates.sms), l.shape.resident) * l.shape.warps;
}

bool stores_to_one_sector(const Launched& l, const KernelTime& time) {
  constexpr double kNearly = 0.99;
  return time.sets() == Term::kSameAddress &&
         l.facts.hot.stores * rule::kStoreNs >= kNearly * time.terms.front().ns;
}

bool reloads(const Launched& l, const KernelTime& /*time*/) {
  constexpr double kMany = 0.25;
  return l.facts.reloaded >= kMany;
}

bool brings_pieces(const Launched& l, const KernelTime& time) {
  constexpr double kPiece = 2.5;  // sectors of a line
  constexpr double kApart = 1.5;  // lines
  constexpr double kPart = 0.25;
  return per(l.counts.load_sectors, l.counts.load_lines) <= kPiece && l.facts.line_gap >= kApart &&
         std::max(takes(time, Term::kDram), takes(time, Term::kL2Loads)) >=
             kPart * time.terms.front().ns;
}

bool leaves_l1(const Launched& l, const KernelTime& /*time*/) {
  constexpr double kAgain = 1.5;
  const double lines = per(l.counts.load_lines, l.counts.load_requests) +
                       per(l.counts.store_lines, l.counts.store_requests);
  return l.facts.past_l1 <= 0 && l.facts.warp.global_rounds >= 2 &&
         l.counts.load_sectors >= kAgain * l.counts.l2_read_sectors &&
         warps_on_sm(l) * lines * kLineBytes > rule::kL1Bytes;
}

bool has_few_warps(const Launched& l, const KernelTime& time) {
  constexpr double kFew = 8;
  constexpr double kDeep = 8;  // loads that are under way together
  const double top = time.terms.front().ns;
  const bool deep = l.facts.warp.global_rounds > 0 &&
                    l.facts.warp.global_loads >= kDeep * l.facts.warp.global_rounds &&
                    takes(time, Term::kFills) >= top / 4;
  const bool waits = time.sets() == Term::kLife && takes(time, Term::kIssue) >= top / 2;
  return warps_on_sm(l) <= kFew && (deep || waits || time.sets() == Term::kIssue);
}

bool is_known_now(const Launched& /*l*/, const KernelTime& /*time*/) { return false; }

struct FlawRow {
  TimeFlaw flaw;
  bool (*shows)(const Launched&, const KernelTime&);
  FlawText text;
};
// By TimeFlaw, which is their order, too: the first is the furthest off.
constexpr std::array kFlaws = {
    FlawRow{TimeFlaw::kOneSector,
            stores_to_one_sector,
            {"stores to one sector take 0.1 to 0.5 ns each, by what else is done to it",
             "may take half or twice as long"}},
    FlawRow{TimeFlaw::kReload,
            reloads,
            {"a block loads what it has just stored, and waits for it", "may take twice as long"}},
    FlawRow{TimeFlaw::kPieces,
            brings_pieces,
            {"loads bring parts of lines far apart", "may take a third longer"}},
    FlawRow{TimeFlaw::kLeavesL1,
            leaves_l1,
            {"an SM's warps use more lines at once than L1 keeps, so that some come from L2 again",
             "may take longer"}},
    FlawRow{TimeFlaw::kFewWarps,
            has_few_warps,
            {"two warps per scheduler do not fill each other's gaps", "may take longer"}},
    FlawRow{TimeFlaw::kLastRound,
            is_known_now,
            {"the second round of blocks is the last and fills a part of the GPU", "may be off"}},
    FlawRow{TimeFlaw::kEvenParts,
            is_known_now,
            {"several parts of the chip need nearly the same time", "may be off"}},
    FlawRow{TimeFlaw::kOneLine,
            is_known_now,
            {"loads of one line take 0.3 to 1.6 ns each, by how many such lines there are",
             "may take half or twice as long"}},
};
static_assert(kFlaws.size() == kWordsOf<TimeFlaw>.size(), "a flaw has no row");
constexpr bool stand_in_order() {
  for (std::size_t i = 0; i < kFlaws.size(); ++i) {
    if (kFlaws.at(i).flaw != static_cast<TimeFlaw>(i)) return false;
  }
  return true;
}
static_assert(stand_in_order());

}  // namespace

std::optional<TimeFlaw> flaw_of(const Launched& launched, const KernelTime& time) {
  for (const FlawRow& row : kFlaws) {
    if (row.shows(launched, time)) return row.flaw;
  }
  return {};
}

FlawText text_of(TimeFlaw flaw) { return kFlaws.at(static_cast<std::size_t>(flaw)).text; }

std::string told(TimeFlaw flaw) {
  const FlawText text = text_of(flaw);
  return fmt::format("{}; it {}", text.does, text.may);
}

}  // namespace lab::metrics
