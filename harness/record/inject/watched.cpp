#include "harness/record/inject/watched.h"

#include <array>

namespace lab::record {

namespace {

// cuLaunchKernel, cuLaunchCooperativeKernel and their _ptsz have members of the same names.
template <typename Params>
Called called_plainly(Entry entry, const void* params) {
  const auto& p = *static_cast<const Params*>(params);
  return {entry,
          {{p.gridDimX, p.gridDimY, p.gridDimZ}, {p.blockDimX, p.blockDimY, p.blockDimZ}},
          p.sharedMemBytes,
          p.hStream};
}

template <typename Params>
Called called_with_config(const void* params) {
  const CUlaunchConfig* config = static_cast<const Params*>(params)->config;
  if (config == nullptr) return {Entry::kExtended};
  return {Entry::kExtended,
          {{config->gridDimX, config->gridDimY, config->gridDimZ},
           {config->blockDimX, config->blockDimY, config->blockDimZ}},
          config->sharedMemBytes,
          config->hStream};
}

Called called_for_several(const void* params) {
  const auto& p = *static_cast<const cuLaunchCooperativeKernelMultiDevice_params*>(params);
  if (p.launchParamsList == nullptr || p.numDevices == 0) return {Entry::kSeveral};
  const CUDA_LAUNCH_PARAMS& first = p.launchParamsList[0];
  return {Entry::kSeveral,
          {{first.gridDimX, first.gridDimY, first.gridDimZ},
           {first.blockDimX, first.blockDimY, first.blockDimZ}},
          first.sharedMemBytes,
          first.hStream};
}

Called called_old(const void* params) {
  const auto& p = *static_cast<const cuLaunchGrid_params*>(params);
  return {Entry::kOld,
          {{static_cast<unsigned>(p.grid_width), static_cast<unsigned>(p.grid_height), 1}, {}}};
}

// cuCtxSynchronize_v2, by its number: headers before CUDA 13 lack the name.
constexpr CUpti_CallbackId kContextSynchronize = 800;

#define LAB_ID(name) CUPTI_DRIVER_TRACE_CBID_##name
using Role = Watched::Role;
constexpr std::array kWatched = {
    Watched{LAB_ID(cuLaunchKernel), Role::kLaunch,
            [](const void* p) { return called_plainly<cuLaunchKernel_params>(Entry::kKernel, p); }},
    Watched{
        LAB_ID(cuLaunchKernel_ptsz), Role::kLaunch,
        [](const void* p) { return called_plainly<cuLaunchKernel_ptsz_params>(Entry::kKernel, p); },
        true},
    Watched{LAB_ID(cuLaunchKernelEx), Role::kLaunch, called_with_config<cuLaunchKernelEx_params>},
    Watched{LAB_ID(cuLaunchKernelEx_ptsz), Role::kLaunch,
            called_with_config<cuLaunchKernelEx_ptsz_params>, true},
    Watched{LAB_ID(cuLaunchCooperativeKernel), Role::kLaunch,
            [](const void* p) {
              return called_plainly<cuLaunchCooperativeKernel_params>(Entry::kCooperative, p);
            }},
    Watched{LAB_ID(cuLaunchCooperativeKernel_ptsz), Role::kLaunch,
            [](const void* p) {
              return called_plainly<cuLaunchCooperativeKernel_ptsz_params>(Entry::kCooperative, p);
            },
            true},
    Watched{LAB_ID(cuLaunchCooperativeKernelMultiDevice), Role::kLaunch, called_for_several},
    Watched{LAB_ID(cuLaunch), Role::kLaunch,
            [](const void*) {
              return Called{Entry::kOld, {{1, 1, 1}, {}}};
            }},
    Watched{LAB_ID(cuLaunchGrid), Role::kLaunch, called_old},
    // It begins as cuLaunchGrid does.
    Watched{LAB_ID(cuLaunchGridAsync), Role::kLaunch, called_old},
    Watched{LAB_ID(cuGraphLaunch), Role::kLaunch,
            [](const void*) { return Called{Entry::kGraph}; }},
    Watched{LAB_ID(cuGraphLaunch_ptsz), Role::kLaunch,
            [](const void*) { return Called{Entry::kGraph}; }, true},
    Watched{LAB_ID(cuCtxSynchronize), Role::kWait},
    Watched{kContextSynchronize, Role::kWait},
    Watched{LAB_ID(cuStreamSynchronize), Role::kWait},
    Watched{LAB_ID(cuStreamSynchronize_ptsz), Role::kWait},
    Watched{LAB_ID(cuEventSynchronize), Role::kWait},
    Watched{LAB_ID(cuMemcpyDtoH_v2), Role::kWait},
    Watched{LAB_ID(cuMemcpyDtoH_v2_ptds), Role::kWait},
    Watched{LAB_ID(cuStreamBeginCapture), Role::kBeginCapture},
    Watched{LAB_ID(cuStreamBeginCapture_ptsz), Role::kBeginCapture},
    Watched{LAB_ID(cuStreamBeginCapture_v2), Role::kBeginCapture},
    Watched{LAB_ID(cuStreamBeginCapture_v2_ptsz), Role::kBeginCapture},
    Watched{LAB_ID(cuStreamBeginCaptureToGraph), Role::kBeginCapture},
    Watched{LAB_ID(cuStreamBeginCaptureToGraph_ptsz), Role::kBeginCapture},
    Watched{LAB_ID(cuStreamEndCapture), Role::kEndCapture},
    Watched{LAB_ID(cuStreamEndCapture_ptsz), Role::kEndCapture},
};
#undef LAB_ID

}  // namespace

const Watched* find_watched(CUpti_CallbackId id) {
  for (const Watched& one : kWatched) {
    if (one.id == id) return &one;
  }
  return nullptr;
}

void watch_all(const CuptiCalls& calls, CUpti_SubscriberHandle subscriber) {
  for (const Watched& one : kWatched) {
    // An older CUPTI does not know the newest functions, and a driver of its age has none of them.
    static_cast<void>(calls.EnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, one.id));
  }
}

}  // namespace lab::record
