// The messages between the program and its worker. Each request has one reply, apart from a batch,
// which has many and ends with Done, Spent or Failed.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "harness/box/worker/channel.h"
#include "harness/core/backend.h"
#include "harness/core/binary.h"
#include "harness/core/ceiling.h"
#include "harness/core/compiled.h"
#include "harness/core/error.h"
#include "harness/core/whole_program.h"

namespace lab::worker {

/// Raised with every change of a message or of a record in one: both programs must be of one build.
constexpr int kProtocol = 17;

struct AskHello {
  int protocol = kProtocol;
};
/// Asks what this machine has. The GPU is asked only where it is wanted: waking it up takes a tenth
/// of a second, and whether its counters can be read some more.
struct AskEnvironment {
  bool gpu = false;
  bool counters = false;
};
/// Asks for the metrics that `lab metrics --chip` shows.
struct AskChipMetrics {
  std::string chip;
  std::vector<std::string> metrics = {};  ///< raw CUPTI names, such as dram__bytes_read.sum
  bool list = false;                      ///< also every base metric that the chip has
};
struct AskBatch {
  BackendKind backend = BackendKind::kModel;
  BatchRequest batch;
};
/// Asks for the most that this GPU can do: `lab calibrate`.
struct AskCalibrate {};
/// A record that asks is a message itself. A Command is started in a box of its own and answered by
/// its end; a program's cases come as they finish, and its report at the end; a GpuLaunch is for
/// the process that has the GPU, of a program that another one serves. Of a BinaryQuestion the
/// worker reads the bytes in a box in which there is nothing else, and is good for nothing but more
/// of these.
using Request = std::variant<AskHello, AskEnvironment, AskChipMetrics, CompileRequest, AskBatch,
                             AskCalibrate, Command, ProgramRequest, GpuLaunch, BinaryQuestion>;

struct Hello {
  int protocol = kProtocol;
  int pid = 0;
};
struct Environment {
  std::map<std::string, std::string> values;  ///< for people, see db/README.md
  std::string gpu_arch = {};                  ///< such as sm_90; empty: no GPU, or nobody asked
};
struct ChipMetric {
  std::string name;
  std::string description;
  std::string unit;
  std::string counter;  ///< counter, ratio or throughput
};
struct ChipMetrics {
  std::string chip;
  std::vector<std::string> chips;    ///< all that CUPTI knows
  std::vector<std::string> lacking;  ///< of the metrics asked about
  int passes = 0;                    ///< for those that the chip has, together
  std::vector<ChipMetric> list = {};
};
struct EnvironmentItem {
  std::string key;
  std::string value;
};
struct Progress {
  int index = 0;
  double fraction = 0;
};
struct Done {};
/// The batch's rest is for another process.
struct Spent {};
struct Failed {
  Fault fault = Fault::kInternal;
  std::string message;
  std::string hint = {};
  std::optional<Place> place = {};
};
using Reply = std::variant<Hello, Environment, ChipMetrics, Compiled, EnvironmentItem, CaseOutcome,
                           Progress, Done, Failed, Spent, std::vector<Ceiling>, CommandEnd,
                           ProgramReport, GpuLaunched, BinaryFacts>;

[[nodiscard]] Frame encode(const Request& request);
[[nodiscard]] Frame encode(const Reply& reply);
/// Throw an internal error where the frame is not a message of this protocol.
[[nodiscard]] Request decode_request(const Frame& frame);
[[nodiscard]] Reply decode_reply(const Frame& frame);

}  // namespace lab::worker
