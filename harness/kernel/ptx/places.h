// Source lines of inlined code.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "harness/kernel/ptx/module.h"

namespace lab::ptx {

/// The .loc directives of one function, in the order of the text.
class Places {
 public:
  /// `places`: the module's, to which this function's are added.
  explicit Places(std::vector<SourcePlace>& places) : places_(places) {}

  /// One .loc: code written at `written`, in a function inlined at `caller` if there is one. That
  /// is a place that an earlier .loc of the function has named (PTX ISA, ".loc"): the last one of
  /// several. Returns the place of the instructions that follow, with no ptx_line yet.
  Where add(SourcePlace written, const std::optional<SourcePlace>& caller);

 private:
  /// The innermost place in the file of the function that all this was inlined into.
  struct Shown {
    std::uint32_t file = 0;
    std::uint32_t line = 0;
    std::uint32_t outermost_file = 0;
  };
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

  std::uint32_t push(const SourcePlace& place);

  std::vector<SourcePlace>& places_;
  std::uint32_t first_ = 0;   ///< index in places_ of shown_[0]
  std::vector<Shown> shown_;  ///< by place of this function
  std::map<Key, std::uint32_t> last_;
};

}  // namespace lab::ptx
