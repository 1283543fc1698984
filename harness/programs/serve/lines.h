// Lines of a program's source: where its code made a call, and what stands there.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/backend.h"
#include "harness/programs/wire/wire.h"

namespace lab::program {

struct Line {
  std::string file;  ///< as the person named it; empty: not known
  int number = 0;
  std::string text = {};  ///< trimmed
  /// `app.cu:12`, or empty.
  [[nodiscard]] std::string place() const;
};

/// Asks for the `file:line` of an address in the program's file.
using Locate = std::function<std::string(std::uint64_t address)>;

class Lines {
 public:
  Lines(std::vector<KernelText> sources, Locate locate);
  /// Of the call that returns to `site`.
  [[nodiscard]] const Line& of(Site site);

 private:
  struct File {
    std::string name;
    std::string text;
  };
  std::vector<File> files_;
  Locate locate_;
  std::map<Site, Line> known_;
};

/// The stream that a line makes: `copies[i]` of `cudaStreamCreate(&copies[i]);`. `which`: of
/// several calls in the line, from 0.
[[nodiscard]] std::string stream_name(std::string_view line, std::size_t which);

/// The pointer that an allocation's line sets: `d_a` of `CHECK(cudaMalloc((void**)&d_a, bytes));`.
/// Where a line makes several, that of the one with `before` others in front of it. Empty where the
/// line does not tell.
[[nodiscard]] std::string allocated_name(std::string_view line, std::size_t before = 0);

}  // namespace lab::program
