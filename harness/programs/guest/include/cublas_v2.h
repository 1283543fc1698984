// cuBLAS as far as lab exec has it: single and double precision of the calls that courses use.
// Each is worked out by plain loops on the CPU, and not counted. Other calls do not compile, and
// are named.
#pragma once

#include <stdint.h>

#include "cuda_runtime_api.h"
#include "library_types.h"

typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 } cublasOperation_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3
} cublasMath_t;
typedef enum {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32I_PEDANTIC = 73,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
typedef enum {
  CUBLAS_GEMM_DFALT = -1,
  CUBLAS_GEMM_DEFAULT = -1,
  CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99
} cublasGemmAlgo_t;
typedef struct cublasContext* cublasHandle_t;

#ifdef __cplusplus
extern "C" {
#endif

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int* version);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode);
const char* cublasGetStatusName(cublasStatus_t status);
const char* cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasSetVector(int n, int size, const void* from, int from_step, void* to,
                               int to_step);
cublasStatus_t cublasGetVector(int n, int size, const void* from, int from_step, void* to,
                               int to_step);
cublasStatus_t cublasSetMatrix(int rows, int columns, int size, const void* from, int from_lead,
                               void* to, int to_lead);
cublasStatus_t cublasGetMatrix(int rows, int columns, int size, const void* from, int from_lead,
                               void* to, int to_lead);

#define LAB_BLAS(S, s, T)                                                                          \
  cublasStatus_t cublas##S##axpy_v2(cublasHandle_t handle, int n, const T* alpha, const T* x,      \
                                    int x_step, T* y, int y_step);                                 \
  cublasStatus_t cublas##S##copy_v2(cublasHandle_t handle, int n, const T* x, int x_step, T* y,    \
                                    int y_step);                                                   \
  cublasStatus_t cublas##S##swap_v2(cublasHandle_t handle, int n, T* x, int x_step, T* y,          \
                                    int y_step);                                                   \
  cublasStatus_t cublas##S##scal_v2(cublasHandle_t handle, int n, const T* alpha, T* x,            \
                                    int x_step);                                                   \
  cublasStatus_t cublas##S##dot_v2(cublasHandle_t handle, int n, const T* x, int x_step,           \
                                   const T* y, int y_step, T* result);                             \
  cublasStatus_t cublas##S##nrm2_v2(cublasHandle_t handle, int n, const T* x, int x_step,          \
                                    T* result);                                                    \
  cublasStatus_t cublas##S##asum_v2(cublasHandle_t handle, int n, const T* x, int x_step,          \
                                    T* result);                                                    \
  cublasStatus_t cublasI##s##amax_v2(cublasHandle_t handle, int n, const T* x, int x_step,         \
                                     int* result);                                                 \
  cublasStatus_t cublasI##s##amin_v2(cublasHandle_t handle, int n, const T* x, int x_step,         \
                                     int* result);                                                 \
  cublasStatus_t cublas##S##gemv_v2(cublasHandle_t handle, cublasOperation_t of_a, int m, int n,   \
                                    const T* alpha, const T* a, int a_lead, const T* x,            \
                                    int x_step, const T* beta, T* y, int y_step);                  \
  cublasStatus_t cublas##S##ger_v2(cublasHandle_t handle, int m, int n, const T* alpha,            \
                                   const T* x, int x_step, const T* y, int y_step, T* a,           \
                                   int a_lead);                                                    \
  cublasStatus_t cublas##S##gemm_v2(cublasHandle_t handle, cublasOperation_t of_a,                 \
                                    cublasOperation_t of_b, int m, int n, int k, const T* alpha,   \
                                    const T* a, int a_lead, const T* b, int b_lead, const T* beta, \
                                    T* c, int c_lead);                                             \
  cublasStatus_t cublas##S##gemmStridedBatched(                                                    \
      cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n, int k,  \
      const T* alpha, const T* a, int a_lead, long long a_stride, const T* b, int b_lead,          \
      long long b_stride, const T* beta, T* c, int c_lead, long long c_stride, int count);         \
  cublasStatus_t cublas##S##geam(cublasHandle_t handle, cublasOperation_t of_a,                    \
                                 cublasOperation_t of_b, int m, int n, const T* alpha, const T* a, \
                                 int a_lead, const T* beta, const T* b, int b_lead, T* c,          \
                                 int c_lead);
/* Of float, of double, and of half with sums in float: C is half or float. */
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b,
                            int m, int n, int k, const void* alpha, const void* a,
                            cudaDataType type_a, int a_lead, const void* b, cudaDataType type_b,
                            int b_lead, const void* beta, void* c, cudaDataType type_c, int c_lead,
                            cublasComputeType_t sums, cublasGemmAlgo_t algorithm);

LAB_BLAS(S, s, float)
LAB_BLAS(D, d, double)
#undef LAB_BLAS

#ifdef __cplusplus
}
#endif

#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasGetVersion cublasGetVersion_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasSaxpy cublasSaxpy_v2
#define cublasDaxpy cublasDaxpy_v2
#define cublasScopy cublasScopy_v2
#define cublasDcopy cublasDcopy_v2
#define cublasSswap cublasSswap_v2
#define cublasDswap cublasDswap_v2
#define cublasSscal cublasSscal_v2
#define cublasDscal cublasDscal_v2
#define cublasSdot cublasSdot_v2
#define cublasDdot cublasDdot_v2
#define cublasSnrm2 cublasSnrm2_v2
#define cublasDnrm2 cublasDnrm2_v2
#define cublasSasum cublasSasum_v2
#define cublasDasum cublasDasum_v2
#define cublasIsamax cublasIsamax_v2
#define cublasIdamax cublasIdamax_v2
#define cublasIsamin cublasIsamin_v2
#define cublasIdamin cublasIdamin_v2
#define cublasSgemv cublasSgemv_v2
#define cublasDgemv cublasDgemv_v2
#define cublasSger cublasSger_v2
#define cublasDger cublasDger_v2
#define cublasSgemm cublasSgemm_v2
#define cublasDgemm cublasDgemm_v2
