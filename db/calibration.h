// Ceilings of GPUs, as lab calibrate measured them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "harness/core/ceiling.h"

namespace lab::db {

/// One `lab calibrate`.
struct Calibration {
  std::string gpu_uuid;
  std::string gpu;
  std::string driver = {};
  std::string taken_at = {};  ///< ISO 8601, UTC
  std::vector<Ceiling> ceilings = {};
  friend bool operator==(const Calibration&, const Calibration&) = default;
};

/// One transaction. A second one of the same GPU and second replaces the first.
void add_calibration(Store& store, const Calibration& calibration);

/// The newest of the GPU with this uuid; empty: it was never calibrated.
[[nodiscard]] std::optional<Calibration> latest_calibration(Store& store,
                                                            const std::string& gpu_uuid);

}  // namespace lab::db
