// CUPTI in the process of another program: callbacks and activities, no counters.
#pragma once

#include <cupti.h>

#include <string>

namespace lab::record {

// Name without its `cupti`; the type is the header's. All of them are there since CUDA 11.
#define LAB_RECORD_CUPTI_FUNCTIONS(X) \
  X(GetVersion)                       \
  X(GetResultString)                  \
  X(Subscribe)                        \
  X(EnableCallback)                   \
  X(ActivityRegisterCallbacks)        \
  X(ActivityEnable)                   \
  X(ActivityFlushAll)                 \
  X(ActivityGetNextRecord)            \
  X(ActivityGetNumDroppedRecords)

/// CUPTI's functions by name: api.Subscribe is cuptiSubscribe.
struct CuptiCalls {
#define LAB_RECORD_CUPTI_MEMBER(name) decltype(&::cupti##name) name = nullptr;
  LAB_RECORD_CUPTI_FUNCTIONS(LAB_RECORD_CUPTI_MEMBER)
#undef LAB_RECORD_CUPTI_MEMBER
};

/// Loads CUPTI of the major version whose headers these are, since its records change with it: the
/// one that the program has loaded itself, else that of `folders` (with : between them), else the
/// loader's. Returns why it can't; an empty text: `calls` are there.
[[nodiscard]] std::string load_cupti(const char* folders, CuptiCalls& calls);

/// CUPTI_ERROR_..., as CUPTI itself names it.
[[nodiscard]] std::string result_name(const CuptiCalls& calls, CUptiResult code);

}  // namespace lab::record
