// The file of a recording, written from the process that is recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/record/format.h"

namespace lab::record {

/// Appends records to a file of this process's own. They are stored through a mapping: what was
/// appended is in the file, whatever ends the process then. Holds no descriptor, so that the
/// program's own have the numbers that they always have. One thread at a time; throws nothing.
class Writer {
 public:
  Writer() = default;
  /// The program may end while another thread appends: the mapping stays.
  ~Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Makes `path`, which must not exist. False, with errno set, where it can't be made.
  [[nodiscard]] bool open(std::string path);

  template <typename Record>
  bool append(Kind kind, const Record& record, std::string_view tail = {}) {
    static_assert(kStored<Record>);
    return append(kind, &record, sizeof record, tail);
  }

  /// Cuts the file behind its last record. Nothing can be appended after it.
  void close();
  /// Lets go of the file without touching it: it is another process's, of which this is a fork.
  void disown() { window_ = nullptr; }

 private:
  bool append(Kind kind, const void* record, std::size_t bytes, std::string_view tail);
  [[nodiscard]] bool fits(std::size_t bytes, std::size_t reserve) const;
  [[nodiscard]] bool next_window(std::size_t bytes);
  void store(Kind kind, const void* record, std::size_t bytes, std::string_view tail);

  std::string path_;
  unsigned char* window_ = nullptr;  // null: nothing is written any more
  std::size_t window_bytes_ = 0;
  std::size_t used_ = 0;         // of the window
  std::uint64_t begins_at_ = 0;  // where the window begins in the file
};

}  // namespace lab::record
