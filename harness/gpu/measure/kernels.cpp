#include "harness/gpu/measure/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/kernel/ptx/outline.h"

namespace lab::gpu {

namespace {

// The address of a grid's barrier is in two registers that nothing else reads.
bool reads_grid_barrier(const ptx::Outline& outline, std::string_view lowered) {
  return outline.may_use(lowered, "%envreg1") || outline.may_use(lowered, "%envreg2");
}

// Those between the parentheses behind an entry's name: its body comes after the first brace.
std::size_t parameters_of(const ptx::Outline& outline, std::string_view lowered) {
  constexpr std::string_view kParameter = ".param";
  const ptx::Outline::Function* entry = outline.find_entry(lowered);
  if (entry == nullptr) return 0;
  const std::string_view head = entry->text.substr(0, entry->text.find('{'));
  std::size_t parameters = 0;
  for (std::size_t at = head.find(kParameter); at != std::string_view::npos;
       at = head.find(kParameter, at + kParameter.size())) {
    ++parameters;
  }
  return parameters;
}

std::map<std::vector<std::string>, CompileRequest> requests_of(const KernelText& source,
                                                               const std::vector<Job>& jobs,
                                                               const std::string& arch) {
  std::map<std::vector<std::string>, CompileRequest> requests;
  for (const Job& job : jobs) {
    if (is_library(job)) continue;
    CompileRequest& request = requests[job.options];
    request.source = source;
    request.arch = arch;
    request.options = job.options;
    request.partial = true;
    auto& names = request.kernels;
    if (std::find(names.begin(), names.end(), job.kernel) == names.end()) {
      names.push_back(job.kernel);
    }
  }
  return requests;
}

}  // namespace

std::vector<std::uint8_t> image_of(const Compiled& unit) {
  if (!unit.cubin.empty()) return unit.cubin;
  std::vector<std::uint8_t> text(unit.ptx.begin(), unit.ptx.end());
  text.push_back(0);
  return text;
}

bool is_library(const Job& job) { return !job.library.empty(); }

CompiledBatch compile_batch(const Compiler& compiler, const KernelText& source,
                            const std::vector<Job>& jobs, const std::string& arch) {
  CompiledBatch batch;
  std::map<std::pair<std::vector<std::string>, std::string>, KernelPlace> found;
  for (const auto& [options, request] : requests_of(source, jobs, arch)) {
    batch.units.push_back(compiler(request));
    const Compiled& unit = batch.units.back();
    const ptx::Outline outline = ptx::outline(unit.ptx);
    for (std::size_t i = 0; i < request.kernels.size(); ++i) {
      KernelPlace place{batch.units.size() - 1, unit.lowered[i], {}};
      if (place.lowered.empty()) {
        place.missing = fmt::format("{} defines no kernel '{}'", source.name, request.kernels[i]);
      }
      place.cooperative = reads_grid_barrier(outline, place.lowered);
      place.parameters = parameters_of(outline, place.lowered);
      found[{options, request.kernels[i]}] = std::move(place);
    }
  }
  for (const Job& job : jobs) {
    batch.places.push_back(is_library(job) ? KernelPlace{} : found.at({job.options, job.kernel}));
  }
  return batch;
}

LoadedBatch::LoadedBatch(const std::shared_ptr<const Driver>& driver, const CompiledBatch& batch) {
  for (const Compiled& unit : batch.units) {
    modules_.emplace_back(driver, image_of(unit));
    std::vector<std::string>& names = variables_.emplace_back();
    for (const ptx::Outline::Variable& one : ptx::outline(unit.ptx).variables) {
      const bool has_address = one.space == ptx::Space::kGlobal || one.space == ptx::Space::kConst;
      if (has_address) names.emplace_back(one.name);
    }
  }
}

void LoadedBatch::set_symbol(const KernelPlace& place, const std::string& name,
                             std::span<const std::byte> bytes) const {
  std::vector<std::string> names;
  for (const std::string& variable : variables_[place.unit]) {
    names.push_back(symbol_name(variable));
    if (variable != name && names.back() != name) continue;
    modules_[place.unit].set(variable, bytes);
    return;
  }
  throw input_error(fmt::format("the compiled source has no variable '{}'", name),
                    names.empty() ? "it has none that a kernel uses" : suggestion(name, names));
}

}  // namespace lab::gpu
