#include "harness/kernel/compile/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "harness/core/text.h"
#include "harness/kernel/compile/ptx_names.h"

namespace lab::compile {
namespace {

constexpr std::string_view kNameFile = "__nv_name_map(";
// The name follows one of these: the first in the line that NVRTC 13 quotes, the second in the
// error's own text, which is all that NVRTC 11 prints.
constexpr std::string_view kPragma = "#pragma nv_mangled_name ";
constexpr std::string_view kInput = "Input name expression was: \"";

bool is_error(std::string_view line) {
  return line.find(": error:") != std::string_view::npos ||
         line.find(": catastrophic error:") != std::string_view::npos ||
         line.starts_with("nvrtc: error:") || line.starts_with("ptxas ");
}

std::string_view name_in(std::string_view line) {
  if (const auto at = line.find(kPragma); at != std::string_view::npos) {
    return line.substr(at + kPragma.size());
  }
  const std::size_t at = line.find(kInput);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + kInput.size());
  return rest.substr(0, rest.rfind('"'));
}

bool is_count(std::string_view line) {
  return line.find(" detected in the compilation of ") != std::string_view::npos;
}

bool is_blank(std::string_view line) { return trim(line).empty(); }

// How names of the CUDA toolkit's own headers begin.
constexpr std::array kToolkitHeaders = {
    "cuda_", "cuda/", "cooperative_groups", "cub/",   "thrust/",
    "nv/",   "mma.h", "cuComplex.h",        "curand", "math_constants.h"};

// The header that the compiler did not find, empty where it found all: `cannot open source file
// "x.h"`, in NVRTC 11 `could not open source file "x.h"`.
std::string_view missing_header(std::string_view log) {
  constexpr std::string_view kBefore = " open source file \"";
  const std::size_t at = log.find(kBefore);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = log.substr(at + kBefore.size());
  return rest.substr(0, rest.find('"'));
}

bool is_toolkits(std::string_view header) {
  return std::any_of(kToolkitHeaders.begin(), kToolkitHeaders.end(),
                     [&](std::string_view prefix) { return header.starts_with(prefix); });
}

// `cannot open source file "x.h": Permission denied`: in a box that tells that there is such a
// file.
std::string_view without_reason(std::string_view line) {
  constexpr std::string_view kCannot = "cannot open source file \"";
  const std::size_t at = line.find(kCannot);
  const std::size_t end = at == std::string_view::npos ? at : line.rfind("\": ");
  return end == std::string_view::npos || end < at ? line : line.substr(0, end + 1);
}

}  // namespace

NameErrors name_errors(std::string_view log) {
  NameErrors result;
  bool in_names = false;
  for (const std::string_view line : split(log, '\n')) {
    if (is_error(line)) {
      in_names = line.starts_with(kNameFile);
      result.others = result.others || !in_names;
    }
    const std::string name = in_names ? without_blanks(name_in(line)) : std::string();
    if (name.empty()) continue;
    const auto& known = result.unknown;
    if (std::find(known.begin(), known.end(), name) == known.end()) result.unknown.push_back(name);
  }
  return result;
}

std::vector<Place> error_places(std::string_view log) {
  std::vector<Place> places;
  for (const std::string_view line : split(log, '\n')) {
    const std::size_t colon = line.find("): error:");
    if (colon == std::string_view::npos) continue;
    const std::size_t open = line.rfind('(', colon);
    Place place;
    const char* end = line.data() + colon;
    if (open == std::string_view::npos ||
        std::from_chars(line.data() + open + 1, end, place.line).ptr != end) {
      continue;
    }
    place.file = line.substr(0, open);
    places.push_back(std::move(place));
  }
  return places;
}

std::string readable_log(std::string_view log) {
  std::string out;
  bool skipping = false;
  bool blank = true;
  for (std::string_view line : split(log, '\n')) {
    // NVRTC ends its log with a zero byte.
    while (!line.empty() && line.back() == '\0') line.remove_suffix(1);
    if (is_blank(line)) {
      skipping = false;
      if (!blank) out += '\n';
      blank = true;
      continue;
    }
    if (is_count(line)) {
      skipping = false;
      continue;
    }
    skipping = skipping || line.starts_with(kNameFile);
    if (skipping) continue;
    out += without_reason(line);
    out += '\n';
    blank = false;
  }
  while (out.ends_with("\n")) out.pop_back();
  return out;
}

std::string toolkit_advice(std::string_view header) {
  if (!is_toolkits(header)) return {};
  return fmt::format(
      "{} is a header of the CUDA toolkit, which is not beside this NVRTC: install the toolkit "
      "(nvidia-cuda-dev of Debian's non-free, or NVIDIA's own), or set CUDA_HOME to the folder "
      "it is in",
      header);
}

namespace {

// Whether the compiler complains of a line that has this word. NVRTC 11 does not show the line.
bool blames(std::string_view log, const KernelText& source, std::string_view word) {
  const std::vector<std::string_view> lines = split(source.text, '\n');
  const auto has_word = [&](const Place& place) {
    const auto line = static_cast<std::size_t>(place.line);
    return place.file == source.name && line > 0 && line <= lines.size() &&
           lines[line - 1].find(word) != std::string_view::npos;
  };
  const std::vector<Place> places = error_places(log);
  return std::any_of(places.begin(), places.end(), has_word);
}

}  // namespace

std::string advice(std::string_view log, const KernelText& source) {
  const auto has = [&](std::string_view text) { return log.find(text) != std::string_view::npos; };
  if (has("device-side kernel launch") || has("requires separate compilation mode") ||
      has("cudaGetParameterBuffer")) {  // as NVRTC 11 leaves it to ptxas

    return "kernels that launch kernels (dynamic parallelism) cannot be run here: run the kernel "
           "that is launched by itself, with its own --grid and --block";
  }
  if (has("uses too much shared data")) {
    return "a block has 48 KiB (0xc000 bytes) of static shared memory at most: declare the array "
           "extern __shared__ and give its size at the launch, up to 227 KiB on an H100 or H200";
  }
  if (has("thrust::") || blames(log, source, "thrust::")) {
    return "kernels cannot use Thrust here: write the loop, or use CUB's algorithms for blocks and "
           "warps, such as cub::BlockReduce of <cub/cub.cuh>; what a host calls needs no change";
  }
  const std::string_view header = missing_header(log);
  if (is_toolkits(header)) return toolkit_advice(header);
  if (!header.empty()) {
    return "kernels are compiled for the GPU alone: of the standard library they can include "
           "cstdio, cmath, cstdint, cstddef, cstring, climits, cfloat, cassert and algorithm; put "
           "host code between #ifndef __CUDACC_RTC__ and #endif";
  }
  if (has("identifier \"cudaMalloc\"") || has("identifier \"cudaMemcpy\"") ||
      has("identifier \"cudaDeviceSynchronize\"") || has("has no member \"vector\"")) {
    return "kernels are compiled for the GPU alone: put host code such as main between "
           "#ifndef __CUDACC_RTC__ and #endif";
  }
  return {};
}

}  // namespace lab::compile
