// CUDA source text -> PTX and machine code, by NVRTC; needs no GPU and no driver.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/core/compiled.h"

namespace lab::compile {

struct Settings {
  std::vector<std::string> include_folders;  ///< where CUDA's own headers are
  std::filesystem::path cache;               ///< folder of the disk cache; empty: none
  /// Compiles programs with host code as they are; empty: there is none, and it is left out.
  std::filesystem::path nvcc = {};
  /// Where set, each source is compiled in a copy of this process, which calls this first, to close
  /// itself in. What the source includes was read before (KernelText::included).
  std::function<void()> box = {};
};

/// Seconds that compiling one source may compute, in each attempt.
constexpr int kMostSeconds = 100;

/// The headers that belong to the NVRTC library in use, and the user's cache folder. Throws a
/// machine error where there is no NVRTC.
[[nodiscard]] Settings default_settings();

/// Compiles `request.source` for `request.arch`; a source whose name ends in .ptx passes through.
/// Throws an input error: with NVRTC's own text where the source does not compile, where it is
/// empty, where it takes more than kMostSeconds or 2 GiB, and where it lacks a kernel asked for
/// (all of them, if `request.partial`). A machine error where the compiler is killed.
[[nodiscard]] Compiled nvrtc_compile(const CompileRequest& request, const Settings& settings);
[[nodiscard]] Compiled nvrtc_compile(const CompileRequest& request);

/// Such as "13.0".
[[nodiscard]] std::string nvrtc_version();

}  // namespace lab::compile
