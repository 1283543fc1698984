// Asynchronous copies to shared memory, as far as a program's host part names them.
#pragma once

#include "cuda_runtime.h"

__attribute__((device)) void __pipeline_memcpy_async(void* to, const void* from, size_t bytes,
                                                     size_t zeros = 0);
__attribute__((device)) void __pipeline_commit();
__attribute__((device)) void __pipeline_wait_prior(size_t left);
