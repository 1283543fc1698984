// Reads a CSV file of Nsight Compute: kernel launches with their metrics.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/core/launch.h"
#include "harness/core/record.h"
#include "harness/ncu/number.h"

namespace lab::ncu {

/// One metric of one launch, in the unit that --print-units base gives.
struct MetricValue {
  std::string name;  ///< dram__bytes_read.sum, or a section's label such as "L2 Hit Rate"
  std::variant<double, Missing> value = 0.0;
  std::optional<std::string> rounded = {};  ///< as printed in a scaled unit: 67.11 Mbyte
};

/// One launch that was profiled.
struct KernelLaunch {
  std::string id;      ///< ncu's number for it
  std::string kernel;  ///< as printed: void transpose<(int)32>(const float *, float *)
  std::string ranges;  ///< the text in the columns of NVTX ranges
  std::optional<Dim3> grid = {};
  std::optional<Dim3> block = {};
  std::vector<MetricValue> values = {};
};

enum class Layout : unsigned char { kLong, kRaw };

struct Report {
  std::vector<KernelLaunch> launches;
  Layout layout = Layout::kLong;
  Decimal decimal = Decimal::kPoint;
  std::string device = {};         ///< the GPU's name; empty: the file does not say, or has several
  std::string capability = {};     ///< compute capability, such as 9.0
  std::vector<std::string> notes;  ///< lines that were left out, and why
};

/// Reads either layout: one row per metric (--page details), or one row per launch (--page raw).
/// Lines of ncu and of the program around the table are left out. Columns are found by their names,
/// so that those of older and newer versions don't matter. `decimal` decides what the file leaves
/// open. Throws an input error that names `file` where it has no table of ncu, or numbers of two
/// locales.
[[nodiscard]] Report read_report(std::string_view bytes, const std::string& file,
                                 std::optional<Decimal> decimal = {});

}  // namespace lab::ncu
