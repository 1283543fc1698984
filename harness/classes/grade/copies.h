// Who copied: submissions that are alike in what neither the starter nor the rest of the class has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lab::grade {

struct Handwriting {
  std::string student;  ///< empty: the lab's own
  std::string file = {};
  std::string text = {};  ///< with all that it includes
};

enum class Alike : std::uint8_t {
  kBytes,   ///< the same text, byte for byte
  kTokens,  ///< the same statements under other names, in another order, among others
};
[[nodiscard]] std::string_view name_of(Alike alike);

/// One group of submissions that are copies of each other.
struct Cluster {
  std::vector<std::string> students = {};  ///< in order
  bool with_solution = false;              ///< the lab's own is one of them
  Alike alike = Alike::kTokens;
  double share = 1;            ///< of the smaller one's own statements, of the least alike pair
  std::string shown = {};      ///< a line that they share and hardly anybody else has
  std::size_t own_tokens = 0;  ///< beyond the starter, of the shortest
};

/// Statements are compared, not characters: names are one name, the terms within a statement have
/// no order, and loops are the three statements that they are made of. What the starter has counts
/// for nothing, and a statement the less the more of the class have it, so that what the task
/// dictates accuses nobody. Texts that are too short to be told apart accuse nobody either. Those
/// of one file (a group that handed in together) are one.
[[nodiscard]] std::vector<Cluster> copies_among(const std::vector<Handwriting>& all,
                                                std::string_view starter);

}  // namespace lab::grade
