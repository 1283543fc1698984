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
  /// Where headers of the user's own are looked for; empty: there are none.
  std::filesystem::path own_folder = {};
  /// Where set, each source is compiled in a copy of this process, which first calls this with the
  /// headers that the source may read, to close itself in.
  std::function<void(const std::vector<std::filesystem::path>& headers)> box = {};
};

/// The headers that belong to the NVRTC library in use, and the user's cache folder. Throws a
/// machine error where there is no NVRTC.
[[nodiscard]] Settings default_settings();

/// Compiles `request.source` for `request.arch`; a source whose name ends in .ptx passes through.
/// Throws an input error: with NVRTC's own text where the source does not compile, where it is
/// empty, and where it lacks a kernel asked for (all of them, if `request.partial`).
[[nodiscard]] Compiled nvrtc_compile(const CompileRequest& request, const Settings& settings);
[[nodiscard]] Compiled nvrtc_compile(const CompileRequest& request);

/// Such as "13.0".
[[nodiscard]] std::string nvrtc_version();

}  // namespace lab::compile
