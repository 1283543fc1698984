// How it is known what each kind of instruction does and costs: measured on a GPU, or by a rule.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/core/instruction_kinds.h"
#include "harness/core/record.h"
#include "harness/core/words.h"

namespace lab::reading {

enum class Known : std::uint8_t {
  kProved,   ///< what it costs was measured on a GPU, and a test holds the model to each number
  kRule,     ///< by a document, or by what was measured of others
  kRefused,  ///< the model has none
};

enum class Card : std::uint8_t { kH200, kH100 };

/// A test that holds what a card measured, which lies in tests/fixtures.
struct Proof {
  Card card = Card::kH200;
  std::string_view test;  ///< Suite.Name; empty: there is none
};

struct FidelityRow {
  InstructionKind kind = InstructionKind::kMove;
  /// The rule that it rests on; if it is proved, what the proof is about.
  std::string_view rule;
  /// The test that holds the model to a rule; proofs name theirs.
  std::string_view test = {};
  std::array<Proof, 3> proofs = {};  ///< of what memory instructions cost
  [[nodiscard]] Known known() const {
    return proofs.front().test.empty() ? Known::kRule : Known::kProved;
  }
};
/// The table has a row for each kind.
[[nodiscard]] const FidelityRow& fidelity_of(InstructionKind kind);

/// One kind that a case executed, or what its kernel was refused for.
struct Fidelity {
  Known known = Known::kRefused;
  std::optional<ExecutedKind> executed = {};  ///< empty: refused
};
/// Empty: the model did not run the case, or an older version did.
[[nodiscard]] std::vector<Fidelity> fidelity_of(const CaseRecord& record);

}  // namespace lab::reading

namespace lab {

template <>
inline constexpr auto kWordsOf<reading::Known> = std::to_array<std::string_view>({"proved", "rule",
                                                                                  "refused"});
static_assert(word_of(reading::Known::kRefused) == "refused");

template <>
inline constexpr auto kWordsOf<reading::Card> = std::to_array<std::string_view>({"H200", "H100"});

}  // namespace lab
