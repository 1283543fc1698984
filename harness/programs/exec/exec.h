// `lab exec`: a whole program, built, run on the model, and made a run like any other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/whole_program.h"
#include "harness/run/engines.h"
#include "harness/run/session.h"
#include "metrics/advice.h"

namespace lab::exec {

/// Which compiler a program's host part has. kAuto: clang, and nvcc where clang cannot.
enum class HostCompiler : std::uint8_t { kAuto, kClang, kNvcc };

/// What a person asked for.
struct ExecPlan {
  std::vector<KernelText> sources;     ///< of a program to be built, or none
  std::filesystem::path program = {};  ///< that is there already
  HostCompiler compiler = HostCompiler::kAuto;
  std::string nvcc = {};  ///< its path; empty: there is none
  std::vector<std::string> arguments = {};
  std::string arch{kDefaultArch};
  std::string modelled_gpu = {};  ///< whose times are expected; empty: the first of `arch`
  std::filesystem::path folder;   ///< private: what is made for the program, and what it writes
  /// Which sources' names are relative to; empty: the current folder.
  std::filesystem::path current = {};
  std::filesystem::path home = {};     ///< which the program may read; empty: `current`
  std::vector<std::string> read = {};  ///< and these
  std::vector<int> streams = {};       ///< of the worker: see Command
  std::string log = {};
  double memory_bytes = 0;
  double address_bytes = 0;
  double file_bytes = 0;
  double disk_bytes = 0;
  double seconds = 0;
  Checks checks = Checks::kAuto;
  int threads = 0;
  bool each_launch = false;
  bool exact = false;
  bool sample = false;
  LaunchesRunOn runs_on = LaunchesRunOn::kModel;
  GpuOptions gpu = {};
  std::function<void(const std::string& stage)> told = {};
};

/// A program that can be run.
struct ExecProgram {
  ProgramRequest request;
  std::string compiler;  ///< of its host part; empty: it was built before
  /// std::chrono, ...: its times are of the model's work. Empty: it reads none.
  std::string host_clock = {};
};

/// Builds it, and compiles its kernels as `lab probe` does; or takes a program's kernels out of it.
/// What compilers made is read by `reader`, which does nothing else. Throws input errors where it
/// does not compile.
[[nodiscard]] ExecProgram build_program(const ExecPlan& plan, worker::Client& program,
                                        worker::Client& compiler, worker::Client& reader);

/// The variant of the case that has what was found in a program's host code.
inline constexpr const char* kHostCode = "host code";

struct ExecResult {
  /// What other layouts of its arrays would cost, by the case's index: of one block each.
  std::map<int, std::vector<metrics::LayoutCure>> layouts = {};
  std::optional<run::RunResult> result = {};  ///< empty: it launched nothing
  ProgramReport report = {};
};

/// How far the launch under way is, with its number among all; 1: it has ended.
using LaunchProgress = std::function<void(int launch, double fraction)>;

/// Runs it and records its cases, in the order of their first launches.
[[nodiscard]] ExecResult run_program(const ExecProgram& program, worker::Client& worker,
                                     run::EngineSet& engines, const run::Outlet& outlet,
                                     const LaunchProgress& progress = {});

}  // namespace lab::exec
