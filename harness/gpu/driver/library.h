// cuBLAS, loaded at run time, for variants that call a library instead of a kernel.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "harness/gpu/driver/device.h"

namespace lab::gpu {

/// A library with its handle, bound to one context.
class Library {
 public:
  /// Throws a machine error where libcublas is not found.
  [[nodiscard]] explicit Library(const Context& context);

  /// Whether there is a routine called `name`, such as cublas_sgeam.
  [[nodiscard]] static bool knows(const std::string& name);

  /// Queues routine `name` with a variant's arguments, each as a kernel would get it:
  ///   cublas_sgeam  in, out, rows, cols: out = in transposed, both row-major
  ///   cublas_sgemm  a, b, c, n, m, p: c (n x p) = a (n x m) b (m x p), all row-major, in float
  void call(const std::string& name, std::span<void* const> arguments) const;

  /// How many kernels the routine launches for these arguments, found by capturing it into a graph.
  [[nodiscard]] int launches(const std::string& name, std::span<void* const> arguments) const;

 private:
  const Context& context_;
  Handle<void*> library_;
  Handle<void*> handle_;
};

}  // namespace lab::gpu
