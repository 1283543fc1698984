#include "harness/kernel/compile/headers.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "harness/kernel/compile/groups.h"

namespace lab::compile {
namespace {

// The types agree with CUDA's own <cuda/std/cstdint>: int64_t is long long under NVRTC. Repeating a
// typedef with the same type is well formed, so both may be included.
constexpr const char* kStdint = R"(#pragma once
typedef signed char int8_t;
typedef signed short int16_t;
typedef signed int int32_t;
typedef signed long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef int64_t intptr_t;
typedef uint64_t uintptr_t;
typedef int64_t intmax_t;
typedef uint64_t uintmax_t;
#ifndef INT8_MAX
#define INT8_MIN (-128)
#define INT16_MIN (-32767 - 1)
#define INT32_MIN (-2147483647 - 1)
#define INT64_MIN (-9223372036854775807LL - 1)
#define INT8_MAX 127
#define INT16_MAX 32767
#define INT32_MAX 2147483647
#define INT64_MAX 9223372036854775807LL
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295U
#define UINT64_MAX 18446744073709551615ULL
#define SIZE_MAX UINT64_MAX
#endif
namespace std {
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::intptr_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
using ::uintptr_t;
}  // namespace std
)";

constexpr const char* kStddef = R"(#pragma once
typedef long int ptrdiff_t;
#ifndef NULL
#define NULL 0
#endif
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
namespace std {
using ::ptrdiff_t;
using ::size_t;
typedef decltype(nullptr) nullptr_t;
}  // namespace std
)";

constexpr const char* kStdio = R"(#pragma once
#include <stddef.h>
namespace std {
using ::printf;
}
)";

constexpr const char* kStdlib = R"(#pragma once
#include <stddef.h>
#ifndef EXIT_SUCCESS
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#endif
namespace std {
using ::abs;
using ::free;
using ::malloc;
}  // namespace std
)";

constexpr const char* kString = R"(#pragma once
#include <stddef.h>
namespace std {
using ::memcpy;
using ::memset;
}  // namespace std
)";

constexpr const char* kLimits = R"(#pragma once
#ifndef CHAR_BIT
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-32767 - 1)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LONG_MIN (-9223372036854775807L - 1)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MIN (-9223372036854775807LL - 1)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
#endif
)";

constexpr const char* kFloat = R"(#pragma once
#ifndef FLT_MAX
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_MIN 1.17549435082228750797e-38F
#define FLT_MAX 3.40282346638528859812e+38F
#define FLT_EPSILON 1.1920928955078125e-7F
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_MIN 2.22507385850720138309e-308
#define DBL_MAX 1.79769313486231570815e+308
#define DBL_EPSILON 2.22044604925031308085e-16
#endif
)";

constexpr const char* kMath = R"(#pragma once
#ifndef INFINITY
#define INFINITY (__int_as_float(0x7f800000))
#endif
#ifndef NAN
#define NAN (__int_as_float(0x7fffffff))
#endif
#ifndef HUGE_VAL
#define HUGE_VAL (__longlong_as_double(0x7ff0000000000000LL))
#define HUGE_VALF INFINITY
#endif
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
namespace std {
using ::abs;
using ::acos;
using ::asin;
using ::atan;
using ::atan2;
using ::cbrt;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::erf;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::hypot;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::ldexp;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::nearbyint;
using ::pow;
using ::rint;
using ::round;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::trunc;
}  // namespace std
)";

constexpr const char* kAlgorithm = R"(#pragma once
namespace std {
template <class T>
__host__ __device__ constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T>
__host__ __device__ constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T>
__host__ __device__ constexpr void swap(T& a, T& b) { T t = a; a = b; b = t; }
}  // namespace std
)";

constexpr const char* kTypeTraits = R"(#pragma once
namespace std {
template <class T, T v>
struct integral_constant {
  static constexpr T value = v;
  using value_type = T;
  using type = integral_constant;
  __host__ __device__ constexpr operator T() const { return v; }
};
template <bool B> using bool_constant = integral_constant<bool, B>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;
template <class...> using void_t = void;
template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { using type = T; };
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <bool B, class T, class F> struct conditional { using type = T; };
template <class T, class F> struct conditional<false, T, F> { using type = F; };
template <bool B, class T, class F> using conditional_t = typename conditional<B, T, F>::type;
template <class A, class B> struct is_same : false_type {};
template <class A> struct is_same<A, A> : true_type {};
template <class A, class B> inline constexpr bool is_same_v = is_same<A, B>::value;
template <class T> struct remove_const { using type = T; };
template <class T> struct remove_const<const T> { using type = T; };
template <class T> struct remove_volatile { using type = T; };
template <class T> struct remove_volatile<volatile T> { using type = T; };
template <class T> struct remove_cv {
  using type = typename remove_volatile<typename remove_const<T>::type>::type;
};
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> struct remove_reference { using type = T; };
template <class T> struct remove_reference<T&> { using type = T; };
template <class T> struct remove_reference<T&&> { using type = T; };
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> struct remove_pointer { using type = T; };
template <class T> struct remove_pointer<T*> { using type = T; };
template <class T> using remove_pointer_t = typename remove_pointer<T>::type;
template <class T> struct decay { using type = remove_cv_t<remove_reference_t<T>>; };
template <class T> using decay_t = typename decay<T>::type;
template <class T> struct lab_is_float : false_type {};
template <> struct lab_is_float<float> : true_type {};
template <> struct lab_is_float<double> : true_type {};
template <class T> struct is_floating_point : lab_is_float<remove_cv_t<T>> {};
template <class T> inline constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <class T> struct lab_is_integer : false_type {};
template <> struct lab_is_integer<bool> : true_type {};
template <> struct lab_is_integer<char> : true_type {};
template <> struct lab_is_integer<signed char> : true_type {};
template <> struct lab_is_integer<unsigned char> : true_type {};
template <> struct lab_is_integer<wchar_t> : true_type {};
template <> struct lab_is_integer<short> : true_type {};
template <> struct lab_is_integer<unsigned short> : true_type {};
template <> struct lab_is_integer<int> : true_type {};
template <> struct lab_is_integer<unsigned int> : true_type {};
template <> struct lab_is_integer<long> : true_type {};
template <> struct lab_is_integer<unsigned long> : true_type {};
template <> struct lab_is_integer<long long> : true_type {};
template <> struct lab_is_integer<unsigned long long> : true_type {};
template <class T> struct is_integral : lab_is_integer<remove_cv_t<T>> {};
template <class T> inline constexpr bool is_integral_v = is_integral<T>::value;
template <class T>
struct is_arithmetic : integral_constant<bool, is_integral<T>::value || is_floating_point<T>::value> {};
template <class T> inline constexpr bool is_arithmetic_v = is_arithmetic<T>::value;
template <class T> struct is_pointer : false_type {};
template <class T> struct is_pointer<T*> : true_type {};
template <class T> inline constexpr bool is_pointer_v = is_pointer<T>::value;
template <class T>
struct is_signed : integral_constant<bool, is_arithmetic<T>::value && (T(-1) < T(0))> {};
template <class T> inline constexpr bool is_signed_v = is_signed<T>::value;
template <class T>
struct is_unsigned : integral_constant<bool, is_arithmetic<T>::value && !(T(-1) < T(0))> {};
template <class T> inline constexpr bool is_unsigned_v = is_unsigned<T>::value;
template <class T> struct is_trivially_copyable
    : integral_constant<bool, __is_trivially_copyable(T)> {};
template <class T> inline constexpr bool is_trivially_copyable_v = is_trivially_copyable<T>::value;
}  // namespace std
)";

constexpr const char* kNumericLimits = R"(#pragma once
#include <limits.h>
#include <float.h>
namespace std {
template <class T> struct numeric_limits { static constexpr bool is_specialized = false; };
#define LAB_LIMITS(T, LOW, HIGH, SIGNED, DIGITS)                                       \
  template <> struct numeric_limits<T> {                                               \
    static constexpr bool is_specialized = true, is_integer = true, is_signed = SIGNED; \
    static constexpr bool has_infinity = false, has_quiet_NaN = false;                 \
    static constexpr int digits = DIGITS;                                              \
    __host__ __device__ static constexpr T min() { return LOW; }                       \
    __host__ __device__ static constexpr T lowest() { return LOW; }                    \
    __host__ __device__ static constexpr T max() { return HIGH; }                      \
  };
LAB_LIMITS(bool, false, true, false, 1)
LAB_LIMITS(char, CHAR_MIN, CHAR_MAX, true, 7)
LAB_LIMITS(signed char, SCHAR_MIN, SCHAR_MAX, true, 7)
LAB_LIMITS(unsigned char, 0, UCHAR_MAX, false, 8)
LAB_LIMITS(short, SHRT_MIN, SHRT_MAX, true, 15)
LAB_LIMITS(unsigned short, 0, USHRT_MAX, false, 16)
LAB_LIMITS(int, INT_MIN, INT_MAX, true, 31)
LAB_LIMITS(unsigned int, 0, UINT_MAX, false, 32)
LAB_LIMITS(long, LONG_MIN, LONG_MAX, true, 63)
LAB_LIMITS(unsigned long, 0, ULONG_MAX, false, 64)
LAB_LIMITS(long long, LLONG_MIN, LLONG_MAX, true, 63)
LAB_LIMITS(unsigned long long, 0, ULLONG_MAX, false, 64)
#undef LAB_LIMITS
#define LAB_LIMITS(T, PREFIX, INFINITE, QUIET)                                         \
  template <> struct numeric_limits<T> {                                               \
    static constexpr bool is_specialized = true, is_integer = false, is_signed = true; \
    static constexpr bool has_infinity = true, has_quiet_NaN = true;                   \
    static constexpr int digits = PREFIX##_MANT_DIG;                                   \
    __host__ __device__ static constexpr T min() { return PREFIX##_MIN; }              \
    __host__ __device__ static constexpr T lowest() { return -PREFIX##_MAX; }          \
    __host__ __device__ static constexpr T max() { return PREFIX##_MAX; }              \
    __host__ __device__ static constexpr T epsilon() { return PREFIX##_EPSILON; }      \
    __host__ __device__ static T infinity() { return INFINITE; }                       \
    __host__ __device__ static T quiet_NaN() { return QUIET; }                         \
  };
LAB_LIMITS(float, FLT, __int_as_float(0x7f800000), __int_as_float(0x7fffffff))
LAB_LIMITS(double, DBL, __longlong_as_double(0x7ff0000000000000LL),
           __longlong_as_double(0x7fffffffffffffffLL))
#undef LAB_LIMITS
}  // namespace std
)";

// std::move and std::forward are NVRTC's own.
constexpr const char* kUtility = R"(#pragma once
#include <algorithm>
#include <type_traits>
)";

// nvcc includes the C headers of numbers and the types of <sys/types.h>. GNU's words for asm are
// its too. Those on dependent grids are templates, so that CUDA's own may be defined behind them.
constexpr const char* kPreludeText = R"(#pragma once
#include <stddef.h>
#include <stdint.h>
#include <limits.h>
#include <math.h>
#include <float.h>
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;
typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;
typedef unsigned long u_long;
typedef long ssize_t;
typedef long off_t;
#define __asm__ asm
#define __asm asm
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
template <int = 0>
inline __device__ void cudaGridDependencySynchronize() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}
template <int = 0>
inline __device__ void cudaTriggerProgrammaticLaunchCompletion() {
  asm volatile("griddepcontrol.launch_dependents;");
}
#endif
)";

// Types of the standard library that only the host can use, for sources that name them beside their
// kernels: a class with such a member, `std::vector<float>::value_type`. Each type has the size
// that it has in libstdc++ on 64-bit machines, so that what lies behind it stays in place, and
// nothing can be done with one.
constexpr const char* kVector = R"(#pragma once
namespace std {
template <class T, class A = void>
class vector {
 public:
  using value_type = T;
  using size_type = size_t;
  using pointer = T*;
  using const_pointer = const T*;
  using reference = T&;
  using const_reference = const T&;

 private:
  void* lab_[3];
};
template <class A>
class vector<bool, A> {
 public:
  using value_type = bool;
  using size_type = size_t;

 private:
  void* lab_[5];
};
}  // namespace std
)";

constexpr const char* kStdString = R"(#pragma once
namespace std {
template <class C, class T = void, class A = void>
class basic_string {
 public:
  using value_type = C;
  using size_type = size_t;

 private:
  void* lab_[4];
};
typedef basic_string<char> string;
typedef basic_string<wchar_t> wstring;
}  // namespace std
)";

// Streams bring strings with them.
constexpr const char* kStream = "#pragma once\n#include <string>\n";

constexpr const char* kMap = R"(#pragma once
namespace std {
template <class K, class T, class C = void, class A = void>
class map {
 public:
  using key_type = K;
  using mapped_type = T;

 private:
  void* lab_[6];
};
}  // namespace std
)";

constexpr const char* kUnorderedMap = R"(#pragma once
namespace std {
template <class K, class T, class H = void, class E = void, class A = void>
class unordered_map {
 public:
  using key_type = K;
  using mapped_type = T;

 private:
  void* lab_[7];
};
}  // namespace std
)";

constexpr const char* kSet = R"(#pragma once
namespace std {
template <class T, class C = void, class A = void>
class set {
 public:
  using value_type = T;

 private:
  void* lab_[6];
};
}  // namespace std
)";

constexpr const char* kFunction = R"(#pragma once
namespace std {
template <class F>
class function {
  void* lab_[4];
};
}  // namespace std
)";

constexpr const char* kMemory = R"(#pragma once
namespace std {
template <class T, class D = void>
class unique_ptr {
 public:
  using element_type = T;

 private:
  void* lab_[1];
};
template <class T>
class shared_ptr {
 public:
  using element_type = T;

 private:
  void* lab_[2];
};
}  // namespace std
)";

// Kernels use nothing of cuBLAS's headers but the types that these include: all of them where the
// toolkit is installed.
constexpr const char* kCublas = R"(#pragma once
#include <cuda_fp16.h>
#if __has_include(<cuda_bf16.h>)
#include <cuda_bf16.h>
#include <cuComplex.h>
#endif
)";

// Of cuFFT's what kernels name: the types of what they get and give.
constexpr const char* kCufft = R"(#pragma once
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef float2 cufftComplex;
typedef double2 cufftDoubleComplex;
typedef int cufftHandle;
)";

// CUB's header of everything has what a host calls, too, which NVRTC refuses. Kernels use its parts
// for blocks and warps.
constexpr const char* kCub = R"(#pragma once
#if __has_include(<cub/block/block_reduce.cuh>)
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#endif
)";

// assert, the built-in types and cudaError_t are known to NVRTC with no header at all.
constexpr const char* kNothing = "#pragma once\n";

// How the toolkit's headers begin that only a host can use.
constexpr std::array<std::string_view, 27> kHostHeaders = {"cublas",
                                                           "cufft",
                                                           "curand.h",
                                                           "cusparse",
                                                           "cusolver",
                                                           "cudnn",
                                                           "nvml",
                                                           "npp",
                                                           "thrust/",
                                                           "nvtx",
                                                           "nvToolsExt",
                                                           "cuda_profiler_api.h",
                                                           "cudaProfiler",
                                                           "cuda_gl",
                                                           "cudaGL",
                                                           "nvrtc",
                                                           "cupti",
                                                           "cuda_vdpau",
                                                           "cuda_egl",
                                                           "nvJitLink",
                                                           "nvjpeg",
                                                           "cudaEGL",
                                                           "builtin_types.h",
                                                           "driver_functions.h",
                                                           "channel_descriptor.h",
                                                           "curand_mtgp32_host.h",
                                                           "cudaVDPAU"};

constexpr Header kHeaders[] = {
    {"cstdint", kStdint},
    {"stdint.h", kStdint},
    {"cstddef", kStddef},
    {"stddef.h", kStddef},
    {"cstdio", kStdio},
    {"stdio.h", kStdio},
    {"cstdlib", kStdlib},
    {"stdlib.h", kStdlib},
    {"cstring", kString},
    {"string.h", kString},
    {"climits", kLimits},
    {"limits.h", kLimits},
    {"cfloat", kFloat},
    {"float.h", kFloat},
    {"cmath", kMath},
    {"math.h", kMath},
    {"algorithm", kAlgorithm},
    {"type_traits", kTypeTraits},
    {"limits", kNumericLimits},
    {"utility", kUtility},
    {"cublas_v2.h", kCublas},
    {"cublasLt.h", kCublas},
    {"cublas.h", kCublas},
    {"cufft.h", kCufft},
    {"cufftXt.h", kCufft},
    {"cub/cub.cuh", kCub},
    {"sys/types.h", kStdint},
    {"inttypes.h", kStdint},
    {"cinttypes", kStdint},
    {"lab_prelude.h", kPreludeText},
    {"cassert", kNothing},
    {"assert.h", kNothing},
    {"cuda_runtime.h", kNothing},
    {"cuda_runtime_api.h", kNothing},
    {"device_launch_parameters.h", kNothing},
    {"vector", kVector},
    {"string", kStdString},
    {"iostream", kStream},
    {"fstream", kStream},
    {"sstream", kStream},
    {"map", kMap},
    {"unordered_map", kUnorderedMap},
    {"set", kSet},
    {"functional", kFunction},
    {"memory", kMemory},
};
// From here on they are of what a host alone can use.
constexpr std::string_view kFirstStub = "vector";

// Asynchronous copies to shared memory; the last bytes may be zeros in place of what lies there.
constexpr const char* kPipeline = R"(#pragma once
__device__ __forceinline__ void __pipeline_memcpy_async(void* to, const void* from, size_t bytes,
                                                        size_t zeros = 0) {
  unsigned at = (unsigned)__cvta_generic_to_shared(to), read = (unsigned)(bytes - zeros);
  if (bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(read)
                 : "memory");
  } else if (bytes == 8) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(at), "l"(from), "r"(read)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(from), "r"(read)
                 : "memory");
  }
}
__device__ __forceinline__ void __pipeline_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
// `left` has to be known when the kernel is compiled.
#define __pipeline_wait_prior(left) \
  asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory")
)";
constexpr const char* kOfGroups = "#pragma once\n#include <cooperative_groups.h>\n";
const Header kInPlace[] = {
    {"cuda.h", kNothing},
    {"cuda_pipeline.h", kPipeline},
    {"cuda_pipeline_primitives.h", kPipeline},
    {"cooperative_groups.h", kCooperativeGroups},
    {"cooperative_groups/reduce.h", kOfGroups},
    {"cooperative_groups/scan.h", kOfGroups},
#include LAB_KERNEL_HEADERS
};

bool is_in(const std::vector<std::string>& folders, const std::filesystem::path& name) {
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(std::filesystem::path(folder) / name, ignored);
  });
}

}  // namespace

std::span<const Header> shim_headers() { return kHeaders; }

std::vector<Header> headers_in_place(const std::vector<std::string>& folders) {
  std::vector<Header> all;
  for (const Header& one : kInPlace) {
    if (!is_in(folders, one.name)) all.push_back(one);
  }
  return all;
}

source::Header where_is(const source::HeaderName& header, const std::vector<std::string>& folders) {
  const std::string& name = header.name;
  const auto is_called = [&](const Header& one) { return name == one.name; };
  const Header* const end = std::end(kHeaders);
  const Header* const stubs = std::find_if(
      std::begin(kHeaders), end, [](const Header& one) { return one.name == kFirstStub; });
  const Header* const ours = std::find_if(std::begin(kHeaders), end, is_called);
  if (ours != end) return ours < stubs ? source::Header::kKernels : source::Header::kStub;
  const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
  const bool for_host = std::any_of(kHostHeaders.begin(), kHostHeaders.end(), begins);
  // Names that lead elsewhere are not the toolkit's, and whether there is such a file is not told.
  const std::filesystem::path path(name);
  const bool elsewhere = path.is_absolute() || std::count(path.begin(), path.end(), "..") > 0;
  const bool found = !elsewhere && is_in(folders, path);
  if (found) return for_host ? source::Header::kHost : source::Header::kKernels;
  if (std::any_of(std::begin(kInPlace), std::end(kInPlace), is_called))
    return source::Header::kKernels;
  // A quoted one may be the user's own: cublas_utils.h.
  const bool known = (for_host && !header.quoted) || source::is_system_header(header);
  return known ? source::Header::kHost : source::Header::kNowhere;
}

}  // namespace lab::compile
