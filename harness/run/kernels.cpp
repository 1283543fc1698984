#include "harness/run/kernels.h"

#include <fmt/format.h>

#include <functional>
#include <set>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab::run {

namespace {

std::string kernel_of(const Lab& lab, const CaseRequest& request) {
  const Variant& variant = find_variant(lab, request.variant);
  return variant.library.empty() ? variant.kernel(request.params) : std::string();
}

std::set<std::string> defined_kernels(const Lab& lab, const BatchRequest& batch,
                                      worker::Client& compiler) {
  std::set<std::string> wanted;
  for (const CaseRequest& request : batch.cases) wanted.insert(kernel_of(lab, request));
  wanted.erase("");
  CompileRequest request;
  request.source = batch.source;
  request.kernels.assign(wanted.begin(), wanted.end());
  request.arch = batch.arch;
  request.partial = true;
  const Compiled compiled = compiler.compile(request);
  std::set<std::string> defined;
  for (std::size_t i = 0; i < request.kernels.size() && i < compiled.lowered.size(); ++i) {
    if (!compiled.lowered[i].empty()) defined.insert(request.kernels[i]);
  }
  return defined;
}

}  // namespace

std::vector<std::string> kernel_signatures(std::string_view source) {
  constexpr std::string_view kMark = "__global__";
  constexpr std::string_view kExtern = "extern \"C\" ";
  std::vector<std::string> signatures;
  for (std::size_t at = source.find(kMark); at != std::string_view::npos;
       at = source.find(kMark, at + kMark.size())) {
    const std::size_t end = source.find_first_of("{;", at);
    if (end == std::string_view::npos) break;
    const std::size_t line = source.rfind('\n', at) + 1;  // npos + 1 is the first line
    const bool c_name = source.substr(line, at - line).find("extern") != std::string_view::npos;
    std::string text(c_name ? kExtern : "");
    for (const char c : source.substr(at, end - at)) {
      const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
      if (!blank) text += c;
      if (blank && !text.empty() && text.back() != ' ') text += ' ';
    }
    signatures.emplace_back(trim(text));
  }
  return signatures;
}

namespace {

// The cases of `job` in two: those whose kernel its source defines, and those of `own`.
std::vector<Job> divided(const Lab& lab, Job job, const KernelText& own,
                         const std::set<std::string>& defined) {
  Job kept = job;
  kept.own_kernel = true;
  kept.batch.source = own;
  const auto theirs_has_it = [&](const CaseRequest& request) {
    return defined.count(kernel_of(lab, request)) > 0;
  };
  std::erase_if(kept.batch.cases, theirs_has_it);
  std::erase_if(job.batch.cases, std::not_fn(theirs_has_it));
  std::vector<Job> jobs = {std::move(job)};
  if (!kept.batch.cases.empty()) jobs.push_back(std::move(kept));
  return jobs;
}

}  // namespace

void prepare(Plan& plan, const std::string& arch, worker::Client& compiler) {
  Job& job = plan.jobs.front();
  job.batch.arch = arch;
  if (plan.lab == nullptr || job.own_kernel) return;
  const auto defined = defined_kernels(*plan.lab, job.batch, compiler);
  if (defined.empty() && plan.own) {
    throw input_error(fmt::format("'{}' defines none of the kernels of lab {}",
                                  job.batch.source.name, plan.lab->number),
                      fmt::format("it must define one or more of\n  {}",
                                  fmt::join(kernel_signatures(plan.own->text), "\n  ")));
  }
  if (defined.empty()) {
    throw input_error(fmt::format("'{}' no longer defines any of the kernels of lab {}",
                                  job.batch.source.name, plan.lab->number),
                      "git checkout brings back the lab's own");
  }
  if (plan.own) plan.jobs = divided(*plan.lab, std::move(job), *plan.own, defined);
}

}  // namespace lab::run
