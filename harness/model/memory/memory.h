// The memory a launch sees: allocations in one address space with guards between them, and the
// windows through which generic addresses reach shared and local memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/core/buffer.h"

namespace lab::model {

// Generic addresses: below the windows they are global. A window's first byte is address 0 of its
// state space; a constant has the same address in both.
inline constexpr std::uint64_t kConstWindow = 0x00007e0000000000U;
inline constexpr std::uint64_t kSharedWindow = 0x00007f0000000000U;
inline constexpr std::uint64_t kLocalWindow = 0x00007f1000000000U;
inline constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 24U;

// Behind a block's own window lie those of all blocks of its cluster, by their rank, and one that
// is nobody's, for ranks that no block has.
inline constexpr std::uint32_t kMostOfCluster = 16;
inline constexpr std::uint64_t kClusterBytes = (kMostOfCluster + 2) * kWindowBytes;

// Handles of images.
inline constexpr std::uint64_t kImageWindow = 0x00007d0000000000U;
inline constexpr std::uint64_t kImageStep = 256;
/// Of the n-th image that is added to a launch's memory; the first is 1.
[[nodiscard]] constexpr std::uint64_t image_handle(std::uint64_t number) {
  return kImageWindow + number * kImageStep;
}

// Shared memory that the system keeps for libraries, such as groups of several warps. It lies in
// the shared window far above a block's own, so that no index that is off by one reaches it.
inline constexpr std::uint64_t kReservedBase = kWindowBytes / 2;
inline constexpr std::uint64_t kReservedShared = 1024;

/// The value of a pointer to a function: below all data, and different for each function.
[[nodiscard]] constexpr std::uint64_t function_address(std::uint32_t function) {
  return (std::uint64_t{function} + 1) << 8U;
}

enum class AddressKind : std::uint8_t { kGlobal, kShared, kLocal };

[[nodiscard]] constexpr AddressKind kind_of(std::uint64_t generic) {
  if (generic - kSharedWindow < kWindowBytes) return AddressKind::kShared;
  if (generic - kLocalWindow < kWindowBytes) return AddressKind::kLocal;
  return AddressKind::kGlobal;
}

struct Allocation {
  std::uint64_t base = 0;  ///< device address, a multiple of 256
  std::uint64_t bytes = 0;
  std::byte* host = nullptr;
  bool writable = true;
  bool initialised = true;  ///< false: nothing was written to it before the launch
  int argument = -1;        ///< index of the kernel's argument; -1: a variable of the module
  std::string name = {};
  std::uint32_t element_bytes = 0;  ///< of the type that it is declared with; 0: not known
  std::uint64_t first_sector = 0;   ///< number of its first 32-byte sector among all allocations'

  [[nodiscard]] bool contains(std::uint64_t address, std::uint64_t size) const {
    return address >= base && size <= bytes && address - base <= bytes - size;
  }
};

/// A texture or a surface, which kernels reach through a handle that is not an address.
struct Image {
  /// How an axis answers reads beyond its ends: as its last texel, with zeros, or as if the image
  /// were there again, or again the other way round.
  enum class Beyond : std::uint8_t { kClamp, kBorder, kWrap, kMirror };
  ImageSpec spec;
  ElementType type = ElementType::kF32;
  std::span<std::byte> bytes;  ///< none: it was destroyed
  std::string name = {};
  // What only programs' objects have beyond what `spec` says.
  std::uint32_t planes = 0;  ///< of a volume, or layers; 0: it has none
  bool layered = false;
  std::uint64_t row_bytes = 0;        ///< from row to row; 0: rows follow each other
  std::array<Beyond, 3> beyond = {};  ///< of textures, along x, y, z
  bool linear = false;                ///< between texels, else the nearest
  bool normalised = false;            ///< coordinates go from 0 to 1
  bool as_fraction = false;           ///< whole numbers are read as fractions of the largest
};

/// True for the generic addresses of constants.
[[nodiscard]] constexpr bool is_constant(std::uint64_t generic) {
  return generic - kConstWindow < kWindowBytes * 256;
}

/// Global memory of one launch. Addresses depend only on the order and the sizes of allocations, so
/// that a kernel that computes with them behaves the same every time.
class GlobalMemory {
 public:
  /// Adds memory that the caller keeps alive, and returns its device address. Where there are no
  /// bytes, the pointer to them may be null.
  std::uint64_t add(std::span<std::byte> memory, std::string name, int argument = -1,
                    bool writable = true);
  /// The same for memory of the constant bank, which no kernel writes.
  std::uint64_t add_constant(std::span<std::byte> memory, std::string name);

  /// Adds memory whose device address is known: a program's own, which stays where it is from
  /// launch to launch. No other allocation may be there.
  void add_at(std::uint64_t base, std::span<std::byte> memory, std::string name, int argument);

  /// Declares that nothing was written to the memory at device address `base` before the launch.
  void leave_uninitialised(std::uint64_t base);

  /// Declares that the memory at device address `base` holds elements of so many bytes.
  void declare_elements(std::uint64_t base, std::uint32_t bytes);

  /// The allocation around `address`, or null.
  [[nodiscard]] const Allocation* find(std::uint64_t address) const noexcept;
  /// The allocation nearest to `address`, before or after it, for messages.
  [[nodiscard]] const Allocation* nearest(std::uint64_t address) const noexcept;
  /// Adds an image, whose bytes the caller keeps alive, and returns its handle.
  std::uint64_t add_image(Image image);
  /// The image with this handle; null: there is none, or it was destroyed.
  [[nodiscard]] const Image* find_image(std::uint64_t handle) const noexcept;

  [[nodiscard]] std::span<const Allocation> all() const { return allocations_; }
  [[nodiscard]] std::span<const Image> images() const { return images_; }
  /// Sectors of 32 bytes in all allocations, each rounded up.
  [[nodiscard]] std::uint64_t sector_count() const { return sectors_; }

 private:
  std::uint64_t place(Allocation made, std::uint64_t& next);
  void insert(Allocation made);

  std::vector<Allocation> allocations_;  // by base
  std::vector<Image> images_;
  std::uint64_t next_ = 0x0000001000000000U;
  std::uint64_t next_constant_ = kConstWindow;
  std::uint64_t sectors_ = 0;
};

}  // namespace lab::model
