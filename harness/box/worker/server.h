// The worker's side: answers requests until the program goes.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "harness/box/worker/messages.h"
#include "harness/core/backend.h"
#include "harness/core/binary.h"
#include "harness/core/compiled.h"

namespace lab::worker {

/// The services of a worker. Each may throw lab::Error, which travels to the program.
struct Services {
  std::function<std::unique_ptr<Backend>(BackendKind)> backend;
  Compiler compile;
  std::function<Environment(const AskEnvironment&)> environment;
  std::function<ChipMetrics(const AskChipMetrics&)> chip_metrics;
  std::function<std::vector<Ceiling>()> calibrate = {};
  std::function<CommandEnd(const Command&)> command = {};
  /// The sink gets the cases, and how far launches are, by their number.
  std::function<ProgramReport(const ProgramRequest&, const BatchSink&)> program = {};
  std::function<BinaryFacts(const BinaryQuestion&)> binary = {};
  /// A worker that stands beside another one: launches of the program that that one serves.
  std::function<GpuLaunched(const GpuLaunch&)> launch = {};
};

/// Exit statuses of a worker beside 0.
constexpr int kExitMemory = 71;    ///< no memory left
constexpr int kExitProtocol = 70;  ///< the program speaks otherwise
constexpr int kExitMachine = 72;   ///< the system refuses what a worker needs, such as a thread

/// Takes the socket from standard input, gives /dev/null in its place and turns standard output
/// over to standard error, so that nothing printed can get between the messages. Core dumps are
/// off. Ends the process, and all that it has started, as soon as the program at the other end is
/// gone, even in mid-work.
[[nodiscard]] Channel take_channel();

/// The same for a worker that another one has forked, at the other end of `socket`.
[[nodiscard]] Channel channel_beside(Descriptor socket);

/// Answers until the other side closes, and then ends the process. Nothing is taken apart before:
/// the channel stays open until the exit status is there to be seen.
[[noreturn]] void serve(Channel channel, const Services& services);

/// Runs `start`, a worker's whole life, and ends the process where it throws: with kExitMemory or
/// kExitMachine where the machine is why.
[[noreturn]] void live(const std::function<void()>& start);

/// The thread that watches the program ends, `change` is called, and another one watches: so that a
/// change that is a thread's, and of those that it starts, is the whole process's.
void unwatched(const std::function<void()>& change);

}  // namespace lab::worker
