// One call of NVRTC's compiler: texts and names in, what it made or its log out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/compiled.h"
#include "harness/kernel/compile/nvrtc_library.h"
#include "harness/kernel/compile/source/includes.h"

namespace lab::compile {

struct DestroyProgram {
  void operator()(NvrtcProgram program) const { nvrtc().api.DestroyProgram(&program); }
};

struct NvrtcCall {
  std::unique_ptr<NvrtcProgramObject, DestroyProgram> program = {};
  std::vector<std::string> names = {};  ///< those asked for; empty where it is not to be had so
  bool compiled = false;
  std::string log = {};
};

/// Whether a kernel's name is a template's with its arguments: it is compiled where it is asked
/// for.
[[nodiscard]] bool is_instance(std::string_view kernel);

/// Compiles the first of `files`; the others are found by #include under their names. Throws an
/// input error where the compiler does not know an option; `about` says what was asked.
[[nodiscard]] NvrtcCall call_nvrtc(const std::vector<source::File>& files,
                                   const std::vector<std::string>& kernels,
                                   const std::vector<std::string>& options,
                                   const std::string& about);

/// PTX, machine code, log and mangled names of a call that compiled.
[[nodiscard]] Compiled result_of(const NvrtcCall& call, const std::vector<std::string>& kernels);

}  // namespace lab::compile
