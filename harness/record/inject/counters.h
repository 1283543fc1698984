// Hardware counters of each launch, by CUPTI's range profiler in one pass: nothing is saved and
// nothing is replayed, but each launch is waited for.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "harness/record/format.h"
#include "harness/record/inject/cupti.h"

namespace lab::record {

/// Counts the launches of one context: the first that launches. What fails is said in the recording
/// once, and nothing is counted from then on.
class Counters {
 public:
  /// `metrics`: CUPTI's names, with commas between them.
  Counters(const CuptiCalls& calls, const char* metrics);
  ~Counters();
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;

  /// Around a launch that runs a kernel, from its thread: one launch at a time, so that ranges and
  /// launches are in one order.
  void before_launch(CUcontext context, std::uint32_t correlation);
  void after_launch(bool launched);
  /// Before anything that a session does not survive: the capture of a stream, the launch of a
  /// graph, the end of the context or of the process. Takes over what was counted.
  void pause();
  /// Whatever launches next is the first of another context.
  void context_ends(CUcontext context);

 private:
  struct Session;
  /// The call that failed, if one has.
  struct Failure {
    Problem problem;
    CUptiResult code;
    std::string text;
  };
  /// A GPU's chip, and which of its counters this process may read.
  struct Chip {
    std::string name;
    std::vector<std::uint8_t> availability;
  };
  [[nodiscard]] Chip chip_of(CUcontext context) const;
  [[nodiscard]] CUpti_Profiler_Host_Object* new_host(const Chip& chip) const;
  void release(CUpti_Profiler_Host_Object* host) const;
  [[nodiscard]] CUptiResult add(CUpti_Profiler_Host_Object* host,
                                const std::vector<std::string>& metrics) const;
  [[nodiscard]] std::vector<std::uint8_t> config_of(CUpti_Profiler_Host_Object* host) const;
  [[nodiscard]] std::size_t passes_of(std::vector<std::uint8_t>& config) const;
  void choose(const Chip& chip, Session& session);
  void open(CUcontext context);
  void start();
  void finish();
  void tell(const Failure& failure) const;
  void fail(const Failure& failure);

  const CuptiCalls& calls_;
  std::vector<std::string> metrics_;  // those asked for, then those that are counted
  std::string names_;                 // of these, with commas between them
  std::recursive_mutex mutex_;
  std::unique_ptr<Session> session_;
  bool failed_ = false;
};

/// Whether this thread is within a call of ours: what CUPTI does for it is not the program's.
[[nodiscard]] bool is_counting_call();

}  // namespace lab::record
