// Any bytes are a recording or an input error, and what a recording comes to holds together.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "harness/core/error.h"
#include "harness/record/recording.h"
#include "harness/record/summary.h"

namespace {

using namespace lab::record;

void look_at(std::string_view bytes) {
  try {
    const Recording recording = read_recording(bytes, "fuzz.labrec");
    if (recording.whole_bytes > bytes.size()) std::abort();
    // The whole part is read again without damage.
    const std::string_view whole = bytes.substr(0, recording.whole_bytes);
    if (is_recording(whole) && !read_recording(whole, "fuzz.labrec").damage.empty()) std::abort();
    const Summary summary = summarise(recording);
    std::uint64_t launches = 0;
    for (const KernelRow& row : summary.kernels) launches += row.launches;
    if (launches != summary.kernels_run) std::abort();
    for (const GpuUse& gpu : summary.gpus) {
      if (gpu.kernels_ns + gpu.copies_ns > gpu.span_ns) std::abort();
    }
  } catch (const lab::Error& error) {
    if (error.fault() != lab::Fault::kInput) std::abort();
  }
}

// The same with checksums that are right: what is behind them is reached.
std::string with_checksums(std::string bytes) {
  std::size_t at = 0;
  while (bytes.size() - at >= sizeof(Header)) {
    Header header;
    std::memcpy(&header, bytes.data() + at, sizeof header);
    const std::size_t left = bytes.size() - at - sizeof header;
    if (header.bytes == 0 || padded(header.bytes) > left) break;
    header.check = checksum(header.kind, bytes.data() + at + sizeof header, header.bytes);
    std::memcpy(bytes.data() + at, &header, sizeof header);
    at += sizeof header + padded(header.bytes);
  }
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  look_at(bytes);
  look_at(with_checksums(bytes));
  return 0;
}
