#include "harness/gpu/nvtx.h"

#include <fmt/format.h>
#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <cctype>

namespace lab::gpu {

namespace {

bool allowed(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '=' ||
         c == '-';
}

nvtxDomainHandle_t domain() {
  static nvtxDomainHandle_t const handle = nvtxDomainCreateA("lab");
  return handle;
}

}  // namespace

std::string range_name(int lab, const std::string& variant, const Params& params) {
  std::string name = fmt::format("lab.{:02}.{}", lab, variant);
  for (const auto& [key, value] : params.all()) name += fmt::format(".{}={}", key, to_text(value));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !allowed(c); }, '_');
  return name;
}

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
