// Advice on bank conflicts.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>

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

// Those that pad a tile's rows say which dimension: [33][32] is what many write.
constexpr CureText kCures[] = {
    {ConflictCure::kWiderBlock, kWiderBlock},
    {ConflictCure::kSort,
     "Sort what the lanes ask for, or give each lane a place in a bank of its own."},
    {ConflictCure::kEachStep,
     "Let neighbouring lanes take neighbouring words in each step (s[t] and s[t + d]), or leave a "
     "word free behind every 32 (i + i / 32).",
     "Let neighbouring lanes take neighbouring words in each step (s[t] and s[t + d])."},
    {ConflictCure::kSpaceRows,
     "Space the rows that a warp takes at once so that they begin in banks of their own."},
    {ConflictCure::kOddStride,
     "Let neighbouring lanes take neighbouring words, or make the stride odd by a word of padding.",
     "Let neighbouring lanes take neighbouring words."},
    {ConflictCure::kRowsByWord,
     "Pad each row by a word of 4 bytes (the last dimension of the tile: [32][34] of halfs, "
     "[32][36] of chars), or permute its words.",
     "Permute the words of each row, so that those of a column are in different banks."},
    {ConflictCure::kRows,
     "Pad each row by one element (the last dimension of the tile: [32][33], not [33][32]), or "
     "permute its elements (column ^ row).",
     "Permute the elements of each row (column ^ row), so that those of a column are in different "
     "banks."},
};

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
std::optional<Advice> conflicts_elsewhere(const Line& line, AccessOp op, double conflicts) {
  if (op == AccessOp::kAtomic) return {};
  const double requests = line.cost(fmt::format("shared_{}_requests", name_of(op)));
  const double wavefronts = line.cost(fmt::format("shared_{}_wavefronts", name_of(op)));
  if (requests <= 0) return {};
  return advice_at(
      line, AdviceRule::kSharedConflicts,
      fmt::format("a {} takes {:.3g} wavefronts on average and {:.3g} without "
                  "conflicts, though the first warp's has none",
                  name_of(op), wavefronts / requests, (wavefronts - conflicts) / requests),
      "Draw another warp (--warp BLOCK,WARP). Rows that are padded by whole words of 4 "
      "bytes, an odd number of them, begin in banks of their own.");
}

// Bins that data choose share banks by chance: no layout helps.
bool is_chance(const Pattern& pattern, const Access& access) {
  constexpr int kMany = 8;
  return access.op == AccessOp::kAtomic && !pattern.stride && crowd_of(access).words < kMany;
}

std::optional<Advice> conflicts_at(const Kernel& kernel, const Line& line, AccessOp op,
                                   double conflicts) {
  const Access* access =
      line.worst(Space::kShared, op, [](const Access& one) { return one.conflicts; });
  if (access == nullptr || access->conflicts == 0) return conflicts_elsewhere(line, op, conflicts);
  // Atomics on one word wait for each other without a conflict: see advise_on_atomics.
  if (crowd_of(*access).words < 2) return {};
  const Pattern pattern = pattern_of(*access);
  if (is_chance(pattern, *access)) return {};
  // Two rows of 16 threads that meet in a bank: the price of that shape, which a padded tile does
  // not change.
  const bool two_rows = is_of_narrow_block(kernel, *access) || has_odd_stride(pattern);
  if (two_rows && crowd_of(*access).words <= 2) return {};
  return advice_at(line, AdviceRule::kSharedConflicts, crowd_text(pattern, *access),
                   text_of(conflict_cure(kernel, pattern, *access), kernel.forbidden));
}

// Two short rows of a tile that a warp takes at once meet once more where rows are padded: on the
// way in and on the way out.
double saved_by_cure(const Kernel& kernel, const Line& line, AccessOp op, double conflicts) {
  const Access* access =
      line.worst(Space::kShared, op, [](const Access& one) { return one.conflicts; });
  if (access == nullptr) return conflicts;
  const Pattern pattern = pattern_of(*access);
  if (pattern.runs <= 1 || conflict_cure(kernel, pattern, *access) != ConflictCure::kRows) {
    return conflicts;
  }
  const double requests =
      line.cost(metric::kSharedLoadRequests) + line.cost(metric::kSharedStoreRequests);
  return std::max(conflicts - 2 * requests, 0.0);
}

void shared_conflicts(const Kernel& kernel, AccessOp op, std::vector<Advice>& all) {
  double wavefronts = 0;
  for (const std::string_view one : {metric::kSharedLoadWavefronts, metric::kSharedStoreWavefronts,
                                     metric::kSharedAtomicWavefronts}) {
    wavefronts += kernel.total(one);
  }
  const std::string metric = fmt::format("shared_{}_bank_conflicts", name_of(op));
  for (const Line& line : kernel.lines) {
    const double conflicts = line.cost(metric);
    if (conflicts < kSomeOfIt * wavefronts) continue;
    auto advice = conflicts_at(kernel, line, op, conflicts);
    if (!advice) continue;
    const double saved = saved_by_cure(kernel, line, op, conflicts);
    add_conflicts(with_saving(std::move(*advice), Saving::kWavefronts, saved, wavefronts), all);
  }
}

}  // namespace

void advise_on_shared(const Kernel& kernel, std::vector<Advice>& all) {
  for (const AccessOp op : {AccessOp::kLoad, AccessOp::kStore, AccessOp::kAtomic}) {
    shared_conflicts(kernel, op, all);
  }
}

}  // namespace lab::metrics
