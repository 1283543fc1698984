// One run from plan to stored record: what `lab run` and `lab probe` share.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "harness/core/lab.h"
#include "harness/core/record.h"
#include "tools/cli/arguments/command.h"
#include "tools/cli/engines.h"

namespace lab::cli {

/// Cases that one kernel text serves.
struct Group {
  BatchRequest batch;
  bool own_kernel = true;
};

/// What is to be run, and the head of the record that comes of it.
struct RunPlan {
  const Lab* lab = nullptr;  ///< null for a probe
  std::vector<Group> groups;
  RunRecord head;
};

/// What came of it. `store_failure` is thrown by the caller after it has shown the results.
struct RunResult {
  RunRecord run;
  std::exception_ptr store_failure;
};

/// Gets the buffers that a probe asked for.
using OutcomeSink = std::function<void(const CaseOutcome&)>;

/// Runs `plan`, storing each case as it comes. `store` may be null.
[[nodiscard]] RunResult perform(RunPlan plan, EngineSet& engines, db::Store* store,
                                const Surroundings& surroundings, const OutcomeSink& also = {});

/// Block and warp of `--warp B,W`.
[[nodiscard]] std::pair<std::uint32_t, std::uint32_t> parse_warp(const std::string& text);

/// The options that `lab run` and `lab probe` share, and what they say put into a batch.
[[nodiscard]] std::vector<Option> batch_options();
[[nodiscard]] BatchRequest batch_from(const Arguments& arguments);
/// --stalls of the commands that run kernels.
[[nodiscard]] Option stalls_option();
/// --backend, else `fallback`. With --stalls the batch is told so and the backend has the GPU; an
/// input error where another option contradicts it.
[[nodiscard]] std::string backend_with_stalls(const Arguments& arguments,
                                              const std::string& fallback, BatchRequest& batch);
/// --arch, else the GPU's, else sm_90.
[[nodiscard]] std::string arch_from(const Arguments& arguments, EngineSet& engines);

/// The head of a record of now.
[[nodiscard]] RunRecord run_head(const Arguments& arguments);

/// The database to write to, made where there is none.
[[nodiscard]] db::Store open_database(const Arguments& arguments);
/// The same, unless --no-store was given.
[[nodiscard]] std::optional<db::Store> open_store(const Arguments& arguments);

}  // namespace lab::cli
