// Launches with attributes.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "harness/programs/guest/runtime/calls.h"

namespace lab::program {
namespace {

enum class Effect {
  kNone,         ///< on results and on what is counted
  kCooperative,  ///< blocks may wait for each other
  kCluster,
  kRefused,
};
struct AttributeRow {
  int id;
  Effect effect;
  RefusedCall refused = RefusedCall::kNewerAttribute;
};
// As CUDA 13's driver_types.h numbers them. What is not here is of a newer one.
constexpr AttributeRow kAttributes[] = {
    {0, Effect::kNone},         // cudaLaunchAttributeIgnore
    {1, Effect::kNone},         // cudaLaunchAttributeAccessPolicyWindow
    {2, Effect::kCooperative},  // cudaLaunchAttributeCooperative
    {3, Effect::kNone},         // cudaLaunchAttributeSynchronizationPolicy
    {4, Effect::kCluster},      // cudaLaunchAttributeClusterDimension
    {5, Effect::kNone},         // cudaLaunchAttributeClusterSchedulingPolicyPreference
    // Here each kernel begins when those before it in its stream have ended, as it may.
    {6, Effect::kNone},  // cudaLaunchAttributeProgrammaticStreamSerialization
    {7, Effect::kRefused, RefusedCall::kProgrammaticEvent},
    {8, Effect::kNone},   // cudaLaunchAttributePriority
    {9, Effect::kNone},   // cudaLaunchAttributeMemSyncDomainMap
    {10, Effect::kNone},  // cudaLaunchAttributeMemSyncDomain
    {11, Effect::kRefused, RefusedCall::kPreferredCluster},
    {12, Effect::kRefused, RefusedCall::kCompletionEvent},
    {13, Effect::kRefused, RefusedCall::kUpdatableNode},
    {14, Effect::kNone},  // cudaLaunchAttributePreferredSharedMemoryCarveout
    {15, Effect::kNone},  // cudaLaunchAttributeNvlinkUtilCentricScheduling
};
constexpr AttributeRow kOther = {-1, Effect::kRefused};

const AttributeRow& row_of(const cudaLaunchAttribute& attribute) {
  // The program's own number, which may be none of the enumeration's.
  int id = 0;
  std::memcpy(&id, &attribute.id, sizeof id);
  const auto* const found = std::find_if(std::begin(kAttributes), std::end(kAttributes),
                                         [=](const AttributeRow& row) { return row.id == id; });
  return found == std::end(kAttributes) ? kOther : *found;
}

// False: the launch is refused.
bool apply(Entry& entry, const cudaLaunchAttribute& attribute, Configuration& how) {
  const AttributeRow& row = row_of(attribute);
  switch (row.effect) {
    case Effect::kNone:
      break;
    case Effect::kCooperative:
      how.cooperative = attribute.val.cooperative != 0;
      break;
    case Effect::kCluster:
      how.cluster = {attribute.val.clusterDim.x, attribute.val.clusterDim.y,
                     attribute.val.clusterDim.z};
      break;
    case Effect::kRefused:
      entry.line().note(Refused{row.refused}, entry.site());
      return false;
  }
  return true;
}

}  // namespace
}  // namespace lab::program

extern "C" cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                           void** arguments) {
  lab::program::Entry entry(LAB_SITE);
  if (config == nullptr || (config->attrs == nullptr && config->numAttrs > 0)) {
    return entry.end(lab::program::kInvalidValue);
  }
  lab::program::Configuration how{config->gridDim, config->blockDim, config->dynamicSmemBytes,
                                  config->stream, entry.site()};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    if (!lab::program::apply(entry, config->attrs[i], how))
      return entry.end(lab::program::kNotSupported);
  }
  return lab::program::launch_from(entry, kernel, how, arguments);
}
