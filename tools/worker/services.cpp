#include "tools/worker/services.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "harness/box/box.h"
#include "harness/box/child.h"
#include "harness/box/memory_bound.h"
#include "harness/core/error.h"
#include "harness/core/text.h"
#include "harness/kernel/compile/cache.h"
#include "harness/kernel/compile/in_subprocess.h"
#include "harness/kernel/compile/nvrtc.h"
#include "harness/model/case/backend.h"
#include "tools/worker/gpu_side.h"
#include "tools/worker/read_binary.h"
#include "tools/worker/serve_program.h"

namespace lab::worker {
namespace {

namespace fs = std::filesystem;

// For one source.
constexpr box::Bounds kCompiling{compile::kCompilerMemory};
// It starts a compiler for each source and a thread for each core.
constexpr box::Bounds kModelling{0, 4096, true};

/// The worker's compiler, and the box that it and the model run in.
class BoxedCompiler {
 public:
  explicit BoxedCompiler(const Options& options)
      : boxed_(options.boxed && box::why_no_box().empty()) {}

  /// NVRTC is loaded when it is first needed: what needs none works without it.
  Compiled compile(const CompileRequest& request) {
    const bool is_ptx = request.source.name.ends_with(".ptx");  // needs no NVRTC
    return compile::nvrtc_compile(request, is_ptx ? compile::Settings() : settings());
  }

  /// Before the model sees its first kernel, which is `source`'s. NVRTC, which is opened for good
  /// before, is the one library that is needed from then on.
  void close(const KernelText& source) {
    if (!boxed_ || closed_) return;
    try {
      settings();
    } catch (const Error&) {
      if (!source.name.ends_with(".ptx")) throw;  // PTX needs no NVRTC
    }
    closed_ = true;
    box::Reach reach;
    if (settings_) {
      for (const std::string& name : settings_->include_folders) reach.read.emplace_back(name);
      if (!settings_->cache.empty()) reach.write.push_back(settings_->cache);
    }
    // A thread pool asks for these, and the cache's keys are made of them.
    reach.read.insert(reach.read.end(), {"/sys/devices/system/cpu", "/proc/meminfo", "/proc/self"});
    unwatched([&] { box::close_box(reach, kModelling); });
  }

 private:
  const compile::Settings& settings() {
    if (settings_) return *settings_;
    compile::Settings made = compile::default_settings();
    const compile::Cache makes_its_folder(made.cache);
    if (boxed_) {
      made.nvcc.clear();  // a box starts no program
      made.box = [folders = made.include_folders] {
        box::Reach reach;
        for (const std::string& name : folders) reach.read.emplace_back(name);
        box::close_box(reach, kCompiling);
      };
    }
    settings_ = std::move(made);
    return *settings_;
  }

  bool boxed_;
  bool closed_ = false;
  std::optional<compile::Settings> settings_;
};

std::unique_ptr<Backend> make_backend(BackendKind kind, BoxedCompiler& boxed,
                                      const Compiler& compiler) {
  if (kind == BackendKind::kGpu) return make_gpu_backend(compiler);
  box::bound_memory();
  return std::make_unique<model::ModelBackend>([&boxed](const CompileRequest& request) {
    boxed.close(request.source);
    return boxed.compile(request);
  });
}

}  // namespace

Services make_services(const Options& options) {
  const auto boxed = std::make_shared<BoxedCompiler>(options);
  const Compiler compiler = [boxed](const CompileRequest& request) {
    return boxed->compile(request);
  };
  Services services;
  services.backend = [boxed, compiler](BackendKind kind) {
    return make_backend(kind, *boxed, compiler);
  };
  services.compile = compiler;
  services.environment = [compiler](const AskEnvironment& ask) {
    return machine_environment(ask, compiler);
  };
  services.chip_metrics = chip_metrics;
  const bool boxed_programs = options.boxed && box::why_no_box().empty();
  services.command = [boxed_programs](const Command& command) {
    return box::run_command(command, boxed_programs);
  };
  services.program = [boxed_programs, compiler](const ProgramRequest& request,
                                                const BatchSink& sink) {
    return run_program(request, sink, compiler, boxed_programs);
  };
  services.binary = [boxed_programs](const BinaryQuestion& question) {
    return read_binary(question, boxed_programs);
  };
  services.calibrate = [compiler] { return calibrate(compiler); };
  return services;
}

}  // namespace lab::worker
