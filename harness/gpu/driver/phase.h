// Writes to the log (`lab run -v`) where a run's time goes.
#pragma once

#include <chrono>
#include <string>

namespace lab::gpu {

/// Logs `time: NAME 0.123 s` when it ends.
class Phase {
 public:
  [[nodiscard]] explicit Phase(std::string name) : name_(std::move(name)) {}
  ~Phase();
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;
  Phase(Phase&&) = delete;
  Phase& operator=(Phase&&) = delete;

 private:
  std::string name_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace lab::gpu
