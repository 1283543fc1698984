// Every CUPTI call goes through here: its name is logged before it, its result checked after it.
#pragma once

#include <cupti_result.h>

#include <string>
#include <string_view>

#include "harness/core/error.h"

namespace lab::gpu {

/// A CUPTI function that did not succeed. `code` tells the fall-backs apart.
class CuptiError : public Error {
 public:
  CuptiError(CUptiResult code, const std::string& message, std::string hint)
      : Error(Fault::kMachine, message, std::move(hint)), code_(code) {}
  [[nodiscard]] CUptiResult code() const { return code_; }

 private:
  CUptiResult code_;
};

/// CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, ... as CUPTI itself names it.
[[nodiscard]] std::string result_name(CUptiResult code);
/// Advice on what a person can do about `code`; empty where there is nothing to advise.
[[nodiscard]] std::string advice(CUptiResult code);

/// Logs that `function` is about to be called on `object`: a call that crashes is then the last
/// line of the log.
void log_cupti_call(std::string_view function, std::string_view object);
/// Throws CuptiError naming the function, what it was called for, and the code.
void check(CUptiResult code, std::string_view function, std::string_view object);

/// A parameter block with its size set and everything else zero.
template <typename Params>
[[nodiscard]] Params sized(std::size_t struct_size) {
  Params params{};
  params.structSize = struct_size;
  return params;
}

/// Calls `function(argument)`; throws CuptiError where it fails.
template <typename Function, typename Argument>
void call(std::string_view name, Function function, Argument* argument,
          std::string_view object = {}) {
  log_cupti_call(name, object);
  check(function(argument), name, object);
}

}  // namespace lab::gpu
