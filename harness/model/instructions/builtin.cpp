#include "harness/model/instructions/builtin.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "harness/core/bits.h"
#include "harness/model/execute/block.h"

namespace lab::model {
namespace {

/// One thread's local memory, and what its generic addresses reach.
class ThreadView {
 public:
  ThreadView(const Warp& warp, unsigned lane) : block_(*warp.block) {
    own_ = block_.local + (std::size_t{warp.index} * kLanes + lane) * block_.local_bytes;
  }
  [[nodiscard]] std::uint64_t parameter(std::uint64_t offset, std::size_t bytes) const {
    std::uint64_t value = 0;
    std::memcpy(&value, own_ + offset, bytes);
    return value;
  }
  void set_result(std::uint64_t offset, std::uint32_t value) const {
    std::memcpy(own_ + offset, &value, sizeof value);
  }
  /// The bytes from a generic address to the end of the memory it is in; empty where it is in none.
  [[nodiscard]] std::string_view bytes_at(std::uint64_t address) const {
    const auto text = [](const std::byte* at, std::uint64_t size) {
      return std::string_view(reinterpret_cast<const char*>(at), size);
    };
    switch (kind_of(address)) {
      case AddressKind::kLocal: {
        const std::uint64_t at = address - kLocalWindow;
        return at < block_.local_bytes ? text(own_ + at, block_.local_bytes - at)
                                       : std::string_view();
      }
      case AddressKind::kShared: {
        const std::uint64_t at = address - kSharedWindow;
        return at < block_.shared_bytes ? text(block_.shared + at, block_.shared_bytes - at)
                                        : std::string_view();
      }
      default: {
        const Allocation* found = block_.launch->memory->find(address);
        if (found == nullptr) return {};
        const std::uint64_t at = address - found->base;
        return text(found->host + at, found->bytes - at);
      }
    }
  }
  [[nodiscard]] std::string string_at(std::uint64_t address) const {
    const std::string_view bytes = bytes_at(address);
    return std::string(bytes.substr(0, bytes.find('\0')));
  }

 private:
  const Block& block_;
  std::byte* own_ = nullptr;
};

std::uint32_t callers(const Ins* ins, const Warp& w) {
  if (ins->imm == 0) return w.mask;
  return w.mask & (ins->imm == 1 ? w.predicate(ins->a) : ~w.predicate(ins->a));
}

/// int vprintf(const char* format, const void* arguments).
const Ins* vprintf_call(const Ins* ins, Warp& w) noexcept {
  const Call& call = w.block->launch->program->calls[ins->extra];
  each_lane(callers(ins, w), [&](unsigned lane) {
    const ThreadView thread(w, lane);
    const std::string format = thread.string_at(thread.parameter(call.arguments[0].from, 8));
    const std::uint64_t arguments = thread.parameter(call.arguments[1].from, 8);
    const std::string text =
        format_device(format, arguments == 0 ? std::string_view() : thread.bytes_at(arguments),
                      [&](std::uint64_t address) { return thread.string_at(address); });
    if (w.block->launch->print) w.block->launch->print(text);
    if (!call.results.empty()) {
      thread.set_result(call.results[0].to, static_cast<std::uint32_t>(text.size()));
    }
  });
  return ins + 1;
}

/// void __assertfail(const char* what, const char* file, unsigned line, const char* function,
/// size_t char_size).
const Ins* assert_failed(const Ins* ins, Warp& w) noexcept {
  const Call& call = w.block->launch->program->calls[ins->extra];
  const std::uint32_t who = callers(ins, w);
  if (who == 0) return ins + 1;
  const auto lane = static_cast<unsigned>(__builtin_ctz(who));
  const ThreadView thread(w, lane);
  const std::string what = thread.string_at(thread.parameter(call.arguments[0].from, 8));
  w.block->fault(w, FindingKind::kAssert, ins, lane, "assertion '" + what + "' failed");
  w.block->abort(Stop::kFault);
  return nullptr;
}

}  // namespace

std::string_view builtin_advice(std::string_view function) {
  constexpr std::string_view kMemory =
      "give the kernel a buffer with room for all threads, or use a local array of fixed size";
  constexpr std::string_view kLaunch = "launch kernels from the host alone";
  struct Advice {
    std::string_view function;
    std::string_view advice;
  };
  constexpr Advice kAdvice[] = {
      {"malloc", kMemory},
      {"free", kMemory},
      {"cudaGetParameterBufferV2", kLaunch},
      {"cudaLaunchDeviceV2", kLaunch},
      {"__cudaCDP2GetParameterBufferV2", kLaunch},
      {"__cudaCDP2LaunchDeviceV2", kLaunch},
  };
  for (const Advice& row : kAdvice) {
    if (row.function == function) return row.advice;
  }
  return {};
}

namespace {

struct Builtin {
  std::string_view name;
  Handler handler;
  std::vector<std::uint64_t> parameters;  ///< bytes of each
  std::vector<std::uint64_t> results;
};

const std::vector<Builtin>& builtins() {
  static const std::vector<Builtin> kTable = {
      {"vprintf", &vprintf_call, {8, 8}, {4}},
      {"__assertfail", &assert_failed, {8, 8, 4, 8, 8}, {}},
  };
  return kTable;
}

bool have_bytes(const std::vector<ptx::Variable>& variables,
                const std::vector<std::uint64_t>& bytes) {
  return std::equal(variables.begin(), variables.end(), bytes.begin(), bytes.end(),
                    [](const ptx::Variable& v, std::uint64_t want) { return v.bytes == want; });
}

}  // namespace

Handler builtin_handler(const ptx::Function& function) {
  for (const Builtin& row : builtins()) {
    // Declared otherwise, it would read past what is passed.
    const bool same = row.name == function.name && have_bytes(function.params, row.parameters) &&
                      (function.results.empty() || have_bytes(function.results, row.results));
    if (same) return row.handler;
  }
  return nullptr;
}

}  // namespace lab::model
