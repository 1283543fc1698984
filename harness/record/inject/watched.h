// The driver's functions that are watched, and what their parameters say.
#pragma once

#include "harness/record/format.h"
#include "harness/record/inject/cupti.h"

namespace lab::record {

/// A launch, as its function's parameters have it.
struct Called {
  Entry entry;
  Shape shape = {};
  std::uint32_t dynamic_shared = 0;
  CUstream stream = nullptr;
};

/// A driver function that is watched, and why.
struct Watched {
  CUpti_CallbackId id;
  enum class Role : unsigned char { kLaunch, kWait, kBeginCapture, kEndCapture } role;
  Called (*called)(const void* params) = nullptr;
  bool per_thread = false;  ///< its null stream is the thread's own
};

/// The function of a callback of the driver's; null: it is not watched.
[[nodiscard]] const Watched* find_watched(CUpti_CallbackId id);

/// Asks CUPTI for the callbacks of all of them.
void watch_all(const CuptiCalls& calls, CUpti_SubscriberHandle subscriber);

}  // namespace lab::record
