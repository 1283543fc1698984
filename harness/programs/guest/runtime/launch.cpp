// Kernels and variables as the program registers them, and launches.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "harness/programs/guest/runtime/calls.h"

namespace lab::program {
namespace {

// A thread's, and never taken apart: destructors of the program's own may still launch.
std::vector<Configuration>& configurations() {
  static thread_local auto* all = new std::vector<Configuration>;
  return *all;
}

cudaError_t refuse_late(Entry& entry) {
  entry.line().note(ErrorCall{cudaErrorCudartUnloading}, entry.site());
  return entry.end(cudaErrorCudartUnloading);
}

struct State {
  std::vector<KnownVariable> variables;
  std::map<std::uint64_t, KernelFacts> facts;
  /// By kernel, threads and dynamic shared memory of a block.
  std::map<std::array<std::uint64_t, 3>, int> resident;
  std::map<std::uint64_t, VariableFacts> variable_facts;
};
State& state() {
  static auto* one = new State;
  return *one;
}

// The number of a file that was compiled here, or the address of another's device code.
std::uintptr_t unit_of(const void* wrapper) {
  struct Wrapper {
    std::uint32_t magic;
    std::uint32_t version;
    const char* code;
  };
  const char* const code = static_cast<const Wrapper*>(wrapper)->code;
  if (std::strncmp(code, kUnitMark.data(), kUnitMark.size()) != 0) {
    return reinterpret_cast<std::uintptr_t>(code);
  }
  return std::strtoul(code + kUnitMark.size(), nullptr, 10);
}

const KernelFacts* facts_of(Entry& entry, const void* kernel) {
  const auto handle = reinterpret_cast<std::uint64_t>(kernel);
  auto& known = state().facts;
  const auto at = known.find(handle);
  if (at != known.end()) return &at->second;
  const Answer answer = entry.line().ask(AskKernel{handle}, entry.site());
  if (answer.error != 0 || entry.line().tail().size() != sizeof(KernelFacts)) return nullptr;
  KernelFacts& facts = known[handle];
  std::memcpy(&facts, entry.line().tail().data(), sizeof facts);
  return &facts;
}

std::vector<std::byte> packed(const KernelFacts& facts, void* const* arguments) {
  std::vector<std::byte> bytes(facts.parameter_bytes);
  for (std::uint32_t i = 0; i < facts.parameter_count; ++i) {
    const auto& parameter = facts.parameters[i];
    std::memcpy(bytes.data() + parameter.offset, arguments[i], parameter.bytes);
  }
  return bytes;
}

// Blocks of a kernel that one multiprocessor holds; 0: not even one fits, or there is no such
// kernel. Who models the GPU knows.
int blocks_at_once(Entry& entry, const void* kernel, std::uint64_t threads,
                   std::uint64_t shared_bytes) {
  const auto handle = reinterpret_cast<std::uint64_t>(kernel);
  auto& known = state().resident;
  const std::array<std::uint64_t, 3> key = {handle, threads, shared_bytes};
  const auto at = known.find(key);
  if (at != known.end()) return at->second;
  const Answer answer = entry.line().ask(AskResident{handle, threads, shared_bytes}, entry.site());
  ResidentBlocks resident;
  if (answer.error == 0 && entry.line().tail().size() == sizeof resident) {
    std::memcpy(&resident, entry.line().tail().data(), sizeof resident);
  }
  return known[key] = static_cast<int>(resident.blocks);
}

int ask_shared(Entry& entry, const void* kernel, int bytes) {
  const auto handle = reinterpret_cast<std::uint64_t>(kernel);
  const Answer answer = entry.line().ask(AskShared{handle, bytes}, entry.site());
  state().facts.erase(handle);  // they say what was asked for
  return answer.error;
}

// Of the GPU, while the launch runs: a small grid leaves room for kernels of other streams.
double share_of(Entry& entry, const void* kernel, const LaunchCall& call) {
  const double multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
  const double blocks = 1.0 * call.grid[0] * call.grid[1] * call.grid[2];
  const std::uint64_t threads = std::uint64_t{call.block[0]} * call.block[1] * call.block[2];
  const int at_once = std::max(blocks_at_once(entry, kernel, threads, call.shared_bytes), 1);
  return std::min(blocks / (multiprocessors * at_once), 1.0);
}

int run(Entry& entry, const LaunchCall& call, const std::vector<std::byte>& arguments,
        double share) {
  before_launch(entry);
  note_shared(entry);
  // A GPU's kernel may print at once: behind what the program has printed before.
  std::fflush(stdout);
  const Answer answer = entry.line().ask(call, entry.site(), arguments.data(), arguments.size());
  host_goes_on();
  take(Engine::kCompute, answer.nanoseconds, share);
  close_changed(entry);
  after_launch(entry);
  return answer.error;
}

cudaError_t launch(Entry& entry, const void* kernel, const Configuration& how, void** arguments) {
  if (is_unloading()) return refuse_late(entry);
  const KernelFacts* facts = facts_of(entry, kernel);
  if (facts == nullptr) return entry.end(kInvalidDeviceFunction);
  LaunchCall call;
  call.kernel = reinterpret_cast<std::uint64_t>(kernel);
  const std::uint32_t grid[] = {how.grid.x, how.grid.y, how.grid.z};
  const std::uint32_t block[] = {how.block.x, how.block.y, how.block.z};
  std::copy(std::begin(grid), std::end(grid), call.grid);
  std::copy(std::begin(block), std::end(block), call.block);
  call.shared_bytes = how.shared_bytes;
  call.cooperative = how.cooperative ? 1 : 0;
  const std::uint32_t cluster[] = {how.cluster.x, how.cluster.y, how.cluster.z};
  std::copy(std::begin(cluster), std::end(cluster), call.cluster);
  return do_or_keep(entry, how.stream,
                    [call, arguments = packed(*facts, arguments),
                     share = share_of(entry, kernel, call)](Site site) {
                      Entry later(site);
                      return run(later, call, arguments, share);
                    });
}

}  // namespace

Site configured_site(Site otherwise) {
  if (configurations().empty()) return otherwise;
  const Site site = configurations().back().site;
  configurations().pop_back();
  return site;
}

cudaError_t launch_from(Entry& entry, const void* kernel, const Configuration& how,
                        void** arguments) {
  return launch(entry, kernel, how, arguments);
}

const std::vector<KnownVariable>& known_variables() { return state().variables; }

VariableFacts variable_facts(Entry& entry, const void* symbol) {
  const auto handle = reinterpret_cast<std::uint64_t>(symbol);
  auto& known = state().variable_facts;
  const auto at = known.find(handle);
  if (at != known.end()) return at->second;
  const Answer answer = entry.line().ask(AskVariable{handle}, entry.site());
  VariableFacts facts;
  if (answer.error == 0 && entry.line().tail().size() == sizeof facts) {
    std::memcpy(&facts, entry.line().tail().data(), sizeof facts);
  }
  return known[handle] = facts;
}

int poke(Entry& entry, std::uint64_t address, const void* from, std::uint64_t bytes,
         std::uint32_t aside) {
  for (std::uint64_t done = 0; done < bytes; done += kMostTail) {
    const std::uint64_t part = std::min<std::uint64_t>(bytes - done, kMostTail);
    const Answer answer = entry.line().ask(Poke{{address + done, part}, aside}, entry.site(),
                                           static_cast<const std::byte*>(from) + done, part);
    if (answer.error != 0) return answer.error;
  }
  return kSuccess;
}

int peek(Entry& entry, std::uint64_t address, void* to, std::uint64_t bytes, std::uint32_t aside) {
  for (std::uint64_t done = 0; done < bytes; done += kMostTail) {
    const std::uint64_t part = std::min<std::uint64_t>(bytes - done, kMostTail);
    const Answer answer = entry.line().ask(Peek{{address + done, part}, aside}, entry.site());
    if (answer.error != 0) return answer.error;
    std::memcpy(static_cast<std::byte*>(to) + done, entry.line().tail().data(),
                std::min<std::size_t>(part, entry.line().tail().size()));
  }
  return kSuccess;
}

}  // namespace lab::program

using lab::program::Entry;

extern "C" {

// Compilers call these at a program's start, one fat binary for each of its files. Files without
// kernels need not.
void** __cudaRegisterFatBinary(void* wrapper) {
  return reinterpret_cast<void**>(lab::program::unit_of(wrapper));
}
void __cudaRegisterFatBinaryEnd(void**) {
  Entry entry(0);
  lab::program::begin_managed(entry);
}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 1; }

void __cudaRegisterFunction(void** unit, const char* host, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  Entry entry(0);
  lab::program::Kernel kernel;
  kernel.handle = reinterpret_cast<std::uint64_t>(host);
  kernel.unit = reinterpret_cast<std::uintptr_t>(unit);
  entry.line().note(kernel, 0, name, std::strlen(name));
}

void __cudaRegisterVar(void** unit, char* host, char*, const char* name, int, size_t bytes, int,
                       int) {
  Entry entry(0);
  lab::program::Variable variable;
  variable.handle = reinterpret_cast<std::uint64_t>(host);
  variable.bytes = bytes;
  variable.unit = reinterpret_cast<std::uintptr_t>(unit);
  lab::program::state().variables.push_back({host, bytes});
  entry.line().note(variable, 0, name, std::strlen(name));
}

// The host reaches such a variable through a pointer, which is set here.
void __cudaRegisterManagedVar(void** unit, void** host, char* address, const char* name, int ext,
                              size_t bytes, int constant, int global) {
  *host = std::calloc(1, bytes);
  __cudaRegisterVar(unit, static_cast<char*>(*host), address, name, ext, bytes, constant, global);
  lab::program::add_managed(*host);
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                     cudaStream_t stream) {
  const lab::program::Site site = LAB_SITE;
  if (lab::program::is_unloading()) {  // the kernel's own function is not called then
    Entry entry(site);
    return lab::program::refuse_late(entry);
  }
  lab::program::configurations().push_back({grid, block, shared_bytes, stream, site});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes,
                                       void* stream) {
  auto& all = lab::program::configurations();
  if (all.empty()) return cudaErrorMissingConfiguration;
  *grid = all.back().grid;
  *block = all.back().block;
  *shared_bytes = all.back().shared_bytes;
  *static_cast<cudaStream_t*>(stream) = all.back().stream;
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                             size_t shared_bytes, cudaStream_t stream) {
  // The line of a <<<>>> is where it was configured.
  Entry entry(lab::program::configured_site(LAB_SITE));
  return lab::program::launch(entry, kernel, {grid, block, shared_bytes, stream, entry.site()},
                              arguments);
}

cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes, cudaStream_t stream) {
  Entry entry(LAB_SITE);
  return lab::program::launch(entry, kernel,
                              {grid, block, shared_bytes, stream, entry.site(), true}, arguments);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes* attributes, const void* kernel) {
  Entry entry(LAB_SITE);
  const auto* facts = lab::program::facts_of(entry, kernel);
  if (facts == nullptr) return entry.end(lab::program::kInvalidDeviceFunction);
  std::memset(attributes, 0, sizeof *attributes);
  attributes->sharedSizeBytes = facts->shared_bytes;
  attributes->constSizeBytes = facts->constant_bytes;
  attributes->localSizeBytes = facts->local_bytes;
  attributes->maxThreadsPerBlock = static_cast<int>(facts->max_threads);
  attributes->numRegs = static_cast<int>(facts->registers);
  attributes->ptxVersion = attributes->binaryVersion = 90;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(facts->asked_shared);
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaFuncSetAttribute(const void* kernel, enum cudaFuncAttribute attribute, int value) {
  Entry entry(LAB_SITE);
  if (lab::program::facts_of(entry, kernel) == nullptr) {
    return entry.end(lab::program::kInvalidDeviceFunction);
  }
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) {
    return entry.end(lab::program::kSuccess);
  }
  return entry.end(lab::program::ask_shared(entry, kernel, value));
}
cudaError_t cudaFuncSetCacheConfig(const void*, enum cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaFuncSetSharedMemConfig(const void*, enum cudaSharedMemConfig) {
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel,
                                                          int threads, size_t shared_bytes) {
  Entry entry(LAB_SITE);
  const auto* facts = lab::program::facts_of(entry, kernel);
  if (facts == nullptr) return entry.end(lab::program::kInvalidDeviceFunction);
  const auto count = static_cast<std::uint64_t>(std::max(threads, 0));
  *blocks = lab::program::blocks_at_once(entry, kernel, count, shared_bytes);
  return entry.end(lab::program::kSuccess);
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* kernel,
                                                                   int threads, size_t shared_bytes,
                                                                   unsigned int) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared_bytes);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* kernel, int blocks,
                                                      int threads) {
  Entry entry(LAB_SITE);
  const auto* facts = lab::program::facts_of(entry, kernel);
  if (facts == nullptr || blocks <= 0 || threads <= 0) {
    return entry.end(lab::program::kInvalidValue);
  }
  // The most that leaves room for as many blocks, and with which the kernel may be launched.
  std::size_t room = 0;
  for (std::size_t step = std::size_t{1} << 17U; step >= 128; step /= 2) {
    const std::size_t more = room + step;
    const bool fits = more <= facts->asked_shared &&
                      lab::program::blocks_at_once(
                          entry, kernel, static_cast<std::uint64_t>(threads), more) >= blocks;
    if (fits) room = more;
  }
  *bytes = room;
  return entry.end(lab::program::kSuccess);
}

// The block size with the most threads at once; of equal ones the largest, as CUDA has it.
cudaError_t lab_occupancy_block_size(int* least_grid, int* block, const void* kernel,
                                     size_t (*shared_of)(void*, int), void* data, int most) {
  Entry entry(LAB_SITE);
  const auto* facts = lab::program::facts_of(entry, kernel);
  if (facts == nullptr) return entry.end(lab::program::kInvalidDeviceFunction);
  const int multiprocessors = lab::program::attribute(cudaDevAttrMultiProcessorCount);
  int best = 0;
  const int largest = std::min(most > 0 ? most : 1024, static_cast<int>(facts->max_threads));
  for (int threads = largest / 32 * 32; threads >= 32; threads -= 32) {
    const int blocks = lab::program::blocks_at_once(
        entry, kernel, static_cast<std::uint64_t>(threads), shared_of(data, threads));
    if (blocks * threads <= best) continue;
    best = blocks * threads;
    *block = threads;
    *least_grid = blocks * multiprocessors;
  }
  return entry.end(best > 0 ? lab::program::kSuccess : lab::program::kInvalidConfiguration);
}

}  // extern "C"
