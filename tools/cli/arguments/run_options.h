// The options of the commands that run kernels, and what they say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/store.h"
#include "harness/core/record.h"
#include "harness/run/engines.h"
#include "harness/run/plan.h"
#include "metrics/machine.h"
#include "tools/cli/arguments/command.h"

namespace lab::cli {

/// The options that `lab run`, `lab probe` and `lab ncu` share.
[[nodiscard]] std::vector<Option> batch_options();
/// Their values, as a request.
[[nodiscard]] BatchRequest batch_from(const Arguments& arguments);

/// --device of the commands that use a GPU.
[[nodiscard]] Option device_option();
/// --gpu: whose data sheet expected times are of, where no GPU is used.
[[nodiscard]] Option gpu_option();
/// That data sheet; empty without the option. An input error names what is known.
[[nodiscard]] metrics::Machine asked_machine(const Arguments& arguments);
/// Keeps the GPU that was asked for with the run.
void note_asked_gpu(const Arguments& arguments, RunRecord& head);
/// Workers of `backend` as --no-sandbox and --device say, where the command has them. An input
/// error where --device is not a GPU's name.
[[nodiscard]] run::EngineSettings workers_from(const Arguments& arguments, const Console& console,
                                               run::Backends backend = run::Backends::kModel);
/// --timeout in seconds; 0: not given.
[[nodiscard]] double timeout_from(const Arguments& arguments);

/// Block and warp of `--warp B,W`.
[[nodiscard]] std::pair<std::uint32_t, std::uint32_t> parse_warp(const std::string& text);

/// --stalls of the commands that run kernels.
[[nodiscard]] Option stalls_option();
/// --backend, else `fallback`. With --stalls the batch is told so and the backend has the GPU; an
/// input error where another option contradicts it. With --device it has the GPU, too.
[[nodiscard]] run::Backends backend_with_stalls(const Arguments& arguments, run::Backends fallback,
                                                BatchRequest& batch);
/// --backend, else `fallback`.
[[nodiscard]] run::Backends backend_from(const Arguments& arguments, run::Backends fallback);

/// --variant and --param.
[[nodiscard]] run::Selection selection_from(const Arguments& arguments);

/// -I, -D and --std of the commands that take a file, and what they say.
[[nodiscard]] std::vector<Option> compile_option_rows();
[[nodiscard]] std::vector<std::string> compile_options(const Arguments& arguments);

/// The file of --kernel; an input error where it cannot be read, is empty or not a text.
[[nodiscard]] std::optional<KernelText> students_kernel(const Arguments& arguments);

/// --arch, else the GPU's, else sm_90.
[[nodiscard]] std::string arch_from(const Arguments& arguments, run::EngineSet& engines);

/// The database to write to, made where there is none; empty where --no-store was given.
[[nodiscard]] std::optional<db::Store> open_store(const Arguments& arguments);

}  // namespace lab::cli
