#include "harness/model/case/printed.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/numbers.h"

namespace lab::model {

void Printed::add(std::string_view text) {
  bytes_ += text.size();
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
    const bool line_fits = lines_ < kMostLines;
    full_ = full_ || !line_fits || kept_.size() + piece.size() > kMostBytes;
    // Of a line that is too long for the record, its beginning.
    if (line_fits && kept_.size() < kMostBytes) kept_ += piece.substr(0, kMostBytes - kept_.size());
    ends_line_ = piece.back() == '\n';
    if (ends_line_) ++lines_;
    text.remove_prefix(piece.size());
  }
}

void Printed::tell(CaseRecord& record) const {
  if (bytes_ == 0) return;
  record.notes.printed = kept_;
  if (!full_) return;
  record.notes.printed_left_out = fmt::format(
      "{} lines, {} bytes", grouped_text(static_cast<double>(lines_ + (ends_line_ ? 0 : 1))),
      grouped_text(static_cast<double>(bytes_)));
}

}  // namespace lab::model
