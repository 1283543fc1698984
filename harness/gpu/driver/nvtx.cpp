#include "harness/gpu/driver/nvtx.h"

#include <nvtx3/nvToolsExt.h>

namespace lab::gpu {

namespace {

nvtxDomainHandle_t domain() {
  static nvtxDomainHandle_t const kHandle = nvtxDomainCreateA("lab");
  return kHandle;
}

}  // namespace

NvtxRange::NvtxRange(const std::string& name) {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = name.c_str();
  nvtxDomainRangePushEx(domain(), &attributes);
}

NvtxRange::~NvtxRange() { nvtxDomainRangePop(domain()); }

}  // namespace lab::gpu
