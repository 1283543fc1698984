// Abilities of this machine's compiler, for the tests that need more than every one can do.
#pragma once

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "harness/kernel/compile/nvrtc.h"
#include "harness/kernel/compile/nvrtc_library.h"

namespace lab::conformance {

/// The compiler that a suite's kernels need.
enum class Needs { kNothing, kNvrtc12, kToolkitHeaders };

/// Why the compiler of this machine cannot have that; empty: it can.
inline std::string lacking(Needs needs) {
  if (needs == Needs::kNvrtc12 && compile::nvrtc().version.major < 12) {
    return "NVRTC " + compile::nvrtc_version() + " lacks the functions";
  }
  if (needs == Needs::kToolkitHeaders && compile::default_settings().include_folders.empty()) {
    return "no headers of a CUDA toolkit";
  }
  return {};
}

/// Why it does not compile for an architecture; empty: it does.
inline std::string lacking(const std::string& arch) {
  const std::vector<std::string> known = compile::known_architectures();
  if (std::find(known.begin(), known.end(), arch) != known.end()) return {};
  return "NVRTC " + compile::nvrtc_version() + " does not know " + arch;
}

/// Those of a list that it compiles for; says which it leaves out.
inline std::vector<std::string> known_of(std::vector<std::string> archs) {
  std::erase_if(archs, [](const std::string& arch) {
    const std::string why = lacking(arch);
    if (!why.empty()) std::cout << "left out: " << why << '\n';
    return !why.empty();
  });
  return archs;
}

}  // namespace lab::conformance
