// NVRTC, loaded at run time, so that programs are built and start where none is. Declared here as
// NVIDIA's "NVRTC User Guide" has it, unchanged since CUDA 11.2, so that no header is needed
// either.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/kernel/toolkit/nvrtc_files.h"

namespace lab::compile {

/// The codes of nvrtcResult that we tell apart; others are named by NVRTC itself.
enum class NvrtcResult : int {
  kSuccess = 0,
  kInvalidOption = 5,
  kCompilation = 6,
  kBuiltinOperationFailure = 7,
};

struct NvrtcProgramObject;
using NvrtcProgram = NvrtcProgramObject*;

// Name without its `nvrtc`, the type of its result, and those of its arguments. A row here is all
// that a further function needs.
#define LAB_NVRTC_FUNCTIONS(X)                                                               \
  X(GetErrorString, const char*, NvrtcResult)                                                \
  X(Version, NvrtcResult, int* major, int* minor)                                            \
  X(CreateProgram, NvrtcResult, NvrtcProgram*, const char* source, const char* name,         \
    int header_count, const char* const* headers, const char* const* include_names)          \
  X(DestroyProgram, NvrtcResult, NvrtcProgram*)                                              \
  X(AddNameExpression, NvrtcResult, NvrtcProgram, const char* expression)                    \
  X(CompileProgram, NvrtcResult, NvrtcProgram, int option_count, const char* const* options) \
  X(GetProgramLogSize, NvrtcResult, NvrtcProgram, std::size_t*)                              \
  X(GetProgramLog, NvrtcResult, NvrtcProgram, char*)                                         \
  X(GetPTXSize, NvrtcResult, NvrtcProgram, std::size_t*)                                     \
  X(GetPTX, NvrtcResult, NvrtcProgram, char*)                                                \
  X(GetCUBINSize, NvrtcResult, NvrtcProgram, std::size_t*)                                   \
  X(GetCUBIN, NvrtcResult, NvrtcProgram, char*)                                              \
  X(GetLoweredName, NvrtcResult, NvrtcProgram, const char* expression, const char** lowered) \
  X(GetNumSupportedArchs, NvrtcResult, int*)                                                 \
  X(GetSupportedArchs, NvrtcResult, int*)

/// NVRTC's functions by name: api.CreateProgram is nvrtcCreateProgram.
struct NvrtcApi {
#define LAB_NVRTC_MEMBER(name, result, ...) result (*name)(__VA_ARGS__) = nullptr;
  LAB_NVRTC_FUNCTIONS(LAB_NVRTC_MEMBER)
#undef LAB_NVRTC_MEMBER
};

/// A loaded NVRTC; it stays loaded until the process ends, since it registers exit handlers.
struct Nvrtc {
  NvrtcApi api;
  std::filesystem::path library;
  toolkit::Version version;
};

/// The NVRTC of this process, loaded by the first call. Throws a machine error that says what was
/// looked for, and what to do, where there is none.
[[nodiscard]] const Nvrtc& nvrtc();

/// The architectures that it compiles for, from the oldest on: sm_75, ...
[[nodiscard]] std::vector<std::string> known_architectures();

/// Throws where `result` is not success: `call` is the function's full name.
void check(NvrtcResult result, const char* call);

}  // namespace lab::compile
