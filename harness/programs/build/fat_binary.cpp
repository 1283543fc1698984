#include "harness/programs/build/fat_binary.h"

#include <algorithm>

#include "harness/core/error.h"
#include "harness/programs/build/elf.h"
#include "harness/programs/build/unpack.h"

namespace lab::program {
namespace {

// A container is a head and entries; an entry is a head of its own length and its code.
struct ContainerHead {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t head_bytes;
  std::uint64_t bytes;  // behind the head
};
struct EntryHead {
  std::uint16_t kind;  // 1: PTX, 2: machine code
  std::uint16_t version;
  std::uint32_t head_bytes;
  std::uint64_t bytes;         // behind the head, padding with it
  std::uint32_t packed_bytes;  // without padding, where it is packed
  std::uint32_t options;
  std::uint16_t minor;
  std::uint16_t major;
  std::uint32_t arch;
  std::uint32_t name;
  std::uint32_t name_bytes;
  std::uint64_t flags;
  std::uint64_t unknown;
  std::uint64_t unpacked_bytes;
};
static_assert(sizeof(ContainerHead) == 16 && sizeof(EntryHead) == 64);

constexpr std::uint32_t kMagic = 0xba55ed50U;
constexpr std::uint16_t kPtx = 1;
constexpr std::uint16_t kMachineCode = 2;
constexpr std::uint64_t kLz4 = 0x2000;
constexpr std::uint64_t kZstd = 0x8000;
// Of all entries of a file together, as they say themselves.
constexpr std::uint64_t kMostUnpacked = std::uint64_t{256} << 20U;

std::string code_of(const EntryHead& head, std::string_view payload, std::uint64_t& left) {
  if ((head.flags & (kLz4 | kZstd)) == 0) return std::string(payload);
  const std::string_view packed = payload.substr(0, head.packed_bytes);
  if (head.unpacked_bytes > left) {
    throw input_error("the program's device code unpacks to more than 256 MiB",
                      "build it for one architecture, as nvcc -arch=sm_90 does");
  }
  left -= head.unpacked_bytes;
  return (head.flags & kZstd) != 0 ? unpack_zstd(packed, head.unpacked_bytes).value_or("")
                                   : unpack_lz4(packed, head.unpacked_bytes).value_or("");
}

std::vector<DeviceCode> entries_in(std::string_view bytes, std::uint64_t& left) {
  std::vector<DeviceCode> all;
  for (std::uint64_t at = 0; at < bytes.size();) {
    const auto head = read_at<EntryHead>(bytes, at);
    if (!head || head->head_bytes < sizeof(EntryHead) || head->head_bytes > bytes.size() - at) {
      break;
    }
    const std::string_view payload = bytes.substr(at + head->head_bytes).substr(0, head->bytes);
    if (payload.size() < head->bytes) break;
    if (head->kind == kPtx || head->kind == kMachineCode) {
      const auto kind =
          head->kind == kPtx ? DeviceCode::Kind::kPtx : DeviceCode::Kind::kMachineCode;
      all.push_back({kind, head->arch, code_of(*head, payload, left)});
      std::string& code = all.back().bytes;
      // PTX ends with zeros.
      if (head->kind == kPtx) code.erase(std::min(code.find('\0'), code.size()));
    }
    at += head->head_bytes + head->bytes;
  }
  return all;
}

}  // namespace

std::vector<FatBinary> fat_binaries(std::string_view section) {
  constexpr std::uint64_t kAlignment = 8;
  std::vector<FatBinary> all;
  std::uint64_t unpacked_left = kMostUnpacked;
  for (std::uint64_t at = 0; at < section.size();) {
    const auto head = read_at<ContainerHead>(section, at);
    const std::uint64_t left = section.size() - at;
    const bool is_head = head && head->magic == kMagic && head->head_bytes >= sizeof *head &&
                         head->head_bytes <= left && head->bytes <= left - head->head_bytes;
    if (!is_head) {  // padding between two
      at += kAlignment;
      continue;
    }
    all.push_back(
        {at, entries_in(section.substr(at + head->head_bytes, head->bytes), unpacked_left)});
    at += (head->head_bytes + head->bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  return all;
}

}  // namespace lab::program
