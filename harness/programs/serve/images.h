// Textures and surfaces of a program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/model/memory/memory.h"
#include "harness/programs/serve/memory.h"
#include "harness/programs/wire/wire.h"

namespace lab::program {

class Images {
 public:
  /// The handle that kernels get; 0: it is not all in memory of the program's.
  std::uint64_t make(const MakeImage& asked, const ProgramMemory& memory);
  void drop(std::uint64_t handle);
  /// Whether there are any: a GPU knows none of them.
  [[nodiscard]] bool any() const;
  /// Adds those whose memory is there to a launch's memory, under their handles.
  void place_in(model::GlobalMemory& memory, const ProgramMemory& of_program) const;

 private:
  struct Made {
    MakeImage asked;
    std::string name;
    bool dropped = false;
  };
  std::vector<Made> all_;  // the handle tells which
};

}  // namespace lab::program
