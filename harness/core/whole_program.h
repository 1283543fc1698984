// Whole programs: a command that runs in a box, and one whose launches the model runs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/backend.h"
#include "harness/core/compiled.h"
#include "harness/core/launch.h"
#include "harness/core/record.h"

namespace lab {

/// A program to be started, and what it may reach: beside the system's libraries nothing that is
/// not named here.
struct Command {
  std::vector<std::string> words;             ///< a path, and its arguments
  std::string called = {};                    ///< the name that it sees; empty: its path
  std::vector<std::string> environment = {};  ///< all of it: NAME=VALUE
  std::string folder = {};                    ///< where it starts
  std::vector<std::string> read = {};         ///< files and folders
  std::vector<std::string> write = {};
  /// Descriptors of the worker that become its input, output and errors; empty: there is no input,
  /// and the rest goes to `log`.
  std::vector<int> streams = {};
  std::string log = {};
  bool log_errors = true;      ///< else they are lost
  bool starts_others = false;  ///< as a compiler starts its linker
  double memory_bytes = 0;     ///< its own and the device's together; 0: no bound
  double address_bytes = 0;    ///< of address space beside the device's; 0: no bound
  double file_bytes = 0;       ///< of each file that it writes; 0: no bound
  double disk_bytes = 0;       ///< of all files below `write`; 0: no bound
  double seconds = 0;          ///< that it may take; 0: any time
};

/// The bound that a command went beyond, and was ended for. Sent by number: never renumber.
enum class Overrun : std::uint8_t {
  kNone = 0,
  kMemory = 1,  ///< memory_bytes: its own and the device's together
  kFiles = 2,   ///< disk_bytes
};

/// How it ended.
struct CommandEnd {
  int status = 0;  ///< its exit status
  int signal = 0;  ///< that ended it; 0: none
  bool late = false;
  Overrun over = Overrun::kNone;
  double most = 0;  ///< the bytes of that bound
  friend bool operator==(const CommandEnd&, const CommandEnd&) = default;
};

/// "it took more than the 256 MiB of files that it may take": of a command that was ended for it.
[[nodiscard]] std::string overrun_text(const CommandEnd& end);
/// `exit 0`, or what else ended a program.
[[nodiscard]] std::string end_text(const CommandEnd& end);

/// One of a program's source files, with its kernels.
struct ProgramUnit {
  KernelText source;
  std::vector<std::string> kernels;  ///< as the compiler was asked for them
  Compiled compiled;
  /// What its part of the program calls itself when it registers its kernels: a small number, from
  /// 1 on, where the program was built here by clang, else the address of its device code in the
  /// file.
  std::uint64_t registers_as = 0;
};

/// What runs a program's launches. Sent by number: never renumber.
enum class LaunchesRunOn : std::uint8_t {
  kModel = 0,
  kGpu = 1,
  kBoth = 2,  ///< the GPU counts, and the program goes on with what the model leaves
};

struct ProgramRequest {
  Command command;
  std::vector<ProgramUnit> units;       ///< in the order in which they are linked
  std::vector<KernelText> others = {};  ///< files without kernels, for their lines
  std::string arch{kDefaultArch};
  std::string modelled_gpu = {};  ///< as its data sheet calls it; empty: the first of `arch`
  int threads = 0;                ///< of the model; 0: as many as cores
  Checks checks = Checks::kAuto;
  bool each_launch = false;  ///< one case per launch; else launches of one shape are one
  bool exact = false;        ///< each launch runs and is checked, also one that repeats another
  bool sample = false;       ///< the model may run a sample of the blocks of large launches
  LaunchesRunOn runs_on = LaunchesRunOn::kModel;
  GpuOptions gpu = {};  ///< counters, timing, cache, repeat
  bool totals = false;  ///< counts are added up over all launches, working threads among them
  /// A control: no launch changes anything. An output that is the same then is not the kernels'.
  bool withheld = false;
};

/// What a program did beside its launches.
struct ProgramReport {
  CommandEnd end;
  std::vector<Finding> findings = {};        ///< of the host's side
  std::vector<std::uint64_t> launches = {};  ///< how many each case stands for, by its index
  std::string refused = {};                  ///< a call that is not modelled; empty: none
  /// What the program told its launches' server that the runtime library does not: it was ended.
  std::string broken = {};
  /// The sums over all launches, where the request wants them: each metric that the model counts,
  /// missing where a launch did not count it.
  std::vector<Observation> totals = {};
  /// Of CUDA's libraries, by their names: worked out on the CPU, and not counted.
  std::map<std::string, std::uint64_t> library_calls = {};
  /// Where both ran the launches, what the GPU says of each case, by its index.
  std::vector<CaseRecord> measured = {};
};

struct MemoryRange {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const MemoryRange&, const MemoryRange&) = default;
};

/// A variable of a program's file, by the compiler's name, and what it holds.
struct VariableBytes {
  std::string name;
  std::vector<std::byte> bytes;
  std::uint64_t address = 0;  ///< as the program knows it
  bool constant = false;      ///< no kernel writes it
};

/// A launch for the process that has the GPU, which has mapped the program's memory.
struct GpuLaunch {
  std::uint64_t unit = 0;  ///< of the program's, from 0
  std::string name;        ///< of the kernel, as in the source
  std::string compiled;    ///< as in the machine code
  Launch launch;
  bool cooperative = false;
  std::vector<std::byte> arguments = {};      ///< all of them, as the kernel's parameters lie
  std::vector<std::uint64_t> offsets = {};    ///< of each among these
  std::vector<MemoryRange> memory = {};       ///< all that is allocated
  std::vector<VariableBytes> variables = {};  ///< of the unit
  bool measured = true;                       ///< else it runs once, and only its time is taken
  bool kept = true;                           ///< what it leaves becomes the program's
};

struct GpuLaunched {
  CaseRecord record;                          ///< as far as the GPU knows it
  std::int32_t error = 0;                     ///< as cudaError_t has it
  double nanoseconds = 0;                     ///< of one launch
  std::vector<VariableBytes> variables = {};  ///< as it left those that it can write; where kept
};

}  // namespace lab
