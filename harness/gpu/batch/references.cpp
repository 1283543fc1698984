#include "harness/gpu/batch/references.h"

#include <fmt/format.h>

#include "harness/core/error.h"

namespace lab::gpu {

References::References(const Compiler& compiler, const KernelText& source,
                       const std::vector<Job>& jobs, const std::string& arch) {
  std::vector<Job> calls;
  for (const Job& job : jobs) {
    if (job.expected.reference) calls.emplace_back().kernel = job.expected.reference->kernel;
  }
  if (calls.empty()) return;
  if (source.text.empty()) {
    failure_ = "there is no reference.cu";
    return;
  }
  try {
    compiled_ = compile_batch(compiler, source, calls, arch);
  } catch (const Error& error) {
    failure_ = one_line(error);
    return;
  }
  for (std::size_t i = 0; i < calls.size(); ++i) places_[calls[i].kernel] = compiled_.places[i];
}

void References::load(const std::shared_ptr<const Driver>& driver) {
  loaded_ = std::make_unique<LoadedBatch>(driver, compiled_);
}

void References::run(Rig& rig, const Job& call, Buffers& buffers) const {
  if (!failure_.empty()) throw input_error(failure_);
  const KernelPlace& place = places_.at(call.kernel);
  if (!place.missing.empty()) throw input_error(place.missing);
  if (place.parameters != call.args.size()) {  // the driver reads as many as there are parameters
    throw input_error(fmt::format("the kernel takes {} parameters, {} arguments are given",
                                  place.parameters, call.args.size()));
  }
  const Function function = loaded_->function(place);
  const auto launch = [&](std::span<void* const> arguments) {
    function.launch(call.launch, arguments, rig.context().stream());
  };
  PreparedCase prepared(rig, call, {launch, [](std::span<void* const>) { return 1; }});
  prepared.upload(buffers);
  prepared.restore();
  prepared.launch();
  rig.context().synchronize(call.kernel);
  const std::vector<std::string> changed = prepared.find_changed_inputs(buffers);
  if (!changed.empty()) {
    throw input_error(fmt::format("it writes to '{}', which is an input", changed.front()));
  }
  prepared.download(buffers);
}

}  // namespace lab::gpu
