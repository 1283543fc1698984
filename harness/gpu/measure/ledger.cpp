#include "harness/gpu/measure/ledger.h"

#include <fmt/format.h>

namespace lab::gpu {

std::optional<std::string> void_reason(const std::vector<Ledger>& passes,
                                       const PassResult& result) {
  if (passes.empty()) return "no pass ran";
  const std::size_t launches = passes.front().entries().size();
  for (std::size_t pass = 1; pass < passes.size(); ++pass) {
    if (passes[pass] == passes.front()) continue;
    return fmt::format("pass {} launched other kernels than pass 0 ({} launches against {})", pass,
                       passes[pass].entries().size(), launches);
  }
  if (result.dropped != 0) return fmt::format("{} ranges were dropped", result.dropped);
  if (result.ranges != launches) {
    return fmt::format("{} ranges for {} launches", result.ranges, launches);
  }
  return {};
}

}  // namespace lab::gpu
