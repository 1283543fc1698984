#include "tools/cli/student_kernel.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "harness/core/error.h"
#include "harness/core/text.h"

namespace lab::cli {

namespace {

std::string kernel_of(const Lab& lab, const CaseRequest& request) {
  const Variant& variant = find_variant(lab, request.variant);
  return variant.library.empty() ? variant.kernel(request.params) : std::string();
}

std::set<std::string> defined_kernels(const Lab& lab, const BatchRequest& batch,
                                      const KernelText& theirs, worker::Client& compiler) {
  std::set<std::string> wanted;
  for (const CaseRequest& request : batch.cases) wanted.insert(kernel_of(lab, request));
  wanted.erase("");
  CompileRequest request;
  request.source = theirs;
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

std::vector<Group> with_students_kernels(const Lab& lab, const BatchRequest& batch,
                                         const KernelText& own, const KernelText& theirs,
                                         worker::Client& compiler) {
  const std::set<std::string> defined = defined_kernels(lab, batch, theirs, compiler);
  if (defined.empty()) {
    throw input_error(
        fmt::format("'{}' defines none of the kernels of lab {}", theirs.name, lab.number),
        fmt::format("it must define one or more of\n  {}",
                    fmt::join(kernel_signatures(own.text), "\n  ")));
  }
  Group replaced{batch, false};
  Group kept{batch, true};
  replaced.batch.source = theirs;
  kept.batch.source = own;
  replaced.batch.cases.clear();
  kept.batch.cases.clear();
  for (const CaseRequest& request : batch.cases) {
    const bool theirs_has_it = defined.count(kernel_of(lab, request)) > 0;
    (theirs_has_it ? replaced : kept).batch.cases.push_back(request);
  }
  std::vector<Group> groups = {std::move(replaced)};
  if (!kept.batch.cases.empty()) groups.push_back(std::move(kept));
  return groups;
}

std::vector<Group> with_edited_kernels(const Lab& lab, const BatchRequest& batch,
                                       const KernelText& edited, worker::Client& compiler) {
  if (defined_kernels(lab, batch, edited, compiler).empty()) {
    throw input_error(
        fmt::format("'{}' no longer defines any of the kernels of lab {}", edited.name, lab.number),
        "git checkout brings back the lab's own");
  }
  std::vector<Group> groups = {{batch, false}};
  groups.front().batch.source = edited;
  return groups;
}

}  // namespace lab::cli
