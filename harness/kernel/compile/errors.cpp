#include "harness/kernel/compile/errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/core/text.h"
#include "harness/kernel/compile/headers.h"
#include "harness/kernel/compile/log.h"
#include "harness/kernel/compile/ptx_names.h"
#include "harness/kernel/compile/source/launches.h"

namespace lab::compile {
namespace {

// `a.cu(2): x.h was not found`, a line for each.
std::string not_found(const source::Program& program) {
  std::string text;
  for (const source::MissingHeader& one : program.missing()) {
    text += fmt::format("{}{}({}): {} was not found", text.empty() ? "" : "\n", one.place.file,
                        one.place.line, one.header.name);
  }
  return text;
}

std::string where_to_look(const source::Program& program) {
  // A quoted one may be the user's own: cuda_helper.h.
  const source::HeaderName& header = program.missing().front().header;
  const std::string advice = header.quoted ? std::string() : toolkit_advice(header.name);
  return advice.empty() ? fmt::format("-I FOLDER says where {} is", header.name) : advice;
}

// `float` for a type, a number for a value; what has a default may be left out.
std::vector<std::string> example_arguments(const std::vector<std::string>& parameters) {
  std::vector<std::string> arguments;
  for (const std::string& parameter : parameters) {
    if (parameter.find('=') != std::string::npos) break;
    const bool type = parameter.starts_with("typename") || parameter.starts_with("class");
    arguments.emplace_back(type ? "float" : "32");
  }
  return arguments;
}

// `blur is a template`, with what to write.
std::string how_to_instantiate(const CompileRequest& request, const source::Kernel& kernel) {
  const source::Instances launched = source::instances_of(source::files_of(request.source), kernel);
  if (launched.names.empty() && launched.lambda) {
    return fmt::format(
        "{0} is a template that the file gives a lambda, whose type has no name: write a struct "
        "with a __device__ operator() in its place, and {0}<THE_STRUCT>\n  {1}",
        kernel.name, kernel.signature);
  }
  const std::string example =
      launched.names.empty()
          ? fmt::format("{}<{}>", kernel.name,
                        fmt::join(example_arguments(kernel.template_parameters), ", "))
          : launched.names.front();
  return fmt::format("{} is a template: write its arguments, such as {}\n  {}", kernel.name,
                     example, kernel.signature);
}

// The same, or the overloads that there are.
std::string how_to_name(const CompileRequest& request, const std::string& name,
                        const std::vector<source::Kernel>& kernels) {
  std::vector<const source::Kernel*> same;
  for (const source::Kernel& kernel : kernels) {
    if (kernel.name == name) same.push_back(&kernel);
  }
  if (same.empty()) return {};
  const bool is_template = !same.front()->template_parameters.empty();
  if (is_template) return how_to_instantiate(request, *same.front());
  if (same.size() == 1) return {};
  std::string text = fmt::format("{} is overloaded: write its parameters too", name);
  for (const source::Kernel* kernel : same) text += "\n  " + kernel->signature;
  return text;
}

}  // namespace

bool is_ptx(const CompileRequest& request) { return request.source.name.ends_with(".ptx"); }

source::Program program_of(const CompileRequest& request, const Settings& settings) {
  std::vector<std::string> folders;
  for (const std::string& option : request.source.options) {
    if (option.starts_with("-I")) folders.push_back(option.substr(2));
  }
  return {source::files_of(request.source), folders, [&](const source::HeaderName& header) {
            return where_is(header, settings.include_folders);
          }};
}

Error compile_error(const CompileRequest& request, const source::Program& program,
                    const std::string& log) {
  const std::string& name = request.source.name;
  if (program.missing().empty()) {
    return input_error(fmt::format("{} does not compile\n{}", name, readable_log(log)),
                       advice(log, request.source));
  }
  return input_error(
      fmt::format("{}\nwithout {} {} does not compile:\n{}", not_found(program),
                  program.missing().size() == 1 ? "it" : "them", name, readable_log(log)),
      where_to_look(program));
}

Error missing_error(const CompileRequest& request, const Settings& settings,
                    const std::string& name, const std::vector<std::string>& entries) {
  std::vector<std::string> names;
  for (const std::string& entry : entries) names.push_back(symbol_name(entry));
  std::vector<source::Kernel> kernels;
  std::string lost;  // headers that may define it
  if (!is_ptx(request)) {
    const source::Program program = program_of(request, settings);
    kernels = program.kernels();
    if (!program.missing().empty()) lost = not_found(program) + ": " + where_to_look(program);
  }
  for (const source::Kernel& kernel : kernels) names.push_back(kernel.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const std::string how = how_to_name(request, name, kernels);
  if (!how.empty()) {
    return input_error(fmt::format("{} defines no kernel '{}' alone", request.source.name, name),
                       how);
  }
  // A template's kernel may be missing because its arguments do not fit.
  const bool left_out = std::any_of(kernels.begin(), kernels.end(),
                                    [&](const auto& kernel) { return kernel.name == name; });
  if (left_out) {
    return input_error(
        fmt::format("{} defines kernel '{}' where #if leaves it out", request.source.name, name),
        "-D NAME or -D NAME=VALUE defines the macro that it asks for");
  }
  return input_error(fmt::format("{} defines no kernel '{}'", request.source.name, name),
                     !lost.empty() || names.empty() ? lost : suggestion(name, names));
}

}  // namespace lab::compile
