#include "harness/gpu/driver/library.h"

#include <cublas_v2.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "harness/core/error.h"

namespace lab::gpu {

namespace {

constexpr std::array kNames = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};

void check(cublasStatus_t status, const char* function) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw machine_error(fmt::format("{} gave status {}", function, static_cast<int>(status)));
}

template <typename Function>
Function find(void* library, const char* name) {
  auto found = reinterpret_cast<Function>(dlsym(library, name));
  if (found == nullptr) throw machine_error(fmt::format("libcublas has no {}", name));
  return found;
}

Handle<void*> open_cublas() {
  for (const char* name : kNames) {
    void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) return {library, [](void* open) { dlclose(open); }};
  }
  throw machine_error("libcublas is not found",
                      "install the toolkit's cuBLAS, or leave the library's variant out");
}

template <typename T>
T argument(std::span<void* const> arguments, std::size_t index) {
  T value{};
  std::memcpy(&value, arguments[index], sizeof value);
  return value;
}

// cuBLAS is column-major: a row-major rows x cols matrix is its cols x rows one.
void sgeam(void* library, cublasHandle_t handle, std::span<void* const> arguments) {
  auto* in = argument<const float*>(arguments, 0);
  auto* out = argument<float*>(arguments, 1);
  const int rows = argument<int>(arguments, 2);
  const int cols = argument<int>(arguments, 3);
  const float one = 1;
  const float zero = 0;
  check(find<decltype(&cublasSgeam)>(library, "cublasSgeam")(handle, CUBLAS_OP_T, CUBLAS_OP_N, rows,
                                                             cols, &one, in, cols, &zero, out, rows,
                                                             out, rows),
        "cublasSgeam");
}

// Row-major C = A B is column-major C^T = B^T A^T, and each of the three is kept as it is.
void sgemm(void* library, cublasHandle_t handle, std::span<void* const> arguments) {
  auto* a = argument<const float*>(arguments, 0);
  auto* b = argument<const float*>(arguments, 1);
  auto* c = argument<float*>(arguments, 2);
  const int n = argument<int>(arguments, 3);
  const int m = argument<int>(arguments, 4);
  const int p = argument<int>(arguments, 5);
  const float one = 1;
  const float zero = 0;
  check(find<decltype(&cublasSgemm_v2)>(library, "cublasSgemm_v2")(
            handle, CUBLAS_OP_N, CUBLAS_OP_N, p, n, m, &one, b, p, a, m, &zero, c, p),
        "cublasSgemm");
}

struct Routine {
  const char* name;
  void (*call)(void*, cublasHandle_t, std::span<void* const>);
};
constexpr std::array kRoutines = {Routine{"cublas_sgeam", sgeam}, Routine{"cublas_sgemm", sgemm}};

const Routine* find_routine(const std::string& name) {
  const auto* found = std::find_if(kRoutines.begin(), kRoutines.end(),
                                   [&](const Routine& row) { return name == row.name; });
  return found == kRoutines.end() ? nullptr : found;
}

int kernel_nodes(const Driver& driver, CUgraph graph) {
  std::size_t count = 0;
  driver.check(driver.api().GraphGetNodes(graph, nullptr, &count), "cuGraphGetNodes");
  std::vector<CUgraphNode> nodes(count);
  driver.check(driver.api().GraphGetNodes(graph, nodes.data(), &count), "cuGraphGetNodes");
  int kernels = 0;
  for (CUgraphNode node : nodes) {
    CUgraphNodeType type{};
    driver.check(driver.api().GraphNodeGetType(node, &type), "cuGraphNodeGetType");
    if (type == CU_GRAPH_NODE_TYPE_KERNEL) ++kernels;
  }
  return kernels;
}

}  // namespace

Library::Library(const Context& context) : context_(context), library_(open_cublas()) {
  void* library = library_.get();
  cublasHandle_t handle = nullptr;
  check(find<decltype(&cublasCreate_v2)>(library, "cublasCreate_v2")(&handle), "cublasCreate");
  handle_ = {handle, [library](void* made) {
               auto* destroy = reinterpret_cast<decltype(&cublasDestroy_v2)>(
                   dlsym(library, "cublasDestroy_v2"));
               if (destroy != nullptr) destroy(static_cast<cublasHandle_t>(made));
             }};
  check(
      find<decltype(&cublasSetStream_v2)>(library, "cublasSetStream_v2")(handle, context.stream()),
      "cublasSetStream");
}

bool Library::knows(const std::string& name) { return find_routine(name) != nullptr; }

void Library::call(const std::string& name, std::span<void* const> arguments) const {
  const Routine* routine = find_routine(name);
  if (routine == nullptr) throw internal_error(fmt::format("no library routine '{}'", name));
  routine->call(library_.get(), static_cast<cublasHandle_t>(handle_.get()), arguments);
}

int Library::launches(const std::string& name, std::span<void* const> arguments) const {
  const Driver& driver = *context_.driver();
  driver.check(driver.api().StreamBeginCapture(context_.stream(), CU_STREAM_CAPTURE_MODE_RELAXED),
               "cuStreamBeginCapture", name);
  call(name, arguments);
  CUgraph graph = nullptr;
  driver.check(driver.api().StreamEndCapture(context_.stream(), &graph), "cuStreamEndCapture",
               name);
  const Handle<CUgraph> owner(graph, [&driver](CUgraph made) { driver.api().GraphDestroy(made); });
  return kernel_nodes(driver, graph);
}

}  // namespace lab::gpu
