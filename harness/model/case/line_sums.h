// Sums over a launch by source line, as habits are written to the record.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "harness/core/record.h"
#include "harness/model/code/decoded.h"

namespace lab::model {

/// Sums by file, line and metric. Code without a line is in none.
class LineSums {
 public:
  explicit LineSums(const Program& program) : program_(program) {}

  [[nodiscard]] const ptx::Instruction& at(const Origin& origin) const {
    return instruction_of(program_, origin);
  }
  [[nodiscard]] const ptx::Where& where(const Site& site) const {
    return at(program_.origins[site.where]).where;
  }
  void add(const ptx::Where& where, std::string_view metric, std::uint64_t value) {
    if (value == 0 || where.line == 0) return;
    sums_[{where.file, where.line, std::string(metric)}] += static_cast<double>(value);
  }
  void add_whole(std::string_view metric, std::uint64_t value) {
    whole_.push_back({{}, 0, std::string(metric), SourceOf::kModel, static_cast<double>(value)});
  }
  [[nodiscard]] std::vector<LineObservation> all() const {
    std::vector<LineObservation> lines = whole_;
    for (const auto& [key, value] : sums_) {
      const auto& [file, line, metric] = key;
      lines.push_back(
          {program_.module->files[file], static_cast<int>(line), metric, SourceOf::kModel, value});
    }
    return lines;
  }

 private:
  const Program& program_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::string>, double> sums_;
  std::vector<LineObservation> whole_;
};

}  // namespace lab::model
