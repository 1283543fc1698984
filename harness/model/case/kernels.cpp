#include "harness/model/case/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/core/error.h"
#include "harness/kernel/ptx/parser.h"

namespace lab::model {
namespace {

// Where the source is PTX itself, a line of the PTX is a line of the source, except where a
// compiler has named another file for it.
void name_lines(const std::string& name, ptx::Module& module) {
  if (name.size() < 4 || name.compare(name.size() - 4, 4, ".ptx") != 0) return;
  const auto file = static_cast<std::uint32_t>(module.files.size());
  module.files.push_back(name);
  for (ptx::Function& function : module.functions) {
    for (ptx::Instruction& ins : function.instructions) {
      if (ins.where.line != 0) continue;
      ins.where.file = file;
      ins.where.line = ins.where.ptx_line;
    }
  }
}

}  // namespace

Kernels::Kernels(const Compiler& compiler, KernelText source, const std::string& arch,
                 Lacking lacking, const std::vector<const Job*>& jobs)
    : source_(std::move(source)) {
  for (const Job* job : jobs) {
    const auto [at, fresh] = units_.try_emplace(job->options);
    CompileRequest& request = at->second.request;
    if (fresh) request = {source_, {}, arch, job->options, lacking == Lacking::kEndsAlone};
    auto& names = request.kernels;
    if (std::find(names.begin(), names.end(), job->kernel) == names.end()) {
      names.push_back(job->kernel);
    }
  }
  for (auto& [options, unit] : units_) {
    unit.loaded.compiled = compiler(unit.request);
    unit.loaded.image = cubin::read(unit.loaded.compiled.cubin);
    unit.loaded.module = ptx::parse(unit.loaded.compiled.ptx, source_.name);
    name_lines(source_.name, unit.loaded.module);
  }
}

LoadedKernel Kernels::find(const Job& job) const {
  const Unit& unit = units_.at(job.options);
  const auto& names = unit.request.kernels;
  const auto at = std::find(names.begin(), names.end(), job.kernel);
  const std::string& lowered =
      unit.loaded.compiled.lowered.at(static_cast<std::size_t>(at - names.begin()));
  if (lowered.empty()) {
    throw input_error(fmt::format("{} defines no kernel '{}'", source_.name, job.kernel));
  }
  return {unit.loaded, lowered};
}

}  // namespace lab::model
