// The options in which a person describes the launch of a file's kernel: of lab probe, and of
// lab map and lab explain for a file.
#pragma once

#include <string>
#include <vector>

#include "harness/box/worker/client.h"
#include "harness/core/backend.h"
#include "harness/run/probe.h"
#include "tools/cli/arguments/command.h"

namespace lab::cli {

/// --grid, --block, --shared, --arg and --symbol; --kernel is each command's own.
[[nodiscard]] std::vector<Option> probe_option_rows();

struct Probe {
  KernelText source;
  Job spec;
  std::vector<run::Dump> dumps;
};

/// What they say of a kernel of `source`: the one of --kernel, else the only one.
[[nodiscard]] Probe probe_from(const Arguments& arguments, KernelText source);

/// Compiles the batch's source: what does not compile is bad input, told before anything is stored,
/// and so are a kernel of dynamic shared memory without --shared and a --symbol that it has not.
void compile_probe(const Arguments& arguments, const BatchRequest& batch, const Job& probe,
                   worker::Client& compiler);

/// Whether a word names a file with kernels, not a lab.
[[nodiscard]] bool names_kernel_file(const std::string& word);

/// `command` with the file and the launch of `arguments`, as a person would type it in a shell:
/// `lab fix my.cu --kernel k --grid 4 --block 256 --arg 'f32[1024]=iota'`.
[[nodiscard]] std::string launch_words(std::string_view command, const Arguments& arguments);

}  // namespace lab::cli
