// A launch that can be repeated, which timing and counting ask for.
#pragma once

#include <string>

namespace lab::gpu {

/// A launch on memory that is as it was before each time: a case's, or one of a program's.
class Replay {
 public:
  virtual ~Replay() = default;
  /// Of the kernel, for messages.
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// Puts memory back: copies and fills, no launches. Comes before every launch.
  virtual void restore() = 0;
  /// Queues the kernel, or the kernels of a library's routine.
  virtual void launch() = 0;
  /// How many kernels a launch has.
  [[nodiscard]] virtual int kernels() = 0;
};

}  // namespace lab::gpu
