// Kernels that are not as they came: which of a lab's kernels a student's file defines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/box/worker/client.h"
#include "harness/core/error.h"
#include "harness/run/plan.h"

namespace lab::run {

/// Input errors of prepare() that are told from others: whoever grades has a status for each.
class NoKernel : public Error {  ///< a file that defines none of the lab's kernels
 public:
  using Error::Error;
};
class NotCompiled : public Error {  ///< a file that the compiler refuses, in the compiler's words
 public:
  explicit NotCompiled(const Error& error) : Error(error) {}
};

/// The kernels that a source defines, as a person would name and read them: of CUDA text the
/// declarations, of PTX the entries.
struct KernelName {
  std::string name;
  std::string signature;
};
[[nodiscard]] std::vector<KernelName> kernel_names(const KernelText& source);

/// The kernel of a source that has one. An input error with a list where it has several or none.
/// Of a template the arguments that the source's own launches give it, where these are the same.
[[nodiscard]] std::string only_kernel(const KernelText& source);
/// `name` as it is, or with such arguments where it is a template's without any.
[[nodiscard]] std::string named_kernel(const KernelText& source, const std::string& name);

/// The declarations of all `__global__` functions of a source, each on one line.
[[nodiscard]] std::vector<std::string> kernel_signatures(std::string_view source);

/// Leaves a plan those cases whose kernel its file names, where it names one of them: of a file
/// that does not compile no more is known.
void keep_named_kernels(Plan& plan);

/// The compiler's words with their places, without the word that begins every error's text.
[[nodiscard]] std::string compiler_text(const Error& error);

}  // namespace lab::run
