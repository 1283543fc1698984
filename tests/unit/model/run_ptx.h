// Runs a kernel written in PTX on buffers of numbers.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "harness/kernel/ptx/parser.h"
#include "harness/model/case/records.h"
#include "harness/model/decode/decode.h"
#include "harness/model/execute/grid.h"
#include "harness/model/instructions/handlers.h"
#include "harness/model/memory/variables.h"

namespace lab::model::ptx_run {

/// A module with entry `k(out, in, n)`: two pointers %out and %in, made global, and %n; the thread
/// is %t of its block. `body` may use %r<40>, %rd<40>, %f<20>, %p<20>, %h<8> (16 bits).
inline std::string entry(const std::string& body, const std::string& before = "") {
  return ".version 8.0\n.target sm_90\n.address_size 64\n" + before +
         ".visible .entry k(.param .u64 k_out, .param .u64 k_in, .param .u32 k_n)\n{\n"
         ".reg .pred %p<20>;\n.reg .b16 %h<8>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<40>;\n"
         ".reg .f32 %f<20>;\n.reg .f64 %fd<4>;\n.reg .b32 %n, %t;\n.reg .b64 %out, %in, %mine, "
         "%from;\n"
         "ld.param.u64 %out, [k_out];\nld.param.u64 %in, [k_in];\nld.param.u32 %n, [k_n];\n"
         "mov.u32 %t, %tid.x;\n"
         "mul.wide.u32 %rd39, %t, 4;\nadd.s64 %mine, %out, %rd39;\nadd.s64 %from, %in, %rd39;\n" +
         body + "\n}\n";
}

struct Ran {
  Program program;
  GridResult result;
  std::vector<std::uint32_t> out;
  std::vector<std::uint32_t> in;
  std::string printed;

  /// Sums over all memory instructions of a kind.
  [[nodiscard]] SiteCounts counts(ptx::Space space, AccessOp op) const {
    SiteCounts sum;
    for (std::size_t i = 0; i < program.sites.size(); ++i) {
      const Site& site = program.sites[i];
      if (site.counted && site.space == space && site.op == op) sum.add(result.sites[i]);
    }
    return sum;
  }
};

struct Scene {
  Launch launch{{1, 1, 1}, {32, 1, 1}, 0};
  std::vector<std::uint32_t> in = {};
  std::uint32_t n = 0;
  std::size_t out_size = 32;
  GridOptions options = {};
  const HandlerTable* table = nullptr;  ///< null: the best
  const cubin::SassMap* machine = nullptr;
};

/// `text` is a whole module with an entry `k(out, in, n)`.
inline Ran run_ptx(const std::string& text, Scene scene) {
  const ptx::Module module = ptx::parse(text, "k.ptx");
  Ran ran;
  ran.out.assign(scene.out_size, 0xA5A5A5A5U);
  ran.in = scene.in.empty() ? std::vector<std::uint32_t>(32) : scene.in;
  GlobalMemory memory;
  const std::uint64_t out =
      memory.add(std::as_writable_bytes(std::span<std::uint32_t>(ran.out)), "out", 0);
  const std::uint64_t in =
      memory.add(std::as_writable_bytes(std::span<std::uint32_t>(ran.in)), "in", 1);
  DecodeRequest request;
  request.module = &module;
  request.entry = module.find_entry("k");
  request.parameters.resize(20);
  std::memcpy(request.parameters.data(), &out, 8);
  std::memcpy(request.parameters.data() + 8, &in, 8);
  std::memcpy(request.parameters.data() + 16, &scene.n, 4);
  request.parameter_address = memory.add(request.parameters, "parameters", -1, false);
  const ModuleVariables variables(module, memory);
  request.variables = variables.addresses();
  request.machine = scene.machine;
  ran.program = decode(request, scene.table == nullptr ? best_table() : *scene.table);
  if (scene.options.threads == 0) scene.options.threads = 1;
  scene.options.print = [&](const std::string& printed) { ran.printed += printed; };
  ran.result = run_grid(ran.program, scene.launch, memory, scene.options);
  ran.program.module = nullptr;  // it ends here
  return ran;
}

}  // namespace lab::model::ptx_run
