// In place of the samples' header of this name: a clock of the host.
#pragma once

#include <chrono>

class StopWatchInterface {
 public:
  void start() {
    begun_ = Clock::now();
    runs_ = true;
  }
  void stop() {
    all_ += now();
    ++count_;
    runs_ = false;
  }
  void reset() {
    all_ = 0;
    count_ = 0;
    begun_ = Clock::now();
  }
  float getTime() const { return static_cast<float>(all_ + (runs_ ? now() : 0)); }
  float getAverageTime() const { return count_ > 0 ? static_cast<float>(all_ / count_) : 0; }

 private:
  using Clock = std::chrono::steady_clock;
  double now() const {
    return std::chrono::duration<double, std::milli>(Clock::now() - begun_).count();
  }
  Clock::time_point begun_ = Clock::now();
  double all_ = 0;
  int count_ = 0;
  bool runs_ = false;
};
inline bool sdkCreateTimer(StopWatchInterface** timer) {
  *timer = new StopWatchInterface;
  return true;
}
inline bool sdkDeleteTimer(StopWatchInterface** timer) {
  delete *timer;
  *timer = nullptr;
  return true;
}
inline bool sdkStartTimer(StopWatchInterface** timer) {
  if (*timer != nullptr) (*timer)->start();
  return true;
}
inline bool sdkStopTimer(StopWatchInterface** timer) {
  if (*timer != nullptr) (*timer)->stop();
  return true;
}
inline bool sdkResetTimer(StopWatchInterface** timer) {
  if (*timer != nullptr) (*timer)->reset();
  return true;
}
inline float sdkGetTimerValue(StopWatchInterface** timer) {
  return *timer != nullptr ? (*timer)->getTime() : 0;
}
inline float sdkGetAverageTimerValue(StopWatchInterface** timer) {
  return *timer != nullptr ? (*timer)->getAverageTime() : 0;
}
