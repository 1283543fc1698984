#include "harness/run/dynamic_shared.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/kernel/compile/source/launches.h"
#include "harness/kernel/ptx/outline.h"

namespace lab::run {
bool uses_dynamic_shared(std::string_view text, std::string_view kernel) {
  const ptx::Outline outline = ptx::outline(text);
  return std::any_of(outline.variables.begin(), outline.variables.end(),
                     [&](const ptx::Outline::Variable& one) {
                       return one.is_extern && one.space == ptx::Space::kShared &&
                              outline.may_use(kernel, one.name);
                     });
}

void require_no_dynamic_shared(const Compiled& compiled, const KernelText& source,
                               const std::string& kernel, std::string_view setting) {
  if (compiled.lowered.empty()) return;
  if (!uses_dynamic_shared(compiled.ptx, compiled.lowered.front())) return;
  const std::string base = kernel.substr(0, kernel.find('<'));
  const std::size_t scope = base.rfind("::");
  const auto given = source::shared_given(
      source::files_of(source), scope == std::string::npos ? base : base.substr(scope + 2));
  std::string hint = fmt::format("{0}BYTES gives it its size; {0}0 runs it without", setting);
  if (given) {
    hint = fmt::format("{}({}) launches it with {}: {}{}", given->place.file, given->place.line,
                       given->place.text, setting,
                       given->bytes ? std::to_string(*given->bytes) : "BYTES");
  }
  const std::string_view name = setting.substr(0, setting.find(' '));
  throw input_error(
      fmt::format("{} uses dynamic shared memory (extern __shared__), and {} was not given", kernel,
                  name),
      hint);
}

}  // namespace lab::run
