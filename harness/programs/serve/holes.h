// What a copy to the host takes along that nobody has written, though a kernel was to write it.
//
// Nobody has to write all that is copied: rows are padded, borders are left out, a list has fewer
// elements than room. So holes are a mistake only where the launch that wrote around them tells
// why they are there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/core/launch.h"
#include "harness/model/check/shadow.h"
#include "harness/programs/serve/kernels.h"

namespace lab::program {

/// Axes of grids and blocks.
inline constexpr std::array<char, 3> kAxes = {'x', 'y', 'z'};

/// A launch that wrote to an allocation which nobody had filled before.
struct Writer {
  std::string kernel;
  std::string place;  ///< of the launch: app.cu:12
  Launch launch;
  /// The line of the program's own source that reads threadIdx or blockIdx of an axis; 0: none
  /// does. What a header reads does not count: it asks for all axes, whatever the kernel needs.
  std::array<int, 3> thread_lines = {};
  std::array<int, 3> block_lines = {};
  std::uint32_t element_bytes = 4;            ///< of its narrowest store
  std::uint32_t store_bytes = 4;              ///< that one thread stores at once there
  std::string elements;                       ///< floats, 2-byte elements, ...
  bool has_atomics = false;                   ///< threads may choose where they write
  std::vector<std::uint64_t> arguments = {};  ///< those of 4 and 8 bytes
};

/// `arguments`: the launch's, as the kernel's parameters lie.
[[nodiscard]] Writer writer_of(const KnownKernel& kernel, const Launch& launch,
                               std::span<const std::byte> arguments, std::string place);

/// The bytes that the host copies of an allocation, as offsets in it.
struct CopiedRows {
  std::uint64_t first = 0;
  std::uint64_t bytes = 0;  ///< of each row
  std::uint64_t rows = 1;
  std::uint64_t pitch = 0;  ///< from row to row
};

/// Those of them that nobody has written. `base`: the allocation's address.
[[nodiscard]] model::check::Holes holes_in(const model::check::GlobalShadow& shadow,
                                           std::uint64_t base, const CopiedRows& copied);

/// What the host copies, how much of it nobody has written, and why, by the launch that wrote the
/// rest; empty: the holes may be meant. `array`: the allocation's name.
[[nodiscard]] std::optional<std::string> explain_holes(const model::check::Holes& holes,
                                                       std::uint64_t base, const CopiedRows& copied,
                                                       const Writer& writer,
                                                       const std::string& array);

}  // namespace lab::program
