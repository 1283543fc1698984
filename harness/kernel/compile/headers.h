// Headers that NVRTC lacks. It finds no standard library, and student files include its headers
// out of habit.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/kernel/compile/source/device_only.h"

namespace lab::compile {

/// A header handed to NVRTC in memory: found by `#include <name>` before any folder is searched.
struct Header {
  const char* name;
  const char* text;
};

/// Included before a source: what nvcc includes by itself, as far as kernels can use it.
constexpr std::string_view kPrelude = "lab_prelude.h";

/// Where a header is that a source includes and does not bring: with us, or in the toolkit's
/// `folders`.
[[nodiscard]] source::Header where_is(const source::HeaderName& header,
                                      const std::vector<std::string>& folders);

/// cstdio, cmath, cstdint, ... and their C names. They declare what a kernel can use and put it
/// into namespace std too; host-only parts such as FILE are left out.
[[nodiscard]] std::span<const Header> shim_headers();

/// In place of the toolkit's headers that none of its `folders` has.
[[nodiscard]] std::vector<Header> headers_in_place(const std::vector<std::string>& folders);

}  // namespace lab::compile
