// Advice on bank conflicts.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "harness/core/metric_keys.h"
#include "metrics/advice_kernel.h"

namespace lab::metrics {
namespace {

enum class ConflictCure : std::uint8_t {
  kWiderBlock,
  kSort,
  kEachStep,
  kSpaceRows,  // alone, no row has a conflict
  kOddStride,
  kRowsByWord,
  kRows,
};

struct CureText {
  ConflictCure cure;
  std::string_view text;
  std::string_view unpadded = {};  // where the task forbids padding
};

// What is known where nobody has searched for the layout.
constexpr std::string_view kSearch =
    "Pad the rows or permute their elements: lab fix finds the layout that costs least.";
constexpr std::string_view kSearchUnpadded =
    "Permute the elements of each row: lab fix finds the layout that costs least.";

constexpr CureText kCures[] = {
    {ConflictCure::kWiderBlock, kWiderBlock},
    {ConflictCure::kSort,
     "Sort what the lanes ask for, or give each lane a place in a bank of its own."},
    {ConflictCure::kEachStep,
     "Let neighbouring lanes take neighbouring words in each step (s[t] and s[t + d])."},
    {ConflictCure::kSpaceRows, kSearch, kSearchUnpadded},
    {ConflictCure::kOddStride, "Let neighbouring lanes take neighbouring words."},
    {ConflictCure::kRowsByWord, kSearch, kSearchUnpadded},
    {ConflictCure::kRows, kSearch, kSearchUnpadded},
};

// A lab's students are to find the code themselves.
std::string hinted(const std::string& hint) {
  return fmt::format(
      "Let what a warp accesses together lie in different banks, by other indices or another "
      "layout: "
      "{}.",
      hint);
}

std::string_view text_of(ConflictCure cure, Forbidden forbidden) {
  const CureText* const found = std::find_if(std::begin(kCures), std::end(kCures),
                                             [&](const CureText& one) { return one.cure == cure; });
  const bool unpadded = forbidden == Forbidden::kPadding && !found->unpadded.empty();
  return unpadded ? found->unpadded : found->text;
}

// Only the lanes of one row of a block that is narrower than a warp.
Access first_row(const Access& access, std::uint32_t columns) {
  Access row = access;
  for (std::size_t lane = columns; lane < row.address.size(); ++lane) row.address[lane] = -1;
  return row;
}

// Each row of threads alone has no conflict: two rows have one with each other.
bool is_of_narrow_block(const Kernel& kernel, const Access& access) {
  return is_narrow(kernel.record.launch) && access.bytes_per_lane <= kBankBytes &&
         crowd_of(first_row(access, kernel.record.launch.block.x)).words <= 1;
}

// In words: what conflicts are rows with each other.
bool has_odd_stride(const Pattern& pattern) {
  return pattern.stride && *pattern.stride % kBankBytes == 0 &&
         *pattern.stride / kBankBytes % 2 != 0;
}

ConflictCure conflict_cure(const Kernel& kernel, const Pattern& pattern, const Access& access) {
  constexpr std::int64_t kRow = 8 * kBankBytes;  // bytes: what is less is a structure's
  if (is_of_narrow_block(kernel, access)) return ConflictCure::kWiderBlock;
  if (!pattern.stride) return ConflictCure::kSort;
  if (kernel.has_other_stride(access)) return ConflictCure::kEachStep;
  if (has_odd_stride(pattern)) return ConflictCure::kSpaceRows;
  const std::int64_t stride = std::abs(*pattern.stride);
  const bool rows = stride >= kRow && stride % kRow == 0 && stride / kBankBytes % 2 == 0;
  if (!rows) return ConflictCure::kOddStride;
  return access.bytes_per_lane < kBankBytes ? ConflictCure::kRowsByWord : ConflictCure::kRows;
}

std::string crowd_text(const Pattern& pattern, const Access& access) {
  const Crowd crowd = crowd_of(access);
  std::string text =
      fmt::format("{} lanes want {} words of bank {}", pattern.lanes, crowd.words, crowd.bank);
  if (pattern.stride && *pattern.stride % kBankBytes == 0) {
    const std::int64_t words = std::abs(*pattern.stride) / kBankBytes;
    text += fmt::format(", at a stride of {} word{}", words, words == 1 ? "" : "s");
  }
  return text;
}

// Loads and stores of a line with one pattern are one fault.
void add_conflicts(Advice advice, std::vector<Advice>& all) {
  for (Advice& one : all) {
    if (one.line != advice.line || one.file != advice.file || one.finding != advice.finding)
      continue;
    one.saved += advice.saved;
    return;
  }
  all.push_back(std::move(advice));
}

// The accesses are those of one warp. What others make conflict is known by its counts alone.
std::optional<std::string> elsewhere_text(const Line& line, AccessOp op, double conflicts) {
  if (op == AccessOp::kAtomic) return {};
  const double requests = line.cost(fmt::format("shared_{}_requests", name_of(op)));
  const double wavefronts = line.cost(fmt::format("shared_{}_wavefronts", name_of(op)));
  if (requests <= 0) return {};
  return fmt::format(
      "a {} takes {:.3g} wavefronts on average and {:.3g} without conflicts, though "
      "the first warp's has none",
      name_of(op), wavefronts / requests, (wavefronts - conflicts) / requests);
}

// Bins that data choose share banks by chance: no layout helps.
bool is_chance(const Pattern& pattern, const Access& access) {
  constexpr int kMany = 8;
  return access.op == AccessOp::kAtomic && !pattern.stride && crowd_of(access).words < kMany;
}

const Access* worst_of(const Line& line, AccessOp op) {
  return line.worst(Space::kShared, op, [](const Access& one) { return one.conflicts; });
}

/// What is wrong at a line, and how it could be cured without a search for layouts.
struct Conflict {
  std::string finding;
  ConflictCure cure = ConflictCure::kRows;
};

std::optional<Conflict> conflict_at(const Kernel& kernel, const Line& line, AccessOp op,
                                    double conflicts) {
  const Access* access = worst_of(line, op);
  if (access == nullptr || access->conflicts == 0) {
    auto text = elsewhere_text(line, op, conflicts);
    if (!text) return {};
    return Conflict{std::move(*text)};
  }
  // Atomics on one word wait for each other without a conflict: see advise_on_atomics.
  if (crowd_of(*access).words < 2) return {};
  const Pattern pattern = pattern_of(*access);
  if (is_chance(pattern, *access)) return {};
  // Two rows of 16 threads that meet in a bank: the price of that shape, which a padded tile does
  // not change.
  const bool two_rows = is_of_narrow_block(kernel, *access) || has_odd_stride(pattern);
  if (two_rows && crowd_of(*access).words <= 2) return {};
  return Conflict{crowd_text(pattern, *access), conflict_cure(kernel, pattern, *access)};
}

// Steps of a tree and structures are cured by other indices, whatever the layout; so is what data
// choose.
bool is_of_indices(const Line& line, ConflictCure cure) {
  const bool indexed = line.cost(metric::kIndexedRequests) > 0;
  return cure == ConflictCure::kEachStep || cure == ConflictCure::kOddStride ||
         (cure == ConflictCure::kSort && indexed);
}

const LayoutCure* layout_for(const Kernel& kernel, const Line& line) {
  for (const LayoutCure& one : kernel.trials.layouts) {
    if (std::find(one.lines.begin(), one.lines.end(), line.number) != one.lines.end()) return &one;
  }
  return nullptr;
}

// Blocks that were not looked at do the same.
double saved_by(const Kernel& kernel, const LayoutCure& layout) {
  const auto blocks = static_cast<double>(kernel.record.launch.grid.count());
  const double times = layout.blocks == 0 ? 1 : blocks / static_cast<double>(layout.blocks);
  return (layout.before - layout.after) * times;
}

/// Makes the advice on one kernel's conflicts.
class Conflicts {
 public:
  Conflicts(const Kernel& kernel, std::vector<Advice>& all) : kernel_(kernel), all_(all) {
    for (const std::string_view one :
         {metric::kSharedLoadWavefronts, metric::kSharedStoreWavefronts,
          metric::kSharedAtomicWavefronts}) {
      wavefronts_ += kernel.total(one);
    }
  }

  void add(const Line& line, AccessOp op) {
    const double conflicts = line.cost(fmt::format("shared_{}_bank_conflicts", name_of(op)));
    if (conflicts <= 0 || conflicts < kSomeOfIt * wavefronts_) return;
    auto found = conflict_at(kernel_, line, op, conflicts);
    if (!found) return;
    const LayoutCure* layout = layout_for(kernel_, line);
    const std::string& hint = kernel_.trials.hint;
    const std::string text =
        hint.empty() ? std::string(text_of(found->cure, kernel_.forbidden)) : hinted(hint);
    if (!is_of_indices(line, found->cure) && kernel_.trials.layouts_known) {
      return by_layout(line, std::move(found->finding), layout, {});
    }
    // Nobody can try indices that somebody has yet to write: a layout has the number.
    const bool chosen = found->cure == ConflictCure::kSort;
    if (!chosen && layout != nullptr && !layout->change.empty()) {
      return by_layout(line, std::move(found->finding), layout,
                       text + " Or leave the indices, as was tried. ");
    }
    Advice advice = advice_at(line, AdviceRule::kSharedConflicts, std::move(found->finding), text);
    advice.hinted = !hint.empty();
    add_conflicts(std::move(advice), all_);
  }

 private:
  // One layout is for all lines that access the array.
  void by_layout(const Line& line, std::string finding, const LayoutCure* layout,
                 const std::string& before) {
    if (layout == nullptr || !told_.insert(layout).second) return;
    const bool chosen = line.cost(metric::kIndexedRequests) > 0;  // by data, so by chance
    if (layout->change.empty()) {
      if (!chosen) none_helps(line, std::move(finding));
      return;
    }
    const std::string& hint = kernel_.trials.hint;
    Advice advice = advice_at(line, AdviceRule::kSharedConflicts, std::move(finding),
                              hint.empty() ? before + layout->change : hinted(hint));
    advice.proof = Proof::kTried;
    advice.hinted = !hint.empty();
    for (const int other : layout->lines) {  // a line that loads and stores is there twice
      const bool told =
          std::find(advice.also.begin(), advice.also.end(), other) != advice.also.end();
      if (other != line.number && !told) advice.also.push_back(other);
    }
    if (layout->complete) {
      advice = with_saving(std::move(advice), Saving::kWavefronts, saved_by(kernel_, *layout),
                           wavefronts_);
    }
    all_.push_back(std::move(advice));
  }

  void none_helps(const Line& line, std::string finding) {
    all_.push_back(
        advice_at(line, AdviceRule::kSharedConflicts, std::move(finding),
                  "No layout of the array helps: no padding, permutation or transposition "
                  "that was tried takes fewer. Let other lanes access it together."));
  }

  const Kernel& kernel_;
  std::vector<Advice>& all_;
  double wavefronts_ = 0;
  std::set<const LayoutCure*> told_;
};

}  // namespace

// The line with most conflicts tells of its array.
void advise_on_shared(const Kernel& kernel, std::vector<Advice>& all) {
  struct Place {
    double conflicts;
    const Line* line;
    AccessOp op;
  };
  std::vector<Place> places;
  for (const AccessOp op : {AccessOp::kLoad, AccessOp::kStore, AccessOp::kAtomic}) {
    for (const Line& line : kernel.lines) {
      places.push_back(
          {line.cost(fmt::format("shared_{}_bank_conflicts", name_of(op))), &line, op});
    }
  }
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::pair(-a.conflicts, a.line->number) < std::pair(-b.conflicts, b.line->number);
  });
  Conflicts conflicts(kernel, all);
  for (const Place& place : places) conflicts.add(*place.line, place.op);
}

}  // namespace lab::metrics
