// Headers that NVRTC lacks. It finds no standard library, and student files include its headers
// out of habit.
#pragma once

#include <span>

namespace lab::compile {

/// A header handed to NVRTC in memory: found by `#include <name>` before any folder is searched.
struct Header {
  const char* name;
  const char* text;
};

/// cstdio, cmath, cstdint, ... and their C names. They declare what a kernel can use and put it
/// into namespace std too; host-only parts such as FILE are left out.
[[nodiscard]] std::span<const Header> shim_headers();

}  // namespace lab::compile
