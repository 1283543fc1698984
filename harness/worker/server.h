// The worker's side: answers requests until the program goes.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "harness/core/backend.h"
#include "harness/core/compiled.h"
#include "harness/worker/messages.h"

namespace lab::worker {

/// What a worker can do. Each may throw lab::Error, which travels to the program.
struct Services {
  std::function<std::unique_ptr<Backend>(const std::string& name)> backend;
  Compiler compile;
  std::function<Environment(const AskEnvironment&)> environment;
  std::function<ChipMetrics(const AskChipMetrics&)> chip_metrics;
  std::function<std::vector<Ceiling>()> calibrate = {};
};

/// Exit statuses of a worker beside 0.
constexpr int kExitMemory = 71;    ///< no memory left
constexpr int kExitProtocol = 70;  ///< the program speaks otherwise

/// Takes the socket from standard input, gives /dev/null in its place and turns standard output
/// over to standard error, so that nothing printed can get between the messages. Core dumps are
/// off. Ends the process as soon as the program at the other end is gone, even in mid-work.
[[nodiscard]] Channel take_channel();

/// Answers until the other side closes, and then ends the process. Nothing is taken apart before:
/// the channel stays open until the exit status is there to be seen.
[[noreturn]] void serve(Channel channel, const Services& services);

}  // namespace lab::worker
