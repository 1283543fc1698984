// Recordings as bytes, record by record, for tests.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "harness/record/format.h"

namespace lab::record {

class Written {
 public:
  template <typename Record>
  Written& add(Kind kind, const Record& record, std::string_view tail = {}) {
    std::string body(sizeof record, '\0');
    std::memcpy(body.data(), &record, sizeof record);
    body += tail;
    const Header header{static_cast<std::uint32_t>(body.size()), kind,
                        checksum(kind, body.data(), body.size()), 0};
    std::string before(sizeof header, '\0');
    std::memcpy(before.data(), &header, sizeof header);
    body.resize((body.size() + 7) / 8 * 8, '\0');
    bytes_ += before + body;
    return *this;
  }
  Written& begin(std::initializer_list<std::string_view> words) {
    Begin begin;
    begin.process = 77;
    std::string line;
    for (const std::string_view word : words) line.append(word).push_back('\0');
    return add(Kind::kBegin, begin, line);
  }
  Written& text(TextId id, std::string_view text) { return add(Kind::kText, Text{id}, text); }
  Written& launch(const Launch& launch) { return add(Kind::kLaunch, launch); }
  Written& kernel(const Kernel& kernel) { return add(Kind::kKernel, kernel); }
  Written& end(std::uint64_t launches = 0, std::uint64_t kernels = 0) {
    return add(Kind::kEnd, End{launches, kernels, 1});
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace lab::record
