// The one owner of a C handle: driver objects, CUPTI objects and library handles alike.
#pragma once

#include <functional>
#include <utility>

namespace lab::gpu {

/// Owns `value` and gives it to `release` once. `release` does not throw: it logs a failure, since
/// no caller is left to handle it.
template <typename T>
class Handle {
 public:
  Handle() = default;
  [[nodiscard]] Handle(T value, std::function<void(T)> release)
      : value_(value), release_(std::move(release)) {}
  Handle(Handle&& other) noexcept
      : value_(std::exchange(other.value_, T{})),
        release_(std::exchange(other.release_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      value_ = std::exchange(other.value_, T{});
      release_ = std::exchange(other.release_, nullptr);
    }
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { reset(); }

  [[nodiscard]] T get() const { return value_; }
  [[nodiscard]] explicit operator bool() const { return release_ != nullptr; }

  void reset() noexcept {
    if (release_) std::exchange(release_, nullptr)(std::exchange(value_, T{}));
  }

 private:
  T value_{};
  std::function<void(T)> release_;
};

}  // namespace lab::gpu
