// cuBLAS by plain loops. Matrices are stored by columns; `lead` is the distance of two columns.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "harness/programs/guest/include/cublas_v2.h"
#include "harness/programs/guest/include/lab_half.h"
#include "harness/programs/guest/runtime/library.h"

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
};

namespace lab::program {
namespace {

constexpr int kVersion = 120400;

struct StatusRow {
  cublasStatus_t status;
  const char* name;
  const char* text;
};
constexpr StatusRow kStatuses[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED",
     "the library was not initialized"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
     "an unsupported value or parameter was passed to the function"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED",
     "the function failed to launch on the GPU"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED",
     "the functionality is not supported"},
};
const StatusRow* row_of(cublasStatus_t status) {
  for (const StatusRow& row : kStatuses) {
    if (row.status == status) return &row;
  }
  return nullptr;
}

// Errors of the runtime that work in a stream ends with, and what cuBLAS makes of them.
constexpr int kBadMemory = kIllegalAddress;

/// A call: its handle's stream and pointers, and what it does.
template <typename Work>
cublasStatus_t call(Entry& entry, cublasHandle_t handle, const char* name, bool valid, Work work) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!valid) return CUBLAS_STATUS_INVALID_VALUE;
  const cudaError_t error = do_or_keep(entry, handle->stream, [=](Site site) {
    Entry later(site);
    LibraryCall library(later, name);
    return work(library) ? static_cast<int>(kSuccess) : kBadMemory;
  });
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

/// A factor, from where the handle says that such pointers lead. It is read when the call is made.
template <typename T>
struct Factor {
  T value = 0;
  const T* on_device = nullptr;
  Factor(cublasHandle_t handle, const T* at) {
    if (handle == nullptr || at == nullptr) return;
    if (handle->pointers == CUBLAS_POINTER_MODE_DEVICE) {
      on_device = at;
    } else {
      value = *at;
    }
  }
  bool read(LibraryCall& library) {
    if (on_device == nullptr) return true;
    const T* const at = library.reads(on_device, 1);
    if (at != nullptr) value = *at;
    return at != nullptr;
  }
};

template <typename T>
bool put_result(cublasHandle_t handle, LibraryCall& library, T* into, T value) {
  if (handle->pointers == CUBLAS_POINTER_MODE_DEVICE) {
    into = library.writes(into, 1);
    if (into == nullptr) return false;
  } else {
    host_waits(library.entry(), WaitFor::kWork, current_work());
    wait_for_taken();
  }
  *into = value;
  return true;
}

std::size_t length(int n, int step) {
  return n <= 0 ? 0
                : static_cast<std::size_t>(n - 1) * static_cast<std::size_t>(std::abs(step)) + 1;
}
// With a negative step a vector begins at its end.
std::size_t at(int i, int n, int step) {
  const std::ptrdiff_t index = step >= 0 ? static_cast<std::ptrdiff_t>(i) * step
                                         : static_cast<std::ptrdiff_t>(i - n + 1) * step;
  return static_cast<std::size_t>(index);
}
std::size_t extent(int rows, int columns, int lead) {
  if (rows <= 0 || columns <= 0) return 0;
  return static_cast<std::size_t>(columns - 1) * static_cast<std::size_t>(lead) +
         static_cast<std::size_t>(rows);
}

/// A matrix as an operation takes it: read, and by columns without gaps.
template <typename T, typename In>
std::vector<T> taken(const In* a, int lead, cublasOperation_t how, int rows, int columns) {
  const auto m = static_cast<std::size_t>(rows);
  const auto n = static_cast<std::size_t>(columns);
  const auto from = static_cast<std::size_t>(lead);
  std::vector<T> all(m * n);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < m; ++i) {
      all[j * m + i] = static_cast<T>(how == CUBLAS_OP_N ? a[j * from + i] : a[i * from + j]);
    }
  }
  return all;
}

bool is_lead(int lead, int rows) { return lead >= std::max(rows, 1); }

/// Worked out in numbers of type T, of matrices of In, to one of Out.
template <typename T, typename In = T, typename Out = T>
struct Product {
  cublasOperation_t of_a, of_b;
  int m, n, k;
  Factor<T> alpha, beta;
  const In* a;
  int a_lead;
  const In* b;
  int b_lead;
  Out* c;
  int c_lead;

  [[nodiscard]] bool valid() const {
    return m >= 0 && n >= 0 && k >= 0 && is_lead(a_lead, of_a == CUBLAS_OP_N ? m : k) &&
           is_lead(b_lead, of_b == CUBLAS_OP_N ? k : n) && is_lead(c_lead, m);
  }
  bool work(LibraryCall& library) {
    if (m == 0 || n == 0) return true;
    if (!alpha.read(library) || !beta.read(library)) return false;
    const bool plain_a = of_a == CUBLAS_OP_N;
    const bool plain_b = of_b == CUBLAS_OP_N;
    const In* const from_a = library.reads(a, extent(plain_a ? m : k, plain_a ? k : m, a_lead));
    const In* const from_b = library.reads(b, extent(plain_b ? k : n, plain_b ? n : k, b_lead));
    // Where beta is 0, C may be anything.
    const Out* const before = beta.value == 0 ? c : library.reads(c, extent(m, n, c_lead));
    Out* const into = library.writes(c, extent(m, n, c_lead));
    if (from_a == nullptr || from_b == nullptr || before == nullptr || into == nullptr) {
      return k == 0;
    }
    const std::vector<T> left = taken<T>(from_a, a_lead, of_a, m, k);
    const std::vector<T> right = taken<T>(from_b, b_lead, of_b, k, n);
    const auto rows = static_cast<std::size_t>(m);
    const auto inner = static_cast<std::size_t>(k);
    std::vector<T> column(rows);
    for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
      std::fill(column.begin(), column.end(), T{0});
      for (std::size_t l = 0; l < inner; ++l) {
        const T factor = right[j * inner + l];
        const T* const of_left = left.data() + l * rows;
        for (std::size_t i = 0; i < rows; ++i) column[i] += of_left[i] * factor;
      }
      Out* const out = into + j * static_cast<std::size_t>(c_lead);
      for (std::size_t i = 0; i < rows; ++i) {
        const T old = beta.value == 0 ? T{0} : beta.value * static_cast<T>(out[i]);
        out[i] = static_cast<Out>(alpha.value * column[i] + old);
      }
    }
    const std::size_t sizes = (left.size() + right.size()) * sizeof(In);
    take_library(sizes + rows * static_cast<std::size_t>(n) * sizeof(Out), 2.0 * m * n * k,
                 sizeof(T));
    return true;
  }
};

template <typename T>
struct Vectors {
  int n;
  const T* x;
  int x_step;
  T* y = nullptr;
  int y_step = 1;

  const T* read_x(LibraryCall& library) const { return library.reads(x, length(n, x_step)); }
  const T* read_y(LibraryCall& library) const {
    return library.reads(static_cast<const T*>(y), length(n, y_step));
  }
  T* write_y(LibraryCall& library) const { return library.writes(y, length(n, y_step)); }
  void take(double operations) const {
    take_library(static_cast<std::size_t>(n) * sizeof(T) * 2, operations * n, sizeof(T));
  }
};

/// y[i] = f(x[i], y[i]).
template <typename T, typename F>
bool each(const Vectors<T>& v, LibraryCall& library, bool reads_y, F f) {
  if (v.n <= 0) return true;
  const T* const x = v.read_x(library);
  if (x == nullptr || (reads_y && v.read_y(library) == nullptr)) return false;
  T* const y = v.write_y(library);
  if (y == nullptr) return false;
  for (int i = 0; i < v.n; ++i) {
    T& out = y[at(i, v.n, v.y_step)];
    out = f(x[at(i, v.n, v.x_step)], out);
  }
  v.take(2);
  return true;
}

/// The index of the best by f, counted from 1 as in Fortran; 0: there is none.
template <typename T, typename Better>
cublasStatus_t find_best(Entry& entry, cublasHandle_t handle, const char* name, const Vectors<T>& v,
                         int* result, Better better) {
  return call(entry, handle, name, result != nullptr, [=](LibraryCall& library) {
    int best = 0;
    if (v.n > 0 && v.x_step > 0) {
      const T* const x = v.read_x(library);
      if (x == nullptr) return false;
      const auto size = [&](int i) { return std::abs(x[at(i, v.n, v.x_step)]); };
      for (int i = 1; i < v.n; ++i) {
        if (better(size(i), size(best))) best = i;
      }
      ++best;
      v.take(1);
    }
    return put_result(handle, library, result, best);
  });
}

/// A sum over a vector, or two.
template <typename T, typename F, typename End>
cublasStatus_t sum(Entry& entry, cublasHandle_t handle, const char* name, const Vectors<T>& v,
                   T* result, F f, End end) {
  return call(entry, handle, name, result != nullptr, [=](LibraryCall& library) {
    double all = 0;
    if (v.n > 0) {
      const T* const x = v.read_x(library);
      const T* const y = v.y == nullptr ? x : v.read_y(library);
      if (x == nullptr || y == nullptr) return false;
      for (int i = 0; i < v.n; ++i) {
        const T other = v.y == nullptr ? T{0} : y[at(i, v.n, v.y_step)];
        all += f(static_cast<double>(x[at(i, v.n, v.x_step)]), static_cast<double>(other));
      }
      v.take(2);
    }
    return put_result(handle, library, result, static_cast<T>(end(all)));
  });
}

template <typename T>
cublasStatus_t gemv(Entry& entry, cublasHandle_t handle, const char* name, cublasOperation_t of_a,
                    const Product<T>& p, int x_step, int y_step) {
  // As a product with one column: y has as many elements as op(A) has rows.
  const bool plain = of_a == CUBLAS_OP_N;
  const int rows = plain ? p.m : p.n;
  const int columns = plain ? p.n : p.m;
  return call(entry, handle, name, x_step != 0 && y_step != 0 && is_lead(p.a_lead, p.m),
              [=](LibraryCall& library) {
                Factor<T> alpha = p.alpha;
                Factor<T> beta = p.beta;
                if (!alpha.read(library) || !beta.read(library)) return false;
                if (rows <= 0 || columns <= 0) return true;
                const T* const a = library.reads(p.a, extent(p.m, p.n, p.a_lead));
                const T* const x = library.reads(p.b, length(columns, x_step));
                const std::size_t y_length = length(rows, y_step);
                const T* const before =
                    beta.value == 0 ? p.c : library.reads(static_cast<const T*>(p.c), y_length);
                T* const y = library.writes(p.c, y_length);
                if (a == nullptr || x == nullptr || before == nullptr || y == nullptr) return false;
                const std::vector<T> taken_a = taken<T>(a, p.a_lead, of_a, rows, columns);
                for (int i = 0; i < rows; ++i) {
                  T all = 0;
                  for (int j = 0; j < columns; ++j) {
                    all += taken_a[static_cast<std::size_t>(j) * static_cast<std::size_t>(rows) +
                                   static_cast<std::size_t>(i)] *
                           x[at(j, columns, x_step)];
                  }
                  T& out = y[at(i, rows, y_step)];
                  out = alpha.value * all + (beta.value == 0 ? T{0} : beta.value * out);
                }
                take_library(taken_a.size() * sizeof(T), 2.0 * rows * columns, sizeof(T));
                return true;
              });
}

/// A number of 16 bits as matrices hold it.
struct Half {
  unsigned short bits = 0;
  Half() = default;
  explicit Half(float value) : bits(lab_half_bits(value)) {}
  explicit operator float() const { return lab_half_value(bits); }
};

// Of cublasGemmEx, whatever the types.
struct AnyProduct {
  cublasOperation_t of_a, of_b;
  int m, n, k;
  const void* alpha;
  const void* a;
  int a_lead;
  const void* b;
  int b_lead;
  const void* beta;
  void* c;
  int c_lead;

  template <typename T, typename In, typename Out>
  cublasStatus_t as(Entry& entry, cublasHandle_t handle) const {
    const Product<T, In, Out> p{of_a,
                                of_b,
                                m,
                                n,
                                k,
                                {handle, static_cast<const T*>(alpha)},
                                {handle, static_cast<const T*>(beta)},
                                static_cast<const In*>(a),
                                a_lead,
                                static_cast<const In*>(b),
                                b_lead,
                                static_cast<Out*>(c),
                                c_lead};
    return call(entry, handle, "cublasGemmEx", p.valid(),
                [p](LibraryCall& library) { return Product<T, In, Out>(p).work(library); });
  }
};

bool adds_floats(cublasComputeType_t sums) {
  return sums == CUBLAS_COMPUTE_32F || sums == CUBLAS_COMPUTE_32F_PEDANTIC ||
         sums == CUBLAS_COMPUTE_32F_FAST_16F || sums == CUBLAS_COMPUTE_32F_FAST_16BF ||
         sums == CUBLAS_COMPUTE_32F_FAST_TF32;
}

template <typename T>
bool geam(const Product<T>& given, LibraryCall& library) {
  Product<T> p = given;
  if (p.m <= 0 || p.n <= 0) return true;
  if (!p.alpha.read(library) || !p.beta.read(library)) return false;
  const auto side = [&](const T* from, int lead, cublasOperation_t how, T factor, bool& fine) {
    // A matrix whose factor is 0 is not read, and may be null.
    if (factor == 0)
      return std::vector<T>(static_cast<std::size_t>(p.m) * static_cast<std::size_t>(p.n));
    const bool plain = how == CUBLAS_OP_N;
    const T* const a = library.reads(from, extent(plain ? p.m : p.n, plain ? p.n : p.m, lead));
    fine = fine && a != nullptr;
    return a == nullptr ? std::vector<T>() : taken<T>(a, lead, how, p.m, p.n);
  };
  bool fine = true;
  const std::vector<T> a = side(p.a, p.a_lead, p.of_a, p.alpha.value, fine);
  const std::vector<T> b = side(p.b, p.b_lead, p.of_b, p.beta.value, fine);
  T* const c = library.writes(p.c, extent(p.m, p.n, p.c_lead));
  if (!fine || c == nullptr) return false;
  const auto rows = static_cast<std::size_t>(p.m);
  for (std::size_t j = 0; j < static_cast<std::size_t>(p.n); ++j) {
    for (std::size_t i = 0; i < rows; ++i) {
      c[j * static_cast<std::size_t>(p.c_lead) + i] =
          p.alpha.value * a[j * rows + i] + p.beta.value * b[j * rows + i];
    }
  }
  take_library(a.size() * sizeof(T) * 3, 3.0 * p.m * p.n, sizeof(T));
  return true;
}

template <typename T>
bool swap(int n, T* x, int x_step, T* y, int y_step, LibraryCall& library) {
  if (n <= 0) return true;
  const Vectors<T> v{n, x, x_step, y, y_step};
  if (v.read_x(library) == nullptr || v.read_y(library) == nullptr) return false;
  T* const one = library.writes(x, length(n, x_step));
  T* const other = v.write_y(library);
  for (int i = 0; i < n; ++i) std::swap(one[at(i, n, x_step)], other[at(i, n, y_step)]);
  v.take(2);
  return true;
}

// A += alpha x y^T. A and B of the product are x and y, and their leads are steps.
template <typename T>
bool ger(const Product<T>& p, LibraryCall& library) {
  if (p.m <= 0 || p.n <= 0) return true;
  Factor<T> alpha = p.alpha;
  const std::size_t size = extent(p.m, p.n, p.c_lead);
  const T* const x = library.reads(p.a, length(p.m, p.a_lead));
  const T* const y = library.reads(p.b, length(p.n, p.b_lead));
  const bool whole = library.reads(static_cast<const T*>(p.c), size) != nullptr;
  T* const out = library.writes(p.c, size);
  if (!alpha.read(library) || x == nullptr || y == nullptr || !whole || out == nullptr) {
    return false;
  }
  for (int j = 0; j < p.n; ++j) {
    T* const column = out + static_cast<std::size_t>(j) * static_cast<std::size_t>(p.c_lead);
    const T factor = alpha.value * y[at(j, p.n, p.b_lead)];
    for (int i = 0; i < p.m; ++i) column[i] += factor * x[at(i, p.m, p.a_lead)];
  }
  take_library(2 * size * sizeof(T), 2.0 * p.m * p.n, sizeof(T));
  return true;
}

cublasStatus_t status_of(cudaError_t error) {
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

}  // namespace
}  // namespace lab::program

using lab::program::Entry;
using lab::program::Factor;
using lab::program::LibraryCall;
using lab::program::Product;
using lab::program::Vectors;

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
  *version = lab::program::kVersion;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  *stream = handle->stream;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->pointers = mode;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  *mode = handle->pointers;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->math = mode;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  *mode = handle->math;
  return CUBLAS_STATUS_SUCCESS;
}
const char* cublasGetStatusName(cublasStatus_t status) {
  const auto* row = lab::program::row_of(status);
  return row == nullptr ? "unknown" : row->name;
}
const char* cublasGetStatusString(cublasStatus_t status) {
  const auto* row = lab::program::row_of(status);
  return row == nullptr ? "unknown" : row->text;
}

cublasStatus_t cublasSetVector(int n, int size, const void* from, int from_step, void* to,
                               int to_step) {
  const auto bytes = static_cast<size_t>(size);
  return lab::program::status_of(cudaMemcpy2D(to, bytes * static_cast<size_t>(to_step), from,
                                              bytes * static_cast<size_t>(from_step), bytes,
                                              static_cast<size_t>(n), cudaMemcpyHostToDevice));
}
cublasStatus_t cublasGetVector(int n, int size, const void* from, int from_step, void* to,
                               int to_step) {
  const auto bytes = static_cast<size_t>(size);
  return lab::program::status_of(cudaMemcpy2D(to, bytes * static_cast<size_t>(to_step), from,
                                              bytes * static_cast<size_t>(from_step), bytes,
                                              static_cast<size_t>(n), cudaMemcpyDeviceToHost));
}
cublasStatus_t cublasSetMatrix(int rows, int columns, int size, const void* from, int from_lead,
                               void* to, int to_lead) {
  const auto bytes = static_cast<size_t>(size);
  return lab::program::status_of(cudaMemcpy2D(
      to, bytes * static_cast<size_t>(to_lead), from, bytes * static_cast<size_t>(from_lead),
      bytes * static_cast<size_t>(rows), static_cast<size_t>(columns), cudaMemcpyHostToDevice));
}
cublasStatus_t cublasGetMatrix(int rows, int columns, int size, const void* from, int from_lead,
                               void* to, int to_lead) {
  const auto bytes = static_cast<size_t>(size);
  return lab::program::status_of(cudaMemcpy2D(
      to, bytes * static_cast<size_t>(to_lead), from, bytes * static_cast<size_t>(from_lead),
      bytes * static_cast<size_t>(rows), static_cast<size_t>(columns), cudaMemcpyDeviceToHost));
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b,
                            int m, int n, int k, const void* alpha, const void* a,
                            cudaDataType type_a, int a_lead, const void* b, cudaDataType type_b,
                            int b_lead, const void* beta, void* c, cudaDataType type_c, int c_lead,
                            cublasComputeType_t sums, cublasGemmAlgo_t) {
  Entry entry(LAB_SITE);
  const lab::program::AnyProduct p{of_a,   of_b, m,      n,    k, alpha, a,
                                   a_lead, b,    b_lead, beta, c, c_lead};
  if (type_a != type_b) return CUBLAS_STATUS_NOT_SUPPORTED;
  const bool floats = lab::program::adds_floats(sums);
  const bool doubles = sums == CUBLAS_COMPUTE_64F || sums == CUBLAS_COMPUTE_64F_PEDANTIC;
  if (floats && type_a == CUDA_R_32F && type_c == CUDA_R_32F) {
    return p.as<float, float, float>(entry, handle);
  }
  if (doubles && type_a == CUDA_R_64F && type_c == CUDA_R_64F) {
    return p.as<double, double, double>(entry, handle);
  }
  if (floats && type_a == CUDA_R_16F && type_c == CUDA_R_16F) {
    return p.as<float, lab::program::Half, lab::program::Half>(entry, handle);
  }
  if (floats && type_a == CUDA_R_16F && type_c == CUDA_R_32F) {
    return p.as<float, lab::program::Half, float>(entry, handle);
  }
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

#define LAB_BLAS(S, s, T)                                                                          \
  cublasStatus_t cublas##S##axpy_v2(cublasHandle_t handle, int n, const T* alpha, const T* x,      \
                                    int x_step, T* y, int y_step) {                                \
    Entry entry(LAB_SITE);                                                                         \
    const Factor<T> factor(handle, alpha);                                                         \
    return lab::program::call(entry, handle, "cublas" #S "axpy", true, [=](LibraryCall& library) { \
      Factor<T> a = factor;                                                                        \
      return a.read(library) &&                                                                    \
             lab::program::each(Vectors<T>{n, x, x_step, y, y_step}, library, true,                \
                                [&](T in, T out) { return a.value * in + out; });                  \
    });                                                                                            \
  }                                                                                                \
  cublasStatus_t cublas##S##copy_v2(cublasHandle_t handle, int n, const T* x, int x_step, T* y,    \
                                    int y_step) {                                                  \
    Entry entry(LAB_SITE);                                                                         \
    return lab::program::call(entry, handle, "cublas" #S "copy", true, [=](LibraryCall& library) { \
      return lab::program::each(Vectors<T>{n, x, x_step, y, y_step}, library, false,               \
                                [](T in, T) { return in; });                                       \
    });                                                                                            \
  }                                                                                                \
  cublasStatus_t cublas##S##swap_v2(cublasHandle_t handle, int n, T* x, int x_step, T* y,          \
                                    int y_step) {                                                  \
    Entry entry(LAB_SITE);                                                                         \
    return lab::program::call(entry, handle, "cublas" #S "swap", true, [=](LibraryCall& library) { \
      return lab::program::swap(n, x, x_step, y, y_step, library);                                 \
    });                                                                                            \
  }                                                                                                \
  cublasStatus_t cublas##S##scal_v2(cublasHandle_t handle, int n, const T* alpha, T* x,            \
                                    int x_step) {                                                  \
    Entry entry(LAB_SITE);                                                                         \
    const Factor<T> factor(handle, alpha);                                                         \
    return lab::program::call(entry, handle, "cublas" #S "scal", true, [=](LibraryCall& library) { \
      Factor<T> a = factor;                                                                        \
      return a.read(library) && lab::program::each(Vectors<T>{n, x, x_step, x, x_step}, library,   \
                                                   true, [&](T in, T) { return a.value * in; });   \
    });                                                                                            \
  }                                                                                                \
  cublasStatus_t cublas##S##dot_v2(cublasHandle_t handle, int n, const T* x, int x_step,           \
                                   const T* y, int y_step, T* result) {                            \
    Entry entry(LAB_SITE);                                                                         \
    return lab::program::sum(                                                                      \
        entry, handle, "cublas" #S "dot", Vectors<T>{n, x, x_step, const_cast<T*>(y), y_step},     \
        result, [](double one, double other) { return one * other; },                              \
        [](double all) { return all; });                                                           \
  }                                                                                                \
  cublasStatus_t cublas##S##nrm2_v2(cublasHandle_t handle, int n, const T* x, int x_step,          \
                                    T* result) {                                                   \
    Entry entry(LAB_SITE);                                                                         \
    return lab::program::sum(                                                                      \
        entry, handle, "cublas" #S "nrm2", Vectors<T>{n, x, x_step}, result,                       \
        [](double one, double) { return one * one; }, [](double all) { return std::sqrt(all); });  \
  }                                                                                                \
  cublasStatus_t cublas##S##asum_v2(cublasHandle_t handle, int n, const T* x, int x_step,          \
                                    T* result) {                                                   \
    Entry entry(LAB_SITE);                                                                         \
    return lab::program::sum(                                                                      \
        entry, handle, "cublas" #S "asum", Vectors<T>{n, x, x_step}, result,                       \
        [](double one, double) { return std::abs(one); }, [](double all) { return all; });         \
  }                                                                                                \
  cublasStatus_t cublasI##s##amax_v2(cublasHandle_t handle, int n, const T* x, int x_step,         \
                                     int* result) {                                                \
    Entry entry(LAB_SITE);                                                                         \
    return lab::program::find_best(entry, handle, "cublasI" #s "amax", Vectors<T>{n, x, x_step},   \
                                   result, [](T one, T other) { return one > other; });            \
  }                                                                                                \
  cublasStatus_t cublasI##s##amin_v2(cublasHandle_t handle, int n, const T* x, int x_step,         \
                                     int* result) {                                                \
    Entry entry(LAB_SITE);                                                                         \
    return lab::program::find_best(entry, handle, "cublasI" #s "amin", Vectors<T>{n, x, x_step},   \
                                   result, [](T one, T other) { return one < other; });            \
  }                                                                                                \
  cublasStatus_t cublas##S##gemv_v2(cublasHandle_t handle, cublasOperation_t of_a, int m, int n,   \
                                    const T* alpha, const T* a, int a_lead, const T* x,            \
                                    int x_step, const T* beta, T* y, int y_step) {                 \
    Entry entry(LAB_SITE);                                                                         \
    const Product<T> p{of_a,   CUBLAS_OP_N, m, n, 1, {handle, alpha}, {handle, beta}, a,           \
                       a_lead, x,           1, y, 1};                                              \
    return lab::program::gemv(entry, handle, "cublas" #S "gemv", of_a, p, x_step, y_step);         \
  }                                                                                                \
  cublasStatus_t cublas##S##ger_v2(cublasHandle_t handle, int m, int n, const T* alpha,            \
                                   const T* x, int x_step, const T* y, int y_step, T* a,           \
                                   int a_lead) {                                                   \
    Entry entry(LAB_SITE);                                                                         \
    const Factor<T> factor(handle, alpha);                                                         \
    const Product<T> p{CUBLAS_OP_N, CUBLAS_OP_N, m, n,      1, {handle, alpha}, factor,            \
                       x,           x_step,      y, y_step, a, a_lead};                            \
    return lab::program::call(                                                                     \
        entry, handle, "cublas" #S "ger", lab::program::is_lead(a_lead, m),                        \
        [p](LibraryCall& library) { return lab::program::ger(p, library); });                      \
  }                                                                                                \
  cublasStatus_t cublas##S##gemm_v2(cublasHandle_t handle, cublasOperation_t of_a,                 \
                                    cublasOperation_t of_b, int m, int n, int k, const T* alpha,   \
                                    const T* a, int a_lead, const T* b, int b_lead, const T* beta, \
                                    T* c, int c_lead) {                                            \
    Entry entry(LAB_SITE);                                                                         \
    const Product<T> p{of_a, of_b,   m, n,      k, {handle, alpha}, {handle, beta},                \
                       a,    a_lead, b, b_lead, c, c_lead};                                        \
    return lab::program::call(entry, handle, "cublas" #S "gemm", p.valid(),                        \
                              [p](LibraryCall& library) { return Product<T>(p).work(library); });  \
  }                                                                                                \
  cublasStatus_t cublas##S##gemmStridedBatched(                                                    \
      cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n, int k,  \
      const T* alpha, const T* a, int a_lead, long long a_stride, const T* b, int b_lead,          \
      long long b_stride, const T* beta, T* c, int c_lead, long long c_stride, int count) {        \
    Entry entry(LAB_SITE);                                                                         \
    const Product<T> p{of_a, of_b,   m, n,      k, {handle, alpha}, {handle, beta},                \
                       a,    a_lead, b, b_lead, c, c_lead};                                        \
    return lab::program::call(entry, handle, "cublas" #S "gemmStridedBatched", p.valid(),          \
                              [=](LibraryCall& library) {                                          \
                                bool fine = true;                                                  \
                                for (int i = 0; i < count; ++i) {                                  \
                                  Product<T> one = p;                                              \
                                  one.a += i * a_stride;                                           \
                                  one.b += i * b_stride;                                           \
                                  one.c += i * c_stride;                                           \
                                  fine = one.work(library) && fine;                                \
                                }                                                                  \
                                return fine;                                                       \
                              });                                                                  \
  }                                                                                                \
  cublasStatus_t cublas##S##geam(cublasHandle_t handle, cublasOperation_t of_a,                    \
                                 cublasOperation_t of_b, int m, int n, const T* alpha, const T* a, \
                                 int a_lead, const T* beta, const T* b, int b_lead, T* c,          \
                                 int c_lead) {                                                     \
    Entry entry(LAB_SITE);                                                                         \
    const Product<T> p{of_a, of_b,   m, n,      1, {handle, alpha}, {handle, beta},                \
                       a,    a_lead, b, b_lead, c, c_lead};                                        \
    return lab::program::call(                                                                     \
        entry, handle, "cublas" #S "geam", lab::program::is_lead(c_lead, m),                       \
        [p](LibraryCall& library) { return lab::program::geam(p, library); });                     \
  }
LAB_BLAS(S, s, float)
LAB_BLAS(D, d, double)
#undef LAB_BLAS

}  // extern "C"
