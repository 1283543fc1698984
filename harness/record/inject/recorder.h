// Records this process: its callbacks, activities and NVTX ranges.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/record/format.h"
#include "harness/record/inject/writer.h"

namespace lab::record {

/// Now, as Time has it.
[[nodiscard]] Time now();
/// This thread as the kernel numbers it.
[[nodiscard]] std::uint32_t thread_number();

/// The one recording of a process. All functions may be called from any thread; none throws: where
/// memory runs out, recording ends and the program goes on.
class Recorder {
 public:
  /// Begins a file in `folder`: PID.labrec, or PID.N.labrec where this process was another program
  /// before. Null where that can't be made.
  [[nodiscard]] static Recorder* begin(const char* folder, std::uint32_t cupti);
  /// Null before begin(), and in a fork of the process that has begun.
  [[nodiscard]] static Recorder* current();

  /// `range` in each record is what `range` says here, and `name` likewise.
  void launch(Launch record, const char* name, std::string_view range);
  void kernel(Kernel record, const char* name);
  void device(Device record, const char* name);
  void range(Range record, std::string_view path);
  void copy(const Copy& record);
  void module(const Module& record);
  void counted(std::uint32_t correlation, std::string_view metrics,
               const std::vector<double>& values);
  void trouble(const Trouble& record, std::string_view text);
  /// The last record. What comes after it is left out.
  void end();

 private:
  Recorder() = default;
  /// The text's number; writes the text where it is new. The mutex is held.
  TextId text(std::string_view text);
  /// Calls `write` with the mutex held; ends the recording where it throws.
  template <typename Write>
  void locked(const Write& write);

  std::mutex mutex_;
  Writer writer_;
  std::deque<std::string> texts_;  // what the keys below look at
  std::unordered_map<std::string_view, TextId> ids_;
  bool too_many_texts_ = false;
  std::uint64_t launches_ = 0;
  std::uint64_t kernels_ = 0;
};

}  // namespace lab::record
