#include "harness/programs/build/unpack.h"

#include <dlfcn.h>

#include <cstddef>

namespace lab::program {
namespace {

// A length that does not fit its four bits goes on in bytes, the last of which is not 255.
std::optional<std::size_t> length(std::string_view packed, std::size_t& at, std::size_t four_bits) {
  constexpr std::size_t kMore = 15;
  constexpr std::uint8_t kFull = 255;
  if (four_bits != kMore) return four_bits;
  for (std::size_t all = four_bits; at < packed.size();) {
    const auto byte = static_cast<std::uint8_t>(packed[at++]);
    all += byte;
    if (byte != kFull) return all;
  }
  return std::nullopt;
}

using Decompress = std::size_t(void*, std::size_t, const void*, std::size_t);

// Null: the system has no such library.
Decompress* zstd() {
  static void* const kLibrary = ::dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
  if (kLibrary == nullptr) return nullptr;
  static auto* const kDecompress =
      reinterpret_cast<Decompress*>(::dlsym(kLibrary, "ZSTD_decompress"));
  return kDecompress;
}

}  // namespace

// LZ4 block format: a token of two lengths, literals, and how far back a match of at least four
// bytes lies; the last sequence has literals alone.
std::optional<std::string> unpack_lz4(std::string_view packed, std::uint64_t most) {
  constexpr std::size_t kLeastMatch = 4;
  std::string all;
  std::size_t at = 0;
  while (at < packed.size()) {
    const auto token = static_cast<std::uint8_t>(packed[at++]);
    const auto literals = length(packed, at, token >> 4U);
    if (!literals || *literals > packed.size() - at || *literals > most - all.size()) return {};
    all += packed.substr(at, *literals);
    at += *literals;
    if (at == packed.size()) return all;
    if (packed.size() - at < 2) return {};
    const std::size_t back = static_cast<std::uint8_t>(packed[at]) |
                             (std::size_t{static_cast<std::uint8_t>(packed[at + 1])} << 8U);
    at += 2;
    auto match = length(packed, at, token & 15U);
    if (!match || back == 0 || back > all.size()) return {};
    *match += kLeastMatch;
    if (*match > most - all.size()) return {};
    for (std::size_t i = 0; i < *match; ++i) all += all[all.size() - back];
  }
  return {};
}

std::optional<std::string> unpack_zstd(std::string_view packed, std::uint64_t most) {
  Decompress* const decompress = zstd();
  if (decompress == nullptr) return {};
  std::string all(most, '\0');
  // Errors are numbers near the largest.
  const std::size_t bytes = decompress(all.data(), all.size(), packed.data(), packed.size());
  if (bytes > all.size()) return {};
  all.resize(bytes);
  return all;
}

void prepare_unpacking() { static_cast<void>(zstd()); }

}  // namespace lab::program
