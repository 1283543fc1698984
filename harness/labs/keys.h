// The words of a lab.toml: each key, where it may stand and what it says, and the names that
// formulas have from the launch. Readers refuse all other keys, and the page of the language is
// made of these tables.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace lab::labs {

/// The tables of a lab.toml.
enum class KeyOf : std::uint8_t {
  kLab,        ///< the file itself
  kParameter,  ///< of [parameters]
  kName,       ///< of [where]
  kVariant,    ///< [variant.name]
  kGlobalRow,  ///< global_load and global_store of [variant.name.theory]
  kSharedRow,  ///< shared_load and shared_store
  kMovedRow,   ///< moved
  kMetricRow,  ///< any metric of the catalogue
  kFinding,    ///< of `finds`
  kScreen,     ///< [screen]
  kReason,     ///< of `because` in [screen]
  kGoal,       ///< [goal]
  kPicture,    ///< of `picture`
};

struct Key {
  KeyOf of;
  std::string_view name;
  std::string_view value;  ///< a word or two: `text`, `formula`
  std::string_view meaning;
  std::string_view example = {};  ///< the whole line, or empty
};

/// In the order in which a page shows them.
[[nodiscard]] std::span<const Key> keys();
/// The names of those that may stand there.
[[nodiscard]] std::vector<std::string_view> keys_of(KeyOf of);

/// A name that formulas may use beside parameters and [where].
struct LaunchName {
  std::string_view name;
  std::string_view meaning;
};
[[nodiscard]] std::span<const LaunchName> launch_names();

}  // namespace lab::labs
