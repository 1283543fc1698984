// Lists the memory instructions of one warp with the addresses of its lanes.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "harness/core/record.h"
#include "harness/model/code/decoded.h"
#include "harness/model/execute/observer.h"

namespace lab::model {

/// An instruction of a warp as a record: where it stands, what its lanes access, what that costs.
/// `address`: of each active lane, as an observer sees it.
[[nodiscard]] Access access_of(const Program& program, const GlobalMemory& memory, const Site& site,
                               std::uint32_t mask,
                               const std::array<std::uint64_t, kLanes>& address);

class AccessLog {
 public:
  /// `per_site`: of each instruction so many accesses, its first.
  AccessLog(std::uint64_t block, std::uint32_t warp, std::size_t per_site = kMost)
      : block_(block), warp_(warp), per_site_(per_site) {}

  /// An observer that logs here; the log outlives it.
  [[nodiscard]] std::unique_ptr<Observer> observer();
  [[nodiscard]] std::vector<Access> accesses(const Program& program,
                                             const GlobalMemory& memory) const;

 private:
  struct Entry {
    const Site* site;
    std::uint32_t mask;
    std::array<std::uint64_t, kLanes> address;
  };
  class Logger;

  // A warp in a long loop has more accesses than anyone would read.
  static constexpr std::size_t kMost = 4096;
  std::uint64_t block_;
  std::uint32_t warp_;
  std::size_t per_site_;
  std::map<const Site*, std::size_t> logged_;
  std::vector<Entry> entries_;  // of one block, which one core runs: no lock
};

}  // namespace lab::model
