// Headers that NVRTC lacks. It finds no standard library, and student files include its headers
// out of habit.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lab::compile {

/// A header handed to NVRTC in memory: found by `#include <name>` before any folder is searched.
struct Header {
  const char* name;
  const char* text;
};

/// Included before a source: what nvcc includes by itself, as far as kernels can use it.
constexpr std::string_view kPrelude = "lab_prelude.h";

/// Whether kernels can include it: it is one of ours, or of the toolkit's in `folders` and not for
/// the host alone.
[[nodiscard]] bool has_header(std::string_view header, const std::vector<std::string>& folders);

/// cstdio, cmath, cstdint, ... and their C names. They declare what a kernel can use and put it
/// into namespace std too; host-only parts such as FILE are left out.
[[nodiscard]] std::span<const Header> shim_headers();

}  // namespace lab::compile
