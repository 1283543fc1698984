#include "harness/run/kernels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <set>

#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/kernel/compile/source/device_only.h"
#include "harness/kernel/compile/source/launches.h"
#include "harness/kernel/ptx/outline.h"
#include "harness/run/places.h"
#include "harness/run/prepared.h"
#include "harness/run/starter.h"

namespace lab::run {

namespace {

std::string kernel_of(const Lab& lab, const CaseRequest& request) {
  const Variant& variant = find_variant(lab, request.variant);
  return variant.library.empty() ? variant.kernel(request.params) : std::string();
}

// A template without what it is instantiated with.
std::string without_arguments(const std::string& kernel) {
  return kernel.substr(0, kernel.find('<'));
}

Compiled compiled_or_told(const CompileRequest& request, worker::Client& compiler) {
  try {
    return compiler.compile(request);
  } catch (const Error& error) {
    if (error.fault() != Fault::kInput) throw;
    throw NotCompiled(error);
  }
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
  const Compiled compiled = compiled_or_told(request, compiler);
  std::set<std::string> defined;
  for (std::size_t i = 0; i < request.kernels.size() && i < compiled.lowered.size(); ++i) {
    if (!compiled.lowered[i].empty()) defined.insert(request.kernels[i]);
  }
  return defined;
}

std::vector<std::string> folders_of(const KernelText& text) {
  std::vector<std::string> folders;
  for (const std::string& option : text.options) {
    if (option.starts_with("-I")) folders.push_back(option.substr(2));
  }
  return folders;
}

source::Program program_of(const KernelText& text) {
  return {source::files_of(text), folders_of(text), [](const source::HeaderName& header) {
            return source::is_library_header(header) ? source::Header::kKernels
                                                     : source::Header::kNowhere;
          }};
}

// A file that defines no kernel may include one that does.
Error no_kernel(const KernelText& text) {
  std::string hint = "a kernel is a function with __global__ before it";
  const source::Program program = program_of(text);
  if (!program.missing().empty()) {
    const source::MissingHeader& one = program.missing().front();
    hint = fmt::format("{}({}): {} was not found, which may define it: -I FOLDER says where it is",
                       one.place.file, one.place.line, one.header.name);
  }
  return input_error(fmt::format("'{}' defines no kernel", text.name), hint);
}

}  // namespace

std::vector<KernelName> kernel_names(const KernelText& source) {
  std::vector<KernelName> names;
  if (source.name.ends_with(".ptx")) {
    for (const std::string& entry : ptx::entry_names(source.text, source.name)) {
      names.push_back({symbol_name(entry), symbol_signature(entry)});
    }
    return names;
  }
  for (source::Kernel& kernel : program_of(source).kernels()) {
    names.push_back({std::move(kernel.name), std::move(kernel.signature)});
    if (!kernel.template_parameters.empty()) names.back().name += "<...>";
  }
  return names;
}

std::string only_kernel(const KernelText& source) {
  const std::vector<KernelName> names = kernel_names(source);
  if (names.empty()) throw no_kernel(source);
  if (names.size() == 1) return named_kernel(source, without_arguments(names.front().name));
  std::string list;
  for (const KernelName& one : names) list += "\n  " + one.signature;
  throw input_error(fmt::format("'{}' defines {} kernels: name one", source.name, names.size()),
                    fmt::format("--kernel {}; there are{}", names.front().name, list));
}

std::string named_kernel(const KernelText& text, const std::string& name) {
  if (text.name.ends_with(".ptx")) return name;
  std::vector<source::Kernel> same = program_of(text).kernels();
  std::erase_if(same, [&](const source::Kernel& one) { return one.name != name; });
  if (same.size() != 1 || same.front().template_parameters.empty()) return name;
  const source::Instances launched = source::instances_of(source::files_of(text), same.front());
  if (launched.names.empty()) return name;
  if (launched.names.size() == 1) return launched.names.front();
  throw input_error(fmt::format("'{}' launches {} with {} sets of arguments: name one", text.name,
                                name, launched.names.size()),
                    fmt::format("--kernel '{}'; there are\n  {}", launched.names.front(),
                                fmt::join(launched.names, "\n  ")));
}

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

// `did you mean 'column' where it has 'colum'? `: of the file's kernels the first that is nearly
// one of the lab's.
std::string misspelt(const Lab& lab, const BatchRequest& batch) {
  std::vector<std::string> wanted;
  for (const CaseRequest& request : batch.cases)
    wanted.push_back(without_arguments(kernel_of(lab, request)));
  for (const KernelName& theirs : kernel_names(batch.source)) {
    const std::string near = nearest(without_arguments(theirs.name), wanted);
    if (near.empty()) continue;
    return fmt::format("did you mean '{}' where it has '{}'? ", near,
                       without_arguments(theirs.name));
  }
  return {};
}

// The cases of `part` in two: those whose kernel its source defines, and those of `own`.
std::vector<Part> divided(const Lab& lab, Part part, const KernelText& own,
                          const std::set<std::string>& defined) {
  Part kept = part;
  kept.own_kernel = true;
  kept.batch.source = own;
  const auto theirs_has_it = [&](const CaseRequest& request) {
    return defined.count(kernel_of(lab, request)) > 0;
  };
  std::erase_if(kept.batch.cases, theirs_has_it);
  std::erase_if(part.batch.cases, std::not_fn(theirs_has_it));
  std::vector<Part> parts = {std::move(part)};
  if (!kept.batch.cases.empty()) parts.push_back(std::move(kept));
  return parts;
}

void require_kernels(const Plan& plan, const std::set<std::string>& defined) {
  if (!defined.empty()) return;
  const std::string& file = plan.batch.source.name;
  if (plan.own) {
    throw NoKernel(
        Fault::kInput,
        fmt::format("'{}' defines none of the kernels of lab {}", file, plan.lab->called()),
        misspelt(*plan.lab, plan.batch) +
            fmt::format("it must define one or more of\n  {}",
                        fmt::join(kernel_signatures(plan.own->text), "\n  ")));
  }
  throw NoKernel(
      Fault::kInput,
      fmt::format("'{}' no longer defines any of the kernels of lab {}", file, plan.lab->called()),
      "git checkout brings back the lab's own");
}

// A copy for students lacks the kernels that they write: of the lab's own, those are not run.
void leave_out_theirs(const Plan& plan, Prepared& prepared) {
  if (!has_lab_file(*plan.lab, kStarterFile)) return;
  std::set<std::string> named;
  for (const KernelName& kernel : kernel_names(own_kernels(*plan.lab))) {
    named.insert(without_arguments(kernel.name));
  }
  const std::string first = prepared.parts.front().batch.cases.empty()
                                ? std::string()
                                : prepared.parts.front().batch.cases.front().variant;
  prepared.leave_out([&](const Part& part, const CaseRequest& request) {
    const std::string kernel = kernel_of(*plan.lab, request);
    return part.own_kernel && !kernel.empty() && named.count(without_arguments(kernel)) == 0;
  });
  if (!prepared.parts.empty()) return;
  throw NoKernel(Fault::kInput,
                 fmt::format("the kernel of {} is yours to write: this copy of lab {} has none",
                             first, plan.lab->called()),
                 fmt::format("lab start {0}, then lab run {0} --kernel FILE", plan.lab->called()));
}

void number_anew(std::vector<CaseRequest>& cases) {
  int index = 0;
  for (CaseRequest& request : cases) request.index = index++;
}

}  // namespace

Prepared prepare(const Plan& plan, const std::string& arch, worker::Client& compiler) {
  Prepared prepared;
  prepared.lab = plan.lab;
  prepared.head = plan.head;
  prepared.parts = {{plan.batch, plan.own_kernel}};
  prepared.parts.front().batch.arch = arch;
  if (plan.lab != nullptr && !plan.own_kernel) {
    const auto defined = defined_kernels(*plan.lab, prepared.parts.front().batch, compiler);
    require_kernels(plan, defined);
    if (plan.own) {
      prepared.parts = divided(*plan.lab, std::move(prepared.parts.front()), *plan.own, defined);
      if (plan.others == Others::kLeftOut) {
        prepared.parts.resize(1);
        number_anew(prepared.parts.front().batch.cases);
      }
    }
  }
  if (plan.lab != nullptr) leave_out_theirs(plan, prepared);
  if (plan.first_alone) {
    prepared.parts.resize(1);
    prepared.parts.front().batch.cases.resize(1);
  }
  return prepared;
}

std::size_t Prepared::size() const {
  std::size_t cases = 0;
  for (const Part& part : parts) cases += part.batch.cases.size();
  return cases;
}

void Prepared::leave_out(const std::function<bool(const Part&, const CaseRequest&)>& unwanted) {
  for (Part& part : parts) {
    std::erase_if(part.batch.cases,
                  [&](const CaseRequest& request) { return unwanted(part, request); });
  }
  std::erase_if(parts, [](const Part& part) { return part.batch.cases.empty(); });
}

void keep_named_kernels(Plan& plan) {
  BatchRequest& batch = plan.batch;
  std::set<std::string> named;
  for (const KernelName& kernel : kernel_names(batch.source))
    named.insert(without_arguments(kernel.name));
  std::vector<CaseRequest> kept;
  for (const CaseRequest& request : batch.cases) {
    if (named.count(without_arguments(kernel_of(*plan.lab, request))) > 0) kept.push_back(request);
  }
  if (kept.empty()) return;
  batch.cases = std::move(kept);
  number_anew(batch.cases);
}

std::string compiler_text(const Error& error) {
  std::string text(trim(render(error)));
  constexpr std::string_view kBegins = "error: ";
  if (text.starts_with(kBegins)) text.erase(0, kBegins.size());
  return text;
}

}  // namespace lab::run
