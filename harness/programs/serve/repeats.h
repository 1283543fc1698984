// Launches that programs repeat, as loops that take times do. A launch is a function of memory: one
// that was seen to change nothing changes nothing again until something else does, and need not
// run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/memory/memory.h"

namespace lab::program {

class ProgramMemory;

class Repeats {
 public:
  /// What a launch came to.
  struct Ran {
    double seconds = 0;  ///< on this machine
    double ns = 0;       ///< expected on the GPU
    /// Nothing was found or printed: what would be is lost with a launch that does not run.
    bool silent = false;
  };

  /// Memory is another one than before, by the host's doing.
  void changed() { ++version_; }
  /// The expected time of a launch that would change nothing now; empty: it has to run.
  [[nodiscard]] std::optional<double> still(const std::string& launch,
                                            const ProgramMemory& memory) const;
  /// Around a launch that runs, with all the memory that it may write.
  void before(const std::string& launch, const model::GlobalMemory& memory);
  void after(const std::string& launch, const Ran& ran, const model::GlobalMemory& memory,
             const ProgramMemory& of_program);

 private:
  /// Which memory it was; what the host may write unseen counts by its contents.
  struct State {
    std::uint64_t version = 0;
    std::uint64_t shared = 0;
    friend bool operator==(const State&, const State&) = default;
  };
  struct Known {
    double seconds = 0;
    double ns = 0;
    int changes = 0;  ///< how often it changed memory again
    std::optional<State> still = {};
  };
  [[nodiscard]] std::optional<State> state(const ProgramMemory& memory) const;
  [[nodiscard]] bool same(const model::GlobalMemory& memory) const;

  std::map<std::string, Known> known_;
  std::vector<std::byte> copy_;  ///< of all memory before the launch that runs
  bool copied_ = false;
  std::uint64_t version_ = 0;
};

}  // namespace lab::program
