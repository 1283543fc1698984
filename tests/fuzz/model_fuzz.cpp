// Any kernel that the parser lets through and the decoder does not refuse runs to an end: of its
// own, by a finding, or when its budget of instructions is used up. A text that begins with a
// printable character is PTX; other bytes choose instructions, operands and branch targets one by
// one, which gets further than mutated text does.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/error.h"
#include "harness/kernel/ptx/parser.h"
#include "harness/model/case/records.h"
#include "harness/model/check/session.h"
#include "harness/model/decode/decode.h"
#include "harness/model/execute/grid.h"
#include "harness/model/memory/variables.h"

namespace {

using lab::Launch;

// $r, $d, $h, $p stand for a register of 32, 64, 16 bits and a predicate, $a for an address,
// $i for an immediate, $L for a label.
constexpr std::array kForms = {
    "add.s32 $r, $r, $r",
    "add.s64 $d, $d, $i",
    "mul.lo.s32 $r, $r, $r",
    "mul.wide.u32 $d, $r, $i",
    "mad.lo.s32 $r, $r, $r, $i",
    "div.s32 $r, $r, $r",
    "rem.u64 $d, $d, $d",
    "add.cc.u32 $r, $r, $r",
    "addc.u32 $r, $r, $r",
    "shl.b32 $r, $r, $r",
    "bfe.s32 $r, $r, $r, $r",
    "prmt.b32 $r, $r, $r, $r",
    "popc.b32 $r, $r",
    "fma.rn.f32 $r, $r, $r, $r",
    "div.rn.f32 $r, $r, $r",
    "add.rz.f64 $d, $d, $d",
    "sqrt.rm.f32 $r, $r",
    "ex2.approx.ftz.f32 $r, $r",
    "fma.rn.f16x2 $r, $r, $r, $r",
    "cvt.rzi.s32.f32 $r, $r",
    "cvt.rn.f64.s64 $d, $d",
    "cvt.rn.f16.f32 $h, $r",
    "cvt.u64.u32 $d, $r",
    "setp.lt.s32 $p, $r, $i",
    "setp.gt.and.f32 $p|$p, $r, $r, $p",
    "set.eq.u32.f32 $r, $r, $r",
    "selp.b32 $r, $r, $r, $p",
    "mov.u32 $r, %tid.x",
    "mov.u32 $r, %laneid",
    "mov.u32 $r, %ctaid.x",
    "mov.b64 {$r, $r}, $d",
    "mov.b64 $d, {$r, $r}",
    "not.pred $p, $p",
    "ld.global.u32 $r, [$a]",
    "ld.global.v4.u32 {$r, $r, $r, $r}, [$a]",
    "ld.global.nc.u8 $h, [$a]",
    "st.global.u32 [$a], $r",
    "st.global.v2.u64 [$a], {$d, $d}",
    "ld.shared.u32 $r, [$s]",
    "st.shared.u32 [$s], $r",
    "st.shared.v4.u32 [$s], {$r, $r, $r, $r}",
    "ld.shared.u16 $h, [$s]",
    "ld.local.u32 $r, [own+$o]",
    "st.local.u64 [own+$o], $d",
    "ld.u32 $r, [$d]",
    "st.u8 [$d], $h",
    "cvta.shared.u64 $d, $d",
    "atom.global.add.u32 $r, [$a], $r",
    "atom.global.cas.b32 $r, [$a], $r, $r",
    "atom.shared.add.f32 $r, [$s], $r",
    "red.global.max.s32 [$a], $r",
    "cp.async.ca.shared.global [$s], [$a], 4",
    "cp.async.wait_all",
    "bar.sync $b",
    "bar.sync $b, 32",
    "bar.arrive $b, 64",
    "barrier.sync $b",
    "bar.red.popc.u32 $r, $b, $p",
    "bar.warp.sync $m",
    "shfl.sync.down.b32 $r|$p, $r, $r, $i, $m",
    "shfl.sync.idx.b32 $r, $r, $r, 31, $m",
    "vote.sync.ballot.b32 $r, $p, $m",
    "match.any.sync.b32 $r, $r, $m",
    "redux.sync.add.u32 $r, $r, $m",
    "elect.sync $r|$p, $m",
    "activemask.b32 $r",
    "bra $L",
    "@$p bra $L",
    "@!$p bra $L",
    "@$p add.s32 $r, $r, $r",
    "@$p st.shared.u32 [$s], $r",
    "@$p exit",
    "@$p ret",
    "brx.idx $r, targets",
    "st.param.b32 [given], $r;\n  call.uni (taken), callee, (given);\n  ld.param.b32 $r, [taken]",
    "membar.gl",
    "exit",
};

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  [[nodiscard]] bool empty() const { return at_ >= size_; }
  std::uint8_t next() { return empty() ? std::uint8_t{0} : data_[at_++]; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

constexpr unsigned kMostInstructions = 64;

std::string operand(char kind, Bytes& bytes) {
  const unsigned byte = bytes.next();
  switch (kind) {
    case 'r':
    case 'd':
    case 'h':
    case 'p':
      return std::string("%") + kind + std::to_string(byte % 6);
    case 'a':
      return (byte < 128 ? "%ga+" : "%gb+") + std::to_string(byte % 68 * 4);
    case 's':
      return (byte < 128 ? "%sa+" : "shared+") + std::to_string(byte % 70 * 4);
    case 'o':
      return std::to_string(byte % 36);
    case 'i':
      return std::to_string(static_cast<int>(byte) - 64);
    case 'b':
      return std::to_string(byte % 3);
    case 'm':
      return byte < 200 ? "-1" : byte < 230 ? "0xffff" : "%r0";
    default:  // L
      return "L" + std::to_string(byte % kMostInstructions);
  }
}

std::string instruction(Bytes& bytes) {
  const std::string_view form = kForms[bytes.next() % kForms.size()];
  std::string text;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] == '$' && i + 1 < form.size()) {
      text += operand(form[++i], bytes);
    } else {
      text += form[i];
    }
  }
  return text + ";\n";
}

std::string chosen(Bytes bytes) {
  std::string text =
      ".version 8.8\n.target sm_90\n.address_size 64\n"
      ".func (.param .b32 out) callee (.param .b32 in)\n{\n"
      "  .reg .pred %q;\n  .reg .b32 %x;\n  ld.param.b32 %x, [in];\n"
      "  setp.lt.s32 %q, %x, 16;\n  @%q bra SMALL;\n  st.param.b32 [out], 1;\n  ret;\n"
      "SMALL:\n  st.param.b32 [out], %x;\n  ret;\n}\n"
      ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n"
      "  .reg .b16 %h<6>;\n  .reg .b32 %r<6>;\n  .reg .b64 %d<6>;\n  .reg .pred %p<6>;\n"
      "  .reg .b64 %ga, %gb, %sa;\n  .reg .b32 %t;\n"
      "  .shared .align 16 .b8 shared[256];\n  .local .align 16 .b8 own[32];\n"
      "  .param .b32 given;\n  .param .b32 taken;\n"
      "targets: .branchtargets L0, L7, L20;\n"
      "  ld.param.u64 %ga, [a];\n  ld.param.u64 %gb, [b];\n  mov.u32 %t, %tid.x;\n"
      "  mul.wide.u32 %sa, %t, 4;\n  add.s64 %ga, %ga, %sa;\n  mul.wide.u32 %d1, %t, 3;\n"
      "  mov.u32 %r1, %t;\n  setp.lt.u32 %p1, %t, 20;\n";
  unsigned count = 0;
  for (; count < kMostInstructions && !bytes.empty(); ++count) {
    text += "L" + std::to_string(count) + ":\n  " + instruction(bytes);
  }
  for (; count < kMostInstructions; ++count) text += "L" + std::to_string(count) + ":\n";
  return text + "  ret;\n}\n";
}

void run(const lab::ptx::Module& module, std::uint32_t entry) {
  using namespace lab::model;
  std::array<std::vector<std::byte>, 2> buffers;
  GlobalMemory memory;
  std::vector<std::uint64_t> addresses;
  for (auto& buffer : buffers) {
    buffer.resize(256);
    addresses.push_back(memory.add(buffer, "buffer", static_cast<int>(addresses.size())));
  }
  memory.leave_uninitialised(addresses[1]);
  const ModuleVariables variables(module, memory);

  const lab::ptx::ParamLayout layout = lab::ptx::layout(module.functions[entry].params);
  if (layout.bytes > 4096) return;
  std::vector<std::byte> parameters(layout.bytes);
  for (std::size_t i = 0; i < layout.offsets.size(); ++i) {
    if (module.functions[entry].params[i].bytes != 8) continue;
    std::memcpy(parameters.data() + layout.offsets[i], &addresses[i % 2], 8);
  }
  DecodeRequest request;
  request.module = &module;
  request.entry = entry;
  request.parameters = parameters;
  request.parameter_address = memory.add(parameters, "parameters", -1, false);
  request.variables = variables.addresses();
  const Program program = decode(request, best_table());
  if (program.shared_bytes > (1U << 18U) || program.local_bytes > (1U << 16U)) return;

  Launch launch{{2, 1, 1}, {72, 1, 1}, 64};
  check::Session checks(program, launch, memory, lab::Checks::kFull);
  GridOptions options;
  options.threads = 1;
  options.too_many = [](std::uint64_t ran) { return ran > 20'000; };
  options.observer = [&] { return checks.observer(); };
  const GridResult result = run_grid(program, launch, memory, options);
  (void)findings(result.faults, program, launch, memory, {});
  (void)observations(program, result, 64);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bool is_text = size > 0 && data[0] >= ' ' && data[0] < 0x7f;
  const std::string text =
      is_text ? std::string(reinterpret_cast<const char*>(data), size) : chosen(Bytes(data, size));
  try {
    const lab::ptx::Module module = lab::ptx::parse(text, "fuzz.ptx");
    for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
      if (!module.functions[i].is_entry || !module.functions[i].is_defined) continue;
      lab::ptx::require_runnable(module, i);
      run(module, i);
    }
  } catch (const lab::Error& error) {
    if (error.fault() != lab::Fault::kInput) std::abort();
    // The instructions above are all modelled: a refusal of one would leave it untested.
    if (!is_text) {
      (void)std::fputs(lab::render(error).c_str(), stderr);
      std::abort();
    }
  }
  return 0;
}
