#include "harness/core/gpu_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab {

namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

std::optional<std::uint32_t> number(std::string_view text, int base) {
  std::uint32_t value = 0;
  const char* end = text.data() + text.size();
  const auto [at, failed] = std::from_chars(text.data(), end, value, base);
  if (text.empty() || failed != std::errc{} || at != end) return {};
  return value;
}

// Domain, bus, device, function as one number: the domain has four digits or eight, or is left out.
std::optional<std::uint64_t> pci_number(const std::string& text) {
  constexpr int kHex = 16;
  std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() == 2) parts.insert(parts.begin(), "0");
  if (parts.size() != 3) return {};
  const std::size_t point = std::min(parts[2].find('.'), parts[2].size());
  const auto domain = number(parts[0], kHex);
  const auto bus = number(parts[1], kHex);
  const auto device = number(parts[2].substr(0, point), kHex);
  const auto function =
      point == parts[2].size() ? std::optional(0U) : number(parts[2].substr(point + 1), kHex);
  if (!domain || !bus || !device || !function || *bus > 0xff || *device > 0x1f || *function > 7) {
    return {};
  }
  return (std::uint64_t{*domain} << 16U) | (*bus << 8U) | (*device << 3U) | *function;
}

// Digits of a UUID's beginning, without what stands before them; empty: it is none.
std::string uuid_digits(const std::string& text) {
  constexpr std::size_t kFewest = 4;
  const std::string low = lower(text);
  if (!low.starts_with("gpu-") && !low.starts_with("mig-")) return {};
  std::string digits = low.substr(kFewest);
  const bool fine = digits.size() >= kFewest &&
                    digits.find_first_not_of("0123456789abcdef-") == std::string::npos;
  return fine ? digits : std::string();
}

bool is_named(const GpuNames& gpu, const std::string& asked) {
  constexpr int kDecimal = 10;
  if (const auto index = number(asked, kDecimal)) {
    return static_cast<std::uint32_t>(gpu.index) == *index;
  }
  const std::string digits = uuid_digits(asked);
  if (!digits.empty()) return uuid_digits(gpu.uuid).starts_with(digits);
  const auto pci = pci_number(asked);
  return pci && pci == pci_number(gpu.pci);
}

std::string listed(const std::vector<GpuNames>& gpus) {
  std::string text;
  for (const GpuNames& gpu : gpus) {
    text += fmt::format("{}{} ({})", text.empty() ? "there are: " : "; ", gpu.index, to_text(gpu));
  }
  return text;
}

}  // namespace

void require_gpu_name(const std::string& asked) {
  constexpr int kDecimal = 10;
  if (number(asked, kDecimal) || !uuid_digits(asked).empty() || pci_number(asked)) return;
  throw input_error(fmt::format("--device does not take '{}'", asked),
                    "write an index (0), a UUID (GPU-1f0e...) or a PCI id (3b:00.0); lab doctor "
                    "lists the GPUs");
}

int choose_gpu(const std::vector<GpuNames>& gpus, const std::string& asked) {
  if (asked.empty()) return 0;
  require_gpu_name(asked);
  std::vector<GpuNames> named;
  std::copy_if(gpus.begin(), gpus.end(), std::back_inserter(named),
               [&](const GpuNames& gpu) { return is_named(gpu, asked); });
  if (named.size() == 1) return named.front().index;
  throw machine_error(named.empty() ? fmt::format("no GPU is '{}'", asked)
                                    : fmt::format("{} GPUs are '{}'", named.size(), asked),
                      listed(named.empty() ? gpus : named));
}

std::string to_text(const GpuNames& gpu) {
  return fmt::format("{}, {}{}", gpu.name, gpu.uuid,
                     gpu.pci.empty() ? std::string() : ", PCI " + gpu.pci);
}

}  // namespace lab
