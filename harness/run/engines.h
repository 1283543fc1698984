// Which backends a command uses, and the worker processes behind them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/box/worker/client.h"
#include "harness/run/execute.h"

namespace lab::run {

/// What shows that this machine has an NVIDIA GPU: /dev/nvidia0, ... or, on WSL, /dev/dxg.
[[nodiscard]] std::vector<std::string> gpu_devices();

/// The choices of --backend.
enum class Backends : std::uint8_t {
  kAuto,  ///< the model, and the GPU where there is one
  kModel,
  kGpu,
  kBoth,
};
/// Their names, in the order of the type.
[[nodiscard]] const std::vector<std::string>& backend_choices();

/// Whether this is a first build that lacks the GPU backend, which tools/lab adds when it is
/// needed.
[[nodiscard]] bool gpu_backend_left_out();
/// The one of that name; an input error where there is none.
[[nodiscard]] Backends backends_of(const std::string& name);
/// Whether one of them uses a GPU on this machine.
[[nodiscard]] bool uses_gpu(Backends choice);

/// Whether workers confine what they compile and run.
enum class Sandbox : std::uint8_t {
  kAsTold,  ///< they do, unless LAB_SANDBOX=off tells all of them otherwise
  kOn,
  kOff,
};

/// How workers are started.
struct EngineSettings {
  Backends backend = Backends::kModel;
  std::function<bool()> cancelled = {};  ///< asked while a worker compiles
  Sandbox sandbox = Sandbox::kAsTold;
  std::string gpu = {};     ///< as --device names it; empty: as LAB_DEVICE does, else the first
  double memory_bytes = 0;  ///< of the model's kernels; 0: no bound of their own
  std::string cache_folder = {};  ///< of compiled kernels; empty: the user's
};

/// A worker process for each backend in use; they come up while the program does other things.
class EngineSet {
 public:
  /// Throws a machine error where a GPU is asked for and there is none, and where no worker can be
  /// started.
  explicit EngineSet(const EngineSettings& settings);

  [[nodiscard]] Engines engines();
  /// model, gpu or model+gpu
  [[nodiscard]] std::string name() const;
  /// What the worker says of this machine: cpu, cpu_cores, nvrtc, cupti, gpu, driver, ....
  [[nodiscard]] const worker::Environment& environment();
  /// The same where it was asked before; else no values.
  [[nodiscard]] const worker::Environment& known_environment() const { return environment_; }
  /// The GPU's architecture, else sm_90.
  [[nodiscard]] std::string arch();
  /// For requests that are not a batch, such as compiling.
  [[nodiscard]] worker::Client& any();

 private:
  std::optional<worker::Client> model_;
  std::optional<worker::Client> gpu_;
  worker::Environment environment_;  // no values: not asked yet
};

/// One worker of `backend`. The lines that it prints go to the log.
[[nodiscard]] worker::ClientSettings worker_settings(BackendKind backend,
                                                     const EngineSettings& settings = {});

}  // namespace lab::run
