// The GPU that times are held against: what it can do at most, and who says so.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/ceiling.h"

namespace lab::metrics {

/// The GPU's sizes that counts are held against, beside its ceilings. 0: not known.
struct GpuSize {
  double sms = 0;
  double l2_bytes = 0;
  double bus_bits = 0;  ///< of its memory
};

/// Who says what a machine can do.
enum class Basis : std::uint8_t {
  kCalibration,  ///< it was measured
  kPins,         ///< the rate of its memory's pins, its SMs and their clock: driver or data sheet
};

/// A GPU and its ceilings.
struct Machine {
  std::string gpu;  ///< such as NVIDIA H200
  std::string
      origin;  ///< of the ceilings: `measured 2026-11-22`, `as its driver says`, `data sheet`
  std::vector<Ceiling> ceilings;
  GpuSize size;
  Basis basis = Basis::kCalibration;
  std::string arch = {};  ///< sm_90; empty: that of what is held against it
};

/// The maker's data sheet of a GPU with this architecture (sm_90), for runs that use no GPU. Empty
/// ceilings where none is known.
[[nodiscard]] Machine data_sheet(std::string_view arch);

/// What the sheet calls its GPU by, such as A100 and 3090: what data_sheet_named() takes.
[[nodiscard]] std::vector<std::string> sheet_names();
/// That of one GPU, by such a name or the maker's, in any case; empty ceilings where none is known.
[[nodiscard]] Machine data_sheet_named(std::string_view name);

/// A GPU that was never calibrated, as its driver describes it: the rate of its memory's pins, its
/// SMs and their clock. `environment` is a run's (db/README.md).
[[nodiscard]] Machine as_driver_says(const std::map<std::string, std::string>& environment);

/// The most bytes per second that the memory pins of the run's GPU pass: two transfers per clock of
/// the memory on each pin of its bus. 0: its driver was not asked.
[[nodiscard]] double pin_rate(const std::map<std::string, std::string>& environment);

/// SMs and L2 of the run's GPU.
[[nodiscard]] GpuSize size_of(const std::map<std::string, std::string>& environment);

}  // namespace lab::metrics
